"""Log densities of the distance models, written out in torch for Pyro's NUTS.

Everything is drawn but the attribute words' own effects (a_j, s_jg), which are integrated out: the
distances of one attribute word are jointly normal.

Distances that have one distribution enter a normal density by their number, mean and products of
deviations alone. 4,200 distances become a few matrices, and the cost of a density depends on the
number of protected words. In contrast to `biaslab.stats.crossed_layout` nothing is pooled over
protected words: the two engines share no algebra.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.distance_parameters import CROSSED, DrawnSpreads, Model, Priors
from biaslab.probes.association.lists import CONNECTIONS, KIND_OF

if TYPE_CHECKING:
    from torch import Tensor


Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Columns:
    """Attribute words with the same protected words, and one covariance.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        The protected words.
    types : ndarray of int, shape (P, n)
        Connection types of P kinds of attribute words.
    counts : ndarray, shape (P,)
        Attribute words of each kind.
    means : ndarray, shape (P, n)
        Their mean distances.
    root : ndarray, shape (n, n)
        R with R R' the sum of products of deviations from these means.
    kinds : ndarray of int, shape (n,)
        Kind of each protected word's distances to them.
    varies : bool
        Whether these attribute words are met under more than one connection type.
    """

    rows: Ints
    types: Ints
    counts: Floats
    means: Floats
    root: Floats
    kinds: Ints
    varies: bool


@dataclass(frozen=True, eq=False)
class Statistics:
    """Sufficient statistics of one replicate.

    Attributes
    ----------
    counts : ndarray, shape (I, C)
        Distances of each protected word under each connection type.
    means : ndarray, shape (I, C)
        Their mean; 0 if there are none.
    residual : float
        Sum of squares about these means.
    same_group : ndarray of bool, shape (I, I)
    columns : tuple of Columns
    """

    counts: Floats
    means: Floats
    residual: float
    same_group: Bools
    columns: tuple[Columns, ...]

    @property
    def has_distances(self) -> Bools:
        """Mask of cells with distances, shape (I, C)."""
        return self.counts > 0

    @classmethod
    def of(cls, connection: NDArray[np.int8], distance: Floats, groups: Ints) -> Statistics:
        """Compute the statistics of a table.

        - `connection`, ndarray of int, shape (I, J): index in `CONNECTIONS`; -1 without a distance.
        - `distance`: ndarray, shape (I, J).
        - `groups`: ndarray of int, shape (I,).
        """
        observed = connection >= 0
        y = np.where(observed, distance, 0.0)
        by_type = (connection[:, :, None] == np.arange(len(CONNECTIONS))).astype(float)
        counts = by_type.sum(axis=1)
        means = np.einsum("ij,ijc->ic", y, by_type) / np.maximum(counts, 1)
        gaps = np.where(observed, y - np.einsum("ijc,ic->ij", by_type, means), 0.0)
        return cls(
            counts,
            means,
            float((gaps**2).sum()),
            groups[:, None] == groups,
            _columns(connection, y),
        )


def _columns(connection: NDArray[np.int8], y: Floats) -> tuple[Columns, ...]:
    kinds, of = np.unique(connection.T, axis=0, return_inverse=True)
    kind_of = np.array(KIND_OF)
    alike: dict[tuple[bytes, bytes, bool], list[int]] = {}
    for k, kind in enumerate(kinds):
        met = kind[kind >= 0]
        if len(met):
            key = (kind >= 0).tobytes(), kind_of[met].tobytes(), len(np.unique(met)) > 1
            alike.setdefault(key, []).append(k)
    columns = []
    for (*_, varies), members in alike.items():
        rows = np.flatnonzero(kinds[members[0]] >= 0)
        each = [y[np.ix_(rows, np.flatnonzero(of.reshape(-1) == k))] for k in members]
        means = np.stack([block.mean(axis=1) for block in each])
        gaps = np.hstack([block - mean[:, None] for block, mean in zip(each, means, strict=True)])
        # R' of gaps' = Q R' is equivalent, and its size does not exceed the number of words.
        columns.append(
            Columns(
                rows,
                kinds[members][:, rows].astype(np.intp),
                np.array([block.shape[1] for block in each], dtype=float),
                means,
                np.asarray(np.linalg.qr(gaps.T, mode="r")).T,
                kind_of[kinds[members[0], rows]],
                varies,
            )
        )
    return tuple(columns)


def tensor(values: Any) -> Tensor:
    """Convert numbers to a tensor of doubles."""
    import torch

    return torch.as_tensor(np.asarray(values, dtype=np.float64))


class Density:
    """Log density of a model's parameters and distances, up to a constant.

    Parameters
    ----------
    statistics : Statistics
    model : str
    priors : Priors

    Attributes
    ----------
    spreads : DrawnSpreads
        Places of the log spreads, with which a vector of parameters begins.
    sizes : dict of str to int
        The blocks of coefficients that follow, in order: ``intercept`` μ, ``connection`` co_c,
        ``word`` m_i, and ``slope``, which is d_ic or co_ic of each cell that has distances.
    row, type : Tensor
        Protected word and connection type of each of these cells.
    """

    def __init__(self, statistics: Statistics, model: Model, priors: Priors) -> None:
        import torch

        self.statistics, self.model, self.priors = statistics, model, priors
        self.spreads = DrawnSpreads.of(model, statistics.counts)
        words, cells = len(statistics.counts), int(statistics.has_distances.sum())
        shared = {"connection": len(CONNECTIONS), "word": words}
        self.sizes = {"pooled": shared, "per-word": {"word": words, "slope": cells}}.get(
            model, {"intercept": 1, **shared, "slope": cells}
        )
        self.row, self.type = map(torch.as_tensor, np.nonzero(statistics.has_distances))
        place = torch.zeros(statistics.has_distances.shape, dtype=torch.long)
        place[self.row, self.type] = torch.arange(cells)
        self.counts = tensor(statistics.counts[statistics.has_distances])
        self.means = tensor(statistics.means[statistics.has_distances])
        self._columns = [
            _Joint.of(columns, statistics, place, self.spreads) for columns in statistics.columns
        ]
        self._sigma = torch.tensor(self.spreads.every("sigma"))
        rest = sorted(set(range(self.n_spreads)) - set(self.spreads.every("sigma")))
        self._rest = torch.tensor(rest, dtype=torch.long)
        self._scales = tensor(self.spreads.scales(priors))

    @property
    def n_spreads(self) -> int:
        """Number of log spreads."""
        return len(self.spreads)

    def __len__(self) -> int:
        return self.n_spreads + sum(self.sizes.values())

    def split(self, parameters: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """Log spreads and named coefficients of a vector of parameters."""
        import torch

        sizes = (self.n_spreads, *self.sizes.values())
        logs, *blocks = torch.split_with_sizes(parameters, sizes)
        return logs, dict(zip(self.sizes, blocks, strict=True))

    def __call__(self, logs: Tensor, blocks: dict[str, Tensor]) -> Tensor:
        """The log density, a scalar."""
        spreads = logs.exp()
        log_density = self._prior(logs, spreads, blocks)
        cells = blocks["word"][self.row]
        if "connection" in blocks:
            cells = cells + blocks["connection"][self.type]
        if "slope" in blocks:
            cells = cells + blocks["slope"]
        if self.model in CROSSED:
            cells = cells + blocks["intercept"]
            return log_density + sum(joint.log_density(spreads, cells) for joint in self._columns)
        squares = (self.counts * (self.means - cells) ** 2).sum() + self.statistics.residual
        n = float(self.statistics.counts.sum())
        return log_density - n * spreads[0].log() - squares / (2 * spreads[0] ** 2)

    def _prior(self, logs: Tensor, spreads: Tensor, blocks: dict[str, Tensor]) -> Tensor:
        import torch

        priors = self.priors
        of_word, of_connection = (
            (priors.word_mean, priors.word_sd),
            (priors.connection_mean, priors.connection_sd),
        )
        # Half-Cauchy and half-normal, each with the derivative of a spread by its logarithm.
        scaled = (spreads / self._scales) ** 2
        log_density = logs.sum() - torch.log1p(scaled[self._sigma]).sum()
        if self.model == "pooled":
            means = {"word": of_word, "connection": of_connection}
        elif self.model == "per-word":
            means = {"word": of_word, "slope": of_connection}
        else:
            means = {"intercept": of_word, "connection": of_connection}
            log_density = log_density - 0.5 * scaled[self._rest].sum()
            for name, at in (("word", self.spreads.word), ("slope", self.spreads.slope)):
                log_density = log_density - len(blocks[name]) * logs[at]
                log_density = log_density - 0.5 * (blocks[name] ** 2).sum() / spreads[at] ** 2
        for name, (mean, sd) in means.items():
            log_density = log_density - 0.5 / sd**2 * ((blocks[name] - mean) ** 2).sum()
        return log_density


@dataclass(frozen=True, eq=False)
class _Joint:
    """Columns of attribute words as tensors."""

    n: float
    place: Tensor
    means: Tensor
    weights: Tensor
    root: Tensor
    same_group: Tensor
    sigma: Tensor
    attribute: int
    pairing: int
    varies: bool

    @classmethod
    def of(
        cls, columns: Columns, statistics: Statistics, place: Tensor, spreads: DrawnSpreads
    ) -> _Joint:
        import torch

        rows = torch.as_tensor(columns.rows)
        return cls(
            float(columns.counts.sum()),
            place[rows, torch.as_tensor(columns.types)].T,
            tensor(columns.means.T),
            tensor(np.sqrt(columns.counts)),
            tensor(columns.root),
            tensor(statistics.same_group[np.ix_(columns.rows, columns.rows)]),
            torch.tensor(spreads.sigma)[torch.as_tensor(columns.kinds)],
            spreads.attribute[int(columns.kinds.min())],
            spreads.pairing,
            columns.varies,
        )

    def log_density(self, spreads: Tensor, cells: Tensor) -> Tensor:
        """Return the log density of all their distances."""
        import torch

        covariance = torch.diag(spreads[self.sigma] ** 2) + spreads[self.attribute] ** 2
        if self.varies:
            covariance = covariance + spreads[self.pairing] ** 2 * self.same_group
        factor = torch.linalg.cholesky(covariance)
        gaps = torch.cat([self.root, self.weights * (self.means - cells[self.place])], dim=1)
        scaled = torch.linalg.solve_triangular(factor, gaps, upper=False)
        log_density: Tensor = -self.n * factor.diagonal().log().sum() - 0.5 * (scaled**2).sum()
        return log_density
