"""Probabilities of the answers from those of the first token of a reply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from biaslab.cases import Question
from biaslab.services.completion import TokenChoices

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
