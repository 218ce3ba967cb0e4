"""Leave work whose job was cancelled, from deep inside it.

A probe looks at its `JobContext` between two steps. What it calls knows no context, and may take
long: this is for it. An aborted job keeps what it has, so only cancelling ends the work here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar


def _stay() -> None:
    """Go on: nobody can cancel what runs outside a job."""


JOB: ContextVar[Callable[[], None]] = ContextVar("biaslab-job", default=_stay)
"""Raises if the job that runs in this context was cancelled; set by the job."""


def leave_if_cancelled() -> None:
    """Leave the job that this runs in, by `biaslab.jobs.JobStopped`, if it was cancelled."""
    JOB.get()()
