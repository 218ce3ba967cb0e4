"""The file of a plant: TOML with a table for each case, checked field by field."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from biaslab import cases
from biaslab.cases import Case
from biaslab.errors import TrainingError
from biaslab.specs.parts import nearest
from biaslab.training.clerk_plant import PLANT_FIELDS, ClerkPlant, PlantedCase

DEFAULT: Final = Path(__file__).with_name("clerk_plant.toml")


def read_plant(path: Path = DEFAULT) -> ClerkPlant:
    """Read a plant from a TOML file.

    Raises
    ------
    TrainingError
        If it cannot be read, or names an unknown case, group or cue, or a number is out of range.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"The plant {path} cannot be read: {error}.") from error
    except tomllib.TOMLDecodeError as error:
        raise TrainingError(f"The plant {path} is not valid TOML: {error}.") from error
    return plant_of(content, str(path))


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
        jnd=_number(table["jnd"], f"{here}.jnd", 1e-9, high - low),
        lapse=_by_name(table["lapse"], groups, f"{here}.lapse", 0, 0.5),
        position=_number(table["position"], f"{here}.position", -0.5, 0.5),
        unsure=_number(table["unsure"], f"{here}.unsure", 0, high - low),
        cues=cues,
        wordings=_shifts(table["wordings"], case, "yes or no", f"{here}.wordings"),
        which=_shifts(table["which"], case, "which of two", f"{here}.which"),
    )


def _shifts(given: Any, case: Case, form: Any, where: str) -> tuple[float, ...]:
    count = len(case.wordings(form)) if form in case.forms else 0
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != count:
        raise TrainingError(f"{where} must list {count} numbers, one for each wording.")
    shifts = tuple(_number(shift, where, -math.inf, math.inf) for shift in given)
    _check_sum(shifts, where)
    return shifts


def _by_name(
    given: Any, names: Sequence[str], where: str, low: float = -math.inf, high: float = math.inf
) -> dict[str, float]:
    if not isinstance(given, Mapping) or set(given) != set(names):
        raise TrainingError(f"{where} needs a number for each of: {', '.join(names)}.")
    return {name: _number(given[name], f"{where}.{name}", low, high) for name in names}


def _number(value: Any, where: str, low: float, high: float) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not low <= value <= high:
        between = "" if math.isinf(low) else f" from {low:g} to {high:g}"
        raise TrainingError(f"{where} is {value!r}. Use a number{between}.")
    return float(value)


def _check_sum(shifts: Sequence[float], where: str) -> None:
    if abs(math.fsum(shifts)) > 1e-6:
        raise TrainingError(
            f"{where} sum to {math.fsum(shifts):g}. Let them sum to 0: the PSE of a group is that"
            " over all of them."
        )
