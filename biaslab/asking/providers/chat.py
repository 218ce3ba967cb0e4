"""Chat models behind an OpenAI-compatible address."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from biaslab.asking.chat_model import OfModel, Prompt, ReadingOfModel, TextOfModel
from biaslab.asking.completion import TOP, Completion, TokenChoices
from biaslab.asking.decider import Price
from biaslab.asking.endpoint import Endpoint, opened
from biaslab.asking.languages import language_name
from biaslab.asking.service import Cost, Limits
from biaslab.errors import (
    DeciderError,
    EndpointAnswerError,
    EndpointError,
)
from biaslab.jobs.job import JobContext
from biaslab.network import spend
from biaslab.people.access import current_access
from biaslab.people.secret import Secret
from biaslab.records.calls import recorded_class

_REFUSABLE: Final = ("max_tokens", "temperature", "top_logprobs", "logprobs", "system")
"""Fields without which a request still makes sense, as servers name them."""
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


class FieldRefusedError(Exception):
    """A server refuses a field of a request, which can be left out."""


class OpenAIModel:
    """A model behind an endpoint, without the request's fields that its server has refused.

    Parameters
    ----------
    endpoint : Endpoint
    temperature : float or None
    max_tokens : int or None
    logprobs : bool
        Whether to request the probabilities of tokens.
    extra : mapping
        Further fields of the request, such as ``{"reasoning_effort": "low"}``.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        temperature: float | None,
        max_tokens: int | None = None,
        logprobs: bool = False,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.endpoint, self.name, self.model = endpoint, endpoint.name, endpoint.model
        self.temperature, self.max_tokens = temperature, max_tokens
        self.logprobs, self.extra = logprobs, dict(extra or {})
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

    def complete(self, prompt: Prompt, system: str, context: JobContext) -> Completion:
        """See `ChatModel.complete`; a field that the server refuses is left out from then on."""
        for _ in _REFUSABLE:
            try:
                completion = self.endpoint.ask(
                    lambda client: self._send(client, prompt, system), context
                )
                return completion.with_texts(self.endpoint.hide)
            except FieldRefusedError:
                continue
        raise EndpointAnswerError(f"{self.name} refuses every form of the request.")

    def _fields(self, prompt: Prompt, without: frozenset[str], system: str) -> dict[str, Any]:
        """Return the fields of a request without those that were refused."""
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

    def _send(self, client: Any, prompt: Prompt, system: str) -> Completion:
        import openai

        fields = self._fields(prompt, self.refused, system)
        try:
            return _completion(client.chat.completions.create(**fields))
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            said = f"{error.code or ''} {error.message}".lower()
            if any(mark in said for mark in _FILTERS):
                return Completion(text="", finish="filter")
            field = _refused_field(str(error.param or ""), said)
            has_system = fields["messages"][0]["role"] == "system"
            if field in {*fields, *(["system"] if has_system else [])}:
                with self._lock:
                    self._refused.add("logprobs" if field == "top_logprobs" else field)
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


@recorded_class
class ChatService(TextOfModel):
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
        limits = limits or Limits(concurrency=4, timeout=60.0)
        self.endpoint = opened(model, base_url, key, limits)
        self.temperature = temperature
        provider = OpenAIModel(self.endpoint, temperature=temperature)
        super().__init__(provider, instruction, limits, cost)
        self._lock = threading.Lock()
        self._stated: str | None = None

    @property
    def identity(self) -> str:
        """Model and address, the version that the server states, and a hash of the instruction.

        The first time, a short request is sent to learn the version.
        """
        form = f"{self.instruction}|{self.temperature}"
        digest = hashlib.sha256(form.encode()).hexdigest()[:16]
        stated = self._version()
        version = f" ({stated})" if stated not in ("", self.endpoint.model) else ""
        return f"chat {self.endpoint.name}{version} {digest}"

    def _version(self) -> str:
        """Return the model that the server names in its answers; empty if it answers none."""
        with self._lock:
            if self._stated is None:
                greeted = OpenAIModel(
                    self.endpoint, temperature=self.temperature, max_tokens=_LONGEST_GREETING
                )
                try:
                    greeting = greeted.complete(_GREETING, self.instruction, JobContext())
                    self._stated = greeting.version
                except (EndpointAnswerError, EndpointError):
                    self._stated = ""  # the answers will fail, and say why
            return self._stated


@recorded_class
class ChatTranslator(OfModel):
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
        self._service = service = ChatService(
            model, instruction, base_url=base_url, key=key, temperature=temperature, limits=limits,
            cost=cost,
        )  # fmt: skip
        self.name, self.endpoint, self.instruction = service.name, service.endpoint, instruction
        self.limits, self.cost, self.temperature = service.limits, service.cost, temperature

    @property
    def notes(self) -> tuple[str, ...]:
        """Fields that the server has refused."""
        return self._service.notes

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


Logprobs = bool | Literal["auto"]
_MAX_TOKENS: Final = 2048


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
    MissingExtraError
        If ``openai`` is not installed.
    EndpointError
        If no key is given for OpenAI's own address.
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
        limits = limits or Limits(concurrency=4, timeout=60.0)
        self.endpoint = opened(model, base_url, key, limits)
        self.logprobs, self.price = logprobs, price
        self._settings = [system, temperature, max_tokens, str(logprobs), dict(extra or {})]
        provider = OpenAIModel(
            self.endpoint, temperature=temperature, max_tokens=max_tokens, logprobs=bool(logprobs),
            extra=extra,
        )  # fmt: skip
        super().__init__(provider, system, limits, looks_first=True)

    def _identity(self) -> str:
        form = json.dumps(self._settings, sort_keys=True, default=str)
        return f"chat {self.name} {hashlib.sha256(form.encode()).hexdigest()[:16]}"

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
