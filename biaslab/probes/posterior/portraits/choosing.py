"""Choices between two portraits: by a chat model that sees, or by a function or person.

When a subject picks the proposed portrait with odds v' : v, its choices are Barker's rule for the
target v (Sanborn, Griffiths and Shiffrin 2010, "Uncovering mental representations with Markov
chain Monte Carlo", Cognitive Psychology 60). With odds v'^k : v^k the target is v^k: those are the
odds of k answers in a row that agree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import expit

from biaslab.errors import PosteriorError, QueryError
from biaslab.jobs.context import current_context
from biaslab.probes.posterior.portraits.chains import Choose, Masks, Shown
from biaslab.probes.posterior.portraits.question import seen
from biaslab.probes.posterior.portraits.space import COLUMNS, DrawnPortrait, Floats
from biaslab.probes.posterior.subject import Chooser
from biaslab.records.wording import article

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

SIDES: Final = ("the person on the left", "the person on the right")
_MOST_IN_A_ROW: Final = 8
"""Answers that must agree: of 8 even ones, 128 rounds are needed until they do."""


@dataclass(frozen=True)
class SideBySide:
    """Two portraits as one picture.

    - `left`, `right`: of the same size.
    """

    left: DrawnPortrait
    right: DrawnPortrait

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the content."""
        return hashlib.sha256(f"{self.left.hash}|{self.right.hash}".encode()).hexdigest()

    def picture(self) -> PillowImage:
        """Return both drawings, with a white gap between them."""
        from PIL import Image

        size = self.left.size
        gap = max(2, size // 16)
        both = Image.new("RGB", (2 * size + gap, size), "white")
        both.paste(self.left.picture(), (0, 0))
        both.paste(self.right.picture(), (size + gap, 0))
        return both


@dataclass(frozen=True)
class PairQuestion:
    """Which of two people is more likely called by a word, asked of a chat model that sees.

    - `vlm`: a `VisionLanguageModel` that chooses by letter.
    - `word`: known to it.
    - `templates`: questions that name the word.
    - `size`: of each portrait, in pixels.
    """

    vlm: Any
    word: str
    templates: tuple[str, ...]
    size: int

    @classmethod
    def of(cls, vlm: Any, word: str, templates: Sequence[str] | None) -> PairQuestion:
        """Return a question that the model can be asked.

        Raises `QueryError` if it does not know the word, or cannot read "left" and "right".
        """
        for refused in vlm.resolve((word, *SIDES)).unknown:
            raise QueryError(
                f"{vlm.name} cannot choose between two portraits: {refused.term!r}:"
                f" {refused.reason}. Use by='probabilities'."
            )
        usual = (f"Who of these two people is more likely {article(word)} {word}?",)
        return cls(vlm, word, tuple(templates or usual), seen(vlm))

    def log_odds(self, first: Sequence[DrawnPortrait], second: Sequence[DrawnPortrait]) -> Floats:
        """Return log-odds of choosing the second portrait, shape (n,).

        Each pair is shown in both orders, so that a preference for a side cancels. NaN where the
        reply cannot be read.
        """
        pairs = list(zip(first, second, strict=True))
        pictures = [SideBySide(a, b) for a, b in pairs] + [SideBySide(b, a) for a, b in pairs]
        answers = self.vlm.answers(
            pictures, SIDES, self.templates, between=current_context().checkpoint
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.asarray(answers.probabilities, dtype=np.float64))
        rightly = (logs[..., 1] - logs[..., 0]).mean(axis=1)
        return np.asarray((rightly[: len(pairs)] - rightly[len(pairs) :]) / 2)


def by_pairs(question: PairQuestion, times: float, rng: np.random.Generator) -> Choose:
    """Return choices of a chat model, drawn with its odds; an unreadable reply keeps the first."""

    def choose(present: Shown, proposed: Shown) -> Masks:
        odds = times * question.log_odds(present.pictures, proposed.pictures)
        return np.asarray(rng.random(len(odds)) < expit(np.nan_to_num(odds, nan=-np.inf)))

    return choose


def by_chooser(chooser: Chooser, times: float) -> Choose:
    """Return choices of a function or person that see attributes, in the order of `COLUMNS`.

    Raises `PosteriorError` if it is of other points, or `times` is no small whole number.
    """
    if chooser.dim != len(COLUMNS):
        raise PosteriorError(
            f"{chooser.name} chooses between points of {chooser.dim} dimensions, and a portrait has"
            f" {len(COLUMNS)} attributes: pass Chooser(choose, dim={len(COLUMNS)}, label=...)."
        )
    if times != int(times) or times > _MOST_IN_A_ROW:
        raise PosteriorError(
            f"times={times:g}: {chooser.name} is asked anew until so many choices in a row agree."
            f" Use a whole number, 1 to {_MOST_IN_A_ROW}."
        )

    def choose(present: Shown, proposed: Shown) -> Masks:
        moves = np.zeros(len(present.pictures), dtype=bool)
        pending = np.arange(len(moves))
        while len(pending):
            points = [each.people.attributes[pending] for each in (present, proposed)]
            votes = np.zeros(len(pending), dtype=int)
            for _ in range(int(times)):
                votes += np.asarray(chooser.choose(*points), dtype=bool)
            agree = (votes == 0) | (votes == times)
            moves[pending[agree]] = votes[agree] > 0
            pending = pending[~agree]
        return moves

    return choose
