"""Runs in an order: the slope's interval where the truth is known, ranks, steps, words."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import special

import biaslab as bl
from biaslab.errors import ArgumentError, NoRawFrameError, QueryError
from biaslab.probes.comparison import Trajectory, trajectory
from biaslab.records.result import Result
from biaslab.stats.trend import own_variances, rank_trend, slope

X, Y, A, B = ([f"{list_}{i}" for i in range(8)] for list_ in "xyab")
YEARS = (1990, 1995, 2000, 2010, 2015, 2020)


@cache
def runs(rate: float, k: int = 6, seed: int = 0, noise: float = 0.3) -> list[Any]:
    """WEATs of the same words in vectors whose association changes by a rate from run to run."""
    rng = np.random.default_rng(seed)
    sign = np.repeat([1, -1, 1, -1], 8)
    base = rng.normal(size=(32, 20))
    base[:, 0] = sign
    made = []
    for i in range(k):
        vectors = base + noise * rng.normal(size=base.shape)
        vectors[:16, 0] += rate * i * sign[:16]
        subject = bl.WordEmbedding([*X, *Y, *A, *B], vectors.astype(np.float32), name=f"run {i}")
        lists: Any = {"targets": {"X": X, "Y": Y}, "attributes": {"A": A, "B": B}}
        made.append(bl.weat(subject, **lists, resamples=200))
    return made


def simulated(
    rng: np.random.Generator, x: Any, rate: float, scatter: float, drift: float, words: int = 16
) -> tuple[bool, float]:
    """Return whether the interval includes 0, and the slope's error in half-widths.

    Words share their levels over the runs, drift at rates of their own and vary from run to run.
    """
    own = rng.normal(0, 1, (words, 1)) + (rate + rng.normal(0, drift, (words, 1))) * x
    table = own + rng.normal(0, 1, (words, len(x))) + rng.normal(0, scatter, len(x))
    between = (table[:, :, None] - table[:, None, :]).var(axis=0, ddof=1) / words
    widened = between * (special.stdtrit(words - 1, 0.975) / special.ndtri(0.975)) ** 2
    found, half = slope(x, table.mean(axis=0), widened, 0.95, paired=True)
    return abs(found) <= half, abs(found - rate) / half


@pytest.mark.validate
@pytest.mark.parametrize(
    ("k", "scatter", "drift"), [(4, 0.0, 0.0), (6, 0.0, 0.3), (6, 0.5, 0.0), (10, 0.2, 0.1)]
)
def test_the_slope_is_covered_and_no_trend_is_seldom_one(
    k: int, scatter: float, drift: float
) -> None:
    rng = np.random.default_rng(1)
    x = np.arange(k, dtype=float)
    n = 2000
    still = [simulated(rng, x, 0.0, scatter, drift)[0] for _ in range(n)]
    planted = [simulated(rng, x, 1.0, scatter, drift) for _ in range(n)]
    assert 1 - np.mean(still) <= 0.065  # nominal 0.05, standard error 0.005
    assert 0.93 <= np.mean([error <= 1 for _, error in planted]) <= 0.98  # 95.1 to 96.7 % measured
    assert np.mean([includes for includes, _ in planted]) < 0.05


def test_independent_runs_weigh_by_their_precision() -> None:
    """Coverage with independent errors of unlike sizes, beside the slope of equal weights."""
    rng = np.random.default_rng(2)
    x, sd = np.array([0.0, 1, 2, 4, 6, 7]), np.array([1.0, 3, 1, 1, 3, 1])
    variances = sd[:, None] ** 2 + sd**2
    np.fill_diagonal(variances, 0)
    np.testing.assert_allclose(own_variances(variances), sd**2)
    found = np.array(
        [slope(x, y, variances, 0.95, paired=False) for y in rng.normal(0, sd, (1500, 6))]
    )
    assert 0.93 <= (np.abs(found[:, 0]) <= found[:, 1]).mean() <= 0.97
    assert found[:, 0].std() < 0.9 * (np.sqrt((x - x.mean()) ** 2 @ sd**2) / x.var() / 6)


def test_ranks_are_those_of_every_order() -> None:
    taus = [rank_trend(np.array(order, dtype=float))[0] for order in itertools.permutations("1234")]
    for order in itertools.permutations(range(4)):
        tau, p = rank_trend(np.array(order, dtype=float))
        assert p == pytest.approx(np.mean(np.abs(taus) >= abs(tau) - 1e-9))


def test_a_planted_trend_is_found_and_told() -> None:
    found = trajectory(runs(0.3), YEARS, per="year")
    assert found.excludes_null
    assert found.paired
    assert found.of == "difference of means"
    assert found.headline.startswith("The difference of means rises by ")
    assert "per year from 1990 to 2020" in found.headline
    turned = trajectory(runs(0.3)[::-1], YEARS)
    assert turned.change == pytest.approx(-found.change)
    assert "falls" in turned.headline
    assert Result.from_json(found.to_json()) == found
    assert found.to_frame()["step"].iloc[1:].sum() == pytest.approx(found.change)
    for part in ("2010", "Each run less the one before", "difference of means"):
        assert part in found.to_svg()
    with pytest.raises(NoRawFrameError):
        found.raw_frame()


def test_labels_without_numbers_have_a_trend_by_ranks() -> None:
    found = trajectory(runs(0.3), ["a", "b", "c", "d", "e", "f"])
    assert not found.has_numbers
    assert found.excludes_null
    assert "rises with the order of the runs" in found.headline
    few = trajectory(runs(0.3, k=4), ["a", "b", "c", "d"], of="x1")
    assert "No clear trend in the association of “x1”" in few.headline
    assert "no p below 0.083" in few.caveat()


def test_a_jump_is_a_clear_step() -> None:
    made = [*runs(0.0, k=3, noise=0.05), *runs(0.0, k=4, seed=0, noise=0.05)]
    later = runs(2.0, k=2, noise=0.05)[1]
    found: Trajectory = trajectory([*made[:4], later], range(5))
    assert found.has_changed
    assert (found.step_p <= 0.05).tolist() == [False, False, False, True]
    assert "1 of 4 steps changes clearly: 3 to 4 by +" in found.summary()


def test_what_cannot_be_followed_is_told() -> None:
    made = runs(0.0, k=3)
    with pytest.raises(ArgumentError, match="bl\\.compare takes two"):
        trajectory(made[:2], [1, 2])
    with pytest.raises(ArgumentError, match="give one a run"):
        trajectory(made, [1, 2])
    with pytest.raises(ArgumentError, match="put the runs in order"):
        trajectory(made, [1990, 2010, 2000])
    for labels in (["a", "b", "b"], ["a", "", "c"]):
        with pytest.raises(ArgumentError, match="a label of its own"):
            trajectory(made, labels)
    with pytest.raises(ArgumentError, match="stands in runs twice"):
        trajectory([*made[:2], made[0]], [1, 2, 3])
    with pytest.raises(QueryError, match="They have: difference of means"):
        trajectory(made, [1, 2, 3], of="nurse")
    with pytest.raises(QueryError, match="different kinds"):
        trajectory([*made[:2], bl.association.weat_simulation()], [1, 2, 3])


@pytest.mark.validate
def test_trends_of_weats_are_covered() -> None:
    """Whole runs: words drawn anew each time, no trend and a planted one."""
    false, found = 0, 0
    for seed in range(150):
        false += trajectory(runs(0.0, k=5, seed=seed), range(5)).excludes_null
        found += trajectory(runs(0.3, k=5, seed=seed), range(5)).excludes_null
    assert false / 150 <= 0.09  # nominal 0.05, standard error 0.018
    assert found / 150 >= 0.8
