"""Chat models of any provider that the package inspect_ai reaches."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import re
import weakref
from collections.abc import Mapping
from concurrent.futures import TimeoutError as NotYetError
from functools import partial
from typing import Any, Final

from biaslab.asking.chat_model import (
    TOP,
    Completion,
    ReadingOfModel,
    TextOfModel,
    messages,
    token_choices,
)
from biaslab.asking.protocols import Cost, Limits, digest
from biaslab.errors import (
    DeciderError,
    EndpointAnswerError,
    EndpointError,
    MissingExtraError,
    OutboundError,
    ServiceSetupError,
)
from biaslab.jobs.job import JobContext
from biaslab.network import admitted_provider, check_model
from biaslab.people.access import current_access
from biaslab.people.secret import environment_secret
from biaslab.records.calls import recorded_class
from biaslab.threads.background import on_exit, start_thread

_LIMITS: Final = Limits(concurrency=4, timeout=120.0)
_LOOK_AGAIN: Final = 0.2
_KEY: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)", re.I)
"""In names of environment variables that hold keys."""
_FINISHES: Final = {"max_tokens": "length", "model_length": "length", "content_filter": "filter"}


class InspectModel:
    """A chat model, asked through Inspect, which retries busy servers.

    Model, fields of ``GenerateConfig`` and log-probabilities are as of `InspectDecider`; one answer
    is waited for `timeout` seconds. An `EndpointError` says why a model cannot be opened.
    """

    def __init__(
        self, model: Any, fields: Mapping[str, Any], *, logprobs: bool = False, timeout: float
    ) -> None:
        if importlib.util.find_spec("inspect_ai") is None:
            raise MissingExtraError(
                'Models through Inspect need the package inspect_ai: pip install "biaslab[inspect]"'
            )
        self._check_access(model if isinstance(model, str) else str(model))
        inspect: Any = importlib.import_module("inspect_ai.model")
        self.fields = dict(fields)
        if logprobs:
            self.fields |= {"logprobs": True, "top_logprobs": TOP}
        try:
            self.model = inspect.get_model(model) if isinstance(model, str) else model
            self._config = inspect.GenerateConfig(**self.fields)
        except Exception as error:  # noqa: BLE001  # of any provider's package
            raise EndpointError(
                f"Inspect cannot open {model}: {_hidden(str(error))} See its list of providers for"
                " the name and the variable of the key."
            ) from None
        self.name = str(self.model)
        self._timeout = timeout
        # Connections of a provider belong to one event loop, which lives as long as this object.
        self._loop: asyncio.AbstractEventLoop = asyncio.new_event_loop()
        start_thread("biaslab-inspect", self._loop.run_forever, shared=True)
        ending = partial(_stop, weakref.ref(self._loop))
        weakref.finalize(self, ending)
        on_exit(ending)

    def identity(self, system: str) -> str:
        """Return the model, and a hash of its address, the system message and the settings."""
        address = getattr(getattr(self.model, "api", None), "base_url", None)
        settings = sorted(self.fields.items(), key=str)
        return f"inspect {self.name} {digest(f'{address}|{system}|{settings}')}"

    def request(self, prompt: str, system: str) -> dict[str, Any]:
        """See `ChatModel.request`."""
        return {"model": self.name, "messages": messages(system, prompt), **self.fields}

    def complete(self, prompt: str, system: str, context: JobContext) -> Completion:
        """See `ChatModel.complete`."""
        try:
            self._check_access(self.name)
            with admitted_provider():
                return self._complete(prompt, system, context)
        except (EndpointError, OutboundError) as error:
            raise EndpointAnswerError(str(error), final=True) from None

    def _complete(self, prompt: str, system: str, context: JobContext) -> Completion:
        call: Any = self.model.generate(_messages(prompt, system), config=self._config)
        # The task takes the access of this thread along.
        waiting = asyncio.run_coroutine_threadsafe(
            asyncio.wait_for(call, self._timeout), self._loop
        )
        while True:
            try:
                context.checkpoint()
                output = waiting.result(_LOOK_AGAIN)
                break
            except NotYetError as error:
                if waiting.done():
                    raise EndpointAnswerError(
                        f"{self.name} did not answer within {self._timeout:g} s."
                    ) from error
            except Exception as error:  # noqa: BLE001  # of any provider's package
                raise EndpointAnswerError(
                    f"{self.name} failed: {type(error).__name__}: {_hidden(str(error))}"
                ) from None
            finally:
                if context.should_stop:
                    waiting.cancel()
        if output.error:
            raise EndpointAnswerError(f"{self.name} failed: {_hidden(str(output.error))}")
        return _completion(output)

    def _check_access(self, name: str) -> None:
        """Refuse a model that the person may not ask with the owner's key, which Inspect takes."""
        try:
            check_model(name, own_key=not current_access().is_owner)
        except OutboundError as error:
            raise EndpointError(str(error)) from None


def _hidden(text: str) -> str:
    """Return a provider's message without the keys in the environment."""
    for name in os.environ:
        if _KEY.search(name):
            text = environment_secret(name).hide(text)
    return text


def _messages(prompt: str, system: str) -> list[Any]:
    inspect: Any = importlib.import_module("inspect_ai.model")
    before = [inspect.ChatMessageSystem(content=system)] if system else []
    return [*before, inspect.ChatMessageUser(content=prompt)]


def _completion(output: Any) -> Completion:
    """Return the parts of an output of Inspect."""
    choice = output.choices[0]
    content = choice.message.content
    parts = [] if isinstance(content, str) else content
    thoughts = [part.reasoning for part in parts if part.type == "reasoning"]
    return Completion(
        text=str(choice.message.text), reasoning="\n\n".join(map(str, thoughts)),
        finish=_FINISHES.get(str(choice.stop_reason), "stop"),
        tokens=token_choices(choice.logprobs),
        model=str(output.model), version=str(output.model),
        tokens_in=int(output.usage.input_tokens) if output.usage else 0,
        tokens_out=int(output.usage.output_tokens) if output.usage else 0,
    )  # fmt: skip


def _stop(loop: weakref.ref[asyncio.AbstractEventLoop]) -> None:
    running = loop()
    if running is not None and running.is_running():
        running.call_soon_threadsafe(running.stop)


@recorded_class
class InspectService(TextOfModel):
    """A chat model of Anthropic, Google, Mistral, Bedrock, Ollama or another provider of Inspect.

    Each text is a conversation of its own. The thoughts of a reasoning model are no part of its
    answer.

    Parameters
    ----------
    model, temperature, max_tokens, options, limits
        As of `biaslab.deciders.InspectDecider`; `temperature` is the provider's default.
    instruction : str
        System message before each text; by default none.
    name : str, optional
        Name shown to the person; by default provider and model.
    cost : Cost, optional
        Of a call; a provider's token prices are not known here.

    Raises
    ------
    MissingExtraError, ServiceSetupError
        If ``inspect_ai`` is not installed, or cannot open the model.
    """

    about = "chat model through Inspect"
    provider: InspectModel

    def __init__(
        self,
        model: Any,
        instruction: str = "",
        *,
        temperature: float | None = None,
        max_tokens: int | None = 2048,
        options: Mapping[str, Any] | None = None,
        name: str | None = None,
        limits: Limits | None = None,
        cost: Cost | None = None,
    ) -> None:
        limits = limits or _LIMITS
        fields = dict(options or {}) | {"temperature": temperature, "max_tokens": max_tokens}
        try:
            provider = InspectModel(model, fields, timeout=limits.timeout)
        except EndpointError as error:
            raise ServiceSetupError(str(error)) from error
        super().__init__(provider, instruction, limits, cost, name or "")

    def decider(self) -> InspectDecider:
        """Return what asks the model for decisions."""
        return InspectDecider(self.provider.model, system=self.instruction)


@recorded_class
class InspectDecider(ReadingOfModel):
    """A model of any provider that the package inspect_ai reaches, such as Anthropic's or Google's.

    Inspect retries busy servers, and takes the keys from the environment variables of the provider.

    Parameters
    ----------
    model : str or inspect_ai.model.Model
        As of ``inspect_ai.model.get_model``: ``"anthropic/claude-sonnet-4-0"``.
    system, max_tokens
        As of `ChatDecider`.
    temperature : float or None
        None: the provider's default.
    logprobs : bool
        Whether to request log-probabilities, which only some providers send.
    options : mapping, optional
        Further fields of ``inspect_ai.model.GenerateConfig``, such as ``{"reasoning_effort":
        "low"}``.
    limits : Limits, optional
        By default four calls at once, each waited for two minutes.

    Raises
    ------
    MissingExtraError, DeciderError
        If ``inspect_ai`` is not installed, or cannot open the model.
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
        limits = limits or _LIMITS
        fields = dict(options or {}) | {"temperature": temperature, "max_tokens": max_tokens}
        try:
            provider = InspectModel(model, fields, logprobs=logprobs, timeout=limits.timeout)
        except EndpointError as error:
            raise DeciderError(str(error)) from error
        super().__init__(provider, system, limits)


def open_inspect(model: str, *, name: str | None = None) -> InspectService:
    """Open ``PROVIDER/MODEL`` of Inspect as a service without an instruction."""
    if "/" not in model.strip("/"):
        raise ServiceSetupError(
            f"inspect:{model} names no model. Write inspect:PROVIDER/MODEL, such as"
            " inspect:anthropic/claude-sonnet-4-0."
        )
    return InspectService(model, name=name)
