"""The Jupyter host without a kernel: traits follow the controller and it follows them."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.errors import EmbeddingFileError, QueryError
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from harness.emitted import NOT_YET_S, PAIRS, PATIENCE_S, Gate, SlowSource, observers
from harness.heavy import ipywidgets, traitlets

pytestmark = pytest.mark.usefixtures("closed_widgets")


def bench(**options: Any) -> biaslab_widgets.PsychometricBench:
    made = biaslab_widgets.PsychometricBench(observers(), **{"word": "nurse", **options})
    until(made, lambda answer: answer["state"] != "empty")
    return made


def until(made: biaslab_widgets.PsychometricBench, holds: Any) -> dict[str, Any]:
    """Wait until the answer shown is as said."""
    seen = threading.Event()

    def look(_: Any = None) -> None:
        if holds(made.answer):
            seen.set()

    made.observe(look, names="answer")
    look()
    assert seen.wait(PATIENCE_S), f"That answer did not come; the last is {made.answer}."
    made.unobserve(look, names="answer")
    answer: dict[str, Any] = made.answer
    return answer


def show_word(made: biaslab_widgets.PsychometricBench, word: str) -> dict[str, Any]:
    return until(made, lambda a: a["picture"] is not None and a["picture"]["word"] == word)


def test_a_trait_set_in_python_moves_the_screen_and_the_result() -> None:
    made = bench()
    made.word = "teacher"
    assert made.result.items == ("teacher",)
    assert show_word(made, "teacher")["picture"]["pse"] == made.result.pse[0]


def test_a_message_of_the_front_end_moves_the_traits_and_the_result() -> None:
    made = bench()
    made.set_state({"word": "teacher", "curve": "logistic", "generation": 1})
    assert (made.word, made.curve) == ("teacher", "logistic")
    assert (made.result.items, made.result.fit.family) == (("teacher",), "logistic")
    assert until(made, lambda a: a["generation"] == 1)["picture"]["word"] == "teacher"


def test_a_message_is_one_change(monkeypatch: pytest.MonkeyPatch) -> None:
    made = bench()
    changes: list[dict[str, Any]] = []
    monkeypatch.setattr(made.controller, "change", changes.append)
    own = [*made.pairs, ["young", "old"]]
    made.set_state({"pairs": own, "selected_pairs": [len(own) - 1], "generation": 1})
    assert changes[0] == {"pairs": own, "selected_pairs": [len(own) - 1], "generation": 1}


def test_options_are_one_change_whatever_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[dict[str, Any]] = []
    change = PsychometricController.change

    def spy(self: PsychometricController, values: dict[str, Any]) -> None:
        changes.append(dict(values))
        change(self, values)

    monkeypatch.setattr(PsychometricController, "change", spy)
    made = biaslab_widgets.PsychometricBench(
        observers(), selected_pairs=[1, 0], pairs=[PAIRS[0], PAIRS[2]], word="nurse", noise=0.1
    )
    asked = [values for values in changes if values]
    assert len(asked) == 1
    assert made.result.pairs == (PAIRS[2], PAIRS[0])
    assert made.result.noise == 0.1


def test_an_observer_of_any_field_of_a_message_finds_the_result_up_to_date() -> None:
    made = bench()
    found: list[tuple[str, str, float]] = []

    def note(_: Any) -> None:
        found.append((made.word, made.result.items[0], float(made.result.noise)))

    made.observe(note, names=["word", "noise", "generation"])
    made.set_state({"generation": 1, "noise": 0.2, "word": "teacher"})
    assert found == [("teacher", "teacher", 0.2)] * 3


@pytest.mark.parametrize(
    ("name", "value"),
    [("alpha", 1.5), ("curve", "cubic"), ("replicates", -1), ("word", 3), ("noise", "much")],
)
def test_a_wrong_value_is_refused_by_trait_and_message_and_nothing_moves(
    name: str, value: Any
) -> None:
    made = bench()
    before = getattr(made, name)
    with pytest.raises(traitlets.TraitError):
        setattr(made, name, value)
    with pytest.raises(traitlets.TraitError):
        made.set_state({"word": "teacher", name: value})
    assert getattr(made, name) == before
    assert made.result.items == ("nurse",)


def test_an_unknown_option_is_told_with_those_there_are() -> None:
    with pytest.raises(TypeError, match=r"'colour'.*word.*noise"):
        biaslab_widgets.PsychometricBench(observers(), colour="red")
    with pytest.raises(TypeError, match="'answer'"):
        biaslab_widgets.PsychometricBench(observers(), answer={})


def test_changes_from_several_threads_all_arrive() -> None:
    """A kernel takes messages in one thread, runs cells in another, and answers in a third."""
    made = bench()

    def messages() -> None:
        for generation in range(1, 100):
            made.set_state({"alpha": generation / 100, "generation": generation})

    receiver = threading.Thread(target=messages)
    receiver.start()
    for word in ("teacher", "electrician", "librarian", "nurse") * 10:
        made.word = word
        assert made.result.items == (word,)
    receiver.join(PATIENCE_S)
    answer = until(
        made, lambda a: a["generation"] == 99 and (a["picture"] or {}).get("word") == "nurse"
    )
    assert made.alpha == made.controller.snapshot().alpha == 0.99
    assert answer["picture"]["pse"] == made.result.pse[0]


def test_a_change_in_python_waits_for_a_message_that_is_being_taken() -> None:
    """Else traitlets would withhold its notification, and `result` would be the old one."""
    made = bench()
    gate = Gate()

    def hold(_: Any, proposal: dict[str, Any]) -> Any:
        gate.pass_through()
        return proposal["value"]

    made._register_validator(hold, ("alpha",))
    found: list[tuple[str, ...]] = []

    def cell() -> None:
        made.word = "teacher"
        found.append(made.result.items)

    message = threading.Thread(target=made.set_state, args=({"alpha": 0.25},))
    message.start()
    assert gate.entered.wait(PATIENCE_S)
    running = threading.Thread(target=cell)
    running.start()
    running.join(NOT_YET_S)
    gate.open()
    for thread in (message, running):
        thread.join(PATIENCE_S)
    assert found == [("teacher",)]
    assert (made.word, made.alpha) == ("teacher", 0.25)


def test_reading_the_result_in_an_observer_while_the_subject_opens_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The observer holds up messages, the opening reports progress: neither waits for the other."""
    monkeypatch.setattr("biaslab.jobs.progress.SECONDS_BETWEEN_REPORTS", 0)
    slow = SlowSource()
    made = biaslab_widgets.PsychometricBench([])
    made.controller.opening.sources["slow"] = slow
    read: list[bl.probes.psychometrics.TwoAFCResult] = []
    made.observe(lambda _: read.append(made.result), names="word")
    made.subject = "slow"
    assert slow.gate.entered.wait(PATIENCE_S)
    message = threading.Thread(target=made.set_state, args=({"word": "nurse"},), daemon=True)
    message.start()
    assert slow.awaited.wait(PATIENCE_S)
    slow.gate.open()
    message.join(PATIENCE_S)
    assert not message.is_alive()
    assert read[0].items == ("nurse",)


def test_two_benches_do_not_disturb_each_other() -> None:
    one, two = bench(), bench(word="teacher")
    one.set_state({"word": "electrician", "noise": 0.3, "generation": 5})
    until(one, lambda a: a["generation"] == 5)
    assert (two.word, two.noise, two.generation) == ("teacher", 0.0, 0)
    assert two.result.items == ("teacher",)
    assert two.answer["picture"]["word"] == "teacher"


def test_python_links_work_on_the_state() -> None:
    made = bench()
    slider = ipywidgets.FloatSlider(min=0, max=1, step=0.01)
    link = traitlets.link((made, "alpha"), (slider, "value"))
    made.set_state({"alpha": 0.25, "generation": 1})
    assert slider.value == 0.25
    slider.value = 0.75
    assert made.alpha == 0.75
    assert made.controller.snapshot().alpha == 0.75
    link.unlink()


def bundle(made: biaslab_widgets.PsychometricBench) -> dict[str, Any]:
    data, _ = made._repr_mimebundle_()
    shown: dict[str, Any] = data
    return shown


def test_the_mime_bundle_has_a_picture_of_the_result_beside_the_view() -> None:
    shown = bundle(bench(word="nurse"))
    assert "application/vnd.jupyter.widget-view+json" in shown
    svg = shown["image/svg+xml"]
    assert svg.startswith("<svg")
    assert "nurse" in svg


@pytest.mark.parametrize(("word", "says"), [("", "Choose a word"), ("unheard-of", "unheard-of")])
def test_without_a_result_the_picture_says_what_stands_in_its_place(word: str, says: str) -> None:
    made = biaslab_widgets.PsychometricBench(observers(), word=word)
    until(made, lambda answer: answer["message"] is not None)
    svg = bundle(made)["image/svg+xml"]
    assert svg.startswith("<svg")
    assert says in svg
    assert "Nothing has been computed yet." in svg


def test_html_in_a_word_is_text_in_the_picture() -> None:
    word = "<script>alert(1)</script>"
    subject = bl.observers.embedding(pse={word: 0.6}, jnd=0.05, replicates=8, seed=1)
    svg = bundle(biaslab_widgets.PsychometricBench(subject, word=word))["image/svg+xml"]
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg


def test_a_cell_that_shows_a_bench_does_not_wait_for_a_slow_subject(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = Gate()
    subject = observers()

    def load(source: str, on_progress: Any) -> bl.EmbeddingEnsemble:
        gate.pass_through()
        return subject

    monkeypatch.setattr("biaslab_widgets.core.subjects.sources.load_shared", load)
    monkeypatch.setattr("biaslab_widgets.core.bench.widget.PATIENCE_S", 0.01)
    made = biaslab_widgets.PsychometricBench("big.vec", word="nurse")
    try:
        shown = bundle(made)  # a bundle that waited for the gate would fail after a minute
        assert "PSE" not in shown["image/svg+xml"]
        assert made.answer["state"] in ("empty", "loading")
    finally:
        gate.open()
    assert made.result.items == ("nurse",)
    assert "PSE" in bundle(made)["image/svg+xml"]


def test_a_subject_that_cannot_be_opened_is_shown_and_not_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def load(source: str, on_progress: Any) -> bl.EmbeddingEnsemble:
        raise EmbeddingFileError("bad.vec: line 3 is short.", path="bad.vec", line=3)

    monkeypatch.setattr("biaslab_widgets.core.subjects.sources.load_shared", load)
    made = biaslab_widgets.PsychometricBench("bad.vec", word="nurse")
    answer = until(made, lambda a: a["state"] == "error")
    assert "line 3" in answer["message"]["text"]
    assert "line 3" in bundle(made)["image/svg+xml"]
    with pytest.raises(QueryError, match="line 3"):
        _ = made.result
