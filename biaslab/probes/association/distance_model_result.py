"""Result of a distance model: posteriors of protected words, and contrasts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.association.distance_contrasts import Contrast
from biaslab.probes.association.distances import DistanceTable
from biaslab.probes.association.lists import CONNECTIONS
from biaslab.probes.association.priors import Priors
from biaslab.reporting import words_of
from biaslab.results import Interval, Result
from biaslab.stats.chains import hpdi
from biaslab.wording import Span

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
                ends = contrast.interval
                turned = Interval(-ends.high, -ends.low, ends.level, ends.kind)
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
        held = self.connections
        pairs = set(zip(held[1:], held[:-1], strict=True))
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
            held = np.isfinite(deviations[0])
            total = np.where(held, deviations, 0.0).sum(axis=1)
            drawn = total / np.maximum(held.sum(axis=0), 1)
        ends = hpdi(drawn, self.level)
        return tuple(
            (
                name,
                float(drawn[:, c].mean()),
                Interval(float(ends[c, 0]), float(ends[c, 1]), self.level, self.kind),
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
                "low": ends.low,
                "high": ends.high,
            }
            for name, mean, ends in self.coefficients
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
