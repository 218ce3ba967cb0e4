"""Subjects that all sessions of the served app share, by what benches they suit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from biaslab.probes.images.simulated_vision import SimulatedVision
from biaslab.subjects.base import EmbeddingSubject
from biaslab.subjects.classifier import Classifier
from biaslab.subjects.language_model import LanguageModel
from biaslab.subjects.load import bundled_names
from biaslab.subjects.vision_language import VisionLanguageModel
from biaslab.subjects.vision_language_folder import holds_vision_language_model
from biaslab_widgets.benches.images.models import vision_sources
from biaslab_widgets.benches.rating.services import ServiceSource, service_sources
from biaslab_widgets.core.sources import (
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

    Attributes
    ----------
    embeddings : dict of str to Source
    classifiers : dict of str to Source
    language_models : dict of str to Source
    vision_models : dict of str to Source
        Vision-language models.
    services : dict of str to ServiceSource
        Services that can be rated.
    """

    embeddings: dict[str, Source]
    classifiers: dict[str, Source[Classifier]]
    language_models: dict[str, Source[LanguageModel]] = field(default_factory=dict)
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
        for one in entries:
            if isinstance(one, Classifier) or (isinstance(one, str) and one in known):
                classifiers.append(one)
            elif isinstance(one, LanguageModel) or (
                isinstance(one, str | Path) and is_language_model(one)
            ):
                models.append(one)
            elif isinstance(one, Seeing) or (isinstance(one, str | Path) and _is_seeing(one)):
                seeing.append(one)
            else:
                embeddings.append(one)
        return cls(
            sources(embeddings) if embeddings else sources(),
            classifier_sources(classifiers) if classifiers else classifier_sources(),
            language_model_sources(models) if models else language_model_sources(),
            vision_sources(seeing or bundled_names("vlm")),
        )


def _is_seeing(one: str | Path) -> bool:
    """Whether it is the name of a bundled vision-language model, or a folder of one."""
    return one in bundled_names("vlm") or holds_vision_language_model(Path(one))
