"""Tables of a list: fitted to a terminal, tab-separated in a pipe, or one JSON document."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biaslab.cli.commands import flag

JSON = flag("--json", "print one JSON document")
_GAP = 2
_LONGEST = 24
_WIDEST_NEED = 30
"""Cells that the widest column gets before other columns are left out."""

Row = Mapping[Any, Any]


def _written(value: Any) -> str:
    if value is None:
        return ""
    text = ",".join(value) if isinstance(value, list | tuple) else str(value)
    return " ".join(text.split())


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        Its heading, and the key of its values in a row.
    rank : int
        A narrow terminal leaves out the columns of the highest ranks; rank 0 stays.
    short : callable, optional
        How a terminal shows a value. A pipe has it in full.
    is_wide : bool
        Whether its texts are cut where the terminal is too narrow; one column of a table.
    """

    name: str
    rank: int = 0
    short: Callable[[Any], str] = _written
    is_wide: bool = False


def cut(value: Any) -> str:
    """Return a text that leaves room for other columns."""
    text = _written(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_table(rows: Sequence[Row], columns: Sequence[Column]) -> None:
    """Print rows: fitted to the width of a terminal, or one tab-separated line each in a pipe."""
    if sys.stdout.isatty():
        _print_fitted(rows, columns)
        return
    for row in rows:
        print("\t".join(_written(row[column.name]) for column in columns))


def _print_fitted(rows: Sequence[Row], columns: Sequence[Column]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Rich takes 80 columns for a simple terminal, whatever COLUMNS says.
    width, height = shutil.get_terminal_size()
    console = Console(file=sys.stdout, highlight=False, width=width, height=height)
    texts = {c.name: [c.short(row[c.name]) for row in rows] for c in columns}
    shown = _fitting(texts, columns, width)
    widths = {c.name: _width(c, texts) for c in shown}
    too_wide = sum(widths.values()) + _GAP * (len(shown) - 1) - width
    for column in shown:
        if column.is_wide and too_wide > 0:
            widths[column.name] = max(1, widths[column.name] - too_wide)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    for column in shown:
        table.add_column(column.name, no_wrap=True, overflow="ellipsis", width=widths[column.name])
    for place in range(len(rows)):
        table.add_row(*(Text(texts[column.name][place]) for column in shown))
    console.print(table)


def _fitting(
    texts: Mapping[str, Sequence[str]], columns: Sequence[Column], width: int
) -> list[Column]:
    """Return the columns that have values and fit side by side."""
    shown = [column for column in columns if any(texts[column.name])]

    def needed() -> int:
        widths = (
            min(_width(column, texts), _WIDEST_NEED if column.is_wide else width)
            for column in shown
        )
        return sum(widths) + _GAP * (len(shown) - 1)

    while needed() > width and (last := max(shown, key=lambda column: column.rank)).rank:
        shown.remove(last)
    return shown


def _width(column: Column, texts: Mapping[str, Sequence[str]]) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, (column.name, *texts[column.name])))
