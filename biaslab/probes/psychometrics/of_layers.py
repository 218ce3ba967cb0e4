"""Two-alternative task of a language model, with the stimulus patched in at chosen layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from biaslab.probes.psychometrics.asking import Task
from biaslab.probes.psychometrics.framed_model import FramedAnswers, FramedModel
from biaslab.probes.psychometrics.layered_answers import check_patch, chosen_layers
from biaslab.probes.psychometrics.of_language_model import framed, refuse_options
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import Patch, blocks_of
from biaslab.subjects.opening.needs import Need, suited

Layers = Sequence[int] | str
"""Layers of a language model, or ``"all"``."""
LAYERED = Need(
    "a masked or causal language model",
    "Leave out layers, or pass a language model, such as bl.load('wiki-clm').",
    lambda subject: isinstance(subject, LanguageModel | FramedModel),
)


@dataclass(frozen=True)
class LayeredAnswers:
    """Answers of a language model at several layers.

    Attributes
    ----------
    layers : tuple of int
    n_blocks : int
        Number of blocks of the model.
    answers : FramedAnswers
        Its answers have an axis of layers first.
    """

    layers: tuple[int, ...]
    n_blocks: int
    answers: FramedAnswers


def check_layered(subject: Any, layers: Layers, patch: Patch) -> tuple[int, ...]:
    """Return the layers that are meant.

    Raises
    ------
    WrongSubjectError
        When the subject is no language model.
    ValueError
        When there is no such way of patching.
    QueryError
        When the model has no such layers.
    SubjectError
        When its blocks cannot be entered.
    """
    check_patch(patch)
    suited(subject, LAYERED, "bl.two_afc with layers")
    return chosen_layers(subject.lm if isinstance(subject, FramedModel) else subject, layers)


def ask_layers(
    subject: LanguageModel | FramedModel, task: Task, layers: tuple[int, ...], patch: Patch
) -> LayeredAnswers:
    """Ask a language model at each layer; a stop after at least one item keeps the answers so far.

    Raises
    ------
    QueryError
        When nothing is left to ask.
    ValueError
        When an option does not apply to a language model, or is set already.
    """
    refuse_options(task)
    model, context = framed(subject, task), task.context
    answers = model.ask(
        task.items,
        task.pairs,
        task.stimuli,
        layers=layers,
        patch=patch,
        between=context.checkpoint,
        on_progress=lambda done, total: context.report(done, total, "questions asked"),
        stop=lambda: context.should_stop,
    )
    return LayeredAnswers(layers, len(blocks_of(model.lm)), answers)
