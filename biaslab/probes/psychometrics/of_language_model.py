"""The two-alternative task of a language model: each frame answers with a probability."""

from __future__ import annotations

from biaslab.probes.psychometrics.asking import ANSWERS, Asked, Task
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.psychometrics.graded import switch_points_of_answers
from biaslab.subjects.language_model import LanguageModel


def ask_language_model(subject: LanguageModel | FramedModel, task: Task) -> Asked:
    """Ask in the frames; between batches, a stop after at least one item keeps what there is.

    Raises
    ------
    QueryError
        When nothing is left to ask.
    ValueError
        When an option means nothing to a language model, or is set already.
    """
    task.refuse_perception("A language model")
    model, stimuli, context = _framed(subject, task), task.stimuli, task.context
    found = model.ask(
        task.items,
        task.pairs,
        stimuli,
        between=context.checkpoint,
        told=lambda done, total: context.report(done, total, "questions asked"),
        stop=lambda: context.should_stop,
    )
    return Asked(
        found.items, found.pairs, found.usable,
        switch_points_of_answers(found.answers, stimuli), "frames", ANSWERS,
        answers=found.answers, observer_names=found.frames, dropped=found.dropped,
        notes=found.notes,
    )  # fmt: skip


def _framed(subject: LanguageModel | FramedModel, task: Task) -> FramedModel:
    observers, replicates, memory_mb = task.observers, task.replicates, task.memory_mb
    if isinstance(subject, FramedModel):
        if observers is not None or memory_mb is not None:
            raise ValueError(
                "A FramedModel already has its frames and its memory limit: leave them out."
            )
        return subject if replicates is None else subject.using(replicates)
    counts = [x for x in (observers, replicates) if isinstance(x, int)]
    frames = None if observers is None or isinstance(observers, int) else observers
    return FramedModel(subject, frames, first=min(counts, default=None), memory_mb=memory_mb)
