"""Standard normal numbers of a seed, kept for whoever asks again.

On a bench each edit asks the same question with a word more or less and the same seed, and drawing
the numbers anew takes a good part of the answer's time.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_KEPT = 1_000_000
"""Numbers of a seed: 8 MB."""
_SEEDS = 8
_AHEAD = 8
"""An eighth more are kept, so that an edit that needs a few more seldom draws them all again."""


def normals(seed: tuple[int, ...], n: int) -> Floats:
    """Return the first `n` standard normal numbers of a seed, read-only.

    Parameters
    ----------
    seed : tuple of int
    n : int
    """
    if n > MOST_KEPT:
        return np.random.default_rng(seed).standard_normal(n)
    kept = _of(seed)
    numbers = kept.numbers
    if len(numbers) < n:
        numbers = np.random.default_rng(seed).standard_normal(n + n // _AHEAD)
        numbers.flags.writeable = False
        kept.numbers = numbers
    return numbers[:n]


class _Kept:
    def __init__(self) -> None:
        self.numbers: Floats = np.empty(0)


@lru_cache(maxsize=_SEEDS)
def _of(seed: tuple[int, ...]) -> _Kept:  # noqa: ARG001  # what it is kept under
    return _Kept()
