"""A chat model of any provider: its text is a service, and the reading of its text a decider.

A provider is one class with `ChatModel.complete` and `identity`. Limits, errors, notes and places
at once are the same for all, and so is the reading of a completion: in words, and by the
probabilities of its tokens where a server sends them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Protocol

from biaslab.asking.calling import Gate, Streaming
from biaslab.asking.protocols import QUESTION, Cost, Limits, Named, Reply, of_shares
from biaslab.asking.reading.reading import part, read_reply
from biaslab.cases import Question
from biaslab.errors import (
    DeciderError,
    EndpointAnswerError,
    EndpointError,
    ServiceAnswerError,
    ServiceRefusedError,
)
from biaslab.jobs.job import JobContext
from biaslab.records.record import Record

TOP: Final = 20
"""Most probable tokens that are requested: the most that OpenAI's interface gives."""
_MARKS: Final = " \t\r\n*_`\"'“”‘’«»([{#>"
_AT_MOST: Final = 1e-3
"""Largest probability of an answer that is not listed, so that it may stand as 0."""


@dataclass(frozen=True)
class TokenChoices(Record):
    """A token that was drawn, and log probabilities of the most probable ones there."""

    text: str
    log_probabilities: Mapping[str, float]


def token_choices(sent: Any) -> tuple[TokenChoices, ...]:
    """Return the first tokens of a message, by what OpenAI's interface calls ``logprobs``.

    JSON has no infinity, so that some servers send null for a token that cannot be drawn: it is not
    listed. Where a number is NaN, the others of its token are not to be trusted either.
    """
    choices = []
    for token in (getattr(sent, "content", None) or ())[:8]:
        tops = [top for top in token.top_logprobs or () if top.logprob is not None]
        listed = {str(top.token): float(top.logprob) for top in tops}
        is_sound = not any(map(math.isnan, listed.values()))
        choices.append(TokenChoices(str(token.token), listed if is_sound else {}))
    return tuple(choices)


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

    If the model refuses, or did not come to the end of its answer, raise a final
    `EndpointAnswerError`: another attempt would not help.
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
    raise EndpointAnswerError(problem, final=True)


def probabilities_of(
    question: Question, tokens: Sequence[TokenChoices], drawn: str
) -> tuple[tuple[float, ...], float] | None:
    """Return the probabilities of a question's answers, and their mass before scaling.

    They are those of the first token that is no quote, bold mark or space. A token belongs to an
    answer if it is the whole answer, in any case, or two capitals or more that begin it as the
    question writes it; "I" and "In" may begin another reply.

    None if the reply does not begin with `drawn`, the answer that it gives, or if more than 0.001
    of the mass is open: tokens that may begin an answer or something else, or an answer that is not
    listed.
    """
    first = next((token for token in tokens if token.text.strip(_MARKS)), None)
    if first is None or _owners(first.text, question.answers) != [drawn]:
        return None
    masses = dict.fromkeys(question.answers, 0.0)
    listed = doubtful = 0.0
    for text, log in first.log_probabilities.items():
        chance = math.exp(min(0.0, log))
        listed += chance
        owners = _owners(text, question.answers)
        if len(owners) == 1:
            masses[owners[0]] += chance
        elif owners or _may_begin(text, question.answers):
            doubtful += chance
    mass = sum(masses.values())
    least = min(first.log_probabilities.values(), default=0.0)
    if mass > 0 and min(masses.values()) == 0:
        doubtful += min(max(0.0, 1.0 - listed), math.exp(min(0.0, least)))
    if mass <= 0 or doubtful > _AT_MOST * mass:
        return None
    return tuple(masses[answer] / mass for answer in question.answers), min(1.0, mass)


def _owners(token: str, answers: Sequence[str]) -> list[str]:
    """Return the answers that a token is, or clearly begins."""
    bare = _bare(token)
    whole = [
        answer
        for answer in answers
        if bare == answer
        or (bare.casefold() == answer.casefold() and not (len(bare) == 1 and bare.islower()))
    ]
    is_clear = len(bare) > 1 and bare.isupper()
    return whole or [answer for answer in answers if is_clear and answer.startswith(bare)]


def _may_begin(token: str, answers: Sequence[str]) -> bool:
    bare = _bare(token).casefold()
    return bool(bare) and any(answer.casefold().startswith(bare) for answer in answers)


def _bare(token: str) -> str:
    return token.strip(_MARKS).rstrip(".,:;!)]}")


def reply_to(question: Question, completion: Completion, seconds: float) -> Reply:
    """Return what a completion comes to.

    A reply that begins with its decision, without thoughts before it, has the probabilities of the
    answers where the server sends those of the first token and they cover every answer.
    """
    own: dict[str, Any] = {
        "model": completion.model, "tokens_in": completion.tokens_in,
        "tokens_out": completion.tokens_out, "seconds": seconds,
    }  # fmt: skip
    reply = _in_words(question, completion)
    if not reply.reasoning and reply.outcome in ("answered", "cannot say"):
        drawn = reply.answer or question.cannot_say
        if (chances := probabilities_of(question, completion.tokens, drawn)) is not None:
            shares, mass = chances
            return of_shares(question, shares, mass=mass, text=reply.text, **own)
    return replace(reply, **own)


def _in_words(question: Question, completion: Completion) -> Reply:
    thoughts = completion.reasoning
    if completion.refusal:
        return Reply(
            outcome="refused", text=completion.refusal, reasoning=thoughts,
            reason="The model refuses.",
        )  # fmt: skip
    if completion.finish == "filter":
        return Reply(
            outcome="refused", text=completion.text, reasoning=thoughts,
            reason="The server's filter of content held the reply back.",
        )  # fmt: skip
    is_cut = completion.finish == "length"
    if is_cut and thoughts and not completion.text.strip():
        return Reply(
            outcome="unreadable", reasoning=thoughts,
            reason="Its reasoning was cut off at the limit on its length. Allow more tokens.",
        )  # fmt: skip
    reply = read_reply(completion.text, question, is_cut=is_cut)
    return replace(reply, reasoning="\n\n".join(filter(None, (thoughts, reply.reasoning))))


Prompt = str | list[dict[str, Any]]
"""Content of a user's message: a text, or parts such as text and pictures."""


class ChatModel(Protocol):
    """Whoever turns messages into a completion; it retries by itself."""

    @property
    def name(self) -> str:
        """Shown to the person."""

    def identity(self, system: str) -> str:
        """Return the key of stored replies after a system message; empty: none are stored."""

    def complete(self, prompt: Any, system: str, context: JobContext) -> Completion:
        """Return the answer to a user's prompt, after a system message if it is not empty.

        Raises `EndpointAnswerError` if there is no answer to this one, `EndpointError` if to none.
        """


def messages(system: str, prompt: str = QUESTION) -> list[dict[str, Any]]:
    """Return a conversation of its own for a prompt, after a system message if there is one."""
    before = [{"role": "system", "content": system}] if system else []
    return [*before, {"role": "user", "content": prompt}]


class OfModel(Named):
    """Shared part of services and deciders."""

    about: ClassVar[str] = "chat model"
    provider: ChatModel

    def _request(self, system: str) -> Mapping[str, Any]:
        """Return messages and settings of a request, without those that the server has refused."""
        of_provider = getattr(self.provider, "request", None)
        sent: Mapping[str, Any] = (
            of_provider(QUESTION, system) if of_provider else {"messages": messages(system)}
        )
        return sent

    @property
    def notes(self) -> tuple[str, ...]:
        """Fields that the server has refused."""
        return tuple(getattr(self.provider, "notes", ()))


class TextOfModel(OfModel):
    """A chat model's text, without its thoughts: each text is a conversation of its own."""

    def __init__(
        self,
        provider: ChatModel,
        instruction: str,
        limits: Limits,
        cost: Cost | None,
        name: str = "",
    ) -> None:
        self.provider, self.instruction = provider, instruction
        self.name = name or provider.name
        self.limits = replace(limits, attempts=1, texts_per_call=1)
        self.cost = cost or Cost()

    @property
    def identity(self) -> str:
        """Of the provider, with the instruction and the settings."""
        return self.provider.identity(self.instruction)

    @property
    def request(self) -> Mapping[str, Any]:
        """See `biaslab.asking.protocols.request_of`."""
        return self._request(self.instruction)

    def answer(self, texts: Sequence[str]) -> list[str]:
        """See `Service.answer`."""
        return [self.text(text, self.instruction) for text in texts]

    def text(self, prompt: str, system: str) -> str:
        """Return the model's text, or raise `ServiceAnswerError` or `ServiceRefusedError`."""
        try:
            return answer_of(self.provider.complete(prompt, system, JobContext()), self.name)
        except EndpointAnswerError as error:
            raise ServiceAnswerError(str(error)) from None
        except EndpointError as error:
            raise ServiceRefusedError(str(error)) from None


class ReadingOfModel(OfModel, Streaming):
    """The decisions in a chat model's text: each question is a conversation of its own."""

    def __init__(
        self, provider: ChatModel, system: str, limits: Limits, *, looks_first: bool = False
    ) -> None:
        self.provider, self.system, self.limits = provider, system, limits
        self.name, self.at_once = provider.name, limits.concurrency
        self._sends_probabilities: bool | None = None if looks_first else False
        self._gate = Gate()

    @property
    def identity(self) -> str:
        """Of the provider, with the system message and the settings."""
        return self.provider.identity(self.system)

    @property
    def request(self) -> Mapping[str, Any]:
        """See `biaslab.asking.protocols.request_of`."""
        return self._request(self.system)

    @property
    def gives_probabilities(self) -> bool:
        """Whether its replies have brought probabilities."""
        return bool(self._sends_probabilities)

    def stream(
        self, questions: Sequence[Question], repetitions: Sequence[int], context: JobContext
    ) -> Iterator[tuple[int, Reply]]:
        """See `StreamingDecider.stream`."""
        first = questions[:1] if self._sends_probabilities is None else ()
        # The first reply shows which fields the server takes, so that not each call finds out.
        yield from super().stream(first, repetitions, context)
        if not context.should_stop:
            for number, reply in super().stream(questions[len(first) :], repetitions, context):
                yield number + len(first), reply

    def content(self, question: Question) -> Prompt:
        """Return the content of the message that puts a question."""
        return question.prompt

    def _ask(self, question: Question, context: JobContext) -> Reply:
        self._gate.wait(self.limits.calls_per_second, context)
        begun = time.monotonic()
        try:
            completion = self.provider.complete(self.content(question), self.system, context)
        except (EndpointAnswerError, EndpointError) as error:
            raise DeciderError(str(error)) from None
        reply = reply_to(question, completion, time.monotonic() - begun)
        if self._sends_probabilities is None or reply.probabilities:
            self._sends_probabilities = bool(reply.probabilities)
        self._look_at(completion)
        return reply

    def _look_at(self, completion: Completion) -> None:
        """Count the cost of a completion, and refuse one that lacks what was requested."""
