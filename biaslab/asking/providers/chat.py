"""Chat models behind an OpenAI-compatible address."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from biaslab.access import current_access
from biaslab.asking.calling import Gate, each_of
from biaslab.asking.completion import TOP, Completion, TokenChoices, answer_of
from biaslab.asking.decider import Price, Reply, replies_of
from biaslab.asking.endpoint import Endpoint
from biaslab.asking.languages import language_name
from biaslab.asking.reading.completion import reply_to
from biaslab.asking.service import Cost, Limits
from biaslab.calls import recorded_class
from biaslab.cases import Question
from biaslab.errors import (
    DeciderError,
    EndpointAnswerError,
    EndpointError,
    ServiceAnswerError,
    ServiceRefusedError,
)
from biaslab.jobs import JobContext
from biaslab.network import spend
from biaslab.secret import Secret

_REFUSABLE: Final = ("max_tokens", "temperature", "top_logprobs", "logprobs", "system")
"""Fields without which a request still makes sense, as servers name them."""
REFUSABLE_FIELDS: Final = len(_REFUSABLE)
"""Attempts after which a server has refused every field."""
_CALLED: Final = {
    "system": "a system message",
    "temperature": "a temperature",
    "logprobs": "log-probabilities",
}
_INSTEAD: Final = {
    "system": "it stands before each question",
    "temperature": "its own default holds",
    "logprobs": "each reply is one draw",
    "max_tokens": "max_completion_tokens is sent",
}
_FINISHES: Final = {"length": "length", "max_tokens": "length", "content_filter": "filter"}
_FILTERS: Final = ("content_filter", "content management policy", "safety system")

Prompt = str | list[dict[str, Any]]
"""Content of a user's message."""


class FieldRefusedError(Exception):
    """A server refuses a field of a request, which can be left out."""


class ChatRequest:
    """Requests to one model, without the fields that its server has refused before.

    Parameters
    ----------
    model : str
    system : str
        System message; empty: none.
    temperature : float or None
    max_tokens : int or None
    logprobs : bool
        Whether to request the probabilities of tokens.
    extra : mapping
        Further fields of the request, such as ``{"reasoning_effort": "low"}``.
    """

    def __init__(
        self,
        model: str,
        *,
        system: str,
        temperature: float | None,
        max_tokens: int | None,
        logprobs: bool,
        extra: Mapping[str, Any],
    ) -> None:
        self.model, self.system, self.temperature = model, system, temperature
        self.max_tokens, self.logprobs, self.extra = max_tokens, logprobs, dict(extra)
        self._refused: set[str] = set()
        self._lock = threading.Lock()

    @property
    def refused(self) -> frozenset[str]:
        """Fields that the server has refused."""
        with self._lock:
            return frozenset(self._refused)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about each of them."""
        return tuple(
            f"{self.model} refuses {_CALLED.get(field, field)}; {_INSTEAD[field]}."
            for field in sorted(self.refused)
        )

    def forget(self, field: str) -> None:
        """Leave a field out from now on."""
        with self._lock:
            self._refused.add("logprobs" if field == "top_logprobs" else field)

    def fields(
        self, prompt: Prompt, without: frozenset[str], system: str | None = None
    ) -> dict[str, Any]:
        """Return the fields of a request without those that were refused."""
        system = self.system if system is None else system
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
        if system and "system" in without:
            messages[0]["content"] = (
                f"{system}\n\n{prompt}"
                if isinstance(prompt, str)
                else [{"type": "text", "text": system}, *prompt]
            )
        elif system:
            messages.insert(0, {"role": "system", "content": system})
        fields: dict[str, Any] = {"model": self.model, "messages": messages}
        if self.temperature is not None and "temperature" not in without:
            fields["temperature"] = self.temperature
        if self.max_tokens is not None:
            is_new = "max_tokens" in without
            fields["max_completion_tokens" if is_new else "max_tokens"] = self.max_tokens
        if self.logprobs and "logprobs" not in without:
            fields |= {"logprobs": True, "top_logprobs": TOP}
        if self.extra:
            fields["extra_body"] = self.extra
        return fields

    def send(self, client: Any, prompt: Prompt, system: str | None = None) -> Completion:
        """Send a prompt, and return what came.

        Parameters
        ----------
        client : openai.OpenAI
        prompt : str or list of dict
            Text, or parts of a message, such as text and pictures.
        system : str, optional
            System message of this request; by default that of all.

        Raises
        ------
        FieldRefusedError
            If the server refuses a field: it is left out of later requests.
        openai.OpenAIError
        """
        import openai

        without = self.refused
        fields = self.fields(prompt, without, system)
        try:
            return _completion(client.chat.completions.create(**fields))
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            said = f"{error.code or ''} {error.message}".lower()
            if any(mark in said for mark in _FILTERS):
                return Completion(text="", finish="filter")
            field = _refused_field(str(error.param or ""), said)
            has_system = fields["messages"][0]["role"] == "system"
            sent = {*fields, *(["system"] if has_system else [])}
            if field in sent:
                self.forget(field)
                raise FieldRefusedError(field) from None
            raise


def _refused_field(param: str, said: str) -> str:
    """Return the field that an error is about; empty if it names none."""
    for text in (param.lower(), said):
        for field in _REFUSABLE:
            if field in text:
                return field
    return ""


def _completion(sent: Any) -> Completion:
    """Return the parts of a server's answer.

    Raises
    ------
    AttributeError, IndexError, TypeError
        If it is not one.
    """
    choice = sent.choices[0]
    message = choice.message
    text, thoughts = _texts(message.content)
    own = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None)
    usage = sent.usage
    version = str(getattr(sent, "system_fingerprint", None) or "")
    return Completion(
        text=text, reasoning=own if isinstance(own, str) else thoughts,
        refusal=str(getattr(message, "refusal", None) or ""),
        finish=_FINISHES.get(str(choice.finish_reason), "stop"),
        tokens=_tokens(getattr(choice, "logprobs", None)),
        model=f"{sent.model or ''} {version}".strip(), version=str(sent.model or ""),
        tokens_in=int(getattr(usage, "prompt_tokens", 0) or 0),
        tokens_out=int(getattr(usage, "completion_tokens", 0) or 0),
    )  # fmt: skip


def _texts(content: Any) -> tuple[str, str]:
    """Return a message's text and its thoughts, which some servers send as a list of parts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    texts, thoughts = [], []
    for part in content:
        kind = str(part.get("type", ""))
        if kind == "text":
            texts.append(str(part.get("text") or ""))
        elif kind in ("thinking", "reasoning"):
            thoughts.append(str(part.get(kind) or part.get("text") or ""))
    return "".join(texts), "".join(thoughts)


def _tokens(logprobs: Any) -> tuple[TokenChoices, ...]:
    content = getattr(logprobs, "content", None) or ()
    return tuple(
        TokenChoices(
            str(token.token),
            {str(top.token): float(top.logprob) for top in token.top_logprobs or ()},
        )
        for token in content[:8]
    )


TRANSLATE = (
    "Translate the text that follows from {source} to {target}. Answer with the translation only, "
    "sentence by sentence, without any explanation."
)
"""Default instruction of a chat model for translation."""
_GREETING = "Hello."
_LONGEST_GREETING = 16
"""Tokens of the reply to it."""


class _Chat:
    """Shared part of both kinds."""

    about = "chat model"

    def __init__(
        self,
        model: str | Endpoint,
        *,
        base_url: str | None,
        key: str | Secret | None,
        temperature: float | None,
        limits: Limits | None,
        cost: Cost | None,
    ) -> None:
        limits = limits or Limits(concurrency=4, timeout=60.0)
        self.endpoint = (
            model
            if isinstance(model, Endpoint)
            else Endpoint(
                model, base_url=base_url, key=key, attempts=limits.attempts,
                timeout=limits.timeout, extra="services",
            )
        )  # fmt: skip
        # The endpoint retries by itself, with the server's own delay.
        self.limits = Limits(
            characters_per_text=limits.characters_per_text, attempts=1, timeout=limits.timeout,
            calls_per_second=limits.calls_per_second, concurrency=limits.concurrency,
        )  # fmt: skip
        self.cost = cost or Cost()
        self.temperature = temperature
        self.name = self.endpoint.name
        self._lock = threading.Lock()
        self._stated: str | None = None
        self._request, self._greeting = (
            ChatRequest(
                self.endpoint.model, system="", temperature=temperature, max_tokens=most,
                logprobs=False, extra={},
            )
            for most in (None, _LONGEST_GREETING)
        )  # fmt: skip

    def _identity(self, instruction: str) -> str:
        digest = hashlib.sha256(f"{instruction}|{self.temperature}".encode()).hexdigest()[:16]
        stated = self._version(instruction)
        version = f" ({stated})" if stated not in ("", self.endpoint.model) else ""
        return f"chat {self.endpoint.name}{version} {digest}"

    def _version(self, instruction: str) -> str:
        """Return the model that the server names in its answers; empty if it answers none."""
        with self._lock:
            if self._stated is None:
                try:
                    self._stated = self._complete(_GREETING, instruction, self._greeting).version
                except (EndpointAnswerError, EndpointError):
                    self._stated = ""  # the answers will fail, and say why
            return self._stated

    def _ask(self, text: str, instruction: str) -> str:
        try:
            return answer_of(self._complete(text, instruction, self._request), self.name)
        except EndpointAnswerError as error:
            raise ServiceAnswerError(str(error)) from None
        except EndpointError as error:
            raise ServiceRefusedError(str(error)) from None

    def _complete(self, text: str, instruction: str, request: ChatRequest) -> Completion:
        for _ in range(REFUSABLE_FIELDS):
            try:
                completion = self.endpoint.ask(
                    lambda client: request.send(client, text, instruction), JobContext()
                )
                return completion.with_texts(self.endpoint.hide)
            except FieldRefusedError:
                continue  # left out from now on
        raise EndpointAnswerError(f"{self.name} refuses every form of the request.")

    @property
    def notes(self) -> tuple[str, ...]:
        """Fields that the server has refused."""
        return self._request.notes

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


@recorded_class
class ChatService(_Chat):
    """A chat model with a fixed instruction for each text.

    The key is only held while this object lives: it is in no result, no message and no file. Each
    text is a conversation of its own. The thoughts of a reasoning model are no part of its answer.

    Parameters
    ----------
    model : str or Endpoint
        Name of the model, or an endpoint.
    instruction : str
        The instruction.
    base_url, key : str, optional
        As of `biaslab.asking.endpoint.Endpoint`.
    temperature : float or None
        0 requests the most probable answer; None: the server's default, which also holds where a
        model refuses a temperature. A model that draws its answers can be asked again with another
        ``repetition`` of the executor.
    limits : Limits, optional
        By default four calls at once, each waited for one minute.
    cost : Cost, optional
        Of a call; a server's token prices are not known here.

    Raises
    ------
    MissingExtraError
        If ``openai`` is not installed.
    EndpointError
        If no key is given for OpenAI's own address.
    """

    def __init__(
        self,
        model: str | Endpoint,
        instruction: str,
        *,
        base_url: str | None = None,
        key: str | Secret | None = None,
        temperature: float | None = 0.0,
        limits: Limits | None = None,
        cost: Cost | None = None,
    ) -> None:
        super().__init__(
            model, base_url=base_url, key=key, temperature=temperature, limits=limits, cost=cost
        )
        self.instruction = instruction

    @property
    def identity(self) -> str:
        """Model and address, the version that the server states, and a hash of the instruction.

        The first time, a short request is sent to learn the version.
        """
        return self._identity(self.instruction)

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        return [self._ask(text, self.instruction) for text in texts]


@recorded_class
class ChatTranslator(_Chat):
    """A chat model as a translator between any languages.

    Parameters
    ----------
    model, base_url, key, temperature, limits, cost
        As of `ChatService`.
    instruction : str
        With ``{source}`` and ``{target}`` for the English names of the languages.
    """

    def __init__(
        self,
        model: str | Endpoint,
        *,
        instruction: str = TRANSLATE,
        base_url: str | None = None,
        key: str | Secret | None = None,
        temperature: float | None = 0.0,
        limits: Limits | None = None,
        cost: Cost | None = None,
    ) -> None:
        super().__init__(
            model, base_url=base_url, key=key, temperature=temperature, limits=limits, cost=cost
        )
        self.instruction = instruction

    def pairs(self) -> None:
        """See `Translator.pairs`: it is not known."""
        return

    def identity_of(self, source: str, target: str) -> str:
        """Return model, address, version, a hash of the instruction, and the pair."""
        return f"{self._identity(self.instruction)} {source}-{target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        instruction = self.instruction.replace("{source}", language_name(source))
        instruction = instruction.replace("{target}", language_name(target))
        return [self._ask(text, instruction) for text in texts]


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
        As of `biaslab.asking.endpoint.Endpoint`.
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
