"""Class means of the crossed model: attribute words are at random, and all spreads are drawn.

Attribute words of one pattern (`biaslab.stats.crossed_layout`) give the cells that they meet a
covariance, which depends on the spreads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.crossed_families import families, inverse_covariances
from biaslab.stats.crossed_layout import Floats, Layout, Moments
from biaslab.stats.crossed_parameters import ClassDraws, Means, Spreads


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
        As of `biaslab.stats.crossed_posterior.Classes`.
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
