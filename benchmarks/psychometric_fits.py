"""Psychometric fits per second.

`biaslab.stats.psychometric.fit` on 10,000 curves at once, tied to one core: yes-no answers at 9
levels, 40 trials each, from curves with guess and lapse rates of 2 % (of 0 in the first two
lines). The median of 5 runs counts. psignifit fits the first few of the same curves on the same
core by its own default, which estimates both rates (a posterior grid, with intervals); it is
installed for this comparison only. Our fits carry intervals by the curvature of the likelihood;
intervals by its profile, of all 10,000 at once as well, are timed apart.
"""

from __future__ import annotations

import statistics
import time
import warnings
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from benchmarks.findings import Figure, Findings
from benchmarks.timing import in_turns, take_one_core
from biaslab.stats.intervals import interval
from biaslab.stats.psychometric import PsychometricFit, fit

CURVES, LEVELS, TRIALS = 10_000, 9, 40
RATE = 0.02
ROUNDS = 5
GOAL = 10_000
INTERVALS_GOAL = 5_000
PSIGNIFIT_FITS, PSIGNIFIT_S = 5, 15.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """A model, and the true rates of the curves that it is fitted to."""

    name: str
    family: Literal["normal", "logistic"]
    rate: float
    guess: float | Literal["free"]


TASKS = (
    Task("normal", "normal", 0.0, 0.0),
    Task("logistic", "logistic", 0.0, 0.0),
    Task("normal, guess and lapse rate given", "normal", RATE, RATE),
    Task("logistic, guess and lapse rate given", "logistic", RATE, RATE),
    Task("normal, both rates estimated", "normal", RATE, "free"),
)


def responses(family: str, rate: float) -> tuple[Floats, Floats]:
    """Levels, and the number of yes answers of each curve: shapes (L,) and (C, L)."""
    rng = np.random.default_rng(3)
    levels = np.linspace(0, 1, LEVELS)
    z = (levels - rng.uniform(0.35, 0.65, (CURVES, 1))) / rng.uniform(0.08, 0.2, (CURVES, 1))
    share = ndtr(z) if family == "normal" else expit(1.7 * z)
    return levels, rng.binomial(TRIALS, rate + (1 - 2 * rate) * share).astype(float)


def fitted(task: Task, curves: int = CURVES) -> PsychometricFit:
    """Fit the first curves of a task."""
    levels, yes = responses(task.family, task.rate)
    return _fit(task, levels, yes[:curves])


def _fit(task: Task, levels: Floats, yes: Floats) -> PsychometricFit:
    return fit(levels, yes, TRIALS, family=task.family, guess=task.guess, lapse=task.guess)


def measure() -> Findings:
    """Time both, and check that they agree on what they fit."""
    take_one_core()
    data = {task: responses(task.family, task.rate) for task in TASKS}
    took = in_turns({t.name: partial(_fit, t, *data[t]) for t in TASKS}, ROUNDS)
    free = fitted(TASKS[-1])
    theirs = _psignifit(*data[TASKS[-1]], free.threshold(0.5))
    figures = [_line(task.name, CURVES / took[task.name], theirs) for task in TASKS]
    seconds = in_turns({"profile": partial(interval, free)}, ROUNDS)["profile"]
    return Findings(
        (*figures, _line("profile intervals of these", CURVES / seconds, theirs, INTERVALS_GOAL)),
        (
            (
                f"{float(free.converged.mean()):.1%} of the last curves settled. Their thresholds "
                f"and psignifit's differ by at most {theirs.apart:.4f} in the {theirs.fits} curves "
                "that both fitted (both with a Beta(1, 10) density on the rates; psignifit adds "
                "priors on threshold and width, and a fifth parameter)."
            ),
            (
                "With guesses or lapses the likelihood can have several maxima, so those fits "
                "start from four places each."
            ),
            (
                "psignifit does more per fit: a posterior in five dimensions. What is compared is "
                "how long a person waits."
            ),
        ),
    )


@dataclass(frozen=True)
class Theirs:
    """psignifit's median time per fit, the number of fits, the largest difference to ours."""

    seconds: float
    fits: int
    apart: float


def _line(name: str, rate: float, theirs: Theirs, goal: int = GOAL) -> Figure:
    return Figure(
        name,
        f"{rate:,.0f} fits/s",
        f"at least {goal:,}/s",
        rate >= goal,
        f"psignifit {theirs.seconds:.2g} s a fit",
        f"{rate * theirs.seconds:,.0f}x as fast",
    )


def _psignifit(levels: Floats, yes: Floats, ours: Floats) -> Theirs:
    """Fit the first curves, as many as the time allows."""
    from psignifit import psignifit

    taken: list[float] = []
    apart = 0.0
    for curve in range(PSIGNIFIT_FITS):
        if sum(taken) > PSIGNIFIT_S:
            break
        rows = np.column_stack([levels, yes[curve], np.full(LEVELS, TRIALS)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.perf_counter()
            fit_of_theirs = psignifit(rows, sigmoid="norm", experiment_type="yes/no", verbose=False)
            taken.append(time.perf_counter() - start)
        apart = max(apart, abs(fit_of_theirs.parameter_estimate["threshold"] - float(ours[curve])))
    return Theirs(statistics.median(taken), len(taken), apart)
