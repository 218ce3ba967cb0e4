"""Open a model of transformers by its kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, cast

from biaslab.subjects.encoder import Encoder
from biaslab.subjects.encoder_files import load_encoder
from biaslab.subjects.huggingface_classifier import HuggingFaceClassifier, load_classifier
from biaslab.subjects.language_model import LanguageModel, LanguageModelKind
from biaslab.subjects.language_model_files import load_language_model
from biaslab.subjects.loading_options import LoadingOptions
from biaslab.subjects.model_opening import does_not_fit
from biaslab.subjects.out_of_memory import is_out_of_memory
from biaslab.subjects.sentence_encoder import SentenceEncoder
from biaslab.subjects.sentence_encoder_files import is_sentence_encoder, load_sentence_encoder
from biaslab.subjects.translation_model import TranslationModel, load_translation_model
from biaslab.subjects.vision_language import VisionLanguageModel
from biaslab.subjects.vision_language_files import load_vision_language_model

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
