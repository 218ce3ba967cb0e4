"""Residuals of a hierarchical model: what fitting takes, right curves and wrong ones."""

from __future__ import annotations

import numpy as np
import pytest

from biaslab.stats.mixed.fitted_curves import level_residuals
from biaslab.stats.mixed.hierarchical import fit_hierarchical
from biaslab.stats.mixed.laplace import Settings
from biaslab.stats.mixed.restricted_likelihood import RestrictedLikelihood
from unit.test_hierarchical import simulated


@pytest.mark.parametrize(
    ("rate", "one_rate", "taken"), [(0.0, False, 3), (0.05, True, 4), (0.05, False, 5)]
)
def test_a_parameter_takes_one_degree_of_freedom(rate: float, one_rate: bool, taken: int) -> None:
    """Standardised variances of residuals add up to the number of rows less parameters."""
    data = simulated(3, observers=1, levels=7, trials=200, sd=0.3, guess=rate, lapse=rate)
    search = RestrictedLikelihood.of(data, "normal", "none", "random")
    settings = Settings((), guess=rate, lapse=rate)
    mode = search.model.mode(settings, np.array([3.0, 0.0, 0.0]))
    rows = np.arange(len(data.levels), dtype=float)
    found = level_residuals(
        search.model, search.likelihood, mode, settings, rows, one_rate=one_rate
    )
    p, _ = search.likelihood.share(search.model.predictor(mode.x, settings)[0], settings)
    left = np.diag(found.covariance) / (p * (1 - p) / data.trials)
    assert left.sum() == pytest.approx(len(rows) - taken, abs=1e-3)


def test_residuals_are_those_of_the_mean_answers() -> None:
    data = simulated(4)
    found = fit_hierarchical(data, rates="free").residuals()
    np.testing.assert_allclose(found.levels, np.linspace(0, 1, 11))
    np.testing.assert_allclose(found.weight, 1 / 11)
    hits = [data.hits[data.levels == level].sum() for level in found.levels]
    np.testing.assert_allclose(found.mean, np.array(hits) / 120)
    # New observers scatter more than the residuals of those that the curve was fitted to.
    assert (found.predicted >= np.diag(found.covariance)).all()


def test_a_right_curve_is_seldom_called_wrong() -> None:
    p = [
        fit_hierarchical(simulated(seed, observers=6, levels=7, trials=6)).residuals().p_value
        for seed in range(30)
    ]
    assert np.mean(np.array(p) < 0.05) <= 0.2
    assert 0.2 < np.median(p) < 0.9


def test_a_wrong_curve_is_found() -> None:
    data = simulated(5, trials=20, guess=0.1, lapse=0.1)
    wrong = fit_hierarchical(data, rates="none").residuals()
    right = fit_hierarchical(data, rates="free").residuals()
    assert wrong.p_value < 0.001
    assert wrong.misfit > 0.03 > right.misfit
    assert right.p_value > 0.01


@pytest.mark.validate
@pytest.mark.parametrize("trials", [2, 10])
@pytest.mark.parametrize("observers", [3, 12])
def test_as_many_right_curves_are_refused_as_said(observers: int, trials: int) -> None:
    p = np.array([
        fit_hierarchical(simulated(seed, observers=observers, trials=trials), rates="free")
        .residuals().p_value
        for seed in range(200)
    ])  # fmt: skip
    print(f"{observers} observers, {trials} trials: {np.mean(p < 0.05):.3f}")  # noqa: T201
    assert np.mean(p < 0.05) < 0.1
