"""Responses that have no curve are marked with the reason; invalid ones are refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from biaslab.errors import PsychometricError
from biaslab.stats.curves.curve_fit import Status
from biaslab.stats.curves.sigmoids import FAMILIES
from biaslab.stats.intervals import interval
from biaslab.stats.psychometric import fit

LEVELS = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
CASES = {
    "good": ([1, 3, 5, 8, 9], 10, Status.CONVERGED),
    "empty": ([0, 0, 0, 0, 0], 0, Status.EMPTY),
    "one level": ([0, 0, 4, 0, 0], [0, 0, 10, 0, 0], Status.ONE_LEVEL),
    "all 0": ([0, 0, 0, 0, 0], 10, Status.NONE_CORRECT),
    "all 1": ([10, 10, 10, 10, 10], 10, Status.ALL_CORRECT),
    "falling": ([9, 8, 5, 3, 1], 10, Status.NOT_RISING),
    "flat": ([5, 5, 5, 5, 5], 10, Status.NOT_RISING),
    "separated": ([0, 0, 10, 10, 10], 10, Status.STEP),
    "one mixed level": ([0, 0, 7, 10, 10], 10, Status.STEP),
    "mixed at the end": ([0, 0, 0, 0, 4], 10, Status.STEP),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_each_curve_of_a_batch_gets_its_own_reason(family):
    correct = np.array([case[0] for case in CASES.values()])
    trials = np.array([np.broadcast_to(case[1], 5) for case in CASES.values()])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch = fit(LEVELS, correct, trials, family=family)
        for parameter in ("pse", "jnd"):
            for method in ("profile", "bootstrap", "posterior"):
                found = interval(batch, parameter, method, draws=19, seed=1)
                missing = np.isnan(found.low) | np.isnan(found.high)
                assert (found.reason[missing] != "").all()
                assert (found.low[~missing] <= found.high[~missing]).all()
        batch.psi([0.5, 3.0])

    wanted = [case[2] for case in CASES.values()]
    assert [Status(code) for code in batch.status] == wanted
    assert (batch.converged == (batch.reason == "")).all()
    missing = np.isnan(batch.location) | np.isnan(batch.scale)
    assert not (missing & batch.converged).any()
    alone = fit(LEVELS, correct[0], trials[0], family=family)
    assert batch.location[0] == pytest.approx(float(alone.location), rel=1e-9)


def test_limits_of_the_estimates_stand_where_there_is_no_estimate():
    names = list(CASES)
    correct = np.array([case[0] for case in CASES.values()])
    trials = np.array([np.broadcast_to(case[1], 5) for case in CASES.values()])
    found = fit(LEVELS, correct, trials)
    place = dict(zip(names, found.pse(), strict=True))
    width = dict(zip(names, found.jnd(), strict=True))
    assert np.isnan(place["empty"])
    assert np.isnan(place["one level"])
    assert place["all 0"] == np.inf
    assert place["all 1"] == -np.inf
    assert place["separated"] == 2.5
    assert width["separated"] == 0
    assert place["one mixed level"] == pytest.approx(3, abs=0.2)
    assert width["flat"] == np.inf
    chances = dict(zip(names, found.psi([2.0, 4.0]), strict=True))
    np.testing.assert_allclose(chances["separated"], [0, 1])
    np.testing.assert_allclose(chances["flat"], [0.5, 0.5])
    np.testing.assert_allclose(chances["falling"], [0.52, 0.52])
    np.testing.assert_allclose(chances["all 1"], [1, 1])


def test_profile_bounds_the_pse_of_a_step_and_the_jnd_from_above():
    step = fit(LEVELS, [0, 0, 10, 10, 10], 10)
    pse = interval(step, "pse", "profile")
    assert 1 < pse.low <= 2.2
    assert 2.8 <= pse.high < 4
    jnd = interval(step, "jnd", "profile")
    assert jnd.low == 0
    assert 0 < jnd.high < 1
    assert "step" in str(jnd.reason)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("rates", [(0, 0), (0.02, 0.02), (0, 0.3)])
def test_answers_that_are_all_alike_bound_the_pse_on_one_side(family, rates):
    """A curve whose median lies among the levels would have given some other answers."""
    alike = [[5] * 5, [0] * 5]
    # Those that are all no are mirrored, and so are their rates.
    both = fit(LEVELS, alike, 5, family=family, guess=rates, lapse=rates[::-1])
    pse = interval(both, "pse", "profile")
    assert pse.low[0] == (0 if family == "weibull" else -np.inf)
    assert pse.high[0] == pytest.approx(1, abs=0.15)
    assert pse.low[1] == pytest.approx(5, abs=0.15)
    assert pse.high[1] == np.inf
    assert "the curve lies above the levels" in str(pse.reason[1])


@pytest.mark.parametrize("family", FAMILIES)
def test_answers_that_are_all_alike_do_not_bound_the_jnd(family):
    jnd = interval(fit(LEVELS, 5, 5, family=family), "jnd", "profile")
    assert (jnd.low, jnd.high) == (0, np.inf)


def test_the_bound_of_answers_that_are_all_alike_is_the_likelihood_ratios():
    """One answer at each level: half of them at a flat curve are not rejected before the middle."""
    found = interval(fit([0, 1, 2], 1, 1), "pse", "profile")
    # A steep curve at x loses 2 log(2) at x and all that is on its other side is impossible.
    assert found.low == -np.inf
    assert 0 < found.high < 1
    tight = interval(fit([0, 1, 2], 1, 1), "pse", "profile", level=0.5)
    assert tight.high < found.high
    single = interval(fit([3], [5], 5), "pse", "profile")
    assert single.high == pytest.approx(3, abs=0.05)
    assert interval(fit([3], [1], 1), "pse", "profile").high == np.inf


def test_nearly_flat_responses_leave_the_pse_unbounded():
    found = fit(LEVELS, [4, 6, 5, 5, 6], 10)
    assert found.converged
    pse = interval(found, "pse", "profile")
    assert pse.low == -np.inf
    assert pse.high == np.inf
    assert interval(found, "jnd", "profile").high == np.inf


def test_answers_below_chance_lie_on_the_lower_plateau():
    found = fit(LEVELS, [4, 3, 4, 2, 3], 10, guess=0.5)
    assert not found.converged
    assert str(found.reason)
    assert found.pse() == np.inf


@pytest.mark.parametrize("rates", [{"guess": 0.5}, {"guess": "free", "lapse": "free"}])
def test_every_small_data_set_ends_in_an_estimate_or_a_reason(rates):
    counts = np.array(np.meshgrid(*[range(4)] * 4)).reshape(4, -1).T
    found = fit([0, 1, 2, 3], counts, 3, family="normal", **rates)
    finite = np.isfinite(found.location) & np.isfinite(found.scale) & (found.scale > 0)
    assert (finite == found.converged).all()
    assert (found.status != Status.NOT_SETTLED).mean() > 0.99
    assert np.isfinite(found.loglik).all()


def test_no_curves_at_all_are_no_error():
    found = fit(LEVELS, np.zeros((0, 5)), 10)
    assert found.shape == (0,)
    assert interval(found, "pse", "profile").low.shape == (0,)


def test_no_levels_at_all_are_an_empty_curve():
    assert fit([], [], []).status == Status.EMPTY


CORRECT = [1, 3, 5, 8, 9]


@pytest.mark.parametrize(
    ("levels", "correct", "trials", "options", "message"),
    [
        (LEVELS, [-1, 0, 0, 0, 0], 10, {}, r"index \(0,\) is -1.*0 or more"),
        (LEVELS, [1, 2, 11, 3, 4], 10, {}, r"index \(2,\) is 11.*more than the trials"),
        (LEVELS, [1, np.nan, 3, 3, 4], 10, {}, r"index \(1,\) is nan.*drop missing"),
        (LEVELS, CORRECT, [10, 10, 10, 10, -3], {}, r"trials at index \(4,\)"),
        (LEVELS, CORRECT, [10, np.inf, 10, 10, 10], {}, r"trials at index \(1,\)"),
        ([1, np.nan, 3, 4, 5], CORRECT, 10, {}, r"level at index \(1,\)"),
        (LEVELS, [1, 2, 3], 10, {}, "do not broadcast"),
        (["a", "b"], [1, 2], 10, {}, "arrays of numbers"),
        ([0, 1, 2], [1, 2, 3], 4, {"family": "weibull"}, "above 0"),
        (LEVELS, CORRECT, 10, {"family": "tanh"}, "choose one of"),
        (LEVELS, CORRECT, 10, {"guess": 1.2}, "no room"),
        (LEVELS, CORRECT, 10, {"guess": 0.6, "lapse": 0.4}, "no room"),
        (LEVELS, CORRECT, 10, {"guess": -0.1}, "0 or more"),
        (LEVELS, CORRECT, 10, {"guess": "equal"}, "'free'"),
        (LEVELS, CORRECT, 10, {"lapse": "fixed"}, "'free' or 'equal'"),
        (LEVELS, CORRECT, 10, {"lapse": [0.1, 0.2]}, "one per curve"),
        (LEVELS, CORRECT, 10, {"rate_prior": 0.5}, "1 .no density. or more"),
        (LEVELS, CORRECT, 10, {"start": (0.0, -1.0)}, "start scale"),
    ],
)
def test_invalid_responses_and_settings_are_refused(levels, correct, trials, options, message):
    with pytest.raises(PsychometricError, match=message):
        fit(levels, correct, trials, **options)


def test_bootstrap_of_fractional_trials_points_to_the_other_methods():
    found = fit(LEVELS, [0.1, 0.3, 0.5, 0.8, 0.9], 1.5)
    with pytest.raises(PsychometricError, match="profile"):
        interval(found, "pse", "bootstrap")
    assert np.isfinite(interval(found, "pse", "posterior").low)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("parameter", "slope"), ("method", "wald"), ("level", 95), ("overdispersion", "beta"),
        ("convention", "iqr"), ("draws", 0),
    ],
)  # fmt: skip
def test_invalid_interval_options_are_refused(option, value):
    method = {"method": "bootstrap"} if option == "draws" else {}
    with pytest.raises(PsychometricError):
        interval(fit(LEVELS, CORRECT, 10), **{option: value}, **method)
