"""Equal numbers in every run, on every machine: values equal but for rounding, and seeds.

Kernels add numbers up in different orders, so that two numbers which are equal by their definition
differ in their last digits, and in other ones on another machine. Code that compares
two of them (a rank, a permutation test, a verdict beside a neutral value) uses the values of
`snapped`, `levelled`, `places` and `order`.

The normal numbers of a seed are kept: on a bench each edit asks the same question with a word more
or less and the same seed, and drawing them anew takes a good part of the answer's time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.arguments import instance

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


_SUITED = "a whole number of at least 0, or a numpy.random.Generator."


def seed_number(rng: int | np.random.Generator) -> int:
    """Return the seed itself, or a number drawn from a generator.

    Parameters
    ----------
    rng : int or numpy.random.Generator

    Raises
    ------
    ArgumentError
        If it is neither.
    ValueError
        If it is below 0.
    """
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    seed = int(instance(rng, (int, np.integer), "rng", f"Pass {_SUITED}"))
    if seed < 0:
        raise ValueError(f"rng is {seed}; use {_SUITED}")
    return seed


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
