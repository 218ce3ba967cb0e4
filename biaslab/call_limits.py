"""Ranges of the limits of calls: no service may be waited for, or called, without an end."""

from __future__ import annotations

from typing import Final

COUNTS: Final = {
    "texts_per_call": (1, 10_000),
    "characters_per_text": (1, 10_000_000),
    "concurrency": (1, 32),
    "attempts": (1, 10),
}
"""Whole numbers."""
NUMBERS: Final = {"calls_per_second": (0.001, 1_000.0), "timeout": (0.001, 3_600.0)}
"""Any numbers; timeout in seconds."""


def limit_problem(**limits: object) -> str:
    """Return what is wrong with limits, and which values are allowed; empty if nothing is.

    >>> limit_problem(timeout=1e6)
    'timeout is 1000000.0; it must be a number from 0.001 to 3,600.'
    """
    for name, value in limits.items():
        is_count = name in COUNTS
        low, high = COUNTS[name] if is_count else NUMBERS[name]
        kinds = int if is_count else (int, float)
        fits = isinstance(value, kinds) and not isinstance(value, bool)
        if not fits or not low <= value <= high:  # type: ignore[operator]  # a number that fits
            what = "a whole number" if is_count else "a number"
            return f"{name} is {value!r}; it must be {what} from {low:,g} to {high:,g}."
    return ""
