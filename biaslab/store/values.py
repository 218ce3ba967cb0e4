"""Computed texts of a store, found by keys that name their input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from biaslab.store.batches import batches
from biaslab.store.part import Part
from biaslab.store.tables import tables

if TYPE_CHECKING:
    import sqlalchemy as sa


class Values(Part):
    """Methods of a store for computed texts."""

    def keep_values(self, kind: str, values: Mapping[str, str]) -> None:
        """Store computed texts under keys, all or none; a known key keeps its value.

        Parameters
        ----------
        kind : str
            Kind of value, such as ``"sentence-score/1"``; at most 32 characters.
        values : mapping of str to str
            Keys of at most 64 characters that identify the input of a value, such as a
            SHA-256: the same key always means the same value.
        """
        if not values:
            return
        with self._database.writing() as connection:
            stored = _values(connection, kind, values)
            rows = [
                {"kind": kind, "key": key, "value": value}
                for key, value in values.items()
                if key not in stored
            ]
            if rows:
                connection.execute(tables().values.insert(), rows)

    def kept_values(self, kind: str, keys: Iterable[str]) -> dict[str, str]:
        """Return the stored values of these keys; unknown keys are left out."""
        with self._database.reading() as connection:
            return {} if connection is None else _values(connection, kind, keys)


def _values(connection: sa.Connection, kind: str, keys: Iterable[str]) -> dict[str, str]:
    import sqlalchemy as sa

    table = tables().values
    if not sa.inspect(connection).has_table(table.name):  # a store of version 1 may lack it
        return {}
    values: dict[str, str] = {}
    for some in batches(keys):
        query = sa.select(table.c.key, table.c.value).where(
            table.c.kind == kind, table.c.key.in_(some)
        )
        values |= {row.key: row.value for row in connection.execute(query)}
    return values
