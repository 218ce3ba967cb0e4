"""Parts of a store besides its runs: files, images, sentences and computed values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from biaslab.store.content_files import ContentFiles
from biaslab.store.database import Database, tables

if TYPE_CHECKING:
    import sqlalchemy as sa


_KEYS_AT_ONCE = 500
"""Variables per query: older SQLite allows no more than 999."""


def batches(keys: Iterable[str]) -> Iterator[list[str]]:
    """Yield the keys, each once, in lists that fit into one query."""
    remaining = iter(dict.fromkeys(keys))
    while some := list(islice(remaining, _KEYS_AT_ONCE)):
        yield some


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


@dataclass(frozen=True)
class KeptSentence:
    """A sentence in the store.

    Attributes
    ----------
    hash : str
        Identifies the sentence: duplicates are stored once. At most 64 characters.
    term, attribute : str
        Search keys, exactly as written here; at most 200 characters each.
    document : str
        The stored text.
    """

    hash: str
    term: str
    attribute: str
    document: str


class Sentences(Part):
    """Methods of a store for sentences."""

    def keep_sentences(self, sentences: Iterable[KeptSentence]) -> int:
        """Store sentences, all or none; known hashes are left unchanged.

        Returns
        -------
        int
            Number of new sentences.
        """
        return self._insert_new(tables().sentences, {s.hash: vars(s) for s in sentences})

    def kept_sentences(
        self, terms: Iterable[str], attributes: Iterable[str]
    ) -> tuple[KeptSentence, ...]:
        """Return sentences with these terms and attributes, oldest first."""
        import sqlalchemy as sa

        table = tables().sentences
        requested = set(terms)
        rows: list[Any] = []
        with self._database.reading() as connection:
            if connection is None or not sa.inspect(connection).has_table(table.name):
                return ()
            for some in batches(attributes):
                query = sa.select(table).where(table.c.attribute.in_(some))
                rows += [row for row in connection.execute(query) if row.term in requested]
        rows.sort(key=lambda row: row.number)
        return tuple(KeptSentence(r.hash, r.term, r.attribute, r.document) for r in rows)


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
