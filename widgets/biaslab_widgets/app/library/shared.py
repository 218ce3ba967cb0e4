"""Subjects that all sessions of the served app share, by what benches they suit."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from biaslab.errors import BiaslabError
from biaslab.jobs.job import prepare_answers
from biaslab.probes.images.simulated_vision import SimulatedVision
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.opening.load import bundled_names
from biaslab.subjects.opening.names import OwnSubject
from biaslab.subjects.opening.needs import (
    CLASSIFIER,
    KIND_TITLES,
    LANGUAGE_MODEL,
    SENTENCE_PROBABILITIES,
    SERVICE,
    VISION_LANGUAGE_MODEL,
    WORD_VECTORS,
)
from biaslab.subjects.pretrained.kinds import kind_of_folder
from biaslab.subjects.vision_language.model import VisionLanguageModel
from biaslab_widgets.benches.decisions.subjects import shared_deciders
from biaslab_widgets.benches.images.subjects import vision_sources
from biaslab_widgets.benches.rating.services import (
    ServiceSource,
    own_service_source,
    service_sources,
)
from biaslab_widgets.core.subjects.sources import (
    Source,
    classifier_sources,
    is_language_model,
    language_model_sources,
    sources,
)

Seeing = VisionLanguageModel | SimulatedVision
Given = EmbeddingSubject | Classifier | LanguageModel | Seeing | str | Path


@dataclass(frozen=True)
class Shared:
    """Sources by name; each is opened once.

    - `servers`: language models on servers, which send probabilities of whole texts.
    - `vision_models`: vision-language models.
    - `services`: services that can be rated.
    """

    embeddings: dict[str, Source]
    classifiers: dict[str, Source[Classifier]]
    language_models: dict[str, Source[LanguageModel]] = field(default_factory=dict)
    servers: dict[str, Source[Any]] = field(default_factory=dict)
    vision_models: dict[str, Source[Any]] = field(default_factory=dict)
    services: dict[str, ServiceSource] = field(default_factory=service_sources)

    @classmethod
    def of(cls, given: Given | Iterable[Given] | None = None) -> Shared:
        """Sort subjects and names by what they are; where none of a kind is given, all bundled."""
        if given is None:
            entries: list[Given] = []
        elif isinstance(given, Given):
            entries = [given]
        else:
            entries = list(given)
        known = bundled_names("classifier")
        embeddings: list[EmbeddingSubject | str | Path] = []
        classifiers: list[Classifier | str | Path] = []
        models: list[LanguageModel | str | Path] = []
        seeing: list[Seeing | str | Path] = []
        for entry in entries:
            if isinstance(entry, Classifier) or (isinstance(entry, str) and entry in known):
                classifiers.append(entry)
            elif isinstance(entry, LanguageModel) or (
                isinstance(entry, str | Path) and is_language_model(entry)
            ):
                models.append(entry)
            elif isinstance(entry, Seeing) or (isinstance(entry, str | Path) and _is_seeing(entry)):
                seeing.append(entry)
            else:
                embeddings.append(entry)
        return cls(
            sources(embeddings) if embeddings else sources(),
            classifier_sources(classifiers) if classifiers else classifier_sources(),
            language_model_sources(models) if models else language_model_sources(),
            vision_models=vision_sources(seeing or bundled_names("vlm")),
        )

    def open_bundled(self) -> None:
        """Open the bundled models, which are small, and start what makes answers aside.

        Whoever opened the first would hold up all others for seconds, in which Python imports the
        libraries of models.
        """
        prepare_answers("biaslab.probes.association")
        bundled = bundled_names()
        for source in (*self.vision_models.values(), *self.language_models.values()):
            if source.given in bundled:
                with suppress(BiaslabError):  # their benches say what is missing
                    source.open()

    def copy(self) -> Shared:
        """Return the same sources in mappings of their own, for a person's own subjects beside."""
        return Shared(
            embeddings=dict(self.embeddings),
            classifiers=dict(self.classifiers),
            language_models=dict(self.language_models),
            servers=dict(self.servers),
            vision_models=dict(self.vision_models),
            services=dict(self.services),
        )

    def add(self, entry: OwnSubject) -> None:
        """Offer a subject of a person's own; pages that are open show it when they load again."""
        where = self._of_kind(entry.kind)
        if where is not None:
            where[entry.name] = _own_source(entry)

    def remove(self, name: str) -> None:
        """Offer a subject no longer, and free its memory."""
        for where in self.by_kind:
            if (source := where.pop(name, None)) is not None:
                source.close()

    @property
    def by_kind(self) -> tuple[dict[str, Any], ...]:
        """All sources, a mapping for each kind."""
        return (
            self.embeddings,
            self.language_models,
            self.servers,
            self.vision_models,
            self.classifiers,
            self.services,
        )

    @property
    def deciders(self) -> dict[str, Source[Any]]:
        """Whatever of these decides in words, and a simulated decider."""
        return shared_deciders(self.language_models, self.servers, self.classifiers, self.services)

    def source(self, name: str) -> Source[Any] | None:
        """The source of that name; None where there is none."""
        return next((where[name] for where in self.by_kind if name in where), None)

    def _of_kind(self, kind: str) -> dict[str, Any] | None:
        needs = (
            WORD_VECTORS, LANGUAGE_MODEL, SENTENCE_PROBABILITIES, VISION_LANGUAGE_MODEL, CLASSIFIER,
            SERVICE,
        )  # fmt: skip
        fitting = (
            where for need, where in zip(needs, self.by_kind, strict=True) if kind in need.kinds
        )
        return next(fitting, None)


def _own_source(entry: OwnSubject) -> Source[Any]:
    if entry.kind in SERVICE.kinds:
        return own_service_source(entry.name, KIND_TITLES[entry.kind])
    if entry.kind in CLASSIFIER.kinds:
        return classifier_sources([entry.name])[entry.name]
    if entry.kind in SENTENCE_PROBABILITIES.kinds:
        return language_model_sources([entry.name])[entry.name]
    if entry.kind in VISION_LANGUAGE_MODEL.kinds:
        return vision_sources([entry.name])[entry.name]
    return sources([entry.name])[entry.name]


def _is_seeing(name: str | Path) -> bool:
    """Whether it is the name of a bundled vision-language model, or a folder of one."""
    return name in bundled_names("vlm") or kind_of_folder(Path(name)) == "vlm"
