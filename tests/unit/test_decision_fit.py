"""The gap between groups: known truth, invariants, and answers that fix none."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special
from scipy.special import expit, logit

from biaslab.errors import PsychometricError
from biaslab.stats.decisions.answers import DecisionAnswers, naive_gap, one_sided, sign_bound
from biaslab.stats.decisions.fit import DecisionFit, fit_decisions
from biaslab.stats.decisions.model import decision_model
from biaslab.stats.decisions.search import DecisionSearch, Spread
from harness.decision_subjects import DecisionSubject
from harness.heavy import optimize

MANY = DecisionSubject(
    gap=2.0, yes=0.03, no=0.06, position=0.2, cue_sd=0.2, wording_sd=0.2, cell_sd=0.1, seed=3
)
SEEDS = st.integers(0, 3)


@functools.cache
def fitted(seed: int) -> tuple[DecisionAnswers, DecisionFit]:
    """700 answers, and their fit, which several invariants begin with."""
    data = replace(MANY, seed=seed).constant(700)
    return data, fit_decisions(data)


def numbers(fit: DecisionFit) -> list[float]:
    """Estimates and intervals."""
    return [
        *fit.pse, *fit.pse_interval().ravel(), fit.gap(), *fit.gap_interval(),
        fit.gap(scope="these"), *fit.gap_interval(scope="these"), fit.jnd(), *fit.jnd_interval(),
        *fit.position(), *fit.share_interval([5.0, 8.0], 0).ravel(),
    ]  # fmt: skip


def test_recovers_a_gap_beside_position_and_lapses() -> None:
    fit = fit_decisions(MANY.constant(12000))
    assert fit.converged
    assert fit.reason == ""
    assert fit.gap(scope="these") == pytest.approx(MANY.these, abs=0.25)
    low, high = fit.gap_interval(scope="these")
    assert low < MANY.these < high
    assert fit.rate("position_share") == pytest.approx(0.2, abs=0.03)
    assert fit.rate("lapse_yes") == pytest.approx(0.03, abs=0.02)
    assert fit.rate("lapse_no") == pytest.approx(0.06, abs=0.02)
    assert fit.position()[0] == pytest.approx(0.6, abs=0.03)
    assert fit.own_jnd() == pytest.approx(np.log(3) / 0.9, rel=0.1)
    for name in ("lapse_yes", "lapse_no", "position_share"):
        low, high = fit.rate_interval(name)
        assert low <= fit.rate(name) <= high
    assert fit.residuals is not None
    assert fit.residuals.p_value > 0.001


def test_the_population_is_known_less_well_than_these_cues() -> None:
    fit = fit_decisions(DecisionSubject(seed=1).constant(1200))
    wide, narrow = (np.ptp(fit.gap_interval(scope=s)) for s in ("population", "these"))
    assert wide > 1.3 * narrow
    assert fit.population == ("cue", "wording")


def test_which_of_two_reads_indecision_beside_the_gap() -> None:
    subject = DecisionSubject(which_of_two=True, indecision=0.6, position=-0.2, seed=2)
    fit = fit_decisions(subject.constant(4000))
    low, high = fit.gap_interval(scope="these")
    assert low < subject.these < high
    assert fit.rate("indecision") == pytest.approx(0.6 / 0.9, rel=0.2)
    assert fit.rate("position_share") == pytest.approx(-0.2, abs=0.05)
    low, high = fit.rate_interval("position_share")
    assert low < -0.2 < high < 0
    assert fit.pse[0] == fit.gap()
    assert np.isnan(fit.impact_ratio(1.0)).all()
    apart = fit_decisions(subject.constant(4000), indecision="apart")
    assert np.isnan(apart.rate("indecision"))
    assert apart.gap() == pytest.approx(fit.gap(), abs=0.3)


def test_the_impact_ratio_is_that_of_the_shares() -> None:
    fit = fit_decisions(MANY.constant(4000))
    ratio, low, high = fit.impact_ratio(7.0)
    one, two = (fit.share_interval(7.0, group)[0, 0] for group in (0, 1))
    assert ratio == pytest.approx(two / one)
    assert low < ratio < high
    inverse = fit.impact_ratio(7.0, 1, 0)
    np.testing.assert_allclose(1 / np.array(inverse), [ratio, high, low])


@pytest.mark.parametrize("which_of_two", [False, True])
def test_the_gradient_of_the_restricted_likelihood_is_its_own(which_of_two: bool) -> None:
    subject = replace(MANY, which_of_two=which_of_two, indecision=0.4 * which_of_two)
    model = decision_model(
        subject.constant(900).pooled(), family="logistic", lapses="free", slopes="free",
        position="both", indecision="threshold", traits=None, weight=1.0,
    )  # fmt: skip
    search = DecisionSearch(model)
    at = search.start() + 0.07 * np.arange(len(model.names))
    here = search.point(at)
    for m in range(len(at)):
        step = np.zeros(len(at))
        step[m] = 1e-4
        ahead, behind = search.point(at + step), search.point(at - step)
        assert here.gradient[m] == pytest.approx((ahead.value - behind.value) / 2e-4, rel=1e-3)
        moved = (ahead.mode.x - behind.mode.x) / 2e-4
        np.testing.assert_allclose(here.follow[:, m], moved, rtol=3e-3, atol=1e-3)


@settings(max_examples=4, deadline=None)
@given(SEEDS)
def test_swapping_the_groups_flips_the_gap(seed: int) -> None:
    data, one = fitted(seed)
    two = fit_decisions(replace(data, group=1 - data.group))
    assert one.gap() == pytest.approx(-two.gap(), abs=2e-2)
    np.testing.assert_allclose(one.gap_interval(), -np.array(two.gap_interval())[::-1], atol=0.1)


@settings(max_examples=4, deadline=None)
@given(SEEDS, st.floats(-50, 50), st.floats(0.1, 20))
def test_shifting_and_stretching_the_quality_moves_all_along(
    seed: int, shift: float, unit: float
) -> None:
    data, one = fitted(seed)
    two = fit_decisions(replace(data, levels=shift + unit * data.levels))
    if one.reason:
        assert two.reason
        return
    np.testing.assert_allclose(two.pse, shift + unit * one.pse, atol=0.02 * unit)
    np.testing.assert_allclose(two.gap_interval(), unit * np.array(one.gap_interval()), rtol=0.05)


@settings(max_examples=4, deadline=None)
@given(SEEDS)
def test_a_mirrored_quality_mirrors_the_pses(seed: int) -> None:
    """Levels turned round, and yes for no; the order turns with the answers."""
    data, one = fitted(seed)
    mirrored = replace(data, levels=-data.levels, yes=data.n - data.yes, order=-data.order)
    two = fit_decisions(mirrored)
    np.testing.assert_allclose(two.pse, -one.pse, atol=2e-2)
    assert two.rate("lapse_no") == pytest.approx(one.rate("lapse_yes"), abs=3e-3)
    assert two.rate("position_share") == pytest.approx(one.rate("position_share"), abs=3e-3)


@settings(max_examples=4, deadline=None)
@given(SEEDS)
def test_numbers_of_cues_and_the_order_of_rows_do_not_matter(seed: int) -> None:
    data, one = fitted(seed)
    rng = np.random.default_rng(seed)
    cues, wordings = rng.permutation(8), rng.permutation(4)
    moved = replace(data, cue=cues[data.cue], wording=wordings[data.wording])
    moved = moved.take(rng.permutation(len(data)))
    two = fit_decisions(moved)
    np.testing.assert_allclose(numbers(one), numbers(two), rtol=2e-2, atol=2e-2)
    np.testing.assert_allclose(one.cue_pses(), two.cue_pses()[cues], rtol=2e-2, atol=2e-2)


def test_pooling_rows_changes_nothing() -> None:
    data = MANY.constant(3000)
    pooled = data.pooled()
    assert len(pooled) < len(data)
    assert pooled.n.sum() == data.n.sum()
    np.testing.assert_allclose(numbers(fit_decisions(data)), numbers(fit_decisions(pooled)))


def test_a_refit_from_a_fit_ends_where_a_fresh_one_does() -> None:
    data = MANY.constant(3000)
    before = fit_decisions(data)
    before.gap_interval()
    less = data.take(data.wording != 2)
    warm, cold = fit_decisions(less, start=before), fit_decisions(less)
    np.testing.assert_allclose(numbers(warm), numbers(cold), rtol=1e-2, atol=1e-2)
    richer = fit_decisions(less, start=fit_decisions(less, lapses="none"))
    np.testing.assert_allclose(numbers(richer), numbers(cold), rtol=1e-2, atol=1e-2)


def test_probabilities_have_intervals_of_their_own_scatter() -> None:
    """A subject that gives its probabilities exactly is known far better than a sample of it."""
    rng = np.random.default_rng(0)
    data = DecisionSubject(seed=5).constant(1500).pooled()
    z = 0.9 * (data.levels - 7 - 2 * (data.group - 0.5)) + 0.3 * data.order
    p = expit(z + 0.1 * rng.standard_normal(len(data)))
    one = np.ones(len(data))
    exact = replace(data, yes=p, n=one, undecided=0 * one, probabilities=True)
    fit = fit_decisions(exact)
    assert fit.dispersion < 0.05
    low, high = fit.gap_interval()
    assert low < 2 < high
    sampled = fit_decisions(replace(data, yes=(rng.random(len(data)) < p).astype(float), n=one))
    assert high - low < 0.3 * np.ptp(sampled.gap_interval())
    assert logit(fit.position()[0]) == pytest.approx(0.15, abs=0.1)


@pytest.mark.parametrize(("answer", "side"), [(1.0, "below"), (0.0, "above")])
def test_the_same_answer_everywhere_has_a_bound_and_no_point(answer: float, side: str) -> None:
    data = MANY.constant(400)
    fit = fit_decisions(replace(data, yes=answer * data.n))
    assert fit.sides == (side, side)
    assert "every level" in fit.reason
    shares = fit.share_interval([1.0, 2.0])
    assert shares.shape == (3, 2)
    assert np.isnan(shares).all()
    assert np.isnan(fit.gap())
    assert np.isnan(fit.pse).all()
    ends = fit.pse_interval()[0]
    assert np.isinf(ends).sum() == 1
    assert 0 <= ends[np.isfinite(ends)][0] <= 16
    assert fit.gap_interval() == (-np.inf, np.inf)


def test_a_group_that_is_never_accepted_leaves_the_other_its_point() -> None:
    data = MANY.constant(800)
    never = replace(data, yes=np.where(data.group == 1, 0.0, data.yes))
    fit = fit_decisions(never)
    assert fit.sides == ("", "above")
    assert fit.pse[0] == pytest.approx(6, abs=1)
    assert np.isnan(fit.pse[1])
    assert np.isnan(fit.gap())
    low, high = fit.gap_interval()
    assert low > 5
    assert high == np.inf


def test_the_sign_bound_takes_five_answers() -> None:
    levels = np.arange(10.0)
    zeros = np.zeros(10, dtype=np.intp)
    data = DecisionAnswers(
        levels, np.ones(10), np.ones(10), np.zeros(10), zeros, zeros, zeros, np.full(10, 0.5)
    )
    assert sign_bound(data, 0, "below", 0.95) == 4
    assert sign_bound(data, 0, "above", 0.95) == 5
    assert sign_bound(data.take(levels < 3), 0, "below", 0.95) == np.inf


def test_a_single_answer_has_a_side() -> None:
    one, none = np.ones(1), np.zeros(1, dtype=np.intp)
    yes = DecisionAnswers(one, one, one, 0 * one, none, none, none, one / 2)
    assert one_sided(yes) == ("below",)
    assert one_sided(replace(yes, yes=0 * one)) == ("above",)
    assert one_sided(replace(yes, yes=0 * one, n=0 * one)) == ("",)


def test_answers_that_do_not_follow_the_quality_have_no_point() -> None:
    data = MANY.constant(400)
    rng = np.random.default_rng(0)
    fit = fit_decisions(replace(data, yes=(rng.random(len(data)) < 0.5) * data.n))
    assert "follow" in fit.reason
    assert np.isnan(fit.gap())


@pytest.mark.parametrize("rows", [0, 3])
def test_too_few_answers_are_not_fitted(rows: int) -> None:
    fit = fit_decisions(MANY.constant(100).take(np.arange(rows)))
    assert "too few" in fit.reason
    assert np.isnan(fit.jnd())
    assert np.isnan(fit.position()).all()


def test_one_level_is_not_fitted() -> None:
    data = MANY.constant(200)
    assert "one level" in fit_decisions(replace(data, levels=0 * data.levels + 7)).reason


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": np.zeros(3)}, "order"),
        ({"yes": np.full(3, 2.0)}, "more yes"),
        ({"cue": np.array([0, -1, 2])}, "below 0"),
        ({"levels": np.array([0, np.nan, 2])}, "not finite"),
        ({"wording": np.zeros(2, dtype=int)}, "one per question"),
    ],
)
def test_answers_that_contradict_each_other_are_refused(change: dict, message: str) -> None:
    data = MANY.constant(3)
    with pytest.raises(PsychometricError, match=message):
        replace(data, **change)


@pytest.mark.parametrize(
    "options",
    [
        {"lapses": "some"},
        {"slopes": "some"},
        {"position": "left"},
        {"indecision": "x"},
        {"family": "gumbel"},
    ],
)
def test_unknown_options_are_refused(options: dict) -> None:
    with pytest.raises(PsychometricError, match="choose"):
        fit_decisions(MANY.constant(100), **options)


def test_crossed_groups_share_their_main_effects() -> None:
    rng = np.random.default_rng(4)
    size, pse = 2400, np.array([6.0, 7.0, 8.0, 9.0])
    group = rng.integers(0, 4, size)
    level = rng.choice(np.linspace(0, 16, 33), size)
    yes = (rng.random(size) < expit(0.9 * (level - pse[group]))).astype(float)
    zero, one = np.zeros(size), np.ones(size)
    data = DecisionAnswers(
        level, yes, one, zero, group, group, zero.astype(int), rng.choice([-0.5, 0.5], size)
    )
    traits = [["A", "A", "B", "B"], ["f", "m", "f", "m"]]
    alone, pooled = fit_decisions(data), fit_decisions(data, traits=traits)
    np.testing.assert_allclose(pooled.pse, pse, atol=0.5)
    additive = np.abs(pooled.pse[0] - pooled.pse[1] - pooled.pse[2] + pooled.pse[3])
    assert additive < np.abs(alone.pse[0] - alone.pse[1] - alone.pse[2] + alone.pse[3])
    assert np.ptp(pooled.gap_interval(a=0, b=3)) <= np.ptp(alone.gap_interval(a=0, b=3)) * 1.05
    with pytest.raises(PsychometricError, match="4 groups"):
        fit_decisions(data, traits=[["A", "B"]])


def test_the_naive_gap_is_pulled_by_what_the_model_keeps_apart() -> None:
    """Lapses of one kind, unequal orders and a position that is preferred move the plain fit."""
    subject = replace(MANY, gap=0.0, position=0.4, no=0.0, yes=0.0, first=(0.8, 0.2))
    data = subject.constant(6000)
    naive, fit = naive_gap(data), fit_decisions(data)
    assert abs(naive.gap - subject.these) > 1
    assert fit.gap(scope="these") == pytest.approx(subject.these, abs=0.4)


def test_the_naive_gap_is_that_of_a_regression() -> None:
    data = MANY.constant(900)
    pses = []
    for group in (0, 1):
        rows = data.group == group
        design = np.column_stack([np.ones(rows.sum()), data.levels[rows]])

        def loss(x: np.ndarray, design: np.ndarray = design, rows: np.ndarray = rows) -> float:
            z = design @ x
            return float(np.sum(np.logaddexp(0, z) - data.yes[rows] * z))

        x = optimize.minimize(loss, [-6.0, 0.9], method="BFGS", options={"gtol": 1e-7}).x
        pses.append(-x[0] / x[1])
    assert naive_gap(data).gap == pytest.approx(pses[1] - pses[0], rel=1e-4)


def test_exact_probabilities_with_lapses_are_read_off() -> None:
    """Every question once: the fit has next to no scatter to work with, and still ends."""
    places = np.indices((2, 4, 4, 2, 17)).reshape(5, -1)
    group, cue, wording, first, level = places[0], places[1], places[2], places[3], places[4]
    effect = np.random.default_rng(0).normal(0, 0.5, 8)
    z = 0.9 * (level - 7 - 2 * (group - 0.5)) + effect[cue + 4 * group]
    yes = 0.03 + 0.9 * expit(z)
    one = np.ones(len(yes))
    fit = fit_decisions(
        DecisionAnswers(
            level.astype(float), yes, one, 0 * one, group, cue + 4 * group, wording, first - 0.5,
            probabilities=True,
        )
    )  # fmt: skip
    truth = 2 - (effect[4:].mean() - effect[:4].mean()) / 0.9
    assert fit.reason == ""
    assert fit.gap(scope="these") == pytest.approx(truth, abs=0.01)
    assert fit.rate("lapse_yes") == pytest.approx(0.03, abs=0.003)
    assert fit.rate("lapse_no") == pytest.approx(0.07, abs=0.003)


def test_a_subject_that_hardly_follows_the_quality_has_a_reason() -> None:
    fit = fit_decisions(DecisionSubject(slope=0.02, seed=1).constant(640))
    assert "follow" in fit.reason


UNEQUAL = DecisionSubject(
    gap=0.0, no=(0.0, 0.15), steeper=1.6, cue_sd=0.2, wording_sd=0.2, cell_sd=0.1, seed=4
)


def test_lapses_and_slopes_of_one_group_stay_out_of_the_gap() -> None:
    data = UNEQUAL.constant(10000)
    own, shared = fit_decisions(data), fit_decisions(data, lapses="shared", slopes="shared")
    assert own.gap(scope="these") == pytest.approx(UNEQUAL.these, abs=0.25)
    low, high = own.gap_interval(scope="these")
    assert low < UNEQUAL.these < high
    assert abs(shared.gap(scope="these") - UNEQUAL.these) > 0.5
    assert own.rate("lapse_no", 0) < 0.03
    assert own.rate("lapse_no", 1) == pytest.approx(0.15, abs=0.03)
    mean = (own.rate("lapse_no", 0) + own.rate("lapse_no", 1)) / 2
    assert own.rate("lapse_no") == pytest.approx(mean)
    low, high = own.rate_interval("lapse_no", 0.999)
    assert 0 <= low < 0.075 < high < 0.12
    low, high = own.rate_interval("lapse_no", 0.999, group=1)
    assert low < 0.15 < high
    ratio, low, high = own.slope_ratio()
    assert low < 1.6 < high
    assert low > 1.2
    np.testing.assert_allclose(own.slope_ratio(1, 0), [1 / ratio, 1 / high, 1 / low])
    assert shared.slope_ratio() == (1, 1, 1)


def test_lapses_that_groups_do_not_differ_in_are_the_same_for_each() -> None:
    fit = fit_decisions(MANY.constant(1500), lapses="shared")
    assert fit.rate("lapse_no", 0) == fit.rate("lapse_no", 1) == fit.rate("lapse_no")
    with pytest.raises(PsychometricError, match="no group 2"):
        fit.rate("lapse_no", 2)


def test_swapping_the_groups_swaps_their_lapses_and_slopes() -> None:
    data = UNEQUAL.constant(2000)
    one, two = fit_decisions(data), fit_decisions(replace(data, group=1 - data.group))
    assert one.gap() == pytest.approx(-two.gap(), abs=2e-2)
    assert one.rate("lapse_no", 1) == pytest.approx(two.rate("lapse_no", 0), abs=3e-3)
    assert one.slope_ratio()[0] == pytest.approx(1 / two.slope_ratio()[0], rel=1e-2)


def test_a_known_part_of_a_variance_adds_degrees_of_freedom() -> None:
    """Against the quantile of a normal over the root of a constant and a scaled chi-square."""
    at = (np.arange(4000) + 0.5) / 4000
    for df, known in ((4, 0.2), (4, 0.38), (6, 0.38), (6, 0.6), (8, 0.2)):
        rest = df * (1 - known) ** 2
        variances = known + (1 - known) * 2 * special.gammaincinv(rest / 2, at) / rest

        def missed(q: float, variances: np.ndarray = variances) -> float:
            return float(np.mean(2 * special.ndtr(q * np.sqrt(variances)) - 1)) - 0.95

        exact = optimize.brentq(missed, 1.5, 8)
        # One SD, by whose logarithm the uncertain part changes by twice its size.
        change, noise = 2 * (1 - known), 2 / df
        spread = Spread(
            np.eye(2), np.array([[noise / change**2]]), np.diag([change, 0.0])[None], np.eye(1),
            np.array([True]),
        )  # fmt: skip
        variance, found = spread.variances(np.array([1.0, 0.0]))
        assert variance == 1
        assert special.stdtrit(float(found), 0.975) == pytest.approx(exact, rel=0.03)


def test_a_preference_for_a_position_does_not_stand_in_for_a_point() -> None:
    """Answers that position and lapses of each group could explain alone, with a point far away."""
    subject = DecisionSubject(seed=[3, 320], position=0.3)
    fit = fit_decisions(subject.adaptive(320))
    assert fit.gap(scope="these") == pytest.approx(subject.these, abs=1.5)
    assert np.ptp(fit.gap_interval()) < 8
