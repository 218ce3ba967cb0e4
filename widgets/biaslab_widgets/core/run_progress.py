"""How far a run or a job is, as every bench says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biaslab.progress import JobProgress
from biaslab_widgets.core.bench_fields import NO_PROGRESS
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


def job_progress(progress: JobProgress | None) -> Progress:
    """Progress of a job; None when it is over."""
    if progress is None:
        return NO_PROGRESS
    return {
        "done": progress.done,
        "total": progress.total or 0,
        "message": progress.message,
        "seconds_left": progress.seconds_left,
    }
