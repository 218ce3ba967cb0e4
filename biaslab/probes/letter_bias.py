"""How much a chat model's choice depends on the order of the options, and how often it chooses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from biaslab.records.record import Record
from biaslab.records.result import Interval
from biaslab.records.wording import percent, would_show
from biaslab.stats.clustered_mean import clustered_mean
from biaslab.stats.significance import smallest_effect_of
from biaslab.subjects.vision_language.questions import LetterAnswers

LEVEL = 0.95
_HALF = 0.5


@dataclass(frozen=True)
class LetterBias(Record):
    """Effect of the options' order on answers by letter, and the probability of all letters.

    Each question is asked with its options in both orders, and scores are means over both. So
    neither number enters them.

    Attributes
    ----------
    position : float
        Log-odds of the option listed first against the one listed last, were both equally apt; 0
        without an effect of the order.
    interval : Interval
        Of it; its kind says what is drawn anew: pictures, or portraits.
    options : int
        Options of a question.
    mass : float
        Mean probability of all letters together; the rest is other text.
    below_half : int
        Questions in which the letters have less than half of the probability.
    questions : int
        Questions with a reply, over pictures, templates and orders.
    unanswered : int
        Questions without a readable reply: refused, or in other words.
    """

    position: float
    interval: Interval
    options: int
    mass: float
    below_half: int
    questions: int
    unanswered: int = 0

    @property
    def first_share(self) -> float:
        """Share with which the first of two equally apt options is chosen over the last."""
        return float(special.expit(self.position))

    @property
    def excludes_null(self) -> bool:
        """Whether the interval of `position` excludes 0."""
        return 0.0 not in self.interval and not np.isnan(self.interval.low)

    def _smallest(self) -> float:
        """Return the smallest distance of `first_share` from 1/2 that would have been found."""
        return float(special.expit(smallest_effect_of(self.interval)) - 0.5)

    def sentences(self) -> tuple[str, ...]:
        """Say it in words."""
        low, high = (100 * special.expit(x) for x in (self.interval.low, self.interval.high))
        level = percent(self.interval.level)
        spread = "" if np.isnan(low) else f" ({level} % interval: {low:.0f} to {high:.0f} %)"
        share = f"{100 * self.first_share:.0f} %{spread}"
        if not self.excludes_null:
            share += would_show(self._smallest(), most=0.5)
        order = (
            f"{'Order of the options' if self.excludes_null else 'No clear effect of the order'}:"
            f" the first of two equally apt options is chosen with {share}. Each question"
            " is asked in both orders, so the score does not depend on it."
        )
        mass = (
            f"Letters have {100 * self.mass:.0f} % of the probability of a reply; the rest is other"
            " text, and is not read."
        )
        texts = [order, mass]
        if self.below_half:
            texts.append(
                f"In {self.below_half:,} of {self.questions:,} questions the letters have less than"
                " half of it: the model tends to reply in other words there."
            )
        if self.unanswered:
            were = "question has" if self.unanswered == 1 else "questions have"
            texts.append(f"{self.unanswered:,} {were} no readable reply, and no answer is guessed.")
        return tuple(texts)


def letter_bias(letters: LetterAnswers, clusters: ArrayLike, of: str) -> LetterBias:
    """Estimate the effect of the options' order from answers by letter.

    - `letters`: about n pictures.
    - `clusters`, array_like, shape (n,): what is drawn anew for the interval: number of the
      picture, or of the portrait behind it.
    - `of`: what that is, in the plural.
    """
    positions = letters.position
    groups = np.broadcast_to(np.asarray(clusters)[:, None], positions.shape)
    known = np.isfinite(positions)
    mean = clustered_mean(positions[known], groups[known])
    low, high = mean.limits(LEVEL)
    is_answered = ~np.isnan(letters.log_probabilities).any(axis=-1)
    mass = letters.mass[is_answered]
    return LetterBias(
        position=mean.estimate,
        interval=Interval(low, high, LEVEL, of),
        options=letters.log_probabilities.shape[-1],
        mass=float(mass.mean()) if len(mass) else float("nan"),
        below_half=int((mass < _HALF).sum()),
        questions=int(is_answered.sum()),
        unanswered=int((~is_answered).sum()),
    )
