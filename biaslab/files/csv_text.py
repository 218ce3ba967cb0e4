"""CSV text in which no cell is a formula.

A spreadsheet program runs a cell that begins with ``=``, ``+``, ``-``, ``@`` or a control
character, and a term or a model's answer may begin so. An apostrophe in front makes such a cell a
text, which is what spreadsheet programs themselves write. Numbers are left as they are.

Many programs split a line at semicolons or tabs, where a quoted cell is several, and take a space
in front or a full-width sign for none. So what follows a semicolon, a tab or a line end inside a
cell counts as a cell, too.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_MARK = "'"
_BREAK = re.compile(r"[;\t\r\n]")
_BEGIN = r"(?:\A|(?<=[;\t\r\n]))"
_FORMULA = r"(?='*[^\S\t\r\n]*[=+\-@\uff1d\uff0b\uff0d\uff20])"
_CONTROL = r"(?='*[\t\r\n])"
_RUN = re.compile(rf"{_BEGIN}{_FORMULA}|\A{_CONTROL}")
_MARKED = re.compile(rf"{_BEGIN}'{_FORMULA}|\A'{_CONTROL}")


def defused(cell: Any) -> Any:
    """Return a cell that no spreadsheet program runs; what is not text stays as it is."""
    if not isinstance(cell, str):
        return cell

    def mark(place: re.Match[str]) -> str:
        end = _BREAK.search(cell, place.start())
        return "" if _is_number(cell[place.start() : end and end.start()]) else _MARK

    return _RUN.sub(mark, cell)


def restored(cell: str) -> str:
    """Return the text that `defused` was given."""
    return _MARKED.sub("", cell)


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
