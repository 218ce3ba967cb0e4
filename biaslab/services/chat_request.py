"""One request to a chat model: the fields that its server takes, and what it answers."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Final

from biaslab.services.completion import TOP, Completion, TokenChoices

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
