"""Open models of transformers: a table of their kinds, and one way for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from biaslab.errors import MissingExtraError, SubjectError
from biaslab.subjects.classifier.neural import HuggingFaceClassifier
from biaslab.subjects.encoder.model import Encoder
from biaslab.subjects.encoder.sentence import is_sentence_encoder, load_sentence_encoder
from biaslab.subjects.language_model.model import KIND_NAMES, LanguageModel
from biaslab.subjects.pretrained.adapter import adapter_in, merged, need_peft
from biaslab.subjects.pretrained.facts import device_text, size_of
from biaslab.subjects.pretrained.gguf_file import ENDING
from biaslab.subjects.pretrained.gguf_model import open_gguf
from biaslab.subjects.pretrained.kinds import AUTO_CLASS, AUTO_CLASSES
from biaslab.subjects.pretrained.memory import is_out_of_memory
from biaslab.subjects.pretrained.opening import (
    ModelSource,
    OpenedModel,
    does_not_fit,
    explained,
    locate,
    open_model,
    read_configuration,
    read_weights,
)
from biaslab.subjects.pretrained.options import DEFAULTS, LoadingOptions, input_device
from biaslab.subjects.pretrained.refusals import refuse_tokenizer, refuse_vision_configuration
from biaslab.subjects.translation_model import TranslationModel
from biaslab.subjects.vision_language.caption_model import CaptionModel
from biaslab.subjects.vision_language.model import VisionLanguageModel
from biaslab.subjects.vision_language.processor import read_processor


def _open_causal_model(source: ModelSource, auto_class: str) -> OpenedModel:
    if source.gguf is None:
        return open_model(source, auto_class)
    return open_gguf(source, source.gguf, auto_class)


def _open_translation_model(source: ModelSource, auto_class: str) -> OpenedModel:
    try:
        return open_model(source, auto_class)
    except MissingExtraError as error:
        if not isinstance(error.__cause__, ImportError):
            raise
        raise MissingExtraError(
            f"{source.text} has a tokenizer that needs more: pip install 'biaslab[services]'. "
            f"({' '.join(str(error).split())[:120]})"
        ) from error


def _open_vision_language_model(source: ModelSource, auto_class: str) -> OpenedModel:
    """Open a model of a family that biaslab reads; ``auto_class`` opens all but a few of them."""
    config = read_configuration(source)
    refuse_vision_configuration(config, source.text)
    source.refuse_without_tokenizer()
    processor = read_processor(source, config.model_type)
    if (tokenizer := getattr(processor, "tokenizer", None)) is not None:
        # Of a cached name without its files, transformers makes up an empty one.
        refuse_tokenizer(tokenizer, source.text, auto_class)
    auto_class = AUTO_CLASSES.get(config.model_type, auto_class)
    return read_weights(source, auto_class, config, processor)


def _open_caption_model(source: ModelSource, auto_class: str) -> OpenedModel:
    config = read_configuration(source)
    processor = read_processor(source, config.model_type)
    return read_weights(source, auto_class, config, processor)


@dataclass(frozen=True)
class _Form:
    """How models of a kind are opened.

    - `what`: the kind in words.
    - `build`: makes the subject of an open model and its tokenizer or processor.
    - `auto_class`: class of transformers that opens the model.
    - `untrained`: refusal of weights that the files lack, about ``source``, ``model`` and
      ``missing``.
    - `read`: checks the files and reads them; takes what `open_model` takes.
    - `described`: returns the end of the description of an open subject.
    """

    what: str
    build: Callable[..., Any]
    auto_class: str
    untrained: str = ""
    read: Callable[[ModelSource, str], OpenedModel] = open_model
    described: Callable[[Any], str] = lambda subject: f", {size_of(subject.model)}"


def _on_device(subject: Encoder | HuggingFaceClassifier) -> str:
    return device_text(input_device(subject.model))


_UNTRAINED = (
    "{source} is not a trained {what}: {missing} would be random. Choose a model that was trained"
    " to predict tokens, or the other kind (kind='{other}')."
)
_INCOMPLETE = "{source} is not a complete {what} ({missing} would be random)."
_FORMS: Final = {
    "mlm": _Form(
        KIND_NAMES["mlm"], partial(LanguageModel, kind="mlm"), "AutoModelForMaskedLM",
        _UNTRAINED.replace("{other}", "clm"),
    ),
    "clm": _Form(
        KIND_NAMES["clm"], partial(LanguageModel, kind="clm"), "AutoModelForCausalLM",
        _UNTRAINED.replace("{other}", "mlm"), _open_causal_model,
    ),
    # A pooling layer may be random: no encoder reads it.
    "encoder": _Form("encoder", Encoder, "AutoModel", described=_on_device),
    "classifier": _Form(
        "classifier", HuggingFaceClassifier, "AutoModelForSequenceClassification",
        "{source} has no trained classification layer ({missing} would be random). Choose a model"
        " that was trained to classify texts.",
        described=_on_device,
    ),
    "vlm": _Form(
        "vision-language model", VisionLanguageModel, "AutoModel",
        "{source} is not a complete {model}: {missing} would be random. Choose a checkpoint that"
        " was trained for this, such as one for questions (its name has vqa in it) of ViLT or"
        " BLIP.",
        _open_vision_language_model,
        lambda subject: f", {subject.family.label}, {subject.size}",
    ),
    "translation": _Form(
        "translation model", TranslationModel, "AutoModelForSeq2SeqLM", _INCOMPLETE,
        _open_translation_model,
    ),
    "captions": _Form(
        "caption model", CaptionModel, AUTO_CLASS, _INCOMPLETE, _open_caption_model
    ),
}  # fmt: skip


def open_transformers(
    source: str | Path,
    kind: str,
    *,
    name: str | None = None,
    options: LoadingOptions = DEFAULTS,
    about: str | None = None,
) -> Any:
    """Open a model of a kind.

    Weights are read from safetensors only, and no code of a model is run. Files in
    the local cache are used without a network request.

    - `source`: ``hf:NAME``, a GGUF file, or a folder with ``config.json``, safetensors, a tokenizer
      and, where the model reads pictures, an image processor's configuration.
    - `kind`: {"mlm", "clm", "encoder", "classifier", "vlm", "translation", "captions"}.
    - `name`: name shown to the person.
    - `options`: device, precision, version and, of causal models, template.
    - `about`: one-line description.
    - Raises `MissingExtraError` when torch, transformers or a library that its files need is not
      installed. Raises `UnknownSubjectError` when the folder does not exist or holds no model.
      Raises `SubjectError` when the model cannot be fetched or opened, is of another kind, lacks
      trained parts, or does not have one of the options; or when the device is not there.
    """
    form = _FORMS[kind]
    if kind != "clm":
        article = "An" if form.what[0] in "aeiou" else "A"
        options.refuse(("template",), f"{article} {form.what}")
    try:
        if kind == "encoder" and is_sentence_encoder(source, options):
            return load_sentence_encoder(source, name=name, options=options)
        return _opened(source, form, name, options, about)
    except (RuntimeError, MemoryError) as error:  # on its way to the device
        if not is_out_of_memory(error):
            raise
        raise does_not_fit(str(source), options.device or "the device") from error


def _opened(
    source: str | Path, form: _Form, name: str | None, options: LoadingOptions, about: str | None
) -> Any:
    adapter = adapter_in(source) if form in (_FORMS["mlm"], _FORMS["clm"]) else None
    if adapter is not None:
        need_peft(adapter)
    located = locate(source if adapter is None else adapter.base, form.what, options)
    if located.gguf is not None and form is not _FORMS["clm"]:
        raise SubjectError(
            f"{source} is a GGUF file, which is opened as a causal language model: kind='clm'."
        )
    opened = form.read(located, form.auto_class)
    if adapter is not None:
        with explained(located):
            opened = merged(opened, adapter)
    if opened.untrained and form.untrained:
        raise SubjectError(
            form.untrained.format(
                source=source, what=form.what, model=type(opened.model).__name__,
                missing=", ".join(opened.untrained[:3]),
            )
        )  # fmt: skip
    where = located.where if adapter is None else adapter.folder
    more: dict[str, Any] = {} if options.template is None else {"template": options.template}
    if opened.notes:
        more["notes"] = opened.notes
    with explained(located):
        subject = form.build(
            opened.model, opened.reader, device=opened.device,
            name=name or Path(where).name.removesuffix(ENDING),
            files=opened.files,
            **more,
        )  # fmt: skip
    whole = located.about if adapter is None else f"{form.what}, {adapter.about}"
    subject.about = f"{about or whole}{form.described(subject)}"
    return subject
