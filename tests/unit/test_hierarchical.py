"""The hierarchical psychometric model: known truth, invariants, and coverage of its intervals."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from scipy import special

from biaslab.stats.curves.jnd import CONVENTIONS, jnd, unit_jnd
from biaslab.stats.curves.replicates import ReplicateFit
from biaslab.stats.curves.sigmoids import get_sigmoid
from biaslab.stats.mixed.fitted_curves import BlurredCurve
from biaslab.stats.mixed.hierarchical import HierarchicalFit, fit_hierarchical
from biaslab.stats.mixed.restricted_likelihood import Answers

TRUTH: dict[str, float] = {"pse": 0.6, "sd": 0.08, "spread": 0.05, "order": 0.0, "dispersion": 0.0}
QUARTILE = unit_jnd("normal", "quartile")


def simulated(
    seed: int | np.random.Generator = 0,
    *,
    observers: int = 12,
    levels: int = 11,
    trials: int = 10,
    guess: float = 0.0,
    lapse: float = 0.0,
    family: str = "normal",
    **truth: float,
) -> Answers:
    """Answers of observers whose PSEs are normal; half of the trials in either order."""
    rng = np.random.default_rng(seed)
    t = TRUTH | truth
    alphas = np.linspace(0, 1, levels)
    who, level, order = (x.ravel() for x in np.indices((observers, levels, 2), dtype=np.intp))
    sign = 0.5 - order
    pse = t["pse"] + t["spread"] * rng.standard_normal(observers)
    z = (alphas[level] - pse[who] - t["order"] * sign) / t["sd"]
    p = guess + (1 - guess - lapse) * get_sigmoid(family).cdf(z)
    if t["dispersion"]:
        m = (1 - t["dispersion"]) / t["dispersion"]
        p = rng.beta(np.maximum(p * m, 1e-9), np.maximum((1 - p) * m, 1e-9))
    n = np.full(len(who), trials // 2)
    return Answers(alphas[level], rng.binomial(n, p), n, who, np.zeros(len(who), np.intp), sign)


def numbers(fit: HierarchicalFit) -> list[float]:
    """Estimates and intervals."""
    return [
        fit.pse, *fit.pse_interval(0.95), fit.jnd("quartile"), *fit.jnd_interval("quartile", 0.95),
        fit.order_effect, *fit.order_interval(0.95), fit.pse_sd, *fit.pse_sd_interval(0.95),
        fit.settings.dispersion, fit.p_value(0.5),
    ]  # fmt: skip


def test_recovers_the_truth_from_many_trials() -> None:
    data = simulated(
        1, observers=40, levels=15, trials=60, order=0.04, dispersion=0.1, guess=0.05, lapse=0.1
    )
    fit = fit_hierarchical(data, rates="free")
    assert fit.converged
    assert fit.pse_interval(0.99)[0] < 0.6 + 0.03 * 0.05 / 0.94
    assert fit.settings.guess == pytest.approx(0.05, abs=0.015)
    assert fit.settings.lapse == pytest.approx(0.1, abs=0.015)
    assert fit.settings.dispersion == pytest.approx(0.1, abs=0.02)
    assert fit.order_effect == pytest.approx(0.04, abs=0.01)
    assert fit.pse_sd == pytest.approx(0.05, abs=0.015)
    assert fit.own_jnd("sd") == pytest.approx(0.08, abs=0.008)
    assert fit.jnd("sd") == pytest.approx(np.hypot(0.08, 0.05), abs=0.012)
    # The population answers evenly where its curve, with its asymptotes, is 1/2.
    core = (0.5 - 0.05) / 0.85
    there = 0.6 + np.hypot(0.08, 0.05) * special.ndtri(core)
    low, high = fit.pse_interval(0.99)
    assert low < there < high
    assert fit.p_value(there) > 0.01


@pytest.mark.parametrize("family", ["normal", "logistic", "gumbel", "weibull", "t4"])
def test_every_family_gives_the_share_that_it_says(family: str) -> None:
    data = simulated(2, sd=0.1, observers=8)
    used = data.levels > 0
    parts = [np.asarray(getattr(data, name))[used] for name in Answers.__dataclass_fields__]
    fit = fit_hierarchical(Answers(*parts), family=family, rates="free")
    assert fit.converged
    assert fit.pse == pytest.approx(0.6, abs=0.06)
    share, low, high = fit.share_interval(fit.pse, 0.95)
    assert share == pytest.approx(0.5, abs=1e-6)
    assert low < 0.5 < high
    assert fit.p_value(fit.pse) == pytest.approx(1, abs=1e-6)
    for convention in CONVENTIONS:
        ends = fit.jnd_interval(convention, 0.95)
        assert 0 < ends[0] < fit.jnd(convention) < ends[1]
        assert fit.own_jnd(convention) < fit.jnd(convention)


def test_the_interval_excludes_what_the_test_refuses() -> None:
    fit = fit_hierarchical(simulated(3))
    for end in fit.pse_interval(0.95):
        assert fit.p_value(end) == pytest.approx(0.05, rel=0.1)


def test_rows_may_come_in_any_order_and_observers_under_any_number() -> None:
    data = simulated(4, order=0.05)
    rng = np.random.default_rng(0)
    rows, other = rng.permutation(len(data.hits)), rng.permutation(data.n_observers)
    parts = [np.asarray(getattr(data, name))[rows] for name in Answers.__dataclass_fields__]
    moved = Answers(*parts)
    moved = replace(moved, observer=other[moved.observer])
    one, two = fit_hierarchical(data, rates="free"), fit_hierarchical(moved, rates="free")
    np.testing.assert_allclose(numbers(one), numbers(two), rtol=2e-3, atol=2e-4)
    np.testing.assert_allclose(one.observer_pses(), two.observer_pses()[other], atol=2e-4)


def test_swapping_the_cues_mirrors_the_axis_and_keeps_the_preference_for_the_first() -> None:
    data = simulated(5, order=0.05)
    mirrored = replace(
        data, levels=1 - data.levels, hits=data.trials - data.hits, order=-data.order
    )
    one, two = fit_hierarchical(data, rates="free"), fit_hierarchical(mirrored, rates="free")
    assert two.pse == pytest.approx(1 - one.pse, abs=2e-4)
    assert two.order_effect == pytest.approx(one.order_effect, abs=2e-4)
    low, high = one.pse_interval(0.95)
    np.testing.assert_allclose(two.pse_interval(0.95), [1 - high, 1 - low], atol=5e-4)
    turned = fit_hierarchical(replace(data, order=-data.order), rates="free")
    assert turned.order_effect == pytest.approx(-one.order_effect, abs=2e-4)
    assert turned.pse == pytest.approx(one.pse, abs=2e-4)


def test_observers_are_drawn_to_the_population_the_more_the_less_they_say() -> None:
    plenty, scarce = (
        fit_hierarchical(simulated(6, trials=trials, spread=0.08)) for trials in (200, 2)
    )
    assert np.std(scarce.observer_pses()) < np.std(plenty.observer_pses())
    assert np.std(plenty.observer_pses(), ddof=1) == pytest.approx(plenty.pse_sd, rel=0.05)


def test_on_a_logarithmic_axis_all_distances_stretch_with_the_levels() -> None:
    data = simulated(1, observers=4, levels=7)
    fits = [
        fit_hierarchical(replace(data, levels=scale * np.exp(data.levels)), family="weibull")
        for scale in (1, 3)
    ]
    one, three = ([f.pse, f.pse_sd, *f.pse_sd_interval(0.95), f.order_effect] for f in fits)
    np.testing.assert_allclose(three, 3 * np.array(one), rtol=1e-3)


def test_pairs_that_nobody_weighs_count_alike() -> None:
    one, two = (
        simulated(seed, observers=3, levels=7, pse=pse) for seed, pse in ((1, 0.5), (2, 0.7))
    )
    columns = [
        np.concatenate([getattr(one, field.name), getattr(two, field.name)])
        for field in fields(Answers)
    ]
    both = replace(Answers(*columns), pair=np.repeat([0, 1], len(one.levels)))
    fits = [fit_hierarchical(both, weights=weights) for weights in (None, np.array([0.5, 0.5]))]
    np.testing.assert_array_equal(numbers(fits[0]), numbers(fits[1]))


def test_answers_in_one_order_have_no_effect_of_it() -> None:
    data = simulated(7)
    fit = fit_hierarchical(replace(data, order=np.full(len(data.order), 0.5)))
    assert not fit.has_orders
    assert np.isnan([fit.order_effect, *fit.order_interval(0.95)]).all()


def test_single_trials_tell_no_dispersion() -> None:
    fit = fit_hierarchical(simulated(8, trials=2))
    assert not fit.has_dispersion
    assert np.isnan(fit.dispersion_interval(0.95)).all()


def test_few_trials_of_several_observers_leave_the_own_jnd_open() -> None:
    few = fit_hierarchical(simulated(1, observers=4, trials=2))
    assert np.isnan(few.own_jnd_interval("sd", 0.95)).all()
    assert np.isfinite(few.jnd_interval("sd", 0.95)).all()
    alone = fit_hierarchical(simulated(1, observers=1, trials=2, spread=0.0))
    assert not np.isnan(alone.own_jnd_interval("sd", 0.95)).any()


def test_the_spread_of_pses_is_open_where_the_slope_is() -> None:
    """A study of the coverage below in which the answers are nearly a step."""
    rng = np.random.default_rng(0)
    data = [simulated(rng, trials=4, observers=5) for _ in range(67)][66]
    fit = fit_hierarchical(data, rates="free")
    low, high = fit.pse_sd_interval(0.95)
    assert low <= fit.pse_sd <= high


def test_intervals_of_the_own_jnd_lie_within_each_other() -> None:
    fit = fit_hierarchical(simulated(3, trials=4), rates="free")
    (low, high), (lower, higher) = (fit.own_jnd_interval("sd", level) for level in (0.5, 0.99))
    assert 0 < lower < low < fit.own_jnd("sd") < high < higher < np.inf
    quartile = fit.own_jnd_interval("quartile", 0.5)
    np.testing.assert_allclose(quartile, np.multiply(QUARTILE, [low, high]))


def test_steps_have_a_finite_slope() -> None:
    """Observers who switch between the same two stimuli, each at once."""
    data = simulated(9, observers=1, trials=40)
    steps = replace(data, hits=np.where(data.levels > 0.55, data.trials, 0))
    fit = fit_hierarchical(steps, rates="free")
    low, high = fit.pse_interval(0.95)
    assert fit.converged
    assert fit.pse == pytest.approx(0.55, abs=0.01)
    assert 0.4 < low < 0.5 < 0.6 < high < 0.7
    assert fit.jnd("quartile") < 0.03


def test_a_flat_curve_has_no_end() -> None:
    data = simulated(10, observers=3, levels=4, trials=4)
    flat = replace(data, hits=np.tile([1, 1], len(data.hits) // 2))
    fit = fit_hierarchical(flat)
    assert fit.slope_p > 0.05
    assert np.isinf(fit.pse_interval(0.95)).any()


@pytest.mark.parametrize("hits", [80, 90, 94])
def test_the_p_value_of_a_slope_is_that_of_the_likelihood_ratio(hits: int) -> None:
    # A curve through two levels gives each its own share: the ratio is known in closed form.
    one, level = np.zeros(4, np.intp), np.array([0.0, 0.0, 1.0, 1.0])
    counts = np.array([hits, hits, 200 - hits, 200 - hits])
    fit = fit_hierarchical(
        Answers(level, counts, np.full(4, 200), one, one, np.tile([0.5, -0.5], 2))
    )
    share = hits / 200
    ratio = 1600 * (share * np.log(2 * share) + (1 - share) * np.log(2 - 2 * share))
    assert fit.slope_p == pytest.approx(special.chdtrc(1, ratio), rel=0.01)


@pytest.mark.parametrize("family", ["normal", "logistic", "gumbel", "t4"])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_blurred_curve_without_blur_is_its_family(family: str, convention: Any) -> None:
    curve = BlurredCurve(get_sigmoid(family), 0.5, 8.0, -1.0)
    assert curve.jnd(convention) == pytest.approx(float(jnd(family, 1 / 8, convention)), rel=1e-3)
    there = ReplicateFit(family, 1, np.array(0.625), np.array(1 / 8), np.array(""))  # type: ignore[arg-type]
    alphas = np.linspace(0, 1, 5)
    np.testing.assert_allclose(curve.share(alphas), there.share(alphas), atol=1e-12)
    wide = replace(curve, spread=0.7, slope_sd=0.3)
    rng = np.random.default_rng(0)
    z = 8 * 0.1 - 1.0 + 0.7 * rng.standard_normal(400_000)
    drawn = get_sigmoid(family).cdf(np.exp(0.3 * rng.standard_normal(400_000)) * z).mean()
    assert float(wide.share(0.6)) == pytest.approx(drawn, abs=3e-3)


def covered(runs: int, rates: Any = "free", **setting: Any) -> dict[str, float]:
    """Shares of runs whose 95 % intervals include the truth."""
    rng = np.random.default_rng(0)
    t = TRUTH | {name: value for name, value in setting.items() if name in TRUTH}
    hits: dict[str, list[bool]] = {}
    for _ in range(runs):
        fit = fit_hierarchical(simulated(rng, **setting), rates=rates)
        truths = {
            "pse": (fit.pse_interval(0.95), t["pse"]),
            "jnd": (fit.jnd_interval("sd", 0.95), np.hypot(t["sd"], t["spread"])),
            "own_jnd": (fit.own_jnd_interval("sd", 0.95), t["sd"]),
            "pse_sd": (fit.pse_sd_interval(0.95), t["spread"]),
            "order": (fit.order_interval(0.95)[:2], t["order"]),
        }
        if fit.has_dispersion:
            truths["dispersion"] = fit.dispersion_interval(0.95), t["dispersion"]
        for name, ((low, high), truth) in truths.items():
            if np.isnan(low):
                continue
            hits.setdefault(name, []).append(bool(low <= truth <= high))
    return {name: float(np.mean(values)) for name, values in hits.items()}


def test_intervals_cover_the_truth_in_few_trials() -> None:
    """Short: in 7 runs 95 % intervals miss more than once in 1 of 23 cases."""
    for name, share in covered(7, observers=6, levels=7, trials=4).items():
        assert share >= 0.8, name


@pytest.mark.validate
@pytest.mark.parametrize(
    "setting",
    [
        {"trials": 10},
        {"trials": 2},
        {"trials": 2, "sd": 0.15},
        {"trials": 2, "spread": 0.15},
        {"trials": 4, "levels": 7},
        {"trials": 4, "observers": 5},
        {"trials": 10, "observers": 4},
        {"trials": 20, "dispersion": 0.1, "order": 0.03},
        {"trials": 20, "observers": 30, "guess": 0.0, "lapse": 0.0, "levels": 7},
        {"trials": 10, "spread": 0.0},
    ],
    ids=str,
)
def test_intervals_cover_the_truth(setting: dict[str, Any]) -> None:
    shares = covered(400, **setting)
    for name, share in shares.items():
        # At an end of its range a truth is missed on one side only.
        assert share >= 0.92 - 2 * np.sqrt(0.92 * 0.08 / 400), shares
        assert share <= 1.0 if name in ("dispersion", "pse_sd") else share <= 0.999, shares
