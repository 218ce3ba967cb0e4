"""What a bench tests is made or fetched in the background, one job at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biaslab.errors import QueryError
from biaslab.jobs import Job
from biaslab.progress import JobProgress
from biaslab_widgets.core.background import Background
from biaslab_widgets.core.bench_fields import NO_MAKING, Making


class Maker:
    """The job that makes something, and how far it is.

    Parameters
    ----------
    changed : callable
        Lets the bench answer again; called from any thread.
    refusal : str
        The error text when more is requested while a making runs.

    Attributes
    ----------
    shown : Making
        How far it is; its message stays when it has ended.
    """

    def __init__(self, changed: Callable[[], object], refusal: str) -> None:
        self._changed, self._refusal = changed, refusal
        self._background: Background[Any] = Background(changed, self._show_progress)
        self.shown: Making = {**NO_MAKING}

    @property
    def job(self) -> Job[Any] | None:
        """The job that goes on, or the last one."""
        return self._background.job

    @property
    def running(self) -> bool:
        """Whether something is being made."""
        return self._background.running

    def refuse_while_running(self) -> None:
        """Refuse to make more meanwhile.

        Raises
        ------
        QueryError
            When something is being made.
        """
        if self.running:
            raise QueryError(self._refusal)

    def begin(self, job: Job[Any], total: int, text: str, ended: Callable[[Job[Any]], str]) -> None:
        """Show how far a job is; `ended` takes what it has made and says so.

        Parameters
        ----------
        job : Job
            Just started.
        total : int
            Things to make.
        text : str
            What is going on.
        ended : callable
        """
        self._show(0, total, text)
        self._background.begin(None, job, lambda done: self._end(ended(done)))

    def abort(self) -> bool:
        """Stop the job and keep what it has made; whether one went on."""
        return self._background.abort()

    def _show_progress(self, now: JobProgress | None) -> None:
        if now is not None:
            self._show(now.done, now.total or 0, now.message, now.seconds_left)

    def _show(
        self, done: float, total: float, text: str, seconds_left: float | None = None
    ) -> None:
        self.shown = {
            "done": int(done),
            "total": max(int(total), 1),
            "message": text,
            "seconds_left": seconds_left,
        }
        self._changed()

    def _end(self, text: str) -> None:
        self.shown = {**NO_MAKING, "message": text}
