"""A folder that may not be written to, for any user who runs the tests."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

needs_permissions = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no read-only folders of this kind"
)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """`folder` as a person sees it who may not write there; for root, by becoming another."""
    mode = folder.stat().st_mode
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    folder.chmod(0o555)
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(mode)


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that others may enter, unlike tmp_path, whose parents belong to one user alone."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
