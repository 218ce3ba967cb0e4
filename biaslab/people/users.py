"""The file of people who may sign in to a served app: names, roles and hashed passwords."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import stat
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from biaslab.errors import BiaslabError
from biaslab.files.atomic import write_atomically
from biaslab.people.access import Role

SHORTEST = 8
"""Characters of a password, at least."""
LONGEST = 1024
_NAME = re.compile(r"[\w.@+-]{1,80}")
# RFC 7914, section 2: 16 MB and about 50 ms a try.
_COST = {"n": 2**14, "r": 8, "p": 1}
ROLES = (Role.OWNER, Role.TEACHER, Role.VISITOR)


class UsersError(BiaslabError):
    """The file of users cannot be read, or what is to be written into it is not allowed."""


@dataclass(frozen=True)
class User:
    """A person who may sign in.

    Attributes
    ----------
    role : Role
    salt, hash : str
        Of the password, by scrypt, in hexadecimal.
    """

    role: Role
    salt: str
    hash: str

    def knows(self, password: str) -> bool:
        """Whether this is the person's password."""
        return hmac.compare_digest(_hashed(password, bytes.fromhex(self.salt)), self.hash)

    @cached_property
    def stamp(self) -> str:
        """Changes with the role and the password, also when the same one is given again."""
        return hashlib.sha256(f"{self.role} {self.salt} {self.hash}".encode()).hexdigest()


NOBODY_KNOWN = User(Role.VISITOR, "00" * 16, "00" * 64)
"""Compared with where there is no such name, so that both take the same time."""


def read_users(path: Path) -> dict[str, User]:
    """Return the users by name.

    Raises `UsersError` if the file is missing, damaged, or readable by everybody on the machine.
    """
    try:
        mode = path.stat().st_mode
        values = json.loads(path.read_text(encoding="utf-8"))
        users = {
            name: User(Role(one["role"]), str(one["salt"]), str(one["hash"]))
            for name, one in values["users"].items()
        }
    except OSError as error:
        raise UsersError(
            f"{path.name} cannot be read ({error.strerror}). Make it: biaslab users add NAME"
            f" --file {path}"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsersError(
            f"{path.name} is no file of users. Make one: biaslab users add NAME --file FILE"
        ) from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsersError(f"{path.name} can be read by others. Run: chmod 600 {path}")
    return users


_held: dict[Path, tuple[tuple[int, ...], dict[str, User]]] = {}


def current_users(path: Path) -> dict[str, User]:
    """Return the users as `read_users` does, from memory while the file is unchanged."""
    try:
        now = os.stat(path)  # noqa: PTH116  # asked at each message: `Path.stat` takes twice as long
    except OSError:
        return read_users(path)  # it says what to do
    version = (now.st_mtime_ns, now.st_ctime_ns, now.st_ino, now.st_size, now.st_mode)
    if path not in _held or _held[path][0] != version:
        _held[path] = version, read_users(path)
    return _held[path][1]


def set_user(path: Path, name: str, password: str, role: Role = Role.VISITOR) -> None:
    """Add a user, or give one another password and role.

    Raises `UsersError` if the name has other characters than letters, digits and ``._@+-``, or the
    password is too short or too long.
    """
    if not _NAME.fullmatch(name):
        raise UsersError("A name has 1 to 80 letters, digits and . _ @ + -")
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsersError(f"A password has {SHORTEST} to {LONGEST} characters.")
    salt = secrets.token_bytes(16)
    users = read_users(path) if path.exists() else {}
    users[name] = User(Role(role), salt.hex(), _hashed(password, salt))
    _write(path, users)


def remove_user(path: Path, name: str) -> None:
    """Remove a user, whose folder stays.

    Raises `UsersError` if there is none of that name.
    """
    users = read_users(path)
    if users.pop(name, None) is None:
        raise UsersError(f"There is no user {name!r} in {path.name}.")
    _write(path, users)


def _write(path: Path, users: dict[str, User]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600, exist_ok=True)
    text = json.dumps({"version": 1, "users": {n: asdict(u) for n, u in users.items()}}, indent=1)
    write_atomically(path, text + "\n")
    path.chmod(0o600)


def _hashed(password: str, salt: bytes) -> str:
    given = password[:LONGEST].encode()
    return hashlib.scrypt(given, salt=salt, n=_COST["n"], r=_COST["r"], p=_COST["p"]).hex()
