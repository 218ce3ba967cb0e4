"""What the decision bench knows of a run: what it was started with, and its trials so far."""

from __future__ import annotations

from dataclasses import dataclass, replace

from biaslab.jobs import Job
from biaslab.probes.decisions import DecisionsResult
from biaslab_widgets.benches.decisions.choice import Asked
from biaslab_widgets.benches.decisions.picture_fields import RunState


@dataclass(frozen=True)
class Settings:
    """What a run was started with; two with the same ask the same.

    Attributes
    ----------
    subject : str
    asked : Asked
    cannot_say, adaptive : bool
    trials : int or None
        Questions at most; None for every combination once.
    width : float
        At which it stops; 0 for a verdict.
    seed : int
    """

    subject: str
    asked: Asked
    cannot_say: bool
    adaptive: bool
    trials: int | None
    width: float
    seed: int

    def ask_as(self, other: Settings) -> bool:
        """Return whether the others put the same questions, but for how many at fixed levels."""
        same = other if self.adaptive else replace(other, trials=self.trials)
        return self == same


class Run:
    """A run that goes on or has ended.

    Parameters
    ----------
    number : int
        Counts runs of a bench.
    settings : Settings
    total : int
        Questions that are planned or allowed.
    before : DecisionsResult, optional
        Of a run with the same settings that was stopped: it is shown until this one has passed it.
    """

    def __init__(
        self,
        number: int,
        settings: Settings,
        total: int,
        before: DecisionsResult | None = None,
    ) -> None:
        self.number, self.settings, self.total = number, settings, total
        self.problem = ""
        self.stopped = False
        self.job: Job[DecisionsResult] | None = None
        self._before = before

    @classmethod
    def of_stored(cls, number: int, settings: Settings, result: DecisionsResult) -> Run:
        """Return the ended run of a stored result."""
        return cls(number, settings, len(result.trials), result)

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.job is not None and not self.job.finished

    @property
    def result(self) -> DecisionsResult | None:
        """All that is answered; None before the first reply."""
        newest = None if self.job is None else self.job.partial
        if not isinstance(newest, DecisionsResult):
            return self._before
        if self._before is not None and len(newest.trials) < len(self._before.trials):
            return self._before
        return newest

    def end(self, job: Job[DecisionsResult]) -> None:
        """Take note of how its job ended."""
        self.stopped = job.was_stopped
        if job.exception is not None:
            self.problem = str(job.exception) or type(job.exception).__name__
            self.stopped = True

    def state(self, result: DecisionsResult | None, settings: Settings | None) -> RunState:
        """Return how far it is.

        Parameters
        ----------
        result : DecisionsResult or None
            The fitted one.
        settings : Settings or None
            Those on the screen; None where they cannot be read.
        """
        whole = self.result
        running = self.running
        return {
            "number": self.number,
            "running": running,
            "done": 0 if whole is None else len(whole.trials),
            "total": self.total,
            "stored": 0 if whole is None else whole.stored,
            "tokens": 0 if whole is None else whole.tokens,
            "cost": "" if whole is None else whole.cost,
            "seconds_left": self.job.progress.seconds_left if running and self.job else None,
            "width": None if result is None else _width(result),
            "wanted": self.settings.width or None,
            "left": None,
            "adaptive": self.settings.adaptive,
            "stopped": self.stopped and not running,
            "stale": settings is not None and not self.settings.ask_as(settings),
            "problem": self.problem,
        }


def _width(result: DecisionsResult) -> float | None:
    ends = result.gap_interval()
    width = ends.high - ends.low
    return width if width < float("inf") else None
