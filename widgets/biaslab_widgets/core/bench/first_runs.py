"""Runs that come with biaslab, with which benches open in the app."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

from biaslab.records.result import Result

FIRST_RUNS = Path(__file__).parents[2] / "app" / "first_runs"


@cache
def bundled_run(name: str) -> tuple[dict[str, Any], Result] | None:
    """Return the settings and the result with which a bench opens; None where it opens without."""
    file = FIRST_RUNS / f"{name}.run.json.xz"
    if not file.exists():
        return None
    document = json.loads(lzma.decompress(file.read_bytes()))
    return document["inputs"], Result.from_dict(document["result"])
