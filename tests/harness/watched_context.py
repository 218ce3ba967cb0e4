"""A job's context that keeps what a probe tells it, and stops the probe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biaslab.jobs.job import JobContext


class Watched(JobContext):
    """Keeps reports and partial results.

    Parameters
    ----------
    stops : callable, optional
        Whether to stop, by what this context has kept.
    raises : exception, optional
        What a checkpoint raises where it stops.

    Attributes
    ----------
    reports : list of (done, total, message)
    kept : list
    checkpoints : int
        Number of checkpoints passed.
    """

    def __init__(
        self,
        stops: Callable[[Watched], bool] = lambda _: False,
        raises: BaseException | None = None,
    ) -> None:
        self._stops, self._raises = stops, raises
        self.reports: list[tuple[float, float | None, str]] = []
        self.kept: list[Any] = []
        self.checkpoints = 0

    @property
    def should_stop(self) -> bool:
        return self._stops(self)

    @property
    def done(self) -> list[float]:
        """Progress of each report."""
        return [done for done, *_ in self.reports]

    def checkpoint(self) -> None:
        if self._raises is not None and self._stops(self):
            raise self._raises
        self.checkpoints += 1

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        self.reports.append((done, total, message))

    def keep(self, partial: Any) -> None:
        self.kept.append(partial)
