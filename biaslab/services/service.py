"""What a service is: text in, text out; a translator between languages; and chains of services."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

from biaslab.errors import ServiceSetupError
from biaslab.record import Record
from biaslab.services.languages import language_name


@dataclass(frozen=True)
class Limits(Record):
    """What a service takes at once.

    Attributes
    ----------
    texts_per_call : int
        Texts that one call may bring, at least 1.
    characters_per_text : int or None
        A longer text is not sent; None: no limit is known.
    calls_per_second : float or None
        Calls begun per second at most; None: no limit is known.
    concurrency : int
        Calls under way at once, at least 1.
    timeout : float
        Seconds to wait for the answer to one call.
    attempts : int
        How often one call is made where asking again may help, at least 1.
    """

    texts_per_call: int = 1
    characters_per_text: int | None = None
    calls_per_second: float | None = None
    concurrency: int = 1
    timeout: float = 30.0
    attempts: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        per_text = 1 if self.characters_per_text is None else self.characters_per_text
        counts: tuple[Any, ...] = (self.texts_per_call, per_text, self.concurrency, self.attempts)
        if not all(isinstance(count, int) and count >= 1 for count in counts):
            raise ServiceSetupError(
                "texts_per_call, characters_per_text, concurrency and attempts must be whole"
                " numbers of at least 1."
            )
        pace = 1.0 if self.calls_per_second is None else self.calls_per_second
        numbers: tuple[Any, ...] = (pace, self.timeout)
        if not all(isinstance(number, int | float) and number > 0 for number in numbers):
            raise ServiceSetupError("calls_per_second and timeout must be numbers above 0.")


@dataclass(frozen=True)
class Cost(Record):
    """What calls cost, as their price list says.

    Attributes
    ----------
    per_call : float
        Of one call.
    per_million_characters : float
        Of a million characters of input.
    currency : str
        Such as ``"EUR"``; empty where calls are free or the price is not known.
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
        """What so many calls with so many characters of input in all cost, in `currency`."""
        return calls * self.per_call + characters * self.per_million_characters / 1e6


@runtime_checkable
class Service(Protocol):
    """Anything that takes texts and gives a text for each.

    It may be called from several threads at once, `limits.concurrency` of them at most.
    """

    @property
    def name(self) -> str:
        """Shown to the person."""

    @property
    def about(self) -> str:
        """What kind of thing it is, in a few words."""

    @property
    def identity(self) -> str:
        """What stored answers are kept under: name with version or content hash.

        Two services that may answer differently have different ones. Empty: answers are not kept.
        """

    @property
    def limits(self) -> Limits:
        """What it takes at once."""

    @property
    def cost(self) -> Cost:
        """What its calls cost."""

    def answer(self, texts: Sequence[str]) -> list[str]:
        """One call.

        Parameters
        ----------
        texts : sequence of str
            At most ``limits.texts_per_call``.

        Returns
        -------
        list of str
            One answer per text, in their order.

        Raises
        ------
        ServiceError
            If there is no answer; says whether asking again may help.
        """


@runtime_checkable
class Translator(Protocol):
    """Anything that translates texts between languages; languages as in `biaslab.services`."""

    @property
    def name(self) -> str:
        """Shown to the person."""

    @property
    def about(self) -> str:
        """What kind of thing it is, in a few words."""

    @property
    def limits(self) -> Limits:
        """What it takes at once."""

    @property
    def cost(self) -> Cost:
        """What its calls cost."""

    def pairs(self) -> frozenset[tuple[str, str]] | None:
        """Languages as (source, target), ISO 639-1 where there is such a code, else 639-3.

        None: the service does not say.
        """

    def identity_of(self, source: str, target: str) -> str:
        """What stored translations of this pair are kept under."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """One call, as `Service.answer`; the languages are given as in `pairs`."""


@dataclass(frozen=True)
class Chain:
    """One or more services, each given what the one before it answered.

    Attributes
    ----------
    name : str
        Shown to the person.
    steps : tuple of Service
        In the order in which they are asked.
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
            told = " and ".join(sorted(prices))
            raise ServiceSetupError(
                f"Prices in {told} cannot be added: give both services a Cost in the same currency."
            )
        for one, other in pairwise(self.steps):
            target, source = str(getattr(one, "target", "")), str(getattr(other, "source", ""))
            if target and source and target.split("-")[0] != source.split("-")[0]:
                raise ServiceSetupError(
                    f"{one.name} answers in {language_name(target)}, and {other.name} reads"
                    f" {language_name(source)}. Combine services that match."
                )

    @property
    def about(self) -> str:
        """What its services are."""
        return ", then ".join(dict.fromkeys(step.about for step in self.steps))

    @property
    def identity(self) -> str:
        """Of all its services in turn; empty where one of them has none."""
        parts = [step.identity for step in self.steps]
        return " | ".join(parts) if all(parts) else ""

    @property
    def languages(self) -> tuple[str, ...]:
        """Of the input and of the answers of each step; ``""`` where a step names none."""
        first = str(getattr(self.steps[0], "source", ""))
        return (first, *(str(getattr(step, "target", "")) for step in self.steps))
