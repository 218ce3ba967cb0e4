"""Images of a store: their metadata under terms, beside their files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from biaslab.store.batches import batches
from biaslab.store.files import Files
from biaslab.store.tables import tables


@dataclass(frozen=True)
class KeptImage:
    """A picture in the store.

    Attributes
    ----------
    hash : str
        Identifies the picture: duplicates are stored once. At most 64 characters.
    term : str
        Search key, exactly as written here; at most 200 characters.
    file : str
        Name of its file: what `Store.put_file` returned.
    document : str
        The metadata.
    """

    hash: str
    term: str
    file: str
    document: str


class Images(Files):
    """Methods of a store for images."""

    def keep_images(self, images: Iterable[KeptImage]) -> int:
        """Store metadata of pictures whose files were stored before, all or none.

        Known hashes are left unchanged.

        Returns
        -------
        int
            Number of new pictures.
        """
        return self._insert_new(tables().images, {image.hash: vars(image) for image in images})

    def kept_images(self, terms: Iterable[str] | None = None) -> tuple[KeptImage, ...]:
        """Return pictures with one of these terms, or all of them, oldest first."""
        import sqlalchemy as sa

        table = tables().images
        rows: list[Any] = []
        with self._database.reading() as connection:
            if connection is None or not sa.inspect(connection).has_table(table.name):
                return ()
            if terms is None:
                rows = list(connection.execute(sa.select(table)))
            else:
                for some in batches(terms):
                    query = sa.select(table).where(table.c.term.in_(some))
                    rows += connection.execute(query)
        rows.sort(key=lambda row: row.number)
        return tuple(KeptImage(r.hash, r.term, r.file, r.document) for r in rows)

    def forget_images(self, hashes: Iterable[str]) -> int:
        """Delete pictures permanently, and each file that no other picture uses.

        Returns
        -------
        int
            Number of deleted pictures.
        """
        import sqlalchemy as sa

        table, files = tables().images, tables().files
        gone: set[str] = set()
        count = 0
        with self._database.reading() as connection:
            if connection is None or not sa.inspect(connection).has_table(table.name):
                return 0
        with self._database.writing() as connection:
            for some in batches(hashes):
                selected = table.c.hash.in_(some)
                gone |= set(connection.execute(sa.select(table.c.file).where(selected)).scalars())
                count += connection.execute(table.delete().where(selected)).rowcount
            for some in batches(sorted(gone)):
                query = sa.select(table.c.file).where(table.c.file.in_(some))
                gone -= set(connection.execute(query).scalars())
            for some in batches(sorted(gone)):
                connection.execute(files.delete().where(files.c.hash.in_(some)))
        for name in sorted(gone):
            self._files.remove(name)
        return count
