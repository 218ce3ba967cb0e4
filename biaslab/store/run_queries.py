"""Queries about runs, on stores of the present version and of version 1."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING, Any

from biaslab.store.database import tables
from biaslab.store.parts import batches
from biaslab.store.run_fields import COLUMNS, StoredRun, folded, thumbnail_of_document

if TYPE_CHECKING:
    import sqlalchemy as sa


@dataclass(frozen=True)
class RunRows:
    """Tables, or queries with the same columns."""

    runs: sa.FromClause
    contents: sa.FromClause
    tags: sa.FromClause


def run_rows(connection: sa.Connection) -> RunRows:
    """Return where the runs of this store are read."""
    import sqlalchemy as sa

    now = tables()
    if sa.inspect(connection).has_table(now.contents.name):
        return RunRows(now.runs, now.contents, now.tags)
    return _version_1()


@functools.cache
def _version_1() -> RunRows:
    """Return the runs of version 1 with the columns of today.

    A store is not upgraded by being read: it may be read-only.
    """
    import sqlalchemy as sa

    old = sa.table(
        "biaslab_runs",
        *(sa.column(name, sa.Text) for name in ("id", "label", "probe", "subject", "time")),
        *(sa.column(name, sa.Text) for name in ("headline", "document")),
    )
    empty = sa.literal("", sa.Text)
    runs = sa.select(
        old.c.id,
        old.c.label,
        empty.label("bench"),
        old.c.probe,
        old.c.subject,
        old.c.time,
        sa.cast(sa.null(), sa.Float).label("seconds"),
        old.c.headline,
        sa.func.length(old.c.document).label("bytes"),
        sa.cast(sa.null(), sa.Text).label("deleted"),
    )
    contents = sa.select(
        old.c.id,
        empty.label("words"),
        sa.literal("{}", sa.Text).label("inputs"),
        sa.cast(sa.null(), sa.Text).label("picture"),
        old.c.document,
    )
    tags = sa.select(empty.label("run"), empty.label("tag")).where(sa.false())
    return RunRows(runs.subquery(), contents.subquery(), tags.subquery())


_TAGS = COLUMNS.index("tags")
_NUMBERS = ("seconds", "bytes")
_LARGEST = 2**62
_SEARCHED = [COLUMNS.index(name) for name in ("headline", "label", "subject", "probe", "bench")]


def counted_runs(connection: sa.Connection) -> int:
    """Return the number of runs that are not in the trash."""
    import sqlalchemy as sa

    runs = run_rows(connection).runs
    query = sa.select(sa.func.count()).select_from(runs).where(runs.c.deleted.is_(None))
    return int(connection.execute(query).scalar_one())


def listed_runs(
    connection: sa.Connection, words: Sequence[str], only: Mapping[str, str], *, deleted: bool
) -> list[tuple[Any, ...]]:
    """Return rows of `COLUMNS`, newest first.

    - `connection`: of a store.
    - `words`: words that each occur in a run, in any case.
    - `only`: required values of ``probe``, ``subject``, ``bench``, and of one ``tag``.
    - `deleted`: whether the trash is listed.
    """
    import sqlalchemy as sa

    rows = run_rows(connection)
    sought = [folded(word) for word in words]
    columns = [rows.runs.c.id if name == "tags" else rows.runs.c[name] for name in COLUMNS]
    # SQL finds words in the long texts, so that these are not fetched. The short texts can change,
    # and are compared here, where the cases of every alphabet are known.
    has_word = [rows.contents.c.words.contains(word, autoescape=True) for word in sought]
    query = sa.select(*(column.label(name) for column, name in zip(columns, COLUMNS, strict=True)))
    query = query.add_columns(*has_word).order_by(rows.runs.c.id.desc())
    if sought:
        query = query.join(rows.contents, rows.contents.c.id == rows.runs.c.id)
    trash = rows.runs.c.deleted
    query = query.where(trash.is_not(None) if deleted else trash.is_(None))
    for name, value in only.items():
        if name == "tag":
            tagged = sa.select(rows.tags.c.run).where(rows.tags.c.tag == value)
            query = query.where(rows.runs.c.id.in_(tagged))
        else:
            query = query.where(rows.runs.c[name] == value)
    tags = _all_tags(connection, rows)
    listed = []
    for row in connection.execute(query).all():
        of_run = (*row[:_TAGS], tags.get(row[_TAGS], ()), *row[_TAGS + 1 : len(COLUMNS)])
        shown = tuple(starmap(_as_column, zip(COLUMNS, of_run, strict=True)))
        missing = [
            word for word, is_in in zip(sought, row[len(COLUMNS) :], strict=True) if not is_in
        ]
        if not missing or _has_all(shown, missing):
            listed.append(shown)
    return listed


def _has_all(shown: tuple[Any, ...], words: Sequence[str]) -> bool:
    """Return whether each word occurs in the short texts of a run."""
    text = folded("\n".join([*(shown[place] for place in _SEARCHED), *shown[_TAGS]]))
    return all(word in text for word in words)


def stored_run(connection: sa.Connection, run_id: str) -> StoredRun | None:
    """Return what is stored of a run beside its result; None if there is no such run."""
    import sqlalchemy as sa

    rows = run_rows(connection)
    runs, contents = rows.runs, rows.contents
    query = (
        sa.select(runs, contents.c.inputs, contents.c.picture)
        .join(contents, contents.c.id == runs.c.id)
        .where(runs.c.id == run_id)
    )
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    picture = row["picture"]
    if picture is None:  # saved before runs had pictures
        document = sa.select(contents.c.document).where(contents.c.id == run_id)
        picture = thumbnail_of_document(connection.execute(document).scalar_one())
    return StoredRun(
        **{name: _as_column(name, row[name]) for name in COLUMNS if name != "tags"},
        tags=tags_of(connection, [run_id])[run_id],
        inputs=_inputs(row["inputs"]),
        picture=str(picture),
        is_deleted=row["deleted"] is not None,
    )


def _as_column(name: str, value: Any) -> Any:
    """Return a value as its column has it: SQLite holds anything, of whoever has written it."""
    if name == "tags":
        return value
    if name not in _NUMBERS:
        return "" if value is None else str(value)
    is_number = isinstance(value, int | float)
    if name == "seconds":
        return float(value) if is_number else math.nan
    return int(value) if is_number and abs(value) < _LARGEST else 0


def _inputs(text: Any) -> dict[str, Any]:
    """Return what a bench was set to; nothing where it cannot be read."""
    try:
        inputs = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return inputs if isinstance(inputs, dict) else {}


def stored_document(connection: sa.Connection, run_id: str) -> tuple[str, bool] | None:
    """Return the result of a run as JSON, and whether the run is in the trash."""
    import sqlalchemy as sa

    rows = run_rows(connection)
    runs, contents = rows.runs, rows.contents
    query = sa.select(contents.c.document, runs.c.deleted.is_not(None))
    query = query.join(runs, contents.c.id == runs.c.id).where(runs.c.id == run_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else (str(row[0]), bool(row[1]))


def tags_of(connection: sa.Connection, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the tags of these runs, sorted."""
    import sqlalchemy as sa

    table = run_rows(connection).tags
    by_run: dict[str, list[str]] = {run_id: [] for run_id in ids}
    for some in batches(by_run):
        query = sa.select(table.c.run, table.c.tag).where(table.c.run.in_(some))
        for run_id, tag in connection.execute(query):
            by_run[run_id].append(tag)
    return {run_id: tuple(sorted(tags)) for run_id, tags in by_run.items()}


def trash_states(connection: sa.Connection, ids: Iterable[str]) -> dict[str, bool]:
    """Return which of these runs exist, and whether they are in the trash."""
    import sqlalchemy as sa

    runs = run_rows(connection).runs
    states: dict[str, bool] = {}
    for some in batches(ids):
        query = sa.select(runs.c.id, runs.c.deleted).where(runs.c.id.in_(some))
        states |= {run_id: deleted is not None for run_id, deleted in connection.execute(query)}
    return states


def _all_tags(connection: sa.Connection, rows: RunRows) -> dict[str, tuple[str, ...]]:
    import sqlalchemy as sa

    by_run: dict[str, list[str]] = {}
    for run_id, tag in connection.execute(sa.select(rows.tags.c.run, rows.tags.c.tag)):
        by_run.setdefault(run_id, []).append(tag)
    return {run_id: tuple(sorted(tags)) for run_id, tags in by_run.items()}
