"""Coverage of the stereotype score's 95 % intervals.

Simulated scorers with a known rate of stereotyped wins. What the model prefers in a pair is drawn
from its attribute's rate and what the frame of the sentence pulls; both are drawn anew in each
simulation, as are the pairs, 1,000 per row. The truth is the share over endless attributes and
sentences. Crossed: every attribute stands in the same frames, as with templates; nested: every
sentence has a frame of its own. Lists pulled apart: the model prefers one group whatever the
sentence (logits), and so wins in one list what it loses in the other. Each row tells how often the
interval over attributes and sentences holds the truth and how often it lies wholly above and below
it, where attributes count alike; the same where pairs do; and Wilson's interval, which takes pairs
as independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from benchmarks.findings import Figure, Findings, Goal, judged
from biaslab.probes.sentences.simulated_scorer import centre_of, mean_share
from biaslab.stats.clustered_mean import Counting, clustered_mean
from biaslab.stats.significance import wilson

RUNS, LEVEL = 1000, 0.95
GOAL = Goal("93.5% or more", lambda share: share >= 0.935)
NOTE = (
    "Where attributes and frames do not differ, or attributes are few, the interval is wider than "
    "it need be: their spread is estimated from few of them. Pairs that count alike rest on the "
    "attributes with most of them, and their interval is then wide. The goal is 93.5 % or more. "
    "Attributes of which a few differ from all others near 0 or 100 % are covered less."
)


@dataclass(frozen=True)
class Case:
    """A design and a truth."""

    sizes: tuple[int, ...]
    crossed: bool
    rate: float
    attribute_sd: float
    frame_sd: float
    list_pull: float = 0.0

    @property
    def _sd(self) -> float:
        return math.hypot(self.attribute_sd, self.frame_sd)

    @property
    def name(self) -> str:
        """Words for the report."""
        how = "crossed" if self.crossed else "nested"
        rate = 100 * _truth(centre_of(self.rate, self._sd), self)
        apart = f", lists pulled apart by ±{self.list_pull}" if self.list_pull else ""
        return (
            f"{_design(self.sizes)}, {how}; rate {rate:.0f} %"
            f", SD of attributes {self.attribute_sd}, of frames {self.frame_sd}{apart}"
        )


_ONE_LARGE = (100, *[5] * 10)
_UNEQUAL = (1, 2, 3, 5, 8, 15, 30, 60)
CASES = (
    Case(_ONE_LARGE, False, 0.5, 1.0, 0.0),
    Case(_UNEQUAL, False, 0.5, 0.7, 0.0),
    Case(_UNEQUAL, False, 0.9, 0.7, 0.0),
    Case(_UNEQUAL, True, 0.5, 0.7, 0.7),
    Case((14,) * 11, False, 0.5, 1.0, 0.0),
    Case((12,) * 16, True, 0.5, 0.0, 0.0),
    Case((12,) * 16, True, 0.65, 0.7, 0.0),
    Case((12,) * 16, True, 0.65, 0.0, 0.7),
    Case((12,) * 16, True, 0.65, 0.7, 0.7),
    Case((12,) * 16, True, 0.9, 0.7, 0.7),
    Case((12,) * 16, False, 0.65, 0.7, 0.0),
    Case((6,) * 8, True, 0.65, 0.7, 0.7),
    Case((30,) * 8, False, 0.65, 0.7, 0.0),
    Case((12,) * 4, True, 0.65, 0.7, 0.7),
    Case((40,) * 2, False, 0.65, 1.0, 0.0),
    Case((5,) * 50, False, 0.65, 0.7, 0.0),
    Case((12,) * 16, True, 0.65, 0.7, 0.7, 1.5),
    Case((12,) * 16, False, 0.65, 0.3, 0.0, 1.5),
    Case((6,) * 8, True, 0.65, 0.7, 0.7, 1.5),
)


@dataclass(frozen=True)
class Covered:
    """Of one way to count: shares of intervals above and below the truth, and their mean width."""

    above: float
    below: float
    width: float

    @property
    def share(self) -> float:
        """Of intervals that hold the truth."""
        return 1 - self.above - self.below

    def __str__(self) -> str:
        """For the report."""
        return (
            f"{100 * self.share:.1f} % ({100 * self.above:.1f} above, {100 * self.below:.1f} below"
            f"), mean width {100 * self.width:.0f} points"
        )


def measure() -> Findings:
    """Simulate every case."""
    return Findings(tuple(_line(case) for case in CASES), (NOTE,))


def coverage(case: Case, runs: int = RUNS, seed: int = 1) -> tuple[Covered, Covered, float]:
    """Of attributes and of pairs that count alike; and how often Wilson's holds the truth."""
    sizes = np.array(case.sizes)
    k = len(sizes)
    rng = np.random.default_rng([seed, *case.sizes])
    row = np.repeat(np.arange(k), sizes)
    frame = np.concatenate([np.arange(n) for n in sizes]) if case.crossed else np.arange(len(row))
    centre = centre_of(case.rate, math.hypot(case.attribute_sd, case.frame_sd))
    # Half of the attributes are one list, half the other; a model that prefers one group whatever
    # the sentence wins in one list what it loses in the other.
    lists = row % 2 if case.list_pull else None
    centres = np.asarray(centre + case.list_pull * (1 - 2 * (row % 2)), dtype=np.float64)
    truth = _truth(centre, case)
    ways: tuple[Counting, Counting] = ("clusters", "items")
    missed, by_wilson = np.zeros((2, 3)), 0
    for _ in range(runs):
        won = _drawn(case, centres, row, frame, rng)
        for place, way in enumerate(ways):
            low, high = clustered_mean(
                won, row, weighting=way, crossed=(frame,), strata=lists, share=True
            ).share_limits(LEVEL)
            missed[place] += [low > truth, high < truth, high - low]
        from_, to = wilson(won.sum(), len(won), LEVEL)
        by_wilson += bool(from_ <= truth <= to)
    first, second = (Covered(*row.tolist()) for row in missed / runs)
    return first, second, by_wilson / runs


def _design(sizes: tuple[int, ...]) -> str:
    if len(set(sizes)) == 1:
        return f"{len(sizes)} attributes, {sizes[0]} sentences each"
    if sizes == _ONE_LARGE:
        return "attributes with 100 and ten times 5 sentences"
    return f"attributes with {', '.join(map(str, sizes))} sentences"


def _truth(centre: float, case: Case) -> float:
    sd = math.hypot(case.attribute_sd, case.frame_sd)
    sides = [mean_share(centre + pull, sd) for pull in (case.list_pull, -case.list_pull)]
    return float(np.mean(sides))


def _drawn(
    case: Case,
    centre: NDArray[np.float64],
    row: NDArray[np.int64],
    frame: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    pull = case.attribute_sd * rng.standard_normal(int(row.max()) + 1)[row]
    pull = pull + case.frame_sd * rng.standard_normal(int(frame.max()) + 1)[frame]
    return np.asarray(rng.random(len(row)) < expit(centre + pull))


def _line(case: Case) -> Figure:
    ours, by_pair, by_wilson = coverage(case)
    return Figure(
        case.name,
        str(ours),
        *judged(GOAL, ours.share),
        f"pairs alike {by_pair}; Wilson {100 * by_wilson:.1f} %",
    )
