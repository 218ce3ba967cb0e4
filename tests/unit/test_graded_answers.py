"""PSE and JND of graded answers: coverage of their intervals, edges, and black boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import biaslab as bl
from biaslab.probes.psychometrics.graded import (
    FLAT,
    TWICE,
    graded_per_pair,
    graded_pooled,
    switch_points_of_answers,
)
from biaslab.records.result import Result
from harness.heavy import optimize

ALPHAS = np.linspace(0, 1, 21)
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(81)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def _logistic(z: np.ndarray, noise: float = 0.15) -> np.ndarray:  # type: ignore[type-arg]
    return np.asarray(special.expit(z / noise))


def _truth(pse: float, spread: float) -> tuple[float, float]:
    """PSE and quartile JND of the mean over observers whose own PSEs are normal around ``pse``."""

    def mean(alpha: float) -> float:
        return float(_logistic(alpha - pse - spread * NODES) @ WEIGHTS)

    at = [optimize.brentq(lambda a, p=p: mean(a) - p, -3, 4) for p in (0.5, 0.75)]
    return at[0], at[1] - at[0]


def _drawn(pse: float, spread: float, shape: tuple[int, int, int], seed: int) -> np.ndarray:  # type: ignore[type-arg]
    own = pse + spread * np.random.default_rng(seed).standard_normal(shape)
    return _logistic(ALPHAS - own[..., None])


@pytest.mark.parametrize("observers", [8, 20])
def test_intervals_over_observers_cover_the_truth(observers: int) -> None:
    simulations = 1000
    answers = _drawn(0.62, 0.2, (observers, simulations, 1), seed=1)
    found = graded_per_pair(answers, ALPHAS, "normal", "quartile", 0.95)
    pse, jnd = _truth(0.62, 0.2)
    low, high = found.corpus[:, 0].T
    assert np.mean((low <= pse) & (pse <= high)) == pytest.approx(0.95, abs=0.02)
    low, high = found.jnd_interval[:, 0].T
    known = np.isfinite(low)
    assert known.mean() > 0.99
    # The jackknife needs more than a few observers: measured 86 % with 8, and 92 % with 20.
    covered = np.mean((low <= jnd) & (jnd <= high))
    assert covered > {8: 0.84, 20: 0.9}[observers]
    neutral = float(_logistic(0.5 - 0.62 - 0.2 * NODES) @ WEIGHTS)
    low, high = found.neutral_interval[:, 0].T
    assert np.mean((low <= neutral) & (neutral <= high)) == pytest.approx(0.95, abs=0.025)


def test_no_bias_is_called_one_as_often_as_stated() -> None:
    # The lean is that of the answers to the even blend: few stimuli and no rates do.
    answers = _drawn(0.5, 0.25, (20, 2000, 1), seed=2)[..., ::5]
    found = graded_per_pair(answers, ALPHAS[::5], "normal", "quartile", 0.95, "none")
    assert np.mean(found.lean != 0) == pytest.approx(0.05, abs=0.016)
    np.testing.assert_array_equal(found.lean != 0, found.p_value < 0.05)


def test_pooled_intervals_cover_when_cue_pairs_vary_too() -> None:
    rng = np.random.default_rng(3)
    b, n, k = 20, 600, 8
    own = (
        0.55
        + 0.1 * rng.standard_normal((b, n, 1))
        + 0.15 * rng.standard_normal((1, n, k))
        + 0.1 * rng.standard_normal((b, n, k))
    )
    answers = _logistic(ALPHAS - own[..., None])
    weights = np.full(k, 1 / k)
    # The interval of the PSE inverts the mean answers: the curve's rates play no part.
    options: Any = {"weights": weights, "rates": "none"}
    found = graded_pooled(answers, ALPHAS, "normal", "quartile", 0.95, "resampled", **options)
    pse, _ = _truth(0.55, float(np.sqrt(0.1**2 + 0.15**2 + 0.1**2)))
    low, high = found.corpus.T
    assert np.mean((low <= pse) & (pse <= high)) == pytest.approx(0.95, abs=0.03)
    fixed = graded_pooled(answers, ALPHAS, "normal", "quartile", 0.95, "fixed", **options)
    assert (np.diff(fixed.corpus) < np.diff(found.corpus)).mean() > 0.95


@pytest.mark.parametrize("family", ["normal", "logistic", "gumbel", "weibull"])
def test_every_family_goes_through_the_crossing(family: str) -> None:
    answers = _drawn(0.6, 0.1, (12, 3, 2), seed=4)
    found = graded_per_pair(answers, ALPHAS, family, "quartile", 0.95)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.curves.pse, found.pse, atol=1e-9)
    np.testing.assert_allclose(found.curves.share(found.pse), 0.5, atol=1e-9)
    assert ((found.corpus[..., 0] < found.pse) & (found.pse < found.corpus[..., 1])).all()


@settings(max_examples=12)
@given(
    st.lists(st.floats(-0.4, 0.4), min_size=3, max_size=9),
    st.floats(0.2, 0.8),
    st.floats(0.03, 0.4),
)
def test_swapping_the_cues_mirrors_everything(
    leanings: list[float], pse: float, noise: float
) -> None:
    own = np.array(leanings)[:, None, None] + pse
    answers = _logistic(ALPHAS - own[..., None], noise)
    there = graded_per_pair(answers, ALPHAS, "normal", "quartile", 0.95)
    back = graded_per_pair(1 - answers[..., ::-1], ALPHAS, "normal", "quartile", 0.95)
    np.testing.assert_allclose(back.pse, 1 - there.pse, atol=1e-6)
    np.testing.assert_allclose(back.jnd, there.jnd, rtol=1e-3)
    np.testing.assert_allclose(back.neutral, 1 - there.neutral, atol=1e-9)
    np.testing.assert_allclose(back.slope, there.slope, atol=1e-9)
    assert (back.lean == -there.lean).all()
    assert (back.without_switch == there.without_switch).all()


def test_switch_points_by_hand() -> None:
    alphas = np.array([0.0, 0.5, 1.0])
    curves = np.array(
        [
            [0.1, 0.5, 0.9],
            [0.2, 0.2, 0.8],
            [0.6, 0.7, 0.9],
            [0.1, 0.2, 0.4],
            [0.9, 0.5, 0.1],
            [0.2, 0.8, 0.3],
            [0.0, 0.0, 1.0],
        ]
    )
    found = switch_points_of_answers(curves, alphas)
    np.testing.assert_allclose(
        found, [0.5, 0.75, -np.inf, np.inf, np.nan, np.nan, 0.75], atol=1e-12
    )


def test_flat_falling_and_wavy_answers_have_no_pse_and_a_reason() -> None:
    rise = np.linspace(0, 1, 21)
    curves = np.stack([np.full(21, 0.7), 0.9 - 0.8 * rise, 0.5 + 0.3 * np.sin(9 * (rise - 0.1))])
    answers = np.broadcast_to(curves[None, :, None, :], (5, 3, 1, 21)) + np.zeros((5, 1, 1, 1))
    found = graded_per_pair(answers, ALPHAS, "normal", "quartile", 0.95)
    assert np.isnan(found.pse).all()
    assert found.curves.fit.reason[:, 0].tolist() == [FLAT, FLAT, TWICE]
    assert found.neutral[:, 0] == pytest.approx(curves[:, 10])
    assert found.slope[:, 0] == pytest.approx(curves[:, -1] - curves[:, 0])


def test_a_flat_curve_has_an_interval_without_an_end() -> None:
    rng = np.random.default_rng(5)
    heights = 0.5 + 0.1 * rng.standard_normal(20)
    answers = (heights[:, None] + 0.05 * (ALPHAS - 0.5))[:, None, None, :]
    found = graded_per_pair(answers, ALPHAS, "normal", "quartile", 0.95)
    assert np.isinf(found.corpus[0, 0]).all()
    assert found.lean[0, 0] == 0


def _between_asymptotes(guess: float, lapse: float, observers: int = 12) -> np.ndarray:  # type: ignore[type-arg]
    """Answers whose mean is a normal curve with PSE of F 0.6 and JND 0.1 between asymptotes."""
    own = 0.6 + 0.05 * special.ndtri((np.arange(observers) + 0.5) / observers)
    core = special.ndtr((ALPHAS - own[:, None]) / 0.14)
    return (guess + (1 - guess - lapse) * core)[:, None, None, :]


@pytest.mark.parametrize(("guess", "lapse"), [(0.0, 0.0), (0.05, 0.05), (0.2, 0.1), (0.0, 0.3)])
def test_guess_and_lapse_rates_are_found_and_do_not_widen_the_jnd(
    guess: float, lapse: float
) -> None:
    plain = graded_per_pair(_between_asymptotes(0, 0), ALPHAS, "normal", "quartile", 0.95)
    found = graded_per_pair(_between_asymptotes(guess, lapse), ALPHAS, "normal", "quartile", 0.95)
    assert found.guess[0, 0] == pytest.approx(guess, abs=0.01)
    assert found.lapse[0, 0] == pytest.approx(lapse, abs=0.01)
    assert found.jnd[0, 0] == pytest.approx(plain.jnd[0, 0], abs=0.005)
    # The PSE is where the answers are even, which the asymptotes move (eq. 5).
    core = (0.5 - guess) / (1 - guess - lapse)
    moved = 0.6 + plain.jnd[0, 0] / 0.6745 * special.ndtri(core)
    assert found.pse[0, 0] == pytest.approx(moved, abs=0.01)
    share, _, _ = found.band((0, 0), found.pse[0, 0])
    assert share == pytest.approx(0.5, abs=1e-9)
    assert found.check.describes.all()


def test_a_curve_without_asymptotes_does_not_describe_answers_that_have_them() -> None:
    rng = np.random.default_rng(4)
    answers = _between_asymptotes(0.15, 0.15, 20) + 0.01 * rng.standard_normal((20, 1, 1, 1))
    found = graded_per_pair(answers, ALPHAS, "normal", "quartile", 0.95, "none")
    assert found.check.misfit[0, 0] > 0.02
    assert found.check.p_value[0, 0] < 0.01
    assert not found.check.describes[0, 0]
    assert found.jnd[0, 0] > 0.15
    assert (found.guess == 0).all()


def test_the_misfit_of_a_right_curve_is_significant_at_most_as_often_as_stated() -> None:
    rng = np.random.default_rng(9)
    own = 0.5 + 0.1 * rng.standard_normal((20, 400, 1, 1))
    answers = 0.1 + 0.8 * special.ndtr((ALPHAS - own) / 0.1)
    found = graded_per_pair(answers, ALPHAS, "normal", "quartile", 0.95)
    assert np.mean(found.check.p_value < 0.05) < 0.07


def test_few_stimuli_cannot_tell_an_asymptote() -> None:
    answers = _between_asymptotes(0.2, 0.1)[..., ::5]
    found = graded_per_pair(answers, ALPHAS[::5], "normal", "quartile", 0.95)
    assert (found.guess == 0).all()
    assert (found.lapse == 0).all()


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.05])
def test_lapses_of_a_black_box_move_neither_pse_nor_jnd(rate: float) -> None:
    observers = bl.observers.binomial(
        {"nurse": 0.7}, 0.05, observers=12, guess=rate, lapse=rate, seed=1
    )
    found = bl.two_afc(observers, ["nurse"], ("she", "he"), observers=12)
    assert found.pse[0] == pytest.approx(0.7, abs=0.001)
    assert found.jnd[0] == pytest.approx(0.05, abs=0.001)
    ends = found.responses([-1.0, 0.7, 2.0], "nurse")
    np.testing.assert_allclose(ends.reshape(12, 3), [[rate, 0.5, 1 - rate]] * 12, atol=0.001)
    share, *_ = found.psi("nurse", [0.0, 1.0])
    assert share == pytest.approx([rate, 1 - rate], abs=0.002)
    paper = bl.two_afc(observers, ["nurse"], ("she", "he"), observers=12, lapses="none")
    assert (paper.jnd[0] > 0.1) == (rate > 0)


def test_rates_that_are_none_of_those_are_refused() -> None:
    with pytest.raises(ValueError, match="free, equal, none"):
        bl.two_afc("wiki-bootstraps", ["nurse"], ("she", "he"), lapses="some")  # type: ignore[arg-type]


def test_one_observer_has_a_pse_and_no_interval() -> None:
    found = graded_per_pair(_drawn(0.6, 0.0, (1, 1, 1), 6), ALPHAS, "normal", "quartile", 0.95)
    assert found.pse[0, 0] == pytest.approx(0.6, abs=1e-9)
    assert np.isnan(found.corpus).all()
    assert np.isnan(found.p_value).all()
    assert found.lean[0, 0] == 0


def test_a_black_box_that_seldom_switches_gets_an_answer_from_its_mean() -> None:
    """Before, one observer without a switch point left nothing of the others."""
    own = np.array([0.3, 0.5, 0.55, 0.6, 2.5])

    def subject(_item, _one, _two, alpha, observer):  # type: ignore[no-untyped-def]
        return 0.02 + 0.96 * (alpha >= own[observer])

    def sometimes_flat(item, one, two, alpha, observer):  # type: ignore[no-untyped-def]
        return np.where(own[observer] > 1, 0.3, subject(item, one, two, alpha, observer))

    result = bl.two_afc(sometimes_flat, ["nurse"], ("she", "he"), observers=5, levels=41)
    assert result.raw.kind == "graded"
    assert result.pooled.without_switch[0] == 1
    assert 0.5 < result.pse[0] < 0.62
    assert "no switch point" in " ".join(result.notes)
    assert Result.from_json(result.to_json()) == result


def test_stills_and_headlines_of_graded_answers_say_what_there_is() -> None:
    def flat(_item, _one, _two, alpha, observer):  # type: ignore[no-untyped-def]
        return 0.6 + 0.01 * observer + 0 * alpha

    def rising(_item, _one, _two, alpha, observer):  # type: ignore[no-untyped-def]
        own = _logistic(alpha - 0.5 - 0.1 * observer)
        return np.where(observer == 3, 0.3, own)

    none = bl.two_afc(flat, ["nurse"], ("she", "he"), observers=4)
    some = bl.two_afc(rising, ["nurse"], ("she", "he"), observers=4)
    assert some.raw.kind == "graded"
    assert none.headline == "nurse: no PSE, 62 % he at an even blend"
    assert " ".join(none.verdict("nurse")).startswith(
        "The model hardly listens: from she to he its answer for nurse changes by 0 points (0.00 to"
    )
    assert "listens" not in " ".join(some.verdict("nurse"))
    assert some.headline.startswith("nurse: PSE ")
    for result in (none, some):
        drawn = result.to_svg()
        assert " ".join(result.verdict("nurse"))[:40] in drawn
        assert "nan" not in drawn
    # Each of four rows answers alike throughout: one cell a row, on the ground.
    assert none.to_svg().count("<rect") == 4 + 1
    assert "PSE " in some.to_svg().replace(" ".join(some.verdict("nurse")), "")
    assert ">PSE " not in none.to_svg()


@pytest.mark.numeric
def test_answers_that_are_even_cross_in_the_middle_whatever_rounding_made_of_them() -> None:
    alphas = np.linspace(0, 1, 5)
    rows = [
        ([0.0, 0.5, 0.5, 0.5, 1.0], 0.5),
        ([0.0, 0.5, 0.5, 1.0, 1.0], 0.375),
        ([0.0, 0.2, 0.5, 0.9, 1.0], 0.5),
        ([0.5, 0.5, 0.8, 0.9, 1.0], 0.125),
        ([0.0, 0.1, 0.2, 0.5, 0.5], 0.875),
        ([0.5, 0.5, 0.5, 0.5, 0.5], np.nan),
        ([0.6, 0.7, 0.8, 0.9, 1.0], -np.inf),
        ([0.0, 0.1, 0.2, 0.3, 0.4], np.inf),
        ([0.0, 0.6, 0.5, 0.4, 1.0], np.nan),
    ]
    for noise in (0, 1e-16, -1e-16, 1e-13, -1e-13):
        answers = np.array([row for row, _ in rows])
        answers = np.where(answers == 0.5, 0.5 + noise * np.array([1, -1, 1, 1, -1]), answers)
        found = switch_points_of_answers(answers, alphas)
        np.testing.assert_allclose(found, [at for _, at in rows], atol=1e-9)
        turned = switch_points_of_answers(1 - answers[:, ::-1], alphas)
        np.testing.assert_allclose(turned, 1 - found, atol=1e-9)


@pytest.mark.numeric
def test_half_of_the_pairs_are_an_even_answer_in_any_number_of_pairs() -> None:
    for pairs in range(2, 40, 2):
        answers = np.zeros((1, 1, pairs, 3))
        answers[..., : pairs // 2, 1], answers[..., 2] = 1, 1
        weights = np.full(pairs, 1 / pairs)
        found = graded_pooled(
            answers, np.linspace(0, 1, 3), "normal", "quartile", 0.95, "resampled", weights
        )
        assert found.pse[0] == pytest.approx(0.5, abs=1e-9)
        assert found.lean[0] == 0
