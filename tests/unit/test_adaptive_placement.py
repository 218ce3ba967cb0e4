"""Adaptive placement: information, batches, grids that follow the posterior, and when to stop."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from biaslab.errors import PsychometricError
from biaslab.stats.curves.adaptive import Entropy, Placement
from biaslab.stats.curves.grid import CurveGrid

Floats = NDArray[np.float64]
LEVELS = np.linspace(0, 1, 11)
POINTS = {
    "pse": np.linspace(0.1, 0.9, 9),
    "scale": np.array([0.03, 0.1, 0.3]),
    "guess": np.array([0.01, 0.1]),
    "lapse": np.array([0.02, 0.08, 0.2]),
}
GRID = CurveGrid.of_points(**POINTS)
ANSWERS = [(0.5, 1), (0.3, 0), (0.4, 1), (0.3, 1), (0.1, 0), (0.9, 1), (0.3, 0)]


def _expected_entropies(answers: list[tuple[float, int]], joint: bool) -> Floats:
    """Of the posterior after one more answer, at each level, term by term."""
    points = list(product(*POINTS.values()))

    def psi(x: float) -> Floats:
        return np.array([g + (1 - g - d) * ndtr((x - m) / s) for m, s, g, d in points])

    prior = np.ones(len(points)) / len(points)
    for x, answer in answers:
        prior *= psi(x) if answer else 1 - psi(x)
    prior /= prior.sum()
    shapes = [point[:2] for point in points]
    entropies = []
    for x in LEVELS:
        expected = 0.0
        for share in (psi(x), 1 - psi(x)):
            chance = float((prior * share).sum())
            after = prior * share / chance
            if not joint:
                after = np.array(
                    [sum(a for a, s in zip(after, shapes, strict=True) if s == shape)
                     for shape in dict.fromkeys(shapes)]
                )  # fmt: skip
            expected -= chance * float((after * np.log(after)).sum())
        entropies.append(expected)
    return np.array(entropies)


def _asked(placement: Placement, answers: list[tuple[float, int]], curve: int = 0) -> Placement:
    for level, answer in answers:
        placement.update([curve], [[level]], [[answer]])
    return placement


@pytest.mark.parametrize("entropy", ["joint", "marginal"])
def test_information_is_the_expected_loss_of_entropy(entropy: Entropy) -> None:
    placement = _asked(Placement(1, LEVELS, grid=GRID, entropy=entropy), ANSWERS)
    expected = _expected_entropies(ANSWERS, entropy == "joint")
    gained = placement.information()[0]
    np.testing.assert_allclose(gained - gained[0], expected[0] - expected, atol=1e-12)
    assert placement.next_levels()[0, 0] == LEVELS[np.argmin(expected)]


@pytest.mark.parametrize("entropy", ["joint", "marginal"])
def test_information_on_grids_that_follow(entropy: Entropy) -> None:
    """Against sums over all points of the grid, without the nodes that save them."""
    placement = _asked(Placement(1, LEVELS, entropy=entropy), ANSWERS)
    shares = placement.posterior.grid.share(LEVELS[None])[0]
    mass = placement.posterior.mass[0][..., None]
    chance = (mass * shares).sum(axis=(0, 1, 2))

    def h(p: Floats) -> Floats:
        return -(p * np.log(p) + (1 - p) * np.log1p(-p))

    if entropy == "joint":
        within = (mass * h(shares)).sum(axis=(0, 1, 2))
    else:
        shape = mass.sum(axis=2)
        within = (shape * h((mass * shares).sum(axis=2) / shape)).sum(axis=(0, 1))
    np.testing.assert_allclose(placement.information()[0], h(chance) - within, atol=2e-4)


def test_the_best_of_many_levels_is_found() -> None:
    """It is sought in two steps, and missed only where another is as good."""
    fine = np.linspace(0, 1, 101)
    rng = np.random.default_rng(3)
    placement = Placement(20, fine)
    pse = rng.uniform(0.1, 0.9, (20, 1))
    for _ in range(12):
        gained = placement.information()
        levels = placement.next_levels()
        found = np.take_along_axis(gained, np.rint(100 * levels).astype(int), axis=1)[:, 0]
        np.testing.assert_allclose(found, gained.max(axis=1), rtol=0.02)
        yes = rng.random(levels.shape) < ndtr((levels - pse) / 0.05)
        placement.update(np.arange(20), levels, yes)


@pytest.mark.parametrize("entropy", ["joint", "marginal"])
def test_curves_asked_together_are_asked_as_each_alone(entropy: Entropy) -> None:
    rng = np.random.default_rng(5)
    pse, scale = np.array([0.2, 0.5, 0.8]), np.array([0.05, 0.1, 0.3])
    together = Placement(3, LEVELS, entropy=entropy)
    alone = [Placement(1, LEVELS, entropy=entropy) for _ in pse]
    for _ in range(15):
        levels = together.next_levels(2)
        apart = np.concatenate([one.next_levels(2) for one in alone])
        np.testing.assert_array_equal(levels, apart)
        yes = rng.random(levels.shape) < ndtr((levels - pse[:, None]) / scale[:, None])
        together.update(np.arange(3), levels, yes)
        for i, one in enumerate(alone):
            one.update([0], levels[i : i + 1], yes[i : i + 1])
    np.testing.assert_allclose(
        together.estimates().pse, [one.estimates().pse[0] for one in alone], rtol=1e-9
    )


def _dense_intervals(placement: Placement, curve: int) -> tuple[Floats, Floats]:
    """2.5, 50 and 97.5 % of PSE and log scale, on a grid of many points."""
    n, k = (a[curve] for a in (placement.posterior.answers, placement.posterior.cue_2))
    low, high = placement.estimates([curve]).pse_interval[0]
    pse = np.linspace(max(4 * low - 3 * high, -0.5), min(4 * high - 3 * low, 1.5), 81)
    log_scale = np.log(0.01) + np.log(200) * (np.arange(48) + 0.5) / 48
    rate = 0.45 * (np.arange(14) + 0.5) / 14
    m, s, g, d = np.meshgrid(pse, np.exp(log_scale), rate, rate, indexing="ij", sparse=True)
    log_mass = np.zeros(np.broadcast_shapes(m.shape, s.shape, g.shape, d.shape))
    even = ndtri((0.5 - g) / (1 - g - d))
    for at in np.flatnonzero(n):
        share = g + (1 - g - d) * ndtr((LEVELS[at] - m) / s + even)
        log_mass += k[at] * np.log(share) + (n[at] - k[at]) * np.log1p(-share)
    mass = np.exp(log_mass - log_mass.max())

    def quantiles(values: Floats, weights: Floats) -> Floats:
        reached = np.cumsum(weights) - weights / 2
        return np.interp([0.025, 0.5, 0.975], reached / weights.sum(), values)

    return (
        quantiles(pse, mass.sum(axis=(1, 2, 3))),
        quantiles(log_scale, mass.sum(axis=(0, 2, 3))),
    )


def test_grids_follow_the_posterior() -> None:
    rng = np.random.default_rng(2)
    placement = Placement(2, LEVELS, rates="free", jnd="sd")
    pse, scale = np.array([0.32, 0.71]), np.array([0.12, 0.25])
    for _ in range(9):
        levels = np.tile(LEVELS, (2, 1))
        share = 0.03 + 0.92 * ndtr((levels - pse[:, None]) / scale[:, None])
        placement.update([0, 1], levels, rng.random(levels.shape) < share)
    found = placement.estimates()
    for curve in range(2):
        of_pse, of_log_scale = _dense_intervals(placement, curve)
        width = of_pse[2] - of_pse[0]
        ours = [found.pse_interval[curve, 0], found.pse[curve], found.pse_interval[curve, 1]]
        np.testing.assert_allclose(ours, of_pse, atol=0.03 * width)
        ours = np.log(np.r_[found.jnd_interval[curve, 0], found.jnd[curve],
                            found.jnd_interval[curve, 1]])  # fmt: skip
        width = of_log_scale[2] - of_log_scale[0]
        np.testing.assert_allclose(ours, of_log_scale, atol=0.03 * width)


def test_a_surprise_widens_a_grid_again() -> None:
    placement = Placement(1, LEVELS, rates="none")
    placement.update([0], [[0.2, 0.6]], [[0, 20]], n=20)
    _, high = placement.estimates().pse_interval[0]
    assert high < 0.6
    placement.update([0], [[0.6]], [[0]], n=200)
    assert placement.estimates().pse_interval[0, 0] > high
    same = Placement(1, LEVELS, rates="none")
    same.update([0], [[0.2, 0.6]], [[0, 20]], n=[[20, 220]])
    np.testing.assert_allclose(
        placement.estimates().pse_interval, same.estimates().pse_interval, atol=0.03
    )


@pytest.mark.parametrize("entropy", ["joint", "marginal"])
def test_the_first_of_a_batch_is_the_next_level_and_the_others_differ(entropy: Entropy) -> None:
    placement = Placement(1, LEVELS, entropy=entropy)
    batch = placement.next_levels(3)[0]
    assert batch[0] == placement.next_levels()[0, 0]
    assert len(set(batch.tolist())) == 3
    assert batch.min() < 0.5 < batch.max()


def test_the_second_of_a_batch_has_the_most_expected_information_given_both_answers() -> None:
    grid = CurveGrid.of_points(POINTS["pse"], POINTS["scale"], 0.02, 0.05)
    placement = _asked(Placement(1, LEVELS, grid=grid), ANSWERS)
    first, second = placement.next_levels(2)[0]
    share = placement.posterior.grid.share(np.array([[first]]))[..., 0]
    chance = float((placement.posterior.mass * share).sum())
    gains = []
    for answer in (1, 0):
        branch = _asked(Placement(1, LEVELS, grid=grid), ANSWERS)
        gains.append(_asked(branch, [(first, answer)]).information()[0])
    expected = chance * gains[0] + (1 - chance) * gains[1]
    assert second == LEVELS[np.argmax(expected)]


def test_trials_without_an_answer_use_up_the_budget_and_say_nothing() -> None:
    placement = Placement(1, LEVELS, budget=6)
    before = placement.estimates()
    asked = []
    for _ in range(6):
        level = placement.next_levels()
        asked.append(float(level[0, 0]))
        placement.update([0], level, cue_2=0, n=0, cannot_say=1)
    assert not placement.active.size
    assert len(set(asked)) > 2  # a level that was refused is not asked for ever
    np.testing.assert_array_equal(placement.estimates().pse_interval, before.pse_interval)
    assert placement.trials.sum() == 6


def test_a_curve_is_asked_until_its_intervals_are_narrow_or_the_budget_is_spent() -> None:
    rng = np.random.default_rng(8)
    pse, scale = np.array([0.4, 0.6]), np.array([0.02, 0.5])
    placement = Placement(2, LEVELS, width=0.2, budget=60)
    while (rows := placement.active).size:
        levels = placement.next_levels(1, rows)
        share = ndtr((levels - pse[rows, None]) / scale[rows, None])
        placement.update(rows, levels, rng.random(levels.shape) < share)
    assert placement.reached.tolist() == [True, False]
    found = placement.estimates()
    assert np.ptp(found.pse_interval[0]) <= 0.2 < np.ptp(found.pse_interval[1])
    used = placement.trials.sum(axis=1)
    assert used[0] < used[1] == 60
    assert placement.next_levels().shape == (0, 1)


def test_the_width_of_the_jnd_can_be_wanted_too() -> None:
    trials = []
    for jnd_width in (None, 0.08):
        rng = np.random.default_rng(1)
        placement = Placement(1, LEVELS, width=0.2, jnd_width=jnd_width, rates="none", budget=400)
        while placement.active.size:
            level = placement.next_levels()
            placement.update([0], level, rng.random((1, 1)) < ndtr((level - 0.5) / 0.15))
        trials.append(int(placement.trials.sum()))
    assert trials[0] < trials[1] < 400
    assert np.ptp(placement.estimates().jnd_interval[0]) <= 0.08


def test_swapping_the_cues_mirrors_levels_and_estimates() -> None:
    here = _asked(Placement(1, LEVELS), ANSWERS)
    there = _asked(Placement(1, LEVELS), [(1 - x, 1 - answer) for x, answer in ANSWERS])
    np.testing.assert_allclose(here.information(), there.information()[:, ::-1], atol=1e-9)
    np.testing.assert_allclose(here.estimates().pse, 1 - there.estimates().pse, atol=1e-9)
    np.testing.assert_allclose(here.estimates().jnd, there.estimates().jnd, rtol=1e-9)
    np.testing.assert_allclose(here.estimates().guess, there.estimates().lapse, rtol=1e-9)


def test_rates_that_are_held_equal_are_one_rate() -> None:
    placement = _asked(Placement(1, LEVELS, rates="equal"), ANSWERS)
    found = placement.estimates()
    assert found.guess == found.lapse
    assert found.pse == pytest.approx(
        _asked(Placement(1, LEVELS, rates="equal", pse="core"), ANSWERS).estimates().pse, abs=0.01
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"family": "weibull"}, "choose normal, logistic or gumbel"),
        ({"width": 0.0}, "width is 0.0"),
        ({"budget": 0}, "at least 1"),
        ({"rate_prior": 0.5}, "rate_prior is 0.5"),
    ],
)
def test_settings_out_of_range_are_refused(options: dict, says: str) -> None:
    with pytest.raises(PsychometricError, match=says):
        Placement(1, LEVELS, **options)


def test_answers_that_cannot_be_are_refused() -> None:
    placement = Placement(1, LEVELS)
    for level in (-0.1, 0.55, 1.1):
        with pytest.raises(PsychometricError, match="not among the levels"):
            placement.update([0], [[level]], [[1]])
    with pytest.raises(PsychometricError, match="no more for cue 2"):
        placement.update([0], [[0.5]], [[2]])
    with pytest.raises(PsychometricError, match="above 0"):
        CurveGrid.of_points([0.5], [0.0])
    with pytest.raises(PsychometricError, match="together below 1"):
        CurveGrid.of_points([0.5], [0.1], [0.5], [0.5])
