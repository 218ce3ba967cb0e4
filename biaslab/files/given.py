"""Read a small file that somebody gave: never a pipe, and never more than its limit."""

from __future__ import annotations

import errno
import os
import stat

LARGEST = 1 << 28
"""Bytes of a table or a list of words."""


def read_given(path: str | os.PathLike[str], largest: int = LARGEST) -> bytes:
    """Return the content of a file.

    A pipe would be waited for, and a device such as ``/dev/zero`` never ends.

    Raises `OSError` if it cannot be read, is no regular file, or has more than `largest` bytes;
    ``strerror`` says which.
    """
    # Opening a pipe waits for who writes to it, too.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", os.fspath(path))
        content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"it has more than {largest / 1e6:,.0f} MB", os.fspath(path))
    return content
