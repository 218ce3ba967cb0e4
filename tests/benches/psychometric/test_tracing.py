"""The passages behind a bias: searched for on request, shown with the question they answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.trace.counted import counts_folder
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.core.subjects.sources import sources
from harness.emitted import Emitted, observers
from harness.needs import needs
from harness.planted_passages import train, write_text

pytestmark = needs("gensim")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traced")
    write_text(folder / "text.txt")
    return train(folder / "text.txt", folder / "planted")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    return tmp_path


def _controller(planted: Path, **values: Any) -> tuple[PsychometricController, Emitted]:
    emitted = Emitted()
    made = PsychometricController(sources(bl.load(planted)), emitted)
    made.change({"word": "nurse", "pairs": [["she", "he"]], "selected_pairs": [0], **values})
    return made, emitted


def _wait_for(emitted: Emitted, name: str, holds: Callable[[Any], bool]) -> Any:
    return emitted.until(lambda state: name in state and holds(state[name]))[name]


def _with_counts(planted: Path) -> None:
    folder = counts_folder("planted")
    folder.parent.mkdir(parents=True)
    folder.symlink_to(planted, target_is_directory=True)


def test_nothing_is_searched_for_before_it_is_asked_for(planted: Path, home: Path) -> None:
    _, emitted = _controller(planted)
    shown = _wait_for(emitted, "traced", lambda traced: traced["possible"])
    assert (shown["state"], shown["offered"]) == ("none", False)
    _with_counts(planted)
    _, emitted = _controller(planted)
    assert _wait_for(emitted, "traced", lambda traced: traced["possible"])["offered"]


def test_passages_are_found_and_marked(planted: Path, home: Path) -> None:
    _with_counts(planted)
    made, emitted = _controller(planted)
    made.change({"command": {"id": 1, "name": "trace", "args": {}}})
    shown = _wait_for(emitted, "traced", lambda traced: traced["state"] == "ready")
    assert shown["current"]
    result = made.tracer.result
    assert [one["line"] for one in shown["toward_1"]] == [one.line for one in result.toward_1]
    assert shown["toward_1"][0]["pull"] == result.toward_1[0].pull > 0
    words = {span["text"]: span["role"] for span in shown["toward_1"][0]["text"]}
    assert words["nurse"] == "strong"
    text = "".join(span["text"] for span in shown["toward_1"][0]["text"])
    assert text == result.toward_1[0].text
    assert not shown["checked"]
    made.change({"command": {"id": 2, "name": "trace", "args": {"check": True}}})
    checked = _wait_for(emitted, "traced", lambda traced: traced["checked"])
    assert checked["current"]
    assert "Really left out: 10 passages" in checked["caveat"]
    made.change({"word": "clerk"})
    later = _wait_for(emitted, "traced", lambda traced: not traced["current"])
    assert (later["state"], later["word"], later["possible"]) == ("ready", "nurse", True)


def test_missing_counts_are_told_with_the_remedy_and_no_path(planted: Path, home: Path) -> None:
    made, emitted = _controller(planted)
    made.change({"command": {"id": 1, "name": "trace", "args": {}}})
    shown = _wait_for(emitted, "traced", lambda traced: traced["state"] == "error")
    assert "biaslab train counts" in shown["problem"]
    assert str(home) not in shown["problem"]
    with pytest.raises(QueryError, match="find them first"):
        _ = made.tracer.result


def test_an_unknown_word_cannot_be_traced(planted: Path, home: Path) -> None:
    made, emitted = _controller(planted, word="no-such-word")
    made.change({"command": {"id": 1, "name": "trace", "args": {}}})
    reply = _wait_for(emitted, "reply", lambda reply: reply["id"] == 1)
    assert not reply["ok"]
    assert "Choose" in reply["message"]


def test_found_passages_are_exported_and_saved(planted: Path, home: Path) -> None:
    _with_counts(planted)
    made, emitted = _controller(planted)
    made.change({"command": {"id": 1, "name": "trace", "args": {}}})
    _wait_for(emitted, "traced", lambda traced: traced["state"] == "ready")
    made.change({"command": {"id": 2, "name": "trace_csv", "args": {}}})
    reply = _wait_for(emitted, "reply", lambda reply: reply["id"] == 2)
    assert reply["filename"] == "trace-nurse.csv"
    assert reply["content"] == made.tracer.result.to_csv()
    made.change({"command": {"id": 3, "name": "save_trace", "args": {}}})
    assert _wait_for(emitted, "reply", lambda reply: reply["id"] == 3)["ok"]
    (run,) = bl.Store().runs()["id"]
    assert bl.Store().open(run) == made.tracer.result


def test_only_ensembles_are_traced(home: Path) -> None:
    emitted = Emitted()
    made = PsychometricController(sources(observers()), emitted)
    made.change({"word": "nurse", "command": {"id": 1, "name": "trace", "args": {}}})
    assert not _wait_for(emitted, "reply", lambda reply: reply["id"] == 1)["ok"]
    assert "traced" not in emitted.state
