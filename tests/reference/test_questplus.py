"""Levels and posteriors against the Python package questplus (2023.1), step by step.

questplus is GPL: only this test, where it is installed, and a benchmark import it. What it chose
and estimated for two sequences of answers is recorded below and checked everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from biaslab.stats.curves.adaptive import Placement
from biaslab.stats.curves.grid import CurveGrid

LEVELS = np.linspace(0, 1, 21)
PSE = np.linspace(0.05, 0.95, 19)
SCALE = np.array([0.02, 0.05, 0.1, 0.2, 0.4])
GUESS = np.array([0.0, 0.05, 0.15])
LAPSE = np.array([0.01, 0.04, 0.1])


@dataclass(frozen=True)
class Recorded:
    """What questplus chose and estimated for a sequence of answers.

    Attributes
    ----------
    answers : str
        1 where the answer was yes.
    levels : str
        In hundredths.
    means : tuple
        Posterior means of PSE and scale after 1, 10, 20 and 40 answers.
    """

    answers: str
    levels: str
    means: tuple[tuple[float, float], ...]


OBSERVERS = {
    "first": Recorded(
        "1001011011001011011001001111010110111100",
        "50 30 40 55 45 55 40 35 55 45 30 35 45 35 45 45 35 45 35 30"
        " 30 45 35 45 45 25 50 45 35 45 45 40 50 35 45 45 35 30 30 30",
        (
            (0.32169841, 0.154),
            (0.40591189, 0.14032765),
            (0.3977177, 0.07253223),
            (0.3884445, 0.08724611),
        ),
    ),
    "second": Recorded(
        "0101001001011010011100011101100000000010",
        "50 70 60 70 60 70 75 65 75 80 80 85 85 55 85 60 75 85 85 75"
        " 60 65 75 85 65 85 75 85 75 45 45 40 40 0 40 70 0 0 65 45",
        (
            (0.68434571, 0.154),
            (0.72672988, 0.1707533),
            (0.72836602, 0.11863899),
            (0.7233743, 0.11256522),
        ),
    ),
}


def _ours(answers: str) -> tuple[list[float], np.ndarray]:
    """Levels, and posterior means of PSE and scale after each answer."""
    grid = CurveGrid.of_points(PSE, SCALE, GUESS, LAPSE)
    placement = Placement(1, LEVELS, grid=grid, entropy="joint")
    levels, means = [], []
    for answer in answers:
        level = placement.next_levels()
        placement.update([0], level, [[int(answer)]])
        shape = placement.posterior.by_shape()[0]
        levels.append(float(level[0, 0]))
        means.append((shape.sum(axis=1) @ PSE, shape.sum(axis=0) @ SCALE))
    return levels, np.array(means)


@pytest.mark.parametrize("name", OBSERVERS)
def test_against_its_recorded_choices(name: str) -> None:
    recorded = OBSERVERS[name]
    levels, means = _ours(recorded.answers)
    assert [round(100 * level) for level in levels] == list(map(int, recorded.levels.split()))
    np.testing.assert_allclose(means[[0, 9, 19, 39]], recorded.means, atol=1e-8)


@pytest.mark.parametrize("name", OBSERVERS)
def test_against_questplus_itself(name: str) -> None:
    questplus = pytest.importorskip("questplus", reason="questplus is installed for benchmarks")
    staircase = questplus.QuestPlus(
        stim_domain={"intensity": LEVELS},
        param_domain={"mean": PSE, "sd": SCALE, "lower_asymptote": GUESS, "lapse_rate": LAPSE},
        outcome_domain={"response": ["Yes", "No"]},
        func="norm_cdf",
        stim_scale="linear",
        stim_selection_method="min_entropy",
        param_estimation_method="mean",
    )
    answers = OBSERVERS[name].answers
    levels, means = _ours(answers)
    for answer, level, mean in zip(answers, levels, means, strict=True):
        stimulus = staircase.next_stim
        assert stimulus["intensity"] == level
        staircase.update(stim=stimulus, outcome={"response": "Yes" if answer == "1" else "No"})
        theirs = staircase.param_estimate
        np.testing.assert_allclose(mean, [theirs["mean"], theirs["sd"]], rtol=1e-9)
