"""Runs of the decision bench: planned, begun, continued, stopped, and fitted again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from biaslab.asking.stored_replies import stored_only
from biaslab.deciders import ClassifierDecider, LanguageModelDecider, decider_of
from biaslab.errors import BiaslabError, QueryError
from biaslab.jobs.job import Job, JobGroup
from biaslab.probes.decisions import Assurance, DecisionsResult, decisions
from biaslab.probes.decisions.asking import FIRST_LOOK, NO_GAP
from biaslab.probes.decisions.probe import Plan as DecisionsPlan
from biaslab.probes.decisions.probe import plan, time_text
from biaslab.records.wording import prose
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.language_model.model import LanguageModel
from biaslab_widgets.benches.decisions.case import Asked
from biaslab_widgets.benches.decisions.fields import DecisionBenchState, Plan, RunState
from biaslab_widgets.benches.decisions.subjects import AnyCase
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.state.fields import empty


@dataclass(frozen=True)
class Planned:
    """What a run will ask, and what it can show; None where the run will say why it cannot be.

    Attributes
    ----------
    plan : Plan
    assurance : Assurance or None
    """

    plan: Plan
    assurance: Assurance | None = None

    @classmethod
    def of(cls, subject: Any, settings: Settings) -> Planned:
        """Plan a run of a subject."""
        asked, adaptive = settings.asked, settings.adaptive
        try:
            planned = plan(
                subject, asked.case, form=asked.form, groups=asked.order,
                cannot_say=settings.cannot_say, method="adaptive" if adaptive else "fixed",
                trials=settings.trials, width=settings.width or None, rng=settings.seed,
                **settings.kept,
            )  # fmt: skip
        except BiaslabError:  # the run says why
            return cls(empty(Plan))
        shown: Plan = {
            "questions": planned.questions,
            "stored": planned.stored,
            "tokens": planned.tokens,
            "cost": planned.cost,
            "time": planned.time,
            "quick": _quick_look(planned),
            "quick_time": time_text(_quick_look(planned) * planned.seconds / max(1, planned.calls)),
            "at_most": adaptive,
        }
        return cls(shown, planned.assurance)

    def reach(self, snapshot: DecisionBenchState) -> str:
        """Say what the run can show with the margin on the screen."""
        if self.assurance is None:
            return ""
        shown = replace(self.assurance, margin=float(snapshot.alike), level=float(snapshot.level))
        return f"{shown.summary()} {shown.assumed()}"


def _quick_look(planned: DecisionsPlan) -> int:
    """Return the questions of a short run to offer first, where a run here takes long; else 0."""
    return FIRST_LOOK if planned.seconds >= _LONG and planned.calls > 2 * FIRST_LOOK else 0


_LONG = 60
"""Seconds from which on a short run is offered first."""


@dataclass(frozen=True)
class Settings:
    """What a run was started with; two with the same ask the same.

    Attributes
    ----------
    subject : str
    asked : Asked
    cannot_say, adaptive : bool
    trials : int or None
        Questions at most; None for as many as usual.
    width : float
        At which it stops; 0 for a verdict.
    seed : int
    without : (tuple of str, tuple of int)
        Cues and wordings, from 1, that are left out.
    """

    subject: str
    asked: Asked
    cannot_say: bool
    adaptive: bool
    trials: int | None
    width: float
    seed: int
    without: tuple[tuple[str, ...], tuple[int, ...]] = ((), ())

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `biaslab.decisions` that make its questions."""
        width = {"width": self.width or None} if self.adaptive else {}
        return {
            "form": self.asked.form, "groups": self.asked.order, "cannot_say": self.cannot_say,
            "trials": self.trials, "rng": self.seed, **self.kept, **width,
        }  # fmt: skip

    @property
    def kept(self) -> dict[str, Any]:
        """Arguments of `biaslab.decisions` that leave these cues and wordings out."""
        case, (texts, numbers) = self.asked.case, self.without
        count = len(case.wordings(self.asked.form))
        cues = {
            group.name: [cue.text for cue in group.cues if cue.text not in texts]
            for group in case.groups
            if group.name in self.asked.groups and any(cue.text in texts for cue in group.cues)
        }
        wordings = [number for number in range(1, count + 1) if number not in numbers]
        return ({"cues": cues} if cues else {}) | ({"wordings": wordings} if numbers else {})

    def ask_as(self, other: Settings) -> bool:
        """Return whether the others put the same questions, but for how many at fixed levels.

        Answers about what the others leave out besides can be set aside.
        """
        covers = all(
            set(own) <= set(out) for own, out in zip(self.without, other.without, strict=True)
        )
        same = other if self.adaptive else replace(other, trials=self.trials)
        return covers and self == replace(same, without=self.without)


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
        self, number: int, settings: Settings, total: int, before: DecisionsResult | None = None
    ) -> None:
        self.number, self.settings, self.total = number, settings, total
        self.problem = ""
        self.stopped = False
        self.job: Job[DecisionsResult] | None = None
        self._before = before

    @classmethod
    def of_stored(
        cls, number: int, settings: Settings, result: DecisionsResult, total: int = 0
    ) -> Run:
        """Return the ended run of a stored result, stopped if more questions were planned."""
        adaptive = result.method == "adaptive"
        settings = replace(settings, adaptive=adaptive)
        run = cls(number, settings, max(total, len(result.trials)), result)
        # A run at chosen levels ends where its answers say; whether this one did is not known.
        run.stopped = run.no_gap or (not adaptive and len(result.trials) < total)
        return run

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.job is not None and not self.job.finished

    @property
    def done(self) -> int:
        """Questions answered; while it goes on, also those of the batch under way."""
        counted = 0 if self.result is None else len(self.result.trials)
        return max(counted, int(self.job.progress.done)) if self.running and self.job else counted

    @property
    def no_gap(self) -> bool:
        """Whether it ended early, since no gap is to be expected."""
        return not self.running and self.result is not None and NO_GAP in self.result.notes

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
        if self.result is not None:
            self.stopped |= self.no_gap
            self.settings = replace(self.settings, adaptive=self.result.method == "adaptive")
        if job.exception is not None:
            self.problem = prose(job.exception) or type(job.exception).__name__
            self.stopped = True

    def _total(self, whole: DecisionsResult | None) -> int:
        """Return the questions of the run; its first reply may show that they are others."""
        reported = None if self.job is None or whole is None else self.job.progress.total
        return int(reported or self.total)

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
            "done": self.done,
            "total": self._total(whole),
            "stored": 0 if whole is None else whole.stored,
            "tokens": 0 if whole is None else whole.tokens,
            "cost": "" if whole is None else whole.cost,
            "seconds_left": self.job.progress.seconds_left if running and self.job else None,
            "width": None if result is None else _width(result),
            "wanted": self.settings.width or None,
            "left": None,
            "adaptive": self.settings.adaptive,
            "stopped": self.stopped and not running,
            "no_gap": self.no_gap,
            "stale": settings is not None and not self.settings.ask_as(settings),
            "problem": self.problem,
            "waits_for": self.job.progress.waits_for if running and self.job else "",
        }


def _width(result: DecisionsResult) -> float | None:
    ends = result.gap_interval()
    width = ends.high - ends.low
    return width if width < float("inf") else None


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
        self._recalled: set[tuple[int, Settings]] = set()
        self._work: Background[DecisionsResult] = Background(changed, lambda _progress: changed())
        self._decides: Latest[bool] = Latest()
        self._planned: Latest[Planned] = Latest()
        self.going: Run | None = None

    def of(self, subject: str, asked: Asked | None) -> Run | None:
        """Return the last run of a question to a subject."""
        return None if asked is None else self._runs.get((subject, asked))

    @property
    def have_begun(self) -> bool:
        """Whether any was begun here, beside stored ones."""
        return any(run.job is not None for run in self._runs.values())

    def settings(self, subject: Any, asked: Asked, snapshot: DecisionBenchState) -> Settings:
        """Return what a run would be started with.

        Parameters
        ----------
        subject : object
            The open subject; None while it is not open.
        asked : Asked
        snapshot : DecisionBenchState
        """
        adaptive = self._is_adaptive(subject, snapshot.method, self.of(snapshot.subject, asked))
        return Settings(
            snapshot.subject, asked, snapshot.cannot_say, adaptive,
            int(snapshot.trials) or None,
            float(snapshot.stop_width) if adaptive else 0.0, int(snapshot.seed),
            (tuple(sorted(snapshot.without_cues)), tuple(sorted(snapshot.without_wordings))),
        )  # fmt: skip

    def _is_adaptive(self, subject: Any, method: str, last: Run | None) -> bool:
        """Return whether a run chooses its levels one after the other."""
        if method != "automatic":
            return method == "adaptive"
        if subject is None or isinstance(subject, AnyCase):
            return True
        # Only its replies, here or in the store, show whether a chat model sends probabilities.
        is_open = getattr(subject, "logprobs", None) == "auto"
        if is_open and last is not None and last.result is not None:
            return not last.result.trials.gives_probabilities
        known = (id(subject), getattr(subject, "gives_probabilities", None))
        return not self._decides.of(known, lambda: decider_of(subject).gives_probabilities)

    def planned(self, subject: Any, settings: Settings) -> Planned:
        """Return what a run would ask, and what it can show."""
        return self._planned.of(
            (id(subject), settings, self._count),
            lambda: Planned.of(_decider(subject, settings.asked), settings),
        )

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
        total = settings.trials or self.planned(subject, settings).plan["questions"]
        self._count += 1
        run = Run(self._count, settings, total, last.result if last and alike else None)
        local = isinstance(subject, _COMPUTED_HERE)
        job = (self._jobs.start_awaited if local else self._jobs.start_waiting)(
            decisions, _decider(subject, asked), **settings.arguments, **reading
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

    def recall(
        self,
        subject: Any,
        settings: Settings,
        reading: Mapping[str, Any],
        ended: Callable[[Job[DecisionsResult]], object],
    ) -> None:
        """Look for the replies of an earlier run in the store, once; nobody is asked.

        Parameters
        ----------
        subject, settings, reading
            As of `begin`.
        ended : callable
            Given the job when it has ended; it has a result where there are replies.
        """
        key = (id(subject), settings)
        has_none = not settings.adaptive and not self.planned(subject, settings).plan["stored"]
        if key in self._recalled or self.going is not None or has_none:
            return
        self._recalled.add(key)
        decider = _decider(subject, settings.asked)
        self._jobs.start_beside(from_the_store, decider, settings, reading).on_done(ended)

    def stop(self) -> bool:
        """Stop the run that goes on and keep its answers; whether one went on."""
        return self._work.abort()

    def take(self, settings: Settings, result: DecisionsResult, total: int = 0) -> None:
        """Hold a stored result as the run of its question, of which `total` were planned."""
        self._count += 1
        self._runs[settings.subject, settings.asked] = Run.of_stored(
            self._count, settings, result, total
        )

    def others(self, subject: str) -> list[str]:
        """Return the other subjects whose answers are kept here."""
        names = (name for (name, _), run in self._runs.items() if run.result is not None)
        return list(dict.fromkeys(name for name in names if name != subject))


def from_the_store(decider: Any, settings: Settings, reading: Mapping[str, Any]) -> DecisionsResult:
    """Return the result of the replies that are in the store, as a run would have it."""
    with stored_only():
        return decisions(decider, **settings.arguments, **reading)


def _decider(subject: Any, asked: Asked) -> Any:
    """Return what decides: the simulated one depends on the case."""
    return subject.of(asked.case) if isinstance(subject, AnyCase) else subject


class Refit:
    """The last fit, from which margin and level are read anew without another."""

    def __init__(self) -> None:
        self._fitted: Latest[DecisionsResult] = Latest()

    def of(
        self, run: Run | None, asked: Asked | None, state: DecisionBenchState
    ) -> DecisionsResult:
        """Return the result on the screen: nobody is asked again.

        Raises
        ------
        QueryError
            When nothing is answered yet, or no trial of a group is left.
        """
        whole = None if run is None else run.result
        if run is None or whole is None or asked is None:
            raise QueryError("Nothing has been answered yet.")
        out = tuple(state.without_cues), tuple(state.without_wordings)
        key = (
            run.number,
            len(whole.trials),
            whole.notes,
            out,
            state.lapses,
            state.slopes,
            asked.pair,
        )
        base = self._fitted.of(key, lambda: _fitted(whole, asked.pair, state))
        return base.reread(margin=float(state.alike), level=float(state.level))


def paired(result: DecisionsResult, pair: tuple[str, str]) -> DecisionsResult:
    """Return a result whose gap is that of a pair; the same one where it is already."""
    order = (*pair, *(name for name in result.groups if name not in pair))
    return result.reread(groups=order) if set(pair) <= set(result.groups) else result


def _fitted(
    whole: DecisionsResult, pair: tuple[str, str], state: DecisionBenchState
) -> DecisionsResult:
    chosen = paired(whole, pair).reread(lapses=state.lapses, slopes=state.slopes)
    return chosen.without(cues=state.without_cues, wordings=state.without_wordings)
