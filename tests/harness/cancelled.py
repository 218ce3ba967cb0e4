"""A job that is cancelled from inside, in the middle of what it does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from biaslab.jobs.job import Job, start

LONG = 60.0


class Cancelled:
    """Runs a probe as a job and cancels it from inside, at one of its steps."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.steps = 0
        self._begun = threading.Event()
        self._job: Job[Any]

    def step(self) -> None:
        """Count a step; at the one that was named, cancel the job."""
        assert self._begun.wait(LONG)
        self.steps += 1
        if self.steps == self.at:
            self._job.cancel()

    def run(self, probe: Callable[..., Any], *args: Any, **options: Any) -> None:
        """Run it to its end."""
        self._job = start(probe, *args, **options)
        self._begun.set()
        assert self._job.wait(LONG)
        assert self._job.status == "cancelled"
