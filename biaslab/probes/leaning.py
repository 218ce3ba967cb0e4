"""Side of the neutral value on which an estimate lies, and how sharply.

Liang and Acuna (2020, sections 3.1 and 5.1) read a high JND as a bias that is less sharply defined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.records.record import Record
from biaslab.records.result import Interval

Floats = NDArray[np.float64]
_ROUNDING: Final = 1e-9


def lean(interval: Interval, neutral: float = 0.5) -> int:
    """Return 1 if an interval is above the neutral value, -1 if below, else 0.

    An interval without any width lies beside it only by rounding.
    """
    if interval.low > neutral + _ROUNDING:
        return 1
    return -1 if interval.high < neutral - _ROUNDING else 0


LeanClass = Literal["sharp lean", "blurred lean", "no lean", "cannot say"]
NO_LEAN = 0.1
"""How far from 1/2 the interval of "no lean" may reach, in units of alpha."""
FEWEST = 3
"""Items that a median JND needs."""


@dataclass(frozen=True)
class LeanClasses(Record):
    """Items by direction and sharpness of their lean.

    Attributes
    ----------
    items : tuple of str
        The n items.
    classes : tuple of str
        Theirs: ``sharp lean``, ``blurred lean``, ``no lean`` or ``cannot say``.
    limit : float
        JND between sharp and blurred, in units of alpha.
    is_median : bool
        Whether the limit is the median JND of the items.
    margin : float
        How far from 1/2 the interval of "no lean" may reach, in units of alpha.
    """

    items: tuple[str, ...]
    classes: tuple[LeanClass, ...]
    limit: float
    is_median: bool
    margin: float

    def items_of(self, name: LeanClass) -> tuple[str, ...]:
        """Return the items of a class."""
        return tuple(i for i, c in zip(self.items, self.classes, strict=True) if c == name)

    @property
    def counts(self) -> dict[LeanClass, int]:
        """Number of items in each class."""
        return {name: self.classes.count(name) for name in get_args(LeanClass)}


def lean_classes(
    items: tuple[str, ...],
    jnd: Floats,
    intervals: tuple[Floats, Floats],
    lean: NDArray[np.int8],
    limit: float | None,
    margin: float,
) -> LeanClasses:
    """Classify items by the intervals of their PSE and JND.

    Parameters
    ----------
    items : tuple of str
        The n items.
    jnd : ndarray, shape (n,)
    intervals : pair of ndarray, shape (n, 2)
        Of the PSE and of the JND.
    lean : ndarray, shape (n,)
        Other than 0 for a clear lean.
    limit : float, optional
        JND between sharp and blurred; default the median of the items.
    margin : float
        How far from 1/2 the interval of "no lean" may reach.

    Raises
    ------
    QueryError
        When the limit or margin is not above 0.
    """
    if margin <= 0 or (limit is not None and not limit > 0):
        raise QueryError(
            f"The JND limit is {limit} and the margin of no lean {margin}, in units of alpha: give"
            " numbers above 0, such as limit=0.05."
        )
    jnds = jnd[np.isfinite(jnd)]
    is_median = limit is None
    if limit is None:
        limit = float(np.median(jnds)) if len(jnds) >= FEWEST else float("nan")
    low, high = intervals[0].T
    sharpest, bluntest = intervals[1].T
    within = (low > 0.5 - margin) & (high < 0.5 + margin)
    # Comparisons with NaN are false: what has no interval stays undecided.
    classes = np.select(
        [(lean != 0) & (bluntest < limit), (lean != 0) & (sharpest > limit), (lean == 0) & within],
        get_args(LeanClass)[:3],
        "cannot say",
    )
    return LeanClasses(items, tuple(classes.tolist()), limit, is_median, margin)
