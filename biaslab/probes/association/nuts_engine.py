"""The same models by Pyro's NUTS, written out word by word: slower, to check the exact engine by.

Attribute words are integrated out, so that the distances of one attribute word are jointly normal;
everything else is drawn. The mass matrix is dense: m + co is identified by the priors alone, and
with a diagonal one the chains hardly move along that ridge.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import MissingExtraError
from biaslab.jobs import JobContext
from biaslab.probes.association.distances import DistanceTable
from biaslab.probes.association.exact_engine import SPREADS, Fit, Model
from biaslab.probes.association.lists import CONNECTIONS
from biaslab.probes.association.priors import Priors
from biaslab.stats.crossed_posterior import Draws

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
        Chains per replicate, and draws of each that are thrown away; by default `CHAINS` and
        `WARMUP`.

    Returns
    -------
    fits : list of Fit
    diagnostics : dict of str to float
        Worst of all replicates: ``R-hat``, ``ESS bulk``, ``ESS tail``; ``divergences`` in all.

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
    total = sum(chains * (warmup + n) for n in each)
    fits, found, done = [], [], 0
    for b, n in enumerate(each):
        distances = _Distances.of(table, b)
        samples: list[dict[str, Floats]] = []
        divergences = 0
        for chain in range(chains):
            drawn, bad, done = _chain(
                distances, model, priors, n, warmup, _seed(seed, b, chain), context, done, total
            )
            samples.append(drawn)
            divergences += bad
        stacked = {name: np.stack([s[name] for s in samples]) for name in samples[0]}
        found.append({**_diagnosed(stacked), "divergences": float(divergences)})
        fits.append(_fit(stacked))
    return fits, {
        "R-hat": max(f["R-hat"] for f in found),
        "ESS bulk": min(f["ESS bulk"] for f in found),
        "ESS tail": min(f["ESS tail"] for f in found),
        "divergences": sum(f["divergences"] for f in found),
    }


def _seed(seed: int, replicate: int, chain: int) -> int:
    return int(np.random.SeedSequence([seed, replicate, chain]).generate_state(1)[0])


@dataclass(frozen=True, eq=False)
class _Column:
    """Attribute words that are met by the same protected words under the same types."""

    rows: Any
    types: Any
    y: Any
    same_group: Any
    varies: bool


@dataclass(frozen=True, eq=False)
class _Distances:
    """Distances of a replicate as tensors, float64."""

    words: int
    rows: Any
    types: Any
    y: Any
    columns: tuple[_Column, ...]
    held: NDArray[np.bool_]
    alike: tuple[tuple[Any, Any], ...]

    @classmethod
    def of(cls, table: DistanceTable, b: int) -> _Distances:
        import torch

        connection, distance = table.connection, table.distance[b]
        names = list(dict.fromkeys(table.groups))
        group = np.array([names.index(g) for g in table.groups])
        i, j = np.nonzero(connection >= 0)
        kinds, of = np.unique(connection.T, axis=0, return_inverse=True)
        columns = []
        for k, kind in enumerate(kinds):
            rows = np.flatnonzero(kind >= 0)
            if not len(rows):
                continue
            y = distance[np.ix_(rows, np.flatnonzero(of.reshape(-1) == k))]
            columns.append(
                _Column(
                    torch.tensor(rows),
                    torch.tensor(kind[rows].astype(np.int64)),
                    torch.tensor(y, dtype=torch.float64),
                    torch.tensor(group[rows][:, None] == group[rows], dtype=torch.float64),
                    len(np.unique(kind[rows])) > 1,
                )
            )
        held = (connection[:, :, None] == np.arange(len(CONNECTIONS))).any(axis=1)
        patterns, of_word = np.unique(held, axis=0, return_inverse=True)
        of_word = of_word.reshape(-1)
        return cls(
            len(table.words),
            torch.tensor(i),
            torch.tensor(connection[i, j].astype(np.int64)),
            torch.tensor(distance[i, j], dtype=torch.float64),
            tuple(columns),
            held,
            tuple(
                (torch.tensor(np.flatnonzero(of_word == k)), torch.tensor(np.flatnonzero(types)))
                for k, types in enumerate(patterns)
            ),
        )


def _chain(
    distances: _Distances,
    model: Model,
    priors: Priors,
    draws: int,
    warmup: int,
    seed: int,
    context: JobContext,
    done: int,
    total: int,
) -> tuple[dict[str, Floats], int, int]:
    """One chain's draws by name, how many of them diverged, and how many draws are done now."""
    import torch
    from pyro.infer import MCMC, NUTS

    steps = done

    def hook(_kernel: Any, _params: Any, stage: str, _i: int) -> None:
        nonlocal steps
        steps += 1
        context.checkpoint()
        context.report(steps, total, "NUTS, warming up" if "arm" in stage else "NUTS, drawing")

    # Nobody else's random numbers are touched.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        kernel = NUTS(
            _written_out,
            full_mass=True,
            target_accept_prob=0.9,
            jit_compile=True,
            ignore_jit_warnings=True,
        )
        sampler = MCMC(
            kernel, num_samples=draws, warmup_steps=warmup, disable_progbar=True, hook_fn=hook
        )
        sampler.run(distances, model, priors)
        named = sampler.get_samples()
        found = {name: value.detach().numpy() for name, value in named.items()}
        bad = sum(map(len, sampler.diagnostics()["divergences"].values()))
    return _named(found, distances, model, priors, np.random.default_rng(seed)), bad, steps


def _written_out(distances: _Distances, model: Model, priors: Priors) -> None:
    """The generative model, in Pyro's language."""
    import pyro
    import torch
    from pyro import distributions as dist

    def number(value: float) -> Any:
        return torch.tensor(value, dtype=torch.float64)

    def normal(name: str, mean: float, sd: float, *shape: int) -> Any:
        base = dist.Normal(number(mean), number(sd))
        return pyro.sample(name, base.expand(shape).to_event(len(shape)) if shape else base)

    sigma = pyro.sample("sigma", dist.HalfCauchy(number(priors.sigma_scale)))
    words, types = distances.words, len(CONNECTIONS)
    if model == "pooled":
        word = normal("m", priors.word_mean, priors.word_sd, words)
        connection = normal("co", priors.connection_mean, priors.connection_sd, types)
        cells = word[:, None] + connection
    elif model == "per-word":
        word = normal("m", priors.word_mean, priors.word_sd, words)
        cells = word[:, None] + normal(
            "co", priors.connection_mean, priors.connection_sd, words, types
        )
    else:
        scales = (
            priors.word_spread,
            priors.slope_spread,
            priors.attribute_spread,
            priors.pairing_spread,
        )
        spreads = [
            pyro.sample(name, dist.HalfNormal(number(scale)))
            for name, scale in zip(SPREADS[1:], scales, strict=True)
        ]
        of_word, of_slope, of_attribute, of_pairing = spreads
        intercept = normal("intercept", priors.word_mean, priors.word_sd)
        connection = normal("co", priors.connection_mean, priors.connection_sd, types)
        # A protected word's cells, with its m integrated out.
        cells = torch.zeros((words, types), dtype=torch.float64)
        for k, (rows, kinds) in enumerate(distances.alike):
            n = len(kinds)
            covariance = of_word**2 + of_slope**2 * torch.eye(n, dtype=torch.float64)
            joint = dist.MultivariateNormal(
                intercept + connection[kinds], scale_tril=torch.linalg.cholesky(covariance)
            )
            drawn = pyro.sample(f"cells{k}", joint.expand([len(rows)]).to_event(1))
            cells = cells.index_put((rows[:, None], kinds), drawn)
        for k, column in enumerate(distances.columns):
            n = len(column.rows)
            covariance = sigma**2 * torch.eye(n, dtype=torch.float64) + of_attribute**2
            if column.varies:
                covariance = covariance + of_pairing**2 * column.same_group
            root = torch.linalg.cholesky(covariance)
            expected = cells[column.rows, column.types]
            joint = dist.MultivariateNormal(expected, scale_tril=root)
            pyro.factor(f"y{k}", joint.log_prob(column.y.T).sum())
        return
    rest = dist.Normal(cells[distances.rows, distances.types], sigma)
    pyro.factor("y", rest.log_prob(distances.y).sum())


def _named(
    found: dict[str, Floats],
    distances: _Distances,
    model: Model,
    priors: Priors,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """A chain's draws under the names that all models share."""
    co = found["co"]
    if model == "crossed":
        intercept = found["intercept"]
        cells = np.full((len(co), *distances.held.shape), np.nan)
        for k, (rows, kinds) in enumerate(distances.alike):
            cells[:, rows.numpy()[:, None], kinds.numpy()] = found[f"cells{k}"]
        # m given a word's cells is normal.
        apart = np.nan_to_num(cells - intercept[:, None, None] - co[:, None, :])
        slope, spread = found["slope"][:, None] ** 2, found["word"][:, None] ** 2
        share = spread / (slope + spread * distances.held.sum(axis=1))
        word = share * apart.sum(axis=2)
        word += np.sqrt(share * slope) * rng.standard_normal(word.shape)
        spreads = np.stack([found[name] for name in SPREADS], axis=1)
    else:
        word, intercept = found["m"], np.full(len(co), priors.word_mean)
        cells = word[:, :, None] + (co if model == "per-word" else co[:, None, :])
        spreads = found["sigma"][:, None]
    return {
        "cells": np.where(distances.held, cells, np.nan),
        "connection": np.zeros((len(co), len(CONNECTIONS))) if model == "per-word" else co,
        "word": word,
        "intercept": intercept,
        "spreads": spreads,
    }


def _diagnosed(stacked: dict[str, Floats]) -> dict[str, float]:
    """Worst R-hat and ESS of everything that is drawn, by arviz."""
    import arviz as az

    parts = []
    for name, values in stacked.items():
        flat = values.reshape(*values.shape[:2], -1)
        # What has no data has no draws, and what is fixed does not vary.
        varies = np.isfinite(flat).all(axis=(0, 1)) & (np.ptp(flat, axis=(0, 1)) > 0)
        if varies.any():
            parts.append((name, flat[:, :, varies]))
    data = az.from_dict(posterior=dict(parts))

    def every(of: Any) -> Floats:
        return np.concatenate([np.ravel(of[name].values) for name, _ in parts])

    return {
        "R-hat": float(every(az.rhat(data)).max()),
        "ESS bulk": float(every(az.ess(data, method="bulk")).min()),
        "ESS tail": float(every(az.ess(data, method="tail")).min()),
    }


def _fit(stacked: dict[str, Floats]) -> Fit:
    flat = {name: values.reshape(-1, *values.shape[2:]) for name, values in stacked.items()}
    draws = Draws(flat["cells"], flat["connection"], flat["word"], flat["intercept"])
    return Fit(draws, flat["spreads"], np.log(flat["spreads"].mean(axis=0)), float("nan"))
