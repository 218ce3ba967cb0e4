"""Bootstrap over words: a measure's numbers, had other words like these been chosen.

The words of a list are resampled with replacement, for measures that are no mean over words: `ect`
and `rnsb`. Means and WEAT have draws that hold for short lists
(`biaslab.probes.association.mean_draws`, `biaslab.probes.association.word_draws`).
"""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.cosines import Floats
from biaslab.stats.levels import check_level

_BLOCK = 32_768
"""Words at a time: intermediate results then stay in the cache."""


def weights(n: int, draws: int, rng: np.random.Generator) -> Floats:
    """Return the share of each of n words in resamples of n words, shape (draws, n)."""
    if n == 0:
        return np.zeros((draws, 0))
    shares = np.empty((draws, n))
    rows = -(-_BLOCK // n)
    for begin in range(0, draws, rows):
        block = shares[begin : begin + rows]
        drawn = rng.integers(0, n, size=block.shape)
        drawn += n * np.arange(len(block))[:, None]
        np.divide(np.bincount(drawn.ravel(), minlength=block.size).reshape(block.shape), n, block)
    return shares


def check_resampling(level: float, resamples: int) -> None:
    """Refuse options out of range.

    Raises
    ------
    ValueError
        If one is.
    """
    check_level(level)
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}; use at least 1, such as 2,000.")
