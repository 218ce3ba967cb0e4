"""The empirical curve: estimates and intervals that need no normal switch points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.probes.psychometrics.answers import SwitchPoints
from biaslab.probes.psychometrics.curves import per_pair
from biaslab.probes.psychometrics.switch_points import (
    chosen_per_pair,
    empirical_per_pair,
    empirical_pooled,
)
from biaslab.records.result import Result
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.quantiles import median_interval, next_value_interval, quantile
from biaslab.stats.significance import normality_p, skewness_z

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]  # type: ignore[type-arg]
LN2 = np.log(2)
# Medians are 0; the quartile JND of each is Q(3/4) - Q(1/2).
SHAPES: dict[str, tuple[Draw, float]] = {
    "normal": (lambda rng, shape: rng.standard_normal(shape), 0.6745),
    "exponential": (lambda rng, shape: rng.exponential(size=shape) - LN2, LN2),
    "t with 3 degrees of freedom": (lambda rng, shape: rng.standard_t(3, shape), 0.7649),
    "uniform": (lambda rng, shape: rng.uniform(-1, 1, shape), 0.5),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("b", [8, 16, 32])
def test_the_interval_of_the_median_keeps_its_level_for_any_shape(name: str, b: int) -> None:
    draw, _ = SHAPES[name]
    ordered = np.sort(draw(np.random.default_rng(b), (b, 4000)), axis=0)
    low, high = median_interval(ordered, 0.95).T
    assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(("b", "most"), [(8, 0.06), (16, 0.042), (32, 0.034)])
def test_one_more_value_is_seldom_outside_in_either_tail(name: str, b: int, most: float) -> None:
    """A t interval leaves 5.9 to 7.1 % above where switch points are exponential."""
    draw, _ = SHAPES[name]
    rng = np.random.default_rng(b + 1)
    ordered = np.sort(draw(rng, (b, 40_000)), axis=0)
    more = draw(rng, (40_000,))
    low, high = next_value_interval(ordered, 0.95).T
    assert np.mean(more < low) < most
    assert np.mean(more > high) < most


@pytest.mark.parametrize("name", SHAPES)
def test_the_jnd_interval_covers_for_any_shape(name: str) -> None:
    draw, jnd = SHAPES[name]
    x = 0.5 + 0.1 * draw(np.random.default_rng(5), (32, 500, 1))
    found = empirical_per_pair(x, 0.0, "quartile", 0.95)
    low, high = found.jnd_interval[:, 0].T
    assert np.mean((low <= 0.1 * jnd) & (0.1 * jnd <= high)) > 0.93


def test_mirrored_values_have_mirrored_intervals() -> None:
    x = np.sort(np.random.default_rng(2).gamma(2, size=(17, 5)), axis=0)
    np.testing.assert_array_equal(median_interval(-x[::-1], 0.9), -median_interval(x, 0.9)[:, ::-1])
    np.testing.assert_array_equal(
        next_value_interval(-x[::-1], 0.95), -next_value_interval(x, 0.95)[:, ::-1]
    )


def test_quantiles_are_those_of_numpy() -> None:
    x = np.sort(np.random.default_rng(4).standard_normal((9, 3)), axis=0)
    for p in (0.25, 0.5, 0.75, 0.9):
        expected = np.quantile(x, p, axis=0, method="median_unbiased")
        np.testing.assert_allclose(quantile(x, p), expected, rtol=1e-12)


def test_pooled_leans_are_as_rare_as_stated_where_pairs_are_skewed_too() -> None:
    rng = np.random.default_rng(6)
    n, k = 1500, 8
    of_pairs = 0.03 * (rng.exponential(size=(1, n, k)) - 1)
    of_corpora = 0.08 * (rng.exponential(size=(32, n, 1)) - 1)
    x = 0.5 + of_pairs + of_corpora + 0.02 * rng.standard_normal((32, n, k))
    found = empirical_pooled(x, 0.0, "quartile", 0.95, "resampled", np.full(k, 1 / k))
    more = (
        0.5
        + 0.08 * (rng.exponential(size=n) - 1)
        + 0.03 * (rng.exponential(size=(n, k)) - 1).mean(axis=1)
    )
    assert np.mean(more < found.corpus[:, 0]) < 0.04
    assert np.mean(more > found.corpus[:, 1]) < 0.04


def test_the_p_value_is_where_the_interval_ends_at_one_half() -> None:
    found = bl.two_afc(
        "wiki-bootstraps", ["nurse", "teacher"], ("woman", "man"), family="empirical"
    )
    estimates = found.pooled
    np.testing.assert_array_equal(estimates.p_value < 0.05, estimates.lean != 0)
    level = 1 - float(estimates.p_value[1])
    wider = bl.two_afc(
        "wiki-bootstraps", ["teacher"], ("woman", "man"), family="empirical", level=level + 0.02
    )
    narrower = bl.two_afc(
        "wiki-bootstraps", ["teacher"], ("woman", "man"), family="empirical", level=level - 0.02
    )
    assert wider.pooled.lean[0] == 0
    assert narrower.pooled.lean[0] != 0


@settings(max_examples=25)
@given(
    st.integers(0, 2**31),
    st.sampled_from([8, 13, 32]),
    st.sampled_from([1, 4]),
    st.floats(0.02, 0.999),
    st.booleans(),
)
def test_p_is_below_alpha_just_where_the_verdict_leans(
    seed: int, b: int, k: int, level: float, rounded: bool
) -> None:
    rng = np.random.default_rng(seed)
    x = 0.5 + 0.1 * (rng.standard_normal((b, 6, k)) + 3 * rng.standard_normal((6, 1)))
    if rounded:  # equal values, and ends of intervals at 1/2
        x = np.round(x, 1)
    found = empirical_pooled(x, 0.0, "quartile", level, "resampled", np.full(k, 1 / k))
    np.testing.assert_array_equal(found.p_value < 1 - level, found.lean != 0)
    assert (found.p_value > 0).all()
    # The same p at every level, where the bracket of 1e-12 is clear of it.
    assert found.corpora is not None
    other = replace(found, level=0.5, corpus=found.corpora.interval(0.5))
    np.testing.assert_allclose(other.p_value, found.p_value, rtol=0, atol=2e-12)


def test_a_result_says_what_it_is_and_comes_back() -> None:
    found = bl.two_afc("wiki-bootstraps", ["nurse"], ("woman", "man"), family="empirical")
    assert found.pse[0] == pytest.approx(float(np.median(found.switch[:, 0, 0])), abs=1e-6)
    share, low, high = found.psi("nurse", found.stimuli)
    assert (np.diff(share) >= 0).all()
    assert (low <= share).all()
    assert (share <= high).all()
    assert Result.from_json(found.to_json()) == found
    assert "empirical curve" in found.summary()
    assert "nan" not in found.to_svg()


def test_noise_blurs_the_empirical_curve_as_any_other() -> None:
    plain, noisy = (
        bl.two_afc("wiki-bootstraps", ["nurse"], ("woman", "man"), family="empirical", perception=p)
        for p in (0.0, 0.1)
    )
    assert noisy.pse[0] == pytest.approx(plain.pse[0], abs=0.01)
    assert noisy.jnd[0] > 1.5 * plain.jnd[0]


def test_few_replicates_have_no_interval() -> None:
    few = bl.two_afc(
        "wiki-bootstraps", ["nurse"], ("woman", "man"), family="empirical", replicates=5
    )
    assert np.isnan(few.pooled.corpus).all()
    with pytest.raises(ValueError, match="choose one of auto, normal"):
        bl.two_afc("wiki-bootstraps", ["nurse"], ("she", "he"), family="bent")  # type: ignore[arg-type]


@pytest.mark.parametrize("b", [8, 32, 100])
def test_one_in_twenty_normal_samples_is_taken_for_another(b: int) -> None:
    rng = np.random.default_rng(b)
    x = rng.standard_normal((b, 20_000))
    p = normality_p(x)
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=0.008)
    # Where the skewness alone would be a warning, the shape is refused too.
    assert np.mean(p[np.abs(skewness_z(x)) > 2.58] < 0.05) > 0.99
    # Equal values, of steps that are located on a coarse grid, are no evidence against normality.
    assert np.mean(normality_p(np.round(2 * x)) < 0.05) < 0.05


def test_intervals_hold_after_the_choice_where_points_are_skewed() -> None:
    """Those of a normal curve hold the median in 65 and the JND in 71 %."""
    draw, jnd = SHAPES["exponential"]
    x = draw(np.random.default_rng(11), (32, 1000, 1))
    normal = per_pair(x, 0.0, "normal", "quartile", 0.95)
    chosen = chosen_per_pair(normal, x, 0.0, "quartile")
    for intervals, truth in ((chosen.monte_carlo, 0), (chosen.jnd_interval, jnd)):
        low, high = intervals[:, 0].T
        assert np.mean((low <= truth) & (truth <= high)) > 0.91


def _with_points(**switch: Floats) -> bl.TwoAFCResult:
    """Points (B,) of items, for each of two cue pairs."""
    result = bl.two_afc("wiki-bootstraps", list(switch), [("woman", "man"), ("girl", "boy")])
    points = np.stack(list(switch.values()), axis=1)[..., None].repeat(2, axis=2)
    return replace(result, raw=SwitchPoints(switch=points))


def test_each_item_has_the_curve_that_suits_its_points() -> None:
    rng = np.random.default_rng(8)
    chosen = _with_points(
        nurse=0.5 + 0.1 * rng.standard_normal(32), teacher=0.5 + 0.1 * rng.standard_exponential(32)
    )
    assert [chosen.family(item) for item in chosen.items] == ["normal", "empirical"]
    normal, empirical = (
        replace(chosen, fit=replace(chosen.fit, family=family))  # type: ignore[arg-type]
        for family in ("normal", "empirical")
    )
    for name in ("pse", "jnd", "corpus", "monte_carlo", "jnd_interval", "p_value", "lean"):
        for of in ("pooled", "by_pair"):
            own, *both = (
                getattr(getattr(result, of), name) for result in (chosen, normal, empirical)
            )
            np.testing.assert_array_equal(own[0], both[0][0])
            np.testing.assert_allclose(own[1], both[1][1], rtol=1e-12)
    at = np.linspace(0, 1, 5)
    for item, same in (("nurse", normal), ("teacher", empirical)):
        np.testing.assert_allclose(chosen.psi(item, at), same.psi(item, at), rtol=1e-12)
        i = chosen.index(item)
        for curves in (chosen.pooled.curves, chosen.pooled.curves.one([0, 1])):
            whole = curves.one((..., None)).share(at)[i]
            np.testing.assert_allclose(whole, same.pooled.curves.one(i).share(at), rtol=1e-12)
    assert chosen.fit_check is not None
    assert np.isnan(chosen.fit_check.misfit).tolist() == [False, True]
    assert chosen.describes.all()
    frame = chosen.to_frame()
    assert (frame["family"] == np.where(frame["item"] == "teacher", "empirical", "normal")).all()
    assert "do not look normal" in chosen.caveat("teacher")
    assert "empirical" not in chosen.caveat("nurse")
    assert (
        "normal curve (empirical where switch points do not look normal: teacher)"
        in chosen.summary()
    )
    assert Result.from_json(chosen.to_json()) == chosen
    # A median beside a mean would be a change that is none.
    same = bl.compare(chosen, normal).to_frame()
    assert (same.loc[same["of"] == "row", "difference"] == 0).all()


def test_a_curve_is_not_chosen_where_there_is_no_empirical_one() -> None:
    points = 0.5 + 0.1 * np.random.default_rng(8).standard_exponential(32)
    chosen = _with_points(nurse=points)
    weighted = replace(chosen, weights=np.array([0.9, 0.1]))
    assert weighted.family("nurse") == "normal"
    assert "Compare the empirical curve" in weighted.caveat("nurse")
    of_model = bl.two_afc("wiki-clm", ["nurse"], ("woman", "man"), observers=2)
    assert of_model.fit.family == of_model.provenance.parameters["family"] == "normal"
