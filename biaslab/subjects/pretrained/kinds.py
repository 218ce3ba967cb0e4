"""Kind and size of a model in Hugging Face's format, without its weights."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from biaslab.errors import SubjectError
from biaslab.subjects.formats.safetensors_file import read_header
from biaslab.subjects.pretrained.files import LARGEST_HEADER, ModelFiles
from biaslab.subjects.pretrained.gguf_file import gguf_in
from biaslab.subjects.pretrained.trial import read_object

CHAT_TYPES: Final = frozenset({
    "gemma3", "idefics3", "llava", "llava_next", "qwen2_5_vl", "qwen2_vl", "qwen3_vl", "smolvlm",
})  # fmt: skip
"""Configurations' ``model_type`` of chat models that can be shown a picture."""
AUTO_CLASS: Final = "AutoModelForImageTextToText"
#: Class of transformers by which a model is opened, by its configuration's ``model_type``; all
#: others are tried as CLIP-type ones.
AUTO_CLASSES = {
    "vilt": "ViltForQuestionAnswering",
    "blip": "BlipForQuestionAnswering",
    "blip-2": "Blip2ForConditionalGeneration",
    "git": "GitForCausalLM",
    **dict.fromkeys(CHAT_TYPES, AUTO_CLASS),
}
MODULES: Final = "modules.json"
"""File that distinguishes a model of sentence-transformers from one of transformers."""
_CLIP_TYPES = frozenset({"clip", "siglip", "siglip2", "altclip", "chinese_clip", "metaclip_2"})


def kind_of_folder(folder: Path) -> Literal["mlm", "clm", "vlm", "encoder"] | None:
    """Return which kind of model a folder or a GGUF file holds, where it tells; else None."""
    if gguf_in(folder) is not None:
        return "clm"
    try:
        config = read_config(folder)
    except SubjectError:
        return None
    if str(config.get("model_type")) in AUTO_CLASSES.keys() | _CLIP_TYPES:
        return "vlm"
    if (folder / MODULES).is_file():
        return "encoder"
    for architecture in _architectures(config):
        if architecture.endswith("ForMaskedLM"):
            return "mlm"
        if architecture.endswith(("ForCausalLM", "LMHeadModel")):
            return "clm"
    return None


def _architectures(config: dict[str, Any]) -> list[str]:
    names = config.get("architectures")
    return [str(name) for name in names] if isinstance(names, list) else []


_TRANSLATION_TYPES = frozenset({"marian", "m2m_100", "mbart", "nllb-moe"})
_DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16", "F64": "float64", "I8": "int8"}


@dataclass(frozen=True)
class ModelFolder:
    """A model's kind and size.

    - `kind`: a kind of `biaslab.load`.
    - `dtype`: type of most of the stored weights.
    - `labels`: of a classifier.
    """

    kind: str
    parameters: int
    dtype: str
    labels: tuple[str, ...] = ()


def read_model_folder(folder: Path) -> ModelFolder:
    """Read the configuration of a model, and the headers of its weights.

    Raises `SubjectError` when weights or tokenizer are missing, or it is of a kind that biaslab
    does not open.
    """
    config = read_config(folder)
    kind = kind_of_model(folder)
    if not ModelFiles(folder).has_tokenizer:
        raise SubjectError(
            f"{folder.name} has no tokenizer (tokenizer.json or vocab.txt). Store it beside the"
            " model: tokenizer.save_pretrained(folder)."
        )
    parameters, dtype = _weights(folder)
    labels = config.get("id2label") if kind == "classifier" else None
    names = tuple(map(str, labels.values())) if isinstance(labels, dict) else ()
    return ModelFolder(kind, parameters, dtype, names)


def kind_of_model(folder: Path) -> str:
    """Return the kind of the model in a folder, from its configuration alone.

    Raises `SubjectError` when there is no configuration, or biaslab does not open its kind.
    """
    config = read_config(folder)
    kind = _kind(folder, config)
    if not kind:
        shown = ", ".join(_architectures(config)) or config.get("model_type") or "none"
        raise SubjectError(
            f"{folder.name} holds a model of a kind that biaslab does not open ({shown}). It opens"
            " masked and causal language models, encoders, classifiers of text, vision-language"
            " and translation models."
        )
    return kind


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration of a folder.

    Raises `SubjectError` when there is none, or it is damaged.
    """
    if not (folder / "config.json").exists():
        raise SubjectError(f"{folder.name} has no config.json.")
    return read_object(folder / "config.json", folder.name)


def _kind(folder: Path, config: dict[str, Any]) -> str:
    names = _architectures(config)
    if str(config.get("model_type")) in _TRANSLATION_TYPES:
        return "translation"
    if any(name.endswith("ForSequenceClassification") for name in names):
        return "classifier"
    if (kind := kind_of_folder(folder)) is not None:
        return kind
    return "encoder" if any(name.endswith("Model") for name in names) else ""


def _weights(folder: Path) -> tuple[int, str]:
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        coded = ModelFiles(folder).pickled
        raise SubjectError(
            f"{folder.name} has its weights only in {coded}, which runs code when it is opened."
            " Store them with model.save_pretrained(folder, safe_serialization=True)."
            if coded
            else f"{folder.name} has no weights (no .safetensors file). Copy them from where the"
            " model was stored."
        )
    parameters: Counter[str] = Counter()
    for path in files:
        for tensor in read_header(path, LARGEST_HEADER)[0].values():
            parameters[tensor.dtype] += math.prod(tensor.shape)
    dtype = parameters.most_common(1)[0][0] if parameters else ""
    return parameters.total(), _DTYPES.get(dtype, dtype)
