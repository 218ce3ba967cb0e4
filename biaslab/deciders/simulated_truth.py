"""True parameters of a simulated decider, and the answers that follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from biaslab.deciders.simulated_prompts import Asked
from biaslab.record import Record

Family = Literal["logistic", "normal"]
SCALE_OF_JND: Final[dict[str, float]] = {
    "logistic": 1 / math.log(3),
    "normal": 1 / 0.6744897501960817,
}
"""Scale of a curve whose JND, from 50 % to 75 %, is 1."""


@dataclass(frozen=True, kw_only=True)
class DeciderTruth(Record):
    """True parameters of a simulated decider.

    Attributes
    ----------
    case : str
    groups : tuple of str
        The G groups.
    pse : tuple of float
        Point of each group at which it says yes as often as no, over all cues and wordings, in the
        unit of the quality.
    jnd : float
        From the PSE to 75 % yes, in that unit, without lapses and position bias.
    scale : float
        Of the curve, in that unit.
    family : str
    position_bias : float
        Share of answers that the position alone gives: to the first answer above 0, to the second
        below.
    position_shift : float
        Difference between the two orders in units of the scale: half of it is added where the yes,
        or a candidate, is listed first, and subtracted where second.
    lapse, cannot_say, refusal : tuple of float
        Rates of each group.
    lapse_yes : float
        Share of lapses that say yes, or choose the first candidate.
    indecision : float
        Half-width of the interval of indecision around the PSE, in the unit of the quality.
    cues : mapping of str to float
        What each cue adds to the PSE of its group.
    wordings : tuple of float
        What each wording adds to all PSEs.
    wordings_by_group : tuple of tuple of float
        What each wording adds to the PSE of each group, shape (wordings, groups).
    """

    case: str
    groups: tuple[str, ...]
    pse: tuple[float, ...]
    jnd: float
    scale: float
    family: str
    position_bias: float
    position_shift: float
    lapse: tuple[float, ...]
    lapse_yes: float
    cannot_say: tuple[float, ...]
    refusal: tuple[float, ...]
    indecision: float
    cues: Mapping[str, float]
    wordings: tuple[float, ...]
    wordings_by_group: tuple[tuple[float, ...], ...]

    def gap(self, first: int = 0, second: int = 1) -> float:
        """Return the PSE of the second group less that of the first, over all cues and wordings."""
        return self.pse[second] - self.pse[first]


def shares_of(truth: DeciderTruth, asked: Asked, yes: str, distance: float) -> dict[str, float]:
    """Return probabilities of the answers, and of a refusal under ``""``.

    Parameters
    ----------
    truth : DeciderTruth
    asked : Asked
    yes : str
        The option that a greater distance favours.
    distance : float
        From the PSE, in units of the scale, without an effect of the order.
    """
    groups = [candidate.group for candidate in asked.candidates]
    refusal, lapse, unsure = (
        float(np.mean([rates[group] for group in groups]))
        for rates in (truth.refusal, truth.lapse, truth.cannot_say)
    )
    first, second = asked.options
    no = second if yes == first else first
    z = distance + (0.5 if yes == first else -0.5) * truth.position_shift
    half = truth.indecision / truth.scale
    rises, falls = (_curve(truth.family, side) for side in (z - half, -z - half))
    undecided = max(0.0, 1 - rises - falls)
    if not asked.cannot_say:  # who is undecided guesses
        rises, falls, undecided = rises + undecided / 2, falls + undecided / 2, 0.0
    steady = 1 - lapse - abs(truth.position_bias)
    shares = {
        yes: steady * rises + lapse * truth.lapse_yes,
        no: steady * falls + lapse * (1 - truth.lapse_yes),
    }
    shares[first if truth.position_bias > 0 else second] += abs(truth.position_bias)
    if asked.cannot_say:
        shares[asked.cannot_say] = steady * undecided
        shares = {answer: (1 - unsure) * share for answer, share in shares.items()}
        shares[asked.cannot_say] += unsure
    return {answer: (1 - refusal) * share for answer, share in shares.items()} | {"": refusal}


def _curve(family: str, z: float) -> float:
    if family == "normal":
        return 0.5 * math.erfc(-z / math.sqrt(2))
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))
