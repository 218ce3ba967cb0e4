"""Treat values that differ only by rounding as equal, on all processors.

Kernels add numbers up in different orders, so that two numbers which are equal by their definition
differ in their last digits, and in other ones on another machine. Code that compares
two of them (a rank, a permutation test, a verdict beside a neutral value) uses these values.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

DOUBLE: Final = 1e-12
"""Share of the largest value below which a difference is rounding, in double precision."""
SINGLE: Final = 1e-6
"""A difference of cosines or probabilities below this is rounding, in single precision.

A cosine of vectors in single precision is off by up to 1e-7.
"""


def snapped(values: ArrayLike, to: float = 0.0, within: float = SINGLE) -> NDArray[Any]:
    """Replace values within rounding of a value by it.

    Parameters
    ----------
    values : array_like
        Any shape, float32 or float64.
    to : float
        For example a neutral value.
    within : float
        How far off it.

    Returns
    -------
    ndarray
        The values themselves where none is near.
    """
    array = np.asarray(values)
    near = np.abs(array - to if to else array) <= within
    return np.where(near, array.dtype.type(to), array) if near.any() else array


def levelled(values: ArrayLike, within: float = SINGLE) -> Floats:
    """Replace columns whose values are equal within rounding by their mean.

    Parameters
    ----------
    values : array_like, shape (n, ...)
        Along the first axis; at least one.
    within : float
        Largest range of equal values.
    """
    array = np.asarray(values, dtype=np.float64)
    flat = np.ptp(array, axis=0) <= within
    return np.where(flat, array.mean(axis=0), array)


def places(values: ArrayLike, rounding: float = DOUBLE) -> NDArray[np.int64]:
    """Count the different smaller values below each, along the last axis.

    Neighbours in size that differ by rounding are equal. NaN comes last, each on its own.

    Parameters
    ----------
    values : array_like, shape (..., n)
    rounding : float
        Share of the largest finite value in size that counts as rounding.
    """
    array = np.asarray(values, dtype=np.float64)
    sizes = np.abs(np.where(np.isfinite(array), array, 0.0))
    least = rounding * sizes.max(axis=-1, keepdims=True, initial=0.0)
    order = np.argsort(array, axis=-1, kind="stable")
    ordered = np.take_along_axis(array, order, axis=-1)
    with np.errstate(invalid="ignore"):  # infinity minus itself
        starts_new = ~(
            (np.diff(ordered, axis=-1) <= least) | (ordered[..., 1:] == ordered[..., :-1])
        )
    codes = np.zeros(array.shape, dtype=np.int64)
    codes[..., 1:] = np.cumsum(starts_new, axis=-1)
    ranks = np.empty_like(codes)
    np.put_along_axis(ranks, order, codes, axis=-1)
    return ranks


def order(
    values: ArrayLike, *, descending: bool = False, rounding: float = DOUBLE
) -> NDArray[np.intp]:
    """Return the sorting order; equal values keep their input order, NaN last.

    Parameters
    ----------
    values : array_like, shape (n,)
    descending : bool
        The largest first.
    rounding : float
        As of `places`.
    """
    array = np.asarray(values, dtype=np.float64)
    return np.argsort(places(-array if descending else array, rounding), kind="stable")
