"""Curves fitted to switch points: estimates against scipy, intervals by coverage."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from biaslab.stats.curves.replicates import fit_replicates, jnd_of
from biaslab.stats.curves.sigmoids import FAMILIES
from harness.heavy import stats

pytestmark = pytest.mark.numeric

TRUE = {
    "normal": lambda: stats.norm(0.6, 0.1),
    "logistic": lambda: stats.logistic(0.6, 0.06),
    "gumbel": lambda: stats.gumbel_l(0.6, 0.08),
    "weibull": lambda: stats.weibull_min(6.0, scale=0.6),
}
SIMULATIONS = 2000


def _draws(family: str, b: int, n: int, seed: int) -> np.ndarray:
    return TRUE[family]().rvs(size=(b, n), random_state=seed)


def test_infinite_switch_points_are_told_and_not_warned_of_in_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("biaslab.threads.cores._cores", lambda: 2)
    values = np.random.default_rng(0).random((8, 320_000), dtype=np.float32)
    values[:, ::1000] = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = fit_replicates(values)
    assert np.isnan(fit.location[::1000]).all()
    assert (fit.reason[::1000] != "").all()
    np.testing.assert_allclose(fit.location[1:1000], values[:, 1:1000].mean(axis=0), rtol=1e-5)


@pytest.mark.parametrize("family", ["logistic", "gumbel"])
def test_maximum_likelihood_agrees_with_scipy(family: str) -> None:
    values = _draws(family, 32, 5, 3)
    fit = fit_replicates(values, family)  # type: ignore[arg-type]
    reference = {"logistic": stats.logistic, "gumbel": stats.gumbel_l}[family]
    for column in range(5):
        location, scale = reference.fit(values[:, column])
        assert fit.location[column] == pytest.approx(location, abs=1e-4)
        assert fit.scale[column] == pytest.approx(scale, abs=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("b", [8, 32])
def test_intervals_cover_at_their_level(family: str, b: int) -> None:
    fit = fit_replicates(_draws(family, b, SIMULATIONS, 5), family)  # type: ignore[arg-type]
    another = _draws(family, 1, SIMULATIONS, 6)[0]
    median = TRUE[family]().median()
    for interval, truth in ((fit.pse_interval(), median), (fit.corpus_interval(), another)):
        covered = np.mean((interval[:, 0] <= truth) & (truth <= interval[:, 1]))
        assert abs(covered - 0.95) < 4 * np.sqrt(0.95 * 0.05 / SIMULATIONS)


@pytest.mark.parametrize("family", FAMILIES)
def test_jnd_conventions_are_what_they_say(family: str) -> None:
    fit = fit_replicates(_draws(family, 5000, 1, 7), family)  # type: ignore[arg-type]
    pse = fit.pse
    quartile, eq6, sd = (float(jnd_of(fit, c)[0]) for c in ("quartile", "eq6", "sd"))  # type: ignore[arg-type]
    assert float(fit.share(pse + quartile)[0]) == pytest.approx(0.75)
    change = fit.share(pse + eq6 / 2) - fit.share(pse - eq6 / 2)
    assert float(change[0]) == pytest.approx(0.5, abs=1e-6)
    assert sd == pytest.approx(TRUE[family]().std(), rel=0.05)


def test_a_single_replicate_is_a_step_without_intervals() -> None:
    fit = fit_replicates(np.array([[0.6]]))
    assert fit.pse[0] == 0.6
    assert fit.scale[0] == 0
    assert np.isnan(fit.corpus_interval()).all()


def test_a_curve_that_cannot_be_fitted_says_why() -> None:
    values = np.array([[0.5, -0.1, np.nan], [0.6, 0.2, 0.4]])
    fit = fit_replicates(values, "weibull")
    assert fit.reason[0] == ""
    assert "above 0" in fit.reason[1]
    assert "finite" in fit.reason[2]
    assert np.isnan(fit.pse[1:]).all()


@pytest.mark.parametrize("bad", [{"family": "probit"}, {"values": np.empty((0, 3))}])
def test_impossible_fits_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="curve"):
        fit_replicates(**{"values": np.ones((2, 1)), **bad})  # type: ignore[arg-type]
