"""A model of any provider that Inspect knows as a decider."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from biaslab.calls import recorded_class
from biaslab.cases import Question
from biaslab.deciders.completion import reply_to
from biaslab.deciders.decider import Reply, replies_of
from biaslab.deciders.side_by_side import each_of
from biaslab.errors import DeciderError, EndpointAnswerError, EndpointError
from biaslab.jobs import JobContext
from biaslab.services.calling import Gate
from biaslab.services.inspect_model import InspectModel
from biaslab.services.service import Limits


@recorded_class
class InspectDecider:
    """A model of any provider that the package inspect_ai reaches, such as Anthropic's or Google's.

    Inspect retries busy servers, and takes the keys from the environment variables of the provider.

    Parameters
    ----------
    model : str or inspect_ai.model.Model
        As of ``inspect_ai.model.get_model``: ``"anthropic/claude-sonnet-4-0"``.
    system : str
        Message before the question; by default none.
    temperature : float or None
        None: the provider's default.
    logprobs : bool
        Whether to request log-probabilities, which only some providers send.
    max_tokens : int or None
        Longest reply in tokens, thoughts included.
    options : mapping, optional
        Further fields of ``inspect_ai.model.GenerateConfig``, such as ``{"reasoning_effort":
        "low"}``.
    limits : Limits, optional
        By default four calls at once, each waited for two minutes.

    Raises
    ------
    MissingExtraError
        If ``inspect_ai`` is not installed.
    DeciderError
        If it cannot open the model.
    """

    about = "chat model through Inspect"

    def __init__(
        self,
        model: Any,
        *,
        system: str = "",
        temperature: float | None = 1.0,
        logprobs: bool = False,
        max_tokens: int | None = 2048,
        options: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.limits = limits or Limits(concurrency=4, timeout=120.0)
        fields = dict(options or {}) | {"temperature": temperature, "max_tokens": max_tokens}
        try:
            self.model = InspectModel(model, fields, logprobs=logprobs, timeout=self.limits.timeout)
        except EndpointError as error:
            raise DeciderError(str(error)) from error
        self.system = system
        self.name = self.model.name
        self._gives_probabilities = False
        self._gate = Gate()

    def __repr__(self) -> str:
        return f"<InspectDecider {self.name}>"

    @cached_property
    def identity(self) -> str:
        """Model, and a hash of its address and the settings."""
        return self.model.identity(self.system)

    @property
    def gives_probabilities(self) -> bool:
        """Whether its replies have brought probabilities."""
        return self._gives_probabilities

    @property
    def at_once(self) -> int:
        """Calls at once."""
        return self.limits.concurrency

    def decide(self, questions: Sequence[Question], context: JobContext) -> list[Reply]:
        """See `Decider.decide`."""
        return replies_of(self, questions, context)

    def stream(
        self,
        questions: Sequence[Question],
        repetitions: Sequence[int],  # noqa: ARG002  # each call is a draw
        context: JobContext,
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`."""
        return each_of(
            self._ask, questions, concurrency=self.limits.concurrency, gate=self._gate,
            calls_per_second=self.limits.calls_per_second, context=context,
        )  # fmt: skip

    def _ask(self, question: Question, context: JobContext) -> Reply:
        begun = time.monotonic()
        try:
            completion = self.model.complete(question.prompt, self.system, context)
        except EndpointAnswerError as error:
            raise DeciderError(str(error)) from None
        reply = reply_to(question, completion, time.monotonic() - begun)
        self._gives_probabilities = self._gives_probabilities or bool(reply.probabilities)
        return reply
