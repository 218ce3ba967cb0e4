"""One measured figure, with what it should reach."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A line of the report.

    Attributes
    ----------
    what : str
        What was measured, in words.
    value : str
        The figure with its unit.
    target : str
        What it should reach; empty when it is reported only.
    met : bool or None
        Whether the target is met; None without a target.
    how : str
        How it was measured: repetitions, and which of them counts.
    """

    what: str
    value: str
    target: str = ""
    met: bool | None = None
    how: str = ""
