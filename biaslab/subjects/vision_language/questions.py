"""Questions to a vision-language model: templates, options by letter, and the answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import strings
from biaslab.errors import QueryError
from biaslab.records.record import Record
from biaslab.records.wording import article
from biaslab.subjects.embedding.terms import Unknown

PLACE = "{concept}"
"""Placeholder of the concept in a caption."""
CAPTIONS = ("a portrait of a {concept}", "this person is a {concept}", "a {concept} at work")
"""Default templates of models that rate captions."""
QUESTIONS = (
    "What is this person?",
    "What is the role of the person in the picture?",
    "How would you describe this person?",
)
"""Default templates of models that answer questions."""

_ARTICLE = re.compile(r"\b(a|an)(\s+)\{concept\}", re.IGNORECASE)


def fill(template: str, concept: str) -> str:
    """Insert a concept into a caption; "a" before it becomes "an" if needed.

    - `template`: with `PLACE` in it.
    - `concept`: a word or phrase.
    """

    def fitting(match: re.Match[str]) -> str:
        return f"{match[1][0]}{article(concept)[1:]}{match[2]}{PLACE}"

    return _ARTICLE.sub(fitting, template).replace(PLACE, concept)


def checked_templates(
    templates: Sequence[str], *, captions: bool, questions: bool
) -> tuple[str, ...]:
    """Return templates that a model can be asked, checked.

    - `templates`: captions with `PLACE` once, or questions without it.
    - `captions`, `questions`: template types of the model.
    - Raises `QueryError` if there is none, one is listed twice, or one is not for such a model;
      says how to write it.
    """
    texts = strings(templates, "templates", "['a {concept} at work']")
    if not texts:
        raise QueryError("There is no template. Give one, or leave out templates.")
    for template in texts:
        if not str(template).strip():
            raise QueryError(f"A template is {template!r}. Write a caption or a question.")
        places = template.count(PLACE)
        if places > 1 or (places == 0 and not questions):
            raise QueryError(
                f"The template {template!r} must contain {PLACE} once, such as {CAPTIONS[0]!r}."
            )
        if places and not captions:
            raise QueryError(
                f"The template {template!r} names {PLACE}, but this model answers questions. Write"
                f" one without it, such as {QUESTIONS[0]!r}: the concepts are its answers."
            )
    if len(set(texts)) < len(texts):
        twice = next(t for t in texts if texts.count(t) > 1)
        raise QueryError(f"The template {twice!r} appears twice. Remove one.")
    return texts


LETTERS: Final = ascii_uppercase
"""Of the options, in their order."""
ORDERS: Final = ("given", "reversed")
"""Each question is asked in both, so that the place of an option does not count."""
INSTRUCTION: Final = "Answer with the letter of one option."
T = TypeVar("T")


def lettered(question: str, options: Sequence[str]) -> str:
    """Write a question with its options by letter, one a line, and the instruction.

    - `question`: about the picture.
    - `options`: two to 26, in the order of their letters.
    - Raises `QueryError` if there are fewer or more.
    """
    if not 2 <= len(options) <= len(LETTERS):
        raise QueryError(
            f"A question by letter takes 2 to {len(LETTERS)} options, and there are"
            f" {len(options)}. Shorten the lists of concepts."
        )
    lines = [f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join([question, *lines, INSTRUCTION])


def read_lettered(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return question and options of what `lettered` wrote; None if it is no such text."""
    *lines, instruction = text.split("\n")
    options: list[str] = []
    while lines and lines[-1][1:3] == ") ":
        options.insert(0, lines.pop()[3:])
    if instruction != INSTRUCTION or len(options) < 2 or not lines:
        return None
    return "\n".join(lines), tuple(options)


def in_order(options: Sequence[T], order: str) -> tuple[T, ...]:
    """Return options in one of `ORDERS`."""
    return tuple(options) if order == ORDERS[0] else tuple(options[::-1])


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LetterAnswers(Record):
    """What a chat model replies to questions whose options are listed by letter.

    - `log_probabilities`, ndarray of float64 (pictures, templates, 2, concepts): natural logarithm
      of the probability of each concept's letter: with the concepts listed in the given order, and
      in the reverse one. NaN where there is no readable reply.
    - `draws`: replies that each is a share of; 0 where the model gives probabilities.
    """

    log_probabilities: Floats
    draws: int = 0

    @property
    def mass(self) -> Floats:
        """Probability of all letters together, (pictures, templates, 2); the rest is other text."""
        return np.asarray(np.exp(self.log_probabilities).sum(axis=-1))

    @property
    def log_shares(self) -> Floats:
        """Log probabilities among the letters, of the same shape."""
        logs = self.log_probabilities
        top = np.max(logs, axis=-1, keepdims=True, initial=-700.0)
        return np.asarray(logs - top - np.log(np.exp(logs - top).sum(axis=-1, keepdims=True)))

    @property
    def log_scores(self) -> Floats:
        """Mean over both orders of the log shares, (pictures, templates, concepts).

        An effect of an option's place on its log-odds that is linear in the place, and so any
        such effect on two options, cancels exactly. Of drawn replies it is the log of the mean
        share: there such an effect pulls an answer towards an even one, and to neither side.
        """
        if not self.draws:
            return np.asarray(self.log_shares.mean(axis=2))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.exp(self.log_shares).mean(axis=2)))

    @property
    def position(self) -> Floats:
        """Log-odds of the first place against the last one, (pictures, templates).

        Least squares over the concepts of how much the log share changes with the place; 0 where
        the order of the options does not matter.
        """
        shares = self.log_shares
        if self.draws:  # half a reply more of each keeps it finite
            shares = np.log(np.exp(shares) * self.draws + 0.5)
        count = shares.shape[-1]
        slope = np.linspace(1.0, -1.0, count)
        change = shares[:, :, 0] - shares[:, :, 1]
        return np.asarray(change @ slope / (slope @ slope))

    def joined(self, other: LetterAnswers) -> LetterAnswers:
        """Return these answers with those about further pictures after them."""
        logs = np.concatenate([self.log_probabilities, other.log_probabilities])
        return LetterAnswers(logs, max(self.draws, other.draws))


@dataclass(frozen=True)
class ConceptAnswers(Record):
    """Answers of a vision-language model for each picture, template and concept.

    Attributes
    ----------
    concepts, templates : tuple of str
        Concepts and templates of the question.
    probabilities : ndarray of float64 (pictures, templates, concepts)
        Over these concepts they add up to 1.
    log_scores : ndarray of float64 (pictures, templates, concepts)
        Raw scores of the model: see ``score``. The probabilities are their softmax.
    score : str
        Meaning of a log score.
    unasked : tuple of Unknown
        Concepts that the model cannot score, with reasons; they are not among ``concepts``.
    notes : tuple of str
        Remarks for the user.
    letters : LetterAnswers or None
        The replies behind the scores, of a model that chooses among listed options.
    """

    concepts: tuple[str, ...]
    templates: tuple[str, ...]
    probabilities: NDArray[np.float64]
    log_scores: NDArray[np.float64]
    score: str
    unasked: tuple[Unknown, ...] = ()
    notes: tuple[str, ...] = ()
    letters: LetterAnswers | None = None
