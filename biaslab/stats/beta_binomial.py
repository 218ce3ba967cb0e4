r"""The beta-binomial likelihood of counts whose probability varies from question to question.

A question's own probability is drawn from a beta distribution with mean p; its m answers are
binomial given that. Their variance is :math:`m p (1-p) (1 + (m-1) \rho)`, with the dispersion
:math:`\rho` the correlation between two answers to one question (Williams 1975). With
:math:`\varphi = \rho / (1 - \rho)` and q = 1 - p,

.. math:: P(k) = \binom{m}{k} \prod_{j<k} (p + j \varphi) \prod_{j<m-k} (q + j \varphi) \Big/
                 \prod_{j<m} (1 + j \varphi),

which is binomial, without any cancellation, at :math:`\varphi = 0`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.sigmoids import Floats

Counts = NDArray[np.int64]
_TINY = 1e-300


class BetaBinomial:
    """Counts of R questions, with the log-likelihood of their probabilities.

    Parameters
    ----------
    hits, trials : ndarray of int, shape (R,)
        How often the answer was the one that counts, and of how many trials.
    """

    def __init__(self, hits: Counts, trials: Counts) -> None:
        self.hits = hits
        self.misses = trials - hits
        self._hits, self._misses, self._trials = (
            _steps(count) for count in (hits, self.misses, trials)
        )

    def loglik(self, p: Floats, q: Floats, dispersion: float) -> Floats:
        """Return the log-likelihood without its constant, shape (R,).

        Parameters
        ----------
        p, q : ndarray, shape (R,)
            Mean probability of a hit and of a miss; they sum to 1.
        dispersion : float
            In [0, 1).
        """
        p, q = np.maximum(p, _TINY), np.maximum(q, _TINY)
        if dispersion == 0:
            return np.asarray(self.hits * np.log(p) + self.misses * np.log(q))
        phi = dispersion / (1 - dispersion)
        size = len(p)
        total = np.zeros(size)
        for (row, step), base in ((self._hits, p), (self._misses, q)):
            total += np.bincount(row, np.log(base[row] + phi * step), size)
        row, step = self._trials
        return np.asarray(total - np.bincount(row, np.log1p(phi * step), size))

    def slopes(
        self, p: Floats, q: Floats, slope: Floats, curvature: Floats, dispersion: float
    ) -> tuple[Floats, Floats]:
        """Return the first and second derivative of `loglik` by z, shape (R,).

        Parameters
        ----------
        p, q, dispersion
            As of `loglik`.
        slope, curvature : ndarray, shape (R,)
            First and second derivative of p by z.
        """
        p, q = np.maximum(p, _TINY), np.maximum(q, _TINY)
        first, second = np.zeros(len(p)), np.zeros(len(p))
        for sign, counts, (row, step), base in (
            (1, self.hits, self._hits, p),
            (-1, self.misses, self._misses, q),
        ):
            # A ratio of two small numbers, and not the square of one, which may be 0.
            if dispersion == 0:
                ratio = slope / base
                first += sign * counts * ratio
                second += counts * (sign * curvature / base - ratio**2)
                continue
            below = base[row] + dispersion / (1 - dispersion) * step
            ratio = slope[row] / below
            first += sign * np.bincount(row, ratio, len(p))
            second += np.bincount(row, sign * curvature[row] / below - ratio**2, len(p))
        return first, second

    def information(self, p: Floats, q: Floats, slope: Floats, dispersion: float) -> Floats:
        """Return the information about z: of binomial answers, less what their dispersion takes.

        Exact without dispersion and for single trials; that of the mean and variance otherwise.

        Parameters
        ----------
        p, q, slope, dispersion
            As of `slopes`.
        """
        p, q = np.maximum(p, _TINY), np.maximum(q, _TINY)
        trials = self.hits + self.misses
        effective = trials / (1 + (trials - 1) * dispersion)
        return np.asarray(effective * (slope / p) * (slope / q))


def _steps(counts: Counts) -> tuple[NDArray[np.intp], Floats]:
    """Return the row of each answer, and 0, 1, ... within its row."""
    row = np.repeat(np.arange(len(counts)), counts)
    start = np.cumsum(counts) - counts
    return row, (np.arange(len(row)) - start[row]).astype(np.float64)
