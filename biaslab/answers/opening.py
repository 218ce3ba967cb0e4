"""``bl.replay``: open a file of recorded answers, and find out which column means what."""

from __future__ import annotations

import ast
import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal

from biaslab.answers.layouts import (
    benchmark_name,
    harness_rows,
    inspect_rows,
    is_harness,
    is_inspect,
    with_parts_of_ids,
)
from biaslab.answers.reading import (
    Read,
    kind_of,
    options_of,
    read_flag,
    read_number,
    read_ranking,
    yes_or_no_reader,
)
from biaslab.answers.recorded import Column, Kind, RecordedAnswers, shown_count
from biaslab.answers.simulated import EXAMPLES
from biaslab.arguments import check_choice, instance
from biaslab.errors import AnswersError, MissingExtraError
from biaslab.files.given import LARGEST, read_given
from biaslab.files.tables import Row, read_rows, with_points
from biaslab.jobs.context import current_context
from biaslab.jobs.showing import shows_progress
from biaslab.records.calls import recorded
from biaslab.records.wording import counted, listed
from biaslab.threads.collecting import collection_paused

FORMATS: Final = ("CSV", "JSON", "JSON Lines", "Parquet", "Inspect log", "Harness samples")
Reading = Literal["first place", "first name"]
MOST_ROWS: Final = 1_000_000
_LOGS: Final = ("Inspect log", "Harness samples")
_BEYOND: Final = "beyond the columns"
_MOST_FOLDERS: Final = 20
_EVERY: Final = 5_000
_SAMPLE: Final = 2_000
"""Rows by whose content a column is recognised."""
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "answer": (
        "answer", "iat", "reply", "response", "output", "completion", "generation", "decision",
        "choice", "prediction",
    ),
    "order": ("order", "options", "candidates", "choices"),
    "group": (
        "group", "groups", "demographic", "demo", "race", "gender", "sex", "ethnicity", "origin",
        "religion", "nationality",
    ),
    "level": ("level", "alpha", "years", "dose"),
    "score": (
        "score", "rating", "log-likelihood", "loglikelihood", "logprob", "probability",
        "score_stereotyped", "score_more",
    ),
    "cluster": ("cluster", "cue", "name", "template", "wording", "variation"),
    "item": (
        "item", "question", "stimulus", "word", "prompt", "input", "question_id", "template",
        "wording",
    ),
    "model": ("model", "llm", "subject", "engine"),
    "case": ("case", "job", "task", "scenario", "vignette", "occupation", "domain", "category"),
}  # fmt: skip
"""Names of columns by role, the surest first; read before those of the roles below it."""
_MEANINGS: Final[Mapping[str, str]] = {
    "answer": "the answer", "order": "candidates, as listed", "group": "group",
    "level": "level of the quality", "score": "score", "item": "item", "cluster": "cluster",
    "model": "subject", "case": "case",
}  # fmt: skip


@recorded
@shows_progress
@collection_paused()
def replay(
    file: str | os.PathLike[str],
    *,
    group: str | Sequence[str] | None = None,
    answer: str | None = None,
    item: str | None = None,
    level: str | None = None,
    order: str | None = None,
    cluster: str | None = None,
    score: str | None = None,
    model: str | None = None,
    case: str | None = None,
    keep: Sequence[str] = (),
    format: str | None = None,  # noqa: A002  # as pandas and others call it
    yes: str | None = None,
    reading: Reading = "first place",
    leave_out: bool = True,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> RecordedAnswers:
    """Open answers that somebody recorded, as a subject: nothing is asked.

    Columns are recognised by name and content; a choice among several is told in the notes.

    Parameters
    ----------
    file : str or path
        CSV, JSON, JSON lines or Parquet with a row for each answer; a log of Inspect (``.eval`` or
        ``.json``); or ``samples_*.jsonl`` of lm-evaluation-harness. Up to 268 MB, also unpacked.
        ``simulated-rankings`` and ``simulated-invitations`` are made up on the spot.
    group, answer, item, level, order, cluster, score, model, case : str, optional
        Name of the column: the group of a candidate, the reply, what was judged, the level of a
        quality, the candidates as listed, what belongs together, a number that was given, who
        answered, and the task. Several columns as `group` are crossed.
    keep : sequence of str
        Columns that are only kept with each answer, although their names have a meaning.
    format : str, optional
        One of `FORMATS`, where the file does not show it.
    yes : str, optional
        The answer that counts as a yes, where there are two others than yes and no.
    reading : {"first place", "first name"}
        Of rankings: the candidate at the first place; or the first candidate whose name occurs,
        which may be the second where the first one is misspelt.
    leave_out : bool
        Whether copies of rows are set aside, and a folder without which every group is listed
        first equally often.

    Returns
    -------
    RecordedAnswers

    Raises
    ------
    AnswersError
        If the file cannot be read, has no rows, or no column that holds answers.
    """
    remedy = "Pass the path of a file; write a DataFrame to one with to_csv."
    path = Path(instance(file, (str, os.PathLike), "file", remedy)).expanduser()
    check_choice(reading, ("first place", "first name"), "reading")
    if format is not None:
        check_choice(format, FORMATS, "format")
    named = {
        "answer": answer, "order": order, "group": group, "level": level, "score": score,
        "item": item, "cluster": cluster, "model": model, "case": case,
    }  # fmt: skip
    if str(file) in EXAMPLES and not path.exists():
        rows, layout = EXAMPLES[str(file)](), "JSON Lines"
        content = "\n".join(map(json.dumps, rows)).encode()
    else:
        try:
            content = read_given(path)
        except OSError as error:
            raise AnswersError(f"{path.name} cannot be read: {error.strerror or error}.") from error
        rows, layout = _rows(path, content, format)
    if layout in _LOGS:
        named["answer"] = answer or "reply"
    try:
        table = _Table(path.name, rows, named, keep)
        kind, reads = table.read(yes, reading)
        if leave_out:
            table.leave_out_folder(reads)
            table.leave_out_copies(reads)
        return table.recorded(layout, kind, content, reads)
    except AnswersError as error:
        names = dict.fromkeys(name for row in rows[:_SAMPLE] for name in row if name != _BEYOND)
        error.columns = tuple(Column(name, "", 0, "") for name in names)
        raise


def _rows(path: Path, content: bytes, layout: str | None) -> tuple[list[Row], str]:
    """Return the rows of a file, and its format."""
    name = path.name
    if not content or content.isspace():
        raise AnswersError(f"{name} is empty. Give a file with a row for each answer.")
    if layout == "Inspect log" or (layout is None and is_inspect(content, path)):
        rows, layout = inspect_rows(content, name), "Inspect log"
    else:
        try:
            document = read_rows(path, AnswersError, rest=_BEYOND, content=content)
        except (AnswersError, MissingExtraError) as error:
            # It may be shown to whoever uploaded the file.
            raise type(error)(str(error).replace(str(path), name)) from error.__cause__
        if isinstance(document, Mapping):
            raise AnswersError(
                f"{name} holds one JSON object and no rows. Give a list with an object for each"
                " answer."
            )
        rows = document
        if rows and (layout == "Harness samples" or is_harness(rows[0])):
            rows, layout = harness_rows(rows), "Harness samples"
    if not rows:
        raise AnswersError(f"{name} has no answers: it has no row below its column names.")
    if len(rows) > MOST_ROWS:
        raise AnswersError(f"{name} has more than {MOST_ROWS:,} rows. Split it.")
    return with_parts_of_ids(rows), layout or _format_of(path)


def _format_of(path: Path) -> str:
    ending = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    endings = {".jsonl": "JSON Lines", ".ndjson": "JSON Lines", ".json": "JSON"}
    return endings.get(ending, "Parquet" if ending == ".parquet" else "CSV")


class _Table:
    """Columns of a file while their meaning is found out."""

    def __init__(
        self,
        name: str,
        rows: Sequence[Row],
        named: Mapping[str, str | Sequence[str] | None],
        keep: Collection[str] = (),
    ) -> None:
        self.name, self.notes, self.keep = name, list[str](), frozenset(keep)
        self.values: dict[str, list[Any]] = {
            column: _plain_cells([row.get(column) for row in rows]) for column in _filled(rows)
        }
        self.size = len(rows)
        if beyond := sum(_BEYOND in row for row in rows):
            has = "has" if beyond == 1 else "have"
            self.notes.append(
                f"{counted(beyond, 'row')} {has} more cells than there are column names, so a"
                " name may stand above the wrong column. Look at the columns before you use them."
            )
        self.roles: dict[str, str] = {}
        self.folder = ""
        self.options: tuple[str, ...] = ()
        for role, column in named.items():
            if column is not None:
                self.roles[role] = self._named(role, column)
        for role in _NAMES:
            if role not in self.roles:
                self._recognise(role)
        self._prepare()

    def _named(self, role: str, column: str | Sequence[str]) -> str:
        names = [column] if isinstance(column, str) else list(column)
        if unknown := [name for name in names if name not in self.values]:
            raise AnswersError(
                f"{self.name} has no column {listed(unknown)}, which {role}= names. Its columns"
                f" are {', '.join(self.values)}."
            )
        if len(names) == 1:
            if role in ("level", "score") and not self._fits(role, names[0]):
                raise AnswersError(
                    f"{names[0]}, which {role}= names, does not hold a number in every row of"
                    f" {self.name}."
                )
            return names[0]
        crossed = " × ".join(names)
        parts = [self.values[name] for name in names]
        self.values[crossed] = [
            None if None in row else ", ".join(map(str, row)) for row in zip(*parts, strict=True)
        ]
        return crossed

    def _recognise(self, role: str) -> None:
        """Take the column of the surest name for a role; say so if there are several."""
        taken = {*self.roles.values(), *self.keep}
        folded = {column: column.strip().casefold() for column in self.values}
        matching = [
            column
            for wanted in _NAMES[role]
            for column in self.values
            if folded[column] == wanted and column not in taken and self._fits(role, column)
        ]
        if not matching:
            return
        # Of several, one that is the same in every row says nothing.
        matching.sort(key=lambda column: len(set(self.values[column][:_SAMPLE])) == 1)
        self.roles[role] = matching[0]
        if len(matching) > 1:
            self.notes.append(
                f"{listed(matching)} can each be the {_MEANINGS[role]}".replace("the the", "the")
                + f": {matching[0]} is taken. Name another with {role}=."
            )

    def _fits(self, role: str, column: str) -> bool:
        """Return whether the content of a column fits a role."""
        sample = [one for one in self.values[column][:_SAMPLE] if one not in (None, "")]
        if role == "order":
            lists = [_entries(one) for one in sample]
            if not lists or not all(isinstance(one, tuple) and len(one) > 1 for one in lists):
                return False
            # The same two everywhere are a yes and a no.
            return len({entry for one in lists for entry in one}) > 2
        if role in ("level", "score"):
            return bool(sample) and all(_number(one) is not None for one in sample)
        return bool(sample)

    def _prepare(self) -> None:
        """Make lists of listed candidates and their groups, and numbers of levels and scores."""
        for role in ("order", "group"):
            if column := self.roles.get(role):
                cells = self.values[column]
                if role == "order" or "order" in self.roles:
                    if str in set(map(type, cells)):
                        self.values[column] = _plain_cells(list(map(_entries, cells)))
                else:
                    self.values[column] = [None if one in (None, "") else str(one) for one in cells]
        for role in ("level", "score"):
            if column := self.roles.get(role):
                self.values[column] = [_number(cell) for cell in self.values[column]]
        if "level" in self.roles and len(set(self.values[self.roles["level"]])) < 2:
            column = self.roles["level"]
            self.notes.append(
                f"{column} is {self.values[column][0]:g} in every row: no curve over the level can"
                " be fitted."
            )
        if "answer" not in self.roles and "score" in self.roles:
            self.roles["answer"] = self.roles["score"]
        if "answer" not in self.roles:
            raise AnswersError(
                f"No column of {self.name} can be recognised as the answers. Name it with answer=."
                f" Its columns are {', '.join(self.values)}."
            )

    def read(self, yes: str | None, reading: Reading) -> tuple[Kind, list[Read]]:
        """Return what kind of answers these are, and what each was read as."""
        answers = self.values[self.roles["answer"]]
        # A benchmark reads its answers itself, by the options of each item.
        is_benchmark = benchmark_name(self.values) is not None
        orders = None if is_benchmark else self.values.get(self.roles.get("order", ""))
        groups = None if is_benchmark else self.values.get(self.roles.get("group", ""))
        kind: Kind = "ranking" if orders else "text" if is_benchmark else kind_of(answers[:_SAMPLE])
        read: Any = _as_text
        if kind in ("number", "yes or no"):
            read = read_number if kind == "number" else read_flag
            self.options = ("0", "1") if kind == "yes or no" else ()
        elif is_benchmark:
            pass
        elif kind == "text" and (options := options_of(answers[:_SAMPLE], yes)):
            reader = yes_or_no_reader(options)
            sample = [reader(one).outcome for one in answers[:200] if one not in (None, "")]
            if 2 * sample.count("unreadable") < len(sample):
                kind, read, self.options = "yes or no", reader, (options.no, options.yes)
            if kind == "yes or no" and options.is_guess:
                self.notes.append(
                    f"The answers are {options.yes!r} and {options.no!r}: {options.yes!r} counts as"
                    " a yes. Say otherwise with yes=."
                )
        elif kind == "text" and yes is not None:
            raise AnswersError(f"yes is {yes!r}, which is neither of the two usual answers.")
        context, reads = current_context(), []
        for row, value in enumerate(answers):
            if row % _EVERY == 0:
                context.checkpoint()
                context.report(row, self.size, "reading answers")
            group = groups[row] if groups else ""
            if value in (None, "") or (isinstance(value, str) and not value.strip()):
                reads.append(Read(None, "empty", "There is no answer."))
            elif groups and group in (None, ""):
                reads.append(Read(None, "empty", "The row names no group."))
            elif orders:
                reads.append(self._ranking(value, orders[row], group, reading))
            else:
                reads.append(read(value))
        context.report(self.size, self.size, "reading answers")
        return kind, reads

    def _ranking(self, value: Any, order: Any, group: Any, reading: Reading) -> Read:
        if not isinstance(order, tuple) or len(order) < 2:
            return Read(None, "unreadable", "The row lists fewer than two candidates.")
        if isinstance(group, tuple) and len(group) != len(order):
            reason = f"It lists {len(order)} candidates and {len(group)} groups."
            return Read(None, "unreadable", reason)
        return read_ranking(str(value), order, by_place=reading == "first place")

    def leave_out_folder(self, reads: list[Read]) -> None:
        """Set a folder of files aside without which each group is listed first equally often.

        The design alone decides, and no answer.
        """
        groups = self.values.get(self.roles.get("group", ""), [])
        if not groups or not isinstance(groups[0], tuple):
            return
        parts = [self.values[self.roles[one]] for one in ("model", "case") if one in self.roles]
        cells = [tuple(part[row] for part in parts) for row in range(self.size)]

        def per_group(rows: Sequence[int]) -> set[int]:
            firsts = Counter((cells[row], groups[row][0]) for row in rows if groups[row])
            return set(firsts.values())

        if len(per_group(range(self.size))) < 2:
            return
        for column, paths in self.values.items():
            if column in self.roles.values() or not {str}.issuperset(map(type, paths)):
                continue
            folders = [one.rpartition("/")[0] for one in paths]
            different = sorted(set(folders) - {""})
            for folder in different if len(different) <= _MOST_FOLDERS else ():
                kept = [row for row, one in enumerate(folders) if one != folder]
                if not kept or len(times := per_group(kept)) > 1:
                    continue
                self.folder = column
                each = counted(times.pop(), "time")
                reason = f"Without the folder “{folder}”, each group is listed first {each}."
                for row in set(range(self.size)) - set(kept):
                    reads[row] = Read(None, "left out", reason)
                return

    def leave_out_copies(self, reads: list[Read]) -> None:
        """Set rows aside that equal an earlier one, unless questions were put repeatedly."""
        if any(len(set(column)) == self.size for column in self.values.values()):
            return
        names = [name for name in self.values if name != self.roles["answer"]]
        columns = [self.values[name] for name in names]
        questions = [tuple(column[row] for column in columns) for row in range(self.size)]
        pairs = list(zip(questions, self.values[self.roles["answer"]], strict=True))
        different, seen = len(set(pairs)), set()
        if different == self.size:
            return
        # Where most questions were put once, an equal row is the same answer written again.
        is_copied = len(set(questions)) == different and 2 * different >= self.size
        if not is_copied:
            self.notes.append(
                f"{counted(self.size - different, 'row')} equal an earlier one in every column."
                " They are used, since the same question may have been answered alike again; if"
                " they are copies, remove them from the file."
            )
            return
        for row, pair in enumerate(pairs):
            if pair in seen and reads[row].outcome != "left out":
                reads[row] = Read(None, "copy", "It equals an earlier row in every column.")
            seen.add(pair)

    def recorded(
        self, layout: str, kind: Kind, content: bytes, reads: Sequence[Read]
    ) -> RecordedAnswers:
        """Return the answers as a subject."""
        values = {name: tuple(column) for name, column in self.values.items()}
        of_column = {column: role for role, column in self.roles.items()}
        columns = {
            name: self._column(name, of_column.get(name, ""), kind, column)
            for name, column in values.items()
        }
        record = RecordedAnswers(
            name=self.name, format=layout, kind=kind, size=len(content),
            content_hash=hashlib.sha256(content).hexdigest(), roles=self.roles, columns=columns,
            values=values, numbers=tuple(range(1, self.size + 1)),
            outcomes=tuple(read.outcome for read in reads),
            readings=tuple(read.value for read in reads),
            reasons=tuple(read.reason for read in reads), options=self.options,
            notes=tuple(self.notes),
        )  # fmt: skip
        if not record.n_used:
            reasons = listed([f"{one.count:,} {one.reason}" for one in record.set_aside])
            first = next(iter(record.set_aside)).examples[0]
            raise AnswersError(
                f"No answer of {self.name} can be used: {reasons}. The first is"
                f" {first.text[:80]!r}: {first.reason} Name another column with answer=."
            )
        return record

    def _column(self, name: str, role: str, kind: Kind, values: tuple[Any, ...]) -> Column:
        n_values, shown = shown_count(values)
        meaning = _MEANINGS.get(role, "kept with each answer")
        if role == "answer":
            ways = {
                "ranking": "first place read", "yes or no": "yes or no", "number": "a number",
                "word pairs": "word pairs", "text": "as text",
            }  # fmt: skip
            meaning = f"the answer, {ways[kind]}"
            shown = "text" if n_values > _MANY else shown
        elif role == "order":
            shown = f"{len(values[0] or ())} names"
        elif role == "group" and isinstance(values[0], tuple):
            meaning = "group of each candidate"
        elif name == self.folder:
            meaning = "run; splits off a folder"
        elif not role and n_values == 1:
            meaning = f"all “{values[0]}”"
        return Column(name, role, n_values, f"{shown} – {meaning}")


_MANY: Final = 20
_PLAIN: Final = frozenset({str, int, bool, type(None)})


def _as_text(value: Any) -> Read:
    return Read(value if isinstance(value, str) else str(value))


def _filled(rows: Sequence[Row]) -> list[str]:
    """Return the columns with a cell that is not None, in the order of these cells."""
    n_keys = len(set(chain.from_iterable(rows)))
    columns: dict[str, None] = {}
    for row in rows:
        columns.update(dict.fromkeys(key for key, cell in row.items() if cell is not None))
        if len(columns) == n_keys:
            break
    return list(columns)


def _plain_cells(cells: list[Any]) -> list[Any]:
    """Return the cells of a column, see `_plain`; equal texts, also in lists, are one object."""
    texts: dict[Any, Any] = {}
    types = set(map(type, cells))
    if types <= {str, type(None)}:
        return list(map(texts.setdefault, cells, cells))
    if types in ({list}, {tuple}) and set(map(type, chain.from_iterable(cells))) <= {str}:
        return [tuple(map(texts.setdefault, cell, cell)) for cell in cells]
    return cells if types <= _PLAIN else list(map(_plain, cells))


def _plain(value: Any) -> Any:
    """Return a cell as text, number, None or a tuple of these."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if value != value else value
    if isinstance(value, list | tuple):
        if set(map(type, value)) <= {str, int}:
            return tuple(value)
        return tuple(_plain(one) for one in value)
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    if hasattr(value, "tolist"):  # an array or a scalar of numpy, as Parquet holds them
        return _plain(value.tolist())
    return str(value)


def _number(value: Any) -> float | None:
    try:
        number = float(with_points(value) if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


_LIST: Final = re.compile(r"[|;]")


def _entries(value: Any) -> Any:
    """Return a cell as a list, which a table may hold as text; others as they are."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.startswith("[") and len(text) < LARGEST >> 12:
        for parse in (json.loads, ast.literal_eval):
            try:
                parsed = parse(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            return tuple(map(str, parsed)) if isinstance(parsed, list) else value
    parts = [part.strip() for part in _LIST.split(text)]
    return tuple(parts) if len(parts) > 1 else value
