"""The level of an interval."""

from __future__ import annotations


def check_level(level: float, usual: float = 0.95) -> None:
    """Refuse a level out of range.

    Parameters
    ----------
    level : float
        Share of an interval, in (0, 1).
    usual : float
        What the error proposes.

    Raises
    ------
    ValueError
        If it is 0 or less, 1 or more, or no number.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; use a share between 0 and 1, such as {usual}.")
