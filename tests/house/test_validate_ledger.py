"""The ledger of the long tests: what is run again, and what an interruption costs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.executed import Contents
from harness.server import wait_until
from validate import Ledger, Result, fitting, main, queue, shard, state

ROOT = Path(__file__).resolve().parents[2]
COPIED = (
    "tools/validate.py",
    "tools/item_process.py",
    "tools/portability.py",
    "tests/harness/__init__.py",
    "tests/harness/executed.py",
    "tests/harness/item_results.py",
    "tests/harness/startup/sitecustomize.py",
)
PRODUCT = {
    "biaslab/__init__.py": "",
    "biaslab/sums.py": '''
LIMIT = 3

def double(x):
    """Twice."""
    return 2 * x

def half(x):
    return x / 2
''',
    "biaslab/other.py": "def other():\n    return 1\n",
    "biaslab/served.py": "from biaslab.other import other\nprint(other())\n",
    "biaslab/unused.py": "",
    "biaslab/table.csv": "1\n",
}
BEGINS = """
import os, pathlib, subprocess, sys
import pytest

pytestmark = pytest.mark.validate
"""
# A process has loaded what earlier items loaded, so later items execute more.
TESTS = f"""{BEGINS}
def test_process():
    done = subprocess.run([sys.executable, "-m", "biaslab.served"], capture_output=True)
    assert done.stdout.strip() == b"1"

def test_double():
    from biaslab import sums
    assert sums.double(2) == 4

def test_half():
    from biaslab import sums
    assert sums.half(2) == 1

def test_data():
    assert (pathlib.Path(__file__).parents[1] / "biaslab/table.csv").read_text() == "1\\n"
"""
ENDS_BADLY = f"""{BEGINS}
def test_first():
    pass

def test_waits():
    waits = [sys.executable, "-c", "input()"]
    server = subprocess.Popen(waits, stdin=subprocess.PIPE, start_new_session=True)
    pathlib.Path("server").write_text(str(server.pid))
    if not pathlib.Path("go").exists():
        server.wait()
    server.kill()

def test_last():
    pass
"""
SAYS_MORE = f"""{BEGINS}
def test_skips():
    pytest.skip("no data")

def test_fuzzes(record_property):
    record_property("next_seed", int(os.environ.get("BIASLAB_FUZZ_SEED", "0")) + 5)

def test_crashes():
    os._exit(7)

def test_fails():
    assert 1 == 2
"""

KERNELS = """
import sys
from types import SimpleNamespace

def settings():
    return [SimpleNamespace(name="one thread"), SimpleNamespace(name="two threads")]

def numeric_files():
    return ["tests/test_it.py"]

if __name__ == "__main__":
    from biaslab.sums import double
    sys.exit(double(2) - 4 if sys.argv[2] == "one thread" else 1)
"""


class Repository:
    """A small repository with the tool in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        self.write("constraints.txt", "")
        self.write(".gitignore", "build/\n__pycache__/\n")
        self.write("pyproject.toml", "[tool.pytest.ini_options]\nmarkers = ['validate: long']\n")
        for name, text in PRODUCT.items():
            self.write(name, text)
        self.write("tests/test_it.py", TESTS)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    @property
    def ledger(self) -> Path:
        return self.folder / "build" / "validate.jsonl"

    def start(self, *arguments: str, tests: str = "tests/test_it.py") -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "tools/validate.py", "--tests", tests, *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def tool(self, *arguments: str, tests: str = "tests/test_it.py") -> tuple[int, str]:
        process = self.start(*arguments, tests=tests)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output

    def ran(self, *arguments: str, tests: str = "tests/test_it.py") -> list[str]:
        """Names of the tests that a run reports, in its order."""
        _, output = self.tool("run", *arguments, tests=tests)
        return [line.rpartition("::test_")[2] for line in output.splitlines() if "::test_" in line]

    def results(self) -> dict[str, dict[str, Any]]:
        lines = map(json.loads, self.ledger.read_text().splitlines())
        return {line["item"].rpartition("::test_")[2]: line for line in lines}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_what_executed_a_change_is_stale(repository: Repository) -> None:
    assert repository.ran() == ["process", "double", "half", "data"]
    assert repository.ran() == []
    results = Ledger(repository.ledger).latest
    sums, other = PRODUCT["biaslab/sums.py"], PRODUCT["biaslab/other.py"]
    for file, text, stale in [
        ("biaslab/sums.py", sums.replace("2 * x", "x + x"), "double"),
        ("biaslab/sums.py", sums.replace("= 3", "= 4"), "double half data"),
        (
            "biaslab/sums.py",
            sums.replace("Twice", "Double") + "\n# Why\ndef new():\n    pass\n",
            "",
        ),
        ("biaslab/other.py", other.replace("1", "2"), "process"),
        ("biaslab/table.csv", "2\n", "data"),
        ("constraints.txt", "numpy==2\n", "process double half data"),
        ("tests/test_it.py", TESTS.replace("== 4", "== 5"), "process double half data"),
        ("biaslab/unused.py", "X = 1", ""),
    ]:
        before = (repository.folder / file).read_text()
        repository.write(file, text)
        contents = Contents(repository.folder)
        states = {
            item.partition("::test_")[2]: state(each, contents) for item, each in results.items()
        }
        assert " ".join(name for name, each in states.items() if each == "stale") == stale, text
        repository.write(file, before)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_an_interruption_costs_one_item(repository: Repository, sign: signal.Signals) -> None:
    repository.write("tests/test_it.py", ENDS_BADLY)
    process, server = repository.start("run"), repository.folder / "server"
    wait_until(lambda: server.exists() and server.read_text() != "", "the second item")
    process.send_signal(sign)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == (-9 if sign == signal.SIGKILL else 130)
    assert list(repository.results()) == ["first"]
    if sign != signal.SIGKILL:
        assert "1 of 3 valid for this commit, 2 never run" in output
        wait_until(lambda: not _runs(int(server.read_text())), "the end of what the item started")
    with repository.ledger.open("a") as file:
        file.write('{"item": "tests/test_it.py::test_wa')
    (repository.folder / "go").touch()
    assert repository.ran() == ["waits", "last"]
    assert repository.tool("status", "--require-all")[0] == 0


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_an_item_that_takes_too_long_has_failed(repository: Repository) -> None:
    repository.write("tests/test_it.py", ENDS_BADLY)
    assert repository.ran("--limit", "0.05") == ["first", "waits", "last"]
    waits = repository.results()["waits"]
    assert (waits["outcome"], waits["said"]) == ("failed", "no end after 0.05 min")
    assert not _runs(int((repository.folder / "server").read_text()))


def test_the_end_of_the_minutes_is_no_failure(repository: Repository) -> None:
    repository.write("tests/test_it.py", ENDS_BADLY)
    status, said = repository.tool("run", "--minutes", "0.1")
    assert (status, list(repository.results())) == (0, ["first"])
    assert "1 of 3 valid for this commit, 2 never run" in said


def test_skips_crashes_and_seeds_are_kept(repository: Repository) -> None:
    repository.write("tests/test_it.py", SAYS_MORE)
    assert repository.tool("run")[0] == 1
    results = repository.results()
    assert {name: each["outcome"] for name, each in results.items()} == {
        "skips": "skipped",
        "fuzzes": "passed",
        "crashes": "failed",
        "fails": "failed",
    }
    assert "status 7" in results["crashes"]["said"]
    assert results["fails"]["said"] == "assert 1 == 2"
    _, said = repository.tool("status")
    assert said.startswith("1 of 4 valid for this commit, 2 failed; about")
    assert "1 skipped: no data" in said
    repository.write("tests/test_it.py", SAYS_MORE.replace("1 == 2", "True"))
    repository.tool("run")
    assert repository.results()["fuzzes"]["seed"] == 10


def test_each_kernel_is_an_item(repository: Repository) -> None:
    repository.write("tools/portability.py", KERNELS)
    assert repository.tool("run", tests="tests")[0] == 1
    results = Ledger(repository.ledger).latest
    kernels = {item: each for item, each in results.items() if item.startswith("tools/")}
    assert [(each.outcome, each.said) for each in kernels.values()] == [
        ("passed", ""),
        ("failed", "status 1"),
    ]
    one = kernels["tools/portability.py::one thread"]
    assert state(one, Contents(repository.folder)) == "valid"
    repository.write("biaslab/sums.py", PRODUCT["biaslab/sums.py"].replace("2 * x", "x + x"))
    assert state(one, Contents(repository.folder)) == "stale"


def test_files_that_cannot_be_collected_have_failed(repository: Repository) -> None:
    repository.ran()
    repository.write("tests/test_it.py", TESTS.replace("import pytest", "import pytest, gone"))
    status, said = repository.tool("run")
    assert status == 1
    assert "No module named 'gone'" in said


def test_ledgers_are_merged(tmp_path: Path) -> None:
    one, two = Ledger(tmp_path / "one.jsonl"), Ledger(tmp_path / "two.jsonl")
    one.add(Result("a", "failed", ended="2026-01-02"))
    two.add(Result("a", "passed", ended="2026-01-03", executed={"x.py": (1, "h")}))
    two.add(Result("b", "passed", ended="2026-01-01"))
    one.add(Result("a", "passed", ended="2026-01-03"))
    into = tmp_path / "three.jsonl"
    for _ in range(2):
        main(["--ledger", str(into), "merge", str(one.path), str(two.path)])
    assert Ledger(into).latest["a"].executed == {"x.py": [1, "h"]}
    assert [(each.item, each.outcome) for each in Ledger(into).results] == [
        ("b", "passed"),
        ("a", "failed"),
        ("a", "passed"),
    ]


def test_dearest_come_first_among_failed_then_new_then_stale() -> None:
    states = {
        "a.py::1": "stale",
        "b.py::1": "stale",
        "b.py::2": "failed",
        "c.py::1": "valid",
        "d.py::1": "never run",
        "e.py::1": "skipped",
        "b.py::3": "stale",
    }
    taken = {"a.py::1": 5.0, "b.py::1": 3.0, "b.py::3": 3.0}
    assert queue(states, {**dict.fromkeys(states, 1.0), **taken}) == [
        ["b.py::2"],
        ["d.py::1"],
        ["b.py::1", "b.py::3"],
        ["a.py::1"],
        ["e.py::1"],
    ]


def test_what_does_not_fit_into_the_minutes_is_left() -> None:
    assert fitting(["a", "b", "c"], {"a": 50.0, "b": 30.0, "c": 20.0}, 52.0) == ["a"]
    assert fitting(["a", "b", "c"], {"a": 50.0, "b": 30.0, "c": 20.0}, 50.0) == ["a"]
    assert fitting(["a", "b", "c"], {"a": 55.0, "b": 30.0, "c": 20.0}, 50.0) == ["b", "c"]


def test_shards_hold_each_item_once_and_take_about_the_same_time() -> None:
    taken = {f"{file}.py::{n}": 10.0 * (file + 1) for file in range(6) for n in range(3)}
    parts = [shard(list(taken), taken, number, 3) for number in (1, 2, 3)]
    assert sorted(item for part in parts for item in part) == sorted(taken)
    assert [sum(map(taken.__getitem__, part)) for part in parts] == [210, 210, 210]
    files = [{item.partition("::")[0] for item in part} for part in parts]
    assert sum(map(len, files)) == 6
