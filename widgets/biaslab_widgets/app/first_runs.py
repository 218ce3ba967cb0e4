"""The runs that the home page shows before a person has any; made by ``tools/first_runs.py``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "first_runs"


@dataclass(frozen=True)
class FirstRun:
    """A run of a bench on a bundled subject.

    Attributes
    ----------
    finding : str
    picture : str
        A small SVG.
    switch : tuple of float or None
        Where the answer switches, and the interval's ends; of one bench only.
    """

    finding: str
    picture: str
    switch: tuple[float, float, float] | None = None


@cache
def first_run(name: str) -> FirstRun:
    """Return the first run of a bench."""
    values = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    picture = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    switch = values.get("switch")
    return FirstRun(values["finding"], picture, switch and tuple(switch))
