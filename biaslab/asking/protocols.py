"""Services, translators and deciders; their limits, prices, chains and replies."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal, Protocol, get_args, runtime_checkable

from biaslab.asking.languages import language_name
from biaslab.cases import Question
from biaslab.errors import DeciderError, ServiceSetupError
from biaslab.jobs.job import JobContext
from biaslab.people.outbound import limit_problem
from biaslab.records.calls import Reopened
from biaslab.records.record import Record

_MAY_BE_UNKNOWN = ("characters_per_text", "calls_per_second")


@dataclass(frozen=True)
class Limits(Record):
    """Limits of a service.

    Attributes
    ----------
    texts_per_call : int
        Texts that one call may bring, 1 to 10,000.
    characters_per_text : int or None
        A longer text is not sent, 1 to 10,000,000; None: no limit is known.
    calls_per_second : float or None
        Calls begun per second at most, 0.001 to 1,000; None: no limit is known.
    concurrency : int
        Calls under way at once, 1 to 32.
    timeout : float
        Seconds until the whole answer to one call is there, 0.001 to 3,600.
    attempts : int
        Attempts per call if a retry may help, 1 to 10.

    Raises
    ------
    ServiceSetupError
        If one of them is outside of its range.
    """

    texts_per_call: int = 1
    characters_per_text: int | None = None
    calls_per_second: float | None = None
    concurrency: int = 1
    timeout: float = 30.0
    attempts: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        known = {k: v for k, v in vars(self).items() if v is not None or k not in _MAY_BE_UNKNOWN}
        if problem := limit_problem(**known):
            raise ServiceSetupError(problem)


@dataclass(frozen=True)
class Cost(Record):
    """Cost of calls, from the price list.

    Attributes
    ----------
    per_call : float
        Of one call.
    per_million_characters : float
        Of a million characters of input.
    currency : str
        Such as ``"EUR"``; empty if calls are free or the price is unknown.
    """

    per_call: float = 0.0
    per_million_characters: float = 0.0
    currency: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        prices: tuple[Any, ...] = (self.per_call, self.per_million_characters)
        if not all(isinstance(price, int | float) and price >= 0 for price in prices):
            raise ServiceSetupError(
                "per_call and per_million_characters must be prices of at least 0."
            )

    def of(self, calls: int, characters: int) -> float:
        """Return the cost of calls and characters of input, in `currency`."""
        return calls * self.per_call + characters * self.per_million_characters / 1e6


class Shown(Protocol):
    """Whatever is shown to the person."""

    @property
    def name(self) -> str:
        """Shown to the person."""

    @property
    def about(self) -> str:
        """What it is, in a few words."""


class Identified(Shown, Protocol):
    """Whatever gives answers that can be stored."""

    @property
    def identity(self) -> str:
        """Key of stored answers: name with version or content hash; empty: none are stored.

        Two that may answer differently have different ones.
        """


class Limited(Shown, Protocol):
    """Whatever is called no faster than it bears, and for money."""

    @property
    def limits(self) -> Limits:
        """Limits of the service."""

    @property
    def cost(self) -> Cost:
        """Cost of its calls."""


@runtime_checkable
class Service(Identified, Limited, Protocol):
    """Anything that takes texts and gives a text for each.

    It may be called from several threads at once, `limits.concurrency` of them at most.
    """

    def answer(self, texts: Sequence[str]) -> list[str]:
        """Answer texts in one call, at most ``limits.texts_per_call``: one answer per text.

        Raises
        ------
        ServiceError
            If there is no answer; says whether a retry may help.
        """


@runtime_checkable
class Translator(Limited, Protocol):
    """Interface of a translator; languages as in `biaslab.services`."""

    def pairs(self) -> frozenset[tuple[str, str]] | None:
        """Return languages as (source, target), ISO 639-1 or else 639-3.

        None: the service does not say.
        """

    def identity_of(self, source: str, target: str) -> str:
        """Return the key of stored translations of this pair."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate in one call, as `Service.answer`; languages as in `pairs`."""


def digest(text: str) -> str:
    """Return 16 hexadecimal digits by which settings are known in an identity."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Named(Reopened):
    """Base of what is represented by its name."""

    name: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


@dataclass(frozen=True)
class Chain:
    """One or more services, each given the answers of the one before it.

    Attributes
    ----------
    name : str
        Shown to the person.
    steps : tuple of Service
        In the order of the calls.
    middle : int or None
        Of a round trip: the step whose answers are in the middle language, from 0.

    Raises
    ------
    ServiceSetupError
        If it has no service, one answers in another language than the next one reads, or their
        prices are of different currencies.
    """

    name: str
    steps: tuple[Service, ...]
    middle: int | None = None

    def __post_init__(self) -> None:
        if not self.steps:
            raise ServiceSetupError("A chain needs at least one service.")
        prices = {step.cost.currency for step in self.steps if step.cost.currency}
        if len(prices) > 1:
            currencies = " and ".join(sorted(prices))
            raise ServiceSetupError(
                f"Prices in {currencies} cannot be added: give both services a Cost in the same"
                " currency."
            )
        for current, following in pairwise(self.steps):
            target = str(getattr(current, "target", ""))
            source = str(getattr(following, "source", ""))
            if target and source and target.split("-")[0] != source.split("-")[0]:
                raise ServiceSetupError(
                    f"{current.name} answers in {language_name(target)}, and {following.name} reads"
                    f" {language_name(source)}. Combine services that match."
                )

    @property
    def about(self) -> str:
        """Descriptions of its services."""
        return ", then ".join(dict.fromkeys(step.about for step in self.steps))

    @property
    def identity(self) -> str:
        """Identities of all its services in turn; empty if one of them has none."""
        parts = [step.identity for step in self.steps]
        return " | ".join(parts) if all(parts) else ""

    @property
    def languages(self) -> tuple[str, ...]:
        """Of the input and of the answers of each step; ``""`` if a step names none."""
        first = str(getattr(self.steps[0], "source", ""))
        return (first, *(str(getattr(step, "target", "")) for step in self.steps))


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


QUESTION: Final = "{question}"
"""Stands in a request for the prompt of a question."""
CASE: Final = "{case}"
"""Stands in a request for a question without the instruction how to answer."""


def request_of(decider: Any) -> Mapping[str, Any]:
    """Return what a decider sends for each question, key-free, with `QUESTION` in its place.

    Empty where it does not say: its attribute ``request`` is optional.
    """
    return dict(getattr(decider, "request", {}))


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
class Decider(Identified, Protocol):
    """Anything that answers questions with one of the answers that they offer."""

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
