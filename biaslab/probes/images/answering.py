"""Asking a model about many pictures, so that a run which is stopped keeps what it has."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.images import Image
from biaslab.jobs import JobContext, JobStopped
from biaslab.stats.sigmoids import Floats
from biaslab.store import Store

MESSAGE = "asking about pictures"
_FIRST = 16
_SECONDS = 2.0
"""About how long the pictures take that are asked about at once: what a stopped run loses."""


@dataclass(frozen=True)
class Answered:
    """What a model said of some pictures.

    Attributes
    ----------
    numbers : ndarray of int64, shape (m,)
        Which pictures, in their order.
    probabilities : ndarray, shape (m, K, C)
    templates : tuple of str, length K
    notes : tuple of str
    """

    numbers: NDArray[np.int64]
    probabilities: Floats
    templates: tuple[str, ...]
    notes: tuple[str, ...]


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
    """Ask about pictures, terms in turn, a few seconds' worth at a time.

    Parameters
    ----------
    vlm : VisionLanguageModel
        Or what answers alike.
    images : sequence of Image
    concepts : sequence of str
        All of which the model can be asked.
    templates : sequence of str, optional
    memory_mb, store
        As of `VisionLanguageModel.answers`.
    context : JobContext, optional
        Progress, and stops: then what was answered is returned.

    Raises
    ------
    JobStopped
        If it was stopped before anything was answered.
    """
    context = context or JobContext()
    options: dict[str, Any] = {} if memory_mb is None else {"memory_mb": memory_mb}
    order = _in_turn([image.term for image in images])
    done, at_once = 0, _FIRST
    parts: list[Any] = []
    notes: dict[str, None] = {}
    seen = 0

    def told(more: int) -> None:
        nonlocal seen
        seen += more
        context.report(min(seen, len(images)), len(images), MESSAGE)

    context.report(0, len(images), MESSAGE)
    try:
        while done < len(images):
            context.checkpoint()
            some = order[done : done + at_once]
            start = time.monotonic()
            found = vlm.answers(
                [images[i] for i in some],
                concepts,
                templates,
                store=store,
                between=context.checkpoint,
                told=told,
                **options,
            )
            parts.append(found.probabilities)
            notes |= dict.fromkeys(found.notes)
            asked = found.templates
            done += len(some)
            seen = done
            took = time.monotonic() - start
            if took < _SECONDS / 2:
                at_once *= 4 if took < _SECONDS / 8 else 2
            elif took > 2 * _SECONDS:
                at_once = max(at_once // 2, _FIRST)
    except JobStopped:
        if not parts:
            raise
    context.report(done, len(images), MESSAGE)
    numbers = np.array(order[:done], dtype=np.int64)
    back = np.argsort(numbers)
    return Answered(numbers[back], np.concatenate(parts)[back], tuple(asked), tuple(notes))


def _in_turn(terms: Sequence[str]) -> list[int]:
    """One picture of each term after the other, so that every term has some when a run stops."""
    place: dict[str, int] = {}
    ranked = []
    for i, term in enumerate(terms):
        rank = place[term] = place.get(term, -1) + 1
        ranked.append((rank, i))
    return [i for _, i in sorted(ranked)]
