"""Posterior of normal models of a table of protected words by attribute words.

A distance is μ + co_c + m_i + d_ic + a_j + s_jg + e: connection type c, protected word i of group
g, attribute word j. The spreads of a_j and of e may differ between kinds of attribute words. All
but the spreads is normal, so given the spreads everything is known in closed form; the spreads are
what has to be explored. Sizes do not matter: only moments of classes of protected words enter
(`biaslab.stats.crossed_layout`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.crossed_families import families, inverse_covariances
from biaslab.stats.crossed_layout import Floats, Layout, Moments

_BLOCK = 512
"""Points at a time: intermediate results then stay in the cache."""


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
            self.sigma[at],
            self.word[at],
            self.slope[at],
            self.attribute[at],
            self.pairing[at],
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


class Posterior:
    """Likelihood and conditional draws of a table's moments, given spreads.

    Parameters
    ----------
    layout : Layout
    moments : Moments
        Of distances less their prior mean.
    means : Means
    """

    def __init__(self, layout: Layout, moments: Moments, means: Means) -> None:
        self.layout, self.moments, self.means = layout, moments, means
        q, c = len(layout.cell_class), layout.n_connections
        self._size = np.sqrt(layout.sizes[layout.cell_class])
        self._onto = np.zeros((q, c))
        self._onto[np.arange(q), layout.cell_connection] = self._size
        both = means.connection_sd**2 * np.eye(c) + means.intercept_sd**2
        self._fixed = self._onto @ both @ self._onto.T
        same = (layout.cell_class[:, None] == layout.cell_class).astype(float)
        self._by_variance = np.stack([same, np.eye(q)]).reshape(2, q * q)
        self._centre = self._size * means.connection
        self._families = families(layout, moments)
        several = layout.sizes > 1
        self._counts = layout.class_counts[several]
        self._products = moments.products[several]
        self._dimensions = layout.sizes[several] - 1

    def log_likelihood(self, spreads: Spreads) -> Floats:
        """Log density of the distances at each point up to one constant, shape (H,)."""
        if len(spreads) > _BLOCK:
            blocks = np.split(np.arange(len(spreads)), range(_BLOCK, len(spreads), _BLOCK))
            return np.concatenate([self.log_likelihood(spreads[block]) for block in blocks])
        information, weighted, log_likelihood = self._class_means(spreads)
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
        return np.asarray(log_likelihood + self._deviations(spreads))

    def _prior(self, spreads: Spreads) -> Floats:
        """Return the prior covariance of the cells' class means, shape (H, Q, Q)."""
        variances = np.column_stack([spreads.word**2, spreads.slope**2])
        q = len(self._size)
        return np.asarray(self._fixed + (variances @ self._by_variance).reshape(-1, q, q))

    def _class_means(self, spreads: Spreads) -> tuple[Floats, Floats, Floats]:
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

    def _deviations(self, spreads: Spreads) -> Floats:
        """Return the log density within classes, shape (H,)."""
        moments = self.moments
        variance = spreads.sigma**2
        log_density = -0.5 * (np.log(variance) @ moments.residual_n)
        log_density -= 0.5 * ((1 / variance) @ moments.residual)
        n, held = self._counts, self._counts > 0
        if not held.any():
            return np.asarray(log_density)
        of_type = variance[:, None, self.layout.kind_of]
        v = spreads.slope[:, None, None] ** 2 + of_type / np.maximum(n, 1)
        weight = np.where(held, 1 / v, 0.0)
        total = 1 + spreads.word[:, None] ** 2 * weight.sum(axis=2)
        log_det = np.where(held, np.log(v), 0.0).sum(axis=2) + np.log(total)
        across = (weight[:, :, None, :] @ self._products)[:, :, 0]
        common = (across * weight).sum(axis=2)
        explained = (weight * np.diagonal(self._products, axis1=1, axis2=2)).sum(axis=(1, 2))
        quadratic = explained - (spreads.word[:, None] ** 2 / total * common).sum(axis=1)
        return np.asarray(log_density - 0.5 * (log_det @ self._dimensions + quadratic))

    def draw(self, spreads: Spreads, which: NDArray[np.intp], rng: np.random.Generator) -> Draws:
        """Return independent draws of everything else given spreads.

        Parameters
        ----------
        spreads : Spreads
            D points.
        which : ndarray of int, shape (S,)
            The point that each draw is made at.
        rng : numpy.random.Generator
        """
        mean, connection, word, intercept = self._class_draws(spreads, which, rng)
        layout = self.layout
        place = layout.cell_of[layout.class_of]
        every = np.where(place >= 0, (mean / self._size)[:, place], np.nan)
        words = word[:, layout.class_of] / np.sqrt(layout.sizes[layout.class_of])
        cells_mean, word_mean = self._deviation_draws(spreads, which, rng)
        return Draws(every + cells_mean, connection, words + word_mean, intercept)

    def draw_connections(
        self, spreads: Spreads, which: NDArray[np.intp], rng: np.random.Generator
    ) -> Floats:
        """Return the draws of co_c that `draw` makes, shape (S, C), without those of words."""
        return self._class_draws(spreads, which, rng)[1]

    def _class_draws(
        self, spreads: Spreads, which: NDArray[np.intp], rng: np.random.Generator
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Return draws of classes' cells and words, both times the root of the size, co and μ."""
        layout, means = self.layout, self.means
        s, c = len(which), layout.n_connections
        at = spreads[which]
        normal = rng.standard_normal
        information, weighted, _ = self._class_means(spreads)
        # A joint draw from the prior is conditioned on the observations (Matheron's rule). With A
        # and S as in the likelihood and A = R R', the cells u of the draw, and z from a standard
        # normal, this takes them to u + S (1 + A S)⁻¹ (h - A u - R z).
        right = [information, np.linalg.cholesky(information), weighted[:, :, None]]
        joint = np.eye(len(self._size)) + information @ self._prior(spreads)
        solved = np.linalg.inv(joint) @ np.concatenate(right, axis=2)
        intercept = means.intercept_sd * normal(s)
        connection = means.connection + means.connection_sd * normal((s, c))
        k = len(layout.sizes)
        word = at.word[:, None] * normal((s, k))
        mean = (connection + intercept[:, None]) @ self._onto.T + word[:, layout.cell_class]
        mean += at.slope[:, None] * normal((s, len(self._size)))
        given = np.hstack([-mean, -normal((s, len(self._size))), np.ones((s, 1))])
        pull = (solved[which] @ given[:, :, None])[:, :, 0]
        by_connection = pull @ self._onto
        by_class = pull @ (layout.cell_class[:, None] == np.arange(k))
        mean += pull @ self._fixed + at.slope[:, None] ** 2 * pull
        mean += (at.word[:, None] ** 2 * by_class)[:, layout.cell_class]
        connection += means.connection_sd**2 * by_connection
        intercept += means.intercept_sd**2 * by_connection.sum(axis=1)
        word += at.word[:, None] ** 2 * by_class
        return mean, connection, word, intercept

    def _deviation_draws(
        self, spreads: Spreads, which: NDArray[np.intp], rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Return draws of protected words' deviations from their class: cells, and m_i."""
        layout = self.layout
        s, (i, c) = len(which), layout.counts.shape
        k = len(layout.sizes)
        normal = (rng.standard_normal((s * (c + 1), i)) @ layout.centre).reshape(s, c + 1, i)
        # Words of a class have the same attribute words and therefore the same precision.
        n = layout.class_counts.T
        variance = spreads.sigma[:, layout.kind_of, None] ** 2
        slope = spreads.slope[:, None, None] ** 2
        spread = spreads.word[:, None] ** 2
        weight = n / (n * slope + variance)
        gain = spread / (1 + spread * weight.sum(axis=1))
        of_class = (layout.class_of == np.arange(k)[:, None]).astype(float)
        deviations = self.moments.within.T
        # m_i first, with the cells integrated out; then each cell given m_i.
        word = np.sqrt(gain)[which] @ of_class
        word *= normal[:, 0]
        pull = (gain[:, None] * weight).reshape(-1, c * k)
        word += pull[which] @ (deviations[:, None] * of_class).reshape(c * k, i)
        share = (slope * weight)[which]
        sd = np.sqrt(slope * variance / (n * slope + variance))[which]
        cells = np.empty((s, i, c))
        for connection in range(c):  # one at a time stays in the cache
            cell = deviations[connection] - word
            cell *= share[:, connection] @ of_class
            cell += word
            noise = sd[:, connection] @ of_class
            noise *= normal[:, connection + 1]
            cell += noise
            cells[:, :, connection] = cell
        return cells, word
