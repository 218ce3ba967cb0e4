"""Whose folder is used, and what may be reached, while a person's question is answered."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from biaslab.errors import BiaslabError
from biaslab.people.outbound import ANYWHERE, NOWHERE, Outbound

R = TypeVar("R")


class Role(StrEnum):
    """What a person may do on a server."""

    OWNER = "owner"
    """Whoever runs the process: may name its files, use its keys and call any address."""
    TEACHER = "teacher"
    """May share runs, lists and subjects with everybody."""
    VISITOR = "visitor"
    """Works in a folder of their own, and reaches only what the owner allows."""
    NOBODY = "nobody"
    """May not do anything."""


@dataclass(frozen=True)
class Access:
    """A person, and what may be done in their name.

    Attributes
    ----------
    user : str
        Identifies the person; empty for the owner.
    role : Role
    home : Path or None
        Folder of the person's runs, lists and subjects; None for the owner's own.
    shared : Path or None
        Folder of what somebody shared with everybody; None where one person works alone.
    outbound : Outbound or None
        What may be called in their name; None: anything for the owner, and what
        `set_outbound_for_others` says for others.
    sign_in : str
        Identifies the sign-in that it comes from, which can end; empty where nobody signs in.
    """

    user: str = ""
    role: Role = Role.OWNER
    home: Path | None = None
    shared: Path | None = None
    outbound: Outbound | None = None
    sign_in: str = field(default="", compare=False, repr=False)

    @property
    def is_owner(self) -> bool:
        """Whether this is whoever runs the process."""
        return self.role is Role.OWNER

    @property
    def may_share(self) -> bool:
        """Whether the person may share with everybody on this server."""
        return self.shared is not None and self.role in (Role.OWNER, Role.TEACHER)

    @property
    def reach(self) -> Outbound:
        """What may be called in the person's name; nothing in the name of nobody."""
        if self.outbound is not None:
            return self.outbound
        if self.role is Role.NOBODY:
            return NOWHERE
        return ANYWHERE if self.is_owner else _for_others


_for_others = NOWHERE
OWNER = Access()
NOBODY = Access("nobody", Role.NOBODY)

_access: ContextVar[Access] = ContextVar("biaslab-access")
_otherwise = OWNER


def current_access() -> Access:
    """Return the access under which the caller works."""
    return _access.get(_otherwise)


@contextmanager
def acting_as(access: Access) -> Iterator[None]:
    """Work under a person's access in this block."""
    before = _access.set(access)
    try:
        yield
    finally:
        _access.reset(before)


def carrying_access(call: Callable[..., R]) -> Callable[..., R]:
    """Return `call` so that it works under the access of now, whoever calls it."""
    access = current_access()

    @functools.wraps(call, updated=())
    def carried(*args: Any, **kwargs: Any) -> R:
        with acting_as(access):
            return call(*args, **kwargs)

    return carried


def without_access() -> Access:
    """Return the access of work that belongs to no person."""
    return _otherwise


def set_access_otherwise(access: Access) -> None:
    """Set the access of work that belongs to no person, in this process."""
    global _otherwise
    _otherwise = access


def has_person() -> bool:
    """Return whether the caller works under an access that was given."""
    return _access.get(None) is not None


def set_outbound_for_others(outbound: Outbound) -> None:
    """Set what everybody but the owner may call, in this process."""
    global _for_others
    _for_others = outbound


def home_folder() -> Path:
    """Return the folder of the person who is asking.

    On a server it is theirs alone (`biaslab.people.access`). Else it is `owner_folder`.

    Raises `BiaslabError` if the work belongs to no person, and a server that others reach must not
    guess one.
    """
    access = current_access()
    if access.role is Role.NOBODY:
        raise BiaslabError("This page belongs to no signed-in person. Load it again.")
    return access.home or owner_folder()


def owner_folder() -> Path:
    """Return ``$BIASLAB_HOME``, else the system's folder for user data."""
    configured = os.environ.get("BIASLAB_HOME")
    if configured:
        return _absolute(configured)
    import platformdirs

    return Path(platformdirs.user_data_dir("biaslab", appauthor=False))


@functools.cache
def _absolute(folder: str) -> Path:
    """Return where a folder is; it stays there when a program changes its current folder."""
    return Path(folder).expanduser().absolute()


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
