"""Subjects that a bench offers, by where they come from: given, bundled, shared, or of a run."""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeGuard

from typing_extensions import TypeVar

from biaslab.arguments import described
from biaslab.errors import ArgumentError, BiaslabError, WrongSubjectError
from biaslab.jobs.processes import SubjectReference
from biaslab.people.access import Access, acting_as, current_access
from biaslab.probes.sentences.simulated_scorer import SimulatedScorer
from biaslab.records.calls.making import subjects_of
from biaslab.records.result import Result
from biaslab.store import StoredRun
from biaslab.subjects import forget_shared, load_shared
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.word_embedding import is_table
from biaslab.subjects.language_model.model import KIND_NAMES, LanguageModel
from biaslab.subjects.opening.inspection import SubjectInfo, inspect
from biaslab.subjects.opening.load import ONLY_DECIDES, bundled_names, load
from biaslab.subjects.opening.needs import (
    CLASSIFIER,
    LANGUAGE_MODEL,
    VISION_LANGUAGE_MODEL,
    WORD_VECTORS,
    Need,
    group_of,
    opened,
    suited,
)
from biaslab.subjects.pretrained.kinds import kind_of_folder
from biaslab.subjects.vision_language.model import VisionLanguageModel
from biaslab_widgets.core.state.inputs import subjects_of_inputs
from biaslab_widgets.core.state.records import SubjectOption

if TYPE_CHECKING:
    from biaslab.services import LanguageModelServer


S = TypeVar(
    "S",
    bound="EmbeddingSubject | Classifier | LanguageModel | LanguageModelServer | SimulatedScorer"
    " | VisionLanguageModel",
    default=EmbeddingSubject,
)
"""Kind of subject; most benches are over embeddings."""
Given = EmbeddingSubject | str | Path
GivenClassifier = Classifier | str | Path
GivenLanguageModel = LanguageModel | str | Path
BENCH = "This bench"
OnProgress = Callable[[int, int | None], None]
"""Called with words read and words in all, where known."""


def _silent(done: int, total: int | None) -> None:
    """Report to nobody."""


class Source(Generic[S]):
    """A subject by name, opened at most once.

    Parameters
    ----------
    name : str
        Name shown.
    opener : callable
        Opens the subject, given a progress callback; may take long.
    subject : EmbeddingSubject, Classifier, LanguageModel, LanguageModelServer, VisionLanguageModel
        or SimulatedScorer. The subject itself when it is open already.
    given : str or Path
        What it is opened from; empty where the subject itself was given.
    """

    def __init__(
        self,
        name: str,
        opener: Callable[[OnProgress], S],
        subject: S | None = None,
        *,
        given: str | Path = "",
    ) -> None:
        self.name = name
        self.given = given
        self._users: weakref.WeakSet[Any] = weakref.WeakSet()
        # Whoever chooses it first: it is opened as the person whose it is.
        self._access = current_access()
        self._opener = opener
        self._subject = subject
        self._info: SubjectInfo | None = None
        self._lock = threading.Lock()
        self._tried = threading.Event()

    @property
    def subject(self) -> S | None:
        """The subject while it is open: another thread may let go of it at any time."""
        return self._subject

    @property
    def is_open(self) -> bool:
        """Whether `open` returns at once."""
        return self._subject is not None

    def open(self, on_progress: OnProgress = _silent) -> S:
        """The subject; blocks while it is being opened."""
        with self._lock:
            try:
                if self._subject is None:
                    with acting_as(self._access):
                        self._subject = self._opener(on_progress)
            finally:
                self._tried.set()
            return self._subject

    def reference(self) -> SubjectReference[S]:
        """The subject for a heavy job, which may run in another process; opens it here."""
        subject = self.open()
        opener = partial(_open_as, self._access, self._opener) if self.given else None
        return SubjectReference(subject, opener)

    def close(self) -> bool:
        """Let go of the subject, to free its memory; `open` opens it again.

        - Returns: False where it was not open, or was given open and cannot be opened again.
        """
        with self._lock:
            subject = self._subject
            if subject is None or not self.given:
                return False
            self._subject = None
            self._tried.clear()
        forget_shared(subject)
        return True

    def use(self, user: object, *, chosen: bool) -> None:
        """Note whether a bench shows this subject."""
        (self._users.add if chosen else self._users.discard)(user)

    @property
    def is_used(self) -> bool:
        """Whether a bench shows it."""
        return len(self._users) > 0

    def opens_within(self, seconds: float) -> bool:
        """Whether it is open; waits so long for another thread that opens it."""
        return self.is_open or (self._tried.wait(seconds) and self.is_open)

    @property
    def is_remote(self) -> bool:
        """Whether somebody's server computes its answers, so that asking it is waiting."""
        if self._subject is not None:
            return bool(getattr(self._subject, "is_remote", False))
        return self.info is not None and self.info.kind == "server"

    @property
    def option(self) -> SubjectOption:
        """What the subject selector shows."""
        subject, info = self._subject, self.info
        return {
            "name": self.name,
            "about": subject.about if subject else "not opened yet",
            "kind": subject.kind if subject else "",
            "replicates": getattr(subject, "n_replicates", 1) if subject else 0,
            "group": group_of(info.kind) if info else "",
            "what": info.short if info else "",
        }

    @property
    def info(self) -> SubjectInfo | None:
        """What is known of it before it is open; None where it cannot be read."""
        if self._info is None and (self.given or self._subject is not None):
            with suppress(BiaslabError, OSError), acting_as(self._access):
                self._info = inspect(self.given or self._subject)
        return self._info


def _open_as(access: Access, opener: Callable[[OnProgress], S]) -> S:
    """Open a subject elsewhere, as the person whose it is."""
    with acting_as(access):
        return opener(_silent)


def _ready(subject: S, _on_progress: OnProgress) -> S:
    return subject


def _load(source: str | Path, on_progress: OnProgress) -> EmbeddingSubject:
    vectors: EmbeddingSubject = load_shared(source, on_progress=on_progress)
    return suited(vectors, WORD_VECTORS, BENCH)


def _load_classifier(source: str | Path, _on_progress: OnProgress) -> Classifier:
    classifier: Classifier = opened(source, CLASSIFIER, BENCH)
    return classifier


def _load_language_model(source: str | Path, _on_progress: OnProgress) -> LanguageModel:
    model: LanguageModel = opened(source, LANGUAGE_MODEL, BENCH)
    return model


def load_vision_model(source: str | Path, _on_progress: OnProgress) -> VisionLanguageModel:
    """The opener of a vision-language model."""
    model: VisionLanguageModel = load_shared(source, kind="vlm")
    return suited(model, VISION_LANGUAGE_MODEL, BENCH)


def bundled_language_models() -> tuple[str, ...]:
    """Names of the bundled language models: masked, causal, and last those that only decide."""
    names = (*bundled_names("mlm"), *bundled_names("clm"))
    return tuple(sorted(names, key=lambda name: name in ONLY_DECIDES))


def is_language_model(given: object) -> bool:
    """Whether what is given is a language model, the name of a bundled one, or a folder of one."""
    if isinstance(given, str | Path):
        return given in bundled_language_models() or kind_of_folder(Path(given)) in KIND_NAMES
    return isinstance(given, LanguageModel)


def language_model_sources(
    given: GivenLanguageModel | Iterable[GivenLanguageModel] | None = None,
) -> dict[str, Source[LanguageModel]]:
    """As `sources`, of masked and causal language models."""
    if holds_sources(given):
        return checked_sources(given)
    if given is None:
        given = bundled_language_models()
    entries = entries_of(given, LANGUAGE_MODEL)
    return named_sources([_source(entry, _load_language_model) for entry in entries])


def sources(given: Given | Iterable[Given] | None = None) -> dict[str, Source]:
    """Sources by name, of subjects and names that `biaslab.load` takes; default all bundled."""
    if holds_sources(given):
        return checked_sources(given)
    if given is None:
        given = bundled_names("ensemble")
    entries = entries_of(given, WORD_VECTORS)
    return named_sources([_source(entry, _load) for entry in entries])


def classifier_sources(
    given: GivenClassifier | Iterable[GivenClassifier] | None = None,
) -> dict[str, Source[Classifier]]:
    """As `sources`, of classifiers."""
    if holds_sources(given):
        return checked_sources(given)
    if given is None:
        given = bundled_names("classifier")
    entries = entries_of(given, CLASSIFIER)
    return named_sources([_source(entry, _load_classifier) for entry in entries])


def vision_language_sources(given: Any = None) -> dict[str, Source[VisionLanguageModel]]:
    """As `sources`, of vision-language models, or of simulated ones with the same interface."""
    if holds_sources(given):
        return checked_sources(given)
    if given is None:
        given = bundled_names("vlm")
    entries = entries_of(given, VISION_LANGUAGE_MODEL)
    return named_sources([_source(entry, load_vision_model) for entry in entries])


def entries_of(given: Any, need: Need) -> list[Any]:
    """One subject or several, each a name, vectors in memory, or of the kind that a bench needs.

    Raises `WrongSubjectError` when one is of another kind; says what the bench needs.
    """
    one = isinstance(given, str | Path) or need.suits(given) or not isinstance(given, Iterable)
    entries = [given] if one or is_table(given) else list(given)
    entries = [load(entry) if is_table(entry) else entry for entry in entries]
    for entry in entries:
        if not isinstance(entry, str | Path):
            suited(entry, need, BENCH)
    return entries


def holds_sources(given: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether it has sources by name, from another bench, and not a vector for each word."""
    if not isinstance(given, Mapping):
        return False
    return not given or not all(map(_is_vector, given.values()))


def _is_vector(value: object) -> bool:
    is_subject = isinstance(value, Source | str) or hasattr(value, "kind")
    return hasattr(value, "__len__") and not is_subject


def checked_sources(given: Mapping[str, Any]) -> dict[str, Any]:
    """Sources that another bench has made.

    Raises `ArgumentError` when they are none.
    """
    for value in given.values():
        if not isinstance(value, Source):
            raise ArgumentError(
                f"A bench was given a dict that contains {described(value)}. Pass a subject, its"
                " name, or a list of them."
            )
    return dict(given)


def _source(entry: S | str | Path, loader: Callable[[str | Path, OnProgress], S]) -> Source[S]:
    if isinstance(entry, str | Path):
        name = Path(entry).name if Path(entry).exists() else str(entry)
        return Source(name, partial(loader, entry), given=entry)
    return open_source(entry)


def open_source(subject: S) -> Source[S]:
    """The source of a subject that is open."""
    return Source(subject.name, partial(_ready, subject), subject)


def named_sources(listed: Iterable[Source[S]]) -> dict[str, Source[S]]:
    """Sources by name; where a name comes again it is numbered."""
    by_name: dict[str, Source[S]] = {}
    for source in listed:
        unique, count = source.name, 2
        while unique in by_name:
            unique, count = f"{source.name} ({count})", count + 1
        source.name = unique
        by_name[unique] = source
    return by_name


class SharedSources(Protocol):
    """Sources by name, one mapping for each kind of subject; each source is opened once."""

    @property
    def embeddings(self) -> Mapping[str, Source]:
        """Word embeddings."""

    @property
    def classifiers(self) -> Mapping[str, Source[Classifier]]:
        """Text classifiers."""

    @property
    def language_models(self) -> Mapping[str, Source[LanguageModel]]:
        """Masked and causal language models."""

    @property
    def servers(self) -> Mapping[str, Source[Any]]:
        """Language models on servers."""

    @property
    def vision_models(self) -> Mapping[str, Source[Any]]:
        """Vision-language models."""

    @property
    def services(self) -> Mapping[str, Any]:
        """Services that can be rated."""

    @property
    def deciders(self) -> Mapping[str, Source[Any]]:
        """Whatever of these decides in words, and a simulated decider."""


def sources_of_run(
    run: StoredRun, result: Result, sources_of: Callable[[Any], Mapping[str, Any]], given: Any
) -> dict[str, Any]:
    """Return the sources that a bench of the run offers, those that it asked first.

    - `result`: its result, which records how the subject was loaded.
    - `sources_of`: makes sources by name from subjects, names or paths; all bundled ones from None.
    - `given`: the subject, from whoever reopens the run.
    - Raises `ArgumentError` if a subject of the run is neither given nor bundled, and cannot be
      loaded again.
    """
    names = subjects_of_inputs(run.inputs) or [result.provenance.subject]
    offered = dict(sources_of(None))
    if given is not None:
        offered = {**sources_of(given), **offered}
    elif not offered.keys() >= set(names):
        offered = {**_loaded_again(result, sources_of), **offered}
    if missing := [name for name in names if name not in offered]:
        raise ArgumentError(
            f"Run {run.id} asked {' and '.join(missing)}. Pass it under that name:"
            f" of_run({run.id!r}, bl.load(path, name={missing[0]!r}))."
        )
    return {name: offered[name] for name in names} | offered


def _loaded_again(
    result: Result, sources_of: Callable[[Any], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The source of the subject, loaded as the result records; empty where that fails."""
    call = result.provenance.call
    if call is not None:
        with suppress(BiaslabError):
            for subject in subjects_of(call):
                with suppress(WrongSubjectError):  # it wraps the model
                    return sources_of([subject])
    return {}


HUB = "hf:"
_NAME = re.compile(r"hf:[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


def is_hub_name(name: str) -> bool:
    """Whether a name is one of the hub and no path of this machine.

    A folder of that name beside the server would be opened in place of what is on the hub.
    """
    if _NAME.fullmatch(name) is None or ".." in name:
        return False
    return not Path(name.removeprefix(HUB)).exists()


_MODEL = "A model behind an OpenAI-compatible address."
_MEMORY = "The key stays in memory while the model is called"


def about_endpoint() -> str:
    """Return what such a model is, and which key it receives, for the person who asks."""
    reach = current_access().reach
    if reach.everything:
        return f"{_MODEL} {_MEMORY}; without one, OpenAI receives OPENAI_API_KEY."
    if not reach.services:
        return f"{_MODEL} Whoever runs this server has not allowed any address yet."
    if reach.own_keys:
        return (
            f"{_MODEL} {_MEMORY}; without one, the models that the owner of this server lends are"
            " asked with the owner's key."
        )
    return (
        f"{_MODEL} {_MEMORY}. No key of this server is sent: enter yours where the address needs"
        " one."
    )
