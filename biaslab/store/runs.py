"""Runs of a store: saved, listed, tagged, put into the trash and back."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from biaslab.arguments import strings
from biaslab.errors import RunNotFoundError, StoreError, WriteError
from biaslab.people.activity import note
from biaslab.people.disk import ask_for_disk, measure_again
from biaslab.records.kinds import bench_of, brief_of
from biaslab.records.result import Result
from biaslab.store.database import tables
from biaslab.store.exporting import writer_of
from biaslab.store.parts import Part, batches
from biaslab.store.run_fields import (
    COLUMNS,
    StoredRun,
    checked_tags,
    json_text,
    new_run_id,
    one_text,
    run_words,
    storable,
    thumbnail_of,
)
from biaslab.store.run_queries import (
    counted_runs,
    listed_runs,
    stored_document,
    stored_run,
    tags_of,
    trash_states,
)

if TYPE_CHECKING:
    import pandas as pd
    import sqlalchemy as sa

_LONGEST_HEADLINE = 300


class Runs(Part):
    """Methods of a store for runs."""

    def save(
        self,
        result: Result,
        label: str = "",
        *,
        bench: str = "",
        inputs: Mapping[str, Any] | None = None,
        tags: Iterable[str] = (),
    ) -> str:
        """Store a run; return its id, which is short and sorts by time.

        Parameters
        ----------
        result : Result
            The run.
        label : str
            The person's own note.
        bench : str
            Bench in which it was made, such as ``"occupations"``; by default the one that asks the
            question of such a result.
        inputs : mapping, optional
            What the bench was set to, as values that JSON can hold.
        tags : iterable of str
            Tags, by which `runs` finds it.

        Raises
        ------
        ArgumentError
            If JSON cannot hold the inputs, or a tag is empty, longer than 100 characters or
            contains a comma or a line break.
        """
        document = result.to_dict()
        text = json.dumps(document, allow_nan=False)
        self._ask_for_disk(len(text))
        seconds = result.provenance.seconds
        run = {
            "label": one_text(label, "label"),
            "bench": one_text(bench, "bench") or bench_of(type(result)),
            "probe": result.provenance.probe,
            "subject": storable(result.provenance.subject),
            "time": result.provenance.time,
            "seconds": seconds if math.isfinite(seconds) else None,
            "headline": storable(brief_of(result)[:_LONGEST_HEADLINE]),
            "bytes": len(text),
        }
        contents = {
            "words": storable(run_words(document)),
            "inputs": json_text(inputs or {}),
            "picture": thumbnail_of(result),
            "document": text,
        }
        run_id = self._insert_run(run, contents, checked_tags(tags))
        note("saved", what="run", id=run_id)
        return run_id

    def _ask_for_disk(self, size: int) -> None:
        """Ask for room on a server; where it is full, the trash gives way."""
        try:
            ask_for_disk(size)
        except WriteError:
            if not self.empty_trash():
                raise
            measure_again()
            ask_for_disk(size)

    def count(self) -> int:
        """Return the number of runs, without those in the trash."""
        with self._database.reading() as connection:
            return 0 if connection is None else counted_runs(connection)

    def runs(
        self,
        search: str = "",
        *,
        probe: str | None = None,
        subject: str | None = None,
        bench: str | None = None,
        tag: str | None = None,
        deleted: bool = False,
    ) -> pd.DataFrame:
        """Return the stored runs, newest first.

        Parameters
        ----------
        search : str
            Words that each occur in a run's headline, label, tags, subject, probe or bench, or in
            the words that it is about; upper and lower case are the same.
        probe, subject, bench, tag : str, optional
            Only runs with exactly this probe, subject, bench or tag.
        deleted : bool
            List the trash instead.

        Returns
        -------
        DataFrame
            Columns ``id``, ``label``, ``tags`` (a tuple), ``bench``, ``probe``, ``subject``,
            ``time`` (when the probe began; UTC), ``seconds`` (its duration; NaN if not measured),
            ``headline`` and ``bytes`` (of the stored result).
        """
        import pandas as pd

        given = {"probe": probe, "subject": subject, "bench": bench, "tag": tag}
        only = {name: one_text(value, name) for name, value in given.items() if value is not None}
        words = one_text(search, "search").split()
        listed: list[tuple[Any, ...]] = []
        with self._database.reading() as connection:
            if connection is not None:
                listed = listed_runs(connection, words, only, deleted=bool(deleted))
        values = zip(*listed, strict=True) if listed else ((),) * len(COLUMNS)
        columns: dict[str, Any] = dict(zip(COLUMNS, values, strict=True))
        times = pd.to_datetime(columns["time"], utc=True, format="ISO8601", errors="coerce")
        columns["time"] = times.as_unit("us")
        columns["seconds"] = np.array(columns["seconds"], dtype=float)
        columns["bytes"] = np.array(columns["bytes"], dtype=int)
        return pd.DataFrame(columns)

    def run(self, run_id: str) -> StoredRun:
        """Return what is stored of a run beside its result; also of one in the trash.

        Raises
        ------
        RunNotFoundError
            If there is no such run.
        """
        stored = None
        with self._database.reading() as connection:
            if connection is not None:
                stored = stored_run(connection, run_id)
        if stored is None:
            raise self._no_run(run_id)
        return stored

    def open(self, run_id: str) -> Result:
        """Return the stored run, equal to the one saved.

        Raises
        ------
        RunNotFoundError
            If there is no such run, or it is in the trash.
        ResultFormatError
            If its kind or version is unknown to this biaslab.
        """
        stored = None
        with self._database.reading() as connection:
            if connection is not None:
                stored = stored_document(connection, run_id)
        if stored is None:
            raise self._no_run(run_id)
        document, is_deleted = stored
        if is_deleted:
            raise self._in_trash(run_id)
        return Result.from_json(document)

    def export(self, run_id: str, path: str | os.PathLike[str]) -> None:
        """Write a stored run to a file, whole or not at all, in the format of its ending.

        Parameters
        ----------
        run_id : str
            Id of the run.
        path : path
            Name of the file. It ends in ``.csv`` or ``.parquet`` (the table of `Result.to_frame`),
            ``.json`` (the whole result, for `Result.from_json`), ``.svg`` (the chart) or ``.html``
            (the report of `Result.report`).

        Raises
        ------
        ArgumentError
            If the file has another ending.
        RunNotFoundError
            If there is no such run, or it is in the trash.
        NoFigureError
            If a chart is requested of a kind of result that has none.
        MissingExtraError
            If it is Parquet, and pyarrow is not installed.
        WriteError
            If the file cannot be written.
        """
        write = writer_of(path)
        write(self.open(run_id))

    def tag(self, ids: str | Iterable[str], *tags: str) -> None:
        """Add tags to runs; a tag that a run has already stays.

        Parameters
        ----------
        ids : str or iterable of str
            Ids of runs.
        *tags : str
            Tags.

        Raises
        ------
        RunNotFoundError
            If one of the runs does not exist or is in the trash; then none is tagged.
        ArgumentError
            If a tag is empty, longer than 100 characters or contains a comma or a line break.
        """
        added = checked_tags(tags)

        def insert(connection: sa.Connection, named: list[str]) -> None:
            known = tags_of(connection, named)
            rows = [
                {"run": run_id, "tag": tag}
                for run_id in named
                for tag in added
                if tag not in known[run_id]
            ]
            if rows:
                connection.execute(tables().tags.insert(), rows)

        self._change(ids, insert)

    def untag(self, ids: str | Iterable[str], *tags: str) -> None:
        """Remove tags from runs; a tag that a run does not have is no error.

        Raises
        ------
        RunNotFoundError
            If one of the runs does not exist or is in the trash; then none is changed.
        """
        table, removed = tables().tags, checked_tags(tags)

        def remove(connection: sa.Connection, named: list[str]) -> None:
            gone = table.c.run.in_(named), table.c.tag.in_(removed)
            connection.execute(table.delete().where(*gone))

        self._change(ids, remove)

    def rename(self, run_id: str, label: str) -> None:
        """Give a run another label.

        Raises
        ------
        RunNotFoundError
            If there is no such run, or it is in the trash.
        """
        self._update(one_text(run_id, "run_id"), label=one_text(label, "label"))

    def delete(self, ids: str | Iterable[str]) -> None:
        """Move runs to the trash, all or none; `restore` brings them back.

        Parameters
        ----------
        ids : str or iterable of str
            Ids of runs.

        Raises
        ------
        RunNotFoundError
            If one of the runs does not exist or is in the trash already.
        """
        named = (ids,) if isinstance(ids, str) else strings(ids, "ids", "['1qk2c07v4x']")
        self._update(named, deleted=datetime.now(UTC).isoformat(timespec="milliseconds"))
        note("deleted", what="run", ids=list(named))

    def restore(self, ids: str | Iterable[str]) -> None:
        """Bring runs back from the trash, all or none; a run that is not there stays as it is.

        Raises
        ------
        RunNotFoundError
            If one of the runs does not exist.
        """
        self._update(ids, in_trash=True, deleted=None)

    def empty_trash(self) -> int:
        """Delete the runs in the trash permanently; return their number. Files stay."""
        now = tables()
        with self._database.reading() as connection:
            if connection is None:
                return 0
        with self._database.writing() as connection:
            query = now.runs.select().with_only_columns(now.runs.c.id)
            gone = list(connection.execute(query.where(now.runs.c.deleted.is_not(None))).scalars())
            for some in batches(gone):
                connection.execute(now.tags.delete().where(now.tags.c.run.in_(some)))
                connection.execute(now.contents.delete().where(now.contents.c.id.in_(some)))
                connection.execute(now.runs.delete().where(now.runs.c.id.in_(some)))
        if gone:
            self._database.compact()
        return len(gone)

    def _update(
        self, ids: str | Iterable[str], *, in_trash: bool = False, **values: str | None
    ) -> None:
        """Set columns of runs."""
        runs = tables().runs

        def update(connection: sa.Connection, named: list[str]) -> None:
            connection.execute(runs.update().where(runs.c.id.in_(named)).values(values))

        self._change(ids, update, in_trash=in_trash)

    def _change(
        self,
        ids: str | Iterable[str],
        change: Callable[[sa.Connection, list[str]], None],
        *,
        in_trash: bool = False,
    ) -> None:
        """Call `change` on batches of these runs, in one transaction, if all of them exist."""
        named = (ids,) if isinstance(ids, str) else strings(ids, "ids", "['1qk2c07v4x']")
        if not named:
            return
        with self._database.reading() as connection:
            if connection is None:
                raise self._no_run(named[0])
        with self._database.writing() as connection:
            is_deleted = trash_states(connection, named)
            for run_id in named:
                if run_id not in is_deleted:
                    raise self._no_run(run_id)
                if is_deleted[run_id] and not in_trash:
                    raise self._in_trash(run_id)
            for some in batches(named):
                change(connection, some)

    def _insert_run(
        self, run: dict[str, Any], contents: dict[str, Any], tags: tuple[str, ...]
    ) -> str:
        import sqlalchemy as sa

        now = tables()
        for _ in range(5):  # another process may take the same id first: see new_run_id
            run_id = new_run_id()
            try:
                with self._database.writing() as connection:
                    connection.execute(now.runs.insert().values(id=run_id, **run))
                    connection.execute(now.contents.insert().values(id=run_id, **contents))
                    if tags:
                        rows = [{"run": run_id, "tag": tag} for tag in tags]
                        connection.execute(now.tags.insert(), rows)
            except sa.exc.IntegrityError:
                continue
            return run_id
        raise StoreError(f"No free id was found in {self._database}. Save again.")

    def _no_run(self, run_id: str) -> RunNotFoundError:
        return RunNotFoundError(
            f"There is no run {run_id!r} in {self._database}. runs() lists all runs."
        )

    def _in_trash(self, run_id: str) -> RunNotFoundError:
        return RunNotFoundError(
            f"The run {run_id!r} is in the trash of {self._database}. restore({run_id!r}) brings"
            " it back."
        )
