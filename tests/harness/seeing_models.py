"""Vision-language models whose answers are known: by the stimulus, or by a picture's brightness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from biaslab.errors import UnknownTermError
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.vision_language.questions import ConceptAnswers


class SeeingModel:
    """Answers by what ``log_odds`` says of each picture; counts the pictures it was shown."""

    templates = ("a portrait of a {concept}",)
    device = "cpu"
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        log_odds: Callable[[Any], float],
        *,
        second: str = "man",
        knows: Sequence[str] = ("woman", "man", "lady", "gentleman"),
        template_effect: Mapping[str, float] | None = None,
        name: str = "seeing",
    ) -> None:
        self.log_odds, self.second, self.knows = log_odds, second, tuple(knows)
        self.template_effect = dict(template_effect or {})
        self.name = name
        self.content_hash = f"hash of {name}"
        self.shown: list[Any] = []

    def resolve(self, concepts: Sequence[str]) -> Resolution:
        """Concepts that it knows."""
        known = tuple(c for c in concepts if c in self.knows)
        unknown = tuple(Unknown(c, "is no word it knows") for c in concepts if c not in self.knows)
        return Resolution(known, unknown)

    def answers(
        self,
        images: Sequence[Any],
        concepts: Sequence[str],
        templates: Sequence[str] | None = None,
        *,
        memory_mb: float = 0,
        between: Callable[[], None] | None = None,
    ) -> ConceptAnswers:
        """Log scores: the odds for the second concept and everything that sounds like it."""
        assert memory_mb > 0
        if lost := [c for c in concepts if c not in self.knows]:
            raise UnknownTermError(f"{lost} unknown", ())
        asked = tuple(templates or self.templates)
        scores = np.zeros((len(images), len(asked), len(concepts)))
        for i, image in enumerate(images):
            if between is not None and i % 16 == 0:
                between()
            self.shown.append(image)
            for t, template in enumerate(asked):
                odds = self.log_odds(image) + self.template_effect.get(template, 0.0)
                scores[i, t] = [odds if c in (self.second, "gentleman") else 0.0 for c in concepts]
        return ConceptAnswers(
            tuple(concepts), asked, special.softmax(scores, axis=-1), scores, "planted"
        )


def by_stimulus(pse: Mapping[str, Any] | Callable[[str, int], float], noise: float) -> SeeingModel:
    """A model whose answer to a stimulus is logistic around a PSE for each item and portrait."""

    def at(item: str, observer: int) -> float:
        if callable(pse):
            return pse(item, observer)
        found = pse[item]
        return float(found[observer] if np.ndim(found) else found)

    return SeeingModel(lambda p: (p.alpha - at(p.item, p.observer)) / noise)


def by_brightness(dark: float, bright: float, pse: float, noise: float) -> SeeingModel:
    """A model that looks at the pixels: a picture between dark and bright is that far along."""

    def log_odds(picture: Any) -> float:
        mean = float(np.asarray(picture.picture(), dtype=float).mean())
        return ((mean - dark) / (bright - dark) - pse) / noise

    return SeeingModel(log_odds)
