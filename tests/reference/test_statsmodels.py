"""The hierarchical model against statsmodels, and against brute-force quadrature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

from biaslab.stats.curves.sigmoids import get_sigmoid
from biaslab.stats.mixed.laplace import BetaBinomial, CurveCounts, MixedCurve, Settings
from biaslab.stats.mixed.restricted_likelihood import Answers
from harness.heavy import integrate, optimize, stats

LEVELS = np.linspace(0, 1, 7)


def answers(spread: float, observers: int = 6, trials: int = 8, seed: int = 3) -> Answers:
    """Answers in both orders: PSE 0.6, SD of the curves 0.2, order effect 0.1."""
    rng = np.random.default_rng(seed)
    who, level, order = (
        place.ravel() for place in np.indices((observers, len(LEVELS), 2), dtype=np.intp)
    )
    pse = 0.6 + spread * rng.standard_normal(observers)
    sign = 0.5 - order
    p = special.ndtr((LEVELS[level] - pse[who] - 0.1 * sign) / 0.2)
    n = np.full(len(who), trials)
    return Answers(LEVELS[level], rng.binomial(n, p), n, who, np.zeros(len(who), int), sign)


def singles(data: Answers) -> tuple[Any, Any, Any]:
    """One row per trial: answers, the columns (1, level, order), and observers."""
    row = np.repeat(np.arange(len(data.trials)), data.trials)
    within = np.arange(len(row)) - np.repeat(np.cumsum(data.trials) - data.trials, data.trials)
    columns = np.column_stack([np.ones(len(row)), data.levels[row], data.order[row]])
    return (within < data.hits[row]).astype(float), columns, data.observer[row]


def counted(family: str, data: Answers) -> CurveCounts:
    """The likelihood of the answers, without asymptotes."""
    return CurveCounts(get_sigmoid(family), BetaBinomial(data.hits, data.trials))


@pytest.mark.parametrize("family", ["normal", "logistic", "gumbel"])
def test_one_observer_is_a_generalised_linear_model(family: str) -> None:
    from statsmodels.genmod import families
    from statsmodels.genmod.generalized_linear_model import GLM

    links = families.links
    link = {"normal": links.Probit, "logistic": links.Logit, "gumbel": links.CLogLog}[family]()
    data = answers(0.0, observers=1, trials=60)
    shares = np.column_stack([data.hits, data.trials - data.hits])
    columns = np.column_stack([np.ones(len(data.levels)), data.levels, data.order])
    theirs = GLM(shares, columns, families.Binomial(link)).fit(tol=1e-12)
    model = MixedCurve(counted(family, data), columns, [], None, np.zeros(3))
    ours = model.mode(Settings(()), np.zeros(3))
    assert ours.converged
    np.testing.assert_allclose(ours.x, theirs.params, rtol=1e-6)
    expected = -theirs.model.hessian(theirs.params, observed=False)
    np.testing.assert_allclose(ours.precision, expected, rtol=1e-6)


def test_the_mode_is_that_of_a_bayesian_mixed_model() -> None:
    """statsmodels' posterior mode of coefficients and effects, given the SD of the effects."""
    from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

    data = answers(0.15)
    hit, columns, observer = singles(data)
    indicator = (observer[:, None] == np.arange(data.n_observers)).astype(float)
    wide = 1e4
    theirs = BinomialBayesMixedGLM(
        hit, columns, indicator, np.zeros(data.n_observers, int), vcp_p=0.5, fe_p=wide
    )
    # The SD is part of their mode: take it from there, and compare all the rest.
    found = theirs.fit_map()
    sd = float(np.exp(found.vcp_mean[0]))
    model = MixedCurve(
        counted("logistic", data),
        np.column_stack([np.ones(len(data.levels)), data.levels, data.order]),
        [(data.observer, data.n_observers)],
        None,
        np.full(3, 1 / wide**2),
    )
    ours = model.mode(Settings((sd,)), np.zeros(model.size))
    assert ours.converged
    np.testing.assert_allclose(ours.x[:3], found.fe_mean, rtol=1e-4)
    np.testing.assert_allclose(sd * ours.x[3:], found.vc_mean, atol=1e-4)


class Shifted(MixedCurve):
    """A model whose coefficients are given: all of z but the effects is an offset."""

    offset: Any

    def predictor(self, x: Any, settings: Settings) -> Any:
        z, steeper = super().predictor(x, settings)
        return z + self.offset, steeper


def test_the_likelihood_is_that_of_quadrature() -> None:
    """Of one random intercept per observer, with the coefficients given.

    The curvature is the expected one, which costs some hundredths against the observed one; the
    likelihood itself changes by units.
    """
    data = answers(0.15)
    model = Shifted(
        counted("normal", data),
        np.zeros((len(data.levels), 0)), [(data.observer, data.n_observers)], None, np.zeros(0),
    )  # fmt: skip
    model.offset = 5.0 * data.levels - 3.0 - 0.5 * data.order
    gaps = []
    for sd in (0.2, 0.5, 0.8, 1.5):
        laplace = model.mode(Settings((sd,)), np.zeros(model.size)).loglik
        exact = sum(_log_integral(data, o, model.offset, sd) for o in range(data.n_observers))
        gaps.append(laplace - exact)
    np.testing.assert_allclose(gaps, 0, atol=0.05)
    assert np.ptp(gaps) < 0.03


def _log_integral(data: Answers, observer: int, offset: Any, sd: float) -> float:
    rows = data.observer == observer
    hits, trials = data.hits[rows], data.trials[rows]

    def log_density(u: float) -> float:
        z = offset[rows] + sd * u
        return float((hits * special.log_ndtr(z) + (trials - hits) * special.log_ndtr(-z)).sum())

    top = max(log_density(u) for u in np.linspace(-5, 5, 201))
    value, _ = integrate.quad(
        lambda u: np.exp(log_density(u) - top) * stats.norm.pdf(u), -8, 8, limit=400, epsabs=1e-12
    )
    return top + float(np.log(value))


def test_beta_binomial_counts_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    trials = rng.integers(1, 30, 50)
    hits = rng.integers(0, trials + 1)
    p = rng.uniform(0.05, 0.95, 50)
    counts = BetaBinomial(hits, trials)
    constant = special.gammaln(trials + 1) - special.gammaln(hits + 1)
    constant -= special.gammaln(trials - hits + 1)
    for dispersion in (0.01, 0.2, 0.8):
        m = (1 - dispersion) / dispersion
        theirs = stats.betabinom.logpmf(hits, trials, p * m, (1 - p) * m)
        np.testing.assert_allclose(counts.loglik(p, 1 - p, dispersion) + constant, theirs)
    theirs = stats.binom.logpmf(hits, trials, p)
    np.testing.assert_allclose(counts.loglik(p, 1 - p, 0.0) + constant, theirs)


def test_coefficients_are_those_of_the_integrated_likelihood() -> None:
    """Of few answers per observer, where the joint mode with the effects is too flat."""
    data = answers(0.2, observers=10, trials=2, seed=5)
    sd = 1.0
    design = np.column_stack([data.levels - 0.5, np.ones(len(data.levels)), data.order])
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = np.log(weights / weights.sum())

    def loss(x: Any) -> float:
        z = (design @ x)[:, None] + sd * nodes
        rows = data.hits[:, None] * special.log_ndtr(z)
        rows = rows + (data.trials - data.hits)[:, None] * special.log_ndtr(-z)
        by_observer = np.array(
            [rows[data.observer == o].sum(axis=0) for o in range(data.n_observers)]
        )
        return -float(special.logsumexp(by_observer + weights, axis=1).sum())

    exact = optimize.minimize(loss, [5.0, -0.5, -0.5], method="BFGS", options={"gtol": 1e-6}).x
    model = MixedCurve(
        counted("normal", data), design,
        [(data.observer, data.n_observers)], None, np.zeros(3),
    )  # fmt: skip
    joint = model.mode(Settings((sd,)), np.concatenate([exact, np.zeros(data.n_observers)]))
    ours = model.marginal(joint, Settings((sd,)), jeffreys=False).x[:3]
    assert joint.x[0] < 0.97 * exact[0]
    assert abs(ours[0] / exact[0] - 1) < 0.25 * abs(joint.x[0] / exact[0] - 1)
    np.testing.assert_allclose(ours, exact, rtol=0.01)


def test_slopes_of_few_answers_are_those_of_firth() -> None:
    """Of one observer: the mode of the likelihood times Jeffreys' density."""
    data = answers(0.0, observers=1, trials=3, seed=2)
    design = np.column_stack([data.levels - 0.5, np.ones(len(data.levels)), data.order])

    def loss(x: Any) -> float:
        z = design @ x
        p = special.ndtr(z)
        weight = data.trials * stats.norm.pdf(z) ** 2 / (p * (1 - p))
        information = (design * weight[:, None]).T @ design
        answered = data.hits * np.log(p) + (data.trials - data.hits) * np.log1p(-p)
        return -float(answered.sum() + np.linalg.slogdet(information)[1] / 2)

    model = MixedCurve(counted("normal", data), design, [], None, np.zeros(3))
    plain = model.mode(Settings(()), np.array([4.0, 0.0, 0.0]))
    firth = optimize.minimize(loss, plain.x, method="BFGS").x
    ours = model.marginal(plain, Settings(())).x
    assert firth[0] < 0.95 * plain.x[0]
    assert abs(ours[0] - firth[0]) < 0.4 * abs(plain.x[0] - firth[0])
