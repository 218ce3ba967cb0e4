"""Answers of real controllers, written down so that the front end's tests run on them.

Each bench has a module in ``harness.scenarios`` with a function ``record``, which drives its
controller and returns the whole state after each scenario, by the scenario's name. What a recording
keeps of it is the same on every machine: see `portable`.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from biaslab_widgets.benches.posterior.fields import Packed
from biaslab_widgets.benches.posterior.parts import MISSING, STEPS

State = dict[str, Any]
Scenarios = dict[str, State]

FOLDER = Path(__file__).resolve().parents[2] / "js" / "dev" / "recorded"
NAMES = sorted(p.stem for p in Path(__file__).with_name("scenarios").glob("[a-z]*.py"))
"""The benches that are recorded."""

DIGITS = 6
"""Significant digits of a float: fewer than processors agree on."""
TOLERANCE = 1e-4
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
"""Stands for every picture."""
EXCHANGED = ("generation", "command", "reply")
"""Fields that count messages, and say nothing of the bench."""
_NESTED = ("answer", "picture")
"""Records of which only what differs is kept, too."""
_TIMES = {"seconds": 0, "milliseconds": 0, "seconds_left": None}
_DURATION = re.compile(r"\b\d[\d,]*(?:\.\d+)? (?:ms|s|min)\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_HASH = re.compile(r" [0-9a-f]{8}$")


def path_of(name: str) -> Path:
    """The file of a bench, in a folder of the front end's."""
    return FOLDER / f"{name.replace('_', '-')}.json"


def record(name: str) -> Scenarios:
    """Drive a bench through its scenarios, and return each one's whole state."""
    module = import_module(f"harness.scenarios.{name}")
    return {scenario: _kept(state) for scenario, state in module.record().items()}


def _kept(state: State) -> State:
    kept = {field: value for field, value in state.items() if field not in EXCHANGED}
    kept["answer"] = {**state["answer"], "generation": 0}
    return cast("State", portable(kept))


def portable(value: Any) -> Any:
    """The same without times, hashes of vectors and pixels, and with floats of 6 digits."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") + 0.0  # adding 0.0 makes -0.0 positive
    if isinstance(value, str):
        return PIXEL if value.startswith("data:image/") else _DURATION.sub("1 s", value)
    if isinstance(value, Mapping):
        return {name: _portable_item(name, item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [portable(item) for item in value]
    return value


def _portable_item(name: str, item: Any) -> Any:
    if name in _TIMES:
        return _TIMES[name]
    if name == "footer":
        return [_HASH.sub("", portable(text)) for text in item]
    return portable(item)


def changes(name: str) -> list[str]:
    """Places where a bench's file says something else than the bench does now."""
    module = import_module(f"harness.scenarios.{name}")
    return list(differences(read(name), record(name), name, getattr(module, "DRAWN", {})))


def differences(
    kept: Any,
    told: Any,
    at: str = "",
    drawn: Mapping[str, float] = MappingProxyType({}),
    tolerance: float = TOLERANCE,
) -> Iterator[str]:
    """Places where two states differ, numbers by more than the tolerance.

    Parameters
    ----------
    kept, told
        States, or parts of them.
    at : str
        Their place.
    drawn : mapping of str to float
        Fields whose numbers another processor draws anew, and by how much these may differ.
    tolerance : float
        Of other numbers, also of those in texts: relative, and absolute.
    """
    if _is_packed(kept) and _is_packed(told):
        kept, told = _unpacked(kept), _unpacked(told)
    if isinstance(kept, dict) and isinstance(told, dict):
        for name in sorted(kept.keys() | told.keys()):
            if name in kept and name in told:
                within = drawn.get(name, tolerance)
                yield from differences(kept[name], told[name], f"{at} > {name}", drawn, within)
            else:
                yield f"{at} > {name} is {'no longer' if name in kept else 'not yet'} there"
    elif isinstance(kept, list) and isinstance(told, list) and len(kept) == len(told):
        for i, (one, other) in enumerate(zip(kept, told, strict=True)):
            yield from differences(one, other, f"{at} > {i}", drawn, tolerance)
    elif kept != told and not _are_near(kept, told, tolerance):
        yield f"{at}: {_compact(kept)[:200]} is now {_compact(told)[:200]}"


def _is_packed(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == Packed.__annotations__.keys()


def _unpacked(array: State) -> State:
    """Read a packed array in shares of its range, one step of which is within the tolerance."""
    steps = np.frombuffer(base64.b64decode(array["data"]), "<u2").tolist()
    return {**array, "data": [None if step == MISSING else step / STEPS for step in steps]}


def _are_near(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        numbers = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=False)
        return _NUMBER.sub("0", one) == _NUMBER.sub("0", other) and all(
            _are_near(float(a), float(b), tolerance) for a, b in numbers
        )
    if not (_is_number(one) and _is_number(other)):
        return False
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class Versions:
    """Counts versions from 1: Python counts those of all sets, and of scores that come and go.

    Parameters
    ----------
    first : int
        The version of the first set.
    """

    def __init__(self, first: int) -> None:
        self._sets: dict[int, int] = {first: 1} if first else {}
        self._scores: dict[int, int] = {}

    def renumbered(self, state: State, things: str) -> State:
        """The state with versions of its set, in the field `things`, and scores from 1."""
        held, scores = state[things], state["scores"]
        scored = {
            "version": _number(self._scores, scores["version"]),
            things: _number(self._sets, scores[things]),
        }
        return {
            **state,
            things: {**held, "version": _number(self._sets, held["version"])},
            "scores": {**scores, **scored},
        }


def _number(seen: dict[int, int], version: int) -> int:
    return seen.setdefault(version, len(seen) + 1) if version else 0


def text_of(scenarios: Scenarios) -> str:
    """The text of a file: the first scenario whole, of the others what differs from it.

    Each field of the state, the answer and the picture has a line, so that a change is seen.
    """
    whole = next(iter(scenarios.values()))
    told = {
        scenario: state if state is whole else _beside(state, whole)
        for scenario, state in scenarios.items()
    }
    return _lines(told, depth=4) + "\n"


def _beside(state: State, whole: State) -> State:
    if not state.keys() <= whole.keys():
        return state  # of another bench
    own = {name: value for name, value in state.items() if value != whole[name]}
    for name in _NESTED:
        if own.get(name) and whole[name]:
            own[name] = _beside(own[name], whole[name])
    return own


def read(name: str) -> Scenarios:
    """What a bench's file holds."""
    found = cast("Scenarios", json.loads(path_of(name).read_text(encoding="utf-8")))
    whole = next(iter(found.values()))
    return {scenario: _merged(whole, own) for scenario, own in found.items()}


def _merged(whole: State, own: State) -> State:
    if not own.keys() <= whole.keys():
        return own
    nested = {n: _merged(whole[n], own[n]) for n in _NESTED if own.get(n) and whole[n]}
    return {**whole, **own, **nested}


def _lines(value: Any, depth: int) -> str:
    if depth == 0 or not isinstance(value, dict) or not value:
        return _compact(value)
    members = [f"{_compact(name)}: {_lines(item, depth - 1)}" for name, item in value.items()]
    return "{\n" + ",\n".join(members) + "\n}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
