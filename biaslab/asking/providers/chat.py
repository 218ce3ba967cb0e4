"""Models behind an OpenAI-compatible address: of chats, and of pictures."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

from biaslab.asking.chat_model import (
    TOP,
    Completion,
    OfModel,
    Prompt,
    ReadingOfModel,
    TextOfModel,
    token_choices,
)
from biaslab.asking.endpoint import Endpoint, opened
from biaslab.asking.languages import language_name
from biaslab.asking.protocols import Cost, Limits, Named, Price, digest
from biaslab.errors import DeciderError, EndpointAnswerError, EndpointError
from biaslab.jobs.job import JobContext
from biaslab.network import spend
from biaslab.people.access import current_access
from biaslab.people.secret import Secret
from biaslab.records.calls import recorded_class

_REFUSABLE: Final = {
    "max_tokens": ("max_tokens", "max_completion_tokens is sent"),
    "temperature": ("a temperature", "its own default holds"),
    "top_logprobs": ("log-probabilities", "each reply is one draw"),
    "logprobs": ("log-probabilities", "each reply is one draw"),
    "system": ("a system message", "it stands before each question"),
}
"""Fields without which a request still makes sense: what they are, and what holds without them."""
_NOT_OF_A_FIELD: Final = frozenset({401, 404, 408, 409, 429})
"""Statuses about a key, an address or the moment. Some servers refuse a field with 403 or 500."""
_FINISHES: Final = {"length": "length", "max_tokens": "length", "content_filter": "filter"}
_LIMITS: Final = Limits(concurrency=4, timeout=60.0)
_FILTERS: Final = ("content_filter", "content management policy", "safety system")


class FieldRefusedError(Exception):
    """A server refuses a field of a request, which can be left out."""


class OpenAIModel(Named):
    """A model behind an endpoint, without the request's fields that its server has refused.

    Temperature, longest reply, log-probabilities and extra fields are as of `ChatDecider`.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        temperature: float | None,
        max_tokens: int | None = None,
        logprobs: bool | Literal["auto"] = False,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.endpoint, self.name, self.model = endpoint, endpoint.name, endpoint.model
        self.temperature, self.max_tokens = temperature, max_tokens
        self.logprobs, self.extra = logprobs, dict(extra or {})
        self.refused: frozenset[str] = frozenset()

    def identity(self, system: str) -> str:
        """See `ChatModel.identity`."""
        settings = [system, self.temperature, self.max_tokens, str(self.logprobs), self.extra]
        return f"chat {self.name} {digest(json.dumps(settings, sort_keys=True, default=str))}"

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about each refused field."""
        texts = [_REFUSABLE[name] for name in sorted(self.refused)]
        return tuple(f"{self.model} refuses {what}; {instead}." for what, instead in texts)

    def complete(
        self, prompt: Prompt, system: str, context: JobContext, *, max_tokens: int | None = None
    ) -> Completion:
        """See `ChatModel.complete`; a field that the server refuses is left out from then on."""
        longest = max_tokens or self.max_tokens
        for _ in _REFUSABLE:
            try:
                completion = self.endpoint.ask(
                    lambda client: self._send(client, prompt, system, longest), context
                )
                return completion.with_texts(self.endpoint.hide)
            except FieldRefusedError:
                continue
        raise EndpointAnswerError(f"{self.name} refuses every form of the request.")

    def check(self, completion: Completion) -> None:
        """Raise `EndpointAnswerError` for an answer in place of which to request another one."""

    def request(self, prompt: Prompt, system: str) -> dict[str, Any]:
        """See `ChatModel.request`."""
        fields = self._fields(prompt, system, self.max_tokens)
        return fields | dict(fields.pop("extra_body", {}))

    def _fields(self, prompt: Prompt, system: str, longest: int | None) -> dict[str, Any]:
        """Return the fields of a request without those that were refused."""
        without = self.refused
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
        if system and "system" not in without:
            messages.insert(0, {"role": "system", "content": system})
        elif system and isinstance(prompt, str):
            messages[0]["content"] = f"{system}\n\n{prompt}"
        elif system:
            messages[0]["content"] = [{"type": "text", "text": system}, *prompt]
        fields: dict[str, Any] = {"model": self.model, "messages": messages}
        if self.temperature is not None and "temperature" not in without:
            fields["temperature"] = self.temperature
        if longest is not None:
            is_new = "max_tokens" in without
            fields["max_completion_tokens" if is_new else "max_tokens"] = longest
        if self.logprobs and "logprobs" not in without:
            fields |= {"logprobs": True, "top_logprobs": TOP}
        if self.extra:
            fields["extra_body"] = self.extra
        return fields

    def _send(self, client: Any, prompt: Prompt, system: str, longest: int | None) -> Completion:
        import openai

        fields = self._fields(prompt, system, longest)
        try:
            completion = _completion(client.chat.completions.create(**fields))
        except openai.APIStatusError as error:
            if error.status_code in _NOT_OF_A_FIELD:
                raise
            said = f"{error.code or ''} {self.endpoint.reason(error)}".lower()
            if any(mark in said for mark in _FILTERS):
                return Completion(text="", finish="filter")
            field = _refused_field(str(error.param or ""), said)
            has_system = fields["messages"][0]["role"] == "system"
            if field not in {*fields, *(["system"] if has_system else [])}:
                raise
            self.refused |= {"logprobs" if field == "top_logprobs" else field}
            raise FieldRefusedError(field) from None
        self.check(completion)
        return completion


def _refused_field(param: str, said: str) -> str:
    """Return the field that an error is about; empty if it names none."""
    known = (name for text in (param.lower(), said) for name in _REFUSABLE if name in text)
    return next(known, "")


def _completion(sent: Any) -> Completion:
    """Return the parts of a server's answer."""
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
        tokens=token_choices(getattr(choice, "logprobs", None)),
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


TRANSLATE = (
    "Translate the text that follows from {source} to {target}. Answer with the translation only, "
    "sentence by sentence, without any explanation."
)
"""Default instruction of a chat model for translation."""


@recorded_class
class ChatService(TextOfModel):
    """A chat model with a fixed instruction for each text.

    The key is only held while this object lives: it is in no result, no message and no file. Each
    text is a conversation of its own. The thoughts of a reasoning model are no part of its answer.

    Parameters
    ----------
    model, base_url, key, limits
        As of `biaslab.deciders.ChatDecider`, errors too.
    instruction : str
    temperature : float or None
        0 requests the most probable answer; None: the server's default, which also holds where a
        model refuses a temperature. A model that draws its answers can be asked again with another
        ``repetition`` of the executor.
    cost : Cost, optional
        Of a call; a server's token prices are not known here.
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
        limits = limits or _LIMITS
        self.endpoint = opened(model, base_url, key, limits)
        self.temperature = temperature
        provider = OpenAIModel(self.endpoint, temperature=temperature)
        super().__init__(provider, instruction, limits, cost)

    @property
    def identity(self) -> str:
        """Model and address, the version that the server states, and a hash of the instruction.

        The first time, a short request is sent to learn the version.
        """
        version = "" if self._stated in ("", self.endpoint.model) else f" ({self._stated})"
        settings = digest(f"{self.instruction}|{self.temperature}")
        return f"chat {self.endpoint.name}{version} {settings}"

    @cached_property
    def _stated(self) -> str:
        """The model that the server names in its answers; empty if it answers none."""
        greeted = OpenAIModel(self.endpoint, temperature=self.temperature, max_tokens=16)
        try:
            return greeted.complete("Hello.", self.instruction, JobContext()).version
        except (EndpointAnswerError, EndpointError):
            return ""  # the answers will fail, and say why


@recorded_class
class ChatTranslator(OfModel):
    """A chat model as a translator between any languages.

    Parameters
    ----------
    model : str or Endpoint
    instruction : str
        With ``{source}`` and ``{target}`` for the English names of the languages.
    **options
        Of `ChatService`: ``base_url``, ``key``, ``temperature``, ``limits``, ``cost``.
    """

    def __init__(
        self, model: str | Endpoint, *, instruction: str = TRANSLATE, **options: Any
    ) -> None:
        self._service = service = ChatService(model, instruction, **options)
        self.name, self.endpoint, self.instruction = service.name, service.endpoint, instruction
        self.provider, self.limits, self.cost = service.provider, service.limits, service.cost

    def pairs(self) -> None:
        """See `Translator.pairs`: it is not known."""
        return

    def identity_of(self, source: str, target: str) -> str:
        """Return model, address, version, a hash of the instruction, and the pair."""
        return f"{self._service.identity} {source}-{target}"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        instruction = self.instruction.replace("{source}", language_name(source))
        instruction = instruction.replace("{target}", language_name(target))
        return [self._service.text(text, instruction) for text in texts]


@recorded_class
class ChatDecider(ReadingOfModel):
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
    MissingExtraError, EndpointError
        As of `biaslab.asking.endpoint.Endpoint`.
    DeciderError
        If `temperature`, `logprobs` or `max_tokens` is out of range.
    """

    def __init__(
        self,
        model: str | Endpoint,
        *,
        base_url: str | None = None,
        key: str | Secret | None = None,
        system: str = "",
        temperature: float | None = 1.0,
        logprobs: bool | Literal["auto"] = "auto",
        max_tokens: int | None = 2048,
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
        limits = limits or _LIMITS
        self.endpoint = opened(model, base_url, key, limits)
        self.logprobs, self.price = logprobs, price
        provider = OpenAIModel(
            self.endpoint, temperature=temperature, max_tokens=max_tokens, logprobs=logprobs,
            extra=extra,
        )  # fmt: skip
        super().__init__(provider, system, limits, looks_first=True)

    @property
    def gives_probabilities(self) -> bool:
        """Whether its replies have brought probabilities; with ``logprobs=True`` from the start."""
        return self.logprobs is True or super().gives_probabilities

    def _look_at(self, completion: Completion) -> None:
        entry = current_access().reach.listed(self.endpoint.model)
        # The owner's price list has counted the cost of a model that it names.
        if self.price is not None and (entry is None or entry.read is None):
            cost = self.price.of(completion.tokens_in, completion.tokens_out)
            spend(cost, self.price.currency)
        if self.logprobs is True and completion.text and not completion.tokens:
            raise DeciderError(
                f"{self.name} sends no log-probabilities. Use logprobs='auto', which draws replies"
                " instead."
            )


@dataclass(frozen=True)
class Painted:
    """A generated picture: an untrusted file, and settings such as the seed."""

    content: bytes
    details: Mapping[str, str | int | float] = field(default_factory=dict)


class EndpointPainter(Named):
    """An image model behind an OpenAI-compatible address.

    The key is only held while this object lives: it is in no picture, no message, no file and no
    representation.

    Parameters
    ----------
    model, **options
        As of `biaslab.asking.endpoint.Endpoint`, errors too; `timeout` is three minutes by default.
    size : str
        Such as ``"1024x1024"``, in the server's notation.
    """

    def __init__(self, model: str, *, size: str = "1024x1024", **options: Any) -> None:
        usual: dict[str, Any] = {"timeout": 180.0, "extra": "images"}
        self.endpoint = Endpoint(model, **usual | options)
        self.name, self.size = self.endpoint.name, size
        # Some servers send an address unless the picture is requested; others reject that option.
        self._form = {"response_format": "b64_json"}

    def paint(self, prompt: str, number: int, context: JobContext) -> Painted:
        """See `biaslab.images.Painter.paint`; a busy server is asked again."""
        try:
            content = self.endpoint.ask(lambda client: self._ask(client, prompt), context)
        except EndpointAnswerError as error:
            if not (error.final and self._form and "response_format" in str(error)):
                raise
            self._form = {}
            return self.paint(prompt, number, context)
        return Painted(content, {"size": self.size})

    def _ask(self, client: Any, prompt: str) -> bytes:
        (data, *_) = client.images.generate(
            model=self.endpoint.model, prompt=prompt, n=1, size=self.size, **self._form
        ).data
        if not (text := getattr(data, "b64_json", None)):
            raise EndpointAnswerError(
                f"{self.endpoint.base_url} sent the address of a picture, which is not fetched."
                " Set the server to send the picture itself (b64_json).",
                final=bool(getattr(data, "url", None)),
            )
        return base64.b64decode(text, validate=True)
