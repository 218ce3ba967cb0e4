"""Read a small file that somebody gave: never a pipe, never more than its limit; and its JSON."""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import Any

LARGEST = 1 << 28
"""Bytes of a table or a list of words."""
_BLOCK = 1 << 18


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
        # One read of the whole would take memory for the largest file.
        blocks, size = [], 0
        while size <= largest and (block := file.read(_BLOCK)):
            blocks.append(block)
            size += len(block)
    if size > largest:
        raise OSError(errno.EFBIG, f"it has more than {largest / 1e6:,.0f} MB", os.fspath(path))
    return b"".join(blocks)


def parse_json(text: str | bytes, **options: Any) -> Any:
    """Return the value of JSON that somebody else wrote.

    - `options`: of `json.loads`.
    - Raises `ValueError` if it is damaged, is not text, or is nested too deeply.
    """
    try:
        return json.loads(text, **options)
    except RecursionError:
        raise ValueError("its lists or objects are nested too deeply") from None
