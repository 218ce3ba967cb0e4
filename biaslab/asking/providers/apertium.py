"""Apertium, a rule-based translator: its files, its program, and its server."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import signal
import subprocess
import threading
import urllib.parse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from biaslab.asking.http import fetch_json
from biaslab.asking.languages import language_code
from biaslab.asking.service import Cost, Limits
from biaslab.asking.translation import no_pair
from biaslab.errors import (
    ServiceAnswerError,
    ServiceFailedError,
    ServiceSetupError,
    ServiceTimeoutError,
)
from biaslab.records.calls import recorded_class


def run(command: Sequence[str], text: str, *, timeout: float) -> str:
    """Return a program's output for a text.

    Parameters
    ----------
    command : sequence of str
        Program and arguments; no shell reads them.
    text : str
        Its input.
    timeout : float
        Seconds; then it is ended, with the programs that it started.

    Raises
    ------
    ServiceSetupError
        If it cannot be started.
    ServiceTimeoutError, ServiceFailedError
        If it takes too long, or ends with an error.
    """
    name = os.path.basename(command[0])  # noqa: PTH119  # a program's name is no path
    try:
        process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=surroundings(), start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise ServiceSetupError(f"{name} cannot be started: {error}") from error
    with process:
        try:
            output, problems = process.communicate(text.encode(), timeout=timeout)
        except subprocess.TimeoutExpired:
            raise ServiceTimeoutError(f"{name} did not end within {timeout:g} s.") from None
        finally:
            if process.returncode is None:
                end_all(process)
    if process.returncode:
        said = " ".join(problems.decode("utf-8", "replace").split())[:300]
        raise ServiceFailedError(f"{name} ended with error {process.returncode}: {said}")
    return output.decode("utf-8", "replace")


def end_all(process: subprocess.Popen[bytes]) -> None:
    """End a program that runs in a session of its own, and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def surroundings() -> dict[str, str]:
    """Return an environment in which Apertium's programs read and write UTF-8."""
    return {**os.environ, "LC_ALL": "C.UTF-8"}


MODES = Path("/usr/share/apertium/modes")
"""Folder of the pairs in Debian's packages."""
PACKAGES = (
    "apertium", "apertium-eng-spa", "apertium-eng-cat", "apertium-en-gl", "apertium-eo-en",
    "apertium-cat-ita", "apertium-fra-cat", "apertium-por-cat", "apertium-apy",
)  # fmt: skip
"""Debian's packages of the pairs that the docs and the tests use, and of the server."""
INSTALL = f"apt-get install {' '.join(PACKAGES)}"
_CODE = r"[a-z]{2,3}(?:_[A-Za-z0-9]+)*"
_PAIR = re.compile(rf"({_CODE})-({_CODE})")
_QUOTED = re.compile(r"'([^']+)'")


def program(name: str) -> str:
    """Return the path of one of Apertium's programs.

    Raises
    ------
    ServiceSetupError
        If it is not installed; says how to install it.
    """
    path = shutil.which(name)
    if path is None:
        raise ServiceSetupError(f"{name} is not installed. On Debian and Ubuntu: {INSTALL}")
    return path


def is_installed(name: str = "apertium") -> bool:
    """Return whether this program, and any pair of languages, is installed."""
    return shutil.which(name) is not None and bool(modes())


def modes(folder: Path = MODES) -> dict[tuple[str, str], Path]:
    """Pair of languages, as codes of `language_code`, to its mode file."""
    result = {}
    for path in sorted(folder.glob("*.mode")):
        pair = _PAIR.fullmatch(path.stem)
        if pair:
            result[language_code(pair[1]), language_code(pair[2])] = path
    return result


def content_hash(mode: Path) -> str:
    """Return the SHA-256 of a pair's mode file and the files it names.

    Returns
    -------
    str
        The first 16 hexadecimal digits.
    """
    files = [Path(name) for name in _QUOTED.findall(mode.read_text(encoding="utf-8"))]
    stamps = tuple(
        (str(file), file.stat().st_mtime_ns, file.stat().st_size)
        for file in (mode, *files)
        if file.is_file()
    )
    return _hash_of(stamps)


@functools.lru_cache(maxsize=64)
def _hash_of(stamps: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, _, _ in stamps:
        digest.update(hashlib.sha256(Path(name).read_bytes()).digest())
    return digest.hexdigest()[:16]


@recorded_class
class ApertiumCommand:
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
        self._modes = modes(folder)

    def pairs(self) -> frozenset[tuple[str, str]]:
        """See `Translator.pairs`."""
        return frozenset(self._modes)

    def identity_of(self, source: str, target: str) -> str:
        """Pair with the hash of its rules and dictionaries."""
        return f"apertium {source}-{target} {content_hash(self._mode(source, target))}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        mode = self._mode(source, target)
        # The program's directory option is the parent of the modes' folder.
        command = [self._program, "-u", "-f", "txt", "-d", str(mode.parent.parent), mode.stem]
        return [run(command, text, timeout=self.limits.timeout).strip() for text in texts]

    def _mode(self, source: str, target: str) -> Path:
        if (source, target) not in self._modes:
            raise no_pair(self.name, source, target, self._modes)
        return self._modes[source, target]

    def __repr__(self) -> str:
        return f"<ApertiumCommand with {len(self._modes)} pairs>"


@recorded_class
class ApertiumHTTP:
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
        self._pairs: dict[tuple[str, str], tuple[str, str]] | None = None
        self._lock = threading.Lock()

    @property
    def about(self) -> str:
        """Description with the address."""
        return f"rule-based translator at {urllib.parse.urlsplit(self.url).netloc}"

    def pairs(self) -> frozenset[tuple[str, str]]:
        """See `Translator.pairs`; queries the server on first use.

        Raises
        ------
        ServiceError
            If the server does not say.
        """
        return frozenset(self._known())

    def identity_of(self, source: str, target: str) -> str:
        """Pair and version."""
        version = self.version(source, target) if callable(self.version) else self.version
        return f"apertium-apy {source}-{target} {version or self.url}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        known = self._known()
        if (source, target) not in known:
            raise no_pair(self.name, source, target, known)
        pair = "|".join(known[source, target])
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

    def _known(self) -> dict[tuple[str, str], tuple[str, str]]:
        """Map codes of `language_code` to the server's own."""
        with self._lock:
            if self._pairs is None:
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
                self._pairs = {(language_code(a), language_code(b)): (a, b) for a, b in named}
            return self._pairs

    def _ask(self, path: str, form: dict[str, str] | None = None) -> Any:
        return fetch_json(
            f"{self.url}/{path}", name=self.name, timeout=self.limits.timeout,
            method="GET" if form is None else "POST",
            body=None if form is None else urllib.parse.urlencode(form).encode(),
            headers={"Content-Type": "application/x-www-form-urlencoded"} if form else None,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<ApertiumHTTP {self.url}>"
