"""Who is signed in: a row for each sign-in, in a file that all processes of a server share.

A sign-in ends for all of them when its row is deleted, on signing out, or when its stamp is no
longer that of its person, who was removed, or has another password or role. The file holds no
cookie, only hashes of them.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from biaslab.errors import BiaslabError

_DAY_S: Final = 24 * 3600
_TABLE: Final = """CREATE TABLE IF NOT EXISTS sign_ins
    (id TEXT PRIMARY KEY, user TEXT NOT NULL, stamp TEXT NOT NULL, until REAL NOT NULL)
    WITHOUT ROWID"""


class Row(NamedTuple):
    """A sign-in: whose it is, and the stamp of the person's password and role at that time."""

    user: str
    stamp: str


class SignIns:
    """The sign-ins of a server; a look-up takes some microseconds.

    - `path`: file of the rows, which is made if need be.
    - Raises `BiaslabError` if it cannot be used.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            # The server's thread alone uses it; a test may close it from another.
            self._rows = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            # A reader then needs no lock of the file: 4 and not 18 microseconds.
            self._rows.execute("PRAGMA journal_mode = WAL")
            self._rows.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise BiaslabError(
                f"The sign-ins cannot be kept in {path} ({error}). Delete the file, if it is"
                " damaged: everybody then has to sign in again."
            ) from error

    def begin(self, user: str, stamp: str, days: float) -> str:
        """Begin a sign-in; return the cookie of its browser."""
        cookie = secrets.token_urlsafe(32)
        now = time.time()
        self._rows.execute("DELETE FROM sign_ins WHERE until <= ?", (now,))
        row = (id_of(cookie), user, stamp, now + days * _DAY_S)
        self._rows.execute("INSERT INTO sign_ins VALUES (?, ?, ?, ?)", row)
        return cookie

    def find(self, sign_in: str) -> Row | None:
        """Return a sign-in by its id; None where there is none, or it has ended."""
        query = "SELECT user, stamp FROM sign_ins WHERE id = ? AND until > ?"
        found = self._rows.execute(query, (sign_in, time.time())).fetchone()
        return Row(*found) if found else None

    def end(self, sign_in: str) -> None:
        """End a sign-in."""
        with suppress(sqlite3.OperationalError):  # a full disk: the cookie is cleared all the same
            self._rows.execute("DELETE FROM sign_ins WHERE id = ?", (sign_in,))


def id_of(cookie: str) -> str:
    """Return the id of a cookie's sign-in."""
    return hashlib.sha256(cookie.encode()).hexdigest()
