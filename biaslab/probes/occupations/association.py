"""Single-category association (Caliskan et al. 2017): WEFAT's effect size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.reproducibility import SINGLE, snapped

Cosines = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]


def difference_of_means(cosines_1: Cosines, cosines_2: Cosines) -> Floats:
    """Return the mean cosine to list 1 minus the mean cosine to list 2.

    Parameters
    ----------
    cosines_1, cosines_2 : ndarray, shapes (..., n1) and (..., n2)
        Cosines of words to the terms of each list.

    Returns
    -------
    ndarray, shape (...)
        Above 0: nearer to list 1, as a PSE above 1/2 is a bias for cue 1. A difference within
        single-precision rounding is 0: after hard debiasing all those to equalised pairs are.
    """
    means = (each.mean(axis=-1, dtype=float) for each in (cosines_1, cosines_2))
    return snapped(np.subtract(*means))


def effect_size(cosines_1: Cosines, cosines_2: Cosines, ddof: int = 0) -> Floats:
    """Compute WEFAT's effect size of each word.

    Parameters
    ----------
    cosines_1, cosines_2 : ndarray, shapes (..., n1) and (..., n2)
    ddof : int
        0 or 1: the source says "std-dev" only. All words share the factor between the two, so that
        no correlation depends on it.

    Returns
    -------
    ndarray, shape (...)
        In SDs, signed as `difference_of_means`; NaN if all cosines are equal.
    """
    both = np.concatenate([cosines_1, cosines_2], axis=-1)
    spread = both.std(axis=-1, ddof=ddof, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = difference_of_means(cosines_1, cosines_2) / spread
    return np.asarray(np.where(spread > SINGLE, size, np.nan))
