"""How words lean: to one of two groups, to one of several, and by WEFAT's effect size.

Liang and Acuna (2020, section 6) propose several pairwise curves for more than two alternatives.
With one cue per group, or cue sets, a replicate's answers to all pairs are transitive under eq. 8:
it always prefers the cue nearer to the word. Pooled over several pairs, or under ``mixture``, three
groups can beat each other in a circle; that is counted and shown. One scale for all is Luce's.

WEFAT is the single-category association of Caliskan et al. (2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.records.record import Record
from biaslab.stats.luce import luce
from biaslab.stats.reproducibility import SINGLE, snapped
from biaslab.stats.significance import Adjust

if TYPE_CHECKING:
    import pandas as pd


class LeanCounts(NamedTuple):
    """Numbers of words by lean: group 1, group 2, no clear lean, no interval."""

    group_1: int
    group_2: int
    undecided: int
    unknown: int

    @property
    def total(self) -> int:
        """All words."""
        return sum(self)


def lean_counts(result: TwoAFCResult, adjust: Adjust = "none") -> LeanCounts:
    """Count a contrast's leans."""
    lean = result.leans(adjust)
    estimated = np.isfinite(result.pooled.corpus).all(axis=1)
    return LeanCounts(
        int((lean == 1).sum()),
        int((lean == -1).sum()),
        int((estimated & (lean == 0)).sum()),
        int((~estimated).sum()),
    )


@dataclass(frozen=True)
class Ranking(Record):
    """The alternatives of each word, ranked in every replicate.

    Attributes
    ----------
    groups : tuple of str
        The k alternatives.
    words : tuple of str
        The n words.
    first : ndarray, shape (n, k)
        Share of observers in which a group beats all others.
    circular : ndarray, shape (n,)
        Share of observers in which no group does. With `first` it adds up to 1.
    wins : ndarray, shape (n, k)
        Mean number of others that a group beats, 0 to k - 1: the order of the groups.
    observers : int
        How many observers were ranked.
    over : str
        Name of the observers: "replicates" of an ensemble, else "cue pairs" of one embedding.
    """

    groups: tuple[str, ...]
    words: tuple[str, ...]
    first: Floats
    circular: Floats
    wins: Floats
    observers: int
    over: str

    def order(self, word: str) -> tuple[str, ...]:
        """Return the groups of a word, best first."""
        row = self.wins[self.words.index(word)]
        return tuple(self.groups[g] for g in np.argsort(-row, kind="stable"))


def rank(
    groups: tuple[str, ...],
    words: tuple[str, ...],
    combinations: Sequence[tuple[int, int]],
    contrasts: Sequence[TwoAFCResult],
    *,
    matched: bool,
) -> Ranking:
    """Rank the groups for every word, in every observer.

    An observer is a replicate, its answers pooled over cue pairs. One embedding's matched pairs are
    ranked one by one.

    Parameters
    ----------
    groups, words : tuple of str
        The k alternatives and the n words.
    combinations : sequence of (int, int)
        The two groups of each contrast.
    contrasts : sequence of TwoAFCResult
        The answers.
    matched : bool
        Whether the cues of all groups are matched by their place.
    """
    by_pair = (
        contrasts[0].n_observers == 1 and matched and len({len(c.pairs) for c in contrasts}) == 1
    )
    k, n = len(groups), len(words)
    points = [
        np.moveaxis(c.balance[0].astype(float), 1, 0)
        if by_pair
        else np.einsum("bnk,k->bn", c.balance.astype(float), c.weights)
        for c in contrasts
    ]
    observers = len(points[0])
    beats = np.zeros((observers, n, k, k), dtype=bool)
    for (a, b), balance in zip(combinations, points, strict=True):
        # A PSE above 1/2 is a bias for the first group of a contrast.
        beats[..., a, b] = balance > 0.5
        beats[..., b, a] = balance < 0.5
    won = beats.sum(axis=-1)
    first = (won == k - 1).mean(axis=0)
    over = "cue pairs" if by_pair and len(contrasts[0].pairs) > 1 else contrasts[0].observer
    return Ranking(groups, words, first, 1 - first.sum(axis=-1), won.mean(axis=0), observers, over)


@dataclass(frozen=True)
class Scale(Record):
    """The alternatives of each word on one scale, by Luce's choice rule.

    Attributes
    ----------
    groups : tuple of str
        The k alternatives.
    words : tuple of str
        The n words.
    share : ndarray, shape (n, k)
        How often each would be chosen out of all k at an even blend; sums to 1.
    interval : ndarray, shape (n, k, 2)
        Of each share, over units; NaN of a single one.
    misfit : ndarray, shape (n,)
        How far the shares miss the rate of choices in a pair at most: large where the alternatives
        beat each other in a circle, so that no single scale describes them.
    level : float
        Of the intervals.
    over : str
        Name of the units: "replicates", "cue pairs", or both.
    """

    groups: tuple[str, ...]
    words: tuple[str, ...]
    share: Floats
    interval: Floats
    misfit: Floats
    level: float
    over: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row per word and group: word, group, share, share_low, share_high, misfit."""
        import pandas as pd

        k = len(self.groups)
        return pd.DataFrame(
            {
                "word": np.repeat(self.words, k),
                "group": self.groups * len(self.words),
                "share": self.share.ravel(),
                "share_low": self.interval[..., 0].ravel(),
                "share_high": self.interval[..., 1].ravel(),
                "misfit": np.repeat(self.misfit, k),
            }
        )


def scale(
    groups: tuple[str, ...],
    words: tuple[str, ...],
    combinations: Sequence[tuple[int, int]],
    contrasts: Sequence[TwoAFCResult],
    level: float,
    *,
    matched: bool,
) -> Scale:
    """Put the groups on one scale for every word; parameters as of `rank`.

    The units are replicates and, of matched pairs that were drawn from others, the pairs.
    """
    aligned = matched and len({len(c.pairs) for c in contrasts}) == 1
    k, n = len(groups), len(words)
    answers = [1 - c.responses([0.5])[..., 0] for c in contrasts]
    if not aligned:
        answers = [
            np.einsum("bnk,k->bn", a, c.weights)[..., None]
            for a, c in zip(answers, contrasts, strict=True)
        ]
    observers, _, pairs = answers[0].shape
    choices = np.full((observers, pairs, n, k, k), 0.5)
    for (a, b), answer in zip(combinations, answers, strict=True):
        choices[..., a, b] = np.moveaxis(answer, 2, 1)
        choices[..., b, a] = 1 - choices[..., a, b]
    if contrasts[0].fit.pairs_as == "fixed":
        choices, pairs = choices.mean(axis=1, keepdims=True), 1
    fit = luce(choices, level)
    names = {contrasts[0].observer: observers, "cue pairs": pairs}
    over = " and ".join(name for name, number in names.items() if number > 1)
    return Scale(groups, words, *fit, level, over or "none")


Cosines = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]


def difference_of_means(cosines_1: Cosines, cosines_2: Cosines) -> Floats:
    """Return the mean cosine to list 1 minus the mean cosine to list 2.

    Parameters
    ----------
    cosines_1, cosines_2 : ndarray, shapes (..., n1) and (..., n2)
        Cosines of words to the terms of each list.

    Returns
    -------
    ndarray, shape (...)
        Above 0: nearer to list 1, as a PSE above 1/2 is a bias for cue 1. A difference within
        single-precision rounding is 0: after hard debiasing all those to equalised pairs are.
    """
    means = (each.mean(axis=-1, dtype=float) for each in (cosines_1, cosines_2))
    return snapped(np.subtract(*means))


def effect_size(cosines_1: Cosines, cosines_2: Cosines, ddof: int = 0) -> Floats:
    """Compute WEFAT's effect size of each word.

    Parameters
    ----------
    cosines_1, cosines_2 : ndarray, shapes (..., n1) and (..., n2)
    ddof : int
        0 or 1: the source says "std-dev" only. All words share the factor between the two, so that
        no correlation depends on it.

    Returns
    -------
    ndarray, shape (...)
        In SDs, signed as `difference_of_means`; NaN if all cosines are equal.
    """
    both = np.concatenate([cosines_1, cosines_2], axis=-1)
    spread = both.std(axis=-1, ddof=ddof, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = difference_of_means(cosines_1, cosines_2) / spread
    return np.asarray(np.where(spread > SINGLE, size, np.nan))
