"""Folders and files that no other account of the machine can read."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from biaslab.errors import BiaslabError

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@contextmanager
def private_files() -> Iterator[None]:
    """Let no other account read what is written meanwhile; also a decorator."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def make_private(folder: Path) -> None:
    """Make a folder that its owner alone can read, and everything in it.

    Raises `BiaslabError` if it is one that other programs use, too.
    """
    shared = {Path.home(), Path(tempfile.gettempdir()), Path(folder.anchor)}
    if folder.exists() and any(folder.samefile(one) for one in shared if one.exists()):
        raise BiaslabError(
            f"{folder} holds files of other programs, too. Set BIASLAB_HOME to a folder for biaslab"
            " alone: other accounts of this machine are kept out of it."
        )
    with suppress(OSError):  # whoever writes there next says why it is not possible
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix":
        for where, _, files in os.walk(folder):
            for path in (where, *(os.path.join(where, name) for name in files)):  # noqa: PTH118
                _keep_others_out(path)


def _keep_others_out(path: str) -> None:
    # A link leads to a file of somebody else's; a file can be gone by now, or another account's.
    with suppress(OSError):
        mode = os.lstat(path).st_mode
        if mode & _OTHERS and not stat.S_ISLNK(mode):
            os.chmod(path, stat.S_IMODE(mode) & ~_OTHERS)  # noqa: PTH101
