"""Disk that the folders of people may take on a server: each of them, and all together."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from biaslab.errors import WriteError
from biaslab.people.access import current_access

FREE: Final = 1_000_000_000
"""Bytes of a disk that stay free."""
OF_ONE: Final = 5_000_000_000
"""Bytes of one person's folder by default."""
_LOOK_S: Final = 10.0
"""A person's folder is measured so often at most; what is written meanwhile is added."""
_LOOK_AT_ALL_S: Final = 120.0
"""The same of all folders."""


_MOST_KNOWN: Final = 1000


@dataclass(frozen=True)
class DiskLimits:
    """Limits of the folders of people who are not the owner.

    Attributes
    ----------
    most_of_one : int or None
        Bytes of one person's folder; None for any.
    most : int or None
        Bytes of all these folders; None for any.
    keep_days : float or None
        Days after which the folder of a visitor without a name is deleted if nobody has used it;
        None keeps them.
    """

    most_of_one: int | None = None
    most: int | None = None
    keep_days: float | None = None


_limits = DiskLimits()


def disk_limits() -> DiskLimits:
    """Return the limits in this process."""
    return _limits


def set_disk_limits(limits: DiskLimits) -> None:
    """Set the limits in this process."""
    global _limits
    _limits = limits


def ask_for_disk(size: int) -> None:
    """Ask for room in the folder of the person who is asking, before something is written.

    Raises
    ------
    WriteError
        If the person, or all together, would hold too much, or the disk is nearly full; says what
        can be deleted.
    """
    access = current_access()
    if access.is_owner or access.home is None:
        return
    one, every = _sizes.of(access.home), _sizes.of(*(access.home.parents[1] / n for n in KINDS))
    if _limits.most_of_one is not None and one + size > _limits.most_of_one:
        raise WriteError(
            f"Your runs and files hold {one / 1e9:,.1f} GB, and one person may keep"
            f" {_limits.most_of_one / 1e9:,.1f} GB on this server. Delete runs on the page Runs, or"
            " remove subjects with uploaded files."
        )
    if _limits.most is not None and every + size > _limits.most:
        raise WriteError(
            "All people's runs and files together take what this server has for them. Delete what"
            " you no longer need, and tell whoever runs it."
        )
    keep_free(access.home, size)
    _sizes.add(size, access.home)


def keep_free(folder: Path, size: int) -> None:
    """Keep `FREE` bytes of a disk.

    Raises `WriteError` if something of a size would leave less.
    """
    there = next(one for one in (folder, *folder.parents) if one.is_dir())
    if shutil.disk_usage(there).free - size < FREE:
        raise WriteError("The server's disk is nearly full. Tell whoever runs it.")


KINDS: Final = ("users", "visitors")
"""Folders in the owner's of those of people: who signed in, and browsers that nobody named."""


def expire_visitors(folder: Path, used: set[str], days: float) -> int:
    """Delete folders of visitors without a name that nobody has used; return their number.

    - `folder`: the owner's.
    - `used`: names of folders that stay.
    - `days`: since the last use, which `mark_used` notes.
    """
    before = time.time() - days * 24 * 3600
    places = folder / "visitors"
    gone = 0
    for one in list(places.iterdir()) if places.is_dir() else ():
        if one.name not in used and _last_use(one) < before:
            shutil.rmtree(one, ignore_errors=True)
            gone += 1
    return gone


def mark_used(folder: Path) -> None:
    """Note that a person's folder is used now, if there is one."""
    if folder.is_dir():
        os.utime(folder)


def _last_use(folder: Path) -> float:
    """When a folder was used, or something in it was written."""
    return max([folder.stat().st_mtime, *(one.st_mtime for one in _files(folder))])


def size_of(folder: Path) -> int:
    """Return the bytes of the files in a folder."""
    return sum(one.st_size for one in _files(folder))


def _files(folder: Path) -> Iterator[os.stat_result]:
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # deleted meanwhile
                yield (Path(path) / name).lstat()


class _Sizes:
    """Sizes of folders, measured now and then."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[Path, ...], tuple[int, float]] = {}

    def of(self, *folders: Path) -> int:
        """Return the bytes of the files in folders."""
        now = time.monotonic()
        lasts = _LOOK_S if len(folders) == 1 else _LOOK_AT_ALL_S
        with self._lock:
            size, at = self._known.get(folders, (0, -lasts))
            if now - at < lasts:
                return size
        size = sum(map(size_of, folders))
        with self._lock:
            while len(self._known) > _MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[folders] = size, now
        return size

    def add(self, size: int, folder: Path) -> None:
        """Count what is about to be written in a folder."""
        with self._lock:
            for folders, (known, at) in self._known.items():
                if any(folder.is_relative_to(one) for one in folders):
                    self._known[folders] = known + size, at

    def forget(self, folder: Path) -> None:
        """Measure a folder anew the next time."""
        with self._lock:
            self._known.pop((folder,), None)


_sizes = _Sizes()


def measure_again() -> None:
    """Measure the folder of the person who asks anew the next time: something was deleted."""
    if (home := current_access().home) is not None:
        _sizes.forget(home)


def give_disk_back(size: int) -> None:
    """Note that the person who asks has deleted so many bytes."""
    if (home := current_access().home) is not None:
        _sizes.add(-size, home)
