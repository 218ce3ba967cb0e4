"""What results about items between cue pairs share: the question, and how its answers are read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import UnknownTermError
from biaslab.probes.psychometrics.options import Fit
from biaslab.records.kinds import words_of
from biaslab.records.result import Result
from biaslab.records.wording import Span, sentences
from biaslab.stats.crossed.effects import Crossing, crossing_of


@dataclass(frozen=True, kw_only=True)
class CuedResult(Result):
    """A result about items between cue pairs.

    Attributes
    ----------
    items : tuple of str
        The n items (words).
    pairs : tuple of (str, str)
        The K cue pairs (cue 1, cue 2).
    fit : Fit
        How the answers are read.
    weights : ndarray, shape (K,)
        Prior probability of each pair when pooled; sums to 1.
    level : float
        Level of all intervals.
    observer : str
        Name of the observers, in the plural: "replicates".
    observer_names : tuple of str
        Names of the B observers, if they have any: the frames of a language model, portraits.
    notes : tuple of str
    """

    items: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    fit: Fit
    weights: NDArray[np.float64]
    level: float = 0.95
    observer: str = "replicates"
    observer_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def crossing(self) -> Crossing | None:
        """Crossing of two lists of cues; None if each pair has its own cues."""
        return crossing_of(self.pairs)

    def index(self, item: str) -> int:
        """Return the position of an item.

        Raises
        ------
        UnknownTermError
            When the item is not in the result.
        """
        try:
            return self.items.index(item)
        except ValueError:
            raise UnknownTermError(
                f"{item!r} is not among the {len(self.items)} items of this result; see .dropped."
            ) from None

    def verdict(self, item: str | None = None) -> tuple[str, ...]:
        """The finding on one item (by default on all) with its interval: a text per sentence."""
        return sentences(self.verdict_spans(item))

    def verdict_spans(self, item: str | None = None) -> tuple[Span, ...]:
        """The same words as pieces of text with the roles that a screen shows them in."""
        if item is None:
            return super().verdict_spans()
        return tuple(words_of(self).spans(self, item))


def fit_of_before(content: dict[str, Any]) -> dict[str, Any]:
    """Return stored fields with `fit`, whose options once stood side by side."""
    content = dict(content)
    fit = {
        "family": content.pop("curve"),
        "lapses": content.pop("rates", "none"),  # the first results had no choice
        "jnd": content.pop("jnd_convention"),
        "pairs_as": content.pop("pairs_as"),
    }
    return {**content, "fit": fit}
