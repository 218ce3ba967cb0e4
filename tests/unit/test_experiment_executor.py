"""The executor: what is asked, asked again, kept, found again, and what is said of failures."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import biaslab as bl
from biaslab.asking.calling import Gate
from biaslab.errors import (
    QueryError,
    ServiceAnswerError,
    ServiceBusyError,
    ServiceError,
    ServiceRefusedError,
    ServiceUnreachableError,
)
from biaslab.jobs.context import reporting_to
from biaslab.jobs.job import JobContext
from biaslab.probes.rating.experiment_executor import PATIENCE, calls_needed, execute
from biaslab.services import Composite, Cost, FunctionService, Limits, RoundTrip, Translation
from biaslab.store import Store

TEXTS = tuple(f"She is a nurse. He is a cook {n}." for n in range(6))


class Scripted:
    """A service that answers by a function of the texts, and remembers its calls."""

    about = "for tests"

    def __init__(
        self,
        script: Callable[[list[str]], list[str]],
        *,
        name: str = "scripted",
        limits: Limits | None = None,
        cost: Cost | None = None,
        kept: bool = True,
    ) -> None:
        self.script, self.name = script, name
        self.limits, self.cost = limits or Limits(), cost or Cost()
        self.identity = f"{name} 1" if kept else ""
        self.calls: list[list[str]] = []

    def answer(self, texts: Sequence[str]) -> list[str]:
        self.calls.append(list(texts))
        return self.script(list(texts))


class Dictionary:
    """A translator whose translations are given; it has the pairs that it has words for."""

    name, about = "dictionary", "for tests"
    limits, cost = Limits(), Cost()

    def __init__(self, words: dict[tuple[str, str], dict[str, str]]) -> None:
        self.words = words

    def pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(self.words)

    def identity_of(self, source: str, target: str) -> str:
        return f"dictionary {source}-{target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        return [self.words[source, target].get(text, text) for text in texts]


def upper(texts: list[str]) -> list[str]:
    return [text.upper() for text in texts]


def failing(error: Callable[[], Exception], after: int = 0) -> Scripted:
    """Answers so many calls, then raises."""
    service = Scripted(upper)

    def script(texts: list[str]) -> list[str]:
        if len(service.calls) > after:
            raise error()
        return upper(texts)

    service.script = script
    return service


def test_each_step_is_given_what_the_one_before_answered(tmp_path: Path) -> None:
    chain = Composite(Scripted(upper, name="a"), Scripted(lambda t: [x + "!" for x in t], name="b"))
    found = execute(chain, TEXTS, store=Store(tmp_path))
    assert found.steps == ("a", "b")
    assert found.responses[2].answers == (TEXTS[2].upper(), TEXTS[2].upper() + "!")
    assert found.outputs == tuple(text.upper() + "!" for text in TEXTS)
    assert (found.calls, found.from_store, found.failed, found.complete) == (12, 0, 0, True)


def test_equal_texts_are_asked_once_and_all_answered(tmp_path: Path) -> None:
    service = Scripted(upper)
    found = execute(service, ["One.", "Two.", "One."], store=Store(tmp_path))
    assert service.calls == [["One."], ["Two."]]
    assert found.outputs == ("ONE.", "TWO.", "ONE.")


def test_another_test_on_the_same_texts_makes_no_call(tmp_path: Path) -> None:
    service, store = Scripted(upper), Store(tmp_path)
    first = execute(service, TEXTS, store=store)
    again = execute(service, TEXTS[::-1], store=store)
    assert len(service.calls) == len(TEXTS)
    assert (again.calls, again.from_store, again.cost) == (0, len(TEXTS), 0.0)
    assert again.responses == first.responses[::-1]
    assert execute(service, TEXTS, store=store, repetition=1).calls == len(TEXTS)
    assert execute(service, TEXTS, store=store, keep=False).calls == len(TEXTS)


def test_what_cannot_be_told_apart_is_not_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    services = [FunctionService(lambda text, n=n: f"{n} {text}", name="f") for n in range(2)]
    first, second = (execute(service, ["One."], store=store) for service in services)
    assert (first.outputs, second.outputs) == (("0 One.",), ("1 One.",))
    versioned = FunctionService(lambda text: text.upper(), name="f", version="2")
    assert [execute(versioned, ["One."], store=store).calls for _ in range(2)] == [1, 0]


def test_a_run_whose_service_is_gone_keeps_what_was_answered_and_continues(tmp_path: Path) -> None:
    store = Store(tmp_path)
    service = failing(lambda: ServiceUnreachableError("Nobody is there."), after=2)
    service.limits = Limits(attempts=1)
    broken = execute(service, TEXTS, store=store)
    assert (broken.failed, broken.complete) == (4, False)
    assert broken.outputs[:2] == (TEXTS[0].upper(), TEXTS[1].upper())
    assert broken.responses[2].failure == "Nobody is there."
    assert broken.responses[5].failure == "It was not tested: Nobody is there."
    assert "Its answers are kept" in broken.problems[0]
    assert len(service.calls) == 3
    service.script = upper
    whole = execute(service, TEXTS, store=store)
    assert (whole.calls, whole.from_store, whole.failed, whole.complete) == (4, 2, 0, True)


def test_a_function_that_hangs_is_asked_no_further_and_what_it_answered_is_kept(
    tmp_path: Path,
) -> None:
    gate, asked = threading.Event(), []

    def hanging(text: str) -> str:
        asked.append(text)
        if len(asked) == 3:
            gate.wait()
        return text.upper()

    service = FunctionService(hanging, version="1", limits=Limits(timeout=0.2))
    try:
        found = execute(service, TEXTS, store=Store(tmp_path))
    finally:
        gate.set()
    assert (found.calls, found.failed, found.complete) == (3, 4, False)
    assert asked == list(TEXTS[:3]), "it is not called again beside itself"
    assert found.outputs[:2] == (TEXTS[0].upper(), TEXTS[1].upper())
    assert "limits=Limits(timeout=...)" in found.problems[0]
    again = execute(service, TEXTS, store=Store(tmp_path))
    assert (again.calls, again.from_store, again.failed) == (4, 2, 0)


KILLED = """
import sys
from biaslab.probes.rating.experiment_executor import execute
from biaslab.services import FunctionService
from biaslab.store import Store

def answer(text):
    sys.stdin.readline()  # each answer waits for a line
    return text.upper()

service = FunctionService(answer, name="killed", version="1")
execute(service, [f"Text {n}." for n in range(6)], store=Store(sys.argv[1]))
"""


def test_a_run_that_is_killed_continues_where_it_was(tmp_path: Path) -> None:
    store, texts = Store(tmp_path), [f"Text {n}." for n in range(6)]
    service = FunctionService(str.upper, name="killed", version="1")
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as run:
        assert run.stdin is not None
        run.stdin.write("\n" * 3)
        run.stdin.flush()
        until = time.monotonic() + 60
        while calls_needed(service, texts, store=store).from_store < 3:
            assert time.monotonic() < until
            assert run.poll() is None
        run.kill()
    found = execute(service, texts, store=store)
    assert (found.calls, found.from_store) == (3, 3)
    assert found.outputs == tuple(text.upper() for text in texts)


def test_a_service_that_never_answers_is_an_error_of_its_own_words() -> None:
    refused = failing(lambda: ServiceRefusedError("The key is wrong."))
    with pytest.raises(ServiceRefusedError, match="The key is wrong"):
        execute(refused, TEXTS, keep=False)
    assert len(refused.calls) == 1
    broken = failing(lambda: ServiceAnswerError("That is no answer."))
    with pytest.raises(ServiceAnswerError, match="That is no answer"):
        execute(broken, TEXTS, keep=False)
    assert len(broken.calls) == PATIENCE


def test_a_text_that_a_service_does_not_take_keeps_its_reason_and_the_others_go_on() -> None:
    def script(texts: list[str]) -> list[str]:
        if "cook 3" in texts[0]:
            raise ServiceAnswerError("It does not speak of cooks.")
        return upper(texts)

    found = execute(Scripted(script), TEXTS, keep=False)
    assert [response.answered for response in found.responses] == [
        True,
        True,
        True,
        False,
        True,
        True,
    ]
    assert found.failures == {"It does not speak of cooks.": 1}
    assert found.outputs[3] is None
    assert found.complete


def test_calls_are_made_again_while_that_may_help_and_are_counted() -> None:
    service = Scripted(upper, limits=Limits(attempts=3), cost=Cost(per_call=0.5, currency="EUR"))

    def script(texts: list[str]) -> list[str]:
        if len(service.calls) % 3:
            raise ServiceBusyError("Not now.", retry_after=0.0)
        return upper(texts)

    service.script = script
    found = execute(service, TEXTS[:2], keep=False)
    assert (found.failed, found.calls, found.cost, found.currency) == (0, 6, 3.0, "EUR")


def test_a_wait_that_is_too_long_is_not_waited_for() -> None:
    service = failing(lambda: ServiceBusyError("Come back tomorrow.", retry_after=86400.0))
    with pytest.raises(ServiceBusyError, match="tomorrow"):
        execute(service, TEXTS, keep=False)
    assert len(service.calls) == PATIENCE


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (lambda texts: [" \n"] * len(texts), "sent an empty answer"),
        (lambda texts: [None] * len(texts), "gave NoneType instead of a text"),
        (lambda texts: ["<html>Log in"] * len(texts), "sent a web page"),
        (lambda texts: ["x" * 100_001] * len(texts), "100,001 characters; at most 100,000"),
        (lambda texts: ["one", "two", "three"], "gave 3 answers to"),
        (lambda texts: "one", "gave str instead of a list"),
        (lambda texts: [][0], "failed with IndexError"),
    ],
)
def test_what_is_no_answer_is_no_answer(
    script: Callable[[list[str]], list[str]], reason: str
) -> None:
    found = execute(Scripted(script), TEXTS[:2], keep=False)
    assert found.failed == 2
    assert all(reason in failure for failure in found.failures)


def test_where_several_texts_are_sent_one_that_spoils_the_answer_is_found() -> None:
    service = Scripted(upper, limits=Limits(texts_per_call=4))
    service.script = lambda texts: upper([text for text in texts if "cook 1" not in text])
    found = execute(service, TEXTS, keep=False)
    assert [response.answered for response in found.responses] == [
        True,
        False,
        True,
        True,
        True,
        True,
    ]
    assert "gave 0 answers to 1 text" in found.responses[1].failure
    assert [len(call) for call in service.calls] == [4, 1, 1, 1, 1, 2]


def test_a_text_that_is_too_long_is_not_sent() -> None:
    service = Scripted(upper, limits=Limits(characters_per_text=10))
    found = execute(service, ["Short.", "This one is longer."], keep=False)
    assert service.calls == [["Short."]]
    assert "takes 10 at most" in found.responses[1].failure


def test_no_more_calls_are_under_way_than_the_service_takes() -> None:
    both, most = threading.Barrier(2, timeout=20), 0
    now, lock = 0, threading.Lock()

    def script(texts: list[str]) -> list[str]:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        both.wait()  # two calls are there at once, or this breaks
        with lock:
            now -= 1
        return upper(texts)

    found = execute(Scripted(script, limits=Limits(concurrency=2)), TEXTS, keep=False)
    assert (found.failed, most) == (0, 2)
    single = Scripted(lambda texts: [threading.current_thread().name], limits=Limits(concurrency=4))
    assert len(set(execute(single, TEXTS, keep=False, concurrency=1).outputs)) == 1


def test_a_gate_lets_calls_through_at_the_rate_and_keeps_shut_when_told() -> None:
    moment = 100.0
    gate = Gate(clock=lambda: moment)
    assert [gate.turn(4.0) for _ in range(3)] == [0.0, 0.25, 0.5]
    gate.close_for(3.0)
    assert gate.turn(4.0) == 3.0
    moment = 200.0
    assert gate.turn(None) == gate.turn(None) == 0.0


def test_a_rate_is_kept_over_both_ways_of_a_translator() -> None:
    begun: list[float] = []

    class Slow(Dictionary):
        limits = Limits(calls_per_second=20.0, concurrency=4)

        def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
            begun.append(time.monotonic())
            return super().translate(texts, source, target)

    chain = RoundTrip(Slow({("en", "es"): {"He sat.": "Él."}, ("es", "en"): {"Él.": "He."}}), "es")
    assert execute(chain, ["He sat."], keep=False).outputs == ("He.",)
    assert begun[1] - begun[0] >= 0.049


def test_it_stops_when_told_and_says_what_was_not_asked(tmp_path: Path) -> None:
    class Stopping(JobContext):
        stop = False

        @property
        def should_stop(self) -> bool:
            return self.stop

    context, service, store = Stopping(), Scripted(upper), Store(tmp_path)

    def script(texts: list[str]) -> list[str]:
        context.stop = len(service.calls) == 3
        return upper(texts)

    service.script = script
    with reporting_to(context):
        part = execute(Composite(service, Scripted(upper, name="b")), TEXTS, store=store)
    assert not part.complete
    assert part.failed == len(TEXTS)
    assert [len(response.answers) for response in part.responses] == [1, 1, 1, 0, 0, 0]
    assert "stopped" in part.problems[0]
    context.stop, service.script = False, upper
    assert execute(service, TEXTS, store=store).from_store == 3


def test_a_job_that_is_aborted_has_what_was_answered() -> None:
    arrived, go_on = threading.Event(), threading.Event()

    def script(texts: list[str]) -> list[str]:
        arrived.set()
        go_on.wait(20)
        return upper(texts)

    job = bl.start(execute, Scripted(script), TEXTS, keep=False)
    assert arrived.wait(20)
    job.abort()
    go_on.set()
    found = job.result(20)
    assert job.status == "aborted"
    assert [response.answered for response in found.responses] == [True] + [False] * 5


def test_progress_counts_every_answer_of_every_step() -> None:
    told: list[tuple[int, int]] = []
    chain = Composite(Scripted(upper, name="a"), Scripted(upper, name="b"))
    execute(chain, TEXTS, keep=False, on_progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 12)
    assert told[-1] == (12, 12)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_a_store_that_fails_does_not_end_the_run(tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("no folder")
    found = execute(Scripted(upper), TEXTS, store=Store(tmp_path / "blocked"))
    assert (found.failed, found.complete) == (0, True)
    assert "not cached" in found.problems[0]


def test_what_a_run_takes_is_known_before(tmp_path: Path) -> None:
    store = Store(tmp_path)
    price = Cost(per_million_characters=10.0, currency="EUR")
    limits = Limits(texts_per_call=4, calls_per_second=2.0)
    first = Scripted(upper, name="a", limits=limits, cost=price)
    chain = Composite(first, Scripted(upper, name="b", cost=Cost(per_call=0.25)))
    plan = calls_needed(chain, TEXTS, store=store)
    characters = sum(map(len, TEXTS))
    assert (plan.calls, plan.characters, plan.from_store) == (2 + 6, 2 * characters, 0)
    assert plan.cost == pytest.approx(characters * 10e-6 + 6 * 0.25)
    assert (plan.currency, plan.seconds) == ("EUR", 0.5)
    assert first.calls == []
    found = execute(chain, TEXTS, store=store)
    assert (found.calls, found.characters) == (plan.calls, plan.characters)
    assert found.cost == pytest.approx(plan.cost)
    after = calls_needed(chain, TEXTS, store=store)
    assert (after.calls, after.from_store, after.cost) == (0, 12, 0.0)


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=8), st.integers(1, 5))
def test_every_text_has_its_own_answer_in_its_place(texts: list[str], size: int) -> None:
    service = Scripted(lambda t: [x + "!" for x in t], limits=Limits(texts_per_call=size))
    assert execute(service, texts, keep=False).outputs == tuple(text + "!" for text in texts)


@pytest.mark.parametrize("texts", [[], "one text", ["One.", " "], ["One.", None]])
def test_what_is_no_list_of_texts_is_not_asked(texts: object) -> None:
    with pytest.raises(QueryError):
        execute(Scripted(upper), texts, keep=False)  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="concurrency"):
        execute(Scripted(upper), TEXTS, keep=False, concurrency=0)


ENGLISH, SPANISH = "She is a nurse. He cooks.", "Es una enfermera. Él cocina."


@pytest.mark.parametrize(
    ("middle", "output", "reason"),
    [
        (SPANISH, ENGLISH, ""),
        (ENGLISH, ENGLISH, "came back untranslated"),
        (SPANISH, SPANISH, "came back untranslated"),
        (SPANISH, "È una infermiera. Lui è un cuoco.", "looks like Italian"),
        (SPANISH, "Она медсестра. Он повар.", "Cyrillic letters"),
        (SPANISH, "She is a nurse who cooks.", "has 1 sentence where 2 were sent"),
        (SPANISH, "She is a nurse. He. Cooks.", "has 3 sentences where 2 were sent"),
    ],
)
def test_a_translation_in_the_wrong_language_or_of_another_length_is_none(
    middle: str, output: str, reason: str
) -> None:
    words = {("en", "es"): {ENGLISH: middle}, ("es", "en"): {middle: output}}
    (response,) = execute(RoundTrip(Dictionary(words), "es"), [ENGLISH], keep=False).responses
    assert reason in response.failure
    assert response.answered == (reason == "")
    expected = (middle,) if middle == ENGLISH else (middle, output)
    assert response.answers == expected
    assert response.answer_of(len(expected) - 1) == (output if not reason else None)


def test_a_middle_text_is_there_unless_it_is_what_failed() -> None:
    translator = Dictionary({("en", "es"): {ENGLISH: SPANISH}, ("es", "en"): {}})
    found = execute(RoundTrip(translator, "es"), [ENGLISH, "He is a cook."], keep=False)
    assert found.middle_texts == (SPANISH, None)
    single = execute(Translation(translator, "en", "es"), [ENGLISH], keep=False)
    with pytest.raises(ValueError, match="not a round trip"):
        _ = single.middle_texts


def test_an_error_of_a_later_step_leaves_the_answers_of_the_first() -> None:
    later = failing(lambda: ServiceError("No."))
    found = execute(Composite(Scripted(upper, name="a"), later), TEXTS[:3], keep=False)
    assert [response.answers for response in found.responses] == [(t.upper(),) for t in TEXTS[:3]]
    assert found.failures == {"No.": 3}
