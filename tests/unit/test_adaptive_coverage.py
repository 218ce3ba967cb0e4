"""Intervals of adaptively placed trials hold the truth of simulated observers as often as said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from biaslab.stats.curves.adaptive import Placement

OBSERVERS = 300
QUARTILE = float(ndtri(0.75))


@pytest.mark.validate
@pytest.mark.parametrize(
    "options",
    [{"budget": 100}, {"width": 0.15, "budget": 300}, {"width": 0.15, "jnd_width": 0.1,
                                                       "budget": 300}],
    ids=["budget", "width of the PSE", "widths of both"],
)  # fmt: skip
def test_intervals_hold_the_truth(options: dict) -> None:
    rng = np.random.default_rng(4)
    pse = rng.uniform(0.2, 0.8, OBSERVERS)
    jnd = np.exp(rng.uniform(np.log(0.03), np.log(0.15), OBSERVERS))
    guess, lapse = rng.uniform(0, 0.1, (2, OBSERVERS))
    even = ndtri((0.5 - guess) / (1 - guess - lapse))
    placement = Placement(OBSERVERS, np.linspace(0, 1, 101), **options)
    while (rows := placement.active).size:
        levels = placement.next_levels()
        core = ndtr(((levels[:, 0] - pse[rows]) / jnd[rows]) * QUARTILE + even[rows])
        share = guess[rows] + (1 - guess[rows] - lapse[rows]) * core
        placement.update(rows, levels, (rng.random(len(rows)) < share)[:, None])
    found = placement.estimates()
    covered = {
        name: float(np.mean((interval[:, 0] <= truth) & (truth <= interval[:, 1])))
        for name, interval, truth in (
            ("PSE", found.pse_interval, pse),
            ("JND", found.jnd_interval, jnd),
        )
    }
    trials = int(np.median(placement.trials.sum(axis=1)))
    print(f"{options}: {covered}, {trials} trials")  # noqa: T201
    # 92 to 97 %, and two standard errors of 300 observers on either side.
    assert 0.89 <= covered["PSE"] <= 0.99
    assert 0.87 <= covered["JND"] <= 0.99
