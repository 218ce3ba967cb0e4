"""A PostgreSQL server of its own on 127.0.0.1, with an empty place for each test."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

from harness.server import wait_until

INSTALL = "apt-get install postgresql"
_SECONDS_TO_START = 60.0
_USER = "lab"


def programs() -> Path | None:
    """Folder of the newest PostgreSQL on this machine; None where there is none."""
    newest = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name.zfill(4)
    )
    on_path = shutil.which("initdb")
    folders = [*reversed(newest), *([Path(on_path).parent] if on_path else [])]
    return next((path for path in folders if (path / "postgres").exists()), None)


class PostgresServer:
    """Runs while it is used as a context manager; its data are deleted afterwards.

    Parameters
    ----------
    folder : Path
        Of PostgreSQL's programs.
    """

    def __init__(self, folder: Path) -> None:
        self._programs = folder
        self._password = secrets.token_urlsafe(12)
        self._numbers = count(1)

    def __enter__(self) -> PostgresServer:
        self._folder = tempfile.TemporaryDirectory(prefix="postgresql-")
        try:
            self._start(Path(self._folder.name))
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGQUIT)  # at once: the data are not needed again
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def new_store(self) -> str:
        """Return the URL of an empty store, with the password.

        Each has its own schema: databases take long to create.
        """
        name = f"store_{next(self._numbers)}"
        with self.connect() as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        where = f"{_USER}:{self._password}@127.0.0.1:{self.port}/postgres"
        return f"postgresql+psycopg://{where}?options=-csearch_path%3D{name}"

    def connect(self) -> Any:
        """Open a connection of psycopg, where each statement is a transaction."""
        import psycopg

        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user=_USER,
            password=self._password,
            dbname="postgres",
            autocommit=True,
        )

    def _start(self, folder: Path) -> None:
        data, password = folder / "data", folder / "password"
        password.write_text(self._password)
        owner = _other_user() if os.geteuid() == 0 else None  # PostgreSQL refuses root
        if owner is not None:
            for path in (folder, password):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        options: dict[str, Any] = {"cwd": folder, "env": {"PATH": os.defpath, "LC_ALL": "C"}}
        if owner is not None:
            options |= {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        login = ("-U", _USER, "--auth=scram-sha-256", f"--pwfile={password}")
        initdb = (self._programs / "initdb", "-D", data, *login, "-E", "UTF8", "--no-sync")
        subprocess.run(initdb, check=True, capture_output=True, **options)
        self.port = _free_port()
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(folder),
            "fsync": "off",  # the data do not outlive the tests
        }
        pairs = [f"-c{name}={value}" for name, value in settings.items()]
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", data, "-p", str(self.port), *pairs],
                stdout=log,
                stderr=log,
                **options,
            )
        try:
            self._wait_until_ready(folder / "log")
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    def _wait_until_ready(self, log: Path) -> None:
        where = ("-h", "127.0.0.1", "-p", str(self.port))
        ask = (str(self._programs / "pg_isready"), "-q", *where)

        def is_ready() -> bool:
            if self._process.poll() is not None:
                raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text()}")
            return subprocess.run(ask, check=False).returncode == 0

        wait_until(is_ready, "PostgreSQL", _SECONDS_TO_START)


def _other_user() -> pwd.struct_passwd:
    """Return the user that Debian's package makes, else the one that owns nothing."""
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
