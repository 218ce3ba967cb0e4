"""Open a model of transformers by its kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, cast

from biaslab.errors import SubjectError
from biaslab.subjects.classifier.neural import HuggingFaceClassifier, load_classifier
from biaslab.subjects.encoder.model import Encoder
from biaslab.subjects.encoder.sentence import (
    SentenceEncoder,
    is_sentence_encoder,
    load_sentence_encoder,
)
from biaslab.subjects.language_model.model import KIND_NAMES, LanguageModel, LanguageModelKind
from biaslab.subjects.pretrained.facts import device_text
from biaslab.subjects.pretrained.files import ModelFiles, local_files
from biaslab.subjects.pretrained.kinds import AUTO_CLASSES
from biaslab.subjects.pretrained.memory import is_out_of_memory
from biaslab.subjects.pretrained.opening import (
    PREFIX,
    does_not_fit,
    locate,
    open_model,
    read_configuration,
    read_weights,
)
from biaslab.subjects.pretrained.options import DEFAULTS, LoadingOptions, input_device
from biaslab.subjects.pretrained.refusals import (
    refuse_tokenizer,
    refuse_vision_configuration,
    without_tokenizer,
)
from biaslab.subjects.translation_model import TranslationModel, load_translation_model
from biaslab.subjects.vision_language.model import VisionLanguageModel
from biaslab.subjects.vision_language.processor import read_processor

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


def load_encoder(
    source: str | Path, *, name: str | None = None, options: LoadingOptions = DEFAULTS
) -> Encoder:
    """Open an encoder.

    Weights are read from safetensors only, and no code of a model is run. Files in
    the local cache are used without a network request.

    Parameters
    ----------
    source : str or Path
        ``hf:NAME``, or a folder with ``config.json``, safetensors and a tokenizer.
    name : str, optional
        Name shown to the person.
    options : LoadingOptions
        Device, precision and version.

    Raises
    ------
    MissingExtraError
        When torch, transformers or a library that its files need is not installed.
    UnknownSubjectError
        When the folder does not exist or holds no model.
    SubjectError
        When the model cannot be fetched or opened, or the device is not there.
    """
    where, about = locate(source, "encoder")
    opened = open_model(where, str(source), "AutoModel", "encoder", options)
    encoder = Encoder(
        opened.model, opened.tokenizer, device=opened.device, name=name or Path(where).name,
        files=opened.files,
    )  # fmt: skip
    encoder.about = f"{about}{device_text(input_device(encoder.model))}"
    return encoder


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


Model: TypeAlias = (
    Encoder
    | SentenceEncoder
    | HuggingFaceClassifier
    | LanguageModel
    | VisionLanguageModel
    | TranslationModel
)


def load_model(
    source: str | Path,
    kind: str,
    *,
    name: str | None,
    options: LoadingOptions,
    about: str | None,
) -> Model:
    """Open a model of a kind.

    Parameters
    ----------
    source : str or Path
        A folder, or ``hf:NAME``.
    kind : {"encoder", "classifier", "mlm", "clm", "vlm", "translation"}
    name : str or None
        Name shown to the person.
    options : LoadingOptions
    about : str or None
        One-line description.

    Raises
    ------
    SubjectError
        When it cannot be opened, or the kind does not have one of the options.
    """
    try:
        return _LOADERS[kind](source, kind, name, options, about)
    except (RuntimeError, MemoryError) as error:  # on its way to the device
        if not is_out_of_memory(error):
            raise
        raise does_not_fit(str(source), options.device or "the device") from error


def _language_model(
    source: str | Path, kind: str, name: str | None, options: LoadingOptions, about: str | None
) -> Model:
    return load_language_model(
        source, cast("LanguageModelKind", kind), name=name, options=options, about=about
    )


def _vision_language_model(
    source: str | Path, _: str, name: str | None, options: LoadingOptions, about: str | None
) -> Model:
    return load_vision_language_model(source, name=name, options=options, about=about)


def _encoder(
    source: str | Path, _: str, name: str | None, options: LoadingOptions, __: str | None
) -> Model:
    options.refuse(("template",), "An encoder")
    if is_sentence_encoder(source, options):
        return load_sentence_encoder(source, name=name, options=options)
    return load_encoder(source, name=name, options=options)


def _classifier(
    source: str | Path, _: str, name: str | None, options: LoadingOptions, __: str | None
) -> Model:
    options.refuse(("template",), "A classifier")
    return load_classifier(source, name=name, options=options)


def _translation_model(
    source: str | Path, _: str, name: str | None, options: LoadingOptions, __: str | None
) -> Model:
    return load_translation_model(source, name=name, options=options)


_LOADERS: dict[str, Callable[[str | Path, str, str | None, LoadingOptions, str | None], Model]] = {
    "mlm": _language_model,
    "clm": _language_model,
    "vlm": _vision_language_model,
    "encoder": _encoder,
    "classifier": _classifier,
    "translation": _translation_model,
}
