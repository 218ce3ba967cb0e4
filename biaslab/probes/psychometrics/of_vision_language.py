"""Two-alternative task of a vision-language model: portraits answer with P."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from biaslab.probes.psychometrics.asking import ANSWERS, Responses, Task
from biaslab.probes.psychometrics.graded import switch_points_of_answers

if TYPE_CHECKING:
    from biaslab.probes.psychometrics.morphed_model import MorphedModel


def ask_vision_language(subject: Any, task: Task) -> Responses:
    """Ask a vision-language model; a stop after an item keeps the answers so far.

    Raises
    ------
    QueryError
        When nothing is left to ask.
    ValueError
        When an option does not apply to a vision-language model, or is set already.
    """
    task.refuse_of_steps("A vision-language model")
    task.refuse_trials("A vision-language model")
    model, stimuli, context = _morphed(subject, task), task.stimuli, task.context
    steps = model.morphs.alphas
    if steps is not None:  # photographed morphs have no levels in between
        stimuli = np.asarray(steps)
    responses = model.ask(
        task.items,
        task.pairs,
        stimuli,
        between=context.checkpoint,
        on_progress=lambda done, total: context.report(done, total, "pictures shown"),
        stop=lambda: context.should_stop,
    )
    letters = responses.letters
    notes = responses.notes if letters is None else (*letters.sentences(), *responses.notes)
    return Responses(
        responses.items, responses.pairs, responses.usable,
        switch_points_of_answers(responses.answers, stimuli), "portraits", ANSWERS,
        answers=responses.answers, observer_names=responses.observers, ends=model.morphs.ends,
        dropped=responses.dropped, levels=len(stimuli), notes=notes,
        details={"templates": model.templates, **model.shown(responses.items)}, letters=letters,
    )  # fmt: skip


def _morphed(subject: Any, task: Task) -> MorphedModel:
    from biaslab.images.morph_folder import read_morphs
    from biaslab.images.morphs import OBSERVERS, DrawnMorphs
    from biaslab.probes.psychometrics.morphed_model import MorphedModel

    observers, replicates, memory_mb = task.observers, task.replicates, task.memory_mb
    if isinstance(subject, MorphedModel):
        if observers is not None or memory_mb is not None:
            raise ValueError(
                "A MorphedModel already has its portraits and its memory limit: leave them out."
            )
        return subject if replicates is None else subject.using(replicates)
    if observers is None or isinstance(observers, int):
        counts = [x for x in (observers, replicates) if isinstance(x, int)]
        morphs: Any = DrawnMorphs(observers=min(counts, default=OBSERVERS))
        return MorphedModel(subject, morphs, memory_mb=memory_mb)
    if isinstance(observers, str | os.PathLike):
        observers = read_morphs(observers)
    if not hasattr(observers, "identity"):
        raise TypeError(
            "The observers of a vision-language model are portraits: give the number to draw, a"
            " folder, or morphs, such as biaslab.images.read_morphs(folder)."
        )
    model = MorphedModel(subject, observers, memory_mb=memory_mb)
    return model if replicates is None else model.using(replicates)
