"""Request the log-probabilities of a prompt's tokens from an OpenAI-compatible server."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from biaslab.errors import EndpointAnswerError
from biaslab.record import Record


@dataclass(frozen=True)
class PromptLogprobs(Record):
    """The n tokens of a prompt as a server reads them.

    Attributes
    ----------
    tokens : tuple of str
        As the server writes them, one that it adds at the beginning included.
    log_probabilities : tuple of float or None
        Of each after those before it, in nats; None where the server sends none, as of the first.
    model : str
        Name and version that the server states.
    """

    tokens: tuple[str, ...]
    log_probabilities: tuple[float | None, ...]
    model: str = ""


@dataclass(frozen=True)
class Form:
    """A form of the request that some servers take.

    Attributes
    ----------
    fields : mapping
        Fields of the request, besides model and prompt.
    extra : mapping
        Fields that OpenAI's own interface does not have.
    """

    fields: Mapping[str, Any]
    extra: Mapping[str, Any]


FORMS: Final = (
    Form({"echo": True, "logprobs": 1, "max_tokens": 0}, {}),
    # Many servers write at least one token.
    Form({"echo": True, "logprobs": 1, "max_tokens": 1}, {}),
    # vLLM: without alternatives, only the prompt's own tokens are listed.
    Form({"max_tokens": 1}, {"prompt_logprobs": 0}),
)
"""In the order in which they are tried."""


def request_logprobs(client: Any, model: str, prompt: str, form: Form) -> PromptLogprobs | None:
    """Return the log-probabilities of a prompt; None if the reply has none.

    Parameters
    ----------
    client : openai.OpenAI
    model : str
    prompt : str
    form : Form
        One of `FORMS`.

    Raises
    ------
    openai.OpenAIError
        If the server refuses the request or fails.
    EndpointAnswerError
        If the reply contradicts itself.
    """
    reply = client.completions.create(
        model=model, prompt=prompt, temperature=0, extra_body=dict(form.extra), **form.fields
    )
    choice = reply.choices[0]
    version = str(getattr(reply, "system_fingerprint", None) or "")
    label = f"{reply.model or ''} {version}".strip()
    if form.extra:
        return _listed(getattr(choice, "prompt_logprobs", None), prompt, label)
    return _echoed(choice, reply.usage, int(form.fields["max_tokens"]), label)


def _echoed(choice: Any, usage: Any, most: int, label: str) -> PromptLogprobs | None:
    sent = choice.logprobs
    tokens = tuple(map(str, getattr(sent, "tokens", None) or ()))
    values = tuple(getattr(sent, "token_logprobs", None) or ())
    if len(tokens) != len(values):
        raise EndpointAnswerError("The server sent log-probabilities of other tokens than its own.")
    written = int(getattr(usage, "completion_tokens", most) or 0)
    count = max(0, len(tokens) - min(most, written))
    if count < 2:
        return None
    return PromptLogprobs(tokens[:count], tuple(map(_number, values[:count])), label)


def _listed(sent: Any, prompt: str, label: str) -> PromptLogprobs | None:
    if not isinstance(sent, list) or len(sent) < 2:
        return None
    tokens: list[str] = []
    values: list[float | None] = []
    for place in sent:
        if not place:
            tokens.append("")
            values.append(None)
            continue
        # Alternatives may be listed too; the prompt's own token comes first.
        own = next(iter(place.values()))
        tokens.append(str(own.get("decoded_token") or ""))
        values.append(_number(own.get("logprob")))
    if not tokens[0]:  # the first token is not listed; it is what the others leave over
        rest = "".join(tokens)
        if prompt.endswith(rest):
            tokens[0] = prompt.removesuffix(rest)
    return PromptLogprobs(tuple(tokens), tuple(values), label)


def _number(value: Any) -> float | None:
    number = None if value is None else float(value)
    return None if number is None or math.isnan(number) else number
