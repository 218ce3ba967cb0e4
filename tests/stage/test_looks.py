"""Every state of every bench looks right: wide and narrow, light and dark, with every card open."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

import front_end
from biaslab_widgets.benches import BENCHES
from harness.recording import State
from harness.stage import NARROW, WIDE, Stage, StagedBench
from harness.variants import states

AXE = front_end.JS / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture
def looking(stage: Stage) -> Stage:
    """The stage with axe-core, without motion, and after a key: the focus is shown from then on."""
    stage.page.evaluate(f"window.axe ?? (() => {{ {Path(AXE).read_text('utf-8')} }})()")
    stage.still()
    stage.page.keyboard.press("Tab")
    return stage


@pytest.mark.parametrize("bench", [entry.name for entry in BENCHES])
def test_every_state_looks_right(looking: Stage, bench: str) -> None:
    faults = []
    for width in (WIDE, NARROW):
        looking.width(width)
        view = looking.mount(bench)
        for name, state in states(bench).items():
            view.take(state)
            for where, found in look(view, state):
                faults += [f"{name}{where}, {width} px: {fault}" for fault in found]
        looking.clear()
    assert faults == [], "\n" + "\n".join(faults)


def look(view: StagedBench, state: State) -> list[tuple[str, list[str]]]:
    """What is wrong with the bench, and with each card that opens for the first time."""
    if state["answer"]["state"] == "loading":
        # What is nearly done is not told at once.
        waits = "first in line" if state["line"]["jobs"] else state["answer"]["message"]["title"]
        expect(view.root).to_contain_text(waits)
    number = view.number
    cards = view.page.evaluate("n => stage.cards(n)", number)
    whole = view.page.evaluate("n => stage.look(n)", number)
    return [("", whole), *((f", {opener} open", found) for opener, found in cards)]
