"""To which side of its neutral value an estimate can be told to lie."""

from __future__ import annotations

from biaslab.results import Interval


def lean(interval: Interval, neutral: float = 0.5) -> int:
    """1 if an interval lies above the neutral value, -1 if below, 0 if it cannot be told."""
    return 1 if interval.low > neutral else -1 if interval.high < neutral else 0
