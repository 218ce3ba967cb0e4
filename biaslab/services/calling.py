"""Call one service: rate limit, retries, and checks of answers."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from biaslab.errors import (
    ServiceAnswerError,
    ServiceError,
    ServiceRefusedError,
    ServiceSetupError,
    ServiceUnreachableError,
)
from biaslab.network import spend
from biaslab.services.service import Service
from biaslab.wording import counted

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
