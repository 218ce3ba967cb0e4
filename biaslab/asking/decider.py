"""What decides: one protocol for models, services, classifiers and functions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, get_args, runtime_checkable

from biaslab.asking.service import Named, Shown
from biaslab.cases import Question
from biaslab.errors import DeciderError, JobCancelledError
from biaslab.jobs.job import JobContext
from biaslab.records.record import Record

Outcome = Literal["answered", "cannot say", "refused", "unreadable", "other language"]
"""What a reply came to. Only an answered one is fitted; all are counted."""
OUTCOMES: Final[tuple[str, ...]] = get_args(Outcome)


@dataclass(frozen=True, kw_only=True)
class Reply(Record):
    """A reply to one question.

    Attributes
    ----------
    outcome : Outcome
        ``cannot say`` is an answer that was offered; ``refused`` one that declines to decide;
        ``unreadable`` one in which no answer, or more than one, is found; ``other language`` one
        that answers in another language than the question's.
    answer : str
        The option that was chosen, as the question names it; empty unless answered.
    probabilities : tuple of float
        Of the question's `answers`, in their order, where the decider gives them; else empty. They
        sum to 1, and `answer` is the most probable of the options.
    mass : float
        Probability of all answers together before they were scaled to sum to 1; NaN without
        probabilities.
    text : str
        The reply, word for word, without the reasoning before it.
    reason : str
        Why a reply is refused, unreadable or in another language, as a sentence; else empty.
    reasoning : str
        What a reasoning model wrote before its reply; empty if nothing.
    model : str
        Name and version of the model, as the server gives it.
    tokens_in, tokens_out : int
        As the server counts them; 0 where it does not.
    seconds : float
        How long it took; 0 where it is not known.
    """

    outcome: Outcome
    answer: str = ""
    probabilities: tuple[float, ...] = ()
    mass: float = float("nan")
    text: str = ""
    reason: str = ""
    reasoning: str = ""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


def of_shares(question: Question, shares: Sequence[float], *, mass: float, **others: Any) -> Reply:
    """Return the reply of a decider that gives probabilities.

    The shares of the question's answers sum to 1; `mass` is their sum before scaling, and the
    others are fields of `Reply`.
    """
    best = max(range(len(question.options)), key=shares.__getitem__)
    return Reply(
        outcome="answered", answer=question.options[best], probabilities=tuple(shares),
        mass=min(1.0, mass), **others,
    )  # fmt: skip


@runtime_checkable
class Decider(Shown, Protocol):
    """Anything that answers questions with one of the answers that they offer."""

    @property
    def identity(self) -> str:
        """Key of stored replies: name with version or content hash; empty: none are stored.

        Two deciders that may answer differently have different ones.
        """

    @property
    def gives_probabilities(self) -> bool:
        """Whether one reply says how probable each answer is, so that asking again is no use."""

    @property
    def at_once(self) -> int:
        """Questions that one call of `decide` should bring."""

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """Answer questions, in their order, each once and independently of the others.

        Raises
        ------
        DeciderError
            If no reply can be had; says what to do.
        JobCancelledError
            If it was stopped.
        """


@runtime_checkable
class StreamingDecider(Decider, Protocol):
    """A decider that gives each reply as it arrives, and may answer a repetition differently."""

    def stream(
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> Iterator[tuple[int, Reply]]:
        """Answer questions; yield the number of a question, from 0, and its reply.

        Parameters
        ----------
        questions : sequence of Question
            In any order, also several times.
        repetitions : sequence of int
            Which repetition of its question each is, from 0.
        context : JobContext
            A stop ends it early, without an error.

        Raises
        ------
        DeciderError
            If no further reply can be had; says what to do.
        """


@runtime_checkable
class HasDecider(Protocol):
    """A service or subject that is asked for decisions in a way of its own."""

    def decider(self) -> Decider:
        """Return what asks it for decisions."""


class Streaming(Named):
    """Base of deciders that stream: equal questions are repetitions from 0."""

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
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Price(Record):
    """A price list, as providers print it.

    Attributes
    ----------
    read, written : float
        Of a million tokens of questions, and of a million tokens of replies, thoughts included; at
        least 0.
    currency : str
        Such as ``"EUR"``.

    Raises
    ------
    DeciderError
        If a price is no number of at least 0.
    """

    read: float
    written: float
    currency: str = "USD"

    def __post_init__(self) -> None:
        super().__post_init__()
        price: Any
        for price in (self.read, self.written):
            if not isinstance(price, int | float) or not 0 <= price < math.inf:
                raise DeciderError(f"The price {price!r} is no number of at least 0.")

    def of(self, tokens_read: float, tokens_written: float) -> float:
        """Return the cost of tokens, in `currency`."""
        return (tokens_read * self.read + tokens_written * self.written) / 1e6

    def say(self, tokens_read: float, tokens_written: float) -> str:
        """Return the cost of tokens in words, such as ``0.43 EUR``."""
        return f"{self.of(tokens_read, tokens_written):.2f} {self.currency}"
