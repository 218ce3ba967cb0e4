r"""Placebo groups: what a gap would be between cues of one group, from the answers that are there.

Each cue c has a point of equality of its own, by one step of Newton's method from its group's
curve p:

.. math:: \mathrm{PSE}_c = \mathrm{PSE}_g
    - \frac{\sum_i w_i p'_i (\bar y_i - p_i)}{\sum_i w_i p'^2_i}, \qquad
    w_i = \frac{n_i}{p_i (1 - p_i)}.

Where the groups' names do not matter, cues are exchangeable: the gap is compared with those of all
ways to deal the cues to two groups of these sizes (Fisher 1935). Splits of one group's cues give
gaps that cannot be of the groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from biaslab.probes.decisions.result import DecisionsResult
from biaslab.probes.decisions.trials import Floats
from biaslab.records.record import Record

MOST_SPLITS: Final = 10_000
"""Ways to deal the cues up to which all are counted; of more, as many are drawn."""
FEWEST_CUES: Final = 2
"""Cues of a group below which nothing is compared."""
_NEAR: Final = 0.02
"""Closest that a curve comes to 0 or 1 in a weight, so that no answer outweighs all others."""


@dataclass(frozen=True)
class Placebo(Record):
    """A gap beside those that chance makes of the same cues.

    Attributes
    ----------
    gap : float
        Difference between the mean points of the groups' cues, in the case's unit.
    p_value : float
        Share of all ways to deal the cues to two groups whose gap is as large, this one included.
    splits : int
        How many ways were counted.
    within : float
        Gap that 95 % of the splits of one group's cues stay below, for as many cues as the groups
        have; NaN with fewer than four cues in both groups.
    """

    gap: float
    p_value: float
    splits: int
    within: float


def placebo(result: DecisionsResult, seed: int = 0) -> Placebo | None:
    """Compare the gap of the first two groups with those of cues that are dealt at random.

    None where there is no gap, of two candidates, and where a group has a single cue.
    """
    if result.reason or result.form != "yes or no":
        return None
    points = [cue_points(result, group) for group in range(2)]
    sizes = [len(own) for own in points]
    if min(sizes) < FEWEST_CUES:
        return None
    gap = float(points[1].mean() - points[0].mean())
    rng = np.random.default_rng(seed)
    dealt = np.array(list(_gaps(np.concatenate(points), sizes[0], rng)))
    as_large = np.abs(dealt) >= abs(gap) * (1 - 1e-9)
    is_drawn = math.comb(sum(sizes), sizes[0]) > MOST_SPLITS
    p_value = (as_large.sum() + is_drawn) / (len(dealt) + is_drawn)
    return Placebo(gap, float(p_value), len(dealt), _within(points, rng))


def cue_points(result: DecisionsResult, group: int, *, by_wording: bool = False) -> Floats:
    """Return the point of equality of each cue of a group, or of each (cue, wording).

    They stand in the order of cues and wordings; that of a group where nothing was answered.
    """
    answers = result.fit.answers
    rows = (answers.group == group) & (answers.n > 0)
    levels, n = answers.levels[rows], answers.n[rows]
    step = np.ptp(answers.levels) / 1000
    share, below, above = (
        result.fit.share_interval(levels + change, group, result.level)[0]
        for change in (0.0, -step, step)
    )
    share, slope = np.clip(share, _NEAR, 1 - _NEAR), (above - below) / (2 * step)
    weight = n / (share * (1 - share))
    cues, cell = np.unique(answers.cue[rows], return_inverse=True)
    wordings, wording = np.unique(answers.wording[rows], return_inverse=True)
    size = (len(cues), len(wordings)) if by_wording else (len(cues),)
    cell = cell * len(wordings) + wording if by_wording else cell
    count = math.prod(size)
    score = np.bincount(cell, weight * slope * (answers.yes[rows] / n - share), count)
    information = np.bincount(cell, weight * slope**2, count)
    shift = np.divide(score, information, out=np.zeros(count), where=information > 0)
    return np.asarray(result.sign * (result.fit.pse[group] - shift)).reshape(size)


def _gaps(points: Floats, first: int, rng: np.random.Generator) -> Iterator[float]:
    """Yield the gap of each way to deal points to a first group of this size and a second."""
    total, count = float(points.sum()), len(points)
    for chosen in _ways(count, first, rng):
        own = float(points[list(chosen)].sum())
        yield (total - own) / (count - first) - own / first


def _ways(count: int, first: int, rng: np.random.Generator) -> Iterator[Sequence[int]]:
    if math.comb(count, first) <= MOST_SPLITS:
        yield from combinations(range(count), first)
        return
    for _ in range(MOST_SPLITS):
        yield rng.permutation(count)[:first].tolist()


def _within(points: Sequence[Floats], rng: np.random.Generator) -> float:
    spread = math.sqrt(sum(1 / len(own) for own in points))
    gaps: list[float] = []
    for own in points:
        half = len(own) // 2
        if half < FEWEST_CUES:
            continue
        scale = spread / math.sqrt(1 / half + 1 / (len(own) - half))
        gaps += [abs(gap) * scale for gap in _gaps(own, half, rng)]
    return float(np.quantile(gaps, 0.95, method="higher")) if gaps else math.nan
