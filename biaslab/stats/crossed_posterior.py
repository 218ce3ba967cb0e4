"""Posterior of normal models of a table of protected words by attribute words.

A distance is μ + co_c + m_i + d_ic + a_j + s_jg + e: connection type c, protected word i of group
g, attribute word j. The spreads of a_j and of e may differ between kinds of attribute words. All
but the spreads is normal, so given the spreads everything is known in closed form; the spreads are
what has to be explored. Sizes do not matter: only moments of classes of protected words enter
(`biaslab.stats.crossed_layout`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.crossed_deviations import Deviations
from biaslab.stats.crossed_layout import Floats, Layout, Moments
from biaslab.stats.crossed_parameters import ClassDraws, Draws, Spreads

Normals = Callable[[int], Floats]
"""Returns so many standard normal numbers."""
_BLOCK = 512
"""Points at a time: intermediate results then stay in the cache."""


class Classes(Protocol):
    """Class means of a model.

    Attributes
    ----------
    n_normals : int
        Standard normal numbers that a draw takes.
    """

    n_normals: int

    def log_likelihood(self, spreads: Spreads) -> Floats:
        """Log density of the class means at each point up to one constant, shape (H,)."""

    def draw(self, spreads: Spreads, which: NDArray[np.intp], normals: Floats) -> ClassDraws:
        """Return draws given spreads, one for each row of standard normal numbers.

        Parameters
        ----------
        spreads, which
            As of `Posterior.draw`.
        normals : ndarray, shape (S, n_normals)
        """


class Posterior:
    """Likelihood and conditional draws of a table's moments, given spreads.

    Parameters
    ----------
    layout : Layout
    moments : Moments
        Of distances less their prior mean.
    classes : Classes
        Of the same table.
    """

    def __init__(self, layout: Layout, moments: Moments, classes: Classes) -> None:
        self.layout, self._classes = layout, classes
        self._deviations = Deviations(layout, moments)

    def log_likelihood(self, spreads: Spreads) -> Floats:
        """Log density of the distances at each point up to one constant, shape (H,)."""
        if len(spreads) > _BLOCK:
            blocks = np.split(np.arange(len(spreads)), range(_BLOCK, len(spreads), _BLOCK))
            return np.concatenate([self.log_likelihood(spreads[block]) for block in blocks])
        of_classes = self._classes.log_likelihood(spreads)
        return np.asarray(of_classes + self._deviations.log_likelihood(spreads))

    def draw(self, spreads: Spreads, which: NDArray[np.intp], normals: Normals) -> Draws:
        """Return independent draws of everything else given spreads.

        Parameters
        ----------
        spreads : Spreads
            D points.
        which : ndarray of int, shape (S,)
            The point that each draw is made at.
        normals : callable
            Called once.
        """
        layout, s, of_classes = self.layout, len(which), self._classes.n_normals
        numbers = normals(s * (of_classes + self._deviations.n_normals))
        ours, theirs = np.split(numbers, [s * of_classes])
        drawn = self._classes.draw(spreads, which, ours.reshape(s, -1))
        size = np.sqrt(layout.sizes)
        place = layout.cell_of[layout.class_of]
        every = np.where(place >= 0, (drawn.cells / size[layout.cell_class])[:, place], np.nan)
        words = (drawn.word / size)[:, layout.class_of]
        cells_mean, word_mean = self._deviations.draw(spreads, which, theirs.reshape(s, -1))
        return Draws(every + cells_mean, drawn.connection, words + word_mean, drawn.intercept)

    def draw_connections(
        self, spreads: Spreads, which: NDArray[np.intp], normals: Normals
    ) -> Floats:
        """Return the draws of co_c that `draw` makes, shape (S, C), without those of words.

        The numbers of `normals` must begin as those of `draw` do.
        """
        of_classes = self._classes.n_normals
        numbers = normals(len(which) * of_classes).reshape(-1, of_classes)
        return self._classes.draw(spreads, which, numbers).connection
