"""Call services: several at once, no faster than they take it, with retries, until a stop."""

from __future__ import annotations

import queue
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

from biaslab.asking.http import LONGEST_WAIT, is_page
from biaslab.asking.protocols import Named, Reply, Service
from biaslab.cases import Question
from biaslab.errors import (
    DeciderError,
    EndpointError,
    JobCancelledError,
    ServiceAnswerError,
    ServiceError,
    ServiceRefusedError,
    ServiceSetupError,
    ServiceUnreachableError,
)
from biaslab.jobs.job import JobContext, JobStopped
from biaslab.network import spend
from biaslab.records.wording import counted
from biaslab.threads.background import pause, start_thread

T = TypeVar("T")
E = TypeVar("E", bound=Exception)
In = TypeVar("In")
Out = TypeVar("Out")
LONGEST_ANSWER = 100_000
"""Longest answer in characters, so that reading ends."""
_FIRST_WAIT = 0.5
_LOOK_AGAIN = 0.1
"""Seconds after which a wait looks whether it was stopped."""
_UNPAID = (ServiceRefusedError, ServiceSetupError, ServiceUnreachableError)
"""Errors of calls that nobody is paid for."""


class StillRunsError(Exception):
    """A call has not ended within its time limit."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return the result of `call`, or raise its exception, if it ends within the time limit.

    It runs in its own thread, which cannot be stopped: after the limit (`StillRunsError`) it
    continues there, and its result is ignored.
    """
    answer: Future[T] = Future()
    surroundings = copy_context()

    def run() -> None:
        try:
            answer.set_result(surroundings.run(call))
        except BaseException as error:  # noqa: BLE001  # handed to the thread that waits
            answer.set_exception(error)

    start_thread("biaslab-within", run)
    futures.wait([answer], seconds)
    if not answer.done():
        raise StillRunsError(f"It took longer than {seconds:g} s.")
    return answer.result()


def wait(seconds: float, context: JobContext) -> None:
    """Wait; raise `JobStopped` as soon as the context stops, or the interpreter ends."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        context.checkpoint()
        if not pause(min(left, _LOOK_AGAIN)):
            raise JobStopped


def next_try(error: Exception, seconds: float) -> str:
    """Say what failed, and when it is tried again."""
    return f"{error} Next try in {seconds:.3g} s."


def retried(
    attempt: Callable[[], T],
    *,
    attempts: int,
    again: type[E],
    delay: Callable[[int, E], float | None],
    wait: Callable[[float], object],
) -> T | E:
    """Try a call several times; return its value, or its last error.

    Errors of another type than `again` are raised. `delay` takes the number of the failed attempt,
    from 1, and its error; it returns the seconds for `wait`, or None to give up.
    """
    for number in range(1, attempts + 1):
        try:
            return attempt()
        except again as error:
            problem = error
        seconds = delay(number, problem)
        if seconds is None or number == attempts:
            break
        wait(seconds)
    return problem


class Gate:
    """Lets calls through no faster than a service takes them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._next = -float("inf")

    def turn(self, calls_per_second: float | None) -> float:
        """Take the next place in the queue; seconds until it begins."""
        with self._lock:
            begins = max(self._clock(), self._next)
            self._next = begins + (1.0 / calls_per_second if calls_per_second else 0.0)
            return begins - self._clock()

    def close_for(self, seconds: float) -> None:
        """Block all calls for a time."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)

    def wait(
        self, calls_per_second: float | None, context: JobContext, at_least: float = 0.0
    ) -> None:
        """Wait for the next place in the queue, as `wait`."""
        wait(max(at_least, self.turn(calls_per_second)), context)


class _Stoppable(JobContext):
    """The context of calls that end together, as part of a whole."""

    def __init__(self, whole: JobContext) -> None:
        self._whole = whole
        self.stopping = threading.Event()

    def wait_for(self, text: str) -> None:
        self._whole.wait_for(text)

    @property
    def should_stop(self) -> bool:
        return self.stopping.is_set()

    def checkpoint(self) -> None:
        if self.should_stop:
            raise JobStopped


def each_of(
    call: Callable[[In, JobContext], Out],
    items: Sequence[In],
    *,
    concurrency: int,
    context: JobContext,
    finish: bool = False,
) -> Iterator[tuple[int, Out]]:
    """Call a function with each item, several at once; yield numbers and values as they come.

    A function takes an item, and a context that ends its waits. After its first `DeciderError` or
    `EndpointError` no further call begins, and what the running calls bring is yielded before the
    error is raised. A stop of the context ends it without an error; only with `finish` it waits for
    the running calls.
    """
    inner = _Stoppable(context)
    # A pool of concurrent.futures would keep the interpreter from ending until its calls have
    # returned, which takes minutes where a service does not answer.
    waiting: queue.SimpleQueue[tuple[Context, int] | None] = queue.SimpleQueue()
    outcomes: queue.SimpleQueue[tuple[int, Out] | BaseException] = queue.SimpleQueue()
    threads: list[threading.Thread] = []

    def work() -> None:
        while (given := waiting.get()) is not None:
            surroundings, number = given
            try:
                outcomes.put((number, surroundings.run(call, items[number], inner)))
            except BaseException as error:  # noqa: BLE001  # raised where it is taken
                outcomes.put(error)

    problem: Exception | None = None
    number = under_way = 0
    try:
        while (number < len(items) or under_way) and not context.should_stop:
            while number < len(items) and under_way < concurrency:
                under_way += 1
                if under_way > len(threads):
                    threads.append(start_thread("biaslab-service", work))
                # What a call waits for is closed with the job that began it.
                waiting.put((copy_context(), number))
                number += 1
            try:
                outcome = outcomes.get(timeout=_LOOK_AGAIN)
            except queue.Empty:
                continue
            under_way -= 1
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome
    except (DeciderError, EndpointError) as error:
        problem = error
    finally:
        inner.stopping.set()
        for _ in threads:
            waiting.put(None)
    if finish or problem is not None:
        for thread in threads:
            thread.join()
    while not outcomes.empty():
        if not isinstance(outcome := outcomes.get(), BaseException):
            yield outcome
    if problem is not None:
        raise problem


class Streaming(Named):
    """Base of deciders that stream: equal questions are repetitions from 0, each call a draw."""

    at_once: int

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """See `Decider.decide`."""
        times: Counter[Question] = Counter()
        repetitions = []
        for question in questions:
            repetitions.append(times[question])
            times[question] += 1
        replies = dict(self.stream(questions, repetitions, context))
        if len(replies) < len(questions):
            raise JobCancelledError(f"{self.name} was stopped before it answered every question.")
        return [replies[number] for number in range(len(questions))]

    def stream(
        self,
        questions: Sequence[Question],
        repetitions: Sequence[int],  # noqa: ARG002  # each call is a draw
        context: JobContext,
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`."""
        return each_of(self._ask, questions, concurrency=self.at_once, context=context)

    def _ask(self, question: Question, context: JobContext) -> Reply:
        raise NotImplementedError


@dataclass
class Called:
    """Outcome of one batch of texts: their answers, or the reasons why they have none.

    The error is the last one behind the failures. Calls and characters include retries.
    """

    answers: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    error: ServiceError | None = None
    calls: int = 0
    characters: int = 0


_gates: weakref.WeakKeyDictionary[Any, Gate] = weakref.WeakKeyDictionary()
_gates_lock = threading.Lock()


def gate_of(service: Service) -> Gate:
    """Return the gate of a service; all directions of a translator share one."""
    owner = getattr(service, "translator", service)
    try:
        with _gates_lock:
            return _gates.setdefault(owner, Gate())
    except TypeError:  # an object that cannot be referred to weakly, or has no hash
        return Gate()


class Caller:
    """Calls of one service, from several threads."""

    def __init__(self, service: Service) -> None:
        self.service, self._gate = service, gate_of(service)

    def call(self, texts: Sequence[str], context: JobContext) -> Called:
        """Answer these texts in one call, with retries if useful, until the context stops.

        If an answer to several texts is unusable, each of them is sent alone.
        """
        called = Called()
        with suppress(JobStopped):
            self._call(list(texts), called, context)
        return called

    def _call(self, texts: list[str], called: Called, context: JobContext) -> None:
        limits, cost = self.service.limits, self.service.cost
        price = cost.of(1, sum(map(len, texts)))
        waits = [0.0]

        def attempt() -> list[str]:
            self._gate.wait(limits.calls_per_second, context, waits[-1])
            context.checkpoint()
            called.calls += 1
            called.characters += sum(map(len, texts))
            try:
                answers = self._answers(texts)
            except _UNPAID:
                raise
            except ServiceError:
                spend(price, cost.currency)
                raise
            spend(price, cost.currency)
            return answers

        def delay(number: int, error: ServiceError) -> float | None:
            context.checkpoint()  # its connection was closed, or nobody waits any more
            wait = _FIRST_WAIT * 2.0 ** (number - 1)
            wait = wait if error.retry_after is None else error.retry_after
            if not error.again or (error.retry_after is not None and wait > LONGEST_WAIT):
                return None
            if error.retry_after is not None:
                self._gate.close_for(wait)
            if number < limits.attempts:
                context.wait_for(next_try(error, wait))
            return wait

        answers = retried(
            attempt, attempts=limits.attempts, again=ServiceError, delay=delay,
            wait=waits.append,
        )  # fmt: skip
        if isinstance(answers, list):
            self._take(texts, answers, called)
        elif len(texts) > 1 and isinstance(answers, ServiceAnswerError):
            for text in texts:
                self._call([text], called, context)
        else:
            called.error = answers
            called.failures |= dict.fromkeys(texts, str(answers))

    def _answers(self, texts: list[str]) -> list[str]:
        try:
            answers: Any = self.service.answer(texts)
        except ServiceError:
            raise
        except Exception as problem:  # a service may be anybody's code
            raise ServiceAnswerError(
                f"{self.service.name} failed with {type(problem).__name__}: {problem}"
            ) from problem
        if not isinstance(answers, Sequence) or isinstance(answers, str | bytes):
            raise ServiceAnswerError(
                f"{self.service.name} gave {type(answers).__name__} instead of a list of texts."
            )
        if len(answers) != len(texts):
            raise ServiceAnswerError(
                f"{self.service.name} gave {counted(len(answers), 'answer')} to "
                f"{counted(len(texts), 'text')}."
            )
        return list(answers)

    def _take(self, texts: list[str], answers: list[str], called: Called) -> None:
        for text, answer in zip(texts, answers, strict=True):
            if problem := _no_answer(answer):
                called.failures[text] = f"{self.service.name} {problem}"
                called.error = ServiceAnswerError(called.failures[text])
            else:
                called.answers[text] = answer


def _no_answer(answer: object) -> str:
    if not isinstance(answer, str):
        return f"gave {type(answer).__name__} instead of a text."
    if not answer.strip():
        return "sent an empty answer."
    if len(answer) > LONGEST_ANSWER:
        return f"answered with {len(answer):,} characters; at most {LONGEST_ANSWER:,} are allowed."
    if is_page(answer):
        return f"sent a web page instead of an answer: {answer.lstrip()[:60].lower()!r}."
    return ""
