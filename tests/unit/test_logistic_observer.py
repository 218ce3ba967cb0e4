"""The observer whose posterior is known: its moments against other ways of having them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import ObserverError, SubjectError
from harness.heavy import integrate

numbers = st.floats(-3, 3)
slopes = st.floats(0.05, 30)


@given(slopes, numbers, numbers, st.floats(0.1, 5))
@settings(max_examples=30, deadline=None)
def test_moments_in_one_dimension_are_those_of_adaptive_quadrature(w, b, m, sd):
    observer = bl.observers.classifier([w], b, mean=[m], covariance=[[sd**2]])

    def density(s, power=0):
        prior = math.exp(-(((s - m) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))
        return s**power * prior / (1 + math.exp(-min(max(w * s + b, -700), 700)))

    def integral(power):
        where = {"limit": 500, "points": [m, -b / w] if abs(-b / w - m) < 12 * sd else [m]}
        return integrate.quad(density, m - 14 * sd, m + 14 * sd, (power,), **where)[0]

    total = integral(0)
    mean = integral(1) / total
    assert observer.log_evidence("positive") == pytest.approx(np.log(total), abs=1e-6)
    assert observer.posterior_mean()[0] == pytest.approx(mean, abs=1e-5 * (1 + abs(mean)))
    variance = integral(2) / total - mean**2
    assert observer.posterior_covariance()[0, 0] == pytest.approx(variance, rel=1e-3, abs=1e-5)


def test_moments_in_many_dimensions_are_those_of_weighted_draws():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((5, 5))
    mean, covariance = rng.standard_normal(5), root @ root.T
    observer = bl.observers.classifier(
        dim=5, steepness=3, bias=-1, mean=mean, covariance=covariance, seed=1
    )
    s = rng.multivariate_normal(mean, covariance, 200_000)
    p = observer.probabilities(s)[:, 1]
    np.testing.assert_allclose(
        observer.posterior_mean(), np.average(s, axis=0, weights=p), atol=0.03
    )
    np.testing.assert_allclose(
        observer.posterior_covariance(), np.cov(s.T, aweights=p), atol=0.03 * np.trace(covariance)
    )
    assert np.exp(observer.log_evidence()) == pytest.approx(p.mean(), abs=0.003)
    square = np.average((s**2).sum(axis=1), weights=p)
    assert observer.posterior_square() == pytest.approx(square, rel=0.01)
    t = s @ observer.weight + observer.bias
    logit_mean, logit_variance = observer.posterior_logit()
    assert logit_mean == pytest.approx(np.average(t, weights=p), abs=0.03)
    assert logit_variance == pytest.approx(np.cov(t, aweights=p), rel=0.02)


def test_a_steep_observer_cuts_the_prior_in_two():
    observer = bl.observers.classifier([1e4, 0.0])
    assert observer.posterior_mean()[0] == pytest.approx(np.sqrt(2 / np.pi), abs=1e-3)
    assert observer.posterior_covariance()[0, 0] == pytest.approx(1 - 2 / np.pi, abs=1e-3)
    assert observer.posterior_covariance()[1, 1] == 1


@given(st.integers(0, 100), numbers, st.floats(0.1, 20))
@settings(max_examples=30, deadline=None)
def test_labels_share_out_the_prior(seed, bias, steepness):
    observer = bl.observers.classifier(dim=3, bias=bias, steepness=steepness, seed=seed)
    share = np.exp([observer.log_evidence("negative"), observer.log_evidence("positive")])
    assert share.sum() == pytest.approx(1, abs=1e-7)
    total = share[0] * observer.posterior_mean("negative")
    total += share[1] * observer.posterior_mean("positive")
    np.testing.assert_allclose(total, observer.prior_mean, atol=1e-6)


@given(st.integers(0, 100), numbers)
@settings(max_examples=20, deadline=None)
def test_turning_the_weight_round_exchanges_the_labels(seed, bias):
    one = bl.observers.classifier(dim=3, bias=bias, seed=seed)
    other = bl.observers.classifier(-one.weight, -bias)
    np.testing.assert_allclose(
        one.posterior_mean("negative"), other.posterior_mean("positive"), atol=1e-9
    )
    assert one.posterior_logit("negative") == pytest.approx(other.posterior_logit("positive"))


def test_an_unlikely_label_has_a_posterior_far_from_the_prior():
    observer = bl.observers.classifier([1.0], -30.0)
    # p(+|s) is exp(s - 30) here, which moves a normal prior by 1.
    assert observer.log_evidence() == pytest.approx(-29.5, abs=1e-3)
    assert observer.posterior_mean()[0] == pytest.approx(1, abs=1e-3)
    steep = bl.observers.classifier([8.0], -120.0)
    assert steep.posterior_mean()[0] == pytest.approx(8, abs=1e-3)


def test_what_cannot_be_simulated_is_told():
    for wrong, message in [
        ({"weight": [0.0, 0.0]}, "zero"),
        ({"weight": [1.0, np.nan]}, "finite"),
        ({"weight": [1.0, 2.0], "dim": 3}, "differ"),
        ({"dim": 2, "covariance": [[1, 2], [2, 1]]}, "positive definite"),
        ({"dim": 0}, "at least one dimension"),
        ({"dim": 2, "labels": ("a", "b", "c")}, "two labels"),
    ]:
        with pytest.raises(ObserverError, match=message):
            bl.observers.classifier(**wrong)
    with pytest.raises(SubjectError, match="negative, positive"):
        bl.observers.classifier(dim=2).posterior_mean("neutral")


def test_the_same_numbers_give_the_same_hash():
    one, two = (bl.observers.classifier(dim=3, seed=1) for _ in range(2))
    assert one.content_hash == two.content_hash
    assert one.content_hash != bl.observers.classifier(dim=3, seed=2).content_hash
