"""A folder of files named by the hash of their content, each stored once."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from biaslab.errors import FileNotStoredError, StoreError, WriteError
from biaslab.files.atomic import write_atomically
from biaslab.people.disk import ask_for_disk

_SHA256 = re.compile(r"[0-9a-f]{64}")


class ContentFiles:
    """Files under ``folder/ab/cdef...``, named by the SHA-256 of the content."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, content: bytes) -> str:
        """Store `content` completely or not at all; return its SHA-256 in hexadecimal.

        Raises `StoreError` if it cannot be written; `WriteError` where a server has no room for it.
        """
        name = hashlib.sha256(content).hexdigest()
        path = self._path(name)
        # Storing the content again repairs a damaged file.
        if _digest_of_file(path) == name:
            return name
        ask_for_disk(len(content))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
        except (OSError, WriteError) as error:
            raise StoreError(
                f"The file could not be kept in {self.folder} ({error}). Free some space, or"
                " choose a folder you can write to: set BIASLAB_HOME, or Store(folder)."
            ) from error
        return name

    def get(self, name: str) -> bytes:
        """Return the content whose SHA-256 is `name`.

        Raises `FileNotStoredError` if there is no such file, or its content has changed.
        """
        if not _SHA256.fullmatch(name):
            raise FileNotStoredError(
                f"{name!r} is not the hash of a stored file. Pass the hash that put_file()"
                " returned."
            )
        path = self._path(name)
        try:
            content = path.read_bytes()
        except FileNotFoundError as error:
            raise FileNotStoredError(
                f"The file {name[:12]}… is not in {self.folder}. Store it again with put_file(),"
                " or copy the folder from the machine where it was stored."
            ) from error
        except OSError as error:
            raise StoreError(
                f"{path} cannot be read ({error.strerror}). Fix this first."
            ) from error
        if hashlib.sha256(content).hexdigest() != name:
            raise FileNotStoredError(
                f"{path} was changed or damaged after it was stored: its content does not match"
                " its name. Store the original again with put_file()."
            )
        return content

    def remove(self, name: str) -> None:
        """Delete a file permanently; a missing file is no error.

        Raises `StoreError` if it cannot be deleted.
        """
        if not _SHA256.fullmatch(name):
            return
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"{self._path(name)} cannot be deleted ({error.strerror}): delete it by hand."
            ) from error

    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(
            (Path(folder) / name).stat().st_size
            for folder, _, names in os.walk(self.folder)
            for name in names
        )

    def _path(self, name: str) -> Path:
        return self.folder / name[:2] / name[2:]


def _digest_of_file(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
