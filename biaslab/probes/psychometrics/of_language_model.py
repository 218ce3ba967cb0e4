"""Two-alternative task of a language model: each frame answers with a probability."""

from __future__ import annotations

from biaslab.probes.psychometrics.asking import ANSWERS, Responses, Task
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.psychometrics.graded import switch_points_of_answers
from biaslab.subjects.language_model.model import LanguageModel


def ask_language_model(subject: LanguageModel | FramedModel, task: Task) -> Responses:
    """Ask a language model; a stop after at least one item keeps the answers so far.

    Raises
    ------
    QueryError
        When nothing is left to ask.
    ValueError
        When an option does not apply to a language model, or is set already.
    """
    refuse_options(task)
    model, stimuli, context = framed(subject, task), task.stimuli, task.context
    responses = model.ask(
        task.items,
        task.pairs,
        stimuli,
        between=context.checkpoint,
        on_progress=lambda done, total: context.report(done, total, "questions asked"),
        stop=lambda: context.should_stop,
    )
    return Responses(
        responses.items, responses.pairs, responses.usable,
        switch_points_of_answers(responses.answers, stimuli), "frames", ANSWERS,
        answers=responses.answers, observer_names=responses.frames, dropped=responses.dropped,
        notes=responses.notes,
    )  # fmt: skip


def refuse_options(task: Task) -> None:
    """Refuse options that do not apply to a language model.

    Raises
    ------
    ValueError
        If one was given.
    """
    task.refuse_of_steps("A language model")
    task.refuse_trials("A language model")


def framed(subject: LanguageModel | FramedModel, task: Task) -> FramedModel:
    """Return the model with the frames of a task.

    Raises
    ------
    ValueError
        When they are set already.
    """
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
