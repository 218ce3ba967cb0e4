"""What a measurement found: figures, each beside its goal and its reference, and honest notes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the report.

    Attributes
    ----------
    what : str
        What was measured.
    measured : str
        The figure with its unit.
    goal : str
        What it should reach; empty where it is only reported.
    met : bool or None
        Whether it does; None without a goal.
    reference : str
        The same by other means, measured side by side.
    ratio : str
        Measured over reference, or the other way round, and which.
    """

    what: str
    measured: str
    goal: str = ""
    met: bool | None = None
    reference: str = ""
    ratio: str = ""


def milliseconds(
    what: str, value: float, reference: str, other: float, goal: float | None = None
) -> Figure:
    """A time beside its reference and, where it has one, its goal.

    Parameters
    ----------
    what : str
        What was measured.
    value, other : float
        It and the reference, milliseconds.
    reference : str
        What the reference is.
    goal : float, optional
        Milliseconds that it should take at most.
    """
    return Figure(
        what,
        f"{value:.1f} ms",
        "" if goal is None else f"at most {goal:.0f} ms",
        None if goal is None else value <= goal,
        f"{reference} {other:.1f} ms",
        f"{value / other:.2f}x",
    )


@dataclass(frozen=True)
class Findings:
    """A section of the report.

    Attributes
    ----------
    figures : tuple of Figure
        Its lines.
    notes : tuple of str
        What a reader must know to read them rightly: one sentence or a few each.
    """

    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()
