"""Run a script many times, each in a process of its own, without importing everything each time.

``python forked_runs.py SCRIPT TIMES TOGETHER`` runs the script once by a fresh interpreter, imports
what it has imported, and forks for every other run: what a script does, and how it ends, is that of
a process that was started for it. Writes one line per run: how it ended (an exit status, or minus a
signal's number), and in JSON what it wrote to standard error. Files go beside the script.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

_LIST_MODULES = """
import sys as _sys
from pathlib import Path as _Path
_Path(__file__).with_suffix(".modules").write_text("\\n".join(_sys.modules), encoding="utf-8")
"""


def main(script: Path, times: int, together: int) -> None:
    """Run the script so often, so many at a time."""
    code = script.read_text(encoding="utf-8")
    first = script.with_suffix(".first.py")
    first.write_text(code + _LIST_MODULES, encoding="utf-8")
    done = subprocess.run([sys.executable, str(first)], capture_output=True, text=True)
    _tell(done.returncode, done.stderr)
    if times > 1:
        _import_all(first.with_suffix(".modules"))
    running: dict[int, Path] = {}
    for number in range(1, times):
        if len(running) == together:
            _wait(running)
        said = script.with_suffix(f".{number}.txt")
        pid = os.fork()
        if not pid:
            os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            # In the main module, whose variables live until the interpreter ends.
            exec(compile(code, str(script), "exec"), sys.modules["__main__"].__dict__)
            sys.exit()
        running[pid] = said
    while running:
        _wait(running)


def _import_all(names: Path) -> None:
    if not names.exists():  # the first run failed
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names.read_text(encoding="utf-8").split():
            # Some modules of a package cannot be imported by their own names.
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def _wait(running: dict[int, Path]) -> None:
    pid, status = os.wait()
    said = running.pop(pid).read_text(encoding="utf-8", errors="replace")
    _tell(os.waitstatus_to_exitcode(status), said)


def _tell(status: int, said: str) -> None:
    sys.stdout.write(f"{status} {json.dumps(said)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
