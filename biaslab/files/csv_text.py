"""CSV text in which no cell is a formula.

A spreadsheet program runs a cell that begins with ``=``, ``+``, ``-``, ``@`` or a control
character, and a term or a model's answer may begin so. An apostrophe in front makes such a cell a
text, which is what spreadsheet programs themselves write. Numbers are left as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_MARK = "'"


def defused(cell: Any) -> Any:
    """Return a cell that no spreadsheet program runs; what is not text stays as it is."""
    if not isinstance(cell, str) or not cell.lstrip(_MARK).startswith(_STARTS):
        return cell
    return cell if _is_number(cell) else _MARK + cell


def restored(cell: str) -> str:
    """Return the text that `defused` was given."""
    if cell.startswith(_MARK) and cell.lstrip(_MARK).startswith(_STARTS):
        return cell.removeprefix(_MARK)
    return cell


def frame_text(frame: pd.DataFrame) -> str:
    """Return a table as CSV, without its index."""
    safe = frame.rename(columns=defused)
    for at, kind in enumerate(safe.dtypes):
        if kind.kind not in "biufcmM":
            safe.isetitem(at, [defused(cell) for cell in safe.iloc[:, at]])
    return str(safe.to_csv(index=False, lineterminator="\n"))


def rows_text(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV below a line of column names; None is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(defused, columns))
    writer.writerows(map(defused, row) for row in rows)
    return out.getvalue()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
