"""Several questions at once: Holm's adjustment of p-values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """P-values adjusted by Holm (1979), which holds whatever the dependence between them.

    Parameters
    ----------
    p : array_like, shape (n,)
        NaN where a question has no answer: it stays NaN and does not count.

    Returns
    -------
    ndarray, shape (n,)
        Reject at a level what lies below it: the chance of any false rejection is at most that.
    """
    given = np.asarray(p, dtype=float)
    adjusted = np.full(given.shape, np.nan)
    there = np.flatnonzero(np.isfinite(given))
    order = there[np.argsort(given[there], kind="stable")]
    steps = np.arange(len(order), 0, -1) * given[order]
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted
