"""The Bayesian observer: closed form against integration, and its limits."""

from __future__ import annotations

import numpy as np
import pytest

from biaslab.probes.psychometrics import Perception, share_by_integration

ALPHAS = np.linspace(0.2, 0.9, 8)


def _normal(x: np.ndarray, mean: np.ndarray | float, sd: float) -> np.ndarray:
    """Its density."""
    return np.asarray(np.exp(-(((x - mean) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi)))


@pytest.mark.parametrize("decision", ["maximise", "sample"])
@pytest.mark.parametrize("prior_sd", [0.08, 0.3, 5.0])
def test_closed_form_equals_integration(decision: str, prior_sd: float) -> None:
    observer = Perception(0.1, prior_mean=0.45, prior_sd=prior_sd, decision=decision)  # type: ignore[arg-type]
    by_integration = share_by_integration(
        ALPHAS,
        0.57,
        noise_density=lambda percept, alpha: _normal(percept, alpha, 0.1),
        prior_density=lambda alpha: _normal(alpha, 0.45, prior_sd),
        decision=decision,  # type: ignore[arg-type]
    )
    np.testing.assert_allclose(observer.share(ALPHAS, 0.57), by_integration, atol=4e-3)


def test_without_noise_the_observer_is_a_step_that_answers_cue_2_at_the_switch() -> None:
    np.testing.assert_array_equal(Perception().share([0.5, 0.6, 0.7], 0.6), [0, 1, 1])


def test_a_flat_prior_leaves_the_switch_point_and_the_stated_noise() -> None:
    observer = Perception(0.1)
    assert observer.balance(0.7) == 0.7
    assert observer.curve_sd == 0.1
    assert Perception(0.1, decision="sample").curve_sd == pytest.approx(0.1 * np.sqrt(2))


def test_a_prior_on_neutral_moves_the_balance_away_from_it() -> None:
    assert Perception(0.1, prior_sd=0.1).balance(0.6) == pytest.approx(0.7)


@pytest.mark.parametrize(
    "bad", [{"noise": -0.1}, {"noise": float("nan")}, {"prior_sd": 0.0}, {"decision": "guess"}]
)
def test_impossible_observers_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        Perception(**bad)  # type: ignore[arg-type]
