"""A notebook's output holds the last picture of a bench, and what brings its settings back."""

from __future__ import annotations

import json
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import biaslab_widgets
from biaslab_widgets.benches import BENCHES
from biaslab_widgets.hosts import last_picture
from harness.deferred import Deferred
from harness.emitted import PATIENCE_S, observers
from harness.heavy import ipywidgets
from harness.server import wait_until

jupyter = Deferred("biaslab_widgets.hosts.jupyter")
PICTURE = "image/svg+xml"


class Shell:
    """What a kernel's shell publishes, and the ends of its cells."""

    def __init__(self) -> None:
        self.published: list[dict[str, Any]] = []
        self.new = threading.Event()
        self.at_end: list[Callable[[Any], object]] = []
        self.display_pub = self
        self.events = self

    def publish(self, **output: Any) -> None:
        self.published.append(output)
        self.new.set()

    def register(self, event: str, call: Callable[[Any], object]) -> None:
        assert event == "post_run_cell"
        self.at_end.append(call)

    def end_cell(self) -> None:
        for call in self.at_end:
            call(None)

    @property
    def last(self) -> dict[str, Any]:
        return self.published[-1]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    made = Shell()
    monkeypatch.setattr(last_picture, "_shell", lambda: made)
    yield made
    ipywidgets.Widget.close_all()


def shown(shell: Shell, word: str = "nurse") -> biaslab_widgets.PsychometricBench:
    bench = biaslab_widgets.PsychometricBench(observers(), word=word)
    bench._ipython_display_()
    return bench


def test_the_output_is_updated_when_the_hand_rests(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_picture, "REST_S", 0.05)
    bench = shown(shell)
    first = shell.last
    assert not first["update"]
    assert "nurse" in first["data"][PICTURE]
    bench.word = "teacher"
    wait_until(lambda: "teacher" in shell.last["data"][PICTURE], "A new picture", PATIENCE_S)
    assert shell.last["update"]
    assert shell.last["transient"] == first["transient"]
    assert shell.last["data"][jupyter.BENCH]["settings"]["word"] == "teacher"
    # The view is named as before, so that what shows it can leave it alone.
    view = "application/vnd.jupyter.widget-view+json"
    assert shell.last["data"][view] == first["data"][view]


def test_the_end_of_a_cell_updates_at_once(shell: Shell) -> None:
    bench = shown(shell)
    bench.word = "teacher"
    shell.end_cell()
    assert "teacher" in shell.last["data"][PICTURE]
    count = len(shell.published)
    shell.end_cell()
    assert len(shell.published) == count


def test_an_output_stays_where_an_update_would_renew_the_view(shell: Shell) -> None:
    bench = shown(shell)
    bench.set_state({"_place": "other"})
    bench.word = "teacher"
    shell.end_cell()
    assert len(shell.published) == 1
    bench.set_state({"_place": "lab"})
    shell.end_cell()
    assert "teacher" in shell.last["data"][PICTURE]


def test_the_last_picture_stays_while_a_run_goes_on(shell: Shell) -> None:
    bench = shown(shell)
    gate = threading.Event()
    job = bench.controller.jobs.start(gate.wait, PATIENCE_S)
    bench.word = "teacher"
    shell.end_cell()
    assert len(shell.published) == 1
    gate.set()
    assert job.wait(PATIENCE_S)


def test_the_same_cell_makes_the_same_bench_and_another_one_another() -> None:
    def made_of(**options: Any) -> str:
        bench = biaslab_widgets.PsychometricBench(observers(), **options)
        mark: str = bench._about()["made_of"]
        return mark

    assert made_of(word="nurse") == made_of(word="nurse")
    assert made_of(word="nurse") != made_of(word="teacher")


@pytest.mark.parametrize("name", [entry.notebook_name for entry in BENCHES])
def test_every_bench_leaves_a_picture_and_its_settings(name: str) -> None:
    bench = getattr(biaslab_widgets, name)()
    try:
        data, _ = bench._repr_mimebundle_()
        assert ET.fromstring(data[PICTURE]).tag.endswith("svg")
        about = json.loads(json.dumps(data[jupyter.BENCH]))
        assert about["model_id"] == bench.model_id
        assert about["settings"].keys() == {f.name for f in bench.component.inputs} - {
            "generation",
            "command",
        }
        assert data["text/plain"].startswith(f"<{name}")
    finally:
        bench.close()


def test_the_record_says_when_the_result_was_computed_and_how_to_make_it_again() -> None:
    bench = biaslab_widgets.PsychometricBench(observers(), word="nurse")
    result = bench.result
    data, _ = bench._repr_mimebundle_()
    about = data[jupyter.BENCH]
    assert (about["time"], about["code"]) == (bench.result.provenance.time, result.code())
    lists, _ = biaslab_widgets.WordListEditor([], {"Art": ["dance"]})._repr_mimebundle_()
    assert (lists[jupyter.BENCH]["time"], lists[jupyter.BENCH]["code"]) == ("", "")


def test_word_lists_are_in_their_picture_with_every_term() -> None:
    lists = {"Art": ["poetry", "dance"], "Math & more": ["algebra"]}
    svg = biaslab_widgets.WordListEditor([], lists).static_picture()
    assert svg is not None
    texts = " ".join(ET.fromstring(svg).itertext())
    for words in ("Art (2)", "poetry, dance", "Math & more (1)", "algebra"):
        assert words in texts


def test_a_rating_leaves_its_chart() -> None:
    bench = biaslab_widgets.RatingBench(texts=20)
    try:
        assert "Nothing has been computed yet." in bench._repr_mimebundle_()[0][PICTURE]
        bench.run().wait()
        assert bench._repr_mimebundle_()[0][PICTURE] == bench.result.to_svg()
    finally:
        bench.close()


HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def test_a_picture_holds_no_script_whatever_the_words_are() -> None:
    lists = {f"Art {HOSTILE}": [HOSTILE, "javascript:alert(1)"]}
    word = "nurse<script>alert(1)</script>"
    mine = observers(pse={word: 0.6}, cues=[("woman", "man")])
    pictures = [
        biaslab_widgets.WordListEditor([], lists).static_picture(),
        biaslab_widgets.PsychometricBench(mine, word=word)._repr_mimebundle_()[0][PICTURE],
    ]
    for svg in pictures:
        assert svg is not None
        for element in ET.fromstring(svg).iter():
            assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "a", "img")
            assert not [name for name in element.attrib if name.lower().startswith("on")]
            assert not [value for value in element.attrib.values() if "javascript:" in value]
    ipywidgets.Widget.close_all()
