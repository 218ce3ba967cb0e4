"""What the parts of a store share: its database and its folder of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biaslab.store.batches import batches
from biaslab.store.content_files import ContentFiles
from biaslab.store.database import Database

if TYPE_CHECKING:
    import sqlalchemy as sa


class Part:
    """Base of the parts of a `biaslab.Store`."""

    _database: Database
    _files: ContentFiles

    def _insert_new(self, table: sa.Table, rows: dict[str, dict[str, Any]]) -> int:
        """Insert the rows whose hash is new; return their number."""
        import sqlalchemy as sa

        if not rows:
            return 0
        with self._database.writing() as connection:
            for some in batches(rows):
                query = sa.select(table.c.hash).where(table.c.hash.in_(some))
                for stored in connection.execute(query).scalars():
                    del rows[stored]
            if rows:
                connection.execute(table.insert(), list(rows.values()))
        return len(rows)
