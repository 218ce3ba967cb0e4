"""Files of a store, found by the hash of their content."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from biaslab.store.part import Part
from biaslab.store.tables import tables


@dataclass(frozen=True)
class StoredFile:
    """A file from the store.

    Attributes
    ----------
    content : bytes
        The bytes.
    media_type : str
        MIME type, such as ``"image/png"``.
    """

    content: bytes
    media_type: str


class Files(Part):
    """Methods of a store for files."""

    def put_file(self, content: bytes, media_type: str = "application/octet-stream") -> str:
        """Store a file, completely or not at all; duplicates are stored once.

        Parameters
        ----------
        content : bytes
            The bytes.
        media_type : str
            MIME type, such as ``"image/png"``; for known content, the first one counts.

        Returns
        -------
        str
            Its SHA-256 in hexadecimal, by which `get_file` finds it.
        """
        import sqlalchemy as sa

        name = self._files.put(content)
        entry = tables().files.insert().values(hash=name, media_type=media_type)
        duplicate = sa.exc.IntegrityError
        with contextlib.suppress(duplicate), self._database.writing() as connection:
            connection.execute(entry)
        return name

    def remove_orphans(self, older_than_s: float = 24 * 3600) -> int:
        """Remove files without an entry, which writers left that were killed; return how many.

        Parameters
        ----------
        older_than_s : float
            Younger ones stay: their entry may be on its way.
        """
        files = tables().files
        old = self._files.names(older_than_s)
        with self._database.reading() as connection:
            if connection is None or not old:
                return 0
            known = set(
                connection.execute(files.select().with_only_columns(files.c.hash)).scalars()
            )
        for name in old - known:
            self._files.remove(name)
        return len(old - known)

    def get_file(self, name: str) -> StoredFile:
        """Return the file whose SHA-256 is `name`.

        Raises
        ------
        FileNotStoredError
            If it is missing, or its content has changed.
        """
        files = tables().files
        content = self._files.get(name)
        media_type = None
        with self._database.reading() as connection:
            if connection is not None:
                query = files.select().with_only_columns(files.c.media_type)
                media_type = connection.execute(query.where(files.c.hash == name)).scalar()
        # None where the process ended between the file and its entry.
        return StoredFile(content, media_type or "application/octet-stream")
