"""A server process on 127.0.0.1: started, waited for, and ended with all its children."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

BETWEEN_S = 0.02, 0.1
"""After so long what does not hold yet is looked at again, at first and in the end: who asks
without a pause keeps the machine from getting there."""


def free_port() -> int:
    """A port on 127.0.0.1 that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def attempts(deadline_s: float) -> Iterator[bool]:
    """Yield whenever it is time to look again, with whether that is the last time."""
    end, (pause, longest) = time.monotonic() + deadline_s, BETWEEN_S
    while not (last := time.monotonic() > end):
        yield last
        threading.Event().wait(pause)
        pause = min(2 * pause, longest)
    yield last


def wait_until(state: Callable[[], bool], what: str, deadline_s: float = 30) -> None:
    """Ask for a state until it holds; raise TimeoutError, naming it, when the deadline passes."""
    if not any(state() for _ in attempts(deadline_s)):
        raise TimeoutError(f"{what} did not come about within {deadline_s:g} s.")


def answers(url: str) -> bool:
    """Whether a GET of the address is answered with success."""
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(200 <= response.status < 300)
    except (urllib.error.URLError, OSError):
        return False


class Server:
    """A server process: a context manager that is entered when ``ready_url`` answers.

    Its output goes to ``log``, and into the error message when it ends too early or never answers.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        ready_url: str,
        log: Path,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        deadline_s: float = 90,
    ) -> None:
        self.command = list(command)
        self.ready_url = ready_url
        self.log = log
        self.environment = {**os.environ, **(env or {})}
        self._cwd = cwd
        self._deadline_s = deadline_s
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            # Its own process group, so that kernels and workers end with it.
            self._process = subprocess.Popen(
                self.command,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env=self.environment,
                cwd=self._cwd,
                start_new_session=True,
            )
        try:
            wait_until(self._up, f"An answer from {self.ready_url}", self._deadline_s)
        except BaseException as error:
            self.stop()
            error.add_note(f"{' '.join(self.command)}\nprinted:\n{self.output()[-4000:]}")
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Process id of the running server."""
        assert self._process is not None
        return self._process.pid

    def output(self) -> str:
        """What the server printed so far."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def stop(self) -> None:
        """End the server and its children; kill them when they do not follow."""
        process, self._process = self._process, None
        if process is None:
            return
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, sign)
            except ProcessLookupError:
                break
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                continue
        process.wait()

    def _up(self) -> bool:
        assert self._process is not None
        if answers(self.ready_url):
            return True
        if (status := self._process.poll()) is None:
            return False
        raise RuntimeError(f"The server ended with status {status} before it answered.")
