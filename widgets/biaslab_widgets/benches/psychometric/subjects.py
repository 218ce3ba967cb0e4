"""Subjects that the psychometric bench offers: embeddings, and language models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.opening.needs import VECTORS_OR_LANGUAGE_MODEL
from biaslab_widgets.core.subjects.sources import (
    Source,
    checked_sources,
    entries_of,
    holds_sources,
    is_language_model,
    language_model_sources,
    sources,
)

Subject = EmbeddingSubject | LanguageModel
Given = Subject | str | Path


def psychometric_sources(
    given: Given | Iterable[Given] | Mapping[str, Source[Any]] | None = None,
) -> dict[str, Source[Subject]]:
    """Sources by name, of subjects and names that `biaslab.load` takes, in the order given.

    Default all bundled ones, embeddings first.
    """
    if holds_sources(given):
        return checked_sources(given)
    if given is None:
        return _both(sources(), language_model_sources())
    by_name: dict[str, Source[Subject]] = {}
    for entry in entries_of(given, VECTORS_OR_LANGUAGE_MODEL):
        if is_language_model(entry):
            one = language_model_sources([cast("LanguageModel | str | Path", entry)])
            by_name = _both(by_name, one)
        else:
            by_name = _both(by_name, sources([cast("EmbeddingSubject | str | Path", entry)]))
    return by_name


def _both(
    first: Mapping[str, Source[Any]], second: Mapping[str, Source[Any]]
) -> dict[str, Source[Subject]]:
    """All of them; where a name comes again it is numbered."""
    by_name: dict[str, Source[Subject]] = dict(first)
    for source in second.values():
        name, count = source.name, 2
        while name in by_name:
            name, count = f"{source.name} ({count})", count + 1
        source.name = name
        by_name[name] = source
    return by_name
