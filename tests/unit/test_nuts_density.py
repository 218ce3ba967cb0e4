"""The density that NUTS draws from is the model's, word by word, in whatever units it is walked."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from biaslab.probes.association.distance_parameters import CROSSED, MODELS, Model, Priors
from biaslab.probes.association.nuts_density import Density, Statistics, tensor
from biaslab.probes.association.nuts_engine import Units, first_units
from harness.needs import needs

pytestmark = [needs("torch"), pytest.mark.usefixtures("one_thread")]

Floats = NDArray[np.float64]
PRIORS = Priors(1.1, 0.4, 0.2, 0.7, 0.5, 0.2, 0.3, 0.15, 0.35)
GROUPS = np.array([0, 0, 1, 1, 1])


def _table() -> tuple[NDArray[np.int8], Floats]:
    """Five protected words, three stereotypes a group, four neutral words; two pairs missing."""
    rng = np.random.default_rng(3)
    own = np.repeat([0, 1], 3)
    lists = np.where(own == GROUPS[:, None], 0, 1)
    connection = np.hstack([lists, np.full((5, 4), 3)]).astype(np.int8)
    distance = 1 - 0.2 * (connection == 0) + 0.1 * rng.standard_normal((5, 10))
    for pair in ((0, 7), (3, 1)):
        connection[pair], distance[pair] = -1, np.nan
    return connection, distance


def _word_by_word(density: Density, parameters: Floats) -> float:
    """The log joint density, every distance of an attribute word by its covariance with others."""
    from scipy import stats

    connection, distance = _table()
    found = density.split(tensor(parameters))
    logs, blocks = found[0].numpy(), {name: b.numpy() for name, b in found[1].items()}
    spread = np.exp(logs)
    log_prior = logs.sum()
    of_word = stats.norm(PRIORS.word_mean, PRIORS.word_sd)
    of_connection = stats.norm(PRIORS.connection_mean, PRIORS.connection_sd)
    own = dict(zip(density.spreads.names, spread, strict=True))
    kind = ["stereotype"] * 6 + ["none"] * 4 if density.model == "crossed" else [""] * 10
    sigma = [own[f"sigma_{k}" if k else "sigma"] for k in kind]
    attribute, pairing = [0.0] * 10, 0.0
    log_prior += sum(
        stats.halfcauchy(scale=PRIORS.sigma_scale).logpdf(value)
        for name, value in own.items()
        if name.startswith("sigma")
    )
    if density.model in CROSSED:
        attribute = [own[f"attribute_{k}" if k else "attribute"] for k in kind]
        word, slope, pairing = own["word"], own["slope"], own["pairing"]
        for name, value in own.items():
            if not name.startswith("sigma"):
                scale = getattr(PRIORS, f"{name.partition('_')[0]}_spread")
                log_prior += stats.halfnorm(scale=scale).logpdf(value)
        log_prior += of_word.logpdf(blocks["intercept"]).sum()
        log_prior += stats.norm(0, word).logpdf(blocks["word"]).sum()
        log_prior += stats.norm(0, slope).logpdf(blocks["slope"]).sum()
    else:
        log_prior += of_word.logpdf(blocks["word"]).sum()
        log_prior += of_connection.logpdf(blocks.get("slope", np.empty(0))).sum()
    log_prior += of_connection.logpdf(blocks.get("connection", np.empty(0))).sum()
    slopes = np.zeros((5, 4))
    slopes[density.statistics.has_distances] = blocks.get("slope", 0.0)
    total = float(log_prior)
    for j in range(10):
        rows = np.flatnonzero(connection[:, j] >= 0)
        types = connection[rows, j]
        mean = blocks["word"][rows] + slopes[rows, types] + blocks.get("intercept", 0.0)
        mean = mean + blocks.get("connection", np.zeros(4))[types]
        same = GROUPS[rows][:, None] == GROUPS[rows]
        several = len(set(types.tolist())) > 1
        covariance = sigma[j] ** 2 * np.eye(len(rows)) + attribute[j] ** 2
        covariance += several * pairing**2 * same
        total += float(stats.multivariate_normal(mean, covariance).logpdf(distance[rows, j]))
    return total


def _density(model: Model) -> Density:
    return Density(Statistics.of(*_table(), GROUPS), model, PRIORS)


@pytest.mark.parametrize("model", MODELS)
def test_sufficient_statistics_say_what_every_distance_says(model: Model) -> None:
    density = _density(model)
    rng = np.random.default_rng(5)
    points = 0.5 * rng.standard_normal((6, len(density)))
    points[:, : density.n_spreads] -= 1.5
    fast = [float(density(*density.split(tensor(point)))) for point in points]
    slow = [_word_by_word(density, point) for point in points]
    # Only what is the same everywhere is left out.
    assert np.ptp(slow) > 10
    assert np.asarray(fast) - fast[0] == pytest.approx(np.asarray(slow) - slow[0], abs=1e-8)


@pytest.mark.parametrize("model", MODELS)
def test_units_change_a_density_by_their_determinant_alone(model: Model) -> None:
    import torch

    density = _density(model)
    units = first_units(density, density.statistics)
    rng = np.random.default_rng(6)
    gaps = []
    for point in tensor(rng.standard_normal((5, len(density)))):

        def parameters(z: torch.Tensor) -> torch.Tensor:
            return units.parameters(z[None])[0]

        own = parameters(point)
        log_det = torch.linalg.slogdet(torch.autograd.functional.jacobian(parameters, point))[1]
        expected = density(*density.split(own)) + log_det
        gaps.append(float(-units.potential({"z": point}) - expected))
    assert gaps == pytest.approx([gaps[0]] * 5, abs=1e-8)


@pytest.mark.parametrize("model", MODELS)
def test_coefficients_are_independent_with_unit_scale_at_the_guess(model: Model) -> None:
    import torch

    density = _density(model)
    k = density.n_spreads
    guess = np.log([0.1, 0.05, 0.08, 0.1, 0.06, 0.07, 0.12])[:k]
    units = Units.at(density, guess, np.eye(k))
    zero = torch.zeros(len(density), dtype=torch.float64)
    curved = torch.autograd.functional.hessian(lambda z: units.potential({"z": z}), zero)
    assert curved[k:, k:].numpy() == pytest.approx(np.eye(len(density) - k), abs=1e-8)
    assert units.centre[:k].numpy() == pytest.approx(guess)
