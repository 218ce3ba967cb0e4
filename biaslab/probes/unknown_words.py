"""Words that a subject does not know, as a result tells them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from biaslab.results import Dropped
from biaslab.subjects.base import EmbeddingSubject, Unknown

MOST_SUGGESTED = 200
"""Unknown words up to this many are given their nearest known ones."""
_NAMED = 8


def with_suggestions(subject: EmbeddingSubject, unknown: Sequence[Unknown]) -> Sequence[Unknown]:
    """Unknown words with their nearest known ones, unless they are so many that it is felt."""
    if not 0 < len(unknown) <= MOST_SUGGESTED:
        return unknown
    return subject.resolve([u.term for u in unknown]).unknown


def as_dropped(unknown: Unknown, role: str) -> Dropped:
    """An unknown word as what was dropped from where it stood."""
    return Dropped(unknown.term, role, unknown.reason, unknown.suggestions)


def told(dropped: Sequence[Dropped]) -> str:
    """What was dropped, in one line for an error: the first few, and how many more."""
    named = "; ".join(_one(d) for d in dropped[:_NAMED])
    more = len(dropped) - _NAMED
    return named + (f"; and {more} more" if more > 0 else "")


def lines(dropped: Iterable[Dropped], most: int = 20) -> list[str]:
    """A line for each dropped word of a summary, and how many more there are."""
    every = list(dropped)
    shown = [f"Dropped {d.role} {_one(d)}." for d in every[:most]]
    if len(every) > most:
        shown.append(f"... and {len(every) - most} more dropped: see .dropped.")
    return shown


def _one(dropped: Dropped) -> str:
    offer = f" (nearest known: {', '.join(dropped.suggestions)})" if dropped.suggestions else ""
    return f"{dropped.term!r} {dropped.reason}{offer}"
