"""A job's context that also hands partial results to a callback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biaslab.jobs import JobContext


class Tee(JobContext):
    """Passes everything on to another context, and partial results to a callback too.

    Parameters
    ----------
    whole : JobContext
    on_kept : callable
        Receives each partial result, in the job's thread.
    """

    def __init__(self, whole: JobContext, on_kept: Callable[[Any], object]) -> None:
        self._whole, self._on_kept = whole, on_kept

    @property
    def should_stop(self) -> bool:
        """As of the whole."""
        return self._whole.should_stop

    def checkpoint(self) -> None:
        """As of the whole."""
        self._whole.checkpoint()

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """As of the whole."""
        self._whole.report(done, total, message)

    def keep(self, partial: Any) -> None:
        """Keep it, and hand it on."""
        self._whole.keep(partial)
        self._on_kept(partial)
