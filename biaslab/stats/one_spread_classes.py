"""Class means of models in which nothing varies by chance but single distances.

Their one spread, σ, scales all information alike. Rotated to where information and prior are both
diagonal, the class means are independent at every σ, and each draw takes a few multiplications.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.crossed_layout import Floats, Layout, Moments
from biaslab.stats.crossed_parameters import ClassDraws, Means, Spreads


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
        As of `biaslab.stats.crossed_posterior.Classes`.
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
        for pattern, found in zip(layout.patterns, moments.patterns, strict=True):
            many = len(pattern.attributes)
            total[pattern.cells] += many * found.mean
            self._squares += float(np.trace(found.products) + many * found.mean @ found.mean)
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
        found = self._weighted**2 / (variance * total) - np.log(total / variance)
        rest = self._n * np.log(variance[:, 0]) + self._squares / variance[:, 0]
        return np.asarray(0.5 * (found.sum(axis=1) - rest))

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
