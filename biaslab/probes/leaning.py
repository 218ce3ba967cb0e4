"""To which side of its neutral value an estimate can be told to lie."""

from __future__ import annotations

from typing import Final

from biaslab.results import Interval

_ROUNDING: Final = 1e-9


def lean(interval: Interval, neutral: float = 0.5) -> int:
    """1 if an interval lies above the neutral value, -1 if below, 0 if it cannot be told.

    An interval without any width lies beside it by rounding alone.
    """
    if interval.low > neutral + _ROUNDING:
        return 1
    return -1 if interval.high < neutral - _ROUNDING else 0
