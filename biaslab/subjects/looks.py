"""What a language model is shown, and where it is read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Blend:
    """Places at which a model is shown a mixture of two words instead of a token.

    Attributes
    ----------
    start : int
        The first of these m places.
    first, second : ndarray of int64, shape (m, any)
        Tokens of either word at each place; the mean of a row's input embeddings is mixed.
    """

    start: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Look:
    """Input of a model, and the positions that are read.

    Attributes
    ----------
    ids : ndarray of int64, shape (length,)
        Tokens as shown, with the tokens to predict masked.
    positions : ndarray of int64, shape (n,)
        Positions that are read.
    targets : ndarray of int64, shape (n,)
        Target token at each of these.
    blend : Blend, optional
        A mixture in place of some of the tokens.
    alpha : float
        Share of the mixture's second word, in [0, 1].
    """

    ids: NDArray[np.int64]
    positions: NDArray[np.int64]
    targets: NDArray[np.int64]
    blend: Blend | None = None
    alpha: float = 0.0
