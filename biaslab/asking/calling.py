"""Call services: several at once, no faster than they take it, with retries, until a stop."""

from __future__ import annotations

import queue
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from biaslab.asking.service import Service
from biaslab.background import pause, start_thread
from biaslab.errors import (
    DeciderError,
    ServiceAnswerError,
    ServiceError,
    ServiceRefusedError,
    ServiceSetupError,
    ServiceUnreachableError,
)
from biaslab.jobs import JobContext, JobStopped
from biaslab.network import spend
from biaslab.wording import counted

T = TypeVar("T")


class StillRunsError(Exception):
    """A call has not ended within its time limit."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return the result of `call`, if it ends within the time limit.

    It runs in its own thread, which cannot be stopped: after the limit it continues there,
    and its result is ignored.

    Parameters
    ----------
    seconds : float
        To wait at most.
    call : callable

    Raises
    ------
    StillRunsError
        If it has not returned in time.
    BaseException
        The exception of `call`.
    """
    values: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            values.append(call())
        except BaseException as error:  # noqa: BLE001  # handed to the thread that waits
            errors.append(error)

    surroundings = copy_context()
    asking = start_thread("biaslab-within", lambda: surroundings.run(run))
    asking.join(seconds)
    if errors:
        raise errors[0]
    if not values:
        raise StillRunsError(f"It took longer than {seconds:g} s.")
    return values[0]


In = TypeVar("In")
Out = TypeVar("Out")


class SideBySide(Generic[In, Out]):
    """Concurrent calls of a function; outcomes come in the order of their ends.

    A pool of ``concurrent.futures`` would keep the interpreter from ending until its calls have
    returned, which takes minutes where a service does not answer.

    Parameters
    ----------
    function : callable
        Takes one item.

    Attributes
    ----------
    under_way : int
        Calls begun whose outcome is still pending.
    """

    def __init__(self, function: Callable[[In], Out]) -> None:
        self._function = function
        self._items: queue.SimpleQueue[tuple[Context, In] | None] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[Out | BaseException] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self.under_way = 0

    def begin(self, item: In) -> None:
        """Call the function with `item`, concurrently."""
        self.under_way += 1
        if self.under_way > len(self._threads):
            self._threads.append(start_thread("biaslab-service", self._work))
        # What a call waits for is closed with the job that began it.
        self._items.put((copy_context(), item))

    def next(self, timeout: float) -> Out | None:
        """Return the outcome of the next call to end, or None after `timeout` seconds.

        Raises
        ------
        BaseException
            The exception of the call.
        """
        try:
            outcome = self._outcomes.get(timeout=timeout)
        except queue.Empty:
            return None
        self.under_way -= 1
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def dismiss(self) -> None:
        """Let each thread end after its running call."""
        for _ in self._threads:
            self._items.put(None)

    def end(self) -> Iterator[Out]:
        """Wait for running calls, and return the outcomes of successful ones."""
        self.dismiss()
        for thread in self._threads:
            thread.join()
        yield from self.ended()

    def ended(self) -> Iterator[Out]:
        """Return the outcomes of successful calls that have ended, without waiting."""
        while not self._outcomes.empty():
            outcome = self._outcomes.get()
            if not isinstance(outcome, BaseException):
                yield outcome

    def _work(self) -> None:
        while (item := self._items.get()) is not None:
            try:
                context, given = item
                self._outcomes.put(context.run(self._function, given))
            except BaseException as error:  # noqa: BLE001  # raised by next()
                self._outcomes.put(error)


LONGEST_WAIT = 120.0
"""Seconds: a service that wants to be left alone for longer has failed for this run."""
LONGEST_ANSWER = 100_000
"""Longest answer in characters, so that reading ends."""
_FIRST_WAIT = 0.5
_UNPAID = (ServiceRefusedError, ServiceSetupError, ServiceUnreachableError)
"""Errors of calls that nobody is paid for."""


@dataclass
class Called:
    """Outcome of one batch of texts.

    Attributes
    ----------
    answers : dict of str to str
        Text to answer.
    failures : dict of str to str
        Text to the reason why it has no answer.
    error : ServiceError or None
        The last error behind the failures.
    calls, characters : int
        Calls, retries included, and their number of characters.
    """

    answers: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    error: ServiceError | None = None
    calls: int = 0
    characters: int = 0


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
    """Calls of one service, from several threads.

    Parameters
    ----------
    service : Service
        The service.
    stopping : threading.Event
        When it is set, waiting ends and no new call is made.
    """

    def __init__(self, service: Service, stopping: threading.Event) -> None:
        self.service = service
        self._stopping = stopping
        self._gate = gate_of(service)

    def call(self, texts: Sequence[str]) -> Called:
        """Answer these texts in one call, with retries if useful.

        If an answer to several texts is unusable, each of them is sent alone.
        """
        called = Called()
        self._call(list(texts), called)
        return called

    def _call(self, texts: list[str], called: Called) -> None:
        error: ServiceError | None = None
        wait = 0.0
        for attempt in range(self.service.limits.attempts):
            turn = self._gate.turn(self.service.limits.calls_per_second)
            if self._stopping.wait(max(wait, turn, 0.0)):
                return
            called.calls += 1
            called.characters += sum(map(len, texts))
            try:
                answers = self._answers(texts)
            except ServiceError as problem:
                error = problem
                if not isinstance(problem, _UNPAID):
                    self._charge(texts)
                if self._stopping.is_set():  # its connection was closed, or nobody waits any more
                    return
                if not problem.again:
                    break
                wait = _FIRST_WAIT * 2.0**attempt
                if problem.retry_after is not None:
                    if problem.retry_after > LONGEST_WAIT:
                        break
                    wait = problem.retry_after
                    self._gate.close_for(wait)
                continue
            self._charge(texts)
            self._take(texts, answers, called)
            return
        if error is None:
            return
        if len(texts) > 1 and isinstance(error, ServiceAnswerError):
            for text in texts:
                self._call([text], called)
            return
        called.error = error
        called.failures |= dict.fromkeys(texts, str(error))

    def _charge(self, texts: list[str]) -> None:
        cost = self.service.cost
        spend(cost.of(1, sum(map(len, texts))), cost.currency)

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
            problem = _no_answer(answer)
            if problem:
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
    start = answer.lstrip()[:200].lower()
    if start.startswith(("<!doctype", "<html", "<?xml", "<head", "<body")):
        return f"sent a web page instead of an answer: {start[:60]!r}."
    return ""


_LOOK_AGAIN = 0.1
"""Seconds after which a wait looks whether it was stopped."""


class _Stoppable(JobContext):
    """The context of calls that end together."""

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping

    @property
    def should_stop(self) -> bool:
        return self._stopping.is_set()

    def checkpoint(self) -> None:
        if self.should_stop:
            raise JobStopped


def each_of(
    call: Callable[[In, JobContext], Out],
    items: Sequence[In],
    *,
    concurrency: int,
    gate: Gate,
    calls_per_second: float | None,
    context: JobContext,
) -> Iterator[tuple[int, Out]]:
    """Call a function with each item, several at once; yield numbers and values as they come.

    After a failure no further call begins, and what the running calls bring is yielded before the
    error is raised. After a stop, running calls are left alone.

    Parameters
    ----------
    call : callable
        Takes an item, and a context that ends its waits.
    items : sequence
    concurrency : int
        Calls at once.
    gate, calls_per_second
        When a call may begin.
    context : JobContext
        A stop ends it without an error.

    Raises
    ------
    DeciderError
        The first of a call.
    """
    stopping = threading.Event()
    inner = _Stoppable(stopping)

    def numbered(number: int) -> tuple[int, Out]:
        begins = time.monotonic() + gate.turn(calls_per_second)
        while (left := begins - time.monotonic()) > 0:
            inner.checkpoint()
            if not pause(min(left, _LOOK_AGAIN)):
                raise JobStopped
        return number, call(items[number], inner)

    calls: SideBySide[int, tuple[int, Out]] = SideBySide(numbered)
    problem: DeciderError | None = None
    number = 0
    try:
        while number < len(items) or calls.under_way:
            if context.should_stop:
                yield from calls.ended()
                return
            while number < len(items) and calls.under_way < concurrency:
                calls.begin(number)
                number += 1
            if (ended := calls.next(_LOOK_AGAIN)) is not None:
                yield ended
    except DeciderError as error:
        problem = error
    finally:
        stopping.set()
        calls.dismiss()
    if problem is not None:
        yield from calls.end()
        raise problem
