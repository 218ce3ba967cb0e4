"""Whose runs go on without a page, and for how long."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from biaslab.people.access import OWNER, Access
from biaslab_widgets.app import visits as module
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.visits import LINGER_S, MOST_PAGES, SILENCE_S, OpenBench, Visits
from biaslab_widgets.benches import BENCHES
from harness.emitted import observers
from harness.server import wait_until


class Bench:
    """A controller of which only its run counts."""

    access = OWNER

    def __init__(self, *, has_run: bool = True, busy: bool = True, **state: Any) -> None:
        self.has_run, self.jobs, self.state = has_run, SimpleNamespace(busy=busy), state
        self.is_closed = False
        self.result = bytes(0)

    def show_to(self, emit: Any) -> None:
        self.emit = emit

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time, which tests move; nothing happens by itself, and what is to happen does at once."""
    monkeypatch.setattr(module, "start_timer", lambda *_: None)
    monkeypatch.setattr(module, "start_thread", lambda _name, call: call())
    return SimpleNamespace(now=0.0)


@pytest.fixture
def visits(clock: SimpleNamespace) -> Visits:
    made = Visits(lambda: clock.now)
    made.seen("me", "runs")
    return made


def left(visits: Visits, bench: Bench, slug: str = "decisions", person: str = "me") -> Bench:
    """Open a page of a bench and close it."""
    one = OpenBench(person, slug, SimpleNamespace(controller=bench), None)
    visits.open(one)
    visits.close(one)
    return bench


def test_a_run_is_kept_for_a_person_with_a_page_and_handed_over_once(visits: Visits) -> None:
    bench = left(visits, Bench())
    assert visits.kept("me") == ["decisions"]
    assert visits.take("somebody", "decisions", {}) is None
    assert visits.take("me", "posterior", {}) is None
    assert visits.take("me", "decisions", {}) is bench
    assert visits.take("me", "decisions", {}) is None
    assert not bench.is_closed


def test_a_bench_without_a_run_ends_with_its_page_and_so_does_one_of_an_absent_person(
    visits: Visits,
) -> None:
    assert left(visits, Bench(has_run=False)).is_closed
    assert left(visits, Bench(), person="absent").is_closed


def test_one_bench_of_a_kind_is_kept(visits: Visits) -> None:
    one, other, third = Bench(), Bench(), Bench()
    left(visits, one), left(visits, third, "posterior"), left(visits, other)
    assert (one.is_closed, other.is_closed, third.is_closed) == (True, False, False)
    assert visits.kept("me") == ["decisions", "posterior"]


def test_a_run_stays_away_from_an_address_with_other_settings(visits: Visits) -> None:
    bench = left(visits, Bench(subject="clerk-lm", trials=40))
    assert visits.take("me", "decisions", {"subject": "wiki-clm"}) is None
    assert visits.take("me", "decisions", {"subject": "clerk-lm"}) is bench


def test_a_run_may_come_whose_page_is_still_open(visits: Visits) -> None:
    bench = Bench(subject="clerk-lm")
    visits.open(OpenBench("me", "decisions", SimpleNamespace(controller=bench), None))
    assert visits.take("me", "decisions", {}) is None
    assert visits.may_come("me", "decisions", {"subject": "clerk-lm"})
    assert not visits.may_come("me", "decisions", {"subject": "wiki-clm"})
    assert not visits.may_come("me", "posterior", {})
    assert not visits.may_come("somebody", "decisions", {})
    bench.has_run = False
    assert not visits.may_come("me", "decisions", {})


def test_a_bench_says_that_a_run_is_coming_and_nothing_else_until_then() -> None:
    (entry,) = (one for one in BENCHES if one.name == "decisions")
    bench, left_one = (entry.panel_class.on_page(Shared.of(observers())) for _ in range(2))
    bench.wait_for_run()
    bench.controller.answer_again()
    wait_until(lambda: bench.controller.state["answer"]["message"] is not None, "its own answer")
    assert bench.answer["message"]["title"] == "Your run is coming"
    bench.show_own()
    assert bench.answer == bench.controller.state["answer"]
    bench.wait_for_run()
    bench.adopt(left_one.controller)
    assert bench.answer == left_one.controller.state["answer"]
    bench.controller.close()


@pytest.mark.parametrize(("closed", "seconds"), [(True, LINGER_S), (False, SILENCE_S)])
def test_a_run_ends_some_time_after_the_last_page(
    visits: Visits, clock: SimpleNamespace, closed: bool, seconds: float
) -> None:
    bench = left(visits, Bench())
    visits.seen("me", "home")
    visits.left("me", "runs")
    clock.now = LINGER_S + 1
    visits.look()
    assert not bench.is_closed
    visits.seen("me", "home")
    if closed:
        visits.left("me", "home")
    clock.now += seconds - 1
    visits.look()
    assert not bench.is_closed
    clock.now += 1
    visits.look()
    assert bench.is_closed
    assert visits.kept("me") == []


def test_a_run_ends_with_the_sign_in_of_its_person(clock: SimpleNamespace) -> None:
    ended: list[Access] = []
    visits = Visits(lambda: clock.now, lambda access: access not in ended)
    visits.seen("me", "runs")
    kept = left(visits, Bench())
    visits.look()
    assert not kept.is_closed
    ended.append(OWNER)  # its person was removed, or has another role
    visits.look()
    assert kept.is_closed
    assert left(visits, Bench()).is_closed


def test_results_that_nobody_looks_at_share_a_limit(
    visits: Visits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "size_of", lambda _result: module.MOST_BYTES // 2 + 1)
    first, going, last = Bench(busy=False), Bench(), Bench(busy=False)
    for number, bench in enumerate((first, going, last)):
        left(visits, bench, f"bench {number}")
    visits.look()
    assert (first.is_closed, going.is_closed, last.is_closed) == (True, False, False)


def test_nobody_is_counted_for_more_pages_than_a_few(visits: Visits) -> None:
    for number in range(10 * MOST_PAGES):
        visits.seen("me", str(number))
    assert len(visits._pages["me"]) == MOST_PAGES
    visits.left("me", "of nobody")
    assert "of nobody" not in visits._pages["me"]


def test_a_page_takes_over_from_one_that_has_hung_up(visits: Visits) -> None:
    asked = []
    session = SimpleNamespace(connection_count=1, request_expiration=lambda: asked.append("end"))
    bench = Bench()
    one = OpenBench("me", "decisions", SimpleNamespace(controller=bench), None)
    one.context = SimpleNamespace(session=session)
    visits.open(one)
    assert visits.take("me", "decisions", {}) is None
    session.connection_count = 0
    assert visits.take("me", "decisions", {}) is bench
    assert asked == ["end"]
    visits.close(one)
    assert not bench.is_closed
