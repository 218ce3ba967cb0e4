"""Checks lines of arithmetic, such as "(0.2 + 0.4) / 2 = 0.3 = 30 %", as they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from biaslab_widgets.benches import BENCHES
from biaslab_widgets.core.how import NOTHING_YET

_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[A-Za-zΦ√]+|\S")
_NUMBER = re.compile(r"\d")
_OPERATORS = {"+": "+", "−": "-", "×": "*", "/": "/", "(": "(", ")": ")", "²": "**2", ",": ","}
_UNITS = {"%": "*0.01", "points": "*0.01"}
_FUNCTIONS: Mapping[str, Any] = {
    "√": math.sqrt,
    "Φ": lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))),
    "exp": math.exp,
    "log": math.log,
    "arccos": math.acos,
    "max": max,
    "min": min,
    "abs": abs,
}


class Arithmetic:
    """One side of an equation; its numbers are known to half a unit of their last digit."""

    def __init__(self, text: str) -> None:
        self.values: list[float] = []
        self._halves: list[float] = []
        parts = [self._python(token) for token in _TOKEN.findall(text)]
        self._code = compile("".join(parts), text, "eval")

    def _python(self, token: str) -> str:
        if _NUMBER.match(token):
            digits = token.partition(".")[2]
            self.values.append(float(token.replace(",", "")))
            # What has no decimals is a count or a constant, and exact.
            self._halves.append(0.5 * 10.0 ** -len(digits) if digits else 0.0)
            return f"v[{len(self.values) - 1}]"
        if token in _FUNCTIONS:
            return token if token.isalpha() and token != "Φ" else f"f[{token!r}]"
        try:
            return {**_OPERATORS, **_UNITS}[token]
        except KeyError:
            raise AssertionError(f"{token!r} is no arithmetic") from None

    def at(self, values: Sequence[float]) -> float:
        """Value of the side where its numbers are these."""
        names = {name: one for name, one in _FUNCTIONS.items() if name.isalpha()}
        known = {"__builtins__": {}, **names, "v": values, "f": _FUNCTIONS}
        return float(eval(self._code, known))  # text of our own

    @property
    def value(self) -> float:
        """What it comes to."""
        return self.at(self.values)

    @property
    def error(self) -> float:
        """How far off it can be as its numbers are rounded."""
        return math.fsum(self._effect(k) for k in range(len(self.values)))

    def _effect(self, k: int) -> float:
        moved = [*self.values]
        moved[k] += self._halves[k]
        return abs(self.at(moved) - self.value)


def check_line(line: str) -> None:
    """Assert that all sides of an equation are the same number, up to the rounding shown."""
    sides = [Arithmetic(side) for side in line.split(" = ")]
    assert len(sides) > 1, f"{line!r} states nothing"
    for left, right in pairwise(sides):
        room = 1.01 * (left.error + right.error) + 1e-12
        assert abs(left.value - right.value) <= room, (line, left.value, right.value, room)


def check_how(how: Mapping[str, Any], bench: str) -> dict[str, Any]:
    """Assert that a bench's explanation is whole and its arithmetic holds; its steps by title."""
    assert how["about"]
    assert how["about"] != NOTHING_YET
    titles = [step["title"] for step in how["steps"]]
    assert titles
    assert len(set(titles)) == len(titles)
    for step in how["steps"]:
        assert len(set(step["numbers"])) == len(step["numbers"])
        for line in step["numbers"]:
            check_line(line)
    assert bench in {entry.name for entry in BENCHES}
    for reference in how["references"]:
        assert reference["text"]
    return {step["title"]: step for step in how["steps"]}


def results_of(step: Mapping[str, Any]) -> list[float]:
    """The last number of each line of a step."""
    return [Arithmetic(line.split(" = ")[-1]).value for line in step["numbers"]]
