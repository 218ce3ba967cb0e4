"""Detect the kind of vision-language model in a folder in Hugging Face's format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from biaslab.subjects.vision_language_chat import AUTO_CLASS, CHAT_TYPES

#: Class of transformers by which a model is opened, by its configuration's ``model_type``; all
#: others are tried as CLIP-type ones.
AUTO_CLASSES = {
    "vilt": "ViltForQuestionAnswering",
    "blip": "BlipForQuestionAnswering",
    "git": "GitForCausalLM",
    **dict.fromkeys(CHAT_TYPES, AUTO_CLASS),
}
_CLIP_TYPES = frozenset({"clip", "siglip", "siglip2", "altclip", "chinese_clip", "metaclip_2"})


def holds_vision_language_model(folder: Path) -> bool:
    """Return whether a folder holds a supported vision-language model."""
    kind = model_type(folder)
    return kind in AUTO_CLASSES or kind in _CLIP_TYPES


def model_type(folder: Path) -> str:
    """Return the ``model_type`` of a folder's configuration; empty if there is none."""
    try:
        config: Any = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(config.get("model_type") or "") if isinstance(config, dict) else ""
