"""Writes "How this works": steps with formulas, the numbers put in, and references."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from biaslab_widgets.core.records import How, Step
from biaslab_widgets.core.references import cited

MINUS = "\N{MINUS SIGN}"
NOTHING_YET = "There is no result yet. Once there is one, its numbers stand here."


def how(
    about: str, steps: Iterable[Step] = (), *, read: Sequence[str] = (), guide: str = ""
) -> How:
    """Steps for what is in focus, with references.

    Parameters
    ----------
    about : str
        What the numbers are of, in one line.
    steps : iterable of Step
    read : sequence of str
        Keys of `biaslab_widgets.core.references.REFERENCES`.
    guide : str
        Page of the documentation.
    """
    return {
        "about": about,
        "steps": list(steps),
        "references": [cited(key) for key in read],
        "guide": guide,
    }


def step(title: str, formula: str = "", *numbers: str, text: str = "") -> Step:
    """One step; ``numbers`` are lines of arithmetic that hold as they are written."""
    return {"title": title, "formula": formula, "numbers": list(numbers), "text": text}


def number(value: float, digits: int = 3) -> str:
    """A number as it is written: with a minus sign, and a word where it is none."""
    if math.isnan(value):
        return "none"
    if math.isinf(value):
        return "infinite" if value > 0 else f"{MINUS}infinite"
    return f"{value:,.{digits}f}".replace("-", MINUS)


def signed(value: float, digits: int = 3) -> str:
    """A number that is put into a formula: in brackets when it is negative."""
    text = number(value, digits)
    return f"({text})" if value < 0 else text


def percent(share: float, digits: int = 1) -> str:
    """A share from 0 to 1, in per cent."""
    return f"{number(100 * share, digits)} %"


def points(share: float, digits: int = 1) -> str:
    """A difference of shares, in points of per cent."""
    return f"{number(100 * share, digits)} points"


def ends(low: float, high: float, digits: int = 1) -> str:
    """An interval of shares, in per cent."""
    return f"{number(100 * low, digits)} to {percent(high, digits)}"


def total(values: Sequence[float], digits: int = 3) -> str:
    """A sum: of few values each of them, of many the sum and how many there are."""
    if len(values) <= _FEW:
        return "(" + " + ".join(signed(v, digits) for v in values) + ")"
    return signed(math.fsum(values), digits)


_FEW = 6
"""At most so many values of a sum are written."""


def mean_line(values: Sequence[float], digits: int = 3, tail: str = "") -> str:
    """The mean of values as arithmetic: "(0.2 + 0.4) / 2 = 0.300"."""
    n = len(values)
    return f"{total(values, digits)} / {n} = {number(math.fsum(values) / n, digits)}{tail}"
