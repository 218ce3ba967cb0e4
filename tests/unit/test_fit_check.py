"""How well a curve describes the answers: size and power of the test, its bands, and its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import biaslab as bl
from biaslab.probes.psychometrics.fit_check import FitCheck, check_switch_points
from biaslab.probes.psychometrics.graded import graded_per_pair, graded_pooled
from biaslab.probes.psychometrics.perception import blurred_step
from biaslab.records.result import Result

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
ALPHAS = np.linspace(0, 1, 21)
MIDDLE = np.abs(ALPHAS - 0.5) < 0.15
SPREAD = 0.15


def _normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return 0.5 + SPREAD * rng.standard_normal(shape)


def _of_switches(points: np.ndarray, pairs_as: str = "fixed") -> FitCheck:
    k = points.shape[2]
    return check_switch_points(
        blurred_step(ALPHAS - points[..., None], 0.0),
        ALPHAS,
        points,
        0.0,
        "normal",
        0.95,
        pairs_as,  # type: ignore[arg-type]
        np.full(k, 1 / k),
    )


def _within(values: np.ndarray, half: np.ndarray) -> float:
    return float(np.mean(np.abs(values[:, MIDDLE]) <= half[:, MIDDLE]))


@pytest.mark.parametrize("b", [8, 32, 70])
def test_a_right_curve_of_switch_points_is_refused_at_most_as_often_as_stated(b: int) -> None:
    rng = np.random.default_rng(b)
    found = _of_switches(_normal(rng, (b, 800, 1)))
    assert np.mean(found.p_value < 0.05) < 0.06
    assert _within(found.residual, found.expected) == pytest.approx(0.95, abs=0.03)
    again = blurred_step(ALPHAS - _normal(rng, (b, 800, 1)), 0.0).mean(axis=0)
    assert _within(again - found.curve, found.predicted) == pytest.approx(0.95, abs=0.05)


def test_a_right_curve_over_sampled_pairs_is_seldom_refused() -> None:
    rng = np.random.default_rng(1)
    points = _normal(rng, (16, 300, 1)) + 0.1 * rng.standard_normal((1, 300, 6))
    assert np.mean(_of_switches(points, "resampled").p_value < 0.05) < 0.05
    # Without sampled pairs the curve is of these pairs, and so are the residuals.
    assert np.mean(_of_switches(points, "fixed").p_value < 0.05) < 0.06


@pytest.mark.parametrize(
    ("draw", "power"),
    [
        (lambda rng, shape: 0.5 + 0.2 * rng.choice([-1, 1], shape) + 0.03 * _normal(rng, shape), 1),
        (lambda rng, shape: 0.4 + 0.15 * rng.exponential(size=shape), 0.5),
    ],
)
def test_a_wrong_curve_of_switch_points_is_refused(draw: Draw, power: float) -> None:
    found = _of_switches(draw(np.random.default_rng(2), (32, 200, 1)))
    assert np.mean(~found.describes) >= power
    assert _within(found.residual, found.expected) < 0.7


def test_bands_of_graded_answers_hold_what_they_say() -> None:
    rng = np.random.default_rng(3)

    def drawn() -> np.ndarray:
        own = 0.55 + 0.1 * rng.standard_normal((16, 400, 1, 1))
        return np.asarray(special.ndtr((ALPHAS - own) / 0.2))

    found = graded_per_pair(drawn(), ALPHAS, "normal", "quartile", 0.95, "none")
    check = found.check.one((slice(None), 0))
    # Asymptotes would only slow this down.
    assert _within(check.residual, check.expected) == pytest.approx(0.95, abs=0.05)
    new = drawn().mean(axis=0)[:, 0]
    assert _within(new - check.curve, check.predicted) == pytest.approx(0.95, abs=0.02)
    # A new mean varies as this one does, and the curve besides.
    assert (check.predicted >= found.half[:, 0]).all()


def test_sampled_pairs_widen_the_predictive_band() -> None:
    rng = np.random.default_rng(4)
    own = 0.5 + 0.1 * rng.standard_normal((12, 1, 6)) + 0.1 * rng.standard_normal((1, 1, 6))
    answers = special.ndtr((ALPHAS - own[..., None]) / 0.2)
    weights = np.full(6, 1 / 6)
    sampled, fixed = (
        graded_pooled(answers, ALPHAS, "normal", "quartile", 0.95, kind, weights).check
        for kind in ("resampled", "fixed")
    )
    assert (sampled.predicted[:, MIDDLE] > fixed.predicted[:, MIDDLE]).all()


def test_the_block_that_an_item_is_in_does_not_matter() -> None:
    points = _normal(np.random.default_rng(5), (9, 130, 2))
    whole = _of_switches(points, "resampled")
    for i in (0, 64, 129):
        alone = _of_switches(points[:, [i]], "resampled")
        np.testing.assert_allclose(alone.expected[0], whole.expected[i], rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(alone.p_value[0], whole.p_value[i], rtol=1e-9)


def test_observers_that_answer_alike_leave_no_doubt() -> None:
    def wavy(_item, _one, _two, alpha, observer):  # type: ignore[no-untyped-def]
        return 0.1 + 0.4 * (alpha > 0.3) + 0.4 * (alpha > 0.7) + 0 * observer

    result = bl.two_afc(wavy, ["nurse"], ("she", "he"), observers=6)
    assert result.raw.kind == "own curves"
    assert result.fit_check is not None
    assert result.fit_check.p_value[0] == 0
    assert not result.describes[0]
    assert "Mean answers less the curve" in result.to_svg()
    assert "This curve does not describe these answers: it is" in result.caveat()
    one = bl.two_afc(wavy, ["nurse"], ("she", "he"))
    assert "too few observers" in one.caveat()
    assert one.describes[0]
    assert Result.from_json(result.to_json()) == result


def test_a_black_box_on_its_curve_is_described_by_it() -> None:
    observers = bl.observers.binomial(
        {"nurse": 0.7}, 0.05, observers=12, guess=0.05, lapse=0.02, seed=1
    )
    result = bl.two_afc(observers, ["nurse"], [("she", "he"), ("woman", "man")], observers=12)
    assert result.raw.own_answers.shape == (12, 1, 2, 21)
    assert result.describes.all()
    assert "describe" not in result.caveat()
    assert "less the curve" not in result.to_svg(item="nurse")
    steps = bl.two_afc(lambda i, a, b, alpha, o: 1.0 * (alpha > 0.4 + 0.02 * o), ["nurse"],
                       ("she", "he"), observers=5)  # fmt: skip
    assert steps.raw.own_answers is None
    assert steps.describes.all()


def test_the_table_of_estimates_has_the_misfit_of_every_curve() -> None:
    def misfits(result: Any) -> tuple[np.ndarray, np.ndarray]:
        frame, residuals = result.to_frame(), result.residuals()
        keys = ["item", "cue_1", "cue_2", "pooled"]
        expected = residuals.groupby(keys, sort=False)["residual"].agg(
            lambda each: np.sqrt(np.mean(each**2))
        )
        assert frame["misfit_p"].between(0, 1).all()
        return frame["misfit"].to_numpy(), expected.loc[[*zip(*(frame[k] for k in keys))]]  # noqa: B905

    words, pairs = ["nurse", "teacher"], [("she", "he"), ("woman", "man")]
    found, expected = misfits(bl.two_afc("wiki-bootstraps", words, pairs, levels=11))
    assert len(found) == 6
    np.testing.assert_allclose(found, expected)
    found, expected = misfits(bl.two_afc("wiki-bootstraps", words[:1], pairs[:1], levels=11))
    np.testing.assert_allclose(found, expected)
    empirical = bl.two_afc("wiki-bootstraps", ["nurse"], ("she", "he"), family="empirical")
    assert "misfit" not in empirical.to_frame()


def test_trials_have_the_misfit_of_their_curve() -> None:
    who = bl.observers.binomial({"nurse": 0.6}, 0.1, observers=4, seed=1)
    chooses = who.choosing(cues=[("she", "he")], seed=1)
    asked = bl.two_afc(chooses, ["nurse"], ("she", "he"), trials=20, observers=4)
    frame = asked.to_frame()
    assert asked.fit_check is not None
    np.testing.assert_allclose(frame["misfit"], asked.fit_check.misfit)
    np.testing.assert_allclose(frame["misfit_p"], asked.fit_check.p_value)


def test_the_table_of_residuals_adds_up() -> None:
    result = bl.two_afc(
        "wiki-bootstraps", ["nurse", "teacher"], [("she", "he"), ("woman", "man")], levels=11
    )
    frame = result.residuals()
    assert len(frame) == 2 * 11 * (2 + 1)
    assert frame["item"].tolist()[:22] == ["nurse"] * 22
    np.testing.assert_allclose(frame["mean"] - frame["curve"], frame["residual"], atol=1e-12)
    shown = frame[(frame["item"] == "nurse") & frame["pooled"]]
    assert shown["cue_1"].unique().tolist() == ["she / woman"]
    share, *_ = result.psi("nurse", result.stimuli)
    np.testing.assert_allclose(shown["curve"], share, atol=1e-12)
    np.testing.assert_allclose(
        shown["mean"], result.responses(item="nurse").mean(axis=(0, 1)), atol=1e-12
    )
    assert frame["predicted_low"].between(0, 1).all()
    empirical = bl.two_afc("wiki-bootstraps", ["nurse"], ("she", "he"), family="empirical")
    assert empirical.fit_check is None
    assert empirical.describes.all()
    with pytest.raises(ValueError, match="family='normal'"):
        empirical.residuals()


def test_one_embedding_has_residuals_and_no_p_value() -> None:
    alone = bl.two_afc("wiki-bootstraps", ["nurse"], ("she", "he"), replicates=1)
    assert alone.fit_check is not None
    assert np.isnan(alone.fit_check.p_value).all()
    assert np.isnan(alone.fit_check.predicted).all()
    assert alone.describes.all()
