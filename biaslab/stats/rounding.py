"""Values that differ by rounding only are equal, whatever processor they were computed on.

Kernels add numbers up in different orders, so that two numbers which are equal by their definition
differ in their last digits, and in other ones on another machine. Whatever asks which of two is
larger (a rank, a permutation test, a verdict beside a neutral value) asks it of these values.
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
    """Values, with those that lie within rounding of a value replaced by it.

    Parameters
    ----------
    values : array_like
        Any shape, float32 or float64.
    to : float
        Such as a neutral value.
    within : float
        How far off it.
    """
    given = np.asarray(values)
    return np.asarray(np.where(np.abs(given - to) <= within, given.dtype.type(to), given))


def levelled(values: ArrayLike, within: float = SINGLE) -> Floats:
    """Columns whose values all lie within rounding of each other, at their common mean.

    Parameters
    ----------
    values : array_like, shape (n, ...)
        Along the first axis; at least one.
    within : float
        How far apart the smallest and the largest may lie.
    """
    given = np.asarray(values, dtype=np.float64)
    flat = np.ptp(given, axis=0) <= within
    return np.where(flat, given.mean(axis=0), given)


def places(values: ArrayLike, rounding: float = DOUBLE) -> NDArray[np.int64]:
    """Number of different smaller values below each, along the last axis: equal ones share it.

    Neighbours in size that differ by rounding are equal. NaN comes last, each for itself.

    Parameters
    ----------
    values : array_like, shape (..., n)
    rounding : float
        Share of the largest finite value in size that counts as rounding.
    """
    given = np.asarray(values, dtype=np.float64)
    sizes = np.abs(np.where(np.isfinite(given), given, 0.0))
    least = rounding * sizes.max(axis=-1, keepdims=True, initial=0.0)
    order = np.argsort(given, axis=-1, kind="stable")
    ordered = np.take_along_axis(given, order, axis=-1)
    with np.errstate(invalid="ignore"):  # infinity less itself
        apart = ~((np.diff(ordered, axis=-1) <= least) | (ordered[..., 1:] == ordered[..., :-1]))
    codes = np.zeros(given.shape, dtype=np.int64)
    codes[..., 1:] = np.cumsum(apart, axis=-1)
    found = np.empty_like(codes)
    np.put_along_axis(found, order, codes, axis=-1)
    return found


def order(
    values: ArrayLike, *, descending: bool = False, rounding: float = DOUBLE
) -> NDArray[np.intp]:
    """Places of values by size; equal ones stay in the order in which they were given, NaN last.

    Parameters
    ----------
    values : array_like, shape (n,)
    descending : bool
        The largest first.
    rounding : float
        As of `places`.
    """
    given = np.asarray(values, dtype=np.float64)
    return np.argsort(places(-given if descending else given, rounding), kind="stable")
