"""Database of a store: location, tables, upgrades, transactions and errors."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.errors import StoreError
from biaslab.people.access import home_folder, owner_folder, shown_path

if TYPE_CHECKING:
    import sqlalchemy as sa


STORE_VERSION = 2
"""Raise it with each script in ``migrations/versions``."""


@dataclass(frozen=True)
class Tables:
    """The tables of a store.

    `runs` has what a list of runs shows; `contents` has their large texts, so that a list is read
    without them.
    """

    metadata: sa.MetaData
    meta: sa.Table
    runs: sa.Table
    contents: sa.Table
    tags: sa.Table
    files: sa.Table
    values: sa.Table
    sentences: sa.Table
    images: sa.Table


@functools.cache
def tables() -> Tables:
    """Return the tables, created on first use: SQLAlchemy is slow to load."""
    import sqlalchemy as sa

    metadata = sa.MetaData()

    def text(name: str) -> sa.Column[str]:
        return sa.Column(name, sa.Text, nullable=False)

    return Tables(
        metadata,
        sa.Table(
            "biaslab_meta",
            metadata,
            sa.Column("key", sa.String(64), primary_key=True),
            text("value"),
        ),
        sa.Table(
            "biaslab_runs",
            metadata,
            sa.Column("id", sa.String(16), primary_key=True),
            *(text(name) for name in ("label", "bench", "probe", "subject", "time")),
            sa.Column("seconds", sa.Float),
            text("headline"),
            sa.Column("bytes", sa.Integer, nullable=False),
            sa.Column("deleted", sa.Text),
        ),
        sa.Table(
            "biaslab_contents",
            metadata,
            sa.Column("id", sa.String(16), primary_key=True),
            text("words"),
            text("inputs"),
            sa.Column("picture", sa.Text),
            text("document"),
        ),
        sa.Table(
            "biaslab_tags",
            metadata,
            sa.Column("run", sa.String(16), primary_key=True),
            sa.Column("tag", sa.String(100), primary_key=True, index=True),
        ),
        sa.Table(
            "biaslab_files",
            metadata,
            sa.Column("hash", sa.String(64), primary_key=True),
            text("media_type"),
        ),
        sa.Table(
            "biaslab_values",
            metadata,
            sa.Column("kind", sa.String(32), primary_key=True),
            sa.Column("key", sa.String(64), primary_key=True),
            text("value"),
        ),
        sa.Table(
            "biaslab_sentences",
            metadata,
            sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
            sa.Column("hash", sa.String(64), unique=True, nullable=False),
            sa.Column("term", sa.String(200), index=True, nullable=False),
            sa.Column("attribute", sa.String(200), index=True, nullable=False),
            text("document"),
        ),
        sa.Table(
            "biaslab_images",
            metadata,
            sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
            sa.Column("hash", sa.String(64), unique=True, nullable=False),
            sa.Column("term", sa.String(200), index=True, nullable=False),
            sa.Column("file", sa.String(64), index=True, nullable=False),
            text("document"),
        ),
    )


_COPY = "_alembic_tmp_"
_SCRIPTS = Path(__file__).parent / "migrations"
_one_at_a_time = threading.Lock()
"""Alembic has one context per process."""


def upgrade(connection: sa.Connection, version: int) -> None:
    """Upgrade a store of this version to the present one, within the connection's transaction.

    The revisions of the scripts are the versions of the store. ``biaslab_meta`` holds the version,
    which an older biaslab reads too; Alembic's own table is there only while it works.
    """
    import sqlalchemy as sa
    from alembic import command
    from alembic.config import Config

    config = Config()
    # A per cent sign would start an interpolation.
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    present = set(sa.inspect(connection).get_table_names())
    for left in sorted(name for name in present if name.startswith(_COPY)):
        if left.removeprefix(_COPY) in present:  # an upgrade on a full disk left its copy
            sa.Table(left, sa.MetaData()).drop(connection)
    with _one_at_a_time:
        command.stamp(config, str(version))
        command.upgrade(config, "head")
    sa.Table("alembic_version", sa.MetaData()).drop(connection)


_FILE_NAME = "biaslab.sqlite"
_ENDINGS = ("", "-wal", "-shm")
_SECONDS_TO_WAIT_FOR_OTHERS = 30.0
_SECONDS_TO_CONNECT = 10
_VERSION = re.compile(r"[1-9][0-9]{0,8}")
_TURN = 0x62696173  # names the lock of a server on which its writers wait


class Database:
    """An embedded database in a file, or on a server, created by the first write.

    Parameters
    ----------
    url : str or path, optional
        As `biaslab.Store` takes it.

    Attributes
    ----------
    path : Path or None
        File of an embedded database.
    """

    def __init__(self, url: str | os.PathLike[str] | None = None) -> None:
        self.path, self._url = _place(url)
        self._engines: dict[str, sa.Engine] = {}

    def __str__(self) -> str:
        return (
            shown_path(self.path) if self.path else self._url.render_as_string(hide_password=True)
        )

    @contextmanager
    def reading(self) -> Iterator[sa.Connection | None]:
        """Open a transaction that reads; None if nothing was ever stored."""
        if self.path is not None and not _has_content(self.path):
            yield None
            return
        with self._transaction("read") as connection:
            yield connection if self._version(connection) else None

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Open a transaction that writes; create or upgrade the store if needed."""
        if self.path is not None:
            try:
                folder = self.path.parent
                mode = 0o700 if folder == owner_folder() else 0o777
                folder.mkdir(mode, parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(self._not_writable(error.strerror)) from error
        with self._transaction("write") as connection:
            if connection.dialect.name == "postgresql":
                _wait_for_turn(connection)
            version = self._version(connection)
            if version == 0:
                self._create(connection)
            elif version < STORE_VERSION:
                self._upgrade(connection, version)
            yield connection
        if 0 < version < STORE_VERSION:
            self.compact()  # an upgrade copies documents, and leaves the space of the old ones

    def size(self) -> int:
        """Return the bytes that the database takes."""
        import sqlalchemy as sa

        if self.path is not None:
            paths = [self.path.with_name(self.path.name + ending) for ending in _ENDINGS]
            return sum(path.stat().st_size for path in paths if _has_content(path))
        with self.reading() as connection:
            if connection is None or connection.dialect.name != "postgresql":
                return 0
            size = sa.func.pg_total_relation_size
            present = set(sa.inspect(connection).get_table_names())
            names = present & set(tables().metadata.tables)
            return sum(connection.execute(sa.select(size(name))).scalar_one() for name in names)

    def compact(self) -> None:
        """Give the space of deleted rows back to the disk, unless others use the store now."""
        if self.path is None:
            return  # a server does so by itself
        try:
            connection = _connect_sqlite(self.path, "write")
            with contextlib.closing(connection):
                connection.execute("PRAGMA busy_timeout = 0")
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error:
            return  # locked, or too little space for the copy: the database reuses the space itself

    @contextmanager
    def _transaction(self, mode: str) -> Iterator[sa.Connection]:
        import sqlalchemy as sa

        try:
            with self._engine(mode).begin() as connection:
                yield connection
        except sa.exc.IntegrityError:
            raise  # the caller knows which key already exists
        except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
            raise StoreError(self._explained(error)) from error
        except ImportError as error:  # also a driver without its library
            raise StoreError(_without_driver(str(self), error)) from error

    def _version(self, connection: sa.Connection) -> int:
        """Return the version of the store, at most that of this biaslab; 0 if there is none."""
        import sqlalchemy as sa

        meta = tables().meta
        present = set(sa.inspect(connection).get_table_names())
        if meta.name not in present:
            # On a server other programs may have tables beside those of a store.
            foreign = present if self.path else present & set(tables().metadata.tables)
            if foreign:
                raise StoreError(self._not_a_store(foreign))
            return 0
        query = sa.select(meta.c.value).where(meta.c.key == "version")
        version = connection.execute(query).scalar()
        if version is None or not _VERSION.fullmatch(version):
            raise StoreError(self._damaged("it names no version"))
        if int(version) > STORE_VERSION:
            raise StoreError(
                f"{self} was written by a newer biaslab (store version {version}; this version"
                f" reads {STORE_VERSION}) and was left as it is. Upgrade biaslab (pip install -U"
                " biaslab), or choose another folder with BIASLAB_HOME."
            )
        return int(version)

    @staticmethod
    def _create(connection: sa.Connection) -> None:
        tables().metadata.create_all(connection)
        named = tables().meta.insert()
        connection.execute(named.values(key="version", value=str(STORE_VERSION)))

    @staticmethod
    def _upgrade(connection: sa.Connection, version: int) -> None:
        upgrade(connection, version)
        meta = tables().meta
        named = meta.update().where(meta.c.key == "version")
        connection.execute(named.values(value=str(STORE_VERSION)))

    def _engine(self, mode: str) -> sa.Engine:
        import sqlalchemy as sa

        if mode not in self._engines:
            # Without a pool no connection outlives its transaction: none is shared by accident
            # with a forked process, and SQLite removes its side files at once.
            if self.path is None:
                engine = sa.create_engine(_with_timeout(self._url), poolclass=sa.NullPool)
            else:
                engine = sa.create_engine(
                    "sqlite://",
                    creator=functools.partial(_connect_sqlite, self.path, mode),
                    poolclass=sa.NullPool,
                )
                begin = "BEGIN IMMEDIATE" if mode == "write" else "BEGIN"
                sa.event.listen(engine, "begin", lambda c: c.exec_driver_sql(begin))
            self._engines[mode] = engine
        return self._engines[mode]

    def _explained(self, error: Exception) -> str:
        reason = str(getattr(error, "orig", None) or error)
        if self.path is None:
            if "lock timeout" in reason:
                return self._busy()
            return (
                f"{self} cannot be used: {reason}. Check the address, and that the database server"
                " is running and accepts you. Nothing was stored."
            )
        if _COPY in reason:  # the disk was full before: SQLite then gives the transaction up
            return (
                f"{self} could not be upgraded to this biaslab ({reason}), most likely because the"
                " disk is full. Nothing is lost. Free some space and try again."
            )
        if "disk I/O" in reason or "locking protocol" in reason:
            return (
                f"{self}: {reason}. Nothing was stored. If the folder is on a network drive, choose"
                " one on a local disk: set BIASLAB_HOME, or Store(folder). Else check the disk."
            )
        if "disk" in reason and "malformed" not in reason:
            return f"{self}: {reason}. Nothing was stored. Free some space and try again."
        if "locked" in reason or "busy" in reason:
            return self._busy()
        if "readonly" in reason or "unable to open" in reason:
            return self._not_writable(reason)
        return self._damaged(reason)

    def _busy(self) -> str:
        if self.path is not None and not _has_locks(self.path.parent):
            return (
                f"{self} lies in a folder without file locks, as some network drives are, so that"
                " it cannot be used safely. Nothing was stored. Choose a folder on a local disk:"
                " set BIASLAB_HOME, or Store(folder)."
            )
        return (
            f"Another process has been writing to {self} for more than "
            f"{_SECONDS_TO_WAIT_FOR_OTHERS:.0f} s. Nothing was stored. Try again."
        )

    def _not_writable(self, reason: str | None) -> str:
        return (
            f"{self} cannot be opened for writing ({reason}). Nothing was stored. Choose a"
            " folder you can write to: set BIASLAB_HOME, or Store(folder)."
        )

    def _not_a_store(self, present: set[str]) -> str:
        ours = present & set(tables().metadata.tables)
        return self._damaged(
            "its table of versions is missing"
            if ours
            else f"it holds tables of another program, such as {min(present)[:60]!r}"
        )

    def _damaged(self, reason: str) -> str:
        return (
            f"{self} cannot be read as a store of biaslab ({reason}). It was left as it "
            "is. Restore a backup, or move the file away to start a new store."
        )


def _place(url: str | os.PathLike[str] | None) -> tuple[Path | None, Any]:
    """Return the path of an embedded database, or the URL of a server's."""
    if url is None:
        return home_folder() / _FILE_NAME, None
    if not isinstance(url, str) or "://" not in url:
        return Path(url).expanduser().absolute() / _FILE_NAME, None
    import sqlalchemy as sa

    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError as error:
        raise StoreError(
            f"{url!r} is not the URL of a database: write it like "
            "'postgresql+psycopg://user@host/name', or give a folder."
        ) from error
    if parsed.get_backend_name() != "sqlite":
        return None, parsed
    if parsed.database in (None, "", ":memory:"):
        raise StoreError("A store in memory would be lost. Give a folder, or the URL of a file.")
    return Path(str(parsed.database)).expanduser().absolute(), None


def _with_timeout(url: sa.URL) -> sa.URL:
    """Return the URL, with a limit to the wait for a server that does not answer."""
    if url.get_backend_name() != "postgresql" or "connect_timeout" in url.query:
        return url
    return url.update_query_dict({"connect_timeout": str(_SECONDS_TO_CONNECT)})


def _wait_for_turn(connection: sa.Connection) -> None:
    """Let writers take turns until their transaction ends, as those of an embedded database do.

    Two that create or upgrade a store at once would hinder each other, and two that store the same
    key would fail.
    """
    import sqlalchemy as sa

    limit = f"SET LOCAL lock_timeout = '{_SECONDS_TO_WAIT_FOR_OTHERS:.3f}s'"
    connection.exec_driver_sql(limit)
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_TURN)))


def _without_driver(place: str, error: ImportError) -> str:
    if (error.name or "").partition(".")[0] == "psycopg" or "libpq" in str(error):
        return f"{place} needs psycopg: pip install 'biaslab[postgresql]'"
    return f"{place} needs the Python package {error.name}: pip install {error.name}"


def _has_locks(folder: Path) -> bool:
    """Return whether files in a folder can be locked, as SQLite needs; tried with a new file."""
    try:
        import fcntl
    except ImportError:  # Windows, where they always can
        return True
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _connect_sqlite(path: Path, mode: str) -> sqlite3.Connection:
    is_new = not _has_content(path)
    options = "mode=rwc" if mode == "write" else "mode=rw"
    if mode == "read" and not _may_write(path.parent):
        # Readers of a write-ahead log write files beside it, so the folder must be writable.
        log = path.with_name(path.name + "-wal")
        options = "mode=ro" if _has_content(log) else "mode=ro&immutable=1"
    connection = sqlite3.connect(
        f"{path.as_uri()}?{options}",
        uri=True,
        timeout=_SECONDS_TO_WAIT_FOR_OTHERS,
        isolation_level=None,  # transactions begin where the engine says, not where sqlite3 guesses
        check_same_thread=False,
    )
    if is_new:
        # In this mode readers and a writer do not block each other; the database remembers it.
        # Another process that creates the store at this moment sets it if this one cannot.
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locking protocol" in str(error) or "disk I/O" in str(error):
                # A network drive has no memory that processes share. Writers then block readers.
                connection.execute("PRAGMA journal_mode=DELETE")
            elif "locked" not in str(error):
                connection.close()
                raise
    return connection


def _may_write(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
