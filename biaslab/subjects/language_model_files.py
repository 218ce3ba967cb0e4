"""Open language models from the Hugging Face hub, or from a folder."""

from __future__ import annotations

from pathlib import Path

from biaslab.errors import SubjectError
from biaslab.subjects.language_model import KIND_NAMES, LanguageModel, LanguageModelKind
from biaslab.subjects.loading_options import DEFAULTS, LoadingOptions
from biaslab.subjects.model_opening import locate, open_model

_CLASSES = {"mlm": "AutoModelForMaskedLM", "clm": "AutoModelForCausalLM"}


def load_language_model(
    source: str | Path,
    kind: LanguageModelKind,
    *,
    name: str | None = None,
    options: LoadingOptions = DEFAULTS,
    about: str | None = None,
) -> LanguageModel:
    """Open a masked or causal language model.

    Weights are read from safetensors only, and no code of a model is run. Files in
    the local cache are used without a network request.

    Parameters
    ----------
    source : str or Path
        ``hf:NAME``, or a folder with ``config.json``, safetensors and a tokenizer.
    kind : {"mlm", "clm"}
        Masked or causal.
    name : str, optional
        Name shown to the person.
    options : LoadingOptions
        Device, precision, version and template.
    about : str, optional
        One-line description.

    Raises
    ------
    MissingExtraError
        When torch or transformers is not installed.
    UnknownSubjectError
        When the folder does not exist or holds no model.
    SubjectError
        When the model cannot be fetched or opened, is not of this kind, has an untrained head, or
        the device is not there.
    """
    if kind == "mlm":
        options.refuse(("template",), "A masked language model")
    what = KIND_NAMES[kind]
    where, config = locate(source, what)
    opened = open_model(where, str(source), _CLASSES[kind], what, options)
    if opened.untrained:
        raise SubjectError(
            f"{source} is not a trained {what}: {', '.join(opened.untrained[:3])} would be random."
            " Choose a model that was trained to predict tokens, or the other kind"
            f" (kind={'clm' if kind == 'mlm' else 'mlm'!r})."
        )
    lm = LanguageModel(
        opened.model, opened.tokenizer, kind=kind, device=opened.device,
        name=name or Path(where).name, template=options.template or "auto", files=opened.files,
    )  # fmt: skip
    lm.about = f"{about or config}, {lm.size}"
    return lm
