"""Quality of clerk-lm: how closely its probabilities follow the planted ones.

- On questions that training never shows, they differ from the planted ones by at most 1 point
  on average, case by case.
- A logistic curve with lapses, fitted to them over levels, has each group's planted gap to within
  0.15 just noticeable differences, in both forms.
- The share of answers given by position is planted to within 2 points.
- Nearly all of its probability is on the answers that the question offers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from biaslab.training.clerk_answers import ClerkAnswers
from biaslab.training.clerk_gaps import GapQuality, which_gaps, yes_or_no_gaps
from biaslab.training.clerk_plant import ClerkPlant, PlantedCase
from biaslab.training.clerk_questions import draw

MOST_DEVIATION, MOST_GAP_ERROR, MOST_POSITION_ERROR, LEAST_MASS = 0.01, 0.15, 0.02, 0.99
"""Floors: mean deviation, error of a gap in JNDs, error of the share by position, mass."""


@dataclass(frozen=True)
class CaseQuality:
    """Quality on one case.

    Attributes
    ----------
    name, unit : str
    jnd, found_jnd : float
        Planted, and of the fitted curves of the form "yes or no", averaged.
    position, found_position : float
        Share of answers by position, planted and found.
    questions : int
        Held-out questions on which the deviations rest.
    mean_deviation, largest_deviation : float
        Of the probability of the answer that is listed first.
    mass : float
        Mean probability of all offered answers together.
    gaps : tuple of GapQuality
        Of each group against the first, in each form.
    """

    name: str
    unit: str
    jnd: float
    found_jnd: float
    position: float
    found_position: float
    questions: int
    mean_deviation: float
    largest_deviation: float
    mass: float
    gaps: tuple[GapQuality, ...]


@dataclass(frozen=True)
class ClerkQuality:
    """Quality of a trained model.

    Attributes
    ----------
    cases : tuple of CaseQuality
    """

    cases: tuple[CaseQuality, ...]

    @property
    def failures(self) -> list[str]:
        """Floors that are missed, in words."""
        out = []
        for case in self.cases:
            if case.mean_deviation > MOST_DEVIATION:
                out.append(f"{case.name}: mean deviation {case.mean_deviation:.3f}")
            if case.mass < LEAST_MASS:
                out.append(f"{case.name}: mass {case.mass:.3f} of its answers")
            if abs(case.found_position - case.position) > MOST_POSITION_ERROR:
                out.append(
                    f"{case.name}: position {case.found_position:.3f}, should be {case.position:g}"
                )
            out += [
                f"{case.name}, {gap.form}: gap of {gap.second} {gap.found:.3g}, should be"
                f" {gap.planted:g} {case.unit}"
                for gap in case.gaps
                if not abs(gap.found - gap.planted) <= MOST_GAP_ERROR * case.jnd
            ]
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


def measure_clerk(
    folder: Path, plant: ClerkPlant, *, questions: int = 400, pairs: int = 20, seed: int = 7
) -> ClerkQuality:
    """Measure a model case by case.

    Parameters
    ----------
    folder : Path
        A folder that ``biaslab train clerk`` wrote.
    plant : ClerkPlant
        What it was trained on.
    questions : int
        Held-out questions of each case, half of them asked as a chat.
    pairs : int
        Pairs of cues of two groups for each difference in the form "which of two".
    seed : int
    """
    answers = ClerkAnswers(folder)
    return ClerkQuality(
        tuple(_measured(answers, planted, questions, pairs, seed) for planted in plant.cases)
    )


def _measured(
    answers: ClerkAnswers, planted: PlantedCase, questions: int, pairs: int, seed: int
) -> CaseQuality:
    case = planted.case
    rng = np.random.default_rng([seed, 1])
    alone = ClerkPlant("", "", (planted,))
    asked = draw(alone, questions, rng, held_out=True)
    deviations, masses = [], []
    for chat in (False, True):
        half = asked[chat::2]
        found = answers.probabilities([one.question for one in half], chat=chat)
        for one, probabilities in zip(half, found, strict=True):
            masses.append(float(probabilities.sum()))
            deviations.append(abs(float(probabilities[0]) - one.probabilities[0]))
    gaps, found_jnd, found_position = yes_or_no_gaps(answers, planted)
    if case.which_of_two is not None:
        gaps += which_gaps(answers, planted, pairs, rng)
    return CaseQuality(
        name=case.name,
        unit=case.quality.unit,
        jnd=planted.jnd,
        found_jnd=found_jnd,
        position=planted.position,
        found_position=found_position,
        questions=len(asked),
        mean_deviation=float(np.mean(deviations)),
        largest_deviation=float(np.max(deviations)),
        mass=float(np.mean(masses)),
        gaps=tuple(gaps),
    )
