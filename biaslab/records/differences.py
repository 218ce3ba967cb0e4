"""Differences between two results of one kind: which of their numbers and words differ."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biaslab.records.record import FrozenDict
from biaslab.records.result import Result

LISTED: Final = 1_000
"""Differences that are listed; all are counted."""
_NO_FINDINGS: Final = frozenset(
    {"provenance", "calls", "characters", "cost", "from_store", "stored", "seconds", "next_levels"}
)
"""Fields that say how a result came about: answers that the store had are asked again, say."""
Value: TypeAlias = "float | int | str | bool | None"


@dataclass(frozen=True)
class Difference:
    """A number or a word that differs.

    - `where`: its place, such as ``nurse, pse`` in a table or ``cosines[3, 0]`` in a field.
    """

    where: str
    before: Value
    after: Value

    @property
    def size(self) -> float:
        """How far two numbers are apart; NaN for anything else."""
        numbers = (int, float)
        if isinstance(self.before, numbers) and isinstance(self.after, numbers):
            return abs(float(self.after) - float(self.before))
        return float("nan")


@dataclass(frozen=True)
class Differences:
    """What differs between two results.

    - `numbers`: numbers compared.
    - `differing`: numbers and words that differ.
    - `rounded`: numbers that differ by rounding alone; they count as the same.
    - `largest`: largest difference of two numbers; 0 if none differ.
    - `listed`: the first `LISTED`.
    """

    numbers: int
    differing: int
    rounded: int
    largest: float
    listed: tuple[Difference, ...]


def field_differences(before: Result, after: Result, rounding: float) -> Differences:
    """Compare all that two results hold, but for where they come from.

    - `rounding`: share of the largest number of a list, or of a record, below which a difference is
      rounding.
    """
    comparison = _Comparison(rounding)
    comparison.compare("", before, after)
    return comparison.differences()


def table_differences(before: Result, after: Result, rounding: float) -> Differences:
    """Compare the tables of two results, row by row of the same labels."""
    comparison = _Comparison(rounding)
    rows = [_cells(result) for result in (before, after)]
    for column in dict.fromkeys(column for table in rows for column in table):
        old, new = (table.get(column, {}) for table in rows)
        labels = list(dict.fromkeys([*old, *new]))
        comparison.compare_lists(
            [f"{label}, {column}" if label else column for label in labels],
            [old.get(label) for label in labels],
            [new.get(label) for label in labels],
        )
    return comparison.differences()


def _cells(result: Result) -> dict[str, dict[str, Any]]:
    """Return the numbers of a result's table, by column and by the words of their row."""
    frame = result.to_frame()
    is_number = [frame[c].dtype.kind in "iufb" for c in frame.columns]
    words = [c for c, number in zip(frame.columns, is_number, strict=True) if not number]
    labels = _labels([tuple(map(str, row)) for row in frame[words].itertuples(index=False)])
    if not words:
        labels = _labels([()] * len(frame))
    return {
        str(column): dict(zip(labels, frame[column].tolist(), strict=True))
        for column, number in zip(frame.columns, is_number, strict=True)
        if number
    }


def _labels(rows: list[tuple[str, ...]]) -> list[str]:
    """Return a label for each row: as few of its first words as tell all rows apart."""
    width = max(map(len, rows), default=0)
    for count in range(1, width):
        if len({row[:count] for row in rows}) == len(rows):
            width = count
            break
    seen: dict[str, int] = {}
    labels = []
    for row in rows:
        label = ", ".join(word for word in row[:width] if word)
        seen[label] = seen.get(label, 0) + 1
        labels.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return labels


class _Comparison:
    """Collects differences."""

    def __init__(self, rounding: float) -> None:
        self._rounding = rounding
        self._numbers = self._differing = self._rounded = 0
        self._largest = 0.0
        self._listed: list[Difference] = []

    def differences(self) -> Differences:
        return Differences(
            self._numbers, self._differing, self._rounded, self._largest, tuple(self._listed)
        )

    def compare(self, where: str, a: Any, b: Any) -> None:
        if is_dataclass(a) and type(a) is type(b):
            self._compare_parts(where, _parts(a), _parts(b), lambda name: f".{name}")
        elif isinstance(a, Mapping) and isinstance(b, Mapping):
            self._compare_parts(where, a, b, lambda key: f"[{key!r}]")
        elif isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            self._compare_arrays(where, a, b)
        elif isinstance(a, tuple) and isinstance(b, tuple):
            self._compare_parts(where, dict(enumerate(a)), dict(enumerate(b)), lambda i: f"[{i}]")
        else:
            self.compare_lists([where], [a], [b])

    def _compare_parts(
        self, where: str, a: Mapping[Any, Any], b: Mapping[Any, Any], name: Callable[[Any], str]
    ) -> None:
        plain: list[tuple[str, Any, Any]] = []
        for key in dict.fromkeys([*a, *b]):
            path = f"{where}{name(key)}".lstrip(".")
            parts = a.get(key), b.get(key)
            if all(_is_plain(part) for part in parts):
                plain.append((path, *parts))
            else:
                self.compare(path, *parts)
        if plain:
            self.compare_lists(*map(list, zip(*plain, strict=True)))

    def compare_lists(self, where: list[str], a: list[Any], b: list[Any]) -> None:
        """Compare plain values of one record or list: their largest number is their scale."""
        number = [_is_number(x) and _is_number(y) for x, y in zip(a, b, strict=True)]
        chosen = np.flatnonzero(number)
        old, new = (np.array([v[i] for i in chosen], dtype=np.float64) for v in (a, b))
        exact = np.array([isinstance(a[i], int) and isinstance(b[i], int) for i in chosen], bool)
        self._add(lambda i: where[chosen[i]], old, new, exact)
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            if not number[i] and not _same(x, y):
                self._list(where[i], _shown(x), _shown(y))

    def _compare_arrays(self, where: str, a: NDArray[Any], b: NDArray[Any]) -> None:
        if a.shape != b.shape or (a.dtype.kind in "US") != (b.dtype.kind in "US"):
            self._numbers += a.size if a.dtype.kind in "biuf" else 0
            self._list(where, f"shape {a.shape}", f"shape {b.shape}")
            return
        if a.dtype.kind in "US":
            for index in np.flatnonzero((a != b).ravel()):
                at = _at(where, int(index), a.shape)
                self._list(at, str(a.ravel()[index]), str(b.ravel()[index]))
            return
        exact = np.full(a.size, a.dtype.kind in "biu" and b.dtype.kind in "biu")
        old, new = (x.astype(np.float64).ravel() for x in (a, b))
        self._add(lambda i: _at(where, i, a.shape), old, new, exact)

    def _add(
        self,
        where: Callable[[int], str],
        a: NDArray[np.float64],
        b: NDArray[np.float64],
        exact: NDArray[np.bool_],
    ) -> None:
        self._numbers += a.size
        other = ~((a == b) | (np.isnan(a) & np.isnan(b)))
        if not other.any():
            return
        sizes = np.abs(a[np.isfinite(a) & ~exact])
        allowed = np.where(exact, 0.0, self._rounding * sizes.max(initial=0.0))
        with np.errstate(invalid="ignore"):  # infinity minus itself
            gap = np.abs(a - b)
        differs = other & ~(gap <= allowed)
        self._rounded += int((other & ~differs).sum())
        finite = gap[differs & np.isfinite(gap)]
        self._largest = max(self._largest, float(finite.max(initial=0.0)))
        for i in np.flatnonzero(differs).tolist():
            self._list(where(i), _number(a[i], exact[i]), _number(b[i], exact[i]))

    def _list(self, where: str, before: Value, after: Value) -> None:
        self._differing += 1
        if len(self._listed) < LISTED:
            self._listed.append(Difference(where, before, after))


def _parts(record: Any) -> dict[str, Any]:
    return {
        field.name: getattr(record, field.name)
        for field in fields(record)
        if field.compare and field.name not in _NO_FINDINGS
    }


def _at(where: str, index: int, shape: tuple[int, ...]) -> str:
    return f"{where}[{', '.join(map(str, map(int, np.unravel_index(index, shape))))}]"


def _is_plain(value: Any) -> bool:
    return not (is_dataclass(value) or isinstance(value, Mapping | tuple | np.ndarray))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _number(value: float, exact: bool) -> float | int:
    return int(value) if exact else float(value)


def _same(a: Any, b: Any) -> bool:
    return bool(type(a) is type(b) and a == b)


def _shown(value: Any) -> Value:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping | tuple | FrozenDict):
        return f"{len(value)} values"
    return str(value)


def listed_rows(*parts: Differences) -> Iterator[Difference]:
    """Go through the listed differences of several comparisons."""
    return itertools.chain.from_iterable(part.listed for part in parts)
