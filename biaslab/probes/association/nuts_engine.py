"""Distance models by Pyro's NUTS, as a check of the exact engine.

The density is that of `nuts_density`, and Pyro draws from it as from any other. The mass matrix is
dense: m + co is identified by the priors alone, and with a diagonal one the chains hardly move
along that ridge.
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
from biaslab.jobs import JobContext
from biaslab.leaving import leave_if_cancelled
from biaslab.probes.association.distance_spreads import Model
from biaslab.probes.association.distances import DistanceTable
from biaslab.probes.association.exact_engine import Fit
from biaslab.probes.association.lists import CONNECTIONS
from biaslab.probes.association.nuts_density import Density
from biaslab.probes.association.nuts_statistics import Statistics
from biaslab.probes.association.nuts_units import Units, first_units, later_units
from biaslab.probes.association.priors import Priors
from biaslab.stats.chains import rhat_limit
from biaslab.stats.crossed.layout import Draws
from biaslab.stats.threads import sampler_turn

if TYPE_CHECKING:
    from torch import Tensor

Floats = NDArray[np.float64]
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

    Parameters
    ----------
    table : DistanceTable
    model : str
    priors : Priors
    shares : list of int
        Draws from each replicate.
    seed : int
    context : JobContext
        Progress in draws; stops between two of them.
    chains, warmup : int, optional
        Chains per replicate, and draws of each that are thrown away, at least 20; by default
        `CHAINS` and `WARMUP`.

    Returns
    -------
    fits : list of Fit
    diagnostics : dict of str to float
        Worst of all replicates: ``R-hat`` (NaN of one chain), ``ESS bulk``, ``ESS tail``; ``R-hat
        limit`` for all quantities and chains; ``chains`` and ``divergences`` in all.

    Raises
    ------
    MissingExtraError
        When Pyro or arviz is not installed.
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
    units: Units,
    warmup: int,
    draws: int,
    tick: Callable[[str], None],
    *,
    warm: bool = False,
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
    held, n = density.statistics.has_distances, len(draws)
    ends = np.cumsum((density.n_spreads, *density.sizes.values()))[:-1]
    logs, *parts = np.split(draws.numpy(), ends, axis=1)
    blocks = dict(zip(density.sizes, parts, strict=True))
    connection = blocks.get("connection", np.zeros((n, len(CONNECTIONS))))
    word = blocks["word"]
    intercept = blocks.get("intercept", np.zeros((n, 1)))
    cells = np.where(held, intercept[:, None] + word[:, :, None] + connection[:, None], np.nan)
    if "slope" in blocks:
        cells[:, held] += blocks["slope"]
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
    data = az.from_dict(posterior=dict(parts))

    def every(of: Any) -> Floats:
        leave_if_cancelled()
        return np.concatenate([np.ravel(of[name].values) for name, _ in parts])

    return {
        "quantities": sum(values.shape[2] for _, values in parts),
        "R-hat": float(every(az.rhat(data)).max()),
        "ESS bulk": float(every(az.ess(data, method="bulk")).min()),
        "ESS tail": float(every(az.ess(data, method="tail")).min()),
    }


def _fit(stacked: dict[str, Floats]) -> Fit:
    flat = {name: values.reshape(-1, *values.shape[2:]) for name, values in stacked.items()}
    draws = Draws(flat["cells"], flat["connection"], flat["word"], flat["intercept"])
    return Fit(draws, flat["spreads"], np.log(flat["spreads"].mean(axis=0)), float("nan"))
