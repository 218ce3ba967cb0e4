"""Apertium, a rule-based translator: its files, its program, and its server."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from biaslab.asking.http import fetch_json
from biaslab.asking.languages import language_code
from biaslab.asking.protocols import Cost, Limits
from biaslab.asking.translation import PairedTranslator
from biaslab.errors import (
    ServiceAnswerError,
    ServiceFailedError,
    ServiceSetupError,
    ServiceTimeoutError,
)
from biaslab.network import reaching
from biaslab.records.calls import recorded, recorded_class
from biaslab.threads.background import end_threads, start_timer

MODES = Path("/usr/share/apertium/modes")
"""Folder of the pairs in Debian's packages."""
PACKAGES = (
    "apertium", "apertium-eng-spa", "apertium-eng-cat", "apertium-en-gl", "apertium-eo-en",
    "apertium-cat-ita", "apertium-fra-cat", "apertium-por-cat", "apertium-apy",
)  # fmt: skip
"""Debian's packages of the pairs that the docs and the tests use, and of the server."""
SERVER = "apertium-apy"
INSTALL = f"apt-get install {' '.join(PACKAGES)}"
_SURROUNDINGS = {"LC_ALL": "C.UTF-8"}
"""With these, Apertium's programs read and write UTF-8."""
_CODE = r"[a-z]{2,3}(?:_[A-Za-z0-9]+)*"
_PAIR = re.compile(rf"({_CODE})-({_CODE})")
_QUOTED = re.compile(r"'([^']+)'")


def run(command: Sequence[str], text: str, *, timeout: float) -> str:
    """Return a program's output for a text, or raise a `ServiceError`.

    No shell reads the command. After `timeout` seconds the program is ended, with the programs that
    it started.
    """
    name = os.path.basename(command[0])  # noqa: PTH119  # a program's name is no path
    with _started(command, name, stderr=subprocess.PIPE) as process:
        try:
            output, problems = process.communicate(text.encode(), timeout=timeout)
        except subprocess.TimeoutExpired:
            raise ServiceTimeoutError(f"{name} did not end within {timeout:g} s.") from None
        finally:
            if process.returncode is None:
                _end_all(process)
    if process.returncode:
        said = " ".join(problems.decode("utf-8", "replace").split())[:300]
        raise ServiceFailedError(f"{name} ended with error {process.returncode}: {said}")
    return output.decode("utf-8", "replace")


def _started(command: Sequence[str], name: str, *, stderr: Any) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own."""
    try:
        return subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
            env=os.environ | _SURROUNDINGS, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise ServiceSetupError(f"{name} cannot be started: {error}") from error


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End a program that runs in a session of its own, and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def program(name: str) -> str:
    """Return the path of one of Apertium's programs, or say how to install it."""
    path = shutil.which(name)
    if path is None:
        raise ServiceSetupError(f"{name} is not installed. On Debian and Ubuntu: {INSTALL}")
    return path


def is_installed(name: str = "apertium") -> bool:
    """Return whether this program, and any pair of languages, is installed."""
    return shutil.which(name) is not None and bool(modes())


def apertium_is_installed() -> bool:
    """Return whether `apertium` finds one on this machine, without starting it."""
    return is_installed() or is_installed(SERVER)


def modes(folder: Path = MODES) -> dict[tuple[str, str], Path]:
    """Pair of languages, as codes of `language_code`, to its mode file."""
    pairs = {path: _PAIR.fullmatch(path.stem) for path in sorted(folder.glob("*.mode"))}
    return {
        (language_code(pair[1]), language_code(pair[2])): path
        for path, pair in pairs.items()
        if pair
    }


def content_hash(mode: Path) -> str:
    """Return 16 digits of the SHA-256 of a pair's mode file and the files it names."""
    files = [mode, *map(Path, _QUOTED.findall(mode.read_text(encoding="utf-8")))]
    stats = [(str(file), file.stat()) for file in files if file.is_file()]
    return _hash_of(tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats))


@functools.lru_cache(maxsize=64)
def _hash_of(stamps: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, _, _ in stamps:
        digest.update(hashlib.sha256(Path(name).read_bytes()).digest())
    return digest.hexdigest()[:16]


@recorded_class
class ApertiumCommand(PairedTranslator):
    """Apertium's program on this machine.

    Unknown words stay unchanged, without a mark.

    Parameters
    ----------
    folder : Path
        Folder of the pairs' mode files.
    limits : Limits, optional
        By default two runs at once.

    Raises
    ------
    ServiceSetupError
        If Apertium is not installed.
    """

    name = "Apertium"
    about = "rule-based translator on this machine"

    def __init__(self, folder: Path = MODES, *, limits: Limits | None = None) -> None:
        self.limits = limits or Limits(concurrency=2)
        self.cost = Cost()
        self._program = program("apertium")
        self.known = modes(folder)

    def identity_of(self, source: str, target: str) -> str:
        """Pair with the hash of its rules and dictionaries."""
        return f"apertium {source}-{target} {content_hash(self.of_pair(source, target))}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        mode = self.of_pair(source, target)
        # The program's directory option is the parent of the modes' folder.
        command = [self._program, "-u", "-f", "txt", "-d", str(mode.parent.parent), mode.stem]
        return [run(command, text, timeout=self.limits.timeout).strip() for text in texts]

    def __repr__(self) -> str:
        return f"<ApertiumCommand with {len(self.known)} pairs>"


@recorded_class
class ApertiumHTTP(PairedTranslator):
    """A server of apertium-apy.

    Unknown words stay unchanged, without a mark.

    Parameters
    ----------
    url : str
        Its address, such as ``"http://127.0.0.1:2737"``.
    version : str or callable, optional
        Version of the answers in the store: a text, or a function of the pair (source, target).
        By default the address, so give one where the server's data change under one address.
    limits : Limits, optional
        By default two calls at once.
    """

    name = "Apertium"

    def __init__(
        self,
        url: str,
        *,
        version: str | Callable[[str, str], str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.limits = limits or Limits(concurrency=2)
        self.cost = Cost()
        self.version = version

    @property
    def about(self) -> str:
        """Description with the address."""
        return f"rule-based translator at {urllib.parse.urlsplit(self.url).netloc}"

    def identity_of(self, source: str, target: str) -> str:
        """Pair and version."""
        version = self.version(source, target) if callable(self.version) else self.version
        return f"apertium-apy {source}-{target} {version or self.url}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        pair = "|".join(self.of_pair(source, target))
        return [self._translate(text, pair) for text in texts]

    def _translate(self, text: str, pair: str) -> str:
        form = {"langpair": pair, "markUnknown": "no", "format": "txt", "q": text}
        answer = self._ask("translate", form)
        try:
            return str(answer["responseData"]["translatedText"]).strip()
        except (KeyError, TypeError):
            raise ServiceAnswerError(
                f"{self.name} sent JSON without a translation: is {self.url} an apertium-apy?"
            ) from None

    @functools.cached_property
    def known(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """Codes of `language_code` to the server's own; queries the server on first use."""
        answer = self._ask("listPairs")
        try:
            named = [
                (str(each["sourceLanguage"]), str(each["targetLanguage"]))
                for each in answer["responseData"]
            ]
        except (KeyError, TypeError):
            raise ServiceAnswerError(
                f"{self.url} does not list its pairs: is it an apertium-apy?"
            ) from None
        return {(language_code(a), language_code(b)): (a, b) for a, b in named}

    def _ask(self, path: str, form: dict[str, str] | None = None) -> Any:
        sent: dict[str, Any] = {}
        if form is not None:
            kind = {"Content-Type": "application/x-www-form-urlencoded"}
            sent = {
                "method": "POST",
                "headers": kind,
                "body": urllib.parse.urlencode(form).encode(),
            }
        return fetch_json(f"{self.url}/{path}", name=self.name, timeout=self.limits.timeout, **sent)

    def __repr__(self) -> str:
        return f"<ApertiumHTTP {self.url}>"


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

    Its translator's answers are stored under the hashes of the pairs' data, so they are found again
    by another server with the same data.

    Parameters
    ----------
    folder, limits
        As of `ApertiumCommand`.

    Attributes
    ----------
    url : str
        Its address.
    pid : int
        Of its process, which leads a group of its own.
    translator : ApertiumHTTP

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
        python = _interpreter(program(SERVER))
        command = [python, "-I", "-c", _ON_THIS_MACHINE_ONLY, str(folder), "-p", "0", "-j", "1"]
        self._owner = os.getpid()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the server
        try:
            self._process = _started(command, SERVER, stderr=self._log)
        except ServiceSetupError:
            self._log.close()
            raise
        self.pid = self._process.pid
        self.url = f"http://127.0.0.1:{self._port()}"
        pairs = modes(folder)
        self.translator = ApertiumHTTP(
            self.url,
            version=lambda source, target: content_hash(pairs[source, target]),
            limits=limits,
        )

    @property
    def running(self) -> bool:
        """Whether the server is still there."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Stop the server and its programs; do nothing if it has ended."""
        if os.getpid() != self._owner:  # a forked process ends, and the server is not its own
            return
        _end_all(self._process)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                stream.close()

    def __enter__(self) -> ApertiumServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<ApertiumServer {self.url}{'' if self.running else ', ended'}>"

    def _port(self) -> int:
        """Return the port, once the server listens; raise if the server ends first."""
        assert self._process.stdout is not None  # noqa: S101  # opened with a pipe
        late = start_timer(_STARTS_WITHIN, lambda: _end_all(self._process))
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
    """The current server of this process: later calls start another one after it ends."""

    about = "rule-based translator on this machine"

    def _ask(self, path: str, form: dict[str, str] | None = None) -> Any:
        self.url = shared_server().url
        with reaching(self.url):
            return super()._ask(path, form)


_shared: dict[int, ApertiumServer] = {}
_shared_lock = threading.Lock()


def shared_server() -> ApertiumServer:
    """Return the only server of this process; start it if it does not run."""
    with _shared_lock:
        server = _shared.get(os.getpid())
        if server is None or not server.running:
            server = _shared[os.getpid()] = ApertiumServer()
            atexit.register(_stop_after_threads, server)
        return server


def _stop_after_threads(server: ApertiumServer) -> None:
    """Stop the server at exit, after the threads that would start another one."""
    end_threads()
    server.stop()


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
    if is_installed(SERVER):
        own = shared_server().translator
        return _SharedApertium(own.url, version=own.version)
    if is_installed():
        return ApertiumCommand()
    raise ServiceSetupError(f"Apertium is not installed. On Debian and Ubuntu: {INSTALL}")
