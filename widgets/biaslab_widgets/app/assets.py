"""Addresses of the built files that the app's pages load."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from biaslab_widgets.app.first_runs import FOLDER as FIRST_RUNS
from biaslab_widgets.hosts.bundle import STATIC, built

FONTS = "fonts"
MODULES = "modules"
PICTURES = "pictures"
FOLDERS = {FONTS: STATIC / "fonts", MODULES: STATIC / "app", PICTURES: FIRST_RUNS}
"""Served folders, by their address below the server's root."""


def asset(folder: str, name: str) -> str:
    """Return the relative address of a built file, with its content in it.

    A browser caches it until the content changes.

    Raises
    ------
    FileNotFoundError
        When it was not built; says how.
    """
    return f"{folder}/{name}?v={_version(built(FOLDERS[folder] / name))}"


def picture(name: str) -> str:
    """Return the relative address of a picture of the home page."""
    return f"{PICTURES}/{name}?v={_version(FIRST_RUNS / name)}"


@cache
def _version(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]
