"""What each question needs of a subject: open one by name, or refuse it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar, cast

from biaslab.arguments import described
from biaslab.errors import WrongSubjectError
from biaslab.records.kinds import Entry, entries, imported
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.encoder.contextual import ContextualEncoder
from biaslab.subjects.language_model.model import KIND_NAMES, LanguageModel
from biaslab.subjects.opening.load import bundled_names
from biaslab.subjects.opening.names import own_subject
from biaslab.subjects.opening.shared import load_shared
from biaslab.subjects.pretrained.kinds import kind_of_folder

Named: TypeAlias = "str | os.PathLike[str]"
"""The name, file or folder of a subject, as `biaslab.load` takes it."""
S = TypeVar("S")


@dataclass(frozen=True)
class Need:
    """Requirement of a probe on its subject.

    - `what`: phrase for a message, such as ``word vectors``.
    - `remedy`: a sentence that says what to pass.
    - `suits`: whether an open subject has it.
    - `kind`: kind for `biaslab.load`; empty if the name determines it.
    - `kinds`: kinds of subjects that have it, as `biaslab.subjects.inspect` names them.
    """

    what: str
    remedy: str
    suits: Callable[[Any], bool]
    kind: str = ""
    kinds: frozenset[str] = frozenset()


def opened(subject: S | Named, need: Need, probe: str) -> S:
    """Return a subject that a probe can use; a name is opened, once in this process.

    - `subject`: a subject, or a name that `biaslab.load` opens.
    - `need`: the probe's requirement.
    - `probe`: name of the probe, for a message.
    - Raises `WrongSubjectError` if it is of another kind; names kinds that the probe takes, and
      probes for this kind. Raises `SubjectError` if the name cannot be opened.
    """
    if isinstance(subject, str | os.PathLike):
        subject = cast("S", _load(subject, need))
    return suited(subject, need, probe)


def suited(subject: S, need: Need, probe: str) -> S:
    """Return the same open subject, if it meets the requirement.

    Raises `WrongSubjectError` as `opened`.
    """
    if not need.suits(subject):
        raise WrongSubjectError(
            f"{probe} needs {need.what}; this is {described(subject)}. {need.remedy}"
            f"{_instead(subject)}"
        )
    return subject


def _load(name: Named, need: Need) -> object:
    source = name if isinstance(name, str) else Path(name)
    # A named subject of another kind is opened as its own kind, so that the error names it.
    is_named = source in bundled_names() or own_subject(source) is not None
    kind = (
        ""
        if is_named and need.kind != "encoder"
        else need.kind or kind_of_folder(Path(source)) or ""
    )
    options: dict[str, Any] = {"kind": kind} if kind else {}
    return load_shared(source, **options)


def _instead(subject: object) -> str:
    """Name the probes for a subject of this kind."""
    if refusal := getattr(subject, "refusal", ""):
        return str(refusal)
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
    """Return whether it is a real or simulated vision-language model."""
    return all(callable(getattr(subject, part, None)) for part in ("answers", "resolve"))


def _decides(subject: object) -> bool:
    ways = ("decide", "answer", "translate")
    return (
        isinstance(subject, LanguageModel | Classifier)
        or callable(subject)
        or any(callable(getattr(subject, way, None)) for way in ways)
    )


WORD_VECTORS: Final[Need] = Need(
    "word vectors",
    "Pass an embedding or an ensemble, such as bl.load('wiki-bootstraps').",
    lambda subject: isinstance(subject, EmbeddingSubject),
    kinds=frozenset({"embedding", "ensemble", "encoder", "observer"}),
)
ENCODER: Final[Need] = Need(
    "an encoder",
    "Open one with bl.load(name, kind='encoder').",
    lambda subject: isinstance(subject, ContextualEncoder),
    kind="encoder",
    kinds=frozenset({"encoder"}),
)
CLASSIFIER: Final[Need] = Need(
    "a classifier",
    "Pass bl.load('imdb-sentiment'), or wrap a torch module in TorchClassifier.",
    lambda subject: isinstance(subject, Classifier),
    kind="classifier",
    kinds=frozenset({"classifier"}),
)
LANGUAGE_MODEL: Final[Need] = Need(
    "a language model",
    "Open one with bl.load(name, kind='mlm') for a masked, or kind='clm' for a causal model.",
    lambda subject: getattr(subject, "kind", "") in KIND_NAMES,
    kinds=frozenset(KIND_NAMES),
)
SENTENCE_PROBABILITIES: Final[Need] = replace(
    LANGUAGE_MODEL, kinds=LANGUAGE_MODEL.kinds | {"server"}
)
VECTORS_OR_LANGUAGE_MODEL: Final[Need] = Need(
    "word vectors or a language model",
    "Pass an embedding, an ensemble, or a masked or causal language model.",
    lambda subject: isinstance(subject, EmbeddingSubject | LanguageModel),
    kinds=WORD_VECTORS.kinds | LANGUAGE_MODEL.kinds,
)
VISION_LANGUAGE_MODEL: Final[Need] = Need(
    "a vision-language model",
    "Open one with bl.load('portrait-clip'), or bl.load(name, kind='vlm').",
    sees_pictures,
    kind="vlm",
    kinds=frozenset({"vlm"}),
)
CLASSIFIER_OR_VISION_LANGUAGE_MODEL: Final[Need] = Need(
    f"{CLASSIFIER.what} or {VISION_LANGUAGE_MODEL.what}",
    "Pass bl.load('imdb-sentiment') or bl.load('portrait-clip').",
    lambda subject: CLASSIFIER.suits(subject) or VISION_LANGUAGE_MODEL.suits(subject),
    kinds=CLASSIFIER.kinds | VISION_LANGUAGE_MODEL.kinds,
)
SERVICE: Final[Need] = Need(
    "a service",
    "Pass a service, a translator, or a function that takes a text and returns one.",
    lambda subject: any(callable(getattr(subject, way, None)) for way in ("answer", "translate")),
    kinds=frozenset({"chat", "http", "function", "translation", "service"}),
)
DECIDER: Final[Need] = Need(
    "something that decides in words",
    "Pass a causal language model, a chat model, a text classifier, or a function of a text.",
    lambda subject: getattr(subject, "kind", "") != "mlm" and _decides(subject),
    kinds=frozenset({"clm", "server", "classifier", "chat", "http", "function", "service"}),
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
    return tuple(_fit(entry, kind) for entry in entries() if entry.need)


def _fit(entry: Entry, kind: str) -> Fit:
    need: Need = imported(entry.need)
    if kind in need.kinds:
        return Fit(entry.name, entry.probe, True)
    if kind == "server" and LANGUAGE_MODEL.kinds <= need.kinds:
        return Fit(entry.name, entry.probe, False, *_ON_A_SERVER)
    elsewhere = ""
    if entry.elsewhere and kind in imported(entry.elsewhere).kinds:
        elsewhere = f"{entry.probe} asks it in Python, slowly"
    return Fit(entry.name, entry.probe, False, f"needs {need.what}", elsewhere)
