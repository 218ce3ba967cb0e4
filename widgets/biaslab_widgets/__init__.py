"""Benches for notebooks: ``from biaslab_widgets import PsychometricBench``."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biaslab_widgets.jupyter.association import AssociationBench
    from biaslab_widgets.jupyter.images import ImageBench
    from biaslab_widgets.jupyter.occupations import OccupationsBench
    from biaslab_widgets.jupyter.posterior import PosteriorBench
    from biaslab_widgets.jupyter.psychometric import PsychometricBench
    from biaslab_widgets.jupyter.rating import RatingBench
    from biaslab_widgets.jupyter.sentences import SentenceBench
    from biaslab_widgets.jupyter.word_lists import WordListEditor

__all__ = [
    "AssociationBench",
    "ImageBench",
    "OccupationsBench",
    "PosteriorBench",
    "PsychometricBench",
    "RatingBench",
    "SentenceBench",
    "WordListEditor",
]

_HOMES = {
    "AssociationBench": "association",
    "ImageBench": "images",
    "OccupationsBench": "occupations",
    "PosteriorBench": "posterior",
    "PsychometricBench": "psychometric",
    "RatingBench": "rating",
    "SentenceBench": "sentences",
    "WordListEditor": "word_lists",
}


def __getattr__(name: str) -> Any:
    """Import a bench when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'biaslab_widgets' has no attribute {name!r}")
    return getattr(importlib.import_module(f"biaslab_widgets.jupyter.{_HOMES[name]}"), name)
