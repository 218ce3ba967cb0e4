"""Coverage of 95 % intervals over portraits, in a two-alternative task over morphs.

Simulated: each portrait answers by a logistic curve around a PSE of its own; PSEs come from a
chosen distribution, anew in each of 2,000 studies (the median 0.35 to 0.65). The truth is the PSE
of the mean answer over endless portraits, and the JND of the curve fitted to it. Then portrait-clip
itself: 1,000 fresh portraits of an occupation are asked once, and 500 studies draw 30 of them each;
the truth is what all of them give. PSE and JND: their interval holds the truth. Lean: of models
without a bias, how often one is found, which should be 5 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from benchmarks.findings import HOLDS, Figure, Findings, coverage, judged
from biaslab.probes.psychometrics.graded import graded_per_pair
from biaslab.probes.psychometrics.graded_estimates import GradedEstimates

STUDIES, CENTRES, ENDLESS = 2_000, 20, 40_000
LEVEL = 0.95
POOL, DRAWN, OF_POOL, POOL_LEVELS = 1_000, 30, 500, 9
OCCUPATIONS = ("nurse", "electrician")
NOTES = (
    (
        "The goal holds for the usual case: 30 portraits that mostly switch between the ends. The"
        " interval of the PSE is found by testing each stimulus: where curves are too flat it has"
        " no end, and holds everything, which is counted beside it."
    ),
    (
        "The JND's interval is a jackknife on its logarithm, with degrees of freedom for a"
        " spread. Skewed PSEs make it too narrow: the JND is that of the normal curve which fits"
        " the mean answers best, in the truth as well. Few portraits do too; use ten or more."
    ),
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """Portraits, how their PSEs differ, and how steep their own curves are."""

    portraits: int
    spread: float
    noise: float
    levels: int = 13
    shape: Literal["normal", "skewed"] = "normal"
    goal: bool = False

    @property
    def name(self) -> str:
        """Words for the report."""
        return (
            f"{self.portraits} portraits, {self.levels} levels; PSEs {self.shape} with SD"
            f" {self.spread}, own noise {self.noise}"
        )


CASES = (
    Case(30, 0.12, 0.05, goal=True),
    Case(30, 0.08, 0.08, goal=True),
    Case(30, 0.12, 0.05, 21),
    Case(30, 0.12, 0.05, 5),
    Case(10, 0.12, 0.05),
    Case(5, 0.12, 0.05),
    Case(100, 0.12, 0.05),
    Case(30, 0.3, 0.05),
    Case(30, 0.12, 0.3),
    Case(30, 0.12, 0.05, shape="skewed"),
)


def measure() -> Findings:
    """Simulate every case, and draw studies from portrait-clip's answers."""
    figures = (*map(_line, CASES), *map(_of_clip, OCCUPATIONS))
    return Findings(figures, NOTES)


def _line(case: Case) -> Figure:
    pse, jnd, endless, lean = shares(case)
    leans = "" if np.isnan(lean) else f", lean {100 * lean:.1f} %"
    return Figure(
        case.name,
        f"PSE {100 * pse:.1f} %, JND {100 * jnd:.1f} %",
        *judged(HOLDS if case.goal else None, pse, jnd),
        f"without an end {100 * endless:.1f} %{leans}",
    )


def shares(case: Case) -> tuple[float, float, float, float]:
    """Shares: PSE held, JND held, intervals of the PSE without an end, leans where none is.

    The last is nan where PSEs are skewed: the PSE of the mean answer is not known beforehand then.
    """
    rng = np.random.default_rng([1, case.portraits, case.levels])
    alphas = np.linspace(0, 1, case.levels)
    each = STUDIES // CENTRES
    held = np.zeros(4)
    # Of PSEs around 0.5 in the mean there is no bias to find.
    for centre in np.linspace(0.35, 0.65, CENTRES):
        truth = _estimates(_answers(case, centre, (ENDLESS, 1), alphas, rng).mean(0)[None], alphas)
        estimates = _estimates(
            _answers(case, centre, (case.portraits, each), alphas, rng)[:, :, None], alphas
        )
        held[:3] += _shares(estimates, truth)
        even = _answers(case, 0.5, (case.portraits, each), alphas, rng)[:, :, None]
        if case.shape == "normal":
            held[3] += float((_estimates(even, alphas).lean != 0).mean())
    pse, jnd, endless, lean = (held / CENTRES).tolist()
    return pse, jnd, endless, lean if case.shape == "normal" else float("nan")


def _shares(estimates: GradedEstimates, truth: GradedEstimates) -> Floats:
    ends, jnd = estimates.corpus, estimates.jnd_interval
    at, width = float(truth.pse.ravel()[0]), float(truth.jnd.ravel()[0])
    return np.array(
        [coverage(ends, at), coverage(jnd, width), np.mean(np.isinf(ends).any(axis=-1))]
    )


def _answers(
    case: Case, centre: float, shape: tuple[int, int], alphas: Floats, rng: np.random.Generator
) -> Floats:
    """P(cue 2) of portraits in studies, shape (*shape, L)."""
    if case.shape == "normal":
        own = centre + case.spread * rng.standard_normal(shape)
    else:
        own = centre + case.spread * (rng.exponential(size=shape) - np.log(2))
    return np.asarray(expit((alphas - own[..., None]) / case.noise))


def _estimates(answers: Floats, alphas: Floats) -> GradedEstimates:
    """Estimates of answers (portraits, studies, 1, L), or (1, 1, L) of a mean."""
    shaped = answers if answers.ndim == 4 else answers[:, :, None]
    return graded_per_pair(shaped, alphas, "normal", "quartile", LEVEL)


def _of_clip(occupation: str) -> Figure:
    """Studies of an occupation as portrait-clip answers."""
    answers, alphas = pool_of(occupation)
    pse, jnd, truth = drawn_coverage(answers, alphas)
    return Figure(
        f"portrait-clip, {occupation}: {DRAWN} of {POOL:,} portraits, {POOL_LEVELS} levels",
        f"PSE {100 * pse:.1f} %, JND {100 * jnd:.1f} %",
        *judged(HOLDS, pse, jnd),
        f"the {POOL:,}: PSE {100 * truth.pse[0, 0]:.1f} %, JND {100 * truth.jnd[0, 0]:.1f} points",
    )


def pool_of(occupation: str) -> tuple[Floats, Floats]:
    """What portrait-clip answers about fresh portraits, shape (POOL, 1, 1, L)."""
    from biaslab.images import DrawnMorphs
    from biaslab.probes.psychometrics.morphed_model import MorphedModel
    from biaslab.subjects import load

    alphas = np.linspace(0, 1, POOL_LEVELS)
    morphs = DrawnMorphs([occupation], POOL, seed=777)
    model = MorphedModel(load("portrait-clip", kind="vlm", device="cpu"), morphs)
    return model.ask([occupation], [("woman", "man")], alphas).answers, alphas


def drawn_coverage(answers: Floats, alphas: Floats) -> tuple[float, float, GradedEstimates]:
    """Shares of studies drawn from a pool whose intervals hold what the pool gives; and that."""
    rng = np.random.default_rng(1)
    pool = answers[:, 0, 0]
    rows = np.stack([rng.choice(len(pool), DRAWN, replace=False) for _ in range(OF_POOL)], axis=1)
    estimates = _estimates(pool[rows][:, :, None], alphas)
    truth = _estimates(pool.mean(axis=0)[None, None], alphas)
    pse, jnd, _ = _shares(estimates, truth).tolist()
    return pse, jnd, truth
