"""Recorded answers: a table of rows, what each answer came to, and which column means what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, compress, product
from typing import Any, Final, Literal, get_args

from biaslab.errors import AnswersError
from biaslab.records.record import Record
from biaslab.records.wording import count, counted, listed

Role = Literal[
    "group", "answer", "item", "level", "order", "cluster", "score", "model", "case"
]  # fmt: skip
ROLES: Final[tuple[str, ...]] = get_args(Role)
Kind = Literal["ranking", "yes or no", "number", "word pairs", "text"]
Outcome = Literal[
    "answered", "left out", "copy", "empty", "refused", "declined", "misspelt", "invented",
    "other language", "unreadable",
]  # fmt: skip
"""What a row came to. ``declined`` names candidates and ranks none; ``misspelt`` puts a name first
that resembles a listed one, ``invented`` one that does not; ``copy`` equals an earlier row."""
OUTCOMES: Final[tuple[str, ...]] = get_args(Outcome)
_EXAMPLES: Final = 50


@dataclass(frozen=True)
class Column(Record):
    """A column of the file.

    Attributes
    ----------
    name : str
    role : str
        What it means to the probes, one of `ROLES`; empty where it is only kept with each answer.
    n_values : int
        Number of different values; of lists, of different entries.
    description : str
        What it is taken for, such as ``the answer, first place read``.
    """

    name: str
    role: str
    n_values: int
    description: str


@dataclass(frozen=True)
class FileSummary(Record):
    """How a file of answers was read.

    Attributes
    ----------
    about : str
        Such as ``8,316 answers, JSON Lines, 783 kB``.
    kind : Kind
    n_used : int
        Rows whose answer is used.
    columns : tuple of Column
    options : tuple of str
        Of yes or no: the answer that counts as a no, and the one that counts as a yes.
    notes : tuple of str
        What was guessed.
    """

    about: str
    kind: Kind
    n_used: int
    columns: tuple[Column, ...]
    options: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Example(Record):
    """A row that was set aside: its number in the file from 1, its answer, and the reason."""

    row: int
    text: str
    reason: str


@dataclass(frozen=True)
class SetAside(Record):
    """Rows that are not used, for one reason.

    Attributes
    ----------
    reason : Outcome
    count : int
    examples : tuple of Example
        The first of them, at most 50.
    """

    reason: Outcome
    count: int
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class RecordedAnswers(Record):
    """Answers that somebody recorded, as a subject; nothing is asked.

    Attributes
    ----------
    name : str
        Name of the file.
    format : str
        ``CSV``, ``JSON``, ``JSON Lines``, ``Parquet``, ``Inspect log`` or ``Harness samples``.
    kind : {"ranking", "yes or no", "number", "word pairs", "text"}
        What the answers are.
    content_hash : str
        SHA-256 of the file.
    size : int
        Bytes of the file.
    roles : mapping of str to str
        By role, the name of its column.
    columns : mapping of str to Column
    values : mapping of str to tuple
        By column, the value of every row.
    numbers : tuple of int
        Numbers of the rows in the file, from 1.
    outcomes : tuple of Outcome
        What each row came to.
    readings : tuple
        What each answer was read as: of a ranking the place, from 0, that the candidate at the top
        has in `order` (of a misspelt name, of the candidate who seems to be meant); of yes or no 1
        or 0; a number; else the text. None where nothing was read.
    reasons : tuple of str
        Why a row is not used, as a sentence; empty where it is.
    options : tuple of str
        Of yes or no: the answer that counts as a no, and the one that counts as a yes.
    notes : tuple of str
        What was guessed, and what is remarkable about the file.
    """

    name: str
    format: str
    kind: Kind
    content_hash: str
    size: int
    roles: Mapping[str, str]
    columns: Mapping[str, Column]
    values: Mapping[str, tuple[Any, ...]]
    numbers: tuple[int, ...]
    outcomes: tuple[Outcome, ...]
    readings: tuple[Any, ...]
    reasons: tuple[str, ...]
    options: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        return f"<RecordedAnswers {self.name}: {self.about}>"

    @property
    def n_rows(self) -> int:
        """Number of rows, used or not."""
        return len(self)

    @property
    def n_used(self) -> int:
        """Number of rows whose answer is used."""
        return self.outcomes.count("answered")

    @property
    def source(self) -> str:
        """Name of the file."""
        return self.name

    @property
    def about(self) -> str:
        """What it is, such as ``8,316 answers, JSON Lines, 783 kB``."""
        size = f"{self.size / 1e6:.1f} MB" if self.size >= 1e6 else f"{self.size / 1e3:.0f} kB"
        return f"{counted(len(self), 'answer')}, {self.format}, {size}"

    @property
    def summary(self) -> FileSummary:
        """How the file was read."""
        columns = tuple(self.columns.values())
        return FileSummary(self.about, self.kind, self.n_used, columns, self.options, self.notes)

    @property
    def refusal(self) -> str:
        """Which probes take it, for the message of one that does not."""
        return (
            " bl.opinion, bl.decisions, bl.two_afc and bl.stereotype_score take recorded answers."
        )

    @property
    def answers(self) -> tuple[Any, ...]:
        """What the answers of the used rows were read as: see `readings`."""
        return self._used(self.readings)

    @property
    def set_aside(self) -> tuple[SetAside, ...]:
        """Rows that are not used, by reason, in the order of `OUTCOMES`."""
        counts = Counter(self.outcomes)
        texts = self.values[self.roles["answer"]] if "answer" in self.roles else self.readings
        examples: dict[str, list[Example]] = {}
        for row, outcome in enumerate(self.outcomes):
            if outcome != "answered" and len(some := examples.setdefault(outcome, [])) < _EXAMPLES:
                some.append(Example(self.numbers[row], _text(texts[row]), self.reasons[row]))
        others = [name for name in get_args(Outcome)[1:] if counts[name]]
        return tuple(SetAside(name, counts[name], tuple(examples[name])) for name in others)

    def column(self, role: str, *, used: bool = True) -> tuple[Any, ...]:
        """Return the values of a role's column, or of a column by its name.

        Parameters
        ----------
        role : str
        used : bool
            Of the used rows only; otherwise of all.

        Raises
        ------
        AnswersError
            If there is no such column.
        """
        name = self.roles.get(role, role)
        if name not in self.values:
            raise self._lacks([role])
        return self._used(self.values[name]) if used else self.values[name]

    def where(self, **values: Any) -> RecordedAnswers:
        """Return the rows with these values, by role or column name: ``where(model="gpt-4")``.

        Rows that are not used stay, and are counted among those with the value.
        """
        columns = {self.roles.get(role, role): value for role, value in values.items()}
        if unknown := [name for name in columns if name not in self.values]:
            raise self._lacks(unknown)
        kept = [
            row
            for row in range(len(self))
            if all(self.values[name][row] == value for name, value in columns.items())
        ]
        return self._take(kept)

    def split(self, role: str) -> dict[Any, RecordedAnswers]:
        """Return the rows by the values of a role or column, in order of appearance."""
        rows: dict[Any, list[int]] = {}
        for row, value in enumerate(self.column(role, used=False)):
            rows.setdefault(value, []).append(row)
        return {value: self._take(kept) for value, kept in rows.items()}

    def with_misspelt(self) -> RecordedAnswers:
        """Return the answers with misspelt names read as the candidates who seem to be meant."""
        outcomes = ["answered" if one == "misspelt" else one for one in self.outcomes]
        return replace(self, outcomes=tuple(outcomes))

    def groups(self) -> tuple[str, ...]:
        """Return the groups of all rows: by name if rows list several, else as they appear.

        Raises
        ------
        AnswersError
            If there is no column of groups, or it names only one.
        """
        self.require("group")
        cells = list(dict.fromkeys(self.column("group", used=False)))
        lists = (value if isinstance(value, tuple) else (value,) for value in cells)
        names = dict.fromkeys(chain.from_iterable(lists))
        names.pop(None, None)  # an empty cell
        if any(isinstance(value, tuple) for value in cells):  # the first list is in any order
            names = dict.fromkeys(sorted(names))
        if len(names) < 2:
            column = self.roles["group"]
            only = next(iter(names), "no group")
            raise AnswersError(
                f"{self.name} has a single group in its column {column}: {only}. A comparison needs"
                " two. If another column tells the groups apart, name it with group=."
            )
        return tuple(map(str, names))

    def require(self, *roles: str) -> None:
        """Raise `AnswersError` if a role has no column; it says how to name one."""
        if missing := [role for role in roles if role not in self.roles]:
            raise self._lacks(missing)

    def never_asked(self) -> tuple[tuple[Any, ...], ...]:
        """Return the combinations of model, case, group and level that no row has."""
        roles = [role for role in ("model", "case", "group", "level") if role in self.roles]
        columns = [self.column(role, used=False) for role in roles]
        if not columns or any(isinstance(value, tuple) for column in columns for value in column):
            return ()
        present = set(zip(*columns, strict=True))
        every = product(*(dict.fromkeys(column) for column in columns))
        return tuple(one for one in every if one not in present and None not in one)

    def _used(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(compress(values, self._is_used))

    @cached_property
    def _is_used(self) -> list[bool]:
        return list(map("answered".__eq__, self.outcomes))

    def _take(self, rows: list[int]) -> RecordedAnswers:
        def of(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple([values[row] for row in rows])

        return replace(
            self, values={name: of(column) for name, column in self.values.items()},
            numbers=of(self.numbers), outcomes=of(self.outcomes), readings=of(self.readings),
            reasons=of(self.reasons),
        )  # fmt: skip

    def _lacks(self, roles: list[str]) -> AnswersError:
        names = [f"{role}=" for role in roles if role in ROLES]
        how = f" Name it with {listed(names)}." if names else ""
        return AnswersError(
            f"{self.name} has no column for {listed(roles)}.{how} Its columns are"
            f" {', '.join(self.values)}."
        )


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def shown_count(values: tuple[Any, ...]) -> tuple[int, str]:
    """Return how many different values a column has, of lists of entries; and how it is shown."""
    if tuple in set(map(type, values)):
        lists = (value for value in values if isinstance(value, tuple))
        entries = set(chain.from_iterable(lists))
        return len(entries), count(len(entries))
    different = set(values)
    return len(different), count(len(different))
