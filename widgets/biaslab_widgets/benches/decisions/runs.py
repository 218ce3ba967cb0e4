"""The runs of the decision bench: one of each question, begun, continued and stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from biaslab.deciders import ClassifierDecider, LanguageModelDecider, decider_of
from biaslab.jobs import Job, JobGroup
from biaslab.probes.decisions import DecisionsResult, decisions
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.language_model.model import LanguageModel
from biaslab_widgets.benches.decisions.choice import Asked
from biaslab_widgets.benches.decisions.fields import DecisionBenchState
from biaslab_widgets.benches.decisions.picture_fields import Plan
from biaslab_widgets.benches.decisions.plan import plan_of
from biaslab_widgets.benches.decisions.run import Run, Settings
from biaslab_widgets.benches.decisions.simulated import AnyCase
from biaslab_widgets.core.background import Background
from biaslab_widgets.core.latest import Latest

_COMPUTED_HERE = LanguageModel | Classifier | LanguageModelDecider | ClassifierDecider
"""Whatever else decides waits for somebody's server, and holds no place in the line."""


class Runs:
    """The last run of each question, of which one goes on at most.

    Parameters
    ----------
    jobs : JobGroup
    changed : callable
        Lets the bench answer again.
    """

    def __init__(self, jobs: JobGroup, changed: Callable[[], object]) -> None:
        self._jobs = jobs
        self._runs: dict[tuple[str, Asked], Run] = {}
        self._count = 0
        self._work: Background[DecisionsResult] = Background(changed, lambda _progress: changed())
        self._decides: Latest[bool] = Latest()
        self._planned: Latest[Plan] = Latest()
        self.going: Run | None = None

    def of(self, subject: str, asked: Asked | None) -> Run | None:
        """Return the last run of a question to a subject."""
        return None if asked is None else self._runs.get((subject, asked))

    def settings(self, subject: Any, asked: Asked, snapshot: DecisionBenchState) -> Settings:
        """Return what a run would be started with.

        Parameters
        ----------
        subject : object
            The open subject; None while it is not open.
        asked : Asked
        snapshot : DecisionBenchState
        """
        adaptive = self._is_adaptive(subject, snapshot.method)
        return Settings(
            snapshot.subject, asked, snapshot.cannot_say, adaptive,
            int(snapshot.trials) if adaptive else None,
            float(snapshot.stop_width) if adaptive else 0.0, int(snapshot.seed),
        )  # fmt: skip

    def _is_adaptive(self, subject: Any, method: str) -> bool:
        """Return whether a run chooses its levels one after the other."""
        if method != "automatic":
            return method == "adaptive"
        if subject is None or isinstance(subject, AnyCase):
            return True
        return not self._decides.of(id(subject), lambda: decider_of(subject).gives_probabilities)

    def plan(self, subject: Any, settings: Settings) -> Plan:
        """Return what a run would ask."""

        def planned() -> Plan:
            return plan_of(
                _decider(subject, settings.asked), settings.asked, adaptive=settings.adaptive,
                trials=settings.trials, cannot_say=settings.cannot_say, seed=settings.seed,
            )  # fmt: skip

        return self._planned.of((id(subject), settings, self._count), planned)

    def begin(
        self,
        subject: Any,
        settings: Settings,
        reading: Mapping[str, Any],
        ended: Callable[[Run, Job[DecisionsResult]], object],
    ) -> Job[DecisionsResult]:
        """Start a run, or go on with one that asks the same.

        Parameters
        ----------
        subject : object
        settings : Settings
        reading : mapping
            Arguments of `biaslab.decisions` that say how answers are read.
        ended : callable
            Given the run and its job when it has ended.
        """
        asked = settings.asked
        last = self.of(settings.subject, asked)
        alike = last is not None and replace(last.settings, trials=settings.trials) == settings
        total = settings.trials or self.plan(subject, settings)["questions"]
        self._count += 1
        run = Run(self._count, settings, total, last.result if last and alike else None)
        options: dict[str, Any] = {"width": settings.width or None} if settings.adaptive else {}
        local = isinstance(subject, _COMPUTED_HERE)
        job = (self._jobs.start_awaited if local else self._jobs.start_waiting)(
            decisions,
            _decider(subject, asked),
            form=asked.form,
            groups=asked.order,
            cannot_say=settings.cannot_say,
            method="adaptive" if settings.adaptive else "fixed",
            trials=settings.trials,
            rng=settings.seed,
            **reading,
            **options,
        )
        run.job = job
        self._runs[settings.subject, asked] = self.going = run
        self._work.begin(run, job, lambda done: ended(run, done))
        return job

    def end(self, run: Run, job: Job[DecisionsResult]) -> None:
        """Take note of how a run ended."""
        run.end(job)
        if self.going is run:
            self.going = None

    def stop(self) -> bool:
        """Stop the run that goes on and keep its answers; whether one went on."""
        return self._work.abort()

    def take(self, settings: Settings, result: DecisionsResult) -> None:
        """Hold a stored result as the run of its question."""
        self._count += 1
        self._runs[settings.subject, settings.asked] = Run.of_stored(self._count, settings, result)


def _decider(subject: Any, asked: Asked) -> Any:
    """Return what decides: the simulated one depends on the case."""
    return subject.of(asked.case) if isinstance(subject, AnyCase) else subject
