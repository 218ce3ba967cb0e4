"""Class means of models of a table of protected words by attribute words.

In the crossed model attribute words are at random, and all spreads are drawn. Attribute words of
one pattern (`biaslab.stats.crossed.layout`) give the cells that they meet a covariance, which
depends on the spreads. Patterns that meet equally many classes have matrices of one size. They are
inverted together: numpy's calls take longer than the few numbers in them.

In the other models nothing varies by chance but single distances. Their one spread, σ, scales all
information alike. Rotated to where information and prior are both diagonal, the class means are
independent at every σ, and each draw takes a few multiplications.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.crossed.layout import (
    ClassDraws,
    Floats,
    Ints,
    Layout,
    Means,
    Moments,
    Pattern,
    Spreads,
)

_MOST = 1_000
"""Numbers of all covariances of a family: tables with pairs missing anywhere have many."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Patterns with one covariance, and the sums of their moments.

    Attributes
    ----------
    patterns : tuple of Pattern
    n : tuple of int
        Attribute words of each.
    weighted : tuple of ndarray, shape (present,)
        For each, their number times their mean.
    products : ndarray, shape (present * present,)
        Sums of products of class means over all.
    """

    patterns: tuple[Pattern, ...]
    n: tuple[int, ...]
    weighted: tuple[Floats, ...]
    products: Floats


@dataclass(frozen=True, eq=False)
class Family:
    """Patterns that meet equally many classes, with N covariances between them.

    Attributes
    ----------
    shapes : tuple of Shape
        One for each covariance.
    """

    shapes: tuple[Shape, ...]

    @property
    def patterns(self) -> list[Pattern]:
        """One pattern of each shape: they differ in nothing that the covariance depends on."""
        return [shape.patterns[0] for shape in self.shapes]

    @cached_property
    def kinds(self) -> Ints:
        """Of each pair, shape (N, present)."""
        return np.array([pattern.kinds for pattern in self.patterns])

    @cached_property
    def kind(self) -> Ints:
        """Of the attribute words, shape (N,)."""
        return np.array([pattern.kind for pattern in self.patterns])

    @cached_property
    def varies(self) -> Floats:
        """Whether each varies over groups, shape (N, 1, 1)."""
        return np.array([[[float(pattern.varies)]] for pattern in self.patterns])

    @cached_property
    def member(self) -> Floats:
        """Whether each class belongs to each group, shape (N, G, present)."""
        return np.array([pattern.by_group > 0 for pattern in self.patterns], dtype=float)

    @cached_property
    def root(self) -> Floats:
        """Root of the size of each class, shape (N, 1, present)."""
        return np.array([pattern.by_group.sum(axis=0)[None] for pattern in self.patterns])

    @cached_property
    def together(self) -> Floats:
        """Whether two classes belong to each group, shape (N, G, present * present)."""
        both = self.member[..., None] * self.member[:, :, None]
        return both.reshape(*both.shape[:2], -1)


def families(layout: Layout, moments: Moments) -> list[Family]:
    """Return the families of a layout, with the sums of their moments."""
    by_size: dict[int, list[Shape]] = {}
    for places in layout.shapes:
        shape = _shape(layout, moments, places)
        by_size.setdefault(len(shape.products), []).append(shape)
    grouped = []
    for size, shapes in by_size.items():
        n = max(1, _MOST // size)
        grouped += [Family(tuple(shapes[at : at + n])) for at in range(0, len(shapes), n)]
    return grouped


def _shape(layout: Layout, moments: Moments, places: tuple[int, ...]) -> Shape:
    patterns = tuple(layout.patterns[p] for p in places)
    chosen = [moments.patterns[p] for p in places]
    n = tuple(len(pattern.attributes) for pattern in patterns)
    about_0 = [f.products + k * np.outer(f.mean, f.mean) for k, f in zip(n, chosen, strict=True)]
    weighted = tuple(k * f.mean for k, f in zip(n, chosen, strict=True))
    return Shape(patterns, n, weighted, np.sum(about_0, axis=0).ravel())


def inverse_covariances(
    family: Family, sigma: Floats, attribute: Floats, pairing: Floats
) -> tuple[Floats, Floats]:
    """Return the inverse covariances of patterns' class means, and their log determinants.

    A covariance is D + t² bb' + p² (bb' within groups), with D the variances of single distances,
    and b the roots of the classes' sizes.

    Parameters
    ----------
    family : Family
    sigma, attribute : ndarray, shape (H, kinds)
        Standard deviations of single distances and of attribute words, t.
    pairing : ndarray, shape (H,)
        Of attribute words over groups, p.

    Returns
    -------
    inverse : ndarray, shape (N, H, present * present)
    log_det : ndarray, shape (N, H)
        Of the covariance.
    """
    member, root = family.member, family.root
    precision = sigma.T[family.kinds].swapaxes(1, 2) ** -2
    scaled = precision * root
    over_groups = pairing[:, None] ** 2 * family.varies
    among = 1 + over_groups * ((scaled * root) @ member.swapaxes(1, 2))
    within = (1 / among) @ member
    square = attribute.T[family.kind] ** 2
    total = 1 + square * (scaled * within * root).sum(axis=2)
    log_det = np.log(among).sum(axis=2) + np.log(total) - np.log(precision).sum(axis=2)
    inverse = (over_groups / among) @ family.together
    inverse += (square / total)[..., None] * _products(within)
    inverse *= -_products(scaled)
    present = precision.shape[2]
    inverse[:, :, :: present + 1] += precision
    return inverse, log_det


def _products(vectors: Floats) -> Floats:
    """Return each vector's products of two of its entries: (N, H, p) -> (N, H, p * p)."""
    both = vectors[..., None] * vectors[:, :, None]
    return both.reshape(*both.shape[:2], -1)


class CrossedClasses:
    """Likelihood and draws of class means, given spreads.

    Parameters
    ----------
    layout : Layout
    moments : Moments
        Of distances less their prior mean.
    means : Means

    Attributes
    ----------
    n_normals : int
        As of `biaslab.stats.crossed.posterior.Classes`.
    """

    def __init__(self, layout: Layout, moments: Moments, means: Means) -> None:
        self.layout, self.means = layout, means
        q, c = len(layout.cell_class), layout.n_connections
        self._size, self._onto = layout.root_sizes, layout.of_connections
        both = means.connection_sd**2 * np.eye(c) + means.intercept_sd**2
        self._fixed = self._onto @ both @ self._onto.T
        same = (layout.cell_class[:, None] == layout.cell_class).astype(float)
        self._by_variance = np.stack([same, np.eye(q)]).reshape(2, q * q)
        self._centre = self._size * means.connection
        self._families = families(layout, moments)
        *self._ends, self.n_normals = np.cumsum([c, 1, len(layout.sizes), q, q]).tolist()

    def log_likelihood(self, spreads: Spreads) -> Floats:
        """Log density of the class means at each point up to one constant, shape (H,)."""
        information, weighted, log_likelihood = self._information(spreads)
        # With e = h - A c and S the prior covariance about its centre c, the cells integrate to
        # |1 + A S|^(-1/2) and the quadratic form c'(h + e) + e'S (1 + A S)⁻¹ e: A and S need no
        # inverse.
        prior = self._prior(spreads)
        joint = np.eye(len(self._size)) + information @ prior
        gap = weighted - information @ self._centre
        solved = np.linalg.solve(joint, gap[:, :, None])
        quadratic = (gap * (prior @ solved)[:, :, 0]).sum(axis=1)
        quadratic += (weighted + gap) @ self._centre
        log_likelihood += 0.5 * (quadratic - np.linalg.slogdet(joint)[1])
        return np.asarray(log_likelihood)

    def _prior(self, spreads: Spreads) -> Floats:
        """Return the prior covariance of the cells' class means, shape (H, Q, Q)."""
        variances = np.column_stack([spreads.word**2, spreads.slope**2])
        q = len(self._size)
        return np.asarray(self._fixed + (variances @ self._by_variance).reshape(-1, q, q))

    def _information(self, spreads: Spreads) -> tuple[Floats, Floats, Floats]:
        """Return information on the cells, its product with the estimate, and the rest."""
        h, q = len(spreads), len(self._size)
        information, weighted = np.zeros((h, q, q)), np.zeros((h, q))
        rest = np.zeros(h)
        for family in self._families:
            inverses, log_dets = inverse_covariances(
                family, spreads.sigma, spreads.attribute, spreads.pairing
            )
            for shape, flat, log_det in zip(family.shapes, inverses, log_dets, strict=True):
                rest -= 0.5 * (sum(shape.n) * log_det + flat @ shape.products)
                present = len(shape.weighted[0])
                inverse = flat.reshape(h, present, present)
                for pattern, n, mean in zip(shape.patterns, shape.n, shape.weighted, strict=True):
                    information[:, pattern.cells[:, None], pattern.cells] += n * inverse
                    weighted[:, pattern.cells] += inverse @ mean
        return information, weighted, rest

    def draw(self, spreads: Spreads, which: NDArray[np.intp], normals: Floats) -> ClassDraws:
        """Return draws given spreads; as of `Classes.draw`."""
        layout, means, at = self.layout, self.means, spreads[which]
        information, weighted, _ = self._information(spreads)
        # A joint draw from the prior is conditioned on the observations (Matheron's rule). With A
        # and S as in the likelihood and A = R R', the cells u of the draw, and z from a standard
        # normal, this takes them to u + S (1 + A S)⁻¹ (h - A u - R z).
        right = [information, np.linalg.cholesky(information), weighted[:, :, None]]
        joint = np.eye(len(self._size)) + information @ self._prior(spreads)
        solved = np.linalg.inv(joint) @ np.concatenate(right, axis=2)
        of_connection, of_intercept, of_word, of_slope, z = np.split(normals, self._ends, axis=1)
        intercept = means.intercept_sd * of_intercept[:, 0]
        connection = means.connection + means.connection_sd * of_connection
        word = at.word[:, None] * of_word
        mean = (connection + intercept[:, None]) @ self._onto.T + word[:, layout.cell_class]
        mean += at.slope[:, None] * of_slope
        given = np.hstack([-mean, -z, np.ones((len(which), 1))])
        pull = (solved[which] @ given[:, :, None])[:, :, 0]
        by_connection = pull @ self._onto
        by_class = pull @ (layout.cell_class[:, None] == np.arange(len(layout.sizes)))
        mean += pull @ self._fixed + at.slope[:, None] ** 2 * pull
        mean += (at.word[:, None] ** 2 * by_class)[:, layout.cell_class]
        connection += means.connection_sd**2 * by_connection
        intercept += means.intercept_sd**2 * by_connection.sum(axis=1)
        word += at.word[:, None] ** 2 * by_class
        return ClassDraws(mean, word, connection, intercept)


class OneSpreadClasses:
    """Likelihood and draws of class means, given σ: the same for all kinds of attribute words.

    Parameters
    ----------
    layout : Layout
    moments : Moments
        Of distances less their prior mean.
    means : Means
    word, slope : float
        Standard deviations of protected words and of connection effects over them; known, unlike
        those of the crossed model.

    Attributes
    ----------
    n_normals : int
        As of `biaslab.stats.crossed.posterior.Classes`.
    """

    def __init__(
        self, layout: Layout, moments: Moments, means: Means, word: float, slope: float
    ) -> None:
        self._centre = means.connection
        q, size = len(layout.cell_class), layout.root_sizes
        self._onto = layout.of_connections
        of_class = (layout.cell_class[:, None] == np.arange(len(layout.sizes))).astype(float)
        # Effects are these SDs times standard normals: co, μ, words, and what is left of a cell.
        self._sds = (means.connection_sd, means.intercept_sd, word)
        parts = [
            means.connection_sd * self._onto,
            means.intercept_sd * size[:, None],
            word * of_class,
            slope * np.eye(q, q if slope else 0),
        ]
        self._ends = np.cumsum([part.shape[1] for part in parts[:3]])
        self._effects = np.concatenate(parts, axis=1)
        self.n_normals = self._effects.shape[1]
        n = layout.class_counts[layout.cell_class, layout.cell_connection]
        total, self._squares = np.zeros(q), 0.0
        for pattern, moment in zip(layout.patterns, moments.patterns, strict=True):
            many = len(pattern.attributes)
            total[pattern.cells] += many * moment.mean
            self._squares += float(np.trace(moment.products) + many * moment.mean @ moment.mean)
        centre = size * means.connection
        gap = total - n * centre
        self._squares -= float(centre @ (total + gap))
        self._n = float(n.sum())
        information, self._axes = np.linalg.eigh(self._effects.T @ (n[:, None] * self._effects))
        self._information = np.maximum(information, 0.0)
        self._weighted = gap @ self._effects @ self._axes

    def log_likelihood(self, spreads: Spreads) -> Floats:
        """Log density of the class means at each point up to one constant, shape (H,)."""
        variance = spreads.sigma[:, :1] ** 2
        total = variance + self._information
        terms = self._weighted**2 / (variance * total) - np.log(total / variance)
        rest = self._n * np.log(variance[:, 0]) + self._squares / variance[:, 0]
        return np.asarray(0.5 * (terms.sum(axis=1) - rest))

    def draw(self, spreads: Spreads, which: NDArray[np.intp], normals: Floats) -> ClassDraws:
        """Return draws given spreads; as of `Classes.draw`."""
        variance = spreads.sigma[which, :1] ** 2
        total = variance + self._information
        # Rotated there and back: of equal information the axes are another machine's choice.
        rotated = normals @ self._axes * np.sqrt(variance / total) + self._weighted / total
        effects = rotated @ self._axes.T
        connection, intercept, word, _ = np.split(effects, self._ends, axis=1)
        of_connection, of_intercept, of_word = self._sds
        return ClassDraws(
            effects @ self._effects.T + self._centre * self._onto.sum(axis=1),
            of_word * word,
            self._centre + of_connection * connection,
            of_intercept * intercept[:, 0],
        )
