"""A chat model's answer to one request, and the thoughts in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from biaslab.errors import EndpointAnswerError
from biaslab.records.record import Record

_TAG: Final = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True)
class Parted(Record):
    """A text in two parts.

    Attributes
    ----------
    reasoning : str
        Thoughts, without their marks.
    reply : str
        The rest.
    is_complete : bool
        Whether the thoughts end.
    """

    reasoning: str
    reply: str
    is_complete: bool = True


def part(text: str) -> Parted:
    """Part the thoughts at the beginning of a text from the reply after them.

    Thoughts stand between ``<think>`` and ``</think>`` (or ``thinking``, ``thought``,
    ``reasoning``). The opening mark may be missing, as some servers put it into the prompt. All up
    to the last closing mark are thoughts.
    """
    marks = list(_TAG.finditer(text))
    closing = [mark for mark in marks if mark[1]]
    if closing:
        thoughts, reply = text[: closing[-1].start()], text[closing[-1].end() :]
        is_open = any(mark.start() > closing[-1].start() for mark in marks if not mark[1])
        return Parted(_bare(thoughts), reply.strip(), not is_open)
    if marks:
        return Parted(_bare(text), "", False)
    return Parted("", text.strip())


def _bare(text: str) -> str:
    return _TAG.sub("", text).strip()


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
