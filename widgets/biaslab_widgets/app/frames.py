"""How much room the page of a bench keeps until the bench has come."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import cast

FILE = Path(__file__).with_name("frame_heights.json")
"""Heights of each bench as the app opens it; `make recorded` measures and writes them."""
USUAL = [1200, 2400]


@cache
def _measured() -> dict[str, list[int]]:
    return cast("dict[str, list[int]]", json.loads(FILE.read_text(encoding="utf-8")))


def frame_heights(bench: str) -> list[int]:
    """Return the heights of a bench's frame in px, on a wide page and on a phone."""
    return _measured().get(bench, USUAL)
