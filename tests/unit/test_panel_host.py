"""The Panel host without a server: params follow the controller and it follows them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from biaslab_widgets.benches.psychometric.fields import COMPONENT as PSYCHOMETRIC_BENCH
from biaslab_widgets.core.sources import Source
from biaslab_widgets.hosts.bundle import bundle
from harness.deferred import Deferred
from harness.emitted import PATIENCE_S, SlowSource, observers
from harness.panels import panel

bokeh_document = Deferred("bokeh.document")


def bench(**options: Any) -> Any:
    return panel("psychometric")(observers(), **{"word": "nurse", **options})


def until(made: Any, holds: Any) -> dict[str, Any]:
    """Wait until the answer shown is as said."""
    seen = threading.Event()

    def look(_: Any = None) -> None:
        if holds(made.answer):
            seen.set()

    watcher = made.param.watch(look, "answer")
    look()
    assert seen.wait(PATIENCE_S), f"That answer did not come; the last is {made.answer}."
    made.param.unwatch(watcher)
    answer: dict[str, Any] = made.answer
    return answer


def test_a_param_set_in_python_moves_the_screen_and_the_result() -> None:
    made = bench()
    made.word = "teacher"
    assert made.result.items == ("teacher",)
    answer = until(made, lambda a: (a["picture"] or {}).get("word") == "teacher")
    assert answer["picture"]["pse"] == made.result.pse[0]


def test_messages_of_the_front_end_field_by_field_end_in_an_answer_to_the_last() -> None:
    """Panel delivers one field at a time, the generation last."""
    made = bench()
    made.param.update(word="teacher")
    made.param.update(noise=0.2)
    made.param.update(generation=1)
    answer = until(made, lambda a: a["generation"] == 1)
    assert answer["picture"]["word"] == "teacher"
    assert answer["picture"]["row_noise"] == made.result.noise == 0.2


@pytest.mark.parametrize(
    ("name", "value"), [("alpha", 1.5), ("curve", "cubic"), ("replicates", -1), ("noise", "much")]
)
def test_a_wrong_value_is_refused_and_nothing_moves(name: str, value: Any) -> None:
    made = bench()
    before = getattr(made, name)
    with pytest.raises(ValueError, match=name):
        setattr(made, name, value)
    assert getattr(made, name) == before
    assert made.result.items == ("nurse",)


def test_two_benches_do_not_disturb_each_other() -> None:
    one, two = bench(), bench(word="teacher")
    one.param.update(word="electrician", generation=3)
    until(one, lambda a: a["generation"] == 3)
    assert (two.word, two.generation) == ("teacher", 0)
    assert until(two, lambda a: a["state"] == "ready")["picture"]["word"] == "teacher"
    assert two.result.items == ("teacher",)


class Document:
    """Stands for a session's document, whose events only its own thread may touch."""

    def __init__(self, session: object | None = "a session") -> None:
        self.session_context = session
        self.threads: list[threading.Thread] = []
        self.held: str | None = None

    def hold(self, policy: str) -> None:
        self.held = policy

    def unhold(self) -> None:
        self.held = None

    def add_next_tick_callback(self, callback: Callable[[], None]) -> None:
        self.threads.append(threading.current_thread())
        callback()


def test_in_a_session_answers_are_shown_in_its_thread_and_sent_by_bokeh() -> None:
    """From another thread, or by Panel's own way of writing, some would never arrive."""
    document = Document()
    held: list[str | None] = []

    async def session() -> Any:
        made = bench()
        made._document = document
        shown = asyncio.Event()

        def look(event: Any) -> None:
            held.append(document.held)
            if event.new["generation"] == 1:
                shown.set()

        made.param.watch(look, "answer")
        made.param.update(word="teacher", generation=1)
        await asyncio.wait_for(shown.wait(), PATIENCE_S)
        return made

    assert asyncio.run(session()).answer["picture"]["word"] == "teacher"
    assert set(document.threads) == {threading.main_thread()}
    assert set(held) == {"combine"}
    assert document.held is None


def test_the_answer_is_sent_after_its_parts() -> None:
    """Each goes in a message of its own: a page that waits no more has them all."""
    made = bench()
    until(made, lambda a: a["state"] == "ready")
    made._document = document = bokeh_document.Document()
    data = made.get_root(document).data
    sent: list[str] = []
    for name in ("answer", "reply", "subjects"):
        data.on_change(name, lambda attr, _old, _new: sent.append(attr))
    answer = {**made.answer, "generation": 7}
    made._send({"answer": answer, "reply": {**made.reply, "id": 1}, "subjects": []})
    assert sent == ["subjects", "answer", "reply"]


def test_sessions_share_the_subjects_that_they_are_given() -> None:
    slow = SlowSource()
    shared: dict[str, Source] = {"slow": slow}
    sessions = [panel("psychometric")(shared, word="nurse") for _ in range(3)]
    assert slow.gate.entered.wait(PATIENCE_S)
    slow.gate.open()
    for made in sessions:
        until(made, lambda a: a["state"] == "ready")
    assert slow.opened == 1


def test_it_is_made_to_answer_a_drag_without_gathering() -> None:
    """Panel's own 50 ms of gathering changes would be felt under the hand."""
    assert panel("psychometric")._debounce == 0


def test_records_travel_as_text_and_lists_as_they_are() -> None:
    made = bench(word="teacher")
    answer = until(made, lambda a: a["state"] == "ready")
    sent = made._process_param_change({"answer": answer, "pairs": [["she", "he"]]})
    assert json.loads(sent["answer"]["json"]) == json.loads(json.dumps(answer))
    assert sent["pairs"] == [["she", "he"]]


def test_the_built_module_is_not_compiled_once_more_in_the_browser() -> None:
    """Panel would read short JavaScript as TypeScript, and now and then fail to."""
    model = bench().get_root()
    assert model.esm.strip() == bundle(PSYCHOMETRIC_BENCH).read_text(encoding="utf-8").strip()
    assert model.bundle not in (None, "url")
    other = panel("posterior").module_hash
    assert model.bundle != other
