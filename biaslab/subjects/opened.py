"""What a probe can use: names are opened, and what it cannot use is refused with what can."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from biaslab.arguments import described
from biaslab.errors import WrongSubjectError
from biaslab.subjects.base import EmbeddingSubject
from biaslab.subjects.classifier import Classifier
from biaslab.subjects.encoder import Encoder
from biaslab.subjects.language_model import KIND_NAMES, LanguageModel
from biaslab.subjects.language_model_folder import kind_of_folder
from biaslab.subjects.load import bundled_names, load_shared

Named: TypeAlias = "str | os.PathLike[str]"
"""The name, file or folder of a subject, as `biaslab.load` takes it."""
S = TypeVar("S")


@dataclass(frozen=True)
class Need:
    """What a probe needs of its subject.

    Attributes
    ----------
    what : str
        As a message names it, such as ``word vectors``.
    remedy : str
        A sentence that says what to pass.
    suits : callable
        Whether an open subject has it.
    kind : str
        As which kind `biaslab.load` opens a name; empty where the name says it.
    """

    what: str
    remedy: str
    suits: Callable[[Any], bool]
    kind: str = ""


def opened(subject: S | Named, need: Need, probe: str) -> S:
    """A subject that a probe can use; a name is opened, once in this process.

    Parameters
    ----------
    subject : object or str or path
        A subject, or what `biaslab.load` opens.
    need : Need
        What the probe needs of it.
    probe : str
        Who asks, as a message names it.

    Raises
    ------
    WrongSubjectError
        If it is of another kind; says what the probe takes, and what probes such a subject.
    SubjectError
        If the name cannot be opened.
    """
    if isinstance(subject, str | os.PathLike):
        subject = cast("S", _load(subject, need))
    return suited(subject, need, probe)


def suited(subject: S, need: Need, probe: str) -> S:
    """The same open subject, if it has what is needed.

    Raises
    ------
    WrongSubjectError
        As `opened`.
    """
    if not need.suits(subject):
        raise WrongSubjectError(
            f"{probe} needs {need.what}; this is {described(subject)}. {need.remedy}"
            f"{_instead(subject)}"
        )
    return subject


def _load(name: Named, need: Need) -> object:
    source = name if isinstance(name, str) else Path(name)
    # A bundled subject of another kind is opened as what it is, so that the refusal names it.
    known = source in bundled_names() and need.kind != "encoder"
    kind = "" if known else need.kind or kind_of_folder(Path(source)) or ""
    options: dict[str, Any] = {"kind": kind} if kind else {}
    return load_shared(source, **options)


def _instead(subject: object) -> str:
    """What probes a subject of this kind."""
    if isinstance(subject, Classifier):
        words = " Its words have vectors: pass classifier.words."
        has_words = isinstance(getattr(subject, "words", None), EmbeddingSubject)
        probes = " bl.sample_posterior and bl.posterior.overview probe a classifier."
        return probes + (words if has_words else "")
    if isinstance(subject, LanguageModel):
        return " bl.stereotype_score and bl.two_afc probe a language model."
    if isinstance(subject, EmbeddingSubject):
        return " bl.two_afc, bl.weat and bl.distance_model probe word vectors."
    if sees_pictures(subject):
        return " bl.image_association and bl.two_afc probe a vision-language model."
    return ""


def sees_pictures(subject: object) -> bool:
    """Whether it answers about pictures: a vision-language model, or one that is simulated."""
    return all(callable(getattr(subject, part, None)) for part in ("answers", "resolve"))


WORD_VECTORS = Need(
    "word vectors",
    "Pass an embedding or an ensemble, such as bl.load('wiki-bootstraps').",
    lambda subject: isinstance(subject, EmbeddingSubject),
)
ENCODER = Need(
    "an encoder",
    "Open one with bl.load(name, kind='encoder').",
    lambda subject: isinstance(subject, Encoder),
    kind="encoder",
)
CLASSIFIER = Need(
    "a classifier",
    "Pass bl.load('imdb-sentiment'), or wrap a torch module in TorchClassifier.",
    lambda subject: isinstance(subject, Classifier),
    kind="classifier",
)
LANGUAGE_MODEL = Need(
    "a language model",
    "Open one with bl.load(name, kind='mlm') for a masked, or kind='clm' for a causal model.",
    lambda subject: getattr(subject, "kind", "") in KIND_NAMES,
)
VISION_LANGUAGE_MODEL = Need(
    "a vision-language model",
    "Open one with bl.load('portrait-clip'), or bl.load(name, kind='vlm').",
    sees_pictures,
    kind="vlm",
)
