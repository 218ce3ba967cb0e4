"""Adaptive placement: time a step, and trials that it saves.

A step chooses the next level of every curve and takes in the answers (`Placement` in
`biaslab.stats.curves.adaptive`), tied to one core; the median of 20 steps after the 30th answer
counts.
questplus, which is installed for this comparison only, takes the same steps for one curve on the
same fixed grid of 19 PSEs, 5 scales and 3 x 3 rates.

Trials are counted until the 95 % interval of a simulated observer's PSE is as narrow as wanted,
with PSEs between 0.2 and 0.8, a guess rate of 2 % and a lapse rate of 5 %: placed among 101 levels,
or put at 21 fixed levels in random order, all equally often. The same posterior reads both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from benchmarks.findings import Figure, Findings
from benchmarks.timing import median_seconds, milliseconds, take_one_core
from biaslab.stats.curves.adaptive import Entropy, Placement
from biaslab.stats.curves.grid import CurveGrid

STEPS, BEFORE = 20, 30
GUESS, LAPSE = 0.02, 0.05
LEVELS = np.linspace(0, 1, 21)
FINE = np.linspace(0, 1, 101)
GRID = {
    "pse": np.linspace(0.05, 0.95, 19),
    "scale": np.array([0.02, 0.05, 0.1, 0.2, 0.4]),
    "guess": np.array([0.0, 0.05, 0.15]),
    "lapse": np.array([0.01, 0.04, 0.1]),
}
OBSERVERS, BUDGET = 40, 300
WIDTHS = (0.2, 0.1, 0.05)
_QUARTILE = float(ndtri(0.75))

Floats = NDArray[np.float64]


def measure() -> Findings:
    """Time steps, and count trials."""
    take_one_core()
    grid = CurveGrid.of_points(*GRID.values())
    theirs = _questplus()
    one = _step(Placement(1, LEVELS, grid=grid, entropy="joint"))
    figures = [
        Figure(
            "one curve on a fixed grid, a step of QUEST+",
            milliseconds(one),
            reference=f"questplus {milliseconds(theirs)}",
            ratio=f"{one / theirs:.2f}x",
        )
    ]
    names: dict[Entropy, str] = {"marginal": "psi-marginal", "joint": "QUEST+"}
    for curves in (8, 200):
        for entropy, name in names.items():
            took = _step(Placement(curves, FINE, entropy=entropy))
            what = f"{curves} curves on grids that follow them, a step of {name}"
            figures.append(Figure(what, milliseconds(took)))
    for jnd in (0.05, 0.15):
        placed, fixed = trials_needed(jnd, adaptive=True), trials_needed(jnd, adaptive=False)
        figures += [
            Figure(
                f"JND {jnd:g}: trials until the interval is at most {width:g} wide, median",
                _count(ours),
                reference=f"21 fixed levels {_count(other)}",
                ratio=f"{ours / other:.2f}x" if np.isfinite(other) else "",
            )
            for width, ours, other in zip(WIDTHS, placed, fixed, strict=True)
        ]
    return Findings(
        tuple(figures),
        (
            f"{OBSERVERS} observers; {BUDGET} trials at most.",
            "A posterior takes 150 kB a curve, and temporary arrays 32 MB each.",
        ),
    )


def _count(trials: float) -> str:
    return f"{trials:.0f}" if np.isfinite(trials) else f"more than {BUDGET}"


def _answers(rng: np.random.Generator, levels: Floats, pse: Floats, jnd: float) -> Any:
    even = ndtri((0.5 - GUESS) / (1 - GUESS - LAPSE))
    core = ndtr((levels - pse[:, None]) * _QUARTILE / jnd + even)
    return rng.random(levels.shape) < GUESS + (1 - GUESS - LAPSE) * core


def _step(placement: Placement) -> float:
    """Median seconds of a step of all curves."""
    rng = np.random.default_rng(1)
    rows = placement.active
    pse = rng.uniform(0.3, 0.7, len(rows))

    def step() -> None:
        levels = placement.next_levels()
        placement.update(rows, levels, _answers(rng, levels, pse, 0.1))

    return median_seconds(step, STEPS, BEFORE)


def _questplus() -> float:
    """Median seconds of a step of questplus."""
    import questplus

    staircase = questplus.QuestPlus(
        stim_domain={"intensity": LEVELS},
        param_domain={
            "mean": GRID["pse"],
            "sd": GRID["scale"],
            "lower_asymptote": GRID["guess"],
            "lapse_rate": GRID["lapse"],
        },
        outcome_domain={"response": ["Yes", "No"]},
        func="norm_cdf",
        stim_scale="linear",
    )
    rng = np.random.default_rng(1)

    def step() -> None:
        stimulus = staircase.next_stim
        level = np.array([[stimulus["intensity"]]])
        yes = bool(_answers(rng, level, np.array([0.5]), 0.1)[0, 0])
        staircase.update(stim=stimulus, outcome={"response": "Yes" if yes else "No"})

    return median_seconds(step, STEPS, BEFORE)


def trials_needed(jnd: float, *, adaptive: bool) -> list[float]:
    """Median number of trials until the interval of the PSE has each of the `WIDTHS`."""
    rng = np.random.default_rng(2)
    pse = rng.uniform(0.2, 0.8, OBSERVERS)
    levels = FINE if adaptive else LEVELS
    placement = Placement(OBSERVERS, levels, width=min(WIDTHS), budget=BUDGET)
    needed = np.full((len(WIDTHS), OBSERVERS), np.inf)
    order = np.empty((OBSERVERS, len(levels)), dtype=np.intp)
    for trial in range(BUDGET):
        rows = placement.active
        if not rows.size:
            break
        if adaptive:
            at = placement.next_levels()
        else:
            if trial % len(levels) == 0:
                order = rng.permuted(np.tile(np.arange(len(levels)), (OBSERVERS, 1)), axis=1)
            at = levels[order[rows, trial % len(levels)]][:, None]
        placement.update(rows, at, _answers(rng, at, pse[rows], jnd))
        width = np.ptp(placement.estimates(rows).pse_interval, axis=1)
        for i, wanted in enumerate(WIDTHS):
            now = rows[width <= wanted]
            needed[i, now] = np.minimum(needed[i, now], trial + 1)
    return [float(np.median(each)) for each in needed]
