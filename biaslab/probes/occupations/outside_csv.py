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
from biaslab.files.given import read_given

Table = TypeVar("Table")
DELIMITERS = (",", ";", "\t")
MOST_ROWS = 1_000_000
_MARKS_OF_NOTHING = {"", "-", "–", "n/a", "na", "nan", "null", "none", "?", "."}
_SHOWN = 3
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
    w, v = _columns(header, body, word, value, decimal, separator, name)
    values, notes = _values(body, w, v, decimal, 1 + (header is not None), name)
    # A row may be longer than the header.
    heading = header[v] if header and v < len(header) else ""
    if not unit and re.search(r"%|\bper ?cent|\bpct\b|percent", heading, re.IGNORECASE):
        unit = "percent"
    return table(
        name=name,
        title=title or heading or name,
        unit=unit,
        source=f"{name}, column {heading!r}" if heading else name,
        values=values,
        of=of,
        notes=notes,
    )


def _text(source: str | os.PathLike[str]) -> tuple[str, str]:
    if isinstance(source, str) and (not source.strip() or re.search(r"[\r\n]", source)):
        return source.removeprefix("\ufeff"), "pasted table"
    path = Path(source).expanduser()
    try:
        data = read_given(path)
    except OSError as error:
        raise QueryError(
            f"Could not open {str(path)!r}: {error.strerror or error}. Give the path of a CSV "
            "file, or paste a table of at least two lines."
        ) from error
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding), path.name
    except UnicodeDecodeError as error:
        raise QueryError(
            f"{path.name} is not UTF-8 text (byte {error.start}). If it is a spreadsheet, save it "
            "as 'CSV UTF-8'."
        ) from error


def _rows(text: str, delimiter: str, name: str) -> tuple[list[list[str]], str]:
    if re.match(r"\s*<(!doctype|html|table|\?xml)", text, re.IGNORECASE):
        raise QueryError(f"{name} is a web page, not a table. Save the table as CSV.")
    if "\0" in text:
        raise QueryError(f"{name} contains binary data. If it is a spreadsheet, save it as CSV.")
    lines = text.splitlines()
    separator = delimiter or _delimiter(lines)
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


def _delimiter(lines: Sequence[str]) -> str:
    """Return the separator that splits most lines into equally many cells."""
    sample = [line for line in lines if line.strip()][:50]

    def agreement(mark: str) -> tuple[int, int]:
        counts = [len(row) for row in csv.reader(sample, delimiter=mark)]
        usual = max(set(counts), key=counts.count, default=1)
        return (counts.count(usual) if usual > 1 else 0, DELIMITERS[::-1].index(mark))

    # Of equals, tab and semicolon come first: a comma may be a decimal comma.
    order = {"\t": 2, ";": 1, ",": 0}
    return max(DELIMITERS, key=lambda mark: (agreement(mark)[0], order[mark]))


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
) -> tuple[int, int]:
    width = max([len(row) for row in body if row] + [len(header or [])], default=0)
    names = header or [f"column {i + 1}" for i in range(width)]
    names = names + [f"column {i + 1}" for i in range(len(names), width)]
    shares = [_share_of_numbers(body, i, decimal) for i in range(width)]
    w = _named(names, word, name) if word else None
    v = _named(names, value, name) if value else None
    if w is None:
        w = next((i for i in range(width) if i != v and shares[i] < 0.5 and _filled(body, i)), None)
    if v is None:
        v = next((i for i in range(width) if i != w and shares[i] > 0.5), None)
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
    return w, v


def _named(names: Sequence[str], column: str, name: str) -> int:
    folded = [n.casefold() for n in names]
    if column.casefold() not in folded:
        raise QueryError(f"{name} has no column {column!r}. Its columns are: {', '.join(names)}.")
    return folded.index(column.casefold())


def _filled(body: Sequence[list[str]], column: int) -> bool:
    return any(len(row) > column and row[column] for row in body)


def _share_of_numbers(body: Sequence[list[str]], column: int, decimal: str) -> float:
    cells = [row[column] for row in body[:1000] if len(row) > column and row[column]]
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
