"""What goes wrong with a visitor, or beside the server, stays there and is said to whom it hits."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from harness.deferred import Deferred
from harness.needs import needs
from harness.served_app import ServedApp

pytestmark = [
    needs("panel"),
    pytest.mark.skipif(sys.platform != "linux", reason="Processes are looked at in /proc"),
]
troublemakers = Deferred("benchmarks.troublemakers")
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
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("faults")
    with troublemakers.stage(
        lambda *arguments: ServedApp(folder, arguments, opens_models=False)
    ) as here:
        yield here


@pytest.mark.parametrize("name", TOLD)
def test_a_fault_ends_and_is_said(name: str, stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.troublemakers.HELD_S", 1)  # in place of the 4 of its name
    outcome = asyncio.run(troublemakers.FAULTS[name](stage))
    assert TOLD[name] in outcome.told


@pytest.mark.validate
@pytest.mark.parametrize("name", LATER)
def test_a_long_fault_ends_and_is_said(name: str, stage: Any) -> None:
    outcome = asyncio.run(troublemakers.FAULTS[name](stage))
    assert LATER[name] in outcome.told


@pytest.mark.validate
def test_every_fault_is_tried_here() -> None:
    assert set(TOLD) | set(LATER) == set(troublemakers.FAULTS)
