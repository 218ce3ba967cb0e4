"""Who asks: a person by a signed cookie, and the access under which the app works for them."""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from biaslab.errors import BiaslabError
from biaslab.people.access import Access, Role, owner_folder
from biaslab.people.users import NOBODY_KNOWN, User, read_users

COOKIE: Final = "biaslab-person"
OAUTH_COOKIE: Final = "user"
"""Where another service signs people in; Bokeh's pages look for it too."""
_BROWSER: Final = "browser-"
DAYS: Final = 30
"""A cookie is good for so long."""
SECRET_VARIABLE: Final = "BIASLAB_COOKIE_SECRET"  # noqa: S105  # its name, not a secret
_SHORTEST_SECRET = 16


@dataclass(frozen=True)
class People:
    """Who may use the app, and as what.

    - `local`: whether only this machine reaches the app: whoever uses it then is the owner.
    - `users`: file of those who may sign in; None where nobody signs in.
    - `oauth`: whether another service signs people in, whose names `owners` and `teachers` list.
    - `secret`: signs the cookies.
    """

    local: bool = True
    users: Path | None = None
    oauth: bool = False
    owners: frozenset[str] = frozenset()
    teachers: frozenset[str] = frozenset()
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def is_owners_alone(self) -> bool:
        """Whether everybody who gets here is the owner."""
        return self.local and not self.sign_in

    @property
    def sign_in(self) -> bool:
        """Whether people have to sign in."""
        return self.oauth or self.users is not None

    def new_cookie(self, name: str = "") -> str:
        """Return the cookie of a person who signed in, or of a browser that is new."""
        text = name or f"{_BROWSER}{secrets.token_hex(12)}"
        from tornado.web import create_signed_value

        return create_signed_value(self.secret, COOKIE, text).decode()

    def named(self, cookie: str | None) -> str:
        """Return the name in a cookie; empty where it is missing, forged or too old."""
        from tornado.web import decode_signed_value

        name = decode_signed_value(self.secret, COOKIE, cookie, max_age_days=DAYS)
        return name.decode() if name else ""

    def access_of(self, name: str) -> Access | None:
        """Return what a person may do; None for one who has to sign in first."""
        if self.is_owners_alone:
            return Access(name)
        role = self._role_of(name)
        if role is None:
            return None
        folder = owner_folder()
        home = None if role is Role.OWNER else folder / "users" / folder_of(name)
        return Access(name, role, home, folder / "shared")

    def admits(self, name: str, password: str) -> bool:
        """Whether a name and password are those of a user; takes the same time for all names."""
        user = self.known.get(name, NOBODY_KNOWN)
        return user.knows(password) and user is not NOBODY_KNOWN

    @property
    def known(self) -> dict[str, User]:
        """Those who may sign in by name, as the file has them now."""
        return read_users(self.users) if self.users is not None else {}

    def _role_of(self, name: str) -> Role | None:
        if self.users is not None:
            user = self.known.get(name)  # one who was removed meanwhile is out at once
            return user.role if user else None
        if self.oauth:
            if not name:
                return None
            if name in self.owners:
                return Role.OWNER
            return Role.TEACHER if name in self.teachers else Role.VISITOR
        return Role.VISITOR


def signed_in(access: Access) -> str:
    """Return the name under which a person signed in; empty for a browser without one."""
    return "" if access.user.startswith(_BROWSER) or access.role is Role.NOBODY else access.user


def folder_of(name: str) -> str:
    """Return the name of a person's folder, which no name of a person can lead out of."""
    return hashlib.sha256(name.encode()).hexdigest()[:24]


def cookie_secret(file: Path | None = None) -> str:
    """Return the secret of ``$BIASLAB_COOKIE_SECRET``, or of a file that is made if need be.

    Raises `BiaslabError` if it is too short, or the file can be read by others.
    """
    if given := os.environ.get(SECRET_VARIABLE):
        return _long_enough(given, SECRET_VARIABLE)
    path = file or owner_folder() / "cookie-secret"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
                new.write(secrets.token_urlsafe(48))
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise BiaslabError(f"{path.name} can be read by others. Run: chmod 600 {path}")
        return _long_enough(path.read_text(encoding="utf-8").strip(), path.name)
    except OSError as error:
        raise BiaslabError(
            f"The cookie secret cannot be kept in {path} ({error.strerror}). Set"
            f" {SECRET_VARIABLE}, or name another file."
        ) from error


def _long_enough(secret: str, where: str) -> str:
    if len(secret) < _SHORTEST_SECRET:
        raise BiaslabError(
            f"The cookie secret in {where} has {len(secret)} characters; it needs at least"
            f" {_SHORTEST_SECRET} random ones."
        )
    return secret
