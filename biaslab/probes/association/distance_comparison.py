"""Which distance model foretells distances best: leave-one-out and WAIC, by arviz."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import described, instance
from biaslab.errors import ArgumentError, MissingExtraError, QueryError
from biaslab.leaving import leave_if_cancelled
from biaslab.probes.association.distance_spreads import CROSSED, DrawnSpreads, Model
from biaslab.probes.association.distances import DistanceTable
from biaslab.record import Record
from biaslab.stats.crossed.layout import Spreads
from biaslab.stats.reproducibility import seed_number

if TYPE_CHECKING:
    from biaslab.probes.association.distance_model_result import DistanceModelResult

Floats = NDArray[np.float64]
MOST_DRAWS = 1000
_AT_ONCE = 500
"""Distances that are scored between two looks whether the job was cancelled."""


@dataclass(frozen=True)
class ModelScore(Record):
    """How well a model foretells a distance that it has not seen.

    Attributes
    ----------
    model : str
    criterion : str
        ``loo`` (Pareto-smoothed importance sampling) or ``waic``.
    elpd, se : float
        Expected log predictive density of all distances, and its standard error.
    parameters : float
        Effective number of parameters.
    behind, behind_se : float
        How much lower the elpd is than the best model's, and the standard error of that difference;
        0 for the best.
    unreliable : int
        Distances for which the estimate is not to be relied on (Pareto k above 0.7; for ``waic``
        those whose log density varies by more than 0.4).
    """

    model: str
    criterion: str
    elpd: float
    se: float
    parameters: float
    behind: float
    behind_se: float
    unreliable: int


def model_scores(
    results: Mapping[str, DistanceModelResult],
    criterion: str = "loo",
    *,
    rng: int | np.random.Generator = 0,
) -> tuple[ModelScore, ...]:
    """Compare models of one table, the best first.

    The score predicts a distance between words of the table whose attribute word is known from
    its other distances: the crossed model has drawn that word's own effects.

    Parameters
    ----------
    results : mapping of str to DistanceModelResult
        As `biaslab.association.compare_models` gives them.
    criterion : str
        ``loo`` or ``waic``.
    rng : int or numpy.random.Generator
        Of the draws of attribute words, in the crossed model.

    Raises
    ------
    MissingExtraError
        When arviz is not installed.
    QueryError
        When the results are not of one table, or it has several replicates.
    ValueError
        When the criterion is unknown.
    """
    if criterion not in ("loo", "waic"):
        raise ValueError(f"criterion is {criterion!r}; choose 'loo' or 'waic'.")
    if importlib.util.find_spec("arviz") is None:
        raise MissingExtraError("Comparing models needs arviz: pip install 'biaslab[bayes]'.")
    how = "Pass the value that bl.association.compare_models returned."
    for result in instance(results, (Mapping,), "results", how).values():
        if not hasattr(result, "table"):
            raise ArgumentError(f"results holds {described(result)}. {how}")
    tables = [result.table for result in results.values()]
    if any(table != tables[0] for table in tables[1:]):
        raise QueryError(
            "These models were fitted to different distances. Fit them to the same table."
        )
    if tables and tables[0].n_replicates > 1:
        raise QueryError(
            "Models are compared on a single embedding: choose one replicate (replicates=1)."
        )
    seed = seed_number(rng)
    scores = {name: _score(result, criterion, seed) for name, result in results.items()}
    best = max(scores, key=lambda name: float(scores[name].pointwise.sum()))
    rows = []
    for name, score in scores.items():
        gap = scores[best].pointwise - score.pointwise
        rows.append(
            ModelScore(
                model=name,
                criterion=criterion,
                elpd=float(score.pointwise.sum()),
                se=float(np.sqrt(len(gap)) * score.pointwise.std()),
                parameters=score.parameters,
                behind=float(gap.sum()),
                behind_se=float(np.sqrt(len(gap)) * gap.std()),
                unreliable=score.unreliable,
            )
        )
    return tuple(sorted(rows, key=lambda score: score.behind))


@dataclass(frozen=True, eq=False)
class _Score:
    pointwise: Floats
    parameters: float
    unreliable: int


def _score(result: DistanceModelResult, criterion: str, seed: int) -> _Score:
    """Score all distances in batches: each has its own score."""
    density = log_density(result, seed)
    scores = []
    for at in range(0, density.shape[1], _AT_ONCE):
        leave_if_cancelled()
        scores.append(_score_of(density[None, :, at : at + _AT_ONCE], criterion))
    return _Score(
        np.concatenate([score.pointwise for score in scores]),
        sum(score.parameters for score in scores),
        sum(score.unreliable for score in scores),
    )


def _score_of(density: Floats, criterion: str) -> _Score:
    """Score distances whose log density has shape (1, S, n)."""
    import arviz as az

    data = az.from_dict(
        posterior={"sigma": np.ones(density.shape[:2])}, log_likelihood={"y": density}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unreliable values are counted
        if criterion == "loo":
            estimate: Any = az.loo(data, pointwise=True, reff=1.0)
            bad = int((estimate.pareto_k.values > 0.7).sum())
            return _Score(estimate.loo_i.values, float(estimate.p_loo), bad)
        estimate = az.waic(data, pointwise=True)
        bad = int((density[0].var(axis=0) > 0.4).sum())
        return _Score(estimate.waic_i.values, float(estimate.p_waic), bad)


def log_density(result: DistanceModelResult, seed: int = 0) -> Floats:
    """Return the log density of every distance, (S, N), for `MOST_DRAWS` draws."""
    table = result.table
    cells = np.asarray(result.draws["cells"], dtype=float)
    step = -(-len(cells) // MOST_DRAWS)
    cells = cells[::step]
    spreads = np.asarray(result.draws["spreads"], dtype=float)[::step]
    i, j = np.nonzero(table.connection >= 0)
    expected = cells[:, i, table.connection[i, j]]
    y = table.distance[0][i, j]
    model: Model = result.model  # type: ignore[assignment]  # one of them, as stored
    at = DrawnSpreads.of(model, table.layout.counts).spreads(model, result.priors, spreads)
    sigma = at.sigma[:, table.layout.kind_of[table.connection[i, j]]]
    if model in CROSSED:
        expected = expected + _attributes(table, y - expected, i, j, at, sigma, seed)
    z = (y - expected) / sigma
    return np.asarray(-0.5 * z**2 - np.log(sigma) - 0.5 * np.log(2 * np.pi))


def _attributes(
    table: DistanceTable,
    rest: Floats,
    i: NDArray[np.intp],
    j: NDArray[np.intp],
    spreads: Spreads,
    sigma: Floats,
    seed: int,
) -> Floats:
    """Return draws of effects of attribute words (and of their groups), shape (S, N)."""
    rng = np.random.default_rng(seed + int(table.n) + len(rest))
    group = np.array([list(dict.fromkeys(table.groups)).index(g) for g in table.groups])
    kind_of = table.layout.kind_of
    out = np.zeros_like(rest)
    for column in range(len(table.attributes)):
        here = np.flatnonzero(j == column)
        if not len(here):
            continue
        types = table.connection[i[here], column]
        names, of = np.unique(group[i[here]], return_inverse=True)
        member = (of == np.arange(len(names))[:, None]).astype(float)
        attribute = spreads.attribute[:, kind_of[types].min()] ** 2
        pairing = spreads.pairing**2 * (len(np.unique(types)) > 1)
        # Effects of the word on each group: a_j + s_jg, normal with this covariance beforehand.
        prior = attribute[:, None, None] + pairing[:, None, None] * np.eye(len(names))
        precision = sigma[:, here] ** -2
        known = precision @ member.T
        noise = np.eye(len(names)) / known[:, None]
        means = (precision * rest[:, here]) @ member.T / known
        gain = prior @ np.linalg.inv(prior + noise)
        centre = (gain @ means[:, :, None])[:, :, 0]
        spread = prior - gain @ prior
        root = np.linalg.cholesky(spread + 1e-14 * np.eye(len(names)))
        drawn = centre + (root @ rng.standard_normal((len(rest), len(names), 1)))[:, :, 0]
        out[:, here] = drawn[:, of]
    return out
