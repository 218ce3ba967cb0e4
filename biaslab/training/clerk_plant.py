"""The plant of clerk-lm: a psychometric function for each case, and each question's answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from biaslab.cases import Case, Cue
from biaslab.errors import TrainingError
from biaslab.record import Record
from biaslab.specs.parts import nearest

_SCALE_OF_JND: Final = 1 / math.log(3)
"""Of a logistic curve, which rises from 50 to 75 % over ln 3 scales."""
PLANT_FIELDS: Final = ("pse", "jnd", "lapse", "position", "unsure", "cues", "wordings", "which")
"""What a plant says of each case."""


@dataclass(frozen=True, kw_only=True)
class PlantedCase(Record):
    """The psychometric function of one case, in the unit of its quality.

    Attributes
    ----------
    case : Case
    pse : mapping of str to float
        Level at which half are accepted, for each group, over its cues and all wordings.
    jnd : float
        From 50 to 75 % of the curve without lapses and position; above 0.
    lapse : mapping of str to float
        Share of answers given whatever the level, for each group, in [0, 0.5]; half are a yes.
    position : float
        Share of answers that take the option listed first, whatever the level; below 0, the one
        listed second.
    unsure : float
        Half of the range of levels around the PSE in which ``cannot say`` is chosen, if offered.
    cues : mapping of str to float
        Shift of the PSE for each cue; the shifts of a group sum to 0.
    wordings, which : tuple of float
        Shifts of the PSE for each wording of the forms "yes or no" and "which of two" (there of
        the second candidate); each sums to 0.
    """

    case: Case
    pse: Mapping[str, float]
    jnd: float
    lapse: Mapping[str, float]
    position: float
    unsure: float
    cues: Mapping[str, float]
    wordings: tuple[float, ...]
    which: tuple[float, ...]

    @property
    def scale(self) -> float:
        """Scale of the logistic curve."""
        return self.jnd * _SCALE_OF_JND

    def gap(self, first: str, second: str) -> float:
        """Return how much more of the quality group ``second`` needs than ``first``.

        Where less of the quality is better, how much less: positive favours ``first`` always.
        """
        return self.case.quality.sign * (self.pse[second] - self.pse[first])

    def answers(
        self,
        group: str | None,
        cue: Cue | None,
        level: float,
        *,
        wording: int,
        yes_first: bool,
        cannot_say: bool,
    ) -> tuple[float, ...]:
        """Return the probability of each answer, in the order in which the question lists them.

        Parameters
        ----------
        group, cue
            None of an unknown cue, which lies between the groups.
        level, wording, yes_first, cannot_say
            As of `Case.ask`.
        """
        above = self.case.quality.sign * (level - self._pse(group, cue) - self.wordings[wording])
        yes, no, unsure = self._outcome(above, self.scale, self._lapse(group), cannot_say)
        listed = [yes, no] if yes_first else [no, yes]
        return self._with_position(listed, unsure, cannot_say)

    def which_answers(
        self,
        first: tuple[str | None, Cue | None, float],
        second: tuple[str | None, Cue | None, float],
        *,
        wording: int,
        cannot_say: bool,
    ) -> tuple[float, ...]:
        """Return the probability of each answer to the question which of two is chosen.

        Each candidate is judged with the error of the form "yes or no", so that the scale of
        their difference is the square root of two as large.

        Parameters
        ----------
        first, second : (group, cue, level)
        wording, cannot_say
            As of `Case.ask_which`.
        """
        one, two = (level - self._pse(group, cue) for group, cue, level in (first, second))
        above = self.case.quality.sign * (one - two + self.which[wording])
        lapse = (self._lapse(first[0]) + self._lapse(second[0])) / 2
        a, b, unsure = self._outcome(above, self.scale * math.sqrt(2), lapse, cannot_say)
        return self._with_position([a, b], unsure, cannot_say)

    def _outcome(
        self, above: float, scale: float, lapse: float, cannot_say: bool
    ) -> tuple[float, float, float]:
        margin = self.unsure if cannot_say else 0.0
        yes, no = _logistic((above - margin) / scale), _logistic((-above - margin) / scale)
        rest = 1 - lapse - abs(self.position)
        return rest * yes + lapse / 2, rest * no + lapse / 2, rest * (1 - yes - no)

    def _with_position(
        self, listed: list[float], unsure: float, cannot_say: bool
    ) -> tuple[float, ...]:
        listed[0 if self.position > 0 else 1] += abs(self.position)
        return (*listed, max(unsure, 0.0)) if cannot_say else tuple(listed)

    def _pse(self, group: str | None, cue: Cue | None) -> float:
        if group is None:
            return _mean(self.pse)
        return self.pse[group] + (self.cues[cue.text] if cue else 0.0)

    def _lapse(self, group: str | None) -> float:
        return _mean(self.lapse) if group is None else self.lapse[group]


@dataclass(frozen=True)
class ClerkPlant(Record):
    """What a clerk is trained to decide.

    Attributes
    ----------
    name, notes : str
        For the model card.
    cases : tuple of PlantedCase
    """

    name: str
    notes: str
    cases: tuple[PlantedCase, ...]

    def case(self, name: str) -> PlantedCase:
        """Return the planted case of this name.

        Raises
        ------
        TrainingError
            If nothing is planted in it.
        """
        for planted in self.cases:
            if planted.case.name == name:
                return planted
        known = [planted.case.name for planted in self.cases]
        raise TrainingError(
            f"The plant has no case {name!r}.{nearest(name, known)} It has {', '.join(known)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain mappings and lists, for JSON; `clerk_plant_file.plant_of` reads them."""
        return {
            "name": self.name,
            "notes": self.notes,
            "cases": {planted.case.name: _table(planted) for planted in self.cases},
        }


def _table(planted: PlantedCase) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for field in PLANT_FIELDS:
        value = getattr(planted, field)
        if isinstance(value, Mapping):
            value = dict(value)
        table[field] = list(value) if isinstance(value, tuple) else value
    return table


def _mean(of: Mapping[str, float]) -> float:
    return math.fsum(of.values()) / len(of)


def _logistic(z: float) -> float:
    return 0.5 * (1 + math.tanh(z / 2))
