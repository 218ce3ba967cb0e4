"""What a subject can be asked: each question, and the kinds of subjects that it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from biaslab.subjects.opened import (
    CLASSIFIER,
    DECIDER,
    LANGUAGE_MODEL,
    SENTENCE_PROBABILITIES,
    SERVICE,
    VECTORS_OR_LANGUAGE_MODEL,
    VISION_LANGUAGE_MODEL,
    WORD_VECTORS,
    Need,
)

KIND_TITLES: Final = {
    "embedding": "word embedding",
    "ensemble": "ensemble of word embeddings",
    "encoder": "encoder",
    "classifier": "classifier",
    "mlm": "masked language model",
    "clm": "causal language model",
    "vlm": "vision-language model",
    "translation": "translation model",
    "chat": "chat model behind an address",
    "http": "HTTP service",
    "function": "Python function",
    "server": "language model on a server",
    "service": "service",
    "observer": "simulated observer",
}
"""Kinds of subjects in words."""

KIND_GROUPS: Final = (
    ("Word embeddings", frozenset({"embedding", "ensemble", "observer"})),
    ("Language models", frozenset({"mlm", "clm", "encoder", "server"})),
    ("Images and text", frozenset({"vlm"})),
    ("Classifiers", frozenset({"classifier"})),
    ("Services", frozenset({"chat", "http", "function", "translation", "service"})),
)
"""Headings under which subjects are listed, in their order, and the kinds below each."""


def group_of(kind: str) -> str:
    """Return the heading under which a kind of subject is listed; unknown kinds are services.

    Examples
    --------
    >>> group_of("clm")
    'Language models'
    """
    return next((title for title, kinds in KIND_GROUPS if kind in kinds), "Services")


_ON_A_SERVER: Final = (
    "needs blends of words, and a server sends probabilities of whole texts only",
    "bl.load('hf:NAME', kind='clm') opens the model itself",
)


@dataclass(frozen=True)
class Question:
    """A question that a bench asks.

    Attributes
    ----------
    name : str
        Name of the bench.
    probe : str
        The same in Python, such as ``bl.two_afc``.
    need : Need
        What it needs of a subject.
    elsewhere : Need or None
        Subjects that the probe asks in Python and on the command line, and the bench does not.
    """

    name: str
    probe: str
    need: Need
    elsewhere: Need | None = None


QUESTIONS: Final = (
    Question("psychometric", "bl.two_afc", VECTORS_OR_LANGUAGE_MODEL),
    Question("occupations", "bl.occupations", WORD_VECTORS, elsewhere=LANGUAGE_MODEL),
    Question("association", "bl.distance_model", WORD_VECTORS),
    Question("posterior", "bl.posterior.overview", CLASSIFIER),
    Question("sentences", "bl.stereotype_score", SENTENCE_PROBABILITIES),
    Question("images", "bl.image_association", VISION_LANGUAGE_MODEL),
    Question("rating", "bl.rate", SERVICE),
    Question("decisions", "bl.decisions", DECIDER),
)


@dataclass(frozen=True)
class Fit:
    """Whether a subject can be asked a question.

    Attributes
    ----------
    name : str
        Name of the bench.
    probe : str
        The same in Python.
    fits : bool
    reason : str
        Why not; empty where it fits.
    elsewhere : str
        How else the question can be asked; empty where it fits or cannot be.
    """

    name: str
    probe: str
    fits: bool
    reason: str = ""
    elsewhere: str = ""

    @property
    def explanation(self) -> str:
        """The reason, and how else the question can be asked."""
        return "; ".join(filter(None, [self.reason, self.elsewhere]))


def questions_for(kind: str) -> tuple[Fit, ...]:
    """Return for each question whether a kind of subject can be asked it, and why not.

    Examples
    --------
    >>> [fit.name for fit in questions_for("mlm") if fit.fits]
    ['psychometric', 'sentences']
    """
    return tuple(_fit(question, kind) for question in QUESTIONS)


def _fit(question: Question, kind: str) -> Fit:
    if kind in question.need.kinds:
        return Fit(question.name, question.probe, True)
    if kind == "server" and LANGUAGE_MODEL.kinds <= question.need.kinds:
        return Fit(question.name, question.probe, False, *_ON_A_SERVER)
    elsewhere = ""
    if question.elsewhere is not None and kind in question.elsewhere.kinds:
        elsewhere = f"{question.probe} asks it in Python, slowly"
    return Fit(question.name, question.probe, False, f"needs {question.need.what}", elsewhere)
