"""What a kind of result gives for a comparison: rows that two runs share, and their changes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from biaslab.record import Record
from biaslab.results import Interval

Floats = NDArray[np.float64]
PAIRED = "paired"
INDEPENDENT = "independent"


@dataclass(frozen=True)
class Total(Record):
    """A number over all shared rows, in both runs.

    Attributes
    ----------
    name : str
        Such as ``"mean distance from 50 %"``.
    unit : str
        ``"points"`` (values are shares), ``"count"``, or empty.
    a, b : float
    a_interval, b_interval, interval : Interval or None
        Of either, and of the difference; None for a count.
    paired : bool
        Whether the interval of the difference uses what both runs share.
    """

    name: str
    unit: str
    a: float
    b: float
    a_interval: Interval | None = None
    b_interval: Interval | None = None
    interval: Interval | None = None
    paired: bool = False

    @property
    def difference(self) -> float:
        """Second less first."""
        return self.b - self.a

    @property
    def excludes_null(self) -> bool:
        """Whether the interval of the difference excludes 0."""
        ends = self.interval
        return ends is not None and (ends.low > 0 or ends.high < 0)


@dataclass(frozen=True)
class Single(Record):
    """A row that only one of the runs has.

    Attributes
    ----------
    run : str
        ``"a"`` or ``"b"``.
    label : str
    value : float
    interval : Interval
    """

    run: str
    label: str
    value: float
    interval: Interval


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimated:
    """Rows of one run.

    Attributes
    ----------
    labels : tuple of str
    values : ndarray, shape (n,)
    intervals : ndarray, shape (n, 2)
    leans : ndarray of int, shape (n,), optional
        1, -1 or 0; by default by where the interval lies of the neutral value.
    """

    labels: tuple[str, ...]
    values: Floats
    intervals: Floats
    leans: NDArray[np.int64] | None = None

    def at(self, labels: tuple[str, ...]) -> NDArray[np.intp]:
        """Return where rows are."""
        place = {label: i for i, label in enumerate(self.labels)}
        return np.array([place[label] for label in labels], dtype=np.intp)

    def lean(self, neutral: float) -> NDArray[np.int64]:
        """Return the leans, or where each interval lies of the neutral value."""
        if self.leans is not None:
            return self.leans
        above, below = self.intervals[:, 0] > neutral, self.intervals[:, 1] < neutral
        return above.astype(np.int64) - below


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """Two runs of one kind, row by row.

    Attributes
    ----------
    measure : str
        Name of the numbers, such as ``"PSE"``.
    unit : str
        ``"points"`` where values are shares, else empty.
    neutral : float
        NaN where there is no neutral value.
    sides : (str, str)
        Names of what lies above and below the neutral value.
    groups : bool
        Whether the sides are the two social groups.
    rows_are : str
        Plural, such as ``"occupations"``.
    level : float
    over : str
        What varies in the intervals of the changes.
    a, b : Estimated
    change : mapping of str to (float, float, float)
        Difference and its paired interval by label; None where the runs share nothing but rows.
    totals : tuple of Total
        The headline first, where the kind has one.
    outside : mapping of str to float
        Outside numbers by label.
    outside_label : str
    """

    measure: str
    unit: str
    neutral: float
    sides: tuple[str, str]
    rows_are: str
    level: float
    over: str
    a: Estimated
    b: Estimated
    groups: bool = False
    paired: tuple[tuple[str, ...], Floats, Floats] | None = None
    totals: tuple[Total, ...] = ()
    outside: dict[str, float] = field(default_factory=dict)
    outside_label: str = ""
