"""Rows of runs in the tables of a store, of its present version or of version 1."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biaslab.store.tables import tables

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
