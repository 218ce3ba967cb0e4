"""Services that can only be called: one protocol, limits, cost, and chains of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

from biaslab.asking.languages import language_name
from biaslab.errors import ServiceSetupError
from biaslab.people.outbound import limit_problem
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


class Limited(Shown, Protocol):
    """Whatever is called no faster than it bears, and for money."""

    @property
    def limits(self) -> Limits:
        """Limits of the service."""

    @property
    def cost(self) -> Cost:
        """Cost of its calls."""


@runtime_checkable
class Service(Limited, Protocol):
    """Anything that takes texts and gives a text for each.

    It may be called from several threads at once, `limits.concurrency` of them at most.
    """

    @property
    def identity(self) -> str:
        """Key of stored answers: name with version or content hash.

        Two services that may answer differently have different ones. Empty: answers are not stored.
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


class Named:
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
