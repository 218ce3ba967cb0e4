"""The Panel host without a server: params follow the controller and it follows them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from biaslab_widgets.benches.psychometric.fields import COMPONENT as PSYCHOMETRIC_BENCH
from biaslab_widgets.core.state.delta import patched
from biaslab_widgets.core.subjects.sources import Source
from biaslab_widgets.hosts.bundle import bundle
from harness.deferred import Deferred
from harness.emitted import PATIENCE_S, SlowSource, observers
from harness.panels import panel

bokeh_document = Deferred("bokeh.document")
page_link = Deferred("biaslab_widgets.hosts.page_link")


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


class Session:
    """Stands for a session of Bokeh's server with one page, and keeps what is sent to it."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.threads: set[threading.Thread] = set()
        self.destroyed = False
        self.session = self
        self._socket = self
        self._subscribed_connections = [self]

    async def send_message(self, message: Any) -> None:
        self.threads.add(threading.current_thread())
        self.messages.append(message)

    def events(self) -> list[dict[str, Any]]:
        """All changes that were sent, in order."""
        return [e for m in self.messages for e in json.loads(m.content_json)["events"]]

    def outputs(self) -> list[dict[str, Any]]:
        """The messages of outputs."""
        return [json.loads(e["new"]) for e in self.events() if e["attr"] == "outputs"]


class Page:
    """A bench in a session, with what its page has put together of the messages."""

    def __init__(self, made: Any, session: Session | None = None) -> None:
        self.made, self.session = made, session or Session()
        self.document = bokeh_document.Document()
        self.model = made.get_root(self.document).data
        self.document.add_root(self.model)
        self.document._session_context = lambda: self.session
        made._document = self.document
        self.state = first_state(self.model)

    def shown(self) -> dict[str, Any]:
        state = dict(self.state)
        for message in self.session.outputs():
            for name, delta in message["changed"].items():
                state[name] = patched(state[name], delta)
        return state


def first_state(model: Any) -> dict[str, Any]:
    """The outputs in a document that a page pulls."""
    values = {}
    for name in (field.name for field in PSYCHOMETRIC_BENCH.fields if field.output):
        value = model._property_values[name].value()
        values[name] = json.loads(value["json"]) if isinstance(value, dict) else value
    return values


def as_sent(value: Any) -> Any:
    """A value after it was written as JSON and read."""
    return json.loads(json.dumps(value))


async def seen(page: Page, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Wait until what the page shows is as said."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds(shown := page.shown()):
            await asyncio.sleep(0.005)
    return shown


def in_session(drive: Callable[[Page], Any], **options: Any) -> Page:
    """A bench in a session of its own, driven in the thread of its loop."""

    async def session() -> Page:
        made = bench(**options)
        made._outbox = page_link.outbox_of(asyncio.get_running_loop())
        page = Page(made)
        await drive(page)
        return page

    return asyncio.run(session())


def test_in_a_session_answers_are_sent_in_the_thread_of_its_loop() -> None:
    async def drive(page: Page) -> None:
        page.made.take_inputs({"word": "teacher", "generation": 1}, page.model.id)
        await seen(page, lambda s: s["answer"]["generation"] == 1)

    page = in_session(drive)
    assert page.made.answer["picture"]["word"] == "teacher"
    assert page.session.threads == {threading.main_thread()}
    assert {event["attr"] for event in page.session.events()} <= {"outputs", "words"}


def test_a_page_puts_together_what_python_holds() -> None:
    async def drive(page: Page) -> None:
        for number, noise in enumerate((0.1, 0.1, 0.25, 0.0), start=1):
            page.made.take_inputs({"noise": noise, "generation": number}, page.model.id)
            await seen(page, lambda s, n=number: s["answer"]["generation"] == n)

    page = in_session(drive)
    numbers = [message["n"] for message in page.session.outputs()]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert page.shown() == as_sent({name: getattr(page.made, name) for name in page.state})
    # A page that comes now has the same from its document.
    assert first_state(page.model) == page.shown()


def test_an_equal_question_sends_little() -> None:
    async def drive(page: Page) -> None:
        for number in (1, 2):
            page.made.take_inputs({"noise": 0.1, "generation": number}, page.model.id)
            await seen(page, lambda s, n=number: s["answer"]["generation"] == n)

    page = in_session(drive)
    assert page.session.outputs()[-1]["changed"] == {"answer": {"generation": [2]}}


def test_a_page_that_has_missed_a_message_is_sent_the_whole() -> None:
    async def drive(page: Page) -> None:
        page.made.take_inputs({"noise": 0.1, "generation": 1}, page.model.id)
        await seen(page, lambda s: s["answer"]["generation"] == 1)
        number = page.session.outputs()[-1]["n"]
        page.session.messages.clear()
        page.made.take_inputs({"outputs_seen": [number, 1]}, page.model.id)
        await asyncio.sleep(0)
        assert page.session.messages == []
        page.made.take_inputs({"outputs_seen": [number - 1, 2]}, page.model.id)
        await asyncio.sleep(0)

    page = in_session(drive)
    (whole,) = page.session.outputs()
    assert whole["whole"]
    held = {name: getattr(page.made, name) for name in page.state}
    assert {name: delta[0] for name, delta in whole["changed"].items()} == as_sent(held)


def test_an_input_set_in_python_is_sent_and_one_of_the_page_is_not_sent_back() -> None:
    async def drive(page: Page) -> None:
        page.made.take_inputs({"noise": 0.1, "generation": 1}, page.model.id)
        await seen(page, lambda s: s["answer"]["generation"] == 1)
        page.made.pairs = [["she", "he"]]
        await seen(page, lambda s: s["answer"]["picture"]["pairs"] == [["she", "he"]])

    page = in_session(drive)
    inputs = [(e["attr"], e["new"]) for e in page.session.events() if e["attr"] != "outputs"]
    assert [event for event in inputs if event[0] != "words"] == [
        ("selected_pairs", [0]),
        ("pairs", [["she", "he"]]),
    ]
    assert page.model.pairs == [["she", "he"]]


def test_a_wrong_value_of_a_page_is_not_kept_and_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def drive(page: Page) -> None:
        page.made.take_inputs({"noise": "my secret"}, page.model.id)

    page = in_session(drive)
    assert page.model.noise == page.made.noise == 0
    assert "does not take" in caplog.text
    assert "secret" not in caplog.text


def test_what_ends_a_wait_is_told_after_all_else() -> None:
    made = bench()
    until(made, lambda a: a["state"] == "ready")

    async def send() -> Page:
        page = Page(made)
        answer = {**made.answer, "generation": 7}
        made._send({"answer": answer, "reply": {**made.reply, "id": 1}, "subjects": []})
        await asyncio.sleep(0)
        return page

    (message,) = asyncio.run(send()).session.outputs()
    assert list(message["changed"]) == ["subjects", "answer", "reply"]


def test_the_calls_of_many_sessions_wake_the_server_once() -> None:
    async def post() -> tuple[list[int], int]:
        loop = asyncio.get_running_loop()
        outbox = page_link.outbox_of(loop)
        made, wakings = [], []
        wake = loop.call_soon_threadsafe

        def counted(*args: Any, **options: Any) -> Any:
            wakings.append(args)
            return wake(*args, **options)

        loop.call_soon_threadsafe = counted  # type: ignore[method-assign]
        for number in range(30):
            outbox.post(lambda number=number: made.append(number))
        await asyncio.sleep(0)
        return made, len(wakings)

    made, wakings = asyncio.run(post())
    assert made == list(range(30))
    assert wakings == 1


def test_sessions_share_the_subjects_that_they_are_given() -> None:
    slow = SlowSource()
    shared: dict[str, Source] = {"slow": slow}
    sessions = [panel("psychometric")(shared, word="nurse") for _ in range(3)]
    assert slow.gate.entered.wait(PATIENCE_S)
    slow.gate.open()
    for made in sessions:
        until(made, lambda a: a["state"] == "ready")
    assert slow.opened == 1


def test_the_built_module_is_not_compiled_once_more_in_the_browser() -> None:
    """Panel would read short JavaScript as TypeScript, and now and then fail to."""
    model = bench().get_root()
    assert model.esm.strip() == bundle(PSYCHOMETRIC_BENCH).read_text(encoding="utf-8").strip()
    assert model.bundle not in (None, "url")
    other = panel("posterior").module_hash
    assert model.bundle != other
