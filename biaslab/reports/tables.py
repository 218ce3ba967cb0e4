"""Estimates as tables for a page: intervals beside their estimates, nothing twice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biaslab.results import Result
from biaslab.wording import count

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 100
_MINUS = "\N{MINUS SIGN}"
_LARGE = 1000


@dataclass(frozen=True)
class Table:
    """Heads and rows of text, and what is the same in all rows.

    Attributes
    ----------
    heads : tuple of str
    rows : tuple of tuple of str
    is_number : tuple of bool
        By column.
    same : tuple of (str, str)
        Columns with one value, which are left out of `rows`.
    left_out : int
        Rows beyond `MOST_ROWS`.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_number: tuple[bool, ...]
    same: tuple[tuple[str, str], ...] = ()
    left_out: int = 0


def estimates(result: Result) -> pd.DataFrame:
    """Return the estimates of a result; where some are pooled over cue pairs, only those."""
    frame = result.to_frame()
    if "pooled" in frame and frame["pooled"].any():
        return frame[frame["pooled"]]
    return frame


def table_of(frame: pd.DataFrame, most: int = MOST_ROWS) -> Table:
    """Make a table of estimates fit a page.

    The ends of an interval stand in one cell, beside the estimate of that name if there is one.
    Columns without values are left out, and those with one value stand in `Table.same`.
    """
    columns: dict[str, list[Any]] = {str(name): frame[name].tolist() for name in frame.columns}
    texts: dict[str, list[str]] = {}
    numbers: dict[str, bool] = {}
    for name, values in columns.items():
        if name.endswith("_high") and f"{name[:-5]}_low" in columns:
            continue
        if name.endswith("_low") and f"{name[:-4]}_high" in columns:
            stem = name[:-4]
            ends = _ends(values, columns[f"{stem}_high"])
            if stem in texts:
                texts[stem] = [
                    f"{one} ({own})" if own else one
                    for one, own in zip(texts[stem], ends, strict=True)
                ]
                continue
            texts[f"{stem}_interval"], numbers[f"{stem}_interval"] = ends, True
            continue
        texts[name] = [cell(value) for value in values]
        numbers[name] = all(isinstance(value, int | float) for value in values)
    texts = {name: column for name, column in texts.items() if any(column)}
    several = len(frame) > 1
    constant = [n for k, (n, c) in enumerate(texts.items()) if several and k and len(set(c)) == 1]
    shown = [name for name in texts if name not in constant]
    rows = tuple(zip(*(texts[name][:most] for name in shown), strict=True)) if shown else ()
    return Table(
        tuple(name.replace("_", " ") for name in shown),
        rows,
        tuple(numbers[name] for name in shown),
        tuple((name.replace("_", " "), texts[name][0]) for name in constant),
        max(0, len(frame) - most),
    )


def cell(value: Any) -> str:
    """A value as text, numbers with a true minus sign and three figures."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value).replace("-", _MINUS)
    if isinstance(value, float):
        large = abs(value) >= _LARGE and math.isfinite(value)
        return (f"{value:,.0f}" if large else f"{value:.3g}").replace("-", _MINUS)
    return str(value)


def _ends(low: Sequence[Any], high: Sequence[Any]) -> list[str]:
    cells = [(cell(a), cell(b)) for a, b in zip(low, high, strict=True)]
    return [f"{a} to {b}" if a and b else "" for a, b in cells]
