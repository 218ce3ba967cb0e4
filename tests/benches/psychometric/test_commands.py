"""Commands of the front end: files that hold the result, saving, and failures that are told."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.core.subjects.sources import sources
from harness.driven import Driven
from harness.emitted import PATIENCE_S, Gate, GatedSubject, observers
from harness.heavy import pd


class Bench(Driven):
    """A controller and the replies to its commands."""

    def __init__(self, subject: Any = None, **values: Any) -> None:
        super().__init__(lambda emit: PsychometricController(sources(subject or observers()), emit))
        self.controller.change({"word": "nurse", **values})


def test_csv_has_the_estimates_of_the_screen() -> None:
    bench = Bench(selected_pairs=[0, 1])
    picture = bench.until(lambda picture: True)
    reply = bench.reply("csv")
    frame = pd.read_csv(io.StringIO(reply["content"]))
    pooled = frame[frame["pooled"]].iloc[0]
    assert len(frame) == 3
    assert pooled["pse"] == pytest.approx(picture["pse"])
    assert (pooled["pse_low"], pooled["pse_high"]) == pytest.approx(picture["corpus"])


def test_csv_of_the_raw_responses_has_a_row_per_switch_point() -> None:
    bench = Bench(selected_pairs=[0, 1])
    reply = bench.reply("csv", what="responses")
    frame = pd.read_csv(io.StringIO(reply["content"]))
    assert len(frame) == 12 * 2
    expected = bench.controller.result.switch.ravel()
    assert frame["switch_point"].to_numpy() == pytest.approx(expected, abs=1e-6)


def test_what_fails_is_told_and_the_next_command_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench()
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("BIASLAB_HOME", str(blocked / "below"))
    assert str(blocked) in bench.refused("save")
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    assert bench.reply("save")["ok"]


def test_without_a_result_a_file_is_refused_and_the_reason_told() -> None:
    assert "unheard-of" in Bench(word="unheard-of").refused("json")


def test_a_command_is_obeyed_once_however_often_its_state_is_answered() -> None:
    bench = Bench()
    bench.reply("csv")
    for generation in range(1, 6):
        bench.controller.change({"alpha": generation / 10, "generation": generation})
        bench.emitted.answer(generation=generation)
    replies = [outputs["reply"] for outputs in bench.emitted.log if "reply" in outputs]
    assert [reply["id"] for reply in replies] == [1]


def test_a_command_gets_the_newest_state_even_when_changes_are_waiting() -> None:
    gate = Gate()
    bench = Bench(GatedSubject(gate))
    assert gate.entered.wait(PATIENCE_S)
    bench.controller.change({"word": "teacher"})
    bench.controller.change({"command": {"id": 1, "name": "json", "args": {}}})
    gate.open()
    state = bench.emitted.until(lambda s: s.get("reply", {}).get("id") == 1)
    assert state["reply"]["filename"] == "two-afc-teacher.json"


def test_a_file_name_holds_no_sign_that_a_file_system_refuses() -> None:
    subject = bl.observers.embedding(pse={"a/b: c?": 0.5}, jnd=0.1, replicates=4, seed=1)
    reply = Bench(subject, word="a/b: c?").reply("json")
    assert reply["filename"] == "two-afc-a-b--c-.json"
