"""Read tables of distances from CSV files, such as the manuscript's."""

from __future__ import annotations

import csv
import hashlib
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from biaslab.errors import QueryError
from biaslab.given_files import read_given
from biaslab.probes.association.lists import CONNECTIONS
from biaslab.results import Dropped

Table = TypeVar("Table")
REPEATED = "repeated rows"
"""Role of a protected word some of whose rows were left out because they stood there before."""
SENTINEL = -1.0
"""A lower similarity is no cosine: the authors write -100 for words without a vector."""
_SAME = 1e-6
"""Distances this close are one distance that was written twice."""
_NAMES = {
    "word": ("protectedWord", "protected_word", "word"),
    "attribute": ("wordToCompare", "word_to_compare", "attribute"),
    "list": ("wordClass", "word_class", "list"),
    "connection": ("connection",),
    "distance": ("cosineDistance", "cosine_distance", "distance"),
    "similarity": ("cosineSimilarity", "cosine_similarity", "similarity"),
    "group": ("group",),
}


class _Row(NamedTuple):
    line: int
    word: str
    attribute: str
    list: str
    connection: int
    distance: float
    group: str


def read(path: str | os.PathLike[str], table: Callable[..., Table]) -> Table:
    """Read the `table` in a file, made of its fields; see `DistanceTable.read_csv`."""
    source = Path(path)
    try:
        content = read_given(source)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise QueryError(f"{source.name} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise QueryError(f"{source.name} is not UTF-8 text. Save it as UTF-8.") from error
    reader = csv.DictReader(text.splitlines())
    columns = _columns(source.name, reader.fieldnames or ())
    rows: list[_Row] = []
    lost: list[_Row] = []
    for row in reader:
        parsed = _row(source.name, reader.line_num, row, columns)
        (rows if math.isfinite(parsed.distance) else lost).append(parsed)
    if not rows:
        why = f"all {len(lost)} rows have no distance" if lost else "it has no rows"
        raise QueryError(f"{source.name} contains no distance: {why}.")
    return table(**_fields(source.name, rows, lost, hashlib.sha256(content).hexdigest()))


def _columns(name: str, column: object) -> dict[str, str]:
    there = list(column) if isinstance(column, list | tuple) else []
    columns = {
        part: next(n for n in names if n in there)
        for part, names in _NAMES.items()
        if any(n in there for n in names)
    }
    for part in ("word", "attribute", "list", "connection"):
        if part not in columns:
            raise QueryError(
                f"{name} has no column {_NAMES[part][0]!r}; it has: "
                f"{', '.join(map(repr, there)) or 'none'}."
            )
    if not {"distance", "similarity"} & set(columns):
        raise QueryError(f"{name} has neither a column 'cosineDistance' nor 'cosineSimilarity'.")
    return columns


def _row(name: str, line: int, row: Mapping[str, str | None], columns: Mapping[str, str]) -> _Row:
    texts = {part: (row.get(column) or "").strip() for part, column in columns.items()}
    for part in ("word", "attribute", "list"):
        if not texts[part]:
            raise QueryError(f"{name}, line {line}: {columns[part]!r} is empty.")
    if texts["connection"] not in CONNECTIONS:
        raise QueryError(
            f"{name}, line {line}: the connection {texts['connection']!r} is not one of"
            f" {', '.join(CONNECTIONS)}."
        )
    numbers = {p: _number(name, line, texts[p]) for p in ("distance", "similarity") if p in texts}
    distance = numbers.get("distance", 1 - numbers.get("similarity", math.nan))
    similarity = numbers.get("similarity", 1 - distance)
    if not (similarity >= SENTINEL - 1e-6 and 1 - distance >= SENTINEL - 1e-6):
        distance = math.nan  # a sentinel, or empty
    elif distance < -1e-6:
        raise QueryError(
            f"{name}, line {line}: a cosine distance is from 0 to 2, not {distance:g}."
        )
    return _Row(
        line,
        texts["word"],
        texts["attribute"],
        texts["list"],
        CONNECTIONS.index(texts["connection"]),
        distance,
        texts.get("group", ""),
    )


def _number(name: str, line: int, text: str) -> float:
    if text in ("", "NA", "NaN", "nan"):
        return math.nan
    try:
        return float(text)
    except ValueError:
        raise QueryError(f"{name}, line {line}: {text!r} is not a number.") from None


def _fields(name: str, rows: list[_Row], lost: list[_Row], digest: str) -> dict[str, Any]:
    """Return the fields of a `DistanceTable`."""
    words = {w: i for i, w in enumerate(dict.fromkeys(row.word for row in rows))}
    columns: dict[str, str] = {}
    for row in rows:
        first = columns.setdefault(row.attribute, row.list)
        if first != row.list:
            raise QueryError(
                f"{name}, line {row.line}: {row.attribute!r} is in {row.list!r} here and in"
                f" {first!r} earlier. Put each attribute word in one list."
            )
    places = {a: j for j, a in enumerate(columns)}
    connection = np.full((len(words), len(places)), -1, dtype=np.int8)
    distance = np.full((1, len(words), len(places)), np.nan)
    repeated: Counter[str] = Counter()
    for row in rows:
        i, j = words[row.word], places[row.attribute]
        if connection[i, j] < 0:
            connection[i, j], distance[0, i, j] = row.connection, row.distance
            continue
        first = distance[0, i, j]
        if connection[i, j] != row.connection or abs(row.distance - first) > _SAME:
            raise QueryError(
                f"{name}, line {row.line}: a second distance of {row.word!r} to "
                f"{row.attribute!r}, {row.distance:g} ({CONNECTIONS[row.connection]}) after "
                f"{first:g} ({CONNECTIONS[connection[i, j]]}). Give each pair one distance, and "
                "use one file per embedding."
            )
        repeated[row.word] += 1
    gone = [("word", row.word) for row in lost if row.word not in words]
    gone += [(row.list, row.attribute) for row in lost if row.attribute not in places]
    dropped = tuple(
        Dropped(term, role, "has no vector: all its rows have the placeholder -100 or no number")
        for role, term in dict.fromkeys(gone)
    )
    dropped += tuple(
        Dropped(word, REPEATED, f"{n} more rows have the same pairs with the same distances")
        for word, n in repeated.items()
    )
    return {
        "words": tuple(words),
        "groups": _groups(rows, words, columns),
        "attributes": tuple(places),
        "lists": tuple(columns.values()),
        "connection": connection,
        "distance": distance,
        "source": name,
        "subject_hash": digest,
        "dropped": dropped,
        "missing": len(lost),
        "repeated": repeated.total(),
    }


def _groups(
    rows: list[_Row], words: Mapping[str, int], columns: Mapping[str, str]
) -> tuple[str, ...]:
    """Return each word's group: from the file, else its stereotype lists."""
    named: dict[str, str] = {row.word: row.group for row in rows if row.group}
    by_word: dict[str, dict[str, None]] = {word: {} for word in words}
    for row in rows:
        if row.connection == 0:
            by_word[row.word][columns[row.attribute]] = None
    return tuple(
        named.get(word) or " and ".join(lists).removesuffix("_stereotype") or "no stereotypes"
        for word, lists in by_word.items()
    )
