"""Fits of the data sets that psignifit's MATLAB version was checked with, against its results.

psignifit describes a curve by its threshold, where F = 1/2, and its width, from F = 5 % to 95 %
(for its Weibull family both of log x), and reports the mode of a posterior. A lapse rate, and in
yes-no data a guess rate, is free with a Beta(1, 10) prior, which is our `rate_prior`; in 2AFC data
the guess rate is 1/2. Its priors of threshold and width are flat only within what the levels can
show: a threshold within the levels, a width from twice the smallest distance of levels to their
range. There its mode is our estimate; outside its prior pulls the mode back. A fifth parameter,
overdispersion, is 0 at all these modes, so that the model is ours.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

from biaslab.stats.intervals import interval
from biaslab.stats.psychometric import PsychometricFit, fit

FAMILY = {"norm": "normal", "logistic": "logistic", "Weibull": "weibull"}
NAMES = ["test1", "test_noblock", "test_YesNo_norm", "test_YesNo_logistic", "test_2AFC_Weibull"]
IN_FLAT_PRIOR = ["test1", "test_noblock", "test_YesNo_norm"]


@dataclass(frozen=True)
class Triple:
    """One data set with psignifit's options and results, and our fit of the same."""

    folder: Path
    name: str

    def _read(self, part: str) -> dict:
        return json.loads((self.folder / f"{self.name}_{part}.json").read_text())

    @cached_property
    def options(self) -> dict:
        return self._read("opt")

    @cached_property
    def results(self) -> dict:
        return self._read("res")

    @cached_property
    def fit(self) -> PsychometricFit:
        # The results hold the responses as psignifit pooled them, which matters only for the set
        # whose levels are all different.
        levels, correct, trials = np.array(self.results["data"], dtype=float).T
        return fit(
            levels,
            correct,
            trials,
            family=FAMILY[self.options["sigmoidName"]],
            guess=0.5 if self.options["expType"] == "2AFC" else "free",
            lapse="free",
            rate_prior=self.options["betaPrior"],
        )

    @property
    def threshold(self) -> float:
        return float(self.fit.sigmoid.to_axis(self.fit.pse()))

    @property
    def width(self) -> float:
        low, high = self.fit.sigmoid.ppf([0.05, 0.95])
        return float(self.fit.scale * (high - low))

    def interval(self, parameter: int, level: int) -> tuple[float, float]:
        """psignifit's interval of a parameter at 95, 90 or 68 %."""
        column = [95, 90, 68].index(level)
        lows, highs = self.results["conf_Intervals"][parameter]
        return float(lows[column]), float(highs[column])


@pytest.fixture
def triple(request, shared_data) -> Triple:
    return Triple(shared_data / "psychometrics", request.param)


def every(names):
    return pytest.mark.parametrize("triple", names, indirect=True)


@every(NAMES)
def test_pooled_responses_are_the_raw_ones(triple):
    raw = np.loadtxt(triple.folder / f"{triple.name}_data.csv", delimiter=",")
    assert raw[:, 1].sum() == triple.fit.correct.sum()
    assert raw[:, 2].sum() == triple.fit.trials.sum()


@every(IN_FLAT_PRIOR)
def test_where_its_priors_are_flat_the_estimates_are_the_same(triple):
    threshold, width, lapse, guess, overdispersion = triple.results["MAP"]
    assert overdispersion == pytest.approx(0, abs=1e-6)
    # psignifit's search stops within 0.2 % of the standard deviations (0.1 to 0.7) of the mode.
    assert triple.threshold == pytest.approx(threshold, abs=2e-3)
    assert triple.width == pytest.approx(width, abs=2e-3)
    assert triple.fit.lapse == pytest.approx(lapse, abs=1e-4)
    assert triple.fit.guess == pytest.approx(guess, abs=1e-4)
    assert triple.fit.deviance == pytest.approx(triple.results["deviance"], abs=1e-3)


@every(["test_YesNo_logistic", "test_2AFC_Weibull"])
def test_elsewhere_its_prior_pulls_the_width_towards_what_the_levels_can_show(triple):
    """Ours is the better fit of the responses, psignifit's width is nearer its flat range."""
    threshold, width, lapse, guess, _ = triple.results["MAP"]
    levels = triple.fit.sigmoid.to_axis(triple.fit.levels)
    narrow, wide = 2 * np.diff(levels).min(), np.ptp(levels)
    outside = max(narrow - triple.width, triple.width - wide)
    assert outside > 0
    assert max(narrow - width, width - wide) < outside
    assert triple.fit.deviance <= triple.results["deviance"] + 1e-9
    # All the same the curves hardly differ: by 2 % of the levels' range at the threshold, by 0.02
    # in the rates, and by less than 0.2 in deviance.
    assert triple.threshold == pytest.approx(threshold, abs=0.02 * wide)
    assert triple.fit.lapse == pytest.approx(lapse, abs=0.02)
    assert triple.fit.guess == pytest.approx(guess, abs=0.02)
    assert triple.fit.deviance == pytest.approx(triple.results["deviance"], abs=0.2)


@every(NAMES)
def test_estimates_lie_within_its_intervals(triple):
    low, high = triple.interval(0, 95)
    assert low < triple.threshold < high
    if triple.name in [*IN_FLAT_PRIOR, "test_YesNo_logistic"]:
        low, high = triple.interval(1, 95)
        assert low < triple.width < high


@every(NAMES)
def test_posterior_intervals_of_the_threshold_are_alike(triple):
    """The priors differ (ours is flat in the log scale), and the ends by a quarter of the width."""
    limits = interval(triple.fit, "pse", "posterior")
    low, high = triple.interval(0, 95)
    ours = triple.fit.sigmoid.to_axis([limits.low, limits.high])
    np.testing.assert_allclose(ours, [low, high], atol=0.25 * (high - low))
