"""Chat models behind an OpenAI-compatible address as services, and as translators."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence

from biaslab.calls import recorded_class
from biaslab.endpoint import Endpoint
from biaslab.errors import (
    EndpointAnswerError,
    EndpointError,
    ServiceAnswerError,
    ServiceRefusedError,
)
from biaslab.jobs import JobContext
from biaslab.secret import Secret
from biaslab.services.chat_request import REFUSABLE_FIELDS, ChatRequest, FieldRefusedError
from biaslab.services.completion import Completion, answer_of
from biaslab.services.languages import language_name
from biaslab.services.service import Cost, Limits

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
        As of `biaslab.endpoint.Endpoint`.
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
