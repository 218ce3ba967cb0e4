"""Models that the image bench tests: vision-language models, and one whose truth is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from biaslab.errors import SubjectError
from biaslab.subjects import load_shared
from biaslab.subjects.load import bundled_names
from biaslab.subjects.vision_language import VisionLanguageModel
from biaslab_widgets.controllers.sources import OnProgress, Source, named_sources, open_source

Pictured: TypeAlias = Any
"""What can be tested: a `VisionLanguageModel`, or anything with its methods."""
GivenPictured: TypeAlias = Any
"""A model, the name of one, or the folder of one."""


def vision_sources(
    given: GivenPictured | Iterable[GivenPictured] | Mapping[str, Source[Any]] | None = None,
) -> dict[str, Source[Any]]:
    """Sources by name; by default the bundled vision-language models.

    Parameters
    ----------
    given : VisionLanguageModel, simulated model, name, path, or several of them, optional
        Names and paths are of vision-language models.
    """
    if isinstance(given, Mapping):
        return dict(given)
    if given is None:
        given = bundled_names("vlm")
    one = isinstance(given, str | Path) or _is_model(given)
    entries = [given] if one else list(given)
    return named_sources([_source(entry) for entry in entries])


def _is_model(thing: object) -> bool:
    return callable(getattr(thing, "answers", None))


def _source(entry: GivenPictured) -> Source[Any]:
    if isinstance(entry, str | Path):
        name = Path(entry).name if Path(entry).exists() else str(entry)
        return Source(name, partial(_load, entry))
    if not _is_model(entry):
        raise SubjectError(
            f"A {type(entry).__name__} is no vision-language model. Open one with "
            "biaslab.load(name, kind='vlm')."
        )
    return open_source(entry)


def named_source(name: str) -> Source[Any]:
    """A source of a model by the name that a person has typed: opened when chosen."""
    return Source(name, partial(_load, name))


def _load(name: str | Path, _on_progress: OnProgress) -> VisionLanguageModel:
    return load_shared(name, kind="vlm")
