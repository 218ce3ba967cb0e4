"""Live answers: people take turns, and a long answer of one is not waited for by others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from biaslab.threads.leaving import leave_if_cancelled
from biaslab_widgets.benches.association.bench import AssociationController
from biaslab_widgets.core.answers.live import LIVE, MOST, LeastUsedFirst, LiveWorker
from biaslab_widgets.core.subjects.sources import sources
from harness.emitted import PATIENCE_S, Emitted
from harness.garden import lists, subject
from harness.server import wait_until


class Task:
    def __init__(self, owner: str, call: Callable[[], object]) -> None:
        self.owner, self._call = owner, call

    def work(self) -> None:
        self._call()


class Held:
    """A task that stays until it is let go."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.began, self.let_go = threading.Event(), threading.Event()
        self.count = self.inside = self.most_inside = 0

    def work(self) -> None:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        self.began.set()
        assert self.let_go.wait(PATIENCE_S)
        self.count += 1
        self.inside -= 1


@pytest.fixture
def held() -> Iterator[Held]:
    held = Held("a")
    yield held
    held.let_go.set()


def done(live: LiveWorker, owner: str) -> threading.Event:
    """Enqueue a task; the event says that it was done."""
    event = threading.Event()
    live.enqueue(Task(owner, event.set))
    return event


def test_others_do_not_wait_for_an_answer_beyond_its_budget(held: Held) -> None:
    live = LiveWorker(budget_s=0.01)
    live.enqueue(held)
    assert held.began.wait(PATIENCE_S)
    for _ in range(3):
        assert done(live, "b").wait(PATIENCE_S)
    assert held.count == 0


def test_within_the_budget_answers_come_one_after_the_other(held: Held) -> None:
    live = LiveWorker(budget_s=PATIENCE_S)
    live.enqueue(held)
    assert held.began.wait(PATIENCE_S)
    other = done(live, "b")
    assert not other.wait(0.05)
    held.let_go.set()
    assert other.wait(PATIENCE_S)
    assert held.count == 1


def test_a_short_answer_is_not_behind_the_long_ones_of_others(held: Held) -> None:
    line = LeastUsedFirst()
    live = LiveWorker(budget_s=PATIENCE_S)
    live._line = line
    live.enqueue(held)
    assert held.began.wait(PATIENCE_S)
    order: list[str] = []
    ended = threading.Event()
    for name in "bcd":
        line.use(name, 0.4)
        live.enqueue(Task(name, partial(order.append, name)))
    live.enqueue(Task("stranger", partial(order.append, "stranger")))
    line.use("b", -0.01)  # who edited a little less is next after that
    live.enqueue(Task("last", ended.set))
    held.let_go.set()
    assert ended.wait(PATIENCE_S)
    assert order[:1] == ["stranger"]
    wait_until(lambda: len(order) == 4, "All had their turn")
    assert order[1] == "b"


def test_answers_that_are_made_elsewhere_take_no_place(held: Held) -> None:
    live = LiveWorker(budget_s=PATIENCE_S)
    away = [Held(str(number)) for number in range(3 * MOST)]

    def wait(one: Held) -> None:
        live.let_others_go_on()
        one.work()

    for one in away:
        live.enqueue(Task(one.owner, partial(wait, one)))
    for one in away:
        assert one.began.wait(PATIENCE_S)
    assert done(live, "b").wait(PATIENCE_S)
    for one in away:
        one.let_go.set()


def test_others_do_not_wait_for_an_answer_that_waits_for_a_lock(held: Held) -> None:
    live = LiveWorker(budget_s=PATIENCE_S)

    def save() -> None:
        live.let_others_go_on()
        held.work()

    live.let_others_go_on()  # outside an answer: nothing
    live.enqueue(Task("a", save))
    other = done(live, "b")
    assert other.wait(PATIENCE_S)
    assert held.began.wait(PATIENCE_S)
    assert done(live, "c").wait(PATIENCE_S)
    assert held.count == 0


def test_who_comes_after_an_answer_that_was_watched_does_not_wait_for_its_budget(
    held: Held,
) -> None:
    live = LiveWorker(budget_s=4 * PATIENCE_S)

    def save() -> None:
        live.let_others_go_on()
        held.work()

    live.enqueue(Task("a", save))
    assert held.began.wait(PATIENCE_S)
    second = Held("b")
    live.enqueue(second)
    assert second.began.wait(PATIENCE_S)
    third = done(live, "c")
    wait_until(lambda: live._watching > 0, "A thread that watches the second answer")
    second.let_go.set()
    assert third.wait(PATIENCE_S)
    assert done(live, "d").wait(PATIENCE_S / 4)
    assert held.count == 0


def test_a_person_has_one_answer_under_way(held: Held) -> None:
    live = LiveWorker(budget_s=0.01)
    live.enqueue(held)
    assert held.began.wait(PATIENCE_S)
    own = done(live, "a")
    assert done(live, "b").wait(PATIENCE_S)
    assert done(live, "c").wait(PATIENCE_S)
    assert not own.is_set()
    held.let_go.set()
    assert own.wait(PATIENCE_S)


def test_a_task_is_never_done_twice_at_once_and_its_newest_state_is_not_lost(held: Held) -> None:
    live = LiveWorker(budget_s=0.01)
    live.enqueue(held)
    assert held.began.wait(PATIENCE_S)
    for _ in range(5):
        live.enqueue(held)
    assert done(live, "b").wait(PATIENCE_S)
    held.let_go.set()
    wait_until(lambda: held.count == 2, "The second answer")
    assert done(live, "a").wait(PATIENCE_S)
    assert (held.count, held.most_inside) == (2, 1)


def test_people_take_turns(held: Held) -> None:
    live = LiveWorker(budget_s=PATIENCE_S)
    order: list[str] = []
    held.owner = "somebody"
    live.enqueue(held)
    assert held.began.wait(PATIENCE_S)
    tasks = [Task(name[0], partial(order.append, name)) for name in ("a1", "a2", "a3")]
    for task in tasks:
        live.enqueue(task)
    live.enqueue(Task("b", lambda: order.append("b1")))
    held.let_go.set()
    wait_until(lambda: len(order) == 4, "All answers")
    assert order == ["a1", "b1", "a2", "a3"]


def test_a_task_that_left_the_line_is_not_done(held: Held) -> None:
    live = LiveWorker(budget_s=PATIENCE_S)
    live.enqueue(held)
    assert held.began.wait(PATIENCE_S)
    gone = threading.Event()
    task = Task("b", gone.set)
    live.enqueue(task)
    live.forget(task)
    held.let_go.set()
    assert done(live, "c").wait(PATIENCE_S)
    assert not gone.is_set()


def test_the_other_benchs_answer_arrives_before_the_heavy_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(LIVE, "_budget", 0.01)
    began, let_go = threading.Event(), threading.Event()
    outputs = Emitted(), Emitted()
    heavy, light = (AssociationController(sources(subject()), one, lists()) for one in outputs)
    heavy.jobs.owner, light.jobs.owner = "a", "b"
    ask = heavy.ask

    def slow(*args: object) -> object:
        began.set()
        assert let_go.wait(PATIENCE_S)
        return ask(*args)  # type: ignore[arg-type]

    heavy.ask = slow  # type: ignore[method-assign,assignment]
    heavy.change({"generation": 1})
    assert began.wait(PATIENCE_S)
    light.change({"generation": 1})
    assert outputs[1].answer(1)["state"] == "ready"
    assert "answer" not in outputs[0].state
    let_go.set()
    assert outputs[0].answer(1)["state"] == "ready"
    heavy.close()
    light.close()


def test_an_answer_that_nobody_waits_for_is_left() -> None:
    began, left = threading.Event(), threading.Event()
    bench = AssociationController(sources(subject()), Emitted(), lists())

    def endless(*_: object) -> object:
        began.set()
        try:
            while True:
                leave_if_cancelled()
        finally:
            left.set()

    bench.ask = endless  # type: ignore[method-assign,assignment]
    bench.change({"generation": 1})
    assert began.wait(PATIENCE_S)
    bench.close()
    assert left.wait(PATIENCE_S)
