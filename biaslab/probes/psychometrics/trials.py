"""Trials of a two-alternative task: how often each question was put and answered; their tables."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.answers import RecordedAnswers
from biaslab.arguments import described
from biaslab.errors import AnswersError, TrialsError
from biaslab.files.tables import header_delimiter, read_text, with_points
from biaslab.records.calls import recorded_classmethod
from biaslab.records.record import Record

if TYPE_CHECKING:
    import pandas as pd


Texts = NDArray[np.str_]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

_TEXTS = ("item", "cue_1", "cue_2", "observer")
_COUNTS = ("n", "n_cue_2", "n_cannot_say")


@dataclass(frozen=True)
class Trials(Record):
    """Trials as tidy columns: a row is one question, put n times to one observer.

    Each column has shape (N,). Rows of the same question count together. A single trial is a row
    with n = 1. Cues that a row names in the opposite order to an earlier row are turned round, with
    alpha, answers and `cue_1_first`: so each pair of cues has one orientation.

    Attributes
    ----------
    item, cue_1, cue_2 : ndarray of str
        The question: an item, and the two cues that it was to be answered with.
    alpha : ndarray of float
        Share of cue 2 in the stimulus, in [0, 1].
    observer : ndarray of str
        Who answered: a name or a number.
    cue_1_first : ndarray of bool
        Whether cue 1 was offered before cue 2.
    n : ndarray of int
        Times the question was put, at least 1.
    n_cue_2, n_cannot_say : ndarray of int
        Times that it was answered cue 2, and not answered. The other answers are cue 1.

    Raises
    ------
    TrialsError
        If columns differ in length or a row is impossible; names the first such row.
    """

    item: Texts
    cue_1: Texts
    cue_2: Texts
    alpha: Floats
    observer: Texts
    cue_1_first: Flags
    n: Counts
    n_cue_2: Counts
    n_cannot_say: Counts

    def __post_init__(self) -> None:
        columns = {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}
        sizes = {column.shape for column in columns.values()}
        if len(sizes) > 1 or len(next(iter(sizes))) != 1:
            raise TrialsError("The columns of trials differ in length. Give one value per row.")
        if not len(columns["item"]):
            raise TrialsError("There are no trials. Give at least one row.")
        for name in _TEXTS:  # of one width, or equal tables would differ
            columns[name] = np.array(columns[name].tolist(), dtype=np.str_)
        _check(columns)
        turned = _turned_round(columns["cue_1"], columns["cue_2"])
        columns |= {
            "cue_1": np.where(turned, columns["cue_2"], columns["cue_1"]),
            "cue_2": np.where(turned, columns["cue_1"], columns["cue_2"]),
            "alpha": np.where(turned, _other(columns["alpha"]), columns["alpha"]).astype(float),
            "cue_1_first": columns["cue_1_first"].astype(np.bool_) ^ turned,
        }
        n, cue_2, cannot_say = (columns[name].astype(np.int64) for name in _COUNTS)
        cue_2 = np.where(turned, n - cannot_say - cue_2, cue_2)
        columns |= {"n": n, "n_cue_2": cue_2, "n_cannot_say": cannot_say}
        for name, column in columns.items():
            object.__setattr__(self, name, column)
        super().__post_init__()

    @classmethod
    def of_answers(
        cls,
        item: ArrayLike,
        cue_1: ArrayLike,
        cue_2: ArrayLike,
        alpha: ArrayLike,
        observer: ArrayLike,
        cue_1_first: ArrayLike,
        answer: ArrayLike,
    ) -> Self:
        """Return the trials of single answers; equal questions become one row.

        Parameters
        ----------
        item, cue_1, cue_2, alpha, observer, cue_1_first
            As the attributes, broadcastable to shape (T,).
        answer : array_like, shape (T,)
            0 for cue 1, 1 for cue 2, NaN for "cannot say".
        """
        answers = np.asarray(answer, dtype=np.float64)
        question = [
            np.broadcast_to(np.asarray(column), answers.shape)
            for column in (item, cue_1, cue_2, alpha, observer, cue_1_first)
        ]
        question[4] = question[4].astype(str)
        counts = np.ones(answers.shape), answers == 1, np.isnan(answers)
        return cls(*question, *(count.astype(np.int64) for count in counts)).grouped()

    @classmethod
    def from_frame(cls, frame: pd.DataFrame) -> Self:
        """Return the trials of a table, with a row per trial or per question.

        Parameters
        ----------
        frame : DataFrame
            Columns ``item``, ``cue_1``, ``cue_2``, ``alpha``, and the answers. These are either a
            column ``answer`` (a row is a single trial: 0 or the first cue's word, 1 or the second
            cue's, empty for "cannot say"), or counts: ``n``, ``n_cue_2`` and, where there is one,
            ``n_cannot_say``. Optional: ``observer`` (default: a single one) and ``cue_1_first``
            (true or false; default: true). Other columns are ignored.

        Raises
        ------
        TrialsError
            Names the missing column, or the row and its problem.
        """
        return cls(**columns_of(frame)).grouped()

    @classmethod
    @recorded_classmethod
    def read_csv(cls, path: str | os.PathLike[str]) -> Self:
        """Return the trials of a CSV file with the columns of `from_frame`.

        Raises
        ------
        TrialsError
            As of `from_frame`, or if the file cannot be read.
        """
        return cls.from_frame(frame_of(path))

    def to_frame(self) -> pd.DataFrame:
        """Return the columns as a table, which `from_frame` reads."""
        import pandas as pd

        return pd.DataFrame({field.name: getattr(self, field.name) for field in fields(self)})

    def __len__(self) -> int:
        return len(self.n)

    @property
    def name(self) -> str:
        """What a result calls its subject."""
        return "trials"

    @property
    def content_hash(self) -> str:
        """SHA-256 of the table."""
        columns = [getattr(self, field.name).tolist() for field in fields(self)]
        return hashlib.sha256(repr(columns).encode()).hexdigest()

    @property
    def items(self) -> tuple[str, ...]:
        """Items, in the order in which they first appear."""
        return _first_seen(self.item)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Cue pairs, likewise."""
        cues = zip(self.cue_1.tolist(), self.cue_2.tolist(), strict=True)
        return tuple(dict.fromkeys(cues))

    @property
    def observers(self) -> tuple[str, ...]:
        """Observers, likewise."""
        return _first_seen(self.observer)

    @property
    def decided(self) -> Counts:
        """Number of trials of each row that were answered with a cue, shape (N,)."""
        return np.asarray(self.n - self.n_cannot_say)

    @property
    def has_both_orders(self) -> bool:
        """Whether cue 1 was offered first in some rows and second in others."""
        return bool(self.cue_1_first.any() and not self.cue_1_first.all())

    def shares(self) -> Floats:
        """Return the share of cue 2 among answers with a cue, over both orders.

        Returns
        -------
        ndarray, shape (B, n, K, L)
            By observer, item, cue pair and level of alpha (ascending); NaN where there are none.
        """
        cues = list(zip(self.cue_1.tolist(), self.cue_2.tolist(), strict=True))
        axes = [
            (self.observers, self.observer.tolist()),
            (self.items, self.item.tolist()),
            (self.pairs, cues),
        ]
        places = []
        for names, values in axes:
            order = {name: i for i, name in enumerate(names)}
            places.append(np.array([order[value] for value in values]))
        levels, level = np.unique(self.alpha, return_inverse=True)
        shape = (*(len(names) for names, _ in axes), len(levels))
        flat = np.ravel_multi_index((*places, level), shape)
        size = int(np.prod(shape))
        hits = np.bincount(flat, self.n_cue_2, size)
        total = np.bincount(flat, self.decided, size)
        with np.errstate(invalid="ignore"):
            return np.asarray(hits / total).reshape(shape)

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        """Return some of the rows."""
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    def grouped(self) -> Self:
        """Return a row per question, in the order in which questions first appear."""
        question = (self.item, self.cue_1, self.cue_2, self.alpha, self.observer, self.cue_1_first)
        code = np.zeros(len(self), dtype=np.int64)
        for column in question:
            values, inverse = np.unique(column, return_inverse=True)
            _, code = np.unique(code * len(values) + inverse, return_inverse=True)
        _, first = np.unique(code, return_index=True)
        if len(first) == len(self):
            return self
        order = np.argsort(first)
        sums = [
            np.bincount(code, weights=getattr(self, name))[order].astype(np.int64)
            for name in _COUNTS
        ]
        kept: list[NDArray[Any]] = [column[first[order]] for column in question]
        return type(self)(*kept, *sums)

    def about(self, items: Sequence[str], pairs: Sequence[tuple[str, str]]) -> Self | None:
        """Return the trials about some items and cue pairs, with the cues as these name them.

        Rows are in the order of `items` and, within an item, of `pairs`. None if there are none.
        """
        index = {frozenset(pair): k for k, pair in enumerate(pairs)}
        order = {item: i for i, item in enumerate(items)}
        cues = list(zip(self.cue_1.tolist(), self.cue_2.tolist(), strict=True))
        of_pair = np.array([index.get(frozenset(pair), -1) for pair in cues])
        of_item = np.array([order.get(item, -1) for item in self.item.tolist()])
        rows = np.lexsort((of_pair, of_item))
        rows = rows[(of_pair[rows] >= 0) & (of_item[rows] >= 0)]
        if not len(rows):
            return None
        other = {(two, one) for one, two in pairs}
        swapped = np.array([pair in other for pair in cues])[rows]
        part = self.take(rows)
        turned = part.with_cues_swapped()
        columns = [
            np.where(swapped, getattr(turned, field.name), getattr(part, field.name))
            for field in fields(self)
        ]
        return type(self)(*columns)

    def with_cues_swapped(self) -> Self:
        """Return the same trials with cue 2 called cue 1, and the reverse."""
        return type(self)(
            self.item, self.cue_2, self.cue_1, _other(self.alpha), self.observer, ~self.cue_1_first,
            self.n, self.decided - self.n_cue_2, self.n_cannot_say,
        )  # fmt: skip

    @classmethod
    def joined(cls, tables: Iterable[Trials]) -> Self:
        """Return the trials of several tables as one, with a row per question.

        Raises
        ------
        TrialsError
            If there is no table.
        """
        parts = list(tables)
        if not parts:
            raise TrialsError("There are no trials to join. Give at least one table.")
        columns = [
            np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)
        ]
        return cls(*columns).grouped()


def _other(alpha: NDArray[Any]) -> Floats:
    """Return the share of cue 1; of 0.3 it is 0.7, and not the float beside it."""
    return np.asarray(np.round(1 - alpha.astype(np.float64), 12))


def _first_seen(values: Texts) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values.tolist()))


def _turned_round(cue_1: Texts, cue_2: Texts) -> Flags:
    """Return which rows name their cues the other way round than the first row with these."""
    orientation: dict[frozenset[str], str] = {}
    cues: Sequence[tuple[str, str]] = list(zip(cue_1.tolist(), cue_2.tolist(), strict=True))
    firsts = [orientation.setdefault(frozenset(pair), pair[0]) for pair in cues]
    return np.array([first != pair[0] for first, pair in zip(firsts, cues, strict=True)])


def _check(columns: dict[str, NDArray[Any]]) -> None:
    n, cue_2, cannot_say = (columns[name] for name in _COUNTS)
    alpha = columns["alpha"]
    whole = [(count % 1 == 0) & (count >= 0) for count in (n, cue_2, cannot_say)]
    empty = np.any([columns[name] == "" for name in _TEXTS], axis=0)
    rules: list[tuple[NDArray[np.bool_], str]] = [
        (empty, "the item, a cue or the observer is empty: give a word for each"),
        (columns["cue_1"] == columns["cue_2"], "both cues are the same word: give two"),
        (~((alpha >= 0) & (alpha <= 1)), "alpha is no share of cue 2: give a number from 0 to 1"),
        (~np.all(whole, axis=0) | (n < 1), "a count is not a whole number, or n is 0"),
        (cue_2 + cannot_say > n, "n_cue_2 and n_cannot_say exceed n, the number of trials"),
    ]
    for wrong, problem in rules:
        if np.any(wrong):
            raise TrialsError(f"Row {int(np.argmax(wrong)) + 1} of the trials: {problem}.")


MOST_ROWS = 1_000_000
_QUESTION = ("item", "cue_1", "cue_2", "alpha")
_NUMBERS = ("alpha", "n", "n_cue_2", "n_cannot_say", "answer")
_ANSWER = "an answer column (a trial a row), or n and n_cue_2 (a question a row)"
_CANNOT_SAY = {"", "nan", "none", "<na>", "cannot say"}
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def frame_of(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Return a CSV file as a table of text.

    Raises `TrialsError` if it cannot be opened, is not UTF-8, or is no table.
    """
    import pandas as pd

    text, name = read_text(path, TrialsError), Path(path).name
    mark = header_delimiter(text)
    try:
        # Words such as "null" and "NA" are words here.
        frame = pd.read_csv(
            StringIO(text), sep=mark, dtype=str, keep_default_na=False, nrows=MOST_ROWS + 1
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise TrialsError(
            f"{name} cannot be read as CSV ({error}). Its columns are"
            f" {', '.join(_QUESTION)}, and {_ANSWER}."
        ) from error
    numbers = [column for column in _NUMBERS if column in frame]
    frame[numbers] = frame[numbers].map(with_points)
    return frame


def columns_of(frame: pd.DataFrame) -> dict[str, NDArray[Any]]:
    """Return the columns of `biaslab.probes.psychometrics.trials.Trials`.

    Raises `TrialsError`, which names the missing column, or the row and its problem.
    """
    columns = getattr(frame, "columns", None)
    if columns is None:
        raise TrialsError(
            f"Trials are {described(frame)}. Pass a DataFrame, or a CSV file to Trials.read_csv."
        )
    has = [str(name) for name in columns]
    counts = {"n", "n_cue_2"} <= set(has)
    missing = [name for name in _QUESTION if name not in has]
    if missing or not (counts or "answer" in has):
        missing += [] if counts or "answer" in has else [_ANSWER]
        raise TrialsError(
            f"The trials have no column {', '.join(missing)}. Their columns are:"
            f" {', '.join(has) or 'none'}."
        )
    if len(frame) > MOST_ROWS:
        raise TrialsError(
            f"The trials have more than {MOST_ROWS:,} rows. Count equal questions together: a row"
            " each, with n and n_cue_2."
        )
    text = {name: _texts(frame, name) for name in ("item", "cue_1", "cue_2")}
    size = len(frame)
    table: dict[str, NDArray[Any]] = {
        **text,
        "alpha": _numbers(frame, "alpha"),
        "observer": _texts(frame, "observer") if "observer" in has else np.full(size, "1"),
        "cue_1_first": _booleans(frame) if "cue_1_first" in has else np.ones(size, dtype=bool),
    }
    if counts:
        table |= {name: _numbers(frame, name) for name in ("n", "n_cue_2")}
        cannot_say = "n_cannot_say" in has
        table["n_cannot_say"] = _numbers(frame, "n_cannot_say") if cannot_say else np.zeros(size)
        return table
    answers = _answers(_texts(frame, "answer"), text["cue_1"], text["cue_2"])
    return table | {
        "n": np.ones(size),
        "n_cue_2": np.where(answers == 1, 1, 0),
        "n_cannot_say": np.where(np.isnan(answers), 1, 0),
    }


def _texts(frame: pd.DataFrame, column: str) -> NDArray[np.str_]:
    values = frame[column].tolist()
    return np.array([_text(value) for value in values], dtype=np.str_)


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()  # an observer's number beside a gap
    return str(int(value) if whole else value).strip()


def _numbers(frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    import pandas as pd

    numbers = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=np.float64)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        row = int(np.argmax(wrong))
        cell = frame[column].tolist()[row]
        raise TrialsError(
            f"Row {row + 1} of the trials: {column} is {cell!r}, not a number. Correct it, or"
            " leave the row out."
        )
    return numbers


def _booleans(frame: pd.DataFrame) -> NDArray[np.bool_]:
    words = [word.casefold() for word in _texts(frame, "cue_1_first").tolist()]
    for row, word in enumerate(words, 1):
        if word not in _BOOLEANS:
            raise TrialsError(
                f"Row {row} of the trials: cue_1_first is {word!r}. Write true or false."
            )
    return np.array([_BOOLEANS[word] for word in words])


def _answers(
    words: NDArray[np.str_], cue_1: NDArray[np.str_], cue_2: NDArray[np.str_]
) -> NDArray[np.float64]:
    """Return 0, 1 or NaN for each word."""
    answers = np.empty(len(words))
    for row, (word, one, two) in enumerate(
        zip(words.tolist(), cue_1.tolist(), cue_2.tolist(), strict=True)
    ):
        folded = word.casefold()
        if folded in _CANNOT_SAY and folded not in (one.casefold(), two.casefold()):
            answers[row] = np.nan
        elif folded in ("0", "0.0", "false", one.casefold()):
            answers[row] = 0
        elif folded in ("1", "1.0", "true", two.casefold()):
            answers[row] = 1
        else:
            raise TrialsError(
                f"Row {row + 1} of the trials: the answer is {word!r}. Write 0 or {one!r}, 1 or"
                f" {two!r}, or leave it empty for 'cannot say'."
            )
    return answers


def recorded_trials(record: RecordedAnswers) -> Trials:
    """Return the trials that recorded answers are: an item, a level from 0 to 1, and an answer.

    Cues are those of the columns ``cue_1`` and ``cue_2``, or else the answers that count as a no
    and a yes. What belongs together (`cluster`) is the observer. Rows that were refused or cannot
    be read count as "cannot say".

    Raises
    ------
    AnswersError
        If a column is missing, or the level is no share.
    TrialsError
        As of `Trials.from_frame`.
    """
    import pandas as pd

    record.require("item", "level", "answer")
    has_cues = {"cue_1", "cue_2"} <= set(record.values)
    if not has_cues and record.kind != "yes or no":
        raise AnswersError(
            f"{record.name} has no columns cue_1 and cue_2, the two possible answers, and its"
            " answers are no yes or no. Add both columns."
        )
    levels = record.column("level", used=False)
    if any(level is None or not 0 <= level <= 1 for level in levels):
        raise AnswersError(
            f"{record.roles['level']} is no share from 0 to 1 in every row of {record.name}, as"
            " bl.two_afc needs. For a quality in another unit, with groups, use bl.decisions."
        )
    rows = [row for row, outcome in enumerate(record.outcomes) if outcome not in _NO_TRIALS]
    table = {
        "item": record.column("item", used=False), "alpha": levels,
        "answer": record.column("answer", used=False) if has_cues else record.readings,
        "cue_1": [record.options[0]] * len(record) if not has_cues else record.values["cue_1"],
        "cue_2": [record.options[1]] * len(record) if not has_cues else record.values["cue_2"],
    }  # fmt: skip
    if "cluster" in record.roles:
        table["observer"] = record.column("cluster", used=False)
    if "cue_1_first" in record.values:
        table["cue_1_first"] = record.values["cue_1_first"]
    return Trials.from_frame(pd.DataFrame(table).iloc[rows])


_NO_TRIALS = ("left out", "copy")
