"""Shares among things that a rater classifies with errors: limits against a general optimiser."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.misclassification import (
    Ratings,
    corrected_shares,
    equal_errors,
    inflation,
    likelihood_p,
    separation,
    share_differences,
    share_limits,
)
from harness.heavy import optimize, stats

CRITICAL = float(special.chdtri(1, 0.05))
SEEN = np.array([[36.0, 30, 6], [30, 70, 8]])
KNOWN = np.array([[40.0, 6, 4], [5, 42, 3]])
NONE = np.zeros((1, 1, 2, 3))


def ratings(*samples: Any, known: NDArray[Any] = KNOWN) -> Ratings:
    """Samples of unknown members that share one calibration set."""
    zeros = np.zeros((len(samples), 1, *known.shape))
    return Ratings(np.array(samples, float)[:, None], zeros, zeros + known)


def best(samples: NDArray[Any], shares_of: Callable[..., Any], start: list[float]) -> float:
    """Largest log-likelihood by a general optimiser, over errors and what shares depend on."""
    seen = samples + 0.5

    def loss(free: NDArray[Any]) -> float:
        rates = np.exp(np.c_[free[:4].reshape(2, 2), np.zeros(2)])
        rates /= rates.sum(axis=1, keepdims=True)
        shares = np.atleast_1d(shares_of(special.expit(free[4:])))
        if not ((shares > 0) & (shares < 1)).all():
            return 1e6
        mixed = np.c_[shares, 1 - shares] @ rates
        return -float((seen * np.log(mixed)).sum() + (KNOWN * np.log(rates)).sum())

    known = np.log(KNOWN[:, :2] / KNOWN[:, 2:]).ravel()
    return -float(optimize.minimize(loss, [*known, *special.logit(start)]).fun)


def test_two_answers_give_the_estimate_of_rogan_and_gladen_cut_off_at_its_ends() -> None:
    known = np.array([[45.0, 5], [10, 40]])
    found = corrected_shares(ratings([40, 60], [5, 95], [100, 0], known=known))[:, 0, 0]
    assert found == pytest.approx([(0.4 + 0.8 - 1) / 0.7, 0, 1], abs=1e-3)


def test_limits_are_where_the_likelihood_ratio_test_begins_to_reject() -> None:
    low, high = share_limits(ratings(SEEN[0]), 0, CRITICAL)
    most = best(SEEN[:1], lambda share: share, [0.6])
    for end in (low[0], high[0]):
        fixed = best(SEEN[:1], lambda _, end=float(end): end, [])
        assert 2 * (most - fixed) == pytest.approx(CRITICAL, abs=0.01)


def test_a_difference_knows_that_the_calibration_set_is_common() -> None:
    one, two = ratings(SEEN[0]), ratings(SEEN[1], known=0 * KNOWN)
    common = one.beside(two, together=True)
    estimate, low, high, deviance = share_differences(common, 0, CRITICAL)
    most = best(SEEN, lambda shares: shares, [0.6, 0.3])
    for at, expected in ((low[0], CRITICAL), (high[0], CRITICAL), (0.0, deviance[0])):
        fixed = best(SEEN, functools.partial(np.add, [at, 0.0]), [0.3])
        assert 2 * (most - fixed) == pytest.approx(expected, abs=0.02)
    own = one.beside(ratings(SEEN[1]), together=False)
    apart = share_differences(own, 0, CRITICAL)
    assert apart[2] - apart[1] > high - low
    turned = share_differences(two.beside(one, together=True), 0, CRITICAL)
    assert [-turned[0][0], -turned[2][0]] == pytest.approx([estimate[0], low[0]], abs=1e-3)


def test_members_of_known_groups_count_by_themselves() -> None:
    study = Ratings(np.zeros((1, 1, 3)), np.array([[[[18.0, 2, 0], [1, 69, 0]]]]), NONE)
    assert corrected_shares(study)[0, 0] == pytest.approx([20 / 90, 70 / 90])
    low, high = share_limits(study, 0, CRITICAL)
    assert [low[0], high[0]] == pytest.approx(stats.beta.ppf([0.025, 0.975], 20.5, 70.5), abs=0.01)


def test_a_rater_that_guesses_says_nothing_and_is_found_out() -> None:
    guesses = np.array([[25.0, 25], [25, 25]])
    low, high = share_limits(ratings([60, 40], known=guesses), 0, CRITICAL)
    assert (low[0], high[0]) == pytest.approx((0, 1))
    value, least, most = separation(guesses, 0.95, np.random.default_rng(0))
    assert value == 0
    assert least < 0.05 < most
    assert separation(10 * np.eye(3) + 1, 0.95, np.random.default_rng(0))[0] == pytest.approx(
        10 / 13
    )


def test_errors_are_compared_and_clusters_widen() -> None:
    one, two = np.array([[40.0, 10], [9, 41]]), np.array([[48.0, 2], [20, 30]])
    by_hand = sum(
        stats.chi2_contingency([one[g], two[g]], correction=False, lambda_="log-likelihood")[0]
        for g in (0, 1)
    )
    assert equal_errors(np.stack([one, two])) == pytest.approx(stats.chi2.sf(by_hand, 2))
    assert np.isnan(equal_errors(one[None]))
    assert inflation([np.array([[5.0, 5], [5, 5]])], 0.95) == pytest.approx((1, CRITICAL, 1))
    apart = np.array([[9.0, 1], [1, 9]])
    assert inflation([apart], 0.95)[0] == 1  # of two clusters nobody knows how others differ
    factor, critical, df = inflation([apart] * 4, 0.95)
    assert (factor, df) == pytest.approx((12.8, 4))
    assert likelihood_p(np.array([critical]), df)[0] == pytest.approx(0.05)


def drawn(
    rng: np.random.Generator, shares: Any, rates: Any, pictures: int, known: int, runs: int = 600
) -> Ratings:
    """Many runs of one study: pictures rated, and as many of each group known."""
    shares, rates = np.asarray(shares, float), np.asarray(rates, float)
    rated = rng.multinomial(pictures, shares @ rates, runs).astype(float)
    sets = [rng.multinomial(known // len(shares), row, runs) for row in rates]
    known_of = np.stack(sets, axis=1).astype(float)[:, None]
    return Ratings(rated[:, None], np.zeros_like(known_of), known_of)


@pytest.mark.validate
@pytest.mark.parametrize("rates", [(0.7, 0.7), (0.8, 0.8), (0.9, 0.9), (0.99, 0.99), (0.85, 0.95)])
@pytest.mark.parametrize(("pictures", "known"), [(50, 100), (100, 200), (200, 400)])
def test_intervals_of_corrected_shares_cover(
    rates: tuple[float, float], pictures: int, known: int
) -> None:
    rng = np.random.default_rng(1)
    hit, miss = rates
    for share in (0.02, 0.1, 0.3, 0.5, 0.9):
        study = drawn(rng, [share, 1 - share], [[hit, 1 - hit], [1 - miss, miss]], pictures, known)
        low, high = share_limits(study, 0, CRITICAL)
        covered = ((low <= share) & (share <= high)).mean()
        print(f"{rates} {pictures} {known} {share}: {100 * covered:.1f} %")  # noqa: T201
        assert 0.92 <= covered <= (0.995 if share in (0.02, 0.1, 0.9) else 0.985)


@pytest.mark.validate
def test_intervals_of_three_groups_differences_and_clusters_cover() -> None:
    rng = np.random.default_rng(2)
    three = [[0.8, 0.1, 0.05, 0.05], [0.15, 0.7, 0.1, 0.05], [0.05, 0.1, 0.75, 0.1]]
    low, high = share_limits(drawn(rng, [0.2, 0.5, 0.3], three, 150, 300), 0, CRITICAL)
    rates = [[0.9, 0.1], [0.2, 0.8]]
    one, two = (drawn(rng, [share, 1 - share], rates, 100, 200) for share in (0.6, 0.35))
    covers = {"three groups": ((low <= 0.2) & (high >= 0.2)).mean()}
    for together in (True, False):
        common = 0 if together else 1
        other = replace(two, calibration=common * two.calibration)
        found = share_differences(one.beside(other, together=together), 0, CRITICAL)
        covers[f"difference, {together}"] = ((found[1] <= 0.25) & (found[2] >= 0.25)).mean()
        same = replace(other, rated=drawn(rng, [0.6, 0.4], rates, 100, 200).rated)
        none = share_differences(one.beside(same, together=together), 0, CRITICAL)
        covers[f"no difference, {together}"] = (likelihood_p(none[3]) > 0.05).mean()
    for wordings, words in ((10, 1), (4, 6)):
        inside = []
        for _ in range(300):
            of = rng.beta(0.4 * 9, 0.6 * 9, (words, wordings))  # variance 2.9 times the binomial's
            counts = rng.binomial(20, np.array([of * 0.9 + (1 - of) * 0.2])[0])
            tables = [np.c_[row, 20 - row].astype(float) for row in counts]
            factor, critical, _ = inflation(tables, 0.95)
            known = np.stack([rng.multinomial(100, row) for row in rates]).astype(float)
            low, high = share_limits(
                ratings(tables[0].sum(axis=0) / factor, known=known), 0, critical
            )
            inside.append(low[0] <= 0.4 <= high[0])
        covers[f"{wordings} wordings of {words} words"] = np.mean(inside)
    print({name: round(float(value), 3) for name, value in covers.items()})  # noqa: T201
    assert all(0.92 <= value <= 0.985 for value in covers.values())
