"""A chat model of any provider that Inspect knows as a service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from biaslab.calls import recorded_class
from biaslab.errors import (
    EndpointAnswerError,
    EndpointError,
    ServiceAnswerError,
    ServiceSetupError,
)
from biaslab.jobs import JobContext
from biaslab.services.completion import answer_of
from biaslab.services.inspect_model import InspectModel
from biaslab.services.service import Cost, Limits


@recorded_class
class InspectService:
    """A chat model of Anthropic, Google, Mistral, Bedrock, Ollama or another provider of Inspect.

    Each text is a conversation of its own. Inspect retries busy servers, and takes the keys from
    the environment variables of the provider. The thoughts of a reasoning model are no part of its
    answer.

    Parameters
    ----------
    model : str or inspect_ai.model.Model
        As of ``inspect_ai.model.get_model``: ``"anthropic/claude-sonnet-4-0"``.
    instruction : str
        System message before each text; by default none.
    temperature : float or None
        None: the provider's default.
    max_tokens : int or None
        Longest answer in tokens, thoughts included.
    options : mapping, optional
        Further fields of ``inspect_ai.model.GenerateConfig``, such as ``{"reasoning_effort":
        "low"}``.
    name : str, optional
        Name shown to the person; by default provider and model.
    limits : Limits, optional
        By default four calls at once, each waited for two minutes.
    cost : Cost, optional
        Of a call; a provider's token prices are not known here.

    Raises
    ------
    MissingExtraError
        If ``inspect_ai`` is not installed.
    ServiceSetupError
        If it cannot open the model.
    """

    about = "chat model through Inspect"

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
        limits = limits or Limits(concurrency=4, timeout=120.0)
        fields = dict(options or {}) | {"temperature": temperature, "max_tokens": max_tokens}
        try:
            self.model = InspectModel(model, fields, timeout=limits.timeout)
        except EndpointError as error:
            raise ServiceSetupError(str(error)) from error
        self.instruction = instruction
        self.name = name or self.model.name
        # Inspect retries by itself.
        self.limits = Limits(
            characters_per_text=limits.characters_per_text, attempts=1, timeout=limits.timeout,
            calls_per_second=limits.calls_per_second, concurrency=limits.concurrency,
        )  # fmt: skip
        self.cost = cost or Cost()

    def __repr__(self) -> str:
        return f"<InspectService {self.name}>"

    @property
    def identity(self) -> str:
        """Model, and a hash of its address, the instruction and the settings."""
        return self.model.identity(self.instruction)

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        answers = []
        for text in texts:
            try:
                completion = self.model.complete(text, self.instruction, JobContext())
                answers.append(answer_of(completion, self.name))
            except EndpointAnswerError as error:
                raise ServiceAnswerError(str(error)) from None
        return answers
