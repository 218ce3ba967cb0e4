"""Who asks: a person by a signed cookie, and the access under which the app works for them."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from biaslab.errors import BiaslabError
from biaslab.people.access import Access, Role, owner_folder
from biaslab.people.users import NOBODY_KNOWN, User, UsersError, current_users
from biaslab_widgets.app.security.sign_ins import SignIns, id_of

logger = logging.getLogger("biaslab")

COOKIE: Final = "biaslab-person"
OAUTH_COOKIE: Final = "user"
"""Where another service signs people in; Bokeh's pages look for it too."""
_BROWSER: Final = "browser-"
DAYS: Final = 30
"""A cookie is good for so long."""
OAUTH_DAYS: Final = 1
"""So is one of a person whom another service has signed in."""
KNOWN_COOKIE: Final = "biaslab-known"
"""Stays after signing out: strangers do not hold up a person in a browser of theirs."""
KNOWN_DAYS: Final = 365
SIGN_INS_FILE: Final = "sign-ins.sqlite"
SECRET_VARIABLE: Final = "BIASLAB_COOKIE_SECRET"  # noqa: S105  # its name, not a secret
_SHORTEST_SECRET = 16


@dataclass(frozen=True)
class People:
    """Who may use the app, and as what.

    - `local`: whether whoever bears the token is the owner, and nobody else gets in; without one
      whoever reaches the app is, as through a socket that is the owner's.
    - `users`: file of those who may sign in; None where nobody signs in.
    - `oauth`: another service that signs people in, whose names `owners` and `teachers` list; empty
      for none.
    - `secret`: signs the cookies.
    - `token`: of the address that the server prints; of a server for others, of its monitors.
    """

    local: bool = True
    users: Path | None = None
    oauth: str = ""
    owners: frozenset[str] = frozenset()
    teachers: frozenset[str] = frozenset()
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    token: str = field(default="", repr=False)

    @property
    def is_owners_alone(self) -> bool:
        """Whether everybody who gets here is the owner."""
        return self.local and not self.sign_in

    @property
    def sign_in(self) -> bool:
        """Whether people have to sign in."""
        return bool(self.oauth) or self.users is not None

    @cached_property
    def sign_ins(self) -> SignIns:
        """Those who are signed in."""
        return SignIns(owner_folder() / SIGN_INS_FILE)

    def new_cookie(self, name: str = "", stamp: str | None = None) -> str:
        """Return the cookie of a person who signed in, or of a browser that is new.

        - `stamp`: of the password that the person knew, as `admits` gave it; of now without it.
        """
        if self.sign_in:
            known = self._stamp_of(name) or "" if stamp is None else stamp
            return self.sign_ins.begin(name, known, OAUTH_DAYS if self.oauth else DAYS)
        text = name or f"{_BROWSER}{secrets.token_hex(12)}"
        from tornado.web import create_signed_value

        return create_signed_value(self.secret, self._signed_as, text).decode()

    def access_by(self, cookie: str | None) -> Access | None:
        """Return what whoever bears a cookie may do; None for one who has to sign in first."""
        if self.sign_in:
            sign_in = id_of(cookie or "")
            name = self._name_of(sign_in)
            role = self._role_of(name) if name else None
            return self._access(name, role, sign_in) if role else None
        from tornado.web import decode_signed_value

        signed = decode_signed_value(self.secret, self._signed_as, cookie, max_age_days=DAYS)
        return self._access(signed.decode(), Role.VISITOR) if signed else None

    def knows_token(self, token: str) -> bool:
        """Whether a request brings the token of this server."""
        return bool(self.token) and hmac.compare_digest(token.encode(), self.token.encode())

    def lets_in(self, token: str) -> bool:
        """Whether a browser without a cookie gets one, for the token that it brings."""
        return not self.sign_in and (not self.local or not self.token or self.knows_token(token))

    def holds(self, access: Access) -> bool:
        """Whether an access is still good: its sign-in has not ended."""
        return not self.sign_in or self._name_of(access.sign_in) == access.user

    def leaves(self, cookie: str | None) -> None:
        """End the sign-in of a cookie, for all pages that it opened."""
        if self.sign_in and cookie:
            self.sign_ins.end(id_of(cookie))

    def known_cookie(self, name: str) -> str:
        """Return a cookie that says who has signed in here; it opens nothing."""
        from tornado.web import create_signed_value

        return create_signed_value(self.secret, KNOWN_COOKIE, name).decode()

    def knew(self, cookie: str | None) -> str:
        """Return who has signed in in a browser with such a cookie; empty for nobody."""
        from tornado.web import decode_signed_value

        name = decode_signed_value(self.secret, KNOWN_COOKIE, cookie, max_age_days=KNOWN_DAYS)
        return name.decode() if name else ""

    def _home(self, folder: Path, name: str) -> Path:
        """Folder of a person; those of browsers that nobody named expire."""
        if self.sign_in or (folder / "users" / name).is_dir():  # as it was in earlier versions
            return folder / "users" / name
        return folder / "visitors" / name

    def admits(self, name: str, password: str) -> str:
        """Return the stamp of a user with this name and password; empty where there is none.

        It takes the same time for all names.
        """
        user = self.known.get(name, NOBODY_KNOWN)
        return user.stamp if user.knows(password) and user is not NOBODY_KNOWN else ""

    @property
    def known(self) -> dict[str, User]:
        """Those who may sign in by name, as the file has them now."""
        return current_users(self.users) if self.users is not None else {}

    @property
    def _signed_as(self) -> str:
        # The cookie of a visitor of one server must not open the owner's other one.
        return f"{COOKIE}-owner" if self.local else COOKIE

    def _name_of(self, sign_in: str) -> str:
        """Return whose sign-in it is; empty where it has ended.

        That of a person who was removed, or has another password or role, has.
        """
        row = self.sign_ins.find(sign_in)
        try:
            return row.user if row and row.stamp == self._stamp_of(row.user) else ""
        except UsersError as error:
            logger.error("%s Until then nobody gets in.", error)
            return ""

    def _stamp_of(self, name: str) -> str | None:
        if self.users is not None:
            user = self.known.get(name)
            return user.stamp if user else None
        return f"{self.oauth} {self._role_of(name)}"

    def _access(self, name: str, role: Role, sign_in: str = "") -> Access:
        if self.is_owners_alone:
            return Access(name)
        folder = owner_folder()
        home = None if role is Role.OWNER else self._home(folder, folder_of(name))
        return Access(name, role, home, folder / "shared", sign_in=sign_in)

    def _role_of(self, name: str) -> Role | None:
        if self.users is not None:
            user = self.known.get(name)
            return user.role if user else None
        if name in self.owners:
            return Role.OWNER
        return Role.TEACHER if name in self.teachers else Role.VISITOR


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
        return long_enough(given, SECRET_VARIABLE)
    path = file or owner_folder() / "cookie-secret"
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
                new.write(secrets.token_urlsafe(48))
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise BiaslabError(f"{path.name} can be read by others. Run: chmod 600 {path}")
        return long_enough(path.read_text(encoding="utf-8").strip(), path.name)
    except OSError as error:
        raise BiaslabError(
            f"The cookie secret cannot be kept in {path} ({error.strerror}). Set"
            f" {SECRET_VARIABLE}, or name another file."
        ) from error


def long_enough(secret: str, where: str) -> str:
    """Return a secret; raise `BiaslabError` if it could be guessed."""
    if len(secret) < _SHORTEST_SECRET:
        raise BiaslabError(
            f"The secret in {where} has {len(secret)} characters; it needs at least"
            f" {_SHORTEST_SECRET} random ones."
        )
    return secret
