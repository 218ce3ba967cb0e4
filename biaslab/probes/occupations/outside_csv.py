"""Read outside numbers from a CSV file or pasted text, with any separator."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from biaslab.errors import QueryError
from biaslab.files.tables import counts_rows, delimiter_of, lines_of, read_text

Table = TypeVar("Table")
MOST_ROWS = 1_000_000
_MARKS_OF_NOTHING = {"", "-", "–", "n/a", "na", "nan", "null", "none", "?", "."}
_SHOWN, _LOOKED_AT = 3, 1000
_MOSTLY = 0.5
_GROUPED = r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?"


def read(
    source: str | os.PathLike[str],
    table: Callable[..., Table],
    *,
    word: str,
    value: str,
    of: str,
    unit: str,
    title: str,
    delimiter: str,
    decimal: str,
) -> Table:
    """Return the `table` of a file or text; see `OutsideTable.read_csv`."""
    text, name = _text(source)
    rows, separator = _rows(text, delimiter, name)
    header, body = _split_header(rows)
    w, v, others = _columns(header, body, word, value, decimal, separator, name)
    values, notes = _values(body, w, v, decimal, 1 + (header is not None), name)
    # A row may be longer than the header.
    heading = header[v] if header and v < len(header) else ""
    if not unit and re.search(r"%|\bper ?cent|\bpct\b|percent", heading, re.IGNORECASE):
        if all(0 <= number <= 1 for number in values.values()):
            raise QueryError(
                f"{name}: {heading!r} speaks of percent, and all its numbers are from 0 to 1. Say"
                " what they are: unit='share' or unit='percent'."
            )
        unit = "percent"
    if others:
        notes += (f"The numbers are those of {heading!r}; {_some(others)} have numbers too.",)
    return table(
        name=name,
        title=title or heading or name,
        unit=unit,
        source=f"{name}, column {heading!r}" if heading else name,
        values=values,
        of=of,
        notes=notes,
    )


def words_of(text: str) -> tuple[list[str], str] | None:
    """Return the words of a table, and the name of their column: the first one of text.

    A table has several columns: one of numbers among them, or tabs between them. Any other text
    is None, such as words with commas; one of numbers alone is refused. Without numbers nothing
    tells whether the first line names the columns, so it counts as words.
    """
    rows, separator = _rows(text, "", "the text")
    header, body = _split_header(rows)
    width = max(map(len, rows))
    shares = [_share_of_numbers(body, i, "") for i in range(width)]
    has_numbers = max(shares) > _MOSTLY
    if width < 2 or sum(any(row) for row in rows) < 2 or not (has_numbers or separator == "\t"):
        return None
    if not has_numbers:
        header, body = None, rows
    column = next((i for i, one in enumerate(shares) if one < _MOSTLY and _filled(body, i)), None)
    if column is None:
        raise QueryError("The text is a table of numbers. Paste a column of words.")
    name = header[column] if header and column < len(header) else ""
    words = [row[column] for row in body if len(row) > column and row[column]]
    return words, name or f"column {column + 1}"


def _text(source: str | os.PathLike[str]) -> tuple[str, str]:
    if isinstance(source, str) and (not source.strip() or re.search(r"[\r\n]", source)):
        return source.removeprefix("\ufeff"), "pasted table"
    return read_text(source, QueryError), Path(source).name


def _rows(text: str, delimiter: str, name: str) -> tuple[list[list[str]], str]:
    if re.match(r"\s*<(!doctype|html|table|\?xml)", text, re.IGNORECASE):
        raise QueryError(f"{name} is a web page, not a table. Save the table as CSV.")
    if "\0" in text:
        raise QueryError(f"{name} contains binary data. If it is a spreadsheet, save it as CSV.")
    separator = delimiter or delimiter_of(lines_of(text))
    try:
        parsed = list(csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True))
    except (csv.Error, TypeError) as error:
        raise QueryError(f"{name} cannot be read as CSV ({error}).") from error
    rows = [[cell.strip() for cell in row] for row in parsed]
    # Empty lines keep their place, so that a row's number is that of the file.
    if not any(any(row) for row in rows):
        raise QueryError(f"{name} is empty. It needs a column of words and a column of numbers.")
    if len(rows) > MOST_ROWS:
        raise QueryError(f"{name} has {len(rows):,} rows; at most {MOST_ROWS:,} are read.")
    return rows, separator


def _split_header(rows: list[list[str]]) -> tuple[list[str] | None, list[list[str]]]:
    """Split off the header: the first line, unless it has a number as others do."""
    first = next(i for i, row in enumerate(rows) if any(row))
    head = rows[first]
    if any(_number(cell, "") is not None for cell in head):
        return None, rows
    return head, [[] for _ in range(first)] + rows[first + 1 :]


def _columns(
    header: list[str] | None,
    body: Sequence[list[str]],
    word: str,
    value: str,
    decimal: str,
    separator: str,
    name: str,
) -> tuple[int, int, list[str]]:
    """Return the columns of the words and of the numbers, and the names of others with numbers."""
    width = max([len(row) for row in body if row] + [len(header or [])], default=0)
    names = header or [f"column {i + 1}" for i in range(width)]
    names = names + [f"column {i + 1}" for i in range(len(names), width)]
    shares = [_share_of_numbers(body, i, decimal) for i in range(width)]
    numeric = [
        i
        for i in range(width)
        if shares[i] > 0.5 and not (header and counts_rows(names[i], _cells(body, i)))
    ]
    w = _named(names, word, name) if word else None
    v = _named(names, value, name) if value else None
    if w is None:
        w = next((i for i in range(width) if i != v and shares[i] < 0.5 and _filled(body, i)), None)
    others: list[str] = []
    if v is None:
        v = next((i for i in numeric if i != w), None)
        others = [names[i] for i in numeric if i not in (w, v)]
    if w is None or v is None or w == v:
        what = "words" if w is None else "numbers"
        mark = {",": "commas", ";": "semicolons", "\t": "tabs"}.get(separator, repr(separator))
        kinds = [
            f"{n!r} ({'numbers' if s > 0.5 else 'text'})"
            for n, s in list(zip(names, shares, strict=True))[:12]
        ]
        raise QueryError(
            f"{name} has no column of {what}. Read with {mark} as the delimiter, its columns are: "
            f"{', '.join(kinds) or 'none'}. It needs one of words and one of numbers. Name them"
            " with word=... and value=..., and the delimiter with delimiter=..."
        )
    return w, v, others


def _named(names: Sequence[str], column: str, name: str) -> int:
    folded = [n.casefold() for n in names]
    if column.casefold() not in folded:
        raise QueryError(f"{name} has no column {column!r}. Its columns are: {', '.join(names)}.")
    return folded.index(column.casefold())


def _filled(body: Sequence[list[str]], column: int) -> bool:
    return any(len(row) > column and row[column] for row in body)


def _cells(body: Sequence[list[str]], column: int) -> list[str]:
    return [row[column] for row in body[:_LOOKED_AT] if len(row) > column and row[column]]


def _share_of_numbers(body: Sequence[list[str]], column: int, decimal: str) -> float:
    cells = _cells(body, column)
    cells = [c for c in cells if c.lower() not in _MARKS_OF_NOTHING]
    numbers = sum(_number(c, decimal) is not None for c in cells)
    return numbers / len(cells) if cells else 0.0


def _values(
    body: Sequence[list[str]], w: int, v: int, decimal: str, first: int, name: str
) -> tuple[dict[str, float], tuple[str, ...]]:
    decimal = decimal or _decimal([row[v] for row in body if len(row) > v], name)
    values: dict[str, float] = {}
    words: set[str] = set()
    empty: list[str] = []
    twice: list[str] = []
    for line, row in enumerate(body, first):
        if not any(row):
            continue
        word = row[w] if len(row) > w else ""
        cell = row[v] if len(row) > v else ""
        if not word:
            raise QueryError(
                f"{name}, row {line}: there is no word for the value {cell!r}. Add it."
            )
        if cell.lower() in _MARKS_OF_NOTHING:
            empty.append(word)
            continue
        number = _number(cell, decimal)
        if number is None:
            raise QueryError(
                f"{name}, row {line}: {cell!r} beside {word!r} is not a number. Correct it, or "
                "leave the cell empty if the number is not known."
            )
        if word.casefold() in words:
            twice.append(word)
            continue
        words.add(word.casefold())
        values[word] = number
    if not values:
        raise QueryError(f"{name} has no word with a number.")
    notes = []
    if empty:
        notes.append(f"{_some(empty)} without a number.")
    if twice:
        notes.append(f"{_some(twice)} listed more than once: the first value counts.")
    return values, tuple(notes)


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more


def _decimal(cells: Sequence[str], name: str) -> str:
    """Return whether a comma is the decimal mark; raise an error if it is ambiguous."""
    commas = [cell for cell in cells if re.search(r"\d,\d", cell)]
    grouped = [cell for cell in commas if re.fullmatch(_GROUPED, _bare(cell))]
    points = any("." in cell for cell in cells)
    if grouped and len(grouped) == len(commas):
        if points or any(cell.count(",") > 1 for cell in grouped):
            return "."
        raise QueryError(
            f"{name}: {grouped[0]!r} has either a thousands separator or a decimal comma. Say"
            " which: decimal='.' or decimal=','."
        )
    return "," if commas and not points else ""


def _bare(cell: str) -> str:
    """Return a cell without spaces and per cent sign, and with a plain minus."""
    return cell.rstrip("% \u00a0").replace("\u2212", "-").replace("\u00a0", "").strip()


def _number(cell: str, decimal: str) -> float | None:
    """Parse a cell as a number, also with a decimal comma or a per cent sign."""
    text = _bare(cell)
    if decimal == "," or (not decimal and re.fullmatch(r"[+-]?\d+,\d+", text)):
        text = text.replace(".", "").replace(",", ".")
    elif re.fullmatch(_GROUPED, text):
        text = text.replace(",", "")
    if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None
