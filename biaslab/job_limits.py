"""How much one owner's jobs may take where many people share a process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JobLimits:
    """Limits of an owner's jobs; by default there are none.

    Attributes
    ----------
    max_run_s : float or None
        Seconds that one job may compute; then it is aborted, and keeps its partial result.
    max_wait_s : float or None
        The same for a job that mostly waits for an external service.
    most_queued : int or None
        Jobs of one owner that wait for their turn.
    grace_s : float or None
        Seconds that a cancelled job has to leave. Then the others go on without it: its process is
        killed, or its thread abandoned. None: the others wait until it has left.
    keep_s : float
        Seconds that an aborted job has in addition, to return what it has.
    in_process : bool
        Whether heavy jobs run in a process of their own, which can be killed.
    """

    max_run_s: float | None = None
    max_wait_s: float | None = None
    most_queued: int | None = None
    grace_s: float | None = None
    keep_s: float = 30.0
    in_process: bool = False


NO_LIMITS = JobLimits()
SERVED = JobLimits(
    max_run_s=15 * 60.0, max_wait_s=2 * 3600.0, most_queued=8, grace_s=5.0, in_process=True
)
"""Of a page that is served to others."""
OWN_MACHINE = JobLimits(grace_s=5.0, in_process=True)
"""Of a page that only its owner reaches."""

_limits = NO_LIMITS


def job_limits() -> JobLimits:
    """Return the limits of groups of jobs that name none."""
    return _limits


def set_job_limits(limits: JobLimits) -> None:
    """Set the limits of groups of jobs that name none, in this process."""
    global _limits
    _limits = limits
