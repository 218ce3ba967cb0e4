"""A server of apertium-apy, started on this machine and for this machine only."""

from __future__ import annotations

import atexit
import os
import subprocess
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

from biaslab.asking.providers.apertium import (
    INSTALL,
    MODES,
    ApertiumCommand,
    ApertiumHTTP,
    content_hash,
    end_all,
    is_installed,
    modes,
    program,
    surroundings,
)
from biaslab.asking.service import Limits
from biaslab.errors import ServiceSetupError
from biaslab.network import reaching
from biaslab.records.calls import recorded
from biaslab.threads.background import end_threads, start_timer

# apertium-apy listens on all interfaces and has no option against it, so its one call that binds
# sockets is led to 127.0.0.1, at a port that is free. It ends when whoever started it has ended.
_ON_THIS_MACHINE_ONLY = """
import os, signal, sys, threading
import tornado.tcpserver
bind_anywhere = tornado.tcpserver.bind_sockets
def bind_here(port, address=None, **options):
    sockets = bind_anywhere(port, "127.0.0.1", **options)
    print(sockets[0].getsockname()[1], flush=True)
    return sockets
tornado.tcpserver.bind_sockets = bind_here
def end_with_the_other():
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)
threading.Thread(target=end_with_the_other, daemon=True).start()
from apertium_apy.apy import main
main()
"""
_STARTS_WITHIN = 60.0


class ApertiumServer:
    """A local apertium-apy server, reachable only from this machine.

    Parameters
    ----------
    folder : Path
        Folder of the pairs' mode files.

    Attributes
    ----------
    url : str
        Its address.
    translator : ApertiumHTTP
        Its answers are stored under the hashes of the pairs' data, so they are found again by
        another server with the same data.

    Raises
    ------
    ServiceSetupError
        If apertium-apy is not installed, or does not start; quotes its output.

    Examples
    --------
    >>> with ApertiumServer() as server:                                # doctest: +SKIP
    ...     server.translator.translate(["She is a nurse."], "en", "es")
    ['Es una enfermera .']
    """

    def __init__(self, folder: Path = MODES, *, limits: Limits | None = None) -> None:
        command = [
            _interpreter(program("apertium-apy")), "-I", "-c", _ON_THIS_MACHINE_ONLY,
            str(folder), "-p", "0", "-j", "1",
        ]  # fmt: skip
        self._owner = os.getpid()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the server
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
                env=surroundings(), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self._log.close()
            raise ServiceSetupError(f"apertium-apy cannot be started: {error}") from error
        self.url = f"http://127.0.0.1:{self._port()}"
        pairs = modes(folder)
        self.translator = ApertiumHTTP(
            self.url,
            version=lambda source, target: content_hash(pairs[source, target]),
            limits=limits,
        )

    @property
    def pid(self) -> int:
        """Of the server's process, which leads a group of its own."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the server is still there."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Stop the server and its programs; do nothing if it has ended."""
        if os.getpid() != self._owner:  # a forked process ends, and the server is not its own
            return
        end_all(self._process)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                stream.close()

    def __enter__(self) -> ApertiumServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<ApertiumServer {self.url}{'' if self.running else ', ended'}>"

    def _port(self) -> int:
        """Return the port, once the server listens; raise if the server ends first."""
        assert self._process.stdout is not None  # noqa: S101  # opened with a pipe
        late = start_timer(_STARTS_WITHIN, lambda: end_all(self._process))
        try:
            line = self._process.stdout.readline()
        finally:
            late.cancel()
        if line.strip().isdigit():
            return int(line)
        self._process.wait()
        self._log.seek(0)
        said = " ".join(self._log.read().decode("utf-8", "replace").split())[-300:]
        self.stop()
        raise ServiceSetupError(f"apertium-apy did not start: {said or 'it took too long.'}")


def _interpreter(script: str) -> str:
    """Return the Python interpreter in a script's first line, which has its packages."""
    with Path(script).open(encoding="utf-8") as lines:
        first = lines.readline().strip()
    if not first.startswith("#!"):
        raise ServiceSetupError(
            f"{script} does not name the Python that runs it. Start the server yourself."
        )
    words = first.removeprefix("#!").split()
    return program(words[1]) if words[0].endswith("/env") and len(words) > 1 else words[0]


class _SharedApertium(ApertiumHTTP):
    """The current server of this process, which is restarted after it ends."""

    about = "rule-based translator on this machine"

    def _ask(self, path: str, form: dict[str, str] | None = None) -> Any:
        self.url = shared_server().url
        with reaching(self.url):
            return super()._ask(path, form)


_shared: dict[int, ApertiumServer] = {}
_shared_lock = threading.Lock()


def shared_server() -> ApertiumServer:
    """Return the only server of this process; start it if it does not run.

    Raises
    ------
    ServiceSetupError
        If apertium-apy is not installed, or does not start.
    """
    with _shared_lock:
        server = _shared.get(os.getpid())
        if server is None or not server.running:
            server = ApertiumServer()
            _shared[os.getpid()] = server
            atexit.register(_stop_after_threads, server)
        return server


def _stop_after_threads(server: ApertiumServer) -> None:
    """Stop the server at exit, after the threads that would start another one."""
    end_threads()
    server.stop()


def shared_translator() -> ApertiumHTTP:
    """Return a translator that outlives its server: later calls start another one.

    Raises
    ------
    ServiceSetupError
        As of `shared_server`.
    """
    of = shared_server().translator
    return _SharedApertium(of.url, version=of.version)


def server_is_installed() -> bool:
    """Return whether apertium-apy, and any pair of languages, is installed."""
    return is_installed("apertium-apy")


@recorded
def apertium(url: str | None = None) -> ApertiumHTTP | ApertiumCommand:
    """Return Apertium, a rule-based translator that works offline.

    Parameters
    ----------
    url : str, optional
        Address of a server of apertium-apy. By default one is started for this process, reached by
        this machine only, and restarted if it ends; if apertium-apy is not installed, the
        program ``apertium`` is run.

    Returns
    -------
    Translator
        To be given to `RoundTrip` or `Translation`.

    Raises
    ------
    ServiceSetupError
        If none of them is installed; says how to install them.
    """
    if url is not None:
        return ApertiumHTTP(url)
    if server_is_installed():
        return shared_translator()
    if is_installed():
        return ApertiumCommand()
    raise ServiceSetupError(f"Apertium is not installed. On Debian and Ubuntu: {INSTALL}")


def apertium_is_installed() -> bool:
    """Return whether `apertium` finds one on this machine, without starting it."""
    return is_installed() or server_is_installed()
