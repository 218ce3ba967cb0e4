"""Kinds of subject of a two-alternative task: register new kinds here."""

from __future__ import annotations

from typing import Any

from biaslab.probes.psychometrics.asking import Way
from biaslab.probes.psychometrics.black_box import ask_black_box
from biaslab.probes.psychometrics.black_box_trials import ask_table
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.psychometrics.of_embedding import ask_embedding
from biaslab.probes.psychometrics.of_encoder import ask_encoder
from biaslab.probes.psychometrics.of_language_model import ask_language_model
from biaslab.probes.psychometrics.of_vision_language import ask_vision_language
from biaslab.probes.psychometrics.trials import Trials
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.encoder.contextual import ContextualEncoder
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.opening.needs import Need

CHOOSES = Need(
    "a subject that chooses between two cues",
    "Pass an embedding, an ensemble, a language or vision-language model, a table of trials, or a"
    " function respond(item, cue_1, cue_2, alpha, observer) that returns P(cue 2).",
    lambda subject: way_of(subject) is not ask_black_box or callable(subject),
)


def way_of(subject: Any) -> Way:
    """Return the function for a kind of subject; unknown kinds are black boxes."""
    if isinstance(subject, ContextualEncoder):
        return ask_encoder
    if isinstance(subject, EmbeddingSubject):
        return ask_embedding
    if isinstance(subject, LanguageModel | FramedModel):
        return ask_language_model
    if _sees(subject):
        return ask_vision_language
    if isinstance(subject, Trials):
        return ask_table
    return ask_black_box


def _sees(subject: Any) -> bool:
    """Return whether it is a vision-language model, or duck-typed as one."""
    vlm = getattr(subject, "vlm", subject)
    return all(hasattr(vlm, part) for part in ("answers", "resolve", "templates"))
