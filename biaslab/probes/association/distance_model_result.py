"""Result of a distance model, and how well models predict held-out distances."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import described, instance
from biaslab.errors import ArgumentError, MissingExtraError, QueryError
from biaslab.probes.association.distance_parameters import (
    CROSSED,
    Contrast,
    DrawnSpreads,
    Model,
    Priors,
)
from biaslab.probes.association.distances import DistanceTable
from biaslab.probes.association.lists import CONNECTIONS
from biaslab.records.kinds import words_of
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result
from biaslab.records.wording import Span
from biaslab.stats.chains import hpdi
from biaslab.stats.crossed.layout import Spreads
from biaslab.stats.reproducibility import seed_number
from biaslab.threads.leaving import leave_if_cancelled

if TYPE_CHECKING:
    import pandas as pd


Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, repr=False)
class DistanceModelResult(Result):
    """Posterior of a model of distances between protected words and attribute words.

    Attributes
    ----------
    table : DistanceTable
        Every distance that went in.
    model : str
        ``crossed``, ``crossed-equal``, ``pooled`` or ``per-word``.
    engine : str
        ``exact`` or ``nuts``.
    priors : Priors
    level : float
        Of all intervals.
    draws : mapping of str to ndarray
        ``cells`` (S, I, 4): expected distance of a protected word to a new attribute word of a
        connection type, NaN where it has none; ``connection`` (S, 4): coefficients co;
        ``word`` (S, I): m; ``spreads`` (S, n): standard deviations; ``replicate`` (S,).
    spread_names : tuple of str
        What each of these n is of, such as ``sigma_human``.
    contrasts : tuple of Contrast
        Differences between connection types, each pair once.
    by_replicate : ndarray, shape (B, number of pairs)
        Posterior mean of each contrast in each replicate; NaN for a pair left out of `contrasts`.
    beside : mapping of str to tuple of Contrast
        Contrasts of the ``pooled`` and of the ``crossed`` model on the same distances.
    diagnostics : mapping of str to float
        Of ``exact``: effective number of the weighted grid points. Of
        ``nuts``: largest R-hat and its limit, smallest ESS of bulk and tail,
        divergences.
    """

    schema: ClassVar[str] = "distance-model/1"

    table: DistanceTable
    model: str
    engine: str
    priors: Priors
    level: float
    draws: Mapping[str, NDArray[Any]]
    spread_names: tuple[str, ...]
    contrasts: tuple[Contrast, ...]
    by_replicate: Floats
    beside: Mapping[str, tuple[Contrast, ...]]
    diagnostics: Mapping[str, float]

    @property
    def words(self) -> tuple[str, ...]:
        """Protected words."""
        return self.table.words

    @property
    def connections(self) -> tuple[str, ...]:
        """Connection types that have distances."""
        return self.table.connections

    @property
    def kind(self) -> str:
        """Sources of variation in the intervals."""
        return self.contrasts[0].interval.kind

    @cached_property
    def means(self) -> Floats:
        """Posterior mean of each protected word by connection type, (I, 4); NaN if none."""
        return np.asarray(self.draws["cells"].mean(axis=0, dtype=float))

    @cached_property
    def intervals(self) -> Floats:
        """Highest posterior density intervals of the same, shape (I, 4, 2)."""
        return hpdi(self.draws["cells"], self.level)

    def contrast(self, of: str, minus: str) -> Contrast:
        """Return a contrast by its connection types, with the sign changed if needed.

        Raises
        ------
        QueryError
            When one of the types has no distances.
        """
        for contrast in self.contrasts:
            if (contrast.of, contrast.minus) == (of, minus):
                return contrast
            if (contrast.minus, contrast.of) == (of, minus):
                interval = contrast.interval
                turned = Interval(-interval.high, -interval.low, interval.level, interval.kind)
                return replace(
                    contrast,
                    of=of,
                    minus=minus,
                    mean=-contrast.mean,
                    interval=turned,
                    above=1 - contrast.above,
                )
        raise QueryError(
            f"There is no contrast {of!r} − {minus!r}. There are: "
            + ", ".join(c.name for c in self.contrasts)
            + "."
        )

    @property
    def headline_contrasts(self) -> tuple[Contrast, ...]:
        """Every other connection type less the first: of a full table less ``associated``."""
        first = self.contrasts[0].minus
        return tuple(c for c in self.contrasts if c.minus == first)

    @property
    def neighbouring(self) -> tuple[Contrast, ...]:
        """Contrasts of each connection type with the one before it."""
        connections = self.connections
        pairs = set(zip(connections[1:], connections[:-1], strict=True))
        return tuple(c for c in self.contrasts if (c.of, c.minus) in pairs)

    @cached_property
    def coefficients(self) -> tuple[tuple[str, float, Interval], ...]:
        """Connection type, mean and interval of its coefficient co.

        Only the priors separate it from the protected words' means: see
        `coefficients_warning`. With separate coefficients it is their mean over protected words.
        """
        drawn = np.asarray(self.draws["connection"], dtype=float)
        if self.model == "per-word":
            deviations = self.draws["cells"] - self.draws["word"][:, :, None]
            known = np.isfinite(deviations[0])
            total = np.where(known, deviations, 0.0).sum(axis=1)
            drawn = total / np.maximum(known.sum(axis=0), 1)
        intervals = hpdi(drawn, self.level)
        return tuple(
            (
                name,
                float(drawn[:, c].mean()),
                Interval(float(intervals[c, 0]), float(intervals[c, 1]), self.level, self.kind),
            )
            for c, name in enumerate(CONNECTIONS)
            if name in self.connections
        )

    @property
    def coefficients_warning(self) -> str:
        """Why `coefficients` are not to be read alone."""
        return str(words_of(self).COEFFICIENTS_WARNING)

    @cached_property
    def spreads(self) -> Mapping[str, tuple[float, float, float]]:
        """Posterior mean and interval ends of each standard deviation."""
        drawn = self.draws["spreads"]
        ends = hpdi(drawn, self.level)
        return {
            name: (float(drawn[:, k].mean(dtype=float)), float(ends[k, 0]), float(ends[k, 1]))
            for k, name in enumerate(self.spread_names)
        }

    def word_contrasts(self, of: str, minus: str) -> tuple[Floats, Floats]:
        """Return a contrast of each protected word: means (I,), and intervals (I, 2)."""
        a, b = (CONNECTIONS.index(name) for name in (of, minus))
        gap = self.draws["cells"][:, :, a] - self.draws["cells"][:, :, b]
        return np.asarray(gap.mean(axis=0, dtype=float)), hpdi(gap, self.level)

    @property
    def narrower(self) -> float:
        """Largest ratio of the crossed model's interval widths to the paper's."""
        first = self.contrasts[0].minus
        paper = {c.name: c.width for c in self.beside["pooled"]}
        ratios = [
            c.width / paper[c.name]
            for c in self.beside["crossed"]
            if c.minus == first and paper.get(c.name)
        ]
        return max(ratios, default=1.0)

    def note(self) -> tuple[Span, ...]:
        """Return the conclusion of the paper's model, for the line under the verdict."""
        return tuple(words_of(self).note(self))

    def raw_frame(self) -> pd.DataFrame:
        """Every distance that went in; see `DistanceTable.to_frame`."""
        return self.table.to_frame()

    def to_frame(self) -> pd.DataFrame:
        """Return contrasts, coefficients and posteriors of protected words, one row each."""
        import pandas as pd

        rows: list[dict[str, Any]] = []
        every = {self.model: self.contrasts, **self.beside}
        for model, estimates in every.items():
            rows += [
                {
                    "estimate": "contrast",
                    "model": model,
                    "connection": c.of,
                    "minus": c.minus,
                    "mean": c.mean,
                    "sd": c.sd,
                    "low": c.interval.low,
                    "high": c.interval.high,
                }
                for c in estimates
            ]
        rows += [
            {
                "estimate": "coefficient (identified by the priors only)",
                "model": self.model,
                "connection": name,
                "mean": mean,
                "low": interval.low,
                "high": interval.high,
            }
            for name, mean, interval in self.coefficients
        ]
        counts = (self.table.connection[:, :, None] == np.arange(len(CONNECTIONS))).sum(axis=1)
        for i, word in enumerate(self.words):
            rows += [
                {
                    "estimate": "distance",
                    "model": self.model,
                    "word": word,
                    "group": self.table.groups[i],
                    "connection": name,
                    "n": int(counts[i, c]),
                    "mean": self.means[i, c],
                    "low": self.intervals[i, c, 0],
                    "high": self.intervals[i, c, 1],
                }
                for c, name in enumerate(CONNECTIONS)
                if counts[i, c]
            ]
        columns = [
            "estimate", "model", "word", "group", "connection", "minus", "n", "mean", "sd",
            "low", "high",
        ]  # fmt: skip
        frame = pd.DataFrame(rows, columns=columns)
        frame["level"], frame["kind"] = self.level, self.kind
        return frame


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
        When `criterion` is ``loo`` and arviz is not installed.
    QueryError
        When the results are not of one table, or it has several replicates.
    ValueError
        When the criterion is unknown.
    """
    if criterion not in ("loo", "waic"):
        raise ValueError(f"criterion is {criterion!r}; choose 'loo' or 'waic'.")
    if criterion == "loo" and importlib.util.find_spec("arviz") is None:
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
        scores.append(_score_of(density[:, at : at + _AT_ONCE], criterion))
    return _Score(
        np.concatenate([score.pointwise for score in scores]),
        sum(score.parameters for score in scores),
        sum(score.unreliable for score in scores),
    )


def _score_of(density: Floats, criterion: str) -> _Score:
    """Score distances whose log density has shape (S, n)."""
    if criterion == "waic":
        from scipy.special import logsumexp

        spread = density.var(axis=0)
        pointwise = logsumexp(density, axis=0) - np.log(len(density)) - spread
        return _Score(pointwise, float(spread.sum()), int((spread > 0.4).sum()))
    import arviz as az

    # From version 1 on, arviz takes groups as one mapping, and results have other names.
    before_1 = az.__version__.startswith("0.")
    groups: dict[str, Any] = {
        "posterior": {"sigma": np.ones((1, len(density)))},
        "log_likelihood": {"y": density[None]},
    }
    data = az.from_dict(**groups) if before_1 else az.from_dict(groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unreliable values are counted
        estimate: Any = az.loo(data, pointwise=True, reff=1.0)
    pointwise, parameters = (
        (estimate.loo_i, estimate.p_loo) if before_1 else (estimate.elpd_i, estimate.p)
    )
    bad = int((np.asarray(estimate.pareto_k) > 0.7).sum())
    return _Score(np.asarray(pointwise), float(parameters), bad)


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
