"""Distribution analysis: a service's responses, and the values in them as counts by block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.rating.attributes import Attribute
from biaslab.probes.rating.data_generator import Distribution
from biaslab.probes.rating.output_statistics import Floats, within_text_correlation
from biaslab.probes.rating.rating import Tallies
from biaslab.probes.rating.reading import Found, reader
from biaslab.records.record import Record


@dataclass(frozen=True)
class Response(Record):
    """Response to one text.

    Attributes
    ----------
    text : str
        The text.
    answers : tuple of str
        The answer of each service of the chain, in turn; fewer than the services if one
        failed. An answer that cannot be one, say in the wrong language, is the last.
    failure : str
        Why there is no usable answer; empty if there is one.
    rejected : bool
        Whether the last of the answers is invalid.
    """

    text: str
    answers: tuple[str, ...]
    failure: str = ""
    rejected: bool = False

    @property
    def answered(self) -> bool:
        """Whether the last service of the chain gave a usable answer."""
        return not self.failure

    @property
    def output(self) -> str | None:
        """The last answer; None if there is no usable one."""
        return self.answers[-1] if self.answered else None

    def answer_of(self, step: int) -> str | None:
        """Return the answer of one step, from 0; None if there is no usable one."""
        usable = len(self.answers) - (0 if self.answered or not self.rejected else 1)
        return self.answers[step] if step < usable else None


@dataclass(frozen=True)
class Responses(Record):
    """Responses of a service to texts.

    Attributes
    ----------
    service, identity : str
        Name of the chain, and identity of its answers in the store.
    steps : tuple of str
        Names of its services.
    languages : tuple of str
        Of the texts and of the answers of each step; ``""`` if a step names none.
    middle : int or None
        Of a round trip: the step whose answers are in the middle language.
    responses : tuple of Response
        One per text, in their order.
    calls, characters : int
        New calls, retries included, and their number of characters.
    from_store : int
        Answers, of single steps, that were taken from the store.
    cost : float
        Of these calls by the services' price lists, in `currency`.
    currency : str
        Empty if calls are free or the price is unknown.
    problems : tuple of str
        Problems beyond single texts, in plain words.
    complete : bool
        Whether every text was sent; False if the run was stopped, or a service was down.
    """

    service: str
    identity: str
    steps: tuple[str, ...]
    languages: tuple[str, ...]
    middle: int | None
    responses: tuple[Response, ...]
    calls: int
    characters: int
    from_store: int
    cost: float = 0.0
    currency: str = ""
    problems: tuple[str, ...] = ()
    complete: bool = True

    @property
    def failed(self) -> int:
        """Number of texts without a usable answer."""
        return sum(not response.answered for response in self.responses)

    @property
    def failures(self) -> dict[str, int]:
        """Reason to the number of texts that failed for it, most frequent first."""
        counts: dict[str, int] = {}
        for response in self.responses:
            if response.failure:
                counts[response.failure] = counts.get(response.failure, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    @property
    def outputs(self) -> tuple[str | None, ...]:
        """The last answer to each text; None if there is no usable one."""
        return tuple(response.output for response in self.responses)

    @property
    def middle_texts(self) -> tuple[str | None, ...]:
        """Of a round trip, each text in the middle language; None if there is none.

        Raises
        ------
        ValueError
            If this is no round trip.
        """
        if self.middle is None:
            raise ValueError(f"{self.service} is not a round trip: it has no middle language.")
        return tuple(response.answer_of(self.middle) for response in self.responses)


@dataclass(frozen=True)
class CallPlan(Record):
    """Estimated calls of a run.

    Attributes
    ----------
    calls : int
        Number of calls without retries; an upper limit, since equal answers are sent once.
    characters : int
        Characters of text in them, if an answer is as long as its text.
    from_store : int
        Answers, of single steps, that are in the store already.
    cost : float
        By the services' price lists, in `currency`.
    currency : str
        Empty if calls are free or the price is unknown.
    seconds : float or None
        Lower limit by the services' rate limits; None if they state none.
    """

    calls: int
    characters: int
    from_store: int
    cost: float = 0.0
    currency: str = ""
    seconds: float | None = None


Numbers = NDArray[np.int64]
UNRESOLVED = -1
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Codes:
    """Values of all mentions as numbers: input of re-rating.

    Attributes
    ----------
    inputs, answered : ndarray of int, shape (R, B, T, m)
        Of each language, distribution, text and mention the value that was written and the one
        that came back; -1 is unresolved.
    """

    inputs: Numbers
    answered: Numbers

    def counts(self, values: int) -> Floats:
        """Count mentions by input and output value, (R, B, V, V + 1); unresolved are last."""
        return self._once(("counts", values), lambda: self._counted(values))

    @property
    def unresolved(self) -> Numbers:
        """Unresolved mentions, shape (R, B)."""
        return self._once(("unresolved",), lambda: (self.answered < 0).sum((2, 3)))

    def correlation(self, compared: NDArray[np.bool_]) -> Floats:
        """Return the correlation of mentions within a text, over compared values, (R,)."""
        return self._once(
            ("correlation", compared.tobytes()),
            lambda: within_text_correlation(self.inputs, self.answered, compared),
        )

    def _counted(self, values: int) -> Floats:
        column = np.where(self.answered < 0, values, self.answered)
        cell = self.inputs * (values + 1) + column
        r, b = cell.shape[:2]
        size = values * (values + 1)
        offset = np.arange(r * b).reshape(r, b, 1, 1) * size
        counted = np.bincount((cell + offset).ravel(), minlength=r * b * size)
        return counted.reshape(r, b, values, values + 1).astype(np.float64)

    def _once(self, key: tuple[object, ...], count: Callable[[], NDArray[T]]) -> NDArray[T]:
        """Compute counts over texts once, for all ratings."""
        if key not in self._memory:
            self._memory[key] = count()
            self._memory[key].flags.writeable = False
        return self._memory[key]

    @cached_property
    def _memory(self) -> dict[tuple[object, ...], NDArray[Any]]:
        return {}


def mentions_of(
    responses: Sequence[Response], attribute: Attribute, language: str, mentions: int
) -> tuple[tuple[Found, ...], ...]:
    """Return a `Found` per mention of every answer; failures are unresolved."""
    read = reader(attribute, language).read
    by_response = []
    for response in responses:
        if response.output is None:
            why = Found("", reason=response.failure)
            by_response.append((why,) * mentions)
        else:
            by_response.append(read(response.output, mentions))
    return tuple(by_response)


def code_of_values(attribute: Attribute, values: Sequence[str]) -> list[int]:
    """Return numbers of values; an empty one is unresolved."""
    number = {value: i for i, value in enumerate(attribute.all_values)}
    return [number.get(value, UNRESOLVED) for value in values]


def tallies(
    codes: Codes, distributions: Sequence[Distribution], changed: Sequence[bool] | None = None
) -> Tallies:
    """Return counts for both rules, for all languages at once.

    - `codes`: of R languages and B blocks.
    - `distributions`: of the B blocks, for the rating.
    - `changed`: which of them differ from the shares in the run. The service's rate for each value
      is then taken from all blocks together, and the output is predicted from it.
    """
    values = len(distributions[0].shares)
    counts = codes.counts(values)
    compared = np.ones(values, bool)
    compared[-1] = any(d.shares[-1] > 0 for d in distributions)
    predicted = None
    if changed is not None and any(changed):
        predicted = np.asarray(changed, bool)
        pooled = counts.sum(1, keepdims=True)
        counts = np.where(predicted[:, None, None], pooled, counts)
    mentions = np.full(len(distributions), codes.inputs.shape[2] * codes.inputs.shape[3], float)
    return Tallies(
        counts,
        tuple(distributions),
        codes.correlation(compared),
        codes.inputs.shape[3],
        mentions,
        predicted,
    )
