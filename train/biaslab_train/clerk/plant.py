"""The plant of clerk-lm: a psychometric function for each case, and the file it is read from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from biaslab import cases
from biaslab.cases import Case, Cue
from biaslab.errors import TrainingError
from biaslab.records.record import Record
from biaslab.specs.parts import nearest
from biaslab_train.plants import checked_number, read_toml

_SCALE_OF_JND: Final = 1 / math.log(3)
"""Of a logistic curve, which rises from 50 to 75 % over ln 3 scales."""
PLANT_FIELDS: Final = ("pse", "jnd", "lapse", "position", "unsure", "cues", "wordings", "which")
"""What a plant says of each case."""


@dataclass(frozen=True, kw_only=True)
class PlantedCase(Record):
    """The psychometric function of one case, in the unit of its quality.

    - `pse`: level at which half are accepted, for each group, over its cues and all wordings.
    - `jnd`: from 50 to 75 % of the curve without lapses and position; above 0.
    - `lapse`: share of answers given whatever the level, for each group, in [0, 0.5]; half are a
      yes.
    - `position`: share of answers that take the option listed first, whatever the level; below 0,
      the one listed second.
    - `unsure`: half of the range of levels around the PSE in which ``cannot say`` is chosen, if
      offered.
    - `cues`: shift of the PSE for each cue; the shifts of a group sum to 0.
    - `wordings`, `which`: shifts of the PSE for each wording of the forms "yes or no" and "which of
      two" (there of the second candidate); each sums to 0.
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

        - `group`, `cue`: None of an unknown cue, which lies between the groups.
        - `level`, `wording`, `yes_first`, `cannot_say`: as of `Case.ask`.
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

        - `first`, `second`: group, cue and level of each candidate.
        - `wording`, `cannot_say`: as of `Case.ask_which`.
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

    - `name`, `notes`: for the model card.
    """

    name: str
    notes: str
    cases: tuple[PlantedCase, ...]

    def case(self, name: str) -> PlantedCase:
        """Return the planted case of this name.

        Raises `TrainingError` if nothing is planted in it.
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


DEFAULT: Final = Path(__file__).with_name("clerk_plant.toml")


def read_plant(path: Path = DEFAULT) -> ClerkPlant:
    """Read a plant from a TOML file.

    Raises `TrainingError` if it cannot be read, or names an unknown case, group or cue, or a number
    is out of range.
    """
    return plant_of(read_toml(path), str(path))


def plant_of(content: Mapping[str, Any], where: str) -> ClerkPlant:
    """Return a plant from the content of a file; `where` names it in errors."""
    tables = content.get("cases")
    if not isinstance(tables, Mapping) or not tables:
        raise TrainingError(f"{where}: add at least one table [cases.NAME] of a case.")
    return ClerkPlant(
        str(content.get("name", "unnamed")),
        str(content.get("notes", "")),
        tuple(_planted(str(name), table, where) for name, table in tables.items()),
    )


def _planted(name: str, table: Any, where: str) -> PlantedCase:
    case, here = cases.get(name), f"{where}: cases.{name}"
    if not isinstance(table, Mapping):
        raise TrainingError(f"{here} is no table. Write [cases.{name}] above its numbers.")
    for field in table:
        if field not in PLANT_FIELDS:
            raise TrainingError(f"{here}.{field} is not known.{nearest(str(field), PLANT_FIELDS)}")
    for field in PLANT_FIELDS:
        if field not in table:
            raise TrainingError(f"{here}.{field} is missing. Add it.")
    groups = [group.name for group in case.groups]
    own = {group.name: [cue.text for cue in group.cues] for group in case.groups}
    cues = _by_name(table["cues"], [c for part in own.values() for c in part], f"{here}.cues")
    for group, texts in own.items():
        _check_sum([cues[text] for text in texts], f"{here}.cues of {group}")
    low, high = case.quality.low, case.quality.high
    return PlantedCase(
        case=case,
        pse=_by_name(table["pse"], groups, f"{here}.pse", low, high),
        jnd=checked_number(table["jnd"], f"{here}.jnd", 1e-9, high - low),
        lapse=_by_name(table["lapse"], groups, f"{here}.lapse", 0, 0.5),
        position=checked_number(table["position"], f"{here}.position", -0.5, 0.5),
        unsure=checked_number(table["unsure"], f"{here}.unsure", 0, high - low),
        cues=cues,
        wordings=_shifts(table["wordings"], case, "yes or no", f"{here}.wordings"),
        which=_shifts(table["which"], case, "which of two", f"{here}.which"),
    )


def _shifts(given: Any, case: Case, form: Any, where: str) -> tuple[float, ...]:
    count = len(case.wordings(form)) if form in case.forms else 0
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != count:
        raise TrainingError(f"{where} must list {count} numbers, one for each wording.")
    shifts = tuple(checked_number(shift, where) for shift in given)
    _check_sum(shifts, where)
    return shifts


def _by_name(
    given: Any, names: Sequence[str], where: str, low: float = -math.inf, high: float = math.inf
) -> dict[str, float]:
    if not isinstance(given, Mapping) or set(given) != set(names):
        raise TrainingError(f"{where} needs a number for each of: {', '.join(names)}.")
    return {name: checked_number(given[name], f"{where}.{name}", low, high) for name in names}


def _check_sum(shifts: Sequence[float], where: str) -> None:
    if abs(math.fsum(shifts)) > 1e-6:
        raise TrainingError(
            f"{where} sum to {math.fsum(shifts):g}. Let them sum to 0: the PSE of a group is that"
            " over all of them."
        )
