"""What strangers send to a running app, and what goes wrong with a visitor or beside the server.

It is answered or refused, said to whom it hits, and everybody else goes on.

``make validate`` goes on for ten minutes from the seed in ``BIASLAB_FUZZ_SEED``, as `test_fuzzing`.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from harness.deferred import Deferred
from harness.fuzz_served import TARGETS, FuzzedApp
from harness.fuzzing import finds, found_cases, tried
from harness.needs import needs
from harness.served_people import Browser, Served

pytestmark = needs("panel")
in_proc = pytest.mark.skipif(sys.platform != "linux", reason="Processes are looked at in /proc")
troublemakers = Deferred("benchmarks.troublemakers")
SMOKE_SEEDS = 4
MINUTES = 10
TOLD = {
    "a service answers garbage": "sent something other than text",
    "a visitor's store is locked for 4 s": "Saved as run",
    "messages are too large": "This is too large",
}
LATER = {
    "nothing": "",
    "a visitor vanishes in the middle of a run": "",
    "the process of a run is killed (SIGKILL)": "The process of this run ended before the run did",
    "a service never answers": "did not answer within 2 s",
    "a service answers a byte at a time": "did not answer within 2 s",
    "a run that waits for a service is stopped": "finished answers are kept",
    "the disk is full for 4 s": "Nothing was stored. Free some space",
    "uploads are begun and never finished": "",
    "the server is killed (SIGKILL) and started again": "this is the last result",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def stage(folder: Path) -> Iterator[Any]:
    log = ("--log-file", str(folder / "app.log"))
    with troublemakers.stage(
        lambda *arguments: Served(folder, *arguments, *log, opens_models=True)
    ) as here:
        yield here


@pytest.fixture(scope="module")
def fuzzed(stage: Any, folder: Path) -> Iterator[FuzzedApp]:
    with FuzzedApp(stage.app, folder / "app.log") as app:
        yield app


@pytest.mark.parametrize("name", TARGETS)
def test_valid_inputs_are_taken(name: str, fuzzed: FuzzedApp, tmp_path: Path) -> None:
    target = fuzzed.targets[name]
    for content in target.valid:
        finding = tried(name, target, content, tmp_path)
        assert finding is None, f"{content[:500]!r}\n{finding.error}"


@pytest.mark.parametrize(
    ("name", "file"), found_cases(TARGETS), ids=lambda one: getattr(one, "name", one)
)
def test_what_was_found_once_is_mended(
    name: str, file: Path, fuzzed: FuzzedApp, tmp_path: Path
) -> None:
    finding = tried(name, fuzzed.targets[name], file.read_bytes(), tmp_path)
    assert finding is None, finding.error


def test_damaged_inputs_are_answered_or_refused(fuzzed: FuzzedApp, tmp_path: Path) -> None:
    seeds = iter(range(SMOKE_SEEDS))
    for finding in finds(fuzzed.targets, seeds, tmp_path, seconds=60):
        pytest.fail(
            f"{finding.target}, seed {finding.seed}: {finding.content[:200]!r}\n{finding.error}"
        )


def test_without_sign_in_each_browser_has_a_folder_of_its_own(fuzzed: FuzzedApp) -> None:
    one, other = Browser(fuzzed.app), Browser(fuzzed.app)
    for browser in (one, other):
        assert browser.ask("/")[0] == HTTPStatus.OK
    assert one.cookies != other.cookies
    one.ask(f"/api/subjects/upload?upload={'a' * 12}&name=mine.txt", b"she 0 1\nhe 1 1\n")
    assert one.post("/api/subjects/add", upload="a" * 12, name="mine")[0] == HTTPStatus.OK
    for browser, there in ((one, True), (other, False)):
        rows = browser.json("/api/subjects")["subjects"]
        assert ("mine" in [row["name"] for row in rows]) is there


@pytest.mark.validate
def test_damaged_inputs_are_answered_or_refused_for_ten_minutes(
    fuzzed: FuzzedApp,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    record_property: Callable[[str, object], None],
) -> None:
    start = int(os.environ.get("BIASLAB_FUZZ_SEED", "0"))
    seeds = itertools.count(start)
    findings = list(itertools.islice(finds(fuzzed.targets, seeds, tmp_path, 60.0 * MINUTES), 20))
    following = next(seeds)
    record_property("next_seed", following)
    with capsys.disabled():
        print(f"Resume with BIASLAB_FUZZ_SEED={following}.")  # noqa: T201
    texts = [f"{one.target}, seed {one.seed}: {one.error.splitlines()[-1]}" for one in findings]
    assert texts == []


@in_proc
@pytest.mark.parametrize("name", TOLD)
def test_a_fault_ends_and_is_said(name: str, stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.troublemakers.HELD_S", 1)  # in place of the 4 of its name
    outcome = asyncio.run(troublemakers.FAULTS[name](stage))
    assert TOLD[name] in outcome.message


@in_proc
@pytest.mark.validate
@pytest.mark.parametrize("name", LATER)
def test_a_long_fault_ends_and_is_said(name: str, stage: Any) -> None:
    outcome = asyncio.run(troublemakers.FAULTS[name](stage))
    assert LATER[name] in outcome.message


@pytest.mark.validate
def test_every_fault_is_tried_here() -> None:
    assert set(TOLD) | set(LATER) == set(troublemakers.FAULTS)
