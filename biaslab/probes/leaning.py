"""Side of the neutral value on which an estimate lies."""

from __future__ import annotations

from typing import Final

from biaslab.records.result import Interval

_ROUNDING: Final = 1e-9


def lean(interval: Interval, neutral: float = 0.5) -> int:
    """Return 1 if an interval is above the neutral value, -1 if below, else 0.

    An interval without any width lies beside it only by rounding.
    """
    if interval.low > neutral + _ROUNDING:
        return 1
    return -1 if interval.high < neutral - _ROUNDING else 0
