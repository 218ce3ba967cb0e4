"""Simulation-based calibration (Talts et al. 2018): what was drawn ranks evenly among the draws.

A stimulus is drawn from the prior, the observer labels it, and the posterior of that label is
sampled. If the sampler is right, the rank of the true stimulus among the posterior's draws is
uniform, in every quantity.
"""

import numpy as np
import pytest

import biaslab as bl
from harness.heavy import stats
from harness.needs import needs

pytestmark = needs("pyro")


AMONG = 31  # draws that a true value is ranked among: 32 possible ranks
BINS = 16
LEVEL = 1e-4  # of 7 engines and quantities with fixed seeds
ENGINES = {
    "vectorised": {"chains": 256, "draws": 80, "warmup": 150},
    "exact": {"chains": 64, "draws": 600},
    "choices": {"chains": 64, "draws": 1200},
}


def observers():
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


def quantities(points, observer):
    """What is ranked: a dimension, the logit, and |s|²; shape (..., 3)."""
    logit = points @ observer.weight + observer.bias
    return np.stack([points[..., 0], logit, (points**2).sum(axis=-1)], axis=-1)


def ranks(engine, spoil=1.0):
    """Ranks of true quantities among posterior draws, shape (replications, 3)."""
    found = []
    for seed, observer in enumerate(observers()):
        rng = np.random.default_rng(100 + seed)
        groups = {}
        for label in observer.labels:
            drawn = bl.sample_posterior(
                observer, label, engine=engine, check=False, rng=seed, **ENGINES[engine]
            )
            # Far enough apart within a chain to be nearly independent.
            apart = {"exact": 1, "vectorised": 4, "choices": 30}[engine]
            points = drawn.draws[:, ::apart].reshape(-1, 4).astype(np.float64)
            points = points.mean(axis=0) + spoil * (points - points.mean(axis=0))
            points = rng.permutation(points)[: len(points) // AMONG * AMONG]
            groups[label] = list(points.reshape(-1, AMONG, 4))
        truth = rng.multivariate_normal(observer.prior_mean, observer.prior_covariance, 2000)
        said = rng.random(len(truth)) < observer.probabilities(truth)[:, 1]
        for s, positive in zip(truth, said, strict=True):
            left = groups[observer.labels[int(positive)]]
            if not left:  # every draw is used once
                continue
            among = quantities(left.pop(), observer)
            found.append((among < quantities(s, observer)).sum(axis=0))
    return np.array(found)


def p_values(found):
    counts = np.array(
        [np.bincount(found[:, k] * BINS // (AMONG + 1), minlength=BINS) for k in range(3)]
    )
    return stats.chisquare(counts, axis=1).pvalue


@pytest.mark.parametrize(
    "engine", ["vectorised", "exact", pytest.param("choices", marks=pytest.mark.validate)]
)
def test_true_stimuli_rank_evenly_among_the_draws(engine):
    found = ranks(engine)
    assert len(found) > 200
    assert p_values(found).min() > LEVEL


def test_draws_that_are_spread_a_fifth_too_far_are_found_out():
    assert p_values(ranks("exact", spoil=1.2)).min() < LEVEL


def test_the_wrong_label_is_found_out(monkeypatch):
    right = bl.observers.classifier(dim=4, steepness=3, seed=0)
    monkeypatch.setattr(type(right), "label_index", lambda self, label: 1)
    assert p_values(ranks("exact")).min() < LEVEL
