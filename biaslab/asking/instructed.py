"""An instruction before each text that a service or a decider is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from biaslab.asking.opening import as_chain, decider_of
from biaslab.asking.protocols import (
    QUESTION,
    Chain,
    Decider,
    Named,
    Reply,
    Service,
    StreamingDecider,
    digest,
    request_of,
)
from biaslab.cases import Question
from biaslab.jobs.job import JobContext
from biaslab.subjects.language_model.treated import Treatment


def instructed(
    subject: Any, instruction: str, treatment: Treatment, name: str | None = None
) -> Chain | InstructedDecider:
    """Return a service or decider that reads an instruction before each text.

    Parameters
    ----------
    subject : Service, Chain, Decider, or whatever `biaslab.deciders.decider_of` takes
    instruction : str
    treatment : Treatment
        Its ``treatment`` from now on.
    name : str, optional

    Raises
    ------
    SubjectError
        If it can be sent no text.
    """
    if isinstance(subject, Service | Chain):
        chain = as_chain(subject)
        step = InstructedService(chain.steps[0], instruction, treatment, name)
        return Chain(step.name, (step, *chain.steps[1:]), chain.middle)
    return InstructedDecider(decider_of(subject), instruction, treatment, name)


class _Instructed(Named):
    """What both have: a name and an identity of their own."""

    def __init__(
        self, inner: Any, instruction: str, treatment: Treatment, name: str | None = None
    ) -> None:
        self.inner, self.instruction, self.treatment = inner, instruction, treatment
        kind = "placebo" if treatment.is_placebo else "treated"
        self.name, self.about = name or f"{inner.name}, {kind} by prompt", inner.about
        self.notes: tuple[str, ...] = tuple(getattr(inner, "notes", ()))

    @property
    def identity(self) -> str:
        """That of the service or decider, with the instruction; empty if it has none."""
        return f"{self.inner.identity} after {digest(self.instruction)}" * bool(self.inner.identity)

    def _before(self, text: str) -> str:
        return f"{self.instruction}\n\n{text}"


class InstructedService(_Instructed):
    """A service that reads an instruction before each text."""

    def __init__(self, inner: Service, *how: Any) -> None:
        super().__init__(inner, *how)
        self.limits, self.cost = inner.limits, inner.cost

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        answers: list[str] = self.inner.answer([self._before(text) for text in texts])
        return answers


class InstructedDecider(_Instructed):
    """A decider that reads an instruction before each question."""

    def __init__(self, inner: Decider, *how: Any) -> None:
        super().__init__(inner, *how)
        self.at_once = inner.at_once
        self.price, self.logprobs = (getattr(inner, name, None) for name in ("price", "logprobs"))

    @property
    def gives_probabilities(self) -> bool:
        """As the decider."""
        return bool(self.inner.gives_probabilities)

    @property
    def request(self) -> Mapping[str, Any]:
        """As the decider's, with the instruction before the question."""
        sent: Mapping[str, Any] = _filled(request_of(self.inner), self._before(QUESTION))
        return sent

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """See `Decider.decide`."""
        replies: list[Reply] = self.inner.decide(self._all(questions), context)
        return replies

    def stream(
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`."""
        if isinstance(self.inner, StreamingDecider):
            return self.inner.stream(self._all(questions), repetitions, context)
        return iter(enumerate(self.decide(questions, context)))

    def _all(self, questions: Sequence[Question]) -> list[Question]:
        return [
            replace(one, prompt=self._before(one.prompt), context=self._before(one.context))
            for one in questions
        ]


def _filled(value: Any, text: str) -> Any:
    if isinstance(value, str):
        return value.replace(QUESTION, text)
    if isinstance(value, Mapping):
        return {key: _filled(own, text) for key, own in value.items()}
    return [_filled(own, text) for own in value] if isinstance(value, list | tuple) else value
