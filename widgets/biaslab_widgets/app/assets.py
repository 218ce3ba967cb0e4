"""Files that the app's pages load or are made from: built modules, first runs, frame heights."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median_high
from typing import cast

from biaslab_widgets.core.bench.first_runs import FIRST_RUNS
from biaslab_widgets.hosts.bundle import STATIC, built


@dataclass(frozen=True)
class FirstRun:
    """A run of a bench on a bundled subject.

    - `picture`: a small SVG.
    - `switch`: where the answer switches, and the interval's ends; of one bench only.
    """

    finding: str
    picture: str
    switch: tuple[float, float, float] | None = None


@cache
def first_run(name: str) -> FirstRun | None:
    """Return the first run of a bench; None where it has none, such as a bench that was added."""
    file = FIRST_RUNS / f"{name}.json"
    if not file.exists():
        return None
    values = json.loads(file.read_text(encoding="utf-8"))
    picture = (FIRST_RUNS / f"{name}.svg").read_text(encoding="utf-8")
    switch = values.get("switch")
    return FirstRun(values["finding"], picture, switch and tuple(switch))


HEIGHTS = Path(__file__).with_name("frame_heights.json")
"""Heights of each bench as the app opens it; `make recorded` measures and writes them."""


@cache
def _measured() -> dict[str, list[int]]:
    return cast("dict[str, list[int]]", json.loads(HEIGHTS.read_text(encoding="utf-8")))


def frame_heights(bench: str) -> list[int]:
    """Return the heights of a bench's frame in px, on a wide page and on a phone.

    One that was not measured yet is as high as most are.
    """
    both = zip(*_measured().values(), strict=True)
    return _measured().get(bench) or [median_high(heights) for heights in both]


FONTS = "fonts"
MODULES = "modules"
PICTURES = "pictures"
FOLDERS = {FONTS: STATIC / "fonts", MODULES: STATIC / "app", PICTURES: FIRST_RUNS}
"""Served folders, by their address below the server's root."""


def asset(folder: str, name: str) -> str:
    """Return the relative address of a built file, with its content in it.

    A browser caches it until the content changes.

    Raises `FileNotFoundError` when it was not built; says how.
    """
    return f"{folder}/{name}?v={_version(built(FOLDERS[folder] / name))}"


def picture(name: str) -> str:
    """Return the relative address of a picture of the home page."""
    return f"{PICTURES}/{name}?v={_version(FIRST_RUNS / name)}"


@cache
def _version(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]
