"""Question about a portrait: how probable a word is, rather than others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from biaslab.errors import QueryError
from biaslab.jobs.context import current_context
from biaslab.portraits import OCCUPATIONS, PLAIN
from biaslab.portraits.drawing import SMALLEST
from biaslab.probes.posterior.portraits.space import DrawnPortrait, Floats

RIVALS: Final = ("executive", "nurse")
"""Words that others are compared with by default: the first, and the second for the first."""
OCCUPATION_NAMES: Final = "occupations"
_SIZE = 224
_LARGEST: Final = 1024
"""Larger numbers are areas in pixels, as of Qwen's models."""


@dataclass(frozen=True)
class Question:
    """A word, the words that it is compared with, and how it is asked about.

    - `vlm`: a `VisionLanguageModel`, or one with the same interface.
    - `word`, `against`: all known to it.
    - `templates`: wordings; None for those of the model.
    - `size`: width and height of a picture, in pixels.
    """

    vlm: Any
    word: str
    against: tuple[str, ...]
    templates: tuple[str, ...] | None
    size: int

    @classmethod
    def of(
        cls,
        vlm: Any,
        word: str,
        against: str | Sequence[str] | None,
        templates: Sequence[str] | None,
    ) -> Question:
        """Return a question that the model can be asked.

        - `against`: a word, or several; "occupations" for all that can be drawn and that the model
          knows; None for the default.
        - Raises `QueryError` if it does not know a word, or there is none to compare with.
        """
        if against is None:
            against = next(rival for rival in RIVALS if rival != word)
        others = (against,) if isinstance(against, str) else tuple(against)
        if others == (OCCUPATION_NAMES,):
            drawable = [name for name in OCCUPATIONS if name not in (PLAIN, word)]
            others = tuple(vlm.resolve(drawable).known)
        others = tuple(dict.fromkeys(other for other in others if other != word))
        if not others:
            raise QueryError(
                f"{word!r} is compared with no other word, so that its probability would be 1 in"
                " every portrait. Name another: against='executive'."
            )
        for refused in vlm.resolve((word, *others)).unknown:
            hint = f" Did you mean {refused.suggestions[0]!r}?" if refused.suggestions else ""
            raise QueryError(
                f"{vlm.name} cannot be asked about {refused.term!r}: {refused.reason}.{hint} Choose"
                " a word that it knows, and another one as against=."
            )
        return cls(vlm, word, others, None if templates is None else tuple(templates), seen(vlm))

    def shares(self, pictures: Sequence[DrawnPortrait]) -> Floats:
        """Return P(word | picture) among the words, shape (pictures, wordings).

        NaN where a model that replies in words gave no readable reply.
        """
        answers = self.vlm.answers(
            pictures,
            (self.word, *self.against),
            self.templates,
            between=current_context().checkpoint,
        )
        return np.asarray(answers.probabilities[..., 0], dtype=np.float64)

    @property
    def wordings(self) -> tuple[str, ...]:
        """The wordings of the question."""
        return tuple(self.vlm.templates) if self.templates is None else self.templates


def log_mean(shares: Floats) -> Floats:
    """Return log P(word | picture), P averaged over wordings; minus infinity if unreadable."""
    mean = shares.mean(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(np.isnan(mean), -np.inf, np.log(mean)))


def log_odds(log_p: Floats) -> Floats:
    """Return log-odds from log probabilities, within -700 and 700."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.clip(log_p - np.log(-np.expm1(np.minimum(log_p, -1e-16))), -700, 700))


def seen(vlm: Any) -> int:
    """Return the size at which a model looks at a picture, in pixels; 224 if it does not say."""
    processor = getattr(vlm, "image_processor", None)
    for name in ("crop_size", "size"):
        size: Any = getattr(processor, name, None)
        sizes = [getattr(size, edge, None) for edge in ("height", "shortest_edge")]
        if isinstance(size, Mapping):
            sizes = [size.get(edge) for edge in ("height", "shortest_edge")]
        for value in sizes:
            if isinstance(value, int) and SMALLEST <= value <= _LARGEST:
                return value
    return _SIZE
