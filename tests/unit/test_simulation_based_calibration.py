"""Simulation-based calibration (Talts et al. 2018): what was drawn ranks evenly among the draws.

Parameters are drawn from a prior, data from the model with these parameters, and the posterior of
the data is sampled. If the engine is right, the rank of each true value among the draws is
uniform.

The posterior and the distance engine have a prior and draw from the posterior, so even ranks prove
that the whole distribution is right. The decision and the trials engine maximise a restricted
likelihood. Their approximate posterior is the one whose central intervals they report, and its even
quantiles are its draws; parameters come from a proper distribution that resembles real subjects.
Even ranks prove that these intervals hold the truth at every level and on both sides, on average
over such subjects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

import biaslab as bl
from biaslab.probes.association import exact_engine
from biaslab.probes.association.distance_parameters import DrawnSpreads, Priors
from biaslab.stats.crossed.layout import Layout, Moments
from biaslab.stats.curves.sigmoids import get_sigmoid
from biaslab.stats.decisions import model as decision_model
from biaslab.stats.decisions.fit import fit_decisions
from biaslab.stats.mixed import restricted_likelihood
from biaslab.stats.mixed.fitted_curves import BlurredCurve
from biaslab.stats.mixed.hierarchical import fit_hierarchical
from biaslab.stats.mixed.restricted_likelihood import Answers
from harness.decision_subjects import DecisionSubject
from harness.distance_truth import Design
from harness.heavy import stats
from harness.needs import needs

Floats = NDArray[np.float64]
Ranks = NDArray[np.intp]

AMONG = 31  # draws that a true value is ranked among: 32 possible ranks
BINS = 16
SUBJECTS = 300
LEVEL = 0.01


def p_values(ranks: Ranks) -> Floats:
    """Return the p-value of even ranks of each quantity (chi-square), from (replications, Q)."""
    bins = ranks.T * BINS // (AMONG + 1)
    counts = np.array([np.bincount(own, minlength=BINS) for own in bins])
    return np.asarray(stats.chisquare(counts, axis=1).pvalue)


def rank_among_quantiles(truth: float, interval: Callable[..., Any], **options: str) -> int:
    """Return the rank of a true value among the even quantiles of an approximate posterior.

    Parameters
    ----------
    truth : float
    interval : callable
        Returns the ends of a central interval, given its `level`.
    options : str
        Of the interval.
    """
    levels = [1 - 2 * k / (AMONG + 1) for k in range(1, AMONG // 2 + 1)]
    ends = [interval(level=level, **options)[:2] for level in levels]
    middle = interval(level=1e-6, **options)[0]
    return int(np.sum(np.array([middle, *np.ravel(ends)]) < truth))


# ---- posterior ---------------------------------------------------------------------------------

SAMPLERS: dict[str, dict[str, Any]] = {
    "vectorised": {"chains": 256, "draws": 80, "warmup": 150},
    "exact": {"chains": 64, "draws": 600},
    "choices": {"chains": 64, "draws": 1200},
}
APART = {"exact": 1, "vectorised": 4, "choices": 30}
"""Draws of a chain so far apart are nearly independent."""


def classifiers():
    """Different biases, steepnesses and priors."""
    for seed, (bias, steepness, spread) in enumerate(
        [(0.0, 1.0, 1.0), (-1.0, 3.0, 0.5), (0.5, 8.0, 2.0)]
    ):
        rng = np.random.default_rng(seed)
        root = spread * (np.eye(4) + 0.4 * rng.standard_normal((4, 4)))
        yield bl.observers.classifier(
            dim=4,
            bias=bias,
            steepness=steepness,
            mean=0.5 * rng.standard_normal(4),
            covariance=root @ root.T,
            seed=seed,
        )


def quantities(points: Floats, observer: Any) -> Floats:
    """What is ranked: a dimension, the logit, and |s|²; shape (..., 3)."""
    logit = points @ observer.weight + observer.bias
    return np.stack([points[..., 0], logit, (points**2).sum(axis=-1)], axis=-1)


def posterior_ranks(factor: float = 1.0, sampler: str = "exact") -> Ranks:
    """Rank stimuli from a prior whose SD is `factor` times the sampler's."""
    ranks = []
    for seed, observer in enumerate(classifiers()):
        rng = np.random.default_rng(100 + seed)
        groups = {}
        for label in observer.labels:
            drawn = bl.sample_posterior(
                observer, label, engine=sampler, check=False, rng=seed, **SAMPLERS[sampler]
            )
            points = drawn.draws[:, :: APART[sampler]].reshape(-1, 4).astype(np.float64)
            points = rng.permutation(points)[: len(points) // AMONG * AMONG]
            groups[label] = list(points.reshape(-1, AMONG, 4))
        covariance = factor**2 * observer.prior_covariance
        truth = rng.multivariate_normal(observer.prior_mean, covariance, 2000)
        said = rng.random(len(truth)) < observer.probabilities(truth)[:, 1]
        for s, positive in zip(truth, said, strict=True):
            left = groups[observer.labels[int(positive)]]
            if not left:  # every draw is used once
                continue
            among = quantities(left.pop(), observer)
            ranks.append((among < quantities(s, observer)).sum(axis=0))
    return np.array(ranks)


@needs("pyro")
@pytest.mark.parametrize(
    "sampler", ["vectorised", "exact", pytest.param("choices", marks=pytest.mark.validate)]
)
def test_true_stimuli_rank_evenly_among_the_draws(sampler):
    ranks = posterior_ranks(sampler=sampler)
    assert len(ranks) > 200
    assert p_values(ranks).min() > 1e-4


@needs("pyro")
def test_the_wrong_label_is_detected(monkeypatch):
    right = bl.observers.classifier(dim=4, steepness=3, seed=0)
    monkeypatch.setattr(type(right), "label_index", lambda self, label: 1)
    assert p_values(posterior_ranks()).min() < 1e-4


# ---- distance ----------------------------------------------------------------------------------

TABLE = Design("8 x 14 words", 2, 4, (3, 3), (3, 5))
PRIORS = Priors(sigma_scale=0.1)  # the default, 1, often draws distances beyond 100


def distance_ranks(factor: float = 1.0) -> Ranks:
    """Rank contrasts and spreads of tables whose words spread `factor` times as far as a priori."""
    layout, priors = TABLE.layout(), PRIORS
    spreads = DrawnSpreads.of("crossed", layout.counts)
    chosen = [spreads.names.index(name) for name in ("sigma_stereotype", "word", "pairing")]
    ranks = []
    for seed in range(SUBJECTS):
        rng = np.random.default_rng([seed, 1])
        sds = factor * np.abs(rng.standard_normal(len(spreads))) * spreads.scales(priors)
        sigma = list(spreads.every("sigma"))
        sds[sigma] = priors.sigma_scale * np.abs(rng.standard_cauchy(len(sigma)))
        connection = rng.normal(priors.connection_mean, priors.connection_sd, 4)
        distance = drawn_table(layout, spreads, sds, connection, rng)
        distance += rng.normal(0, priors.word_sd)
        moments = Moments.of(layout, distance)
        fit = exact_engine.fit(layout, moments, "crossed", priors, 32 * AMONG, (seed,))
        among = np.column_stack([fit.draws.connection[:, 1:] - fit.draws.connection[:, :1],
                                 fit.spreads[:, chosen]])[:AMONG]  # fmt: skip
        truth = np.r_[connection[1:] - connection[0], sds[chosen]]
        ranks.append((among < truth).sum(axis=0))
    return np.array(ranks)


def drawn_table(
    layout: Layout, spreads: DrawnSpreads, sds: Floats, connection: Floats, rng: np.random.Generator
) -> Floats:
    """Return distances of the crossed model less their mean, (I, J)."""
    words, attributes = layout.connection.shape
    place = layout.connection.astype(np.intp)
    kinds = layout.kind_of[place]
    cells = connection + sds[spreads.word] * rng.standard_normal((words, 1))
    cells = cells + sds[spreads.slope] * rng.standard_normal((words, 4))
    group = layout.group_of_class[layout.class_of]
    of_groups = sds[spreads.pairing] * rng.standard_normal((layout.n_groups, attributes))
    distance = np.take_along_axis(cells, place, axis=1)
    distance += sds[list(spreads.attribute)][kinds.min(axis=0)] * rng.standard_normal(attributes)
    distance += of_groups[group] * (np.ptp(place, axis=0) > 0)
    return distance + sds[list(spreads.sigma)][kinds] * rng.standard_normal((words, attributes))


# ---- decisions ---------------------------------------------------------------------------------


def decision_ranks(factor: float = 1.0, subjects: Sequence[int] = range(SUBJECTS)) -> Ranks:
    """Rank the gap over cues and wordings, and that of just these; SDs are `factor` times as large.

    The JND is left out: it is known to come out too large where many answers are lapses.
    """
    ranks = []
    for seed in subjects:
        rng = np.random.default_rng([seed, 2])
        slope = 0.9 * np.exp(rng.normal(0, 0.3))
        sds = factor * np.abs(rng.normal(0, [1.0, 0.5, 0.3]))
        # How much steeper the curve of group 2 is than the mean, and that of group 1 flatter.
        steeper = np.exp(rng.normal(0, 0.2))
        cue_sd, wording_sd, cell_sd = sds / steeper
        subject = DecisionSubject(
            gap=rng.normal(0, 2), slope=slope / steeper, steeper=steeper**2, cue_sd=cue_sd,
            wording_sd=wording_sd, cell_sd=cell_sd, yes=tuple(rng.beta(1, 30, 2)),
            no=tuple(rng.beta(1, 30, 2)), position=rng.uniform(0, 0.3), seed=[seed, 3],
        )  # fmt: skip
        fit = fit_decisions(subject.constant(480))
        if fit.reason:
            continue
        ranks.append([
            rank_among_quantiles(subject.gap, fit.gap_interval),
            rank_among_quantiles(subject.these, fit.gap_interval, scope="these"),
        ])  # fmt: skip
    return np.array(ranks)


# ---- trials ------------------------------------------------------------------------------------


def trials_ranks(subjects: Sequence[int] = range(SUBJECTS)) -> Ranks:
    """Rank the PSE of the population, its JND, and the effect of the order."""
    ranks = []
    for seed in subjects:
        rng = np.random.default_rng([seed, 4])
        sd, spread = 0.08 * np.exp(rng.normal(0, 0.4)), abs(rng.normal(0, 0.06))
        pse, order = rng.uniform(0.4, 0.7), rng.normal(0, 0.04)
        who, level, second = (x.ravel() for x in np.indices((10, 11, 2)))
        levels, sign = level / 10, 0.5 - second
        own = rng.normal(pse, spread, 10)
        n = np.full(len(who), 2)
        hits = rng.binomial(n, ndtr((levels - own[who] - order * sign) / sd))
        fit = fit_hierarchical(Answers(levels, hits, n, who, np.zeros_like(who), sign))
        jnd = BlurredCurve(get_sigmoid("normal"), 0.0, 1 / sd, 0.0, spread / sd).jnd("quartile")
        ranks.append([
            rank_among_quantiles(pse, fit.pse_interval),
            rank_among_quantiles(jnd, fit.jnd_interval, convention="quartile"),
            rank_among_quantiles(order, fit.order_interval),
        ])  # fmt: skip
    return np.array(ranks)


# ---- every engine ------------------------------------------------------------------------------

ENGINES: dict[str, Callable[[], Ranks]] = {
    "posterior": posterior_ranks,
    "distance": distance_ranks,
    "decisions": decision_ranks,
    "trials": trials_ranks,
}
FLAT = (-5.0, float(np.log(0.05)))
"""Bounds of log SDs that are far below those of the subjects."""


@pytest.mark.validate
@needs("pyro")
@pytest.mark.parametrize("engine", ENGINES)
def test_true_values_rank_evenly_among_the_draws(engine: str) -> None:
    ranks = ENGINES[engine]()
    p = p_values(ranks)
    print(engine, len(ranks), p)  # noqa: T201
    assert len(ranks) > 0.95 * SUBJECTS
    assert p.min() > LEVEL / len(p)


@pytest.mark.validate
@needs("pyro")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_wrong_prior_of_sds_is_detected(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Priors of SDs are too narrow by a factor, or end below the SDs of the subjects."""
    for module in (decision_model, restricted_likelihood):
        monkeypatch.setattr(module, "_SD_BOUNDS", FLAT)
    wrong = {
        "posterior": lambda: posterior_ranks(factor=1.2),
        "distance": lambda: distance_ranks(factor=2.0),
        "decisions": lambda: decision_ranks(factor=2.0),
    }
    p = p_values(wrong.get(engine, ENGINES[engine])())
    print(engine, p)  # noqa: T201
    assert p.min() < LEVEL / len(p)
