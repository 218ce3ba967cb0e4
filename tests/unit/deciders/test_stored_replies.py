"""Replies in the store: a killed run goes on, and a second look costs no call."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab import cases, deciders
from biaslab.asking.calling import each_of
from biaslab.cases import Question
from biaslab.deciders import Reply, StoredReplies
from biaslab.errors import DeciderError
from biaslab.jobs.context import reporting_to
from biaslab.jobs.job import JobContext
from biaslab.store import Store
from harness.needs import needs

HIRE = cases.get("hire-by-name")
QUESTIONS = [HIRE.ask(HIRE.groups[0].cues[0], level) for level in range(12)]
LONG = 30.0


class Stopping(JobContext):
    """Asks to stop once a number of replies was reported."""

    def __init__(self, after: int) -> None:
        self.after, self.reports = after, [0.0]

    @property
    def should_stop(self) -> bool:
        return self.reports[-1] >= self.after

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        self.reports.append(done)


class Plain:
    """A decider without a stream, which counts what it is asked."""

    name, about, gives_probabilities, at_once = "plain", "a test's", False, 4

    def __init__(self, identity: str = "plain 1", fails_at: int = 10**9) -> None:
        self.identity, self.fails_at = identity, fails_at
        self.asked: list[Question] = []

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        if len(self.asked) + len(questions) > self.fails_at:
            raise DeciderError("It is broken. Mend it.")
        self.asked += questions
        return [Reply(outcome="answered", answer=q.options[0], text="é\ud800") for q in questions]


class Streaming(Plain):
    """One reply after another; may fail, or wait for a signal, before one of them."""

    def stream(
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> Iterator[tuple[int, Reply]]:
        for number in reversed(range(len(questions))):
            if len(self.asked) >= self.fails_at:
                raise DeciderError("It is broken. Mend it.")
            self.asked.append(questions[number])
            yield number, Reply(outcome="answered", answer=f"{repetitions[number]}")


@pytest.mark.parametrize("subject", ["clerk-lm", "imdb-sentiment"])
def test_replies_are_those_of_the_model_under_whatever_name(subject: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, second = (_decider(bl.load(subject, name=name)) for name in ("first", "second"))
    assert first.identity == second.identity
    replies = deciders.ask(first, QUESTIONS, store=store)
    kept = StoredReplies(second, store)
    again = kept.ask(QUESTIONS, [0] * 12, JobContext())
    assert (kept.found, kept.asked) == (12, 0)
    assert again == [
        replace(reply, model=reply.model.replace("first", "second")) for reply in replies
    ]


def _decider(subject: Any) -> deciders.Decider:
    if hasattr(subject, "labels"):
        answers = dict(zip(subject.labels, QUESTIONS[0].answers, strict=True))
        return deciders.ClassifierDecider(subject, answers=answers)
    return deciders.LanguageModelDecider(subject)


def test_a_second_look_costs_no_call_and_is_equal(tmp_path: Path) -> None:
    store, first, second = Store(tmp_path), Plain(), Plain()
    replies = deciders.ask(first, QUESTIONS, store=store)
    kept = StoredReplies(second, store)
    assert kept.known(QUESTIONS, [0] * 12) == 12
    assert kept.ask(QUESTIONS, [0] * 12, JobContext()) == replies
    assert (len(first.asked), second.asked, kept.found, kept.asked) == (12, [], 12, 0)
    assert kept.notes == []


@pytest.mark.parametrize(
    "reply",
    [
        Reply(outcome="refused", text="No.", reason="It declines to decide."),
        Reply(outcome="cannot say", text="UNSURE", reasoning="Hm."),
        Reply(outcome="unreadable", reason="The reply is empty.", tokens_out=3, seconds=0.25),
        Reply(outcome="answered", answer="INVITE", probabilities=(0.1, 0.9), mass=0.5, model="m 1"),
        Reply(outcome="answered", answer="INVITE", probabilities=(0.5, 0.5), mass=0.0),
    ],
    ids=lambda reply: reply.outcome,
)
def test_every_part_of_a_reply_is_kept(reply: Reply, tmp_path: Path) -> None:
    decider = Plain()
    decider.decide = lambda questions, context: [reply]  # type: ignore[method-assign]
    store = Store(tmp_path)
    deciders.ask(decider, QUESTIONS[:1], store=store)
    [read] = deciders.ask(Plain(), QUESTIONS[:1], store=store)
    assert read == reply
    assert math.isnan(read.mass) == math.isnan(reply.mass)


@pytest.mark.parametrize(
    "change", ["identity", "prompt", "order of the answers", "way out", "context", "repetition"]
)
def test_another_question_decider_or_repetition_is_asked(change: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    deciders.ask(Plain(), [Question("p", ("A", "B"))], store=store)
    question = {
        "prompt": Question("p2", ("A", "B")),
        "order of the answers": Question("p", ("B", "A")),
        "way out": Question("p", ("A", "B"), "C"),
        "context": Question("p", ("A", "B"), "", "p"),
    }.get(change, Question("p", ("A", "B")))
    decider = Plain("plain 2" if change == "identity" else "plain 1")
    deciders.ask(decider, [question], [1 if change == "repetition" else 0], store=store)
    assert decider.asked == [question]


def test_only_new_questions_are_asked_each_once_and_come_in_order(tmp_path: Path) -> None:
    store = Store(tmp_path)
    deciders.ask(Streaming(), QUESTIONS[::2], store=store)
    decider = Streaming()
    mixed = [*QUESTIONS, *QUESTIONS[:3]]
    replies = deciders.ask(decider, mixed, [0] * 12 + [0, 1, 2], store=store)
    assert set(decider.asked) == {*QUESTIONS[1::2], *QUESTIONS[1:3]}
    assert len(decider.asked) == 6 + 2
    assert [reply.answer for reply in replies[12:]] == ["0", "1", "2"]


@pytest.mark.parametrize("kind", [Plain, Streaming])
def test_a_failure_keeps_the_replies_before_it(kind: Any, tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(DeciderError, match=r"It is broken\. Mend it") as caught:
        deciders.ask(kind(fails_at=8), QUESTIONS, store=store)
    # The stream begins with the last question, so the first ones have no reply.
    assert len(caught.value.replies) == (8 if kind is Plain else 0)
    again = kind()
    deciders.ask(again, QUESTIONS, store=store)
    assert len(again.asked) == 4


def test_a_stop_keeps_the_replies_before_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    observer = bl.observers.decider(HIRE)
    with reporting_to(Stopping(after=5)):
        some = deciders.ask(observer, QUESTIONS, store=store)
    assert some == deciders.ask(observer, QUESTIONS)[:5]
    assert StoredReplies(observer, store).known(QUESTIONS, [0] * 12) == 5
    decider = Plain()
    with reporting_to(Stopping(after=1)):
        assert len(deciders.ask(decider, QUESTIONS)) == 4


def test_a_reply_is_in_the_store_while_the_next_one_is_awaited(tmp_path: Path) -> None:
    store, written = Store(tmp_path), threading.Event()
    kept = StoredReplies(Streaming(), store)
    write = kept._stored.flush

    def seen() -> None:
        write()
        written.set()

    kept._stored.flush = seen  # type: ignore[method-assign]

    class Waiting(Streaming):
        def stream(self, *arguments: Any) -> Iterator[tuple[int, Reply]]:
            yield 0, Reply(outcome="answered", answer="INVITE")
            assert written.wait(LONG)
            assert StoredReplies(Plain(), Store(tmp_path)).known(QUESTIONS, [0] * 12) == 1

    kept.decider = Waiting()
    assert len(kept.ask(QUESTIONS, [0] * 12, JobContext())) == 1


def test_a_broken_store_is_reported_and_not_fatal(tmp_path: Path) -> None:
    (tmp_path / "biaslab.sqlite").write_bytes(b"no database" * 1000)
    store = Store(f"sqlite:///{tmp_path / 'biaslab.sqlite'}")
    kept = StoredReplies(Plain(), store)
    assert len(kept.ask(QUESTIONS, [0] * 12, JobContext())) == 12
    assert [note.partition(":")[0] for note in kept.notes] == ["Replies are not stored"]


def test_without_an_identity_nothing_is_stored(tmp_path: Path) -> None:
    store, decider = Store(tmp_path), Plain("")
    for _ in range(2):
        deciders.ask(decider, QUESTIONS, store=store)
    assert len(decider.asked) == 24


def test_a_stored_reply_of_another_form_is_asked_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    kept = StoredReplies(Plain(), store)
    keys = kept._keys(QUESTIONS[:3], [0] * 3)
    store.keep_values("reply/1", dict(zip(keys, ["{", "[]", '{"outcome": "odd"}'], strict=True)))
    assert [r.outcome for r in kept.ask(QUESTIONS[:3], [0] * 3, JobContext())] == ["answered"] * 3


def test_a_decider_that_gives_too_few_replies_is_named() -> None:
    decider = Plain()
    decider.decide = lambda questions, context: []  # type: ignore[method-assign]
    with pytest.raises(DeciderError, match="plain gave 0 replies to 4 questions"):
        deciders.ask(decider, QUESTIONS)
    with pytest.raises(DeciderError, match="12 questions and 1 repetitions"):
        deciders.ask(decider, QUESTIONS, [0])


def side_by_side(call: Any, items: Sequence[int], context: JobContext) -> Iterator[tuple[int, Any]]:
    return each_of(call, items, concurrency=3, context=context)


def test_calls_under_way_bring_their_values_before_an_error() -> None:
    failed = threading.Event()

    def call(item: int, context: JobContext) -> int:
        if item == 0:
            failed.set()
            raise DeciderError("It is broken.")
        assert failed.wait(LONG)
        return item

    values: list[tuple[int, int]] = []
    with pytest.raises(DeciderError, match="It is broken"):
        values.extend(side_by_side(call, range(9), JobContext()))
    assert {(1, 1), (2, 2)} <= set(values)


def test_a_stop_leaves_calls_under_way_alone() -> None:
    release = threading.Event()
    context = Stopping(after=1)

    def call(item: int, inner: JobContext) -> int:
        if item == 0:
            return item
        release.wait(LONG)
        inner.checkpoint()
        return item

    values = []
    for value in side_by_side(call, range(9), context):
        values.append(value)
        context.report(1)
    release.set()
    assert values == [(0, 0)]


_RUN = """
import sys
from biaslab import cases, deciders
from biaslab.store import Store

case = cases.get("hire-by-name")
questions = [case.ask(case.groups[0].cues[0], level) for level in range(12)]
chat = deciders.ChatDecider("simulated", base_url=sys.argv[1])
store = Store(sys.argv[2])
deciders.ask(chat, questions * 6, [i // 12 for i in range(72)], store=store)
"""


@needs("openai")
def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    observer = bl.observers.decider(HIRE, pse=6, seed=8)
    faults = deciders.Faults(sends_logprobs=False, delay=0.02)
    all_questions, times = QUESTIONS * 6, [i // 12 for i in range(72)]
    with observer.serve(faults=faults) as server:
        kept = StoredReplies(
            deciders.ChatDecider("simulated", base_url=server.url), Store(tmp_path)
        )
        run = subprocess.Popen([sys.executable, "-c", _RUN, server.url, str(tmp_path)])
        try:
            deadline = time.monotonic() + 4 * LONG
            while kept.known(all_questions, times) < 12 and time.monotonic() < deadline:
                assert run.poll() is None
                threading.Event().wait(0.02)
        finally:
            run.kill()
            run.wait()
        before, sent = kept.known(all_questions, times), len(server.requests)
        assert 12 <= before < 72
        replies = kept.ask(all_questions, times, JobContext())
        assert (len(replies), kept.found, kept.asked) == (72, before, 72 - before)
        assert len(server.requests) <= sent + 72 - before + 4  # four were under way
