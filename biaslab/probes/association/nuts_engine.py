"""Distance models by Pyro's NUTS, as a check of the exact engine.

The density is that of `nuts_density`, and Pyro draws from it as from any other. The mass matrix is
dense: m + co is identified by the priors alone, and with a diagonal one the chains hardly move
along that ridge.

Pyro walks in units that are near normal and independent. Two things make such a posterior hard to
walk in. Coefficients depend on each other: at fixed spreads their log density is quadratic, so that
one Hessian has their whole covariance, where an estimate from draws would need hundreds for 80
coefficients, and with few is worse than none. And where a spread is small, its effects are small
too: m_i and d_ic are measured from their conditional means given data and spread, in units of their
conditional standard deviations. A poor guess costs steps and changes no result: the density is the
model's own, corrected by the determinant of the change of variables.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError
from biaslab.jobs.job import JobContext
from biaslab.probes.association.distance_parameters import CROSSED, DrawnSpreads, Model, Priors
from biaslab.probes.association.distances import DistanceTable
from biaslab.probes.association.exact_engine import Fit
from biaslab.probes.association.lists import CONNECTIONS, KIND_OF
from biaslab.probes.association.nuts_density import Density, Statistics, tensor
from biaslab.stats.chains import rhat_limit
from biaslab.stats.crossed.layout import Draws
from biaslab.stats.threads import sampler_turn
from biaslab.threads.leaving import leave_if_cancelled

if TYPE_CHECKING:
    from torch import Tensor


Floats = NDArray[np.float64]
_SHARES = {"sigma": 0.7, "word": 0.4, "slope": 0.4, "attribute": 0.7, "pairing": 0.3}
"""Initial spreads, in units of the SD of distances within cells."""


@dataclass(frozen=True, eq=False)
class Shrunk:
    """m_i and d_ic of the crossed model, relative to their conditional means.

    Attributes
    ----------
    row : Tensor, shape (Q,)
        Protected word of each cell.
    deviations : Tensor, shape (Q,)
        How far a cell's mean distance is from that of other words' cells of its type.
    noise : Tensor, shape (Q,)
        About its variance.
    words : int
    spreads : DrawnSpreads
    """

    row: Tensor
    deviations: Tensor
    noise: Tensor
    words: int
    spreads: DrawnSpreads

    @classmethod
    def of(cls, density: Density, guess: Floats) -> Shrunk:
        """Build it from the distances, with a guess of the log spreads."""
        statistics = density.statistics
        with np.errstate(invalid="ignore"):
            centre = statistics.means.sum(axis=0) / statistics.has_distances.sum(axis=0)
        deviations = (statistics.means - centre)[statistics.has_distances]
        sigma = np.exp(guess)[list(density.spreads.sigma)][np.array(KIND_OF)[density.type.numpy()]]
        noise = tensor(sigma**2) / density.counts
        return cls(density.row, tensor(deviations), noise, len(statistics.counts), density.spreads)

    def __call__(self, logs: Tensor, word: Tensor, slope: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """m_i and d_ic from their deviations, and the log determinant of the change."""
        import torch

        of_word, of_slope = torch.exp(2 * logs[[self.spreads.word, self.spreads.slope]]).unbind()
        weight = 1 / (of_slope + self.noise)
        zero = torch.zeros(self.words, dtype=torch.float64)
        total = zero.index_add(0, self.row, weight)
        share = of_word / (1 + of_word * total)
        known = share * zero.index_add(0, self.row, weight * self.deviations)
        words = known + share.sqrt() * word
        gain = of_slope * weight
        left = gain * self.noise
        slopes = gain * (self.deviations - words[self.row]) + left.sqrt() * slope
        return words, slopes, 0.5 * (share.log().sum() + left.log().sum())


@dataclass(frozen=True, eq=False)
class Units:
    """A change of a density's K log spreads and D coefficients.

    Attributes
    ----------
    density : Density
    shrunk : Shrunk or None
        None if no spread is of coefficients.
    centre : Tensor, shape (K + D,)
    root : Tensor, shape (K + D, K + D)
        Of a covariance; 0 between spreads and coefficients.
    """

    density: Density
    shrunk: Shrunk | None
    centre: Tensor
    root: Tensor

    @classmethod
    def at(cls, density: Density, guess: Floats, covariance: Floats) -> Units:
        """Return units from a guess of the log spreads and the curvature there.

        - `guess`, ndarray, shape (K,): log spreads.
        - `covariance`, ndarray, shape (K, K): of the log spreads, positive definite.
        """
        import torch

        shrunk = Shrunk.of(density, guess) if density.model in CROSSED else None
        logs = tensor(guess)
        zero = torch.zeros(len(density) - len(guess), dtype=torch.float64)

        def log_density_at(coefficients: Tensor) -> Tensor:
            return _log_density(density, shrunk, torch.cat([logs, coefficients]))

        calculus: Any = torch.autograd.functional
        gradient: Tensor = calculus.jacobian(log_density_at, zero)
        precision: Tensor = -calculus.hessian(log_density_at, zero)
        factor = torch.linalg.cholesky(precision)
        centre = torch.cholesky_solve(gradient[:, None], factor)[:, 0]
        identity = torch.eye(len(zero), dtype=torch.float64)
        root = torch.linalg.solve_triangular(factor.T, identity, upper=True)
        of_spreads = torch.linalg.cholesky(tensor(covariance))
        return cls(density, shrunk, torch.cat([logs, centre]), _block_diagonal(of_spreads, root))

    def potential(self, points: dict[str, Tensor]) -> Tensor:
        """Return minus the log density at ``points["z"]``, (K + D,), up to a constant."""
        return -_log_density(self.density, self.shrunk, self.centre + self.root @ points["z"])

    def parameters(self, points: Tensor) -> Tensor:
        """Convert points in these units to the model's parameters, both (S, K + D)."""
        import torch

        parameters = []
        for point in self.centre + points @ self.root.T:
            logs, blocks, _ = _coefficients(self.density, self.shrunk, point)
            parameters.append(torch.cat([logs, *blocks.values()]))
        return torch.stack(parameters)


def _block_diagonal(first: Tensor, second: Tensor) -> Tensor:
    import torch

    k = len(first)
    joined = torch.zeros((k + len(second),) * 2, dtype=torch.float64)
    joined[:k, :k], joined[k:, k:] = first, second
    return joined


def _coefficients(
    density: Density, shrunk: Shrunk | None, vector: Tensor
) -> tuple[Tensor, dict[str, Tensor], Tensor | float]:
    """Return log spreads, coefficients and the log determinant of the transformation."""
    logs, blocks = density.split(vector)
    if shrunk is None:
        return logs, blocks, 0.0
    word, slope, log_det = shrunk(logs, blocks["word"], blocks["slope"])
    return logs, {**blocks, "word": word, "slope": slope}, log_det


def _log_density(density: Density, shrunk: Shrunk | None, vector: Tensor) -> Tensor:
    logs, blocks, log_det = _coefficients(density, shrunk, vector)
    return density(logs, blocks) + log_det


def first_units(density: Density, statistics: Statistics) -> Units:
    """Return initial units from the variance of distances within cells."""
    cells = statistics.has_distances.sum()
    df = max(statistics.counts.sum() - cells, 1.0)
    within = float(np.sqrt(statistics.residual / df))
    # If no cell has two different distances, use the variation between cells.
    within = max(within or float(statistics.means[statistics.has_distances].std()), 1e-6)
    many = density.n_spreads > 1
    shares = [_SHARES[name.partition("_")[0]] if many else 1.0 for name in density.spreads.names]
    known = np.maximum(_effects(density, statistics), 4.0)
    return Units.at(density, np.log(np.array(shares) * within), np.diag(1 / (2 * known)))


def _effects(density: Density, statistics: Statistics) -> Floats:
    """Return the number of effects behind each spread, which decides on its precision."""
    spreads, known = density.spreads, statistics.has_distances
    numbers = np.zeros(density.n_spreads)
    np.add.at(
        numbers, np.array(spreads.sigma)[list(KIND_OF)], (statistics.counts - known).sum(axis=0)
    )
    if density.model in CROSSED:
        numbers[spreads.word], numbers[spreads.slope] = len(known), known.sum()
        for columns in statistics.columns:
            numbers[spreads.attribute[columns.kinds.min()]] += columns.counts.sum()
            numbers[spreads.pairing] += columns.counts.sum() * columns.varies
    return numbers


def later_units(density: Density, drawn: Floats) -> Units:
    """Return units from draws of the log spreads, shape (S, K)."""
    n = len(drawn)
    # Towards the spreads' own scales, so that few draws give no thin matrix.
    covariance = np.atleast_2d(np.cov(drawn.T))
    shrunk = (n * covariance + 5 * np.diag(covariance.diagonal() + 1e-4)) / (n + 5)
    return Units.at(density, np.median(drawn, axis=0), shrunk)


CHAINS, WARMUP = 4, 500


def run(
    table: DistanceTable,
    model: Model,
    priors: Priors,
    shares: list[int],
    seed: int,
    context: JobContext,
    *,
    chains: int | None = None,
    warmup: int | None = None,
) -> tuple[list[Fit], dict[str, float]]:
    """Draw from a model's posterior in every replicate, chain after chain.

    - `shares`: draws from each replicate.
    - `context`: progress in draws; stops between two of them.
    - `chains`, `warmup`: chains per replicate, and draws of each that are thrown away, at least 20;
      by default `CHAINS` and `WARMUP`.
    - Returns `diagnostics`: worst of all replicates: ``R-hat`` (NaN of one chain), ``ESS bulk``,
      ``ESS tail``; ``R-hat limit`` for all quantities and chains; ``chains`` and ``divergences`` in
      all.
    - Raises `MissingExtraError` when Pyro or arviz is not installed.
    """
    for package in ("pyro", "arviz"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(f"engine='nuts' needs {package}: pip install 'biaslab[bayes]'.")
    chains, warmup = chains or CHAINS, warmup or WARMUP
    # R-hat splits a chain in two, and needs some draws in each half.
    each = [max(-(-n // chains), 20) for n in shares]
    total, done = sum(chains * (warmup + n) for n in each), 0

    def tick(message: str) -> None:
        nonlocal done
        done += 1
        context.checkpoint()
        context.report(done, total, message)

    fits, diagnostics = [], []
    for b, n in enumerate(each):
        samples: list[dict[str, Floats]] = []
        divergences = 0
        for chain in range(chains):
            plan, chain_seed = _Plan(warmup, n), _seed(seed, b, chain)
            with sampler_turn(context.checkpoint):
                drawn, bad = _chain(table, b, model, priors, plan, chain_seed, tick)
            samples.append(drawn)
            divergences += bad
        stacked = {name: np.stack([s[name] for s in samples]) for name in samples[0]}
        diagnostics.append({**_diagnosed(stacked), "divergences": float(divergences)})
        fits.append(_fit(stacked))
    return fits, {
        "R-hat": max(f["R-hat"] for f in diagnostics),
        "chains": float(chains),
        "R-hat limit": rhat_limit(sum(int(f["quantities"]) for f in diagnostics), chains),
        "ESS bulk": min(f["ESS bulk"] for f in diagnostics),
        "ESS tail": min(f["ESS tail"] for f in diagnostics),
        "divergences": sum(f["divergences"] for f in diagnostics),
    }


def _seed(seed: int, replicate: int, chain: int) -> int:
    return int(np.random.SeedSequence([seed, replicate, chain]).generate_state(1)[0])


@dataclass(frozen=True)
class _Plan:
    """Draws of one chain: warm-up and kept ones."""

    warmup: int
    draws: int


def _chain(
    table: DistanceTable,
    b: int,
    model: Model,
    priors: Priors,
    plan: _Plan,
    seed: int,
    tick: Callable[[str], None],
) -> tuple[dict[str, Floats], int]:
    """Return one chain's draws by name, and the number of divergences."""
    import torch

    names = list(dict.fromkeys(table.groups))
    groups = np.array([names.index(g) for g in table.groups])
    statistics = Statistics.of(table.connection, table.distance[b], groups)
    threads = torch.get_num_threads()
    # Global random state is untouched. Matrices are small: a second thread would only wait.
    with _on_processor(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            density = Density(statistics, model, priors)
            # The first stretch finds the location of the spreads, the second one the step size.
            search = plan.warmup // 2
            units = first_units(density, statistics)
            draws, _ = _sampled(units, search // 2, search - search // 2, tick, warm=True)
            units = later_units(density, draws[:, : density.n_spreads].numpy())
            draws, bad = _sampled(units, plan.warmup - search, plan.draws, tick)
        finally:
            torch.set_num_threads(threads)
    return _named(draws, density), bad


def _on_processor() -> AbstractContextManager[Any]:
    """Keep tensors on the processor, also where the default device of torch is another one."""
    import torch

    # The context slows every operation, so it is left out where it changes nothing.
    default = torch.get_default_device().type
    return nullcontext() if default == "cpu" else torch.device("cpu")


def _sampled(
    units: Units, warmup: int, draws: int, tick: Callable[[str], None], *, warm: bool = False
) -> tuple[Tensor, int]:
    """Return draws of the parameters, shape (S, K + D), and the number of divergences."""
    import torch
    from pyro.infer import MCMC, NUTS

    def hook(_kernel: Any, _params: Any, stage: str, _i: int) -> None:
        tick("NUTS, warming up" if warm or "arm" in stage else "NUTS, drawing")

    def potential(params: Any) -> Any:
        leave_if_cancelled()  # a draw may take a thousand of these
        return units.potential(params)

    kernel = NUTS(
        potential_fn=potential,
        full_mass=True,
        # The mass matrix is the units'.
        adapt_mass_matrix=False,
        target_accept_prob=0.9,
    )
    sampler = MCMC(
        kernel,
        num_samples=draws,
        warmup_steps=warmup,
        # Farther apart than the posterior, or chains that agree would show little.
        initial_params={"z": 2 * torch.randn(len(units.centre), dtype=torch.float64)},
        disable_progbar=True,
        hook_fn=hook,
    )
    sampler.run()
    bad = sum(map(len, sampler.diagnostics()["divergences"].values()))
    return units.parameters(sampler.get_samples()["z"].detach()), bad


def _named(draws: Tensor, density: Density) -> dict[str, Floats]:
    """Return a chain's draws, shape (S, K + D), under names shared by all models."""
    known, n = density.statistics.has_distances, len(draws)
    ends = np.cumsum((density.n_spreads, *density.sizes.values()))[:-1]
    logs, *parts = np.split(draws.numpy(), ends, axis=1)
    blocks = dict(zip(density.sizes, parts, strict=True))
    connection = blocks.get("connection", np.zeros((n, len(CONNECTIONS))))
    word = blocks["word"]
    intercept = blocks.get("intercept", np.zeros((n, 1)))
    cells = np.where(known, intercept[:, None] + word[:, :, None] + connection[:, None], np.nan)
    if "slope" in blocks:
        cells[:, known] += blocks["slope"]
    if "intercept" not in blocks:
        intercept = np.full((n, 1), density.priors.word_mean)
    return {
        "cells": cells,
        "connection": connection,
        "word": word,
        "intercept": intercept[:, 0],
        "spreads": np.exp(logs),
    }


def _diagnosed(stacked: dict[str, Floats]) -> dict[str, float]:
    """Return the worst R-hat and ESS of all quantities, by arviz, and their number."""
    import arviz as az

    parts = []
    for name, values in stacked.items():
        flat = values.reshape(*values.shape[:2], -1)
        # Parameters without data have no draws, and fixed ones do not vary.
        varies = np.isfinite(flat).all(axis=(0, 1)) & (np.ptp(flat, axis=(0, 1)) > 0)
        if varies.any():
            parts.append((name, flat[:, :, varies]))
    data = az.convert_to_dataset(dict(parts))

    def every(of: Any) -> Floats:
        leave_if_cancelled()
        return np.concatenate([np.ravel(of[name].values) for name, _ in parts])

    return {
        "quantities": sum(values.shape[2] for _, values in parts),
        "R-hat": float(every(az.rhat(data)).max()),
        "ESS bulk": float(every(az.ess(data, method="bulk")).min()),
        "ESS tail": float(every(az.ess(data, method="tail", prob=(0.05, 0.95))).min()),
    }


def _fit(stacked: dict[str, Floats]) -> Fit:
    flat = {name: values.reshape(-1, *values.shape[2:]) for name, values in stacked.items()}
    draws = Draws(flat["cells"], flat["connection"], flat["word"], flat["intercept"])
    return Fit(draws, flat["spreads"], np.log(flat["spreads"].mean(axis=0)), float("nan"))
