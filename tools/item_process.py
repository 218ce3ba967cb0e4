"""A process that runs items of `validate`: the long tests of a file, or one kernel.

It has a group of its own and a limit for each item, and ends with all that it started.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import portability  # noqa: E402  (beside this file)
from harness.executed import ALL, Executed, Recorder, joined  # noqa: E402

KERNELS = "tools/portability.py"
PINNED = "constraints.txt"
ENDS_S = 30
"""An interrupted process has so long for its teardown before it is killed."""


def file_of(item: str) -> str:
    """Return what runs in one process: a file of tests, or one kernel."""
    return item if item.startswith(KERNELS) else item.partition("::")[0]


@dataclass
class ItemProcess:
    """One process that runs items, and what is known when it ends.

    - `now`: the item that runs.
    """

    items: list[str]
    log: Path
    limit_s: float
    end: float
    done: set[str] = field(default_factory=set)
    now: str | None = None
    since: float = field(default_factory=time.monotonic)

    def results(self, seed: int | None) -> Generator[dict[str, Any], None, None]:
        """Yield each result as it comes; of an item that ends the process too."""
        with tempfile.TemporaryDirectory(prefix="validate-") as folder:
            recorder = Recorder(Path(folder) / "flags")
            ours, theirs = socket.socketpair()
            number = str(theirs.fileno())
            environment = {**os.environ, **recorder.environment(), "BIASLAB_RESULTS": number}
            if seed is not None:
                environment["BIASLAB_FUZZ_SEED"] = str(seed)
            self.log.parent.mkdir(parents=True, exist_ok=True)
            with self.log.open("wb") as log:
                process = subprocess.Popen(
                    self._command(),
                    cwd=ROOT,
                    env=environment,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            theirs.close()
            try:
                if self._of_kernel():
                    yield from self._kernel(process, recorder)
                else:
                    yield from self._tests(process, ours)
            finally:
                ours.close()
                _end(process, f"BIASLAB_EXECUTED={recorder.path}")

    def _of_kernel(self) -> bool:
        return self.items[0].startswith(KERNELS)

    def _command(self) -> list[str]:
        if self._of_kernel():
            return [sys.executable, KERNELS, "--setting", self.items[0].partition("::")[2]]
        options = ["-q", "-m", "", "-p", "no:xdist", "-p", "no:cacheprovider"]
        return [sys.executable, "-m", "pytest", *options, "-p", "harness.item_results", *self.items]

    def _kernel(
        self, process: subprocess.Popen[bytes], recorder: Recorder
    ) -> Iterator[dict[str, Any]]:
        (item,) = self.items
        used = sum(os.times()[2:4])
        while process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.5)
            if self._over():
                yield from self._late()
                return
        tests = (_test_files(file) for file in portability.numeric_files())
        self.done.add(item)
        yield {
            "item": item,
            "outcome": "failed" if process.returncode else "passed",
            "said": f"status {process.returncode}" if process.returncode else "",
            "wall_s": round(time.monotonic() - self.since, 2),
            "cpu_s": round(sum(os.times()[2:4]) - used, 2),
            "executed": joined(recorder.read(), {KERNELS: ALL}, *tests),
        }

    def _tests(
        self, process: subprocess.Popen[bytes], ours: socket.socket
    ) -> Iterator[dict[str, Any]]:
        ours.settimeout(0.5)
        rest = b""
        while not self._over():
            try:
                said = ours.recv(1 << 16)
            except TimeoutError:
                if process.poll() is not None:
                    break
                continue
            except ConnectionResetError:
                break
            if not said:
                break
            rest += said
            if rest.endswith(b"\n"):
                yield from self._told(rest)
                rest = b""
                with contextlib.suppress(OSError):
                    ours.send(b"+")
        else:
            yield from self._late()
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=ENDS_S)
        ended = f"the process ended with status {process.returncode}: see {self.log}"
        if self.now is not None or not self.done:
            yield from self._failed(ended)

    def _told(self, line: bytes) -> Iterator[dict[str, Any]]:
        said: dict[str, Any] = json.loads(line)
        if "began" in said:
            self.now, self.since = said["began"], time.monotonic()
        else:
            self.now = None
            self.done.add(said["item"])
            loaded = dict.fromkeys(said.pop("loaded"), 1)
            said["executed"] = joined(said["executed"], loaded, _test_files(file_of(said["item"])))
            yield said

    def _over(self) -> bool:
        return time.monotonic() > min(self.since + self.limit_s, self.end)

    def _late(self) -> Iterator[dict[str, Any]]:
        """An item that takes too long has failed; one that meets the end of the run has not."""
        if time.monotonic() < self.end:
            yield from self._failed(f"no end after {self.limit_s / 60:g} min")

    def _failed(self, said: str) -> Iterator[dict[str, Any]]:
        """The item that runs has failed; before the first one, all have."""
        wall = round(time.monotonic() - self.since, 2)
        for item in self.items if self.now is None else [self.now]:
            self.done.add(item)
            yield {"item": item, "outcome": "failed", "said": said, "wall_s": wall, "executed": {}}


def _test_files(file: str) -> Executed:
    """Return a file of tests, the conftest files above it, and the pinned versions."""
    above = [f"{folder}/conftest.py" for folder in Path(file).parents]
    return dict.fromkeys([file, PINNED, *(one for one in above if (ROOT / one).is_file())], ALL)


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End a process in order, then kill it with all that it started."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        # A second Ctrl-C does not wait.
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(timeout=ENDS_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    # Servers and kernels have sessions of their own. Linux shows whose environment they have.
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in environment.read_bytes():
                os.kill(int(environment.parent.name), signal.SIGKILL)
    process.wait()
