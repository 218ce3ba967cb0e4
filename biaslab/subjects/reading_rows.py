"""Rows of tokens in which texts with an equal beginning share it.

A row is a tree: each token looks at those on the way to the root, and its position is its depth. A
causal model computes the beginning once, and each text gets what it would get alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.looks import Look

Integers = NDArray[np.int64]
#: Longest row of several texts, in tokens: attention costs its square.
_LONGEST = 256
#: Equal tokens at the beginning from which a text joins a row.
_WORTH_SHARING = 3
#: Share of all tokens that has to be saved, since a mask of its own costs time too.
_LEAST_SAVED = 0.05


@dataclass(eq=False)
class Row:
    """Tokens that go through a model together.

    Attributes
    ----------
    ids : list of int
        Of n tokens.
    parents : list of int
        Index of the token before each; -1 of the first.
    texts : list of (any, Look, ndarray of int64)
        What is read: a name for it, the look, and the index of each of its tokens in the row.
    reads : int
        Places that are read, equal ones of several texts once.
    """

    ids: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    texts: list[tuple[Any, Look, Integers]] = field(default_factory=list)
    reads: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def is_tree(self) -> bool:
        """Whether its texts part somewhere."""
        return any(parent != i - 1 for i, parent in enumerate(self.parents))

    def depths(self) -> Integers:
        """Return the position of each token in its text, from 0."""
        depths = np.zeros(len(self), dtype=np.int64)
        for i, parent in enumerate(self.parents):
            depths[i] = depths[parent] + 1 if parent >= 0 else 0
        return depths

    def seen(self) -> NDArray[np.bool_]:
        """Return which tokens each token looks at, shape (n, n)."""
        seen = np.eye(len(self), dtype=bool)
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                seen[i] |= seen[parent]
        return seen


def separate_rows(texts: Sequence[tuple[Any, Look]]) -> list[Row]:
    """Return a row for each text."""
    return [_row_of(name, look) for name, look in texts]


def merged_rows(texts: Sequence[tuple[Any, Look]], most_reads: int) -> list[Row]:
    """Return a row for each different text, of which several places may be read."""
    rows: list[Row] = []
    open_rows: dict[bytes, Row] = {}
    for name, look in texts:
        key = look.ids.tobytes()
        row = open_rows.get(key) if look.blend is None else None
        if row is None or row.reads + len(look.positions) > most_reads:
            row = _row_of(name, look)
            rows.append(row)
            if look.blend is None:
                open_rows[key] = row
        else:
            row.texts.append((name, look, np.arange(len(look.ids))))
            row.reads = _count_reads(row)
    return rows


def shared_rows(texts: Sequence[tuple[Any, Look]], most_reads: int) -> list[Row]:
    """Return rows in which texts share their equal beginnings, if that saves enough."""
    rows: list[Row] = []
    node: dict[Any, Any] = {}
    for name, look in sorted(texts, key=_order(texts)):
        keys = _keys(look)
        row = rows[-1] if rows else None
        known = _known(node, keys)
        if (
            row is None
            or known < min(_WORTH_SHARING, len(keys))
            or len(row) + len(keys) - known > max(_LONGEST, len(keys))
            or row.reads + len(look.positions) > most_reads
        ):
            row, node = Row(), {}
            rows.append(row)
        row.texts.append((name, look, _insert(row, node, keys, look.ids)))
        row.reads = _count_reads(row)
    before = sum(len(look.ids) for _, look in texts)
    if sum(map(len, rows)) > (1 - _LEAST_SAVED) * before:
        return merged_rows(texts, most_reads)
    return rows


def split_row(row: Row) -> Iterator[Row]:
    """Yield the texts of a row in rows of their own."""
    yield from separate_rows([(name, look) for name, look, _ in row.texts])


def _row_of(name: Any, look: Look) -> Row:
    size = len(look.ids)
    columns = np.arange(size)
    return Row(
        look.ids.tolist(), list(range(-1, size - 1)), [(name, look, columns)], len(look.positions)
    )


def _order(texts: Sequence[tuple[Any, Look]]) -> Callable[[tuple[Any, Look]], tuple[Any, ...]]:
    """Return a key that puts equal beginnings together, the same in every run."""
    first: dict[int, int] = {}
    for number, (_, look) in enumerate(texts):
        first.setdefault(id(look.blend), number)

    def key(text: tuple[Any, Look]) -> tuple[Any, ...]:
        look = text[1]
        return look.ids.tolist(), first[id(look.blend)], look.alpha

    return key


def _keys(look: Look) -> list[Any]:
    """Return what makes each token of a text equal to that of another."""
    keys: list[Any] = look.ids.tolist()
    if (blend := look.blend) is not None:
        for i in range(len(blend.first)):
            keys[blend.start + i] = (id(blend), look.alpha, i)
    return keys


def _known(node: dict[Any, Any], keys: Sequence[Any]) -> int:
    count = 0
    for key in keys:
        if key not in node:
            break
        _, node = node[key]
        count += 1
    return count


def _insert(row: Row, node: dict[Any, Any], keys: Sequence[Any], ids: Integers) -> Integers:
    """Add what a row does not have of a text; return the index of each token."""
    columns = np.empty(len(keys), dtype=np.int64)
    at = -1
    for place, key in enumerate(keys):
        if key not in node:
            node[key] = (len(row.ids), {})
            row.ids.append(int(ids[place]))
            row.parents.append(at)
        at, node = node[key]
        columns[place] = at
    return columns


def _count_reads(row: Row) -> int:
    places = [columns[look.positions] for _, look, columns in row.texts]
    return len(np.unique(np.concatenate(places)))
