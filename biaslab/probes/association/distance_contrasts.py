"""Contrasts between connection types, which the data identify under any priors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.distance_spreads import Model
from biaslab.probes.association.lists import CONNECTIONS
from biaslab.record import Record
from biaslab.results import Interval
from biaslab.stats.chains import hpdi
from biaslab.stats.crossed.layout import Draws

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contrast(Record):
    """Difference in mean distance between two connection types of attribute words.

    Attributes
    ----------
    of, minus : str
        Connection types.
    mean, sd : float
        Of the posterior of the difference in distance.
    interval : Interval
        Highest posterior density interval.
    above : float
        Posterior probability that the difference is above 0.
    """

    of: str
    minus: str
    mean: float
    sd: float
    interval: Interval
    above: float

    @property
    def name(self) -> str:
        """Such as ``none − associated``."""
        return f"{self.of} − {self.minus}"

    @property
    def excludes_null(self) -> bool:
        """Whether the interval excludes 0."""
        return 0 not in self.interval

    @property
    def width(self) -> float:
        """Of the interval."""
        return self.interval.high - self.interval.low


def pairs_of(connections: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return every pair of connection types, the later one first, by the earlier one."""
    return tuple((later, earlier) for earlier, later in combinations(connections, 2))


def contrast_draws(draws: Draws, model: Model, connections: Sequence[str]) -> Floats:
    """Return draws of every contrast, shape (S, number of pairs).

    Of the model's coefficients where all protected words share them; with separate coefficients
    the mean over the protected words that have both types.
    """
    if model != "per-word":
        return connection_contrasts(draws.connection, connections)
    rows = []
    for of, minus in _places(connections):
        gap = draws.cells[:, :, of] - draws.cells[:, :, minus]
        both = np.isfinite(gap[0])
        rows.append(gap[:, both].mean(axis=1) if both.any() else np.full(len(gap), np.nan))
    return np.stack(rows, axis=1)


def connection_contrasts(connection: Floats, connections: Sequence[str]) -> Floats:
    """Return draws of every contrast of connection effects: (S, C) -> (S, number of pairs)."""
    of, minus = np.transpose(_places(connections))
    return np.asarray(connection[:, of] - connection[:, minus])


def _places(connections: Sequence[str]) -> list[tuple[int, int]]:
    return [(CONNECTIONS.index(a), CONNECTIONS.index(b)) for a, b in pairs_of(connections)]


def contrasts(
    drawn: Floats, connections: Sequence[str], level: float, kind: str
) -> tuple[Contrast, ...]:
    """Summarise draws of contrasts; pairs that no protected word has are left out.

    Parameters
    ----------
    drawn : ndarray, shape (S, number of pairs)
    connections : sequence of str
    level : float
    kind : str
        Source of variation of the interval.
    """
    ends = hpdi(drawn, level)
    return tuple(
        Contrast(
            of,
            minus,
            float(column.mean()),
            float(column.std()),
            Interval(float(low), float(high), level, kind),
            float((column > 0).mean()),
        )
        for (of, minus), column, (low, high) in zip(
            pairs_of(connections), drawn.T, ends, strict=True
        )
        if np.isfinite(column).all()
    )
