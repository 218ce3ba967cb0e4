"""A chat model's answer to one request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from biaslab.errors import EndpointAnswerError
from biaslab.record import Record
from biaslab.services.reasoning import part

TOP: Final = 20
"""Most probable tokens that are requested: the most that OpenAI's interface gives."""


@dataclass(frozen=True)
class TokenChoices(Record):
    """A token of a reply.

    Attributes
    ----------
    text : str
        The token that was drawn.
    log_probabilities : mapping of str to float
        Of the most probable tokens in its place, natural logarithms.
    """

    text: str
    log_probabilities: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Completion(Record):
    """What a server sent.

    Attributes
    ----------
    text, reasoning, refusal : str
        The message, the thoughts before it, and the refusal in its place, where they have fields
        of their own.
    finish : {"stop", "length", "filter"}
        Why the model stopped; other reasons count as ``stop``.
    tokens : tuple of TokenChoices
        The tokens of the message with the probabilities of others, where the server sends them.
    model, version : str
        Name and version of the model, with and without the server's own version.
    tokens_in, tokens_out : int
    """

    text: str
    reasoning: str = ""
    refusal: str = ""
    finish: str = "stop"
    tokens: tuple[TokenChoices, ...] = ()
    model: str = ""
    version: str = ""
    tokens_in: int = 0
    tokens_out: int = 0

    def with_texts(self, change: Callable[[str], str]) -> Completion:
        """Return the answer with changed texts."""
        return replace(
            self, text=change(self.text), reasoning=change(self.reasoning),
            refusal=change(self.refusal), model=change(self.model), version=change(self.version),
            tokens=tuple(
                TokenChoices(
                    change(token.text),
                    {change(text): value for text, value in token.log_probabilities.items()},
                )
                for token in self.tokens
            ),
        )  # fmt: skip


def answer_of(completion: Completion, name: str) -> str:
    """Return the text of an answer, without the thoughts before it.

    Raises
    ------
    EndpointAnswerError
        If the model refuses, or did not come to the end of its answer; another attempt would not
        help.
    """
    parted = part(completion.text)
    if completion.refusal:
        problem = f"{name} refuses: {completion.refusal[:300]}"
    elif completion.finish == "filter":
        problem = f"{name} has a filter of content, which held the answer back."
    elif completion.finish == "length":
        problem = f"{name} stopped before the end of its answer."
    elif not parted.is_complete:
        problem = f"{name} stopped before the end of its reasoning."
    else:
        return parted.reply
    error = EndpointAnswerError(problem)
    error.final = True
    raise error
