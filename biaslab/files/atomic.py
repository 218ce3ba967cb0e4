"""Write a file completely or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import time
import uuid
from collections.abc import Mapping
from pathlib import Path

from biaslab.errors import ArgumentError, WriteError

STALE_S = 24 * 3600
"""A partial file that nobody has written to for so long is of a writer that was killed."""
_PARTIAL = re.compile(r"\.[0-9a-f]{32}\.partial")


def write_atomically(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write `content` (text as UTF-8) to `path`; readers see the old or the new file.

    Partial files that killed writers left in the folder a day ago are removed.

    Raises `WriteError` if it cannot be written; the file at `path` is then unchanged.
    """
    # A symbolic link stays one: its target is replaced.
    target = Path(os.path.realpath(path))
    partial = target.with_name(f".{uuid.uuid4().hex}.partial")
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        try:
            with partial.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(target)
            _remove_stale(target.parent)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise WriteError(
            f"Could not write {path}: {error.strerror or error}. Nothing was changed there. "
            f"{_advice(target)}"
        ) from error


def written(text: str, path: str | os.PathLike[str] | None) -> str | None:
    """Write a text to `path`, or return it where there is none.

    Raises `WriteError` if it cannot be written.
    """
    if path is None:
        return text
    write_atomically(path, text)
    return None


def check_ending(path: str | os.PathLike[str] | None, endings: Mapping[str, str]) -> None:
    """Refuse the name of a file that ends in another way than its content.

    - `endings`: to call for each ending; the first is that of the content.
    - Raises `ArgumentError`, which says how the others are written.
    """
    right, *others = endings
    if path is not None and (name := Path(path)).suffix.lower() != right:
        by = ", ".join(f"{endings[other]} for {other}" for other in others)
        raise ArgumentError(
            f"{endings[right]} writes {right}, and not {name.suffix or 'a name without ending'}:"
            f" name the file {name.stem}{right}{', or call ' if by else ''}{by}."
        )


def _remove_stale(folder: Path) -> None:
    # Whoever cannot look or delete here leaves them to somebody who can.
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _PARTIAL.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE_S:
                        Path(entry.path).unlink()


def _advice(target: Path) -> str:
    if not target.parent.exists():
        return f"Create the folder {target.parent} first, or choose another."
    if target.is_dir():
        return "This is a folder: add a file name."
    return "Free some space, or choose a folder you can write to."
