"""Unknown words of a subject, for results and messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from biaslab.records.result import Dropped
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.terms import Unknown

MOST_SUGGESTED = 200
"""Unknown words up to this many are given their nearest known ones."""
_NAMED = 8


def with_suggestions(subject: EmbeddingSubject, unknown: Sequence[Unknown]) -> Sequence[Unknown]:
    """Return unknown words with their nearest known ones, unless there are too many."""
    if not 0 < len(unknown) <= MOST_SUGGESTED:
        return unknown
    missing = [u.term for u in unknown if not u.has_vector]
    looked_up = {u.term: u for u in subject.resolve(missing).unknown}
    return [looked_up.get(u.term, u) for u in unknown]


def as_dropped(unknown: Unknown, role: str) -> Dropped:
    """Convert an unknown word to a dropped one with its role."""
    return Dropped(unknown.term, role, unknown.reason, unknown.suggestions)


def list_dropped(dropped: Sequence[Dropped]) -> str:
    """List dropped words in one line for an error, with the number of others."""
    named = "; ".join(_one(d) for d in dropped[:_NAMED])
    more = len(dropped) - _NAMED
    return named + (f"; and {more} more" if more > 0 else "")


def lines(dropped: Iterable[Dropped], most: int = 20) -> list[str]:
    """Return a line for each dropped word of a summary, and the number of others."""
    every = list(dropped)
    shown = [f"Dropped {d.role} {_one(d)}." for d in every[:most]]
    if len(every) > most:
        shown.append(f"... and {len(every) - most} more dropped: see .dropped.")
    return shown


def _one(dropped: Dropped) -> str:
    offer = f" (nearest known: {', '.join(dropped.suggestions)})" if dropped.suggestions else ""
    return f"{dropped.term!r} {dropped.reason}{offer}"
