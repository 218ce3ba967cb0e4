"""A table of protected words by attribute words: sufficient statistics, and parameters.

Protected words that meet every attribute word under the same connection type form a *class*. Within
a class only two things count: the class's mean, which attribute words share, and the deviations
from it, which they do not enter. So a table of any size is a few classes by a few connection types,
and the cost of a model does not grow with the number of distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Pattern:
    """Attribute words that meet every class under the same connection types.

    Attributes
    ----------
    attributes : ndarray of int, shape (n,)
        Their places.
    present : ndarray of int
        The classes that they meet.
    cells : ndarray of int
        The cell of each class present.
    kinds : ndarray of int
        The kind of each of these pairs.
    kind : int
        The attribute words' own kind: the first of these.
    by_group : ndarray, shape (G, number present)
        1 if the class belongs to the group, times the square root of the class's size.
    varies : bool
        Whether these attribute words have more than one connection type, so that what they
        are to one group they may not be to another.
    """

    attributes: Ints
    present: Ints
    cells: Ints
    kinds: Ints
    kind: int
    by_group: Floats
    varies: bool


@dataclass(frozen=True, eq=False)
class Layout:
    """Layout of a table's words and connections, shared by all replicates.

    Attributes
    ----------
    connection : ndarray of int, shape (I, J)
        Connection type of each pair, 0 to C - 1; -1 without a distance.
    n_connections : int
        C.
    kind_of : ndarray of int, shape (C,)
        Kind of each connection type: types of one kind share their spreads.
    class_of : ndarray of int, shape (I,)
        Class of each protected word, 0 to K - 1.
    sizes : ndarray, shape (K,)
    group_of_class : ndarray of int, shape (K,)
    n_groups : int
    cell_of : ndarray of int, shape (K, C)
        Index of each occupied cell, 0 to Q - 1; -1 if a class has no such pair.
    cell_class, cell_connection : ndarray of int, shape (Q,)
    counts : ndarray, shape (I, C)
        Attribute words that each protected word meets under each connection type.
    patterns : tuple of Pattern
    shapes : tuple of tuple of int
        Indices of patterns with the same classes and the same variation: they have one covariance.
    centre : ndarray, shape (I, I)
        Takes the class's mean off each protected word.
    """

    connection: NDArray[np.int8]
    n_connections: int
    kind_of: Ints
    class_of: Ints
    sizes: Floats
    group_of_class: Ints
    n_groups: int
    cell_of: Ints
    cell_class: Ints
    cell_connection: Ints
    counts: Floats
    patterns: tuple[Pattern, ...]
    shapes: tuple[tuple[int, ...], ...]
    centre: Floats

    @property
    def n_kinds(self) -> int:
        """Number of kinds."""
        return int(self.kind_of.max()) + 1

    @property
    def class_counts(self) -> Floats:
        """Attribute words that a word of each class meets under each type, shape (K, C)."""
        return self.counts[np.unique(self.class_of, return_index=True)[1]]

    @property
    def root_sizes(self) -> Floats:
        """Root of the size of each cell's class, shape (Q,)."""
        return np.asarray(np.sqrt(self.sizes[self.cell_class]))

    @property
    def of_connections(self) -> Floats:
        """Share of each connection effect in a cell, times the same root: shape (Q, C)."""
        is_of = self.cell_connection[:, None] == np.arange(self.n_connections)
        return np.asarray(is_of * self.root_sizes[:, None])

    @classmethod
    def of(cls, connection: NDArray[np.int8], groups: Ints, kind_of: Sequence[int]) -> Layout:
        """Return the layout of a table.

        Parameters
        ----------
        connection : ndarray of int, shape (I, J)
        groups : ndarray of int, shape (I,)
            Group of each protected word, 0 to G - 1.
        kind_of : sequence of int
            Kind of each of the C connection types, from 0.
        """
        kinds = np.asarray(kind_of, dtype=np.intp)
        n_connections = len(kinds)
        rows, class_of = _distinct(np.column_stack([groups, connection]))
        k = len(rows)
        of_class = rows[:, 1:]
        sizes = np.bincount(class_of, minlength=k).astype(float)
        by_type = connection[:, :, None] == np.arange(n_connections)
        counts = by_type.sum(axis=1).astype(float)
        occupied = (of_class[:, :, None] == np.arange(n_connections)).any(axis=1)
        cell_of = np.where(occupied, np.cumsum(occupied).reshape(occupied.shape) - 1, -1)
        cell_class, cell_connection = np.nonzero(occupied)
        group_of_class = rows[:, 0].astype(np.intp)
        columns, pattern_of = _distinct(of_class.T)
        n_groups = int(groups.max()) + 1
        patterns = []
        for p, column in enumerate(columns):
            present = np.flatnonzero(column >= 0)
            if not len(present):
                continue
            member = group_of_class[present] == np.arange(n_groups)[:, None]
            patterns.append(
                Pattern(
                    np.flatnonzero(pattern_of == p),
                    present,
                    cell_of[present, column[present]],
                    kinds[column[present]],
                    int(kinds[column[present]].min()),
                    member * np.sqrt(sizes[present]),
                    bool(np.ptp(column[present])),
                )
            )
        same = class_of[:, None] == class_of
        centre = np.eye(len(class_of)) - same / sizes[class_of]
        return cls(
            connection,
            n_connections,
            kinds,
            class_of,
            sizes,
            group_of_class,
            n_groups,
            cell_of,
            cell_class,
            cell_connection,
            counts,
            tuple(patterns),
            _shapes(patterns),
            centre,
        )


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """Return the different rows in order, and which of them each row is."""
    keys = [row.tobytes() for row in rows]
    first = {key: place for place, key in reversed(list(enumerate(keys)))}
    places = sorted(first.values(), key=lambda place: rows[place].tolist())
    number = {keys[place]: n for n, place in enumerate(places)}
    return rows[places], np.array([number[key] for key in keys], dtype=np.intp)


def _shapes(patterns: list[Pattern]) -> tuple[tuple[int, ...], ...]:
    alike: dict[tuple[bytes, bytes, bool], list[int]] = {}
    for place, pattern in enumerate(patterns):
        key = (pattern.present.tobytes(), pattern.kinds.tobytes(), pattern.varies)
        alike.setdefault(key, []).append(place)
    return tuple(map(tuple, alike.values()))


@dataclass(frozen=True, eq=False)
class PatternMoments:
    """Moments of one pattern's class means, scaled by the root of the class's size.

    Attributes
    ----------
    mean : ndarray, shape (number present,)
        Over the pattern's attribute words.
    products : ndarray, shape (number present, number present)
        Sums over attribute words of products of deviations from that mean.
    """

    mean: Floats
    products: Floats


@dataclass(frozen=True, eq=False)
class Moments:
    """All that a model needs to know of the distances.

    Attributes
    ----------
    n : int
        Distances.
    sd : float
        Of all distances.
    patterns : tuple of PatternMoments
    within : ndarray, shape (I, C)
        Mean deviation of each protected word from its class, by connection type; 0 if none.
    products : ndarray, shape (K, C, C)
        Sums over a class of products of these.
    residual : ndarray, shape (number of kinds,)
        Sum of squares of deviations from the class about ``within``, by kind of pair.
    residual_n : ndarray of int, shape (number of kinds,)
        Its degrees of freedom.
    """

    n: int
    sd: float
    patterns: tuple[PatternMoments, ...]
    within: Floats
    products: Floats
    residual: Floats
    residual_n: Ints

    def within_cells(self, layout: Layout) -> tuple[Floats, Floats]:
        """Return sums of squares within cells by kind, and their degrees of freedom."""
        squares, free = self.residual.copy(), self.residual_n.astype(float)
        for pattern, moments in zip(layout.patterns, self.patterns, strict=True):
            np.add.at(squares, pattern.kinds, np.diag(moments.products))
            np.add.at(free, pattern.kinds, len(pattern.attributes) - 1)
        return squares, free

    def variances(self, layout: Layout) -> tuple[Floats, Floats]:
        """Return rough variances of single distances and of attribute words, by kind.

        They are those at which mean squares meet their expectation: near enough for a search to
        begin at. A kind of which no protected words share a class takes half of its variance for
        that of single distances.
        """
        squares, free = self.within_cells(layout)
        total = squares / np.maximum(free, 1)
        single = np.where(
            self.residual_n > 0, self.residual / np.maximum(self.residual_n, 1), total / 2
        )
        above, weight = np.zeros(len(single)), np.zeros(len(single))
        for pattern, moments in zip(layout.patterns, self.patterns, strict=True):
            n = len(pattern.attributes) - 1
            np.add.at(above, pattern.kinds, np.diag(moments.products) - n * single[pattern.kinds])
            np.add.at(weight, pattern.kinds, n * layout.sizes[pattern.present])
        return single, np.maximum(above / np.maximum(weight, 1), 0.0)

    @classmethod
    def of(cls, layout: Layout, distance: Floats) -> Moments:
        """Return the moments of distances, (I, J); values without a pair are ignored."""
        observed = layout.connection >= 0
        y = np.where(observed, distance, 0.0)
        k = len(layout.sizes)
        member = (layout.class_of == np.arange(k)[:, None]).astype(float)
        means = member @ y / np.sqrt(layout.sizes)[:, None]
        deviation = np.where(observed, layout.centre @ y, 0.0)
        by_type = layout.connection[:, :, None] == np.arange(layout.n_connections)
        sums = np.einsum("ij,ijc->ic", deviation, by_type)
        within = sums / np.maximum(layout.counts, 1)
        products = np.einsum("ki,ic,id->kcd", member, within, within)
        squares = np.einsum("ij,ijc->ic", deviation**2, by_type) - layout.counts * within**2
        kinds = layout.kind_of == np.arange(layout.n_kinds)[:, None]
        residual = kinds @ np.maximum(squares.sum(axis=0), 0.0)
        free = (layout.sizes - 1)[:, None] * np.maximum(layout.class_counts - 1, 0)
        residual_n = np.rint(kinds @ free.sum(axis=0)).astype(np.intp)
        patterns = []
        for pattern in layout.patterns:
            block = means[np.ix_(pattern.present, pattern.attributes)]
            mean = block.mean(axis=1)
            rest = block - mean[:, None]
            patterns.append(PatternMoments(mean, rest @ rest.T))
        sd = float(distance[observed].std())
        return cls(int(observed.sum()), sd, tuple(patterns), within, products, residual, residual_n)


@dataclass(frozen=True, eq=False)
class Spreads:
    """Standard deviations at H points, by kind of shape (H, number of kinds), else (H,).

    Attributes
    ----------
    sigma : ndarray
        Of a single distance by kind, above 0.
    word : ndarray
        Of protected words.
    slope : ndarray
        Of connection effects over protected words.
    attribute : ndarray
        Of attribute words by kind.
    pairing : ndarray
        Of attribute words over groups, for those with more than one connection type.
    """

    sigma: Floats
    word: Floats
    slope: Floats
    attribute: Floats
    pairing: Floats

    def __getitem__(self, at: NDArray[np.intp]) -> Spreads:
        return Spreads(
            self.sigma[at], self.word[at], self.slope[at], self.attribute[at], self.pairing[at]
        )

    def __len__(self) -> int:
        return len(self.sigma)


@dataclass(frozen=True, eq=False)
class Means:
    """Normal priors of the fixed effects.

    Attributes
    ----------
    connection : float
        Mean of every connection effect, after the distances' own prior mean is taken off.
    connection_sd : float
        Of a connection effect; 0 if there is none.
    intercept_sd : float
        Of μ; 0 if it is fixed at its prior mean.
    """

    connection: float
    connection_sd: float
    intercept_sd: float


@dataclass(frozen=True, eq=False)
class Draws:
    """S joint draws.

    Attributes
    ----------
    cells : ndarray, shape (S, I, C)
        μ + co_c + m_i + d_ic; NaN if a protected word has no distance of that type.
    connection : ndarray, shape (S, C)
        co_c.
    word : ndarray, shape (S, I)
        m_i.
    intercept : ndarray, shape (S,)
        μ.
    """

    cells: Floats
    connection: Floats
    word: Floats
    intercept: Floats


@dataclass(frozen=True, eq=False)
class ClassDraws:
    """S joint draws of the means of K classes, and of what all words share.

    Attributes
    ----------
    cells : ndarray, shape (S, Q)
        Of each class's cells, times the root of the class's size.
    word : ndarray, shape (S, K)
        Of its words' m_i, times the same.
    connection : ndarray, shape (S, C)
        co_c.
    intercept : ndarray, shape (S,)
        μ.
    """

    cells: Floats
    word: Floats
    connection: Floats
    intercept: Floats
