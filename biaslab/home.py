"""Location of the user's runs, files and specs."""

from __future__ import annotations

import os
from pathlib import Path

from biaslab.access import Role, current_access
from biaslab.errors import BiaslabError


def home_folder() -> Path:
    """Return the folder of the person who is asking.

    On a server it is theirs alone (`biaslab.access`). Else it is `owner_folder`.

    Raises
    ------
    BiaslabError
        If the work belongs to no person, and a server that others reach must not guess one.
    """
    access = current_access()
    if access.role is Role.NOBODY:
        raise BiaslabError("This page belongs to no signed-in person. Load it again.")
    return access.home or owner_folder()


def owner_folder() -> Path:
    """Return ``$BIASLAB_HOME``, else the system's folder for user data."""
    configured = os.environ.get("BIASLAB_HOME")
    if configured:
        return Path(configured).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("biaslab", appauthor=False))


def shown_path(path: str | os.PathLike[str]) -> str:
    """Return a path as the person who is asking may see it.

    The owner sees it whole. Anybody else sees it below their own folder, or only its name: where
    the server keeps its files is not theirs to know.
    """
    access = current_access()
    if access.is_owner:
        return os.fspath(path)
    for folder in (access.home, access.shared):
        if folder is not None and Path(path).is_relative_to(folder):
            return Path(path).relative_to(folder).as_posix()
    return Path(path).name
