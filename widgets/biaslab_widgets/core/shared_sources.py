"""The subjects that all sessions of the served app share, as a bench's page gets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.language_model.model import LanguageModel
from biaslab_widgets.core.sources import Source


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
