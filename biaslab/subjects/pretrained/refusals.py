"""Refuse models that a probe could not use, before their weights are read."""

from __future__ import annotations

from typing import Any

from biaslab.errors import SubjectError, UnknownSubjectError
from biaslab.subjects.pretrained.kinds import AUTO_CLASSES
from biaslab.subjects.pretrained.options import SERVER_HINT

_MAPPINGS = {
    "AutoModel": "MODEL_MAPPING_NAMES",
    "AutoModelForMaskedLM": "MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    "AutoModelForCausalLM": "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "AutoModelForSequenceClassification": "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES",
    "AutoModelForSeq2SeqLM": "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
}
_NO_LANGUAGE_MODEL = "{name} is {what}, which gives no probability of a text on its own. {instead}"
_INSTEAD = "Choose a masked or a causal model, such as BERT or GPT-2."
_SPEECH = frozenset({"SPEECH_SEQ_2_SEQ", "CTC", "AUDIO_CLASSIFICATION", "TEXT_TO_WAVEFORM"})


def refuse_other_formats(source: str) -> None:
    """Refuse files of other programs, and collections of files on the hub, by their names.

    - `source`: a path, or ``hf:NAME``.
    - Raises `SubjectError`, which says what to open instead.
    """
    name = source.rpartition("/")[2].casefold()
    if name.endswith(".ggml"):
        raise SubjectError(
            f"{source} is in GGML, an old format of llama.cpp. Choose the model in safetensors or"
            f" GGUF; or {SERVER_HINT}."
        )
    if source.startswith("hf:") and name.endswith("-gguf"):
        raise SubjectError(
            f"{source} has GGUF files, one for each quantisation. Download one of them, and open it"
            f" by its path: bl.load('model.gguf'); or {SERVER_HINT}."
        )


def refuse_configuration(config: Any, name: str, auto_class: str) -> None:
    """Refuse a model whose configuration says that this kind of probe cannot use it.

    - `name`: for the message.
    - `auto_class`: class of transformers that would open it, such as "AutoModelForCausalLM".
    - Raises `SubjectError`, which says what the model is, and what to use instead.
    """
    model_type = str(getattr(config, "model_type", ""))
    is_lm = auto_class in ("AutoModelForMaskedLM", "AutoModelForCausalLM")
    kinds = mappings_of(model_type)
    if is_lm and kinds & _SPEECH:
        raise SubjectError(
            _NO_LANGUAGE_MODEL.format(
                name=name, what=f"a model of speech ({model_type})", instead=_INSTEAD
            )
        )
    if is_lm and getattr(config, "is_encoder_decoder", False):
        raise SubjectError(
            _NO_LANGUAGE_MODEL.format(
                name=name,
                what=f"an encoder with a decoder ({model_type})",
                instead=f"{_INSTEAD} kind='encoder' gives the vectors of its encoder"
                + (
                    ", and kind='translation' its translations."
                    if "SEQ_TO_SEQ_CAUSAL_LM" in kinds
                    else "."
                ),
            )
        )
    names = _names(_MAPPINGS[auto_class])
    if names and model_type not in names:
        raise SubjectError(f"{name} {_what_it_is(model_type, auto_class, kinds)}")


def refuse_vision_configuration(config: Any, name: str) -> None:
    """Refuse a vision-language model of a family that biaslab does not read.

    - `name`: for the message.
    - Raises `SubjectError`, which names families that it reads.
    """
    model_type = str(getattr(config, "model_type", ""))
    if model_type == "blip-2" and not config.use_decoder_only_language_model:
        raise SubjectError(
            f"{name} is a BLIP-2 with {config.text_config.model_type}, an encoder with a decoder."
            " biaslab reads those with a decoder alone, such as Salesforce/blip2-opt-2.7b. The"
            " captions of this one can be rated: bl.services.CaptionService."
        )
    if model_type in AUTO_CLASSES:
        return
    kinds = mappings_of(model_type)
    # A model of two towers classifies images without training, and writes no text.
    has_towers = "ZERO_SHOT_IMAGE_CLASSIFICATION" in kinds and "IMAGE_TEXT_TO_TEXT" not in kinds
    if has_towers or not kinds:
        return
    what = (
        f"is a model that writes text about images ({model_type}), of a family that biaslab does"
        " not read"
        if kinds & {"IMAGE_TEXT_TO_TEXT"}
        else f"is no vision-language model ({model_type})"
    )
    families = "CLIP, SigLIP, ViLT, BLIP, BLIP-2, GIT, Qwen-VL, LLaVA, Gemma 3 or SmolVLM"
    raise SubjectError(
        f"{name} {what}. Choose a model of the family {families}; or {SERVER_HINT}, if it reads"
        " images."
    )


def refuse_tokenizer(tokenizer: Any, name: str, auto_class: str) -> None:
    """Refuse a tokenizer that is empty, or lacks what the kind of model needs.

    Raises `SubjectError`, which says what is missing, and what to do.
    """
    if len(tokenizer) <= len(set(tokenizer.all_special_ids)):
        raise SubjectError(without_tokenizer(name))
    if auto_class == "AutoModelForMaskedLM" and tokenizer.mask_token_id is None:
        raise SubjectError(
            f"{name} has no mask token, so it cannot predict hidden words. If it is a causal"
            " model, open it with kind='clm'; if it is masked, set tokenizer.mask_token and save"
            " the tokenizer again."
        )


def without_tokenizer(name: str) -> str:
    """Return the message for a model without a tokenizer."""
    return (
        f"{name} has no tokenizer (tokenizer.json, vocab.txt or tokenizer.model). Store it beside"
        " the model: tokenizer.save_pretrained(folder)."
    )


def refuse_remote_code(values: dict[str, Any], name: str) -> None:
    """Refuse a model that needs code of its own, which biaslab does not run.

    - `values`: content of config.json.
    - `name`: for the message.
    - Raises `SubjectError` also for an architecture that is newer than the installed transformers.
    """
    model_type = str(values.get("model_type") or "")
    known = not model_type or bool(mappings_of(model_type)) or _has_config(model_type)
    if known:
        return
    if values.get("auto_map"):
        raise SubjectError(
            f"{name} cannot be opened: it needs code that comes with it ({model_type}), and biaslab"
            f" runs no code of a model. Choose a model that transformers knows; or {SERVER_HINT}."
        )
    raise SubjectError(
        f"{name} cannot be opened: this version of transformers does not know {model_type!r}."
        " Install a newer one: pip install -U transformers."
    )


def refuse_revision_of_folder(revision: str | None, name: str) -> None:
    """Refuse a revision of a folder, which has none.

    Raises `SubjectError` when one was given.
    """
    if revision is not None:
        raise SubjectError(
            f"revision={revision!r}: {name} is a folder, and only models on the hub have revisions."
            " Leave it out."
        )


def mappings_of(model_type: str) -> frozenset[str]:
    """Return the kinds of task that transformers has a class for, such as {"CAUSAL_LM"}."""
    from transformers.models.auto import modeling_auto

    end = "_MAPPING_NAMES"
    return frozenset(
        each.removesuffix(end).removeprefix("MODEL_").removeprefix("FOR_")
        for each in vars(modeling_auto)
        if each.startswith("MODEL_") and each.endswith(end) and model_type in _names(each)
    )


def _names(mapping: str) -> Any:
    from transformers.models.auto import modeling_auto

    return getattr(modeling_auto, mapping, {})


def _has_config(model_type: str) -> bool:
    from transformers import CONFIG_MAPPING

    return model_type in CONFIG_MAPPING


def _what_it_is(model_type: str, auto_class: str, kinds: frozenset[str]) -> str:
    wanted = {
        "AutoModelForMaskedLM": "masked language model",
        "AutoModelForCausalLM": "causal language model",
        "AutoModelForSequenceClassification": "text classifier",
        "AutoModelForSeq2SeqLM": "translation model",
    }.get(auto_class, "encoder")
    article = "an" if wanted[0] in "aeiou" else "a"
    if "IMAGE_TEXT_TO_TEXT" in kinds and wanted.endswith("language model"):
        return (
            f"cannot be opened as {article} {wanted}: it reads images and text ({model_type}), and"
            " transformers opens its text part only together with them. Choose a text model of the"
            " same family."
        )
    others = {
        "CAUSAL_LM": "kind='clm'",
        "MASKED_LM": "kind='mlm'",
        "ZERO_SHOT_IMAGE_CLASSIFICATION": "kind='vlm'",
        "MODEL": "kind='encoder'",
    }
    fit = next((text for task, text in others.items() if task in kinds), "")
    return (
        f"cannot be opened as {article} {wanted}: transformers has no such form of {model_type!r}."
        + (f" Open it with {fit}." if fit else " Choose another model.")
    )


def reason_of(error: BaseException, text: str, revision: str | None) -> SubjectError | None:
    """Return what an error of the hub means; None where it is another one.

    - `error`: with its causes.
    - `text`: the source as the user wrote it.
    - `revision`: the requested revision.
    """
    from huggingface_hub import errors

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, errors.GatedRepoError):
            return SubjectError(
                f"{text} is open only to accounts that accept its licence. Accept it on the page of"
                " the model, and log in: hf auth login."
            )
        if isinstance(cause, errors.RevisionNotFoundError):
            return SubjectError(
                f"{text} has no revision {revision or 'main'!r}. The page of the model lists its"
                " branches, tags and commits."
            )
        if isinstance(cause, errors.RepositoryNotFoundError):
            return UnknownSubjectError(
                f"The hub has no model {text.removeprefix('hf:')!r}, or it is private. Check the"
                " name and the connection, or give the folder of a local model."
            )
        if isinstance(cause, errors.LocalEntryNotFoundError | errors.OfflineModeIsEnabled):
            version = f" in revision {revision!r}" if revision else ""
            return SubjectError(
                f"{text} cannot be opened: it is not in the cache of this machine{version}, and the"
                " hub cannot be reached. Check the name and the connection, or give the folder of a"
                " local model."
            )
        cause = cause.__cause__ or cause.__context__
    return None
