"""Highest posterior density intervals from draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def hpdi(draws: NDArray[np.floating[Any]], level: float = 0.89) -> Floats:
    """The narrowest interval that holds a share of the draws, one per column.

    Parameters
    ----------
    draws : ndarray, shape (S, ...)
        Draws along the first axis; a column with NaN has no interval.
    level : float
        Share, in (0, 1).

    Returns
    -------
    ndarray, shape (..., 2)

    Raises
    ------
    ValueError
        When the level is out of range or there are fewer than two draws.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; use a share between 0 and 1, such as 0.89.")
    if len(draws) < 2:
        raise ValueError(f"{len(draws)} draws have no interval. Take more.")
    ordered = np.sort(np.asarray(draws), axis=0)
    # As many gaps between neighbours as the share asks for, of S - 1 there are.
    held = min(max(round(level * (len(ordered) - 1)), 1), len(ordered) - 1)
    widths = ordered[held:] - ordered[:-held]
    first = np.nan_to_num(widths, nan=np.inf).argmin(axis=0)[None]
    low = np.take_along_axis(ordered, first, axis=0)[0]
    high = np.take_along_axis(ordered, first + held, axis=0)[0]
    missing = np.isnan(ordered[-1])
    ends = np.stack([low, high], axis=-1).astype(float)
    ends[missing] = np.nan
    return np.asarray(ends)
