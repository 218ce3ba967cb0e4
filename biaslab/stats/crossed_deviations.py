"""Deviations of protected words from the mean of their class.

Attribute words do not enter them (`biaslab.stats.crossed_layout`), so each protected word is a few
normal means of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.crossed_layout import Floats, Layout, Moments
from biaslab.stats.crossed_parameters import Spreads


class Deviations:
    """Likelihood and draws of deviations within classes, given spreads.

    Parameters
    ----------
    layout : Layout
    moments : Moments

    Attributes
    ----------
    n_normals : int
        Standard normal numbers that a draw takes.
    """

    def __init__(self, layout: Layout, moments: Moments) -> None:
        self.layout, self.moments = layout, moments
        self.n_normals = len(layout.class_of) * (layout.n_connections + 1)
        several = layout.sizes > 1
        self._counts = layout.class_counts[several]
        self._products = moments.products[several]
        self._dimensions = layout.sizes[several] - 1

    def log_likelihood(self, spreads: Spreads) -> Floats:
        """Log density at each point up to one constant, shape (H,)."""
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

    def draw(
        self, spreads: Spreads, which: NDArray[np.intp], normals: Floats
    ) -> tuple[Floats, Floats]:
        """Return draws given spreads: of cells (S, I, C), and of m_i (S, I).

        Parameters
        ----------
        spreads, which
            As of `biaslab.stats.crossed_posterior.Posterior.draw`.
        normals : ndarray, shape (S, n_normals)
        """
        layout = self.layout
        s, (i, c) = len(which), layout.counts.shape
        k = len(layout.sizes)
        normal = (normals.reshape(-1, i) @ layout.centre).reshape(s, c + 1, i)
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
