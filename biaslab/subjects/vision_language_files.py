"""Open vision-language models by name from the Hugging Face hub, or from a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from biaslab.errors import SubjectError
from biaslab.subjects.loading_options import DEFAULTS, LoadingOptions
from biaslab.subjects.model_files import ModelFiles, local_files
from biaslab.subjects.model_opening import (
    PREFIX,
    locate,
    read_configuration,
    read_weights,
)
from biaslab.subjects.model_refusals import (
    refuse_tokenizer,
    refuse_vision_configuration,
    without_tokenizer,
)
from biaslab.subjects.vision_language import VisionLanguageModel
from biaslab.subjects.vision_language_folder import AUTO_CLASSES
from biaslab.subjects.vision_language_processor import read_processor

WHAT = "vision-language model"


def load_vision_language_model(
    source: str | Path,
    *,
    name: str | None = None,
    options: LoadingOptions = DEFAULTS,
    about: str | None = None,
) -> VisionLanguageModel:
    """Open a vision-language model; its configuration determines the kind.

    Weights are read from safetensors only, and no code of a model is run. Files in
    the local cache are used without a network request.

    Parameters
    ----------
    source : str or Path
        ``hf:NAME``, or a folder with ``config.json``, safetensors, a tokenizer and an image
        processor's configuration.
    name : str, optional
        Name shown to the person.
    options : LoadingOptions
        Device, precision and version.
    about : str, optional
        One-line description.

    Raises
    ------
    MissingExtraError
        When torch or transformers is not installed.
    UnknownSubjectError
        When the folder does not exist or holds no model.
    SubjectError
        When the model cannot be fetched or opened, is of another kind, lacks trained parts, or the
        device is not there.
    """
    where, config = locate(source, WHAT)
    model, processor, untrained, device = _opened(where, str(source), options)
    if untrained:
        raise SubjectError(
            f"{source} is not a complete {type(model).__name__}: {', '.join(untrained[:3])} would"
            " be random. Choose a checkpoint that was trained for this, such as one for questions"
            " (its name has vqa in it) of ViLT or BLIP."
        )
    opened = VisionLanguageModel(
        model, processor, device=device, name=name or Path(where).name,
        files=local_files(where, str(source).startswith(PREFIX), options.revision),
    )  # fmt: skip
    opened.about = f"{about or config}, {opened.family.label}, {opened.size}"
    return opened


def _opened(
    where: str, text: str, options: LoadingOptions
) -> tuple[Any, Any, tuple[str, ...], str | None]:
    """Open processor and model; return missing weights and the device of the model too."""
    import transformers

    options.refuse(("template",), "A vision-language model")
    config = read_configuration(where, text, WHAT, options)
    refuse_vision_configuration(config, text)
    auto = getattr(transformers, AUTO_CLASSES.get(config.model_type, "AutoModel"))
    if not text.startswith(PREFIX) and not ModelFiles(Path(where)).has_tokenizer:
        raise SubjectError(without_tokenizer(text))
    processor = read_processor(where, text, WHAT, options, config.model_type)
    if (tokenizer := getattr(processor, "tokenizer", None)) is not None:
        # Of a cached name without its files, transformers makes up an empty one.
        refuse_tokenizer(tokenizer, text, "AutoModel")
    device, model, untrained = read_weights(where, text, auto, WHAT, options, config)
    return model, processor, untrained, device
