"""A chat model behind an OpenAI-compatible address as a decider."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from biaslab.access import current_access
from biaslab.calls import recorded_class
from biaslab.cases import Question
from biaslab.deciders.completion import reply_to
from biaslab.deciders.decider import Reply, replies_of
from biaslab.deciders.price import Price
from biaslab.deciders.side_by_side import each_of
from biaslab.endpoint import Endpoint
from biaslab.errors import DeciderError, EndpointAnswerError, EndpointError
from biaslab.jobs import JobContext
from biaslab.network import spend
from biaslab.secret import Secret
from biaslab.services.calling import Gate
from biaslab.services.chat_request import (
    REFUSABLE_FIELDS,
    ChatRequest,
    FieldRefusedError,
    Prompt,
)
from biaslab.services.completion import Completion
from biaslab.services.service import Limits

Logprobs = bool | Literal["auto"]
_MAX_TOKENS: Final = 2048


@recorded_class
class ChatDecider:
    """A chat model that is sent each question as a conversation of its own.

    Where the server sends log-probabilities, one reply says how probable each answer is;
    elsewhere each reply is one draw. `temperature`, `logprobs` and the system message are left out
    for a model that refuses them, and `max_tokens` is called ``max_completion_tokens`` for one
    that wants that. The key exists only in the endpoint.

    Parameters
    ----------
    model : str or Endpoint
        Name of the model, or an endpoint.
    base_url, key : str, optional
        As of `biaslab.endpoint.Endpoint`.
    system : str
        Message before the question; by default none.
    temperature : float or None
        Of the draws, at least 0; None: the server's default.
    logprobs : bool or "auto"
        Whether to request log-probabilities: "auto" goes on without them where there are none.
    max_tokens : int or None
        Longest reply in tokens, thoughts included; None: the server's limit.
    extra : mapping, optional
        Further fields of each request, such as ``{"reasoning_effort": "low"}``. No secrets.
    price : Price, optional
        Of its tokens, so that plans and results say what they cost.
    limits : Limits, optional
        By default four calls at once, each waited for one minute.

    Raises
    ------
    MissingExtraError
        If ``openai`` is not installed.
    EndpointError
        If no key is given for OpenAI's own address.
    DeciderError
        If `temperature`, `logprobs` or `max_tokens` is out of range.
    """

    about = "chat model"

    def __init__(
        self,
        model: str | Endpoint,
        *,
        base_url: str | None = None,
        key: str | Secret | None = None,
        system: str = "",
        temperature: float | None = 1.0,
        logprobs: Logprobs = "auto",
        max_tokens: int | None = _MAX_TOKENS,
        extra: Mapping[str, Any] | None = None,
        price: Price | None = None,
        limits: Limits | None = None,
    ) -> None:
        if temperature is not None and not 0 <= temperature <= 2:
            raise DeciderError(f"temperature={temperature}: choose a number from 0 to 2, or None.")
        if logprobs not in (True, False, "auto"):
            raise DeciderError(f"logprobs={logprobs!r}: choose True, False or 'auto'.")
        if max_tokens is not None and max_tokens < 1:
            raise DeciderError(f"max_tokens={max_tokens}: choose at least 1, or None.")
        self.limits = limits or Limits(concurrency=4, timeout=60.0)
        self.endpoint = (
            model
            if isinstance(model, Endpoint)
            else Endpoint(
                model, base_url=base_url, key=key, attempts=self.limits.attempts,
                timeout=self.limits.timeout, extra="services",
            )
        )  # fmt: skip
        self.name = self.endpoint.name
        self.logprobs = logprobs
        self.price = price
        self._request = ChatRequest(
            self.endpoint.model, system=system, temperature=temperature, max_tokens=max_tokens,
            logprobs=bool(logprobs), extra=extra or {},
        )  # fmt: skip
        self._sends_probabilities: bool | None = None
        self._gate = Gate()

    def __repr__(self) -> str:
        return f"<ChatDecider {self.name}>"

    @cached_property
    def identity(self) -> str:
        """Model, address, and a hash of the settings."""
        own = self._request
        form = json.dumps(
            [own.system, own.temperature, own.max_tokens, str(self.logprobs), own.extra],
            sort_keys=True, default=str,
        )  # fmt: skip
        digest = hashlib.sha256(form.encode()).hexdigest()[:16]
        return f"chat {self.endpoint.name} {digest}"

    @property
    def gives_probabilities(self) -> bool:
        """Whether its replies have brought probabilities; with ``logprobs=True`` from the start."""
        return self.logprobs is True or bool(self._sends_probabilities)

    @property
    def at_once(self) -> int:
        """Calls at once."""
        return self.limits.concurrency

    @property
    def notes(self) -> tuple[str, ...]:
        """Fields that the server has refused."""
        return self._request.notes

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

    def _ask(self, question: Question, context: JobContext) -> Reply:
        begun = time.monotonic()
        completion = self._completion(self.content(question), context)
        self._charge(completion)
        reply = reply_to(question, completion, time.monotonic() - begun)
        if self._sends_probabilities is None or reply.probabilities:
            self._sends_probabilities = bool(reply.probabilities)
        if self.logprobs is True and completion.text and not completion.tokens:
            raise DeciderError(
                f"{self.name} sends no log-probabilities. Use logprobs='auto', which draws replies"
                " instead."
            )
        return reply

    def _charge(self, completion: Completion) -> None:
        """Count the cost of a reply, unless the owner's price list has counted it."""
        entry = current_access().reach.listed(self.endpoint.model)
        if self.price is not None and (entry is None or entry.read is None):
            cost = self.price.of(completion.tokens_in, completion.tokens_out)
            spend(cost, self.price.currency)

    def content(self, question: Question) -> Prompt:
        """Return the content of the message that puts a question."""
        return question.prompt

    def _completion(self, prompt: Prompt, context: JobContext) -> Completion:
        for _ in range(REFUSABLE_FIELDS):
            try:
                completion = self.endpoint.ask(
                    lambda client: self._request.send(client, prompt), context
                )
                return completion.with_texts(self.endpoint.hide)
            except FieldRefusedError:
                continue
            except (EndpointAnswerError, EndpointError) as error:
                raise DeciderError(str(error)) from None
        raise DeciderError(f"{self.name} refuses every form of the request.")
