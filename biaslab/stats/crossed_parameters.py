"""Spreads, priors and draws of the models of a table of protected words by attribute words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.crossed_layout import Floats


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
