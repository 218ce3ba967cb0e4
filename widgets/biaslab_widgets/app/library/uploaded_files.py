"""Files that arrive in pieces and go straight to the disk."""

from __future__ import annotations

import re
import time
import uuid
from pathlib import Path, PurePath

from biaslab.errors import SubjectError, WriteError
from biaslab.people.access import current_access
from biaslab.people.disk import ask_for_disk, give_disk_back, keep_free, size_of
from biaslab.subjects.opening.names import own_folder

LARGEST_MB = 4000
_NUMBER = re.compile(r"[0-9a-f]{8,40}")
_STALE_S = 24 * 3600


class UploadedFiles:
    """Files on their way, each in a folder of its own below the home folder.

    - `largest_mb`: of one file.
    """

    def __init__(self, largest_mb: float = LARGEST_MB) -> None:
        self.largest_mb = largest_mb

    def take(self, upload: str, name: str, offset: int, piece: bytes) -> int:
        """Append a piece; return the bytes so far.

        Raises `SubjectError` when a piece before it is missing, or the file is too large;
        `WriteError` when the person holds too much, or the disk is full, or nearly so.
        """
        path = self._path(upload, name)
        size = path.stat().st_size if offset and path.exists() else 0
        if offset != size:
            raise SubjectError("A part of the file was lost during the upload. Choose it again.")
        if size + len(piece) > self.largest_mb * 1e6:
            self.discard(upload)
            raise SubjectError(
                f"{path.name} is larger than {self.largest_mb:,.0f} MB, the most that can be"
                " uploaded. Give its path instead, where the app runs on your own machine."
            )
        self._ask_for_room(upload, len(piece))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab" if offset else "wb") as file:
                file.write(piece)
        except OSError as error:
            self.discard(upload)
            raise WriteError(
                f"The file could not be stored: {error.strerror}. Free some space."
            ) from error
        return size + len(piece)

    def _ask_for_room(self, upload: str, size: int) -> None:
        try:
            ask_for_disk(size)
            if current_access().is_owner:
                keep_free(own_folder(), size)
        except WriteError:
            self.discard(upload)
            raise

    def path(self, upload: str) -> Path:
        """Return the file of an upload.

        Raises `SubjectError` when it did not arrive.
        """
        folder = self._folder(upload)
        file = next(iter(folder.iterdir()), None) if folder.is_dir() else None
        if file is None:
            raise SubjectError("The file did not arrive. Choose it again.")
        return file

    def discard(self, upload: str) -> None:
        """Delete an upload."""
        folder = self._folder(upload)
        give_disk_back(size_of(folder))
        _delete(folder)

    def sweep(self, used: set[str]) -> None:
        """Delete uploads of earlier days that no subject uses."""
        if not own_folder().is_dir():
            return
        for folder in own_folder().iterdir():
            known = any(str(path) in used for path in folder.iterdir()) if folder.is_dir() else True
            if not known and time.time() - folder.stat().st_mtime > _STALE_S:
                _delete(folder)

    def _folder(self, upload: str) -> Path:
        if not _NUMBER.fullmatch(upload):
            raise SubjectError("The upload has no number. Choose the file again.")
        return own_folder() / upload

    def _path(self, upload: str, name: str) -> Path:
        plain = PurePath(name.replace("\\", "/")).name.lstrip(".") or uuid.uuid4().hex
        return self._folder(upload) / plain


def _delete(folder: Path) -> None:
    if folder.is_dir():
        for path in folder.iterdir():
            path.unlink(missing_ok=True)
        folder.rmdir()
