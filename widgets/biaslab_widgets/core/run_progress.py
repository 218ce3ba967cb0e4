"""How far the run is that an answer shows, as every bench says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biaslab_widgets.core.records import Progress


def run_progress(answer: Mapping[str, Any] | None) -> Progress | None:
    """Progress of the run in an answer's picture; None where none goes on."""
    run = ((answer or {}).get("picture") or {}).get("run")
    if run is None or not run["running"]:
        return None
    return {
        "done": run["done"],
        "total": run["total"],
        "message": run.get("stage", ""),
        "seconds_left": run["seconds_left"],
    }
