"""What a chat model's answer comes to, in words and by the probabilities of its tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from biaslab.asking.completion import Completion, TokenChoices
from biaslab.asking.decider import Reply
from biaslab.asking.reading.reading import read_reply
from biaslab.cases import Question

_MARKS: Final = " \t\r\n*_`\"'“”‘’«»([{#>"
_AT_MOST: Final = 1e-3
"""Largest probability of an answer that is not listed, so that it may stand as 0."""


def probabilities_of(
    question: Question, tokens: Sequence[TokenChoices], drawn: str
) -> tuple[tuple[float, ...], float] | None:
    """Return the probabilities of a question's answers, and their mass before scaling.

    They are those of the first token that is no quote, bold mark or space. A token belongs to an
    answer if it is the whole answer, in any case, or two capitals or more that begin it as the
    question writes it; "I" and "In" may begin another reply.

    Parameters
    ----------
    question : Question
    tokens : sequence of TokenChoices
        Of the reply.
    drawn : str
        The answer that the reply gives.

    Returns
    -------
    (tuple of float, float) or None
        None if the reply does not begin with its answer, or if more than 0.001 of the mass is
        open: tokens that may begin an answer or something else, or an answer that is not listed.
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
    reply = _in_words(question, completion)
    reply = replace(
        reply, model=completion.model, tokens_in=completion.tokens_in,
        tokens_out=completion.tokens_out, seconds=seconds,
    )  # fmt: skip
    if completion.tokens and not reply.reasoning and reply.outcome in ("answered", "cannot say"):
        drawn = reply.answer or question.cannot_say
        found = probabilities_of(question, completion.tokens, drawn)
        if found is not None:
            shares, mass = found
            best = max(range(len(question.options)), key=shares.__getitem__)
            return replace(
                reply, outcome="answered", answer=question.options[best], probabilities=shares,
                mass=mass,
            )  # fmt: skip
    return reply


def _in_words(question: Question, completion: Completion) -> Reply:
    if completion.refusal:
        return Reply(
            outcome="refused", text=completion.refusal, reasoning=completion.reasoning,
            reason="The model refuses.",
        )  # fmt: skip
    if completion.finish == "filter":
        return Reply(
            outcome="refused", text=completion.text, reasoning=completion.reasoning,
            reason="The server's filter of content held the reply back.",
        )  # fmt: skip
    is_cut = completion.finish == "length"
    if is_cut and completion.reasoning and not completion.text.strip():
        return Reply(
            outcome="unreadable", reasoning=completion.reasoning,
            reason="Its reasoning was cut off at the limit on its length. Allow more tokens.",
        )  # fmt: skip
    reading = read_reply(completion.text, question, is_cut=is_cut)
    thoughts = [one for one in (completion.reasoning, reading.reasoning) if one]
    return replace(reading.reply(), reasoning="\n\n".join(thoughts))
