"""Outside tables: a number per word, to compare with a model's answers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from biaslab.arguments import instance
from biaslab.errors import QueryError
from biaslab.probes.occupations import outside_csv
from biaslab.records.calls import recorded_classmethod
from biaslab.records.record import Record
from biaslab.specs import Spec, entries, get

_HOW = (
    "Pass the path of a CSV file, or a table: bl.probes.occupations.OutsideTable(name='mine',"
    " title='Women', unit='percent', source='my survey', values={'nurse': 91.0})."
)
_SHARE_UNITS = {"percent": 100.0, "%": 100.0, "per cent": 100.0, "share": 1.0, "proportion": 1.0}
_SHARE_NAME = re.compile(r"(?:percent|share)-(?:of-)?(\w+?)(?:-.*)?$")
_SAME = {"women": "female", "woman": "female", "men": "male", "man": "male"}
#: Labels of a group's people on an axis.
_PEOPLE = {"male": "men", "female": "women", "man": "men", "woman": "women"}


@dataclass(frozen=True, eq=False)
class OutsideTable(Record):
    """A number for some words, measured by others.

    Attributes
    ----------
    name : str
        Short name.
    title : str
        One line for people.
    unit : str
        ``percent`` or ``share`` for shares, else free text, also empty.
    source : str
        Source of the numbers.
    values : mapping of str to float
        Word to number.
    of : str
        The group or cue whose share it is (``female``), or empty.
    notes : tuple of str
        Remarks from reading it: duplicates, rows without a number.
    """

    name: str
    title: str
    unit: str
    source: str
    values: Mapping[str, float]
    of: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.values:
            raise QueryError(
                f"The outside table {self.name!r} contains no value. Give at least one."
            )

    @classmethod
    @recorded_classmethod
    def from_spec(cls, spec: Spec | str, column: str = "") -> OutsideTable:
        """Return a column of outside numbers of a spec; by default its first.

        Raises
        ------
        QueryError
            When the spec has no such column; lists the available ones.
        """
        spec = get(spec)
        column = column or next(iter(spec.outside), "")
        if column not in spec.outside:
            has = ", ".join(spec.outside) or "none"
            raise QueryError(
                f"The spec {spec.name!r} has no column of outside data {column!r}; it has {has}."
            )
        values = spec.outside[column]
        share = _SHARE_NAME.match(column) if values.unit in _SHARE_UNITS else None
        return cls(
            name=f"{spec.name}/{column}",
            title=values.title,
            unit=values.unit,
            source=values.source,
            values=values.values,
            of=share.group(1) if share else "",
        )

    @classmethod
    @recorded_classmethod
    def read_csv(
        cls,
        source: str | os.PathLike[str],
        *,
        word: str = "",
        value: str = "",
        of: str = "",
        unit: str = "",
        title: str = "",
        delimiter: str = "",
        decimal: str = "",
    ) -> OutsideTable:
        """Return a table from a CSV file or text with columns of words and numbers.

        Parameters
        ----------
        source : str or path
            A path, or the text itself if it has more than one line. UTF-8; with or without a
            header; separated by comma, semicolon or tab.
        word, value : str, optional
            Header of the words and of the numbers; by default the first column of text and the
            first of numbers.
        of : str, optional
            Group whose share the numbers are, such as ``female``.
        unit : str, optional
            ``percent`` or ``share`` if they are shares; by default ``percent`` where the header
            says so.
        title : str, optional
            By default the header.
        delimiter, decimal : str, optional
            If detection fails.

        Raises
        ------
        QueryError
            Names the columns of the file, or the row and its problem.
        """
        return outside_csv.read(
            instance(source, (str, os.PathLike), "The outside table", _HOW),
            cls,
            word=word,
            value=value,
            of=of,
            unit=unit,
            title=title,
            delimiter=delimiter,
            decimal=decimal,
        )

    @property
    def whole(self) -> float | None:
        """The value of the whole (100 or 1) if the numbers are shares, else None."""
        whole = _SHARE_UNITS.get(self.unit.strip().lower())
        if whole is None or any(not 0 <= v <= whole for v in self.values.values()):
            return None
        return whole

    @cached_property
    def _folded(self) -> dict[str, float]:
        folded: dict[str, float] = {}
        for key, number in self.values.items():
            folded.setdefault(key.casefold(), number)
        return folded

    def get(self, word: str) -> float | None:
        """Return the number of a word; exact spelling takes precedence over case."""
        value = self.values.get(word)
        return self._folded.get(word.casefold()) if value is None else value

    def axis(self, groups: Mapping[str, Sequence[str]]) -> Axis:
        """Return the axis for the numbers beside two groups.

        A share of group 1 is shown as that of group 2 (100 - x), so that it rises with the
        stimulus. With more than two groups the remainder is no single group's share: no inversion.
        """
        side = self._side(groups)
        names = list(groups)
        if side == 0 and len(names) == 2 and self.whole is not None:
            return Axis(_label(_people(names[1], self), self.unit), -1, self.whole, names[1])
        label = _label(_people(names[side], self), self.unit) if side is not None else self.title
        if side is None and self.unit:
            label = f"{self.title}, {_SYMBOLS.get(self.unit, self.unit)}"
        return Axis(label, 1, 0.0, names[side] if side is not None else "")

    def _side(self, groups: Mapping[str, Sequence[str]]) -> int | None:
        """Return the group of the share."""
        of = _plain(self.of)
        for g, (name, cues) in enumerate(groups.items()):
            if of and of in {_plain(name), *map(_plain, cues)}:
                return g
        return None


@dataclass(frozen=True)
class Axis(Record):
    """How numbers of an outside table are shown: ``offset + sign * x``.

    Attributes
    ----------
    label : str
        With its unit.
    sign : int
        1, or -1 if a share is converted to that of the other group.
    offset : float
        0, or the whole.
    group : str
        Group whose share the axis is, or empty.
    """

    label: str
    sign: int = 1
    offset: float = 0.0
    group: str = ""

    def of(self, number: float) -> float:
        """Convert a number to this axis."""
        return self.offset + self.sign * number


_SYMBOLS = {"percent": "%", "share": "share"}


def _plain(name: str) -> str:
    """Normalise a group's name, so that women and female are equal."""
    folded = name.strip().casefold()
    return _SAME.get(folded, folded)


def _people(group: str, table: OutsideTable) -> str:
    people = _PEOPLE.get(group.lower(), group)
    return f"{people} in the occupation" if "occupation" in table.title.lower() else people


def _label(what: str, unit: str) -> str:
    return f"{what}, {_SYMBOLS.get(unit, unit)}" if unit else what


def outside_tables() -> tuple[OutsideTable, ...]:
    """Return the tables of the catalogue and of own specs, without years."""
    return tuple(
        OutsideTable.from_spec(entry.spec, column)
        for entry in entries()
        if entry.spec is not None and not entry.problem
        for column, values in entry.spec.outside.items()
        if values.unit != "year"
    )


def table_for(
    words: Iterable[str], spec: Spec | None, groups: Mapping[str, Sequence[str]]
) -> OutsideTable | None:
    """Return the default table: shares of one of the groups, or None.

    The words' own spec comes first; else the table of the catalogue with most of the words, at
    least four.
    """
    if spec is not None and spec.outside:
        tables = [OutsideTable.from_spec(spec, column) for column in spec.outside]
        return next((table for table in tables if table.axis(groups).group), None)
    requested = list(words)
    counted = [
        (sum(table.get(word) is not None for word in requested), table)
        for table in outside_tables()
        if table.axis(groups).group
    ]
    most = max(counted, key=lambda c: c[0], default=None)
    return most[1] if most is not None and most[0] >= 4 else None
