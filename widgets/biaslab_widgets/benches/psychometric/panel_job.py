"""The job of a panel below the picture: its progress, and the commands of its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from biaslab.progress import JobProgress
from biaslab.results import Result
from biaslab_widgets.core.background import Background
from biaslab_widgets.core.bench_fields import NO_PROGRESS
from biaslab_widgets.core.commands import Act, Arguments, Content, file
from biaslab_widgets.core.records import Progress
from biaslab_widgets.core.run_progress import job_progress

R = TypeVar("R", bound=Result)


class PanelJob(Background[R]):
    """The newest job of a panel, which can be stopped, and its result taken along.

    Parameters
    ----------
    name : str
        Of its commands and its table: ``stop_NAME``, ``save_NAME`` and ``NAME_csv``.
    changed : callable
        Called from any thread when there is something new to show.
    shown : callable
        Returns the result that is shown, and the word that it is about.
    save_run : callable
        Stores a result under a label; returns the id of the run.

    Attributes
    ----------
    progress : Progress
        Of the newest job.
    commands : dict
    """

    def __init__(
        self,
        name: str,
        changed: Callable[[], object],
        shown: Callable[[], tuple[R, str]],
        save_run: Callable[[Result, str], str],
    ) -> None:
        super().__init__(changed, self._show_progress)
        self._name, self._shown, self._save_run = name, shown, save_run
        self.progress: Progress = NO_PROGRESS
        self.commands: Mapping[str, Act] = {
            f"stop_{name}": self._stop,
            f"{name}_csv": self._csv,
            f"save_{name}": self._save,
        }

    def _show_progress(self, progress: JobProgress | None) -> None:
        self.progress = job_progress(progress)
        self._changed()

    def _stop(self, _args: Arguments) -> str:
        self.cancel()
        return ""

    def _csv(self, _args: Arguments) -> Content:
        result, word = self._shown()
        stem = "".join(c if c.isalnum() else "-" for c in word)
        return file(f"{self._name}-{stem}.csv", "text/csv", str(result.to_csv()))

    def _save(self, args: Arguments) -> str:
        result, _ = self._shown()
        return f"Saved as run {self._save_run(result, str(args.get('label', '')))}."
