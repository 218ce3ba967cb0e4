"""Ask a model about many pictures, so that a stopped run keeps its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.images import Image
from biaslab.jobs import JobContext, JobStopped
from biaslab.stats.curves.sigmoids import Floats
from biaslab.store import Store
from biaslab.subjects.vision_language.questions import LetterAnswers

MESSAGE = "asking about pictures"
_AT_ONCE, _AT_ONCE_ON_GPU = 16, 256
"""Pictures in a batch, which a stopped run loses: a processor takes no longer over small ones. How
many must not depend on how long they took: the last digits of answers depend on it.
"""


@dataclass(frozen=True)
class Answered:
    """A model's answers about some pictures.

    Attributes
    ----------
    numbers : ndarray of int64, shape (m,)
        Which pictures, in their order.
    probabilities : ndarray, shape (m, K, C)
    templates : tuple of str, length K
    notes : tuple of str
    letters : LetterAnswers or None
        The replies of a model that chooses among listed options: of all pictures that it was shown.
    unreadable : int
        Pictures left out, as a question about them has no readable reply.
    """

    numbers: NDArray[np.int64]
    probabilities: Floats
    templates: tuple[str, ...]
    notes: tuple[str, ...]
    letters: LetterAnswers | None = None
    unreadable: int = 0


def answered(
    vlm: Any,
    images: Sequence[Image],
    concepts: Sequence[str],
    templates: Sequence[str] | None,
    *,
    memory_mb: float | None = None,
    store: Store | None = None,
    context: JobContext | None = None,
) -> Answered:
    """Ask about pictures, terms in turn, in batches.

    Parameters
    ----------
    vlm : VisionLanguageModel
        Or a model with the same interface.
    images : sequence of Image
    concepts : sequence of str
        All must be answerable.
    templates : sequence of str, optional
    memory_mb, store
        As of `VisionLanguageModel.answers`.
    context : JobContext, optional
        Progress and stops: a stopped run returns its answers so far.

    Raises
    ------
    JobStopped
        If it was stopped before anything was answered.
    QueryError
        If no picture has a readable reply to every question.
    """
    context = context or JobContext()
    options: dict[str, Any] = {} if memory_mb is None else {"memory_mb": memory_mb}
    order = _in_turn([image.term for image in images])
    at_once = _AT_ONCE if str(getattr(vlm, "device", "cpu")) == "cpu" else _AT_ONCE_ON_GPU
    done = 0
    parts: list[Any] = []
    letters: LetterAnswers | None = None
    notes: dict[str, None] = {}
    done_so_far = 0

    def advance(more: int) -> None:
        nonlocal done_so_far
        done_so_far += more
        context.report(min(done_so_far, len(images)), len(images), MESSAGE)

    context.report(0, len(images), MESSAGE)
    try:
        while done < len(images):
            context.checkpoint()
            some = order[done : done + at_once]
            answers = vlm.answers(
                [images[i] for i in some],
                concepts,
                templates,
                store=store,
                between=context.checkpoint,
                advance=advance,
                **options,
            )
            parts.append(answers.probabilities)
            own = getattr(answers, "letters", None)
            letters = own if letters is None or own is None else letters.joined(own)
            notes |= dict.fromkeys(answers.notes)
            used_templates = answers.templates
            done += len(some)
            done_so_far = done
    except JobStopped:
        if not parts:
            raise
    context.report(done, len(images), MESSAGE)
    numbers = np.array(order[:done], dtype=np.int64)
    back = np.argsort(numbers)
    numbers, probabilities = numbers[back], np.concatenate(parts)[back]
    # A question that is refused in one order has no answer, and none is guessed.
    is_whole = ~np.isnan(probabilities).any(axis=(1, 2))
    if lost := int((~is_whole).sum()):
        if lost == len(numbers):
            raise QueryError(
                f"{vlm.name} gives no readable reply about any of the {lost:,} pictures: it"
                " refuses, or answers in other words. Ask other questions (templates=...), or for"
                " more replies to each."
            )
        notes[
            f"{lost:,} picture{'s are' if lost > 1 else ' is'} left out: some question about"
            f" {'them' if lost > 1 else 'it'} has no readable reply."
        ] = None
    return Answered(
        numbers[is_whole], probabilities[is_whole], tuple(used_templates), tuple(notes), letters,
        lost,
    )  # fmt: skip


def _in_turn(terms: Sequence[str]) -> list[int]:
    """Interleave the terms' pictures, so that every term has some when a run stops."""
    place: dict[str, int] = {}
    ranked = []
    for i, term in enumerate(terms):
        rank = place[term] = place.get(term, -1) + 1
        ranked.append((rank, i))
    return [i for _, i in sorted(ranked)]
