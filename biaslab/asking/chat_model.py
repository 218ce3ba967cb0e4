"""A chat model of any provider: its text is a service, and the reading of its text a decider.

A provider is one class with a `ChatModel.complete`. Limits, errors, notes and places at once are
the same for all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol

from biaslab.asking.calling import Gate, each_of
from biaslab.asking.decider import Reply, Streaming
from biaslab.asking.reading.completion import Completion, answer_of, reply_to
from biaslab.asking.service import Cost, Limits, Named
from biaslab.cases import Question
from biaslab.errors import (
    DeciderError,
    EndpointAnswerError,
    EndpointError,
    ServiceAnswerError,
    ServiceRefusedError,
)
from biaslab.jobs.job import JobContext

Prompt = str | list[dict[str, Any]]
"""Content of a user's message: a text, or parts such as text and pictures."""


class ChatModel(Protocol):
    """Whoever turns messages into a completion; it retries by itself."""

    @property
    def name(self) -> str:
        """Shown to the person."""

    def identity(self, system: str) -> str:
        """Return the key of stored replies after a system message; empty: none are stored."""

    def complete(self, prompt: Any, system: str, context: JobContext) -> Completion:
        """Return the answer to a user's prompt, after a system message if it is not empty.

        Raises `EndpointAnswerError` if there is no answer to this one, `EndpointError` if to none.
        """


class OfModel(Named):
    """Shared part of services and deciders."""

    about: ClassVar[str] = "chat model"
    provider: ChatModel
    system: str

    @property
    def identity(self) -> str:
        """Of the provider, with the system message and the settings."""
        return self.provider.identity(self.system)

    @property
    def notes(self) -> tuple[str, ...]:
        """Fields that the server has refused."""
        return tuple(getattr(self.provider, "notes", ()))


class TextOfModel(OfModel):
    """A chat model's text, without its thoughts: each text is a conversation of its own."""

    def __init__(
        self,
        provider: ChatModel,
        instruction: str,
        limits: Limits,
        cost: Cost | None,
        name: str = "",
    ) -> None:
        self.provider, self.instruction, self.system = provider, instruction, instruction
        self.name = name or provider.name
        self.limits = replace(limits, attempts=1, texts_per_call=1)
        self.cost = cost or Cost()

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        return [self.text(text, self.instruction) for text in texts]

    def text(self, prompt: str, system: str) -> str:
        """Return the model's text, or raise `ServiceAnswerError` or `ServiceRefusedError`."""
        try:
            return answer_of(self.provider.complete(prompt, system, JobContext()), self.name)
        except EndpointAnswerError as error:
            raise ServiceAnswerError(str(error)) from None
        except EndpointError as error:
            raise ServiceRefusedError(str(error)) from None


class ReadingOfModel(OfModel, Streaming):
    """The decisions in a chat model's text: each question is a conversation of its own."""

    def __init__(
        self, provider: ChatModel, system: str, limits: Limits, *, looks_first: bool = False
    ) -> None:
        self.provider, self.system, self.limits = provider, system, limits
        self.name, self.at_once = provider.name, limits.concurrency
        self._sends_probabilities: bool | None = None if looks_first else False
        self._gate = Gate()

    @property
    def gives_probabilities(self) -> bool:
        """Whether its replies have brought probabilities."""
        return bool(self._sends_probabilities)

    def stream(
        self,
        questions: Sequence[Question],
        repetitions: Sequence[int],  # noqa: ARG002  # each call is a draw
        context: JobContext,
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`."""
        first = questions[:1] if self._sends_probabilities is None else ()
        # The first reply shows which fields the server takes, so that not each call finds out.
        for part, offset in ((first, 0), (questions[len(first) :], len(first))):
            for number, reply in each_of(
                self._ask, part, concurrency=self.limits.concurrency, gate=self._gate,
                calls_per_second=self.limits.calls_per_second, context=context,
            ):  # fmt: skip
                yield number + offset, reply
            if context.should_stop:
                return

    def content(self, question: Question) -> Prompt:
        """Return the content of the message that puts a question."""
        return question.prompt

    def _ask(self, question: Question, context: JobContext) -> Reply:
        begun = time.monotonic()
        try:
            completion = self.provider.complete(self.content(question), self.system, context)
        except (EndpointAnswerError, EndpointError) as error:
            raise DeciderError(str(error)) from None
        reply = reply_to(question, completion, time.monotonic() - begun)
        if self._sends_probabilities is None or reply.probabilities:
            self._sends_probabilities = bool(reply.probabilities)
        self._look_at(completion)
        return reply

    def _look_at(self, completion: Completion) -> None:
        """Count the cost of a completion, and refuse one that lacks what was requested."""
