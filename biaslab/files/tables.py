"""Read the tables, JSON and lists that people have: one reader per format, for all probes."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from biaslab.errors import BiaslabError, MissingExtraError
from biaslab.files.csv_text import restored
from biaslab.files.given import LARGEST, read_given

DELIMITERS: Final = (",", ";", "\t")
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_DECIMAL_COMMA: Final = re.compile(r"([+-]?\d*),(\d+)")
_MOST_LOOKED_AT: Final = 50
_GZIP: Final = b"\x1f\x8b"
_PARQUET: Final = b"PAR1"
csv.field_size_limit(10_000_000)

Row = dict[str, Any]
Failure = type[BiaslabError]


def read_text(path: str | os.PathLike[str], failure: Failure) -> str:
    """Return the text of a file in UTF-8, or UTF-16 with its mark; also of one packed with gzip.

    - `failure`: the error that is raised if it cannot be read; says why.
    """
    return text_of(read_bytes(path, failure), path, failure)


def read_bytes(path: str | os.PathLike[str], failure: Failure) -> bytes:
    """Return the content of a file, unpacked if gzip packed it."""
    try:
        content = read_given(Path(path).expanduser())
    except OSError as error:
        raise failure(f"{str(path)!r} cannot be read: {error.strerror or error}.") from error
    return _unpacked(content, path, failure)


def _unpacked(content: bytes, path: str | os.PathLike[str], failure: Failure) -> bytes:
    if not content.startswith(_GZIP):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as packed:
            content = packed.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise failure(f"{str(path)!r} cannot be unpacked: {error}. Is it complete?") from error
    if len(content) > LARGEST:
        raise failure(f"{str(path)!r} has more than {LARGEST / 1e6:,.0f} MB unpacked.")
    return content


def text_of(content: bytes, path: str | os.PathLike[str], failure: Failure) -> str:
    """Return the content of a file as text."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise failure(
            f"{str(path)!r} is not UTF-8 text (byte {error.start:,}). If it is a spreadsheet, save"
            " it as 'CSV UTF-8'."
        ) from error


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, which end at a line feed, a carriage return or both.

    ``str.splitlines`` ends them at U+2028, U+2029 and U+0085 too, which are legal inside a text.
    """
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def delimiter_of(lines: Sequence[str]) -> str:
    """Return the separator that splits most lines into equally many cells."""
    sample = [line for line in lines if line.strip()][:_MOST_LOOKED_AT]

    def agreement(mark: str) -> int:
        counts = [len(row) for row in csv.reader(sample, delimiter=mark)]
        usual = max(set(counts), key=counts.count, default=1)
        return counts.count(usual) if usual > 1 else 0

    # Of equals, tab and semicolon come first: a comma may be a decimal comma.
    order = {"\t": 2, ";": 1, ",": 0}
    return max(DELIMITERS, key=lambda mark: (agreement(mark), order[mark]))


def header_delimiter(text: str) -> str:
    """Return the separator of a table by its line of column names, which hold none."""
    first = next((line for line in lines_of(text) if line.strip()), "")
    return max(DELIMITERS, key=lambda mark: (first.count(mark), mark == ","))


def with_points(cell: str) -> str:
    """Return a cell that is a number with a decimal comma, with a point instead."""
    match = _DECIMAL_COMMA.fullmatch(cell.strip())
    return f"{match[1]}.{match[2]}" if match else cell


def table_rows(
    text: str, name: str, failure: Failure, delimiter: str = "", *, rest: str | None = None
) -> list[Row]:
    """Return the rows below a line of column names, each by column.

    The separator is a comma, semicolon or tab. A nameless first column that counts the rows, as
    pandas writes its index, is named ``""``. Cells beyond the columns are a list named `rest`; by
    default they are dropped.
    """
    mark = delimiter or header_delimiter(text)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=mark, restkey=rest)
    try:
        rows = [{key: cell for key, cell in row.items() if key is not None} for row in reader]
    except csv.Error as error:
        raise failure(
            f"{name} cannot be read as a table at line {reader.line_num}: {error}."
        ) from error
    return rows


def counts_rows(header: str, cells: Sequence[str]) -> bool:
    """Return whether a column is an index that a program wrote: 0, 1, 2, ... without a name."""
    is_named = header.strip().casefold() not in ("", "index") and not header.startswith("Unnamed")
    try:
        numbers = [int(cell) for cell in cells if cell.strip()]
    except ValueError:
        return False
    return not is_named and len(numbers) > 1 and numbers in (
        list(range(len(numbers))), list(range(1, len(numbers) + 1))
    )  # fmt: skip


def read_rows(
    path: str | os.PathLike[str],
    failure: Failure,
    *,
    rest: str | None = None,
    content: bytes | None = None,
) -> Mapping[str, Any] | list[Row]:
    """Return the rows of a table: CSV, TSV, JSON, JSON lines or Parquet, also packed with gzip.

    A JSON file that holds an object, and no rows, gives the object.

    - `failure`: the error that is raised if it cannot be read; says why.
    - `rest`: as of `table_rows`.
    - `content`: of the file, if it is read already.
    """
    place, name = Path(path).expanduser(), str(path)
    ending = (place.with_suffix("") if place.suffix.lower() == ".gz" else place).suffix.lower()
    content = read_bytes(place, failure) if content is None else _unpacked(content, place, failure)
    if ending == ".parquet" or content.startswith(_PARQUET):
        return _parquet_rows(content, name, failure)
    text = text_of(content, path, failure)
    if ending in {".jsonl", ".ndjson"}:
        document: Any = list(json_lines(text, name, failure))
    elif ending == ".json":
        document = json_content(text, name, failure)
    else:
        rows = table_rows(text, name, failure, "\t" if ending == ".tsv" else "", rest=rest)
        return [
            {key: restored(cell) if isinstance(cell, str) else cell for key, cell in row.items()}
            for row in rows
        ]
    if isinstance(document, list) and all(isinstance(row, dict) for row in document):
        return document
    if not isinstance(document, Mapping):
        raise failure(f"{path} does not hold rows of a table: one object for each is needed.")
    return document


def _parquet_rows(content: bytes, name: str, failure: Failure) -> list[Row]:
    import pandas as pd

    try:
        frame = pd.read_parquet(io.BytesIO(content))
    except ImportError as error:
        raise MissingExtraError(f"{name} is Parquet: pip install 'biaslab[parquet]'") from error
    except (OSError, ValueError) as error:
        raise failure(f"{name} cannot be read: {error}.") from error
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def json_lines(text: str, name: str, failure: Failure) -> Iterator[Any]:
    """Yield the value of each line that is not empty."""
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip():
            yield parsed(line, name, failure, number)


def json_content(text: str, name: str, failure: Failure) -> Any:
    """Return a JSON document; a list, if the file holds one object a line whatever its name."""
    lines = [line for line in lines_of(text) if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines):
        return list(json_lines(text, name, failure))
    return parsed(text, name, failure)


def parsed(text: str, name: str, failure: Failure, line: int | None = None) -> Any:
    """Return the value that a text of JSON stands for."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise failure(
            f"{name} is not valid JSON at line {line or error.lineno}, column {error.colno}: "
            f"{error.msg}. Is the file complete?"
        ) from error
    except RecursionError:
        raise failure(f"{name} holds lists inside lists too deep to be read.") from None
