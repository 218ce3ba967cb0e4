"""What can be asked about a picture: captions for some models, questions for others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from biaslab.subjects.vision_language.questions import CAPTIONS, PLACE, QUESTIONS
from biaslab_widgets.benches.images.fields import ImageBenchState, TemplateOption
from biaslab_widgets.core.sources import Source


def takes(model: Any) -> Literal["caption", "question"]:
    """What a model is asked; captions where it takes both."""
    return "caption" if getattr(model, "takes_captions", True) else "question"


def asked_templates(model: Any, snapshot: ImageBenchState) -> tuple[str, ...]:
    """What a model is asked: the captions or questions that are chosen, or its own."""
    field = "captions" if takes(model) == "caption" else "questions"
    chosen = tuple(dict.fromkeys(text.strip() for text in getattr(snapshot, field) if text.strip()))
    return chosen or tuple(model.templates)


def offered_templates(sources: Iterable[Source[Any]] = ()) -> list[TemplateOption]:
    """Captions and questions to choose from: the usual ones, and those of open models."""
    own = [text for s in sources if s.is_open for text in s.open().templates]
    texts = dict.fromkeys((*CAPTIONS, *QUESTIONS, *own))
    return [{"text": t, "kind": "caption" if PLACE in t else "question"} for t in texts]
