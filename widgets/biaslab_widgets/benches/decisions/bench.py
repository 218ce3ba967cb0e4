"""Controller of the decision bench: how much more one group must bring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

from biaslab.cases import toml_of
from biaslab.cases.case_files import LONGEST
from biaslab.errors import QueryError
from biaslab.files.csv_text import frame_text
from biaslab.jobs.job import Job, JobStatus
from biaslab.probes.decisions import DecisionsResult
from biaslab.probes.sensitivity import SensitivityResult
from biaslab.records.result import Result
from biaslab.records.wording import listed
from biaslab_widgets.benches.decisions.case import Asked, CaseChoice
from biaslab_widgets.benches.decisions.fields import COMPONENT, DecisionBenchState, Picture, Plan
from biaslab_widgets.benches.decisions.how import how_of
from biaslab_widgets.benches.decisions.run import Planned, Refit, Run, Runs, Settings
from biaslab_widgets.benches.decisions.sensitivity import Reading
from biaslab_widgets.benches.decisions.sensitivity import how_of as how_of_sensitivity
from biaslab_widgets.benches.decisions.subjects import why_not
from biaslab_widgets.benches.decisions.trials import ShownTrials
from biaslab_widgets.benches.decisions.view import NewestNumbers, picture_of, waiting_picture
from biaslab_widgets.core.bench.controller import Emit
from biaslab_widgets.core.bench.recorded import (
    not_of_this_bench,
    recorded_arguments,
    recorded_inputs,
)
from biaslab_widgets.core.bench.subject_bench import SubjectController
from biaslab_widgets.core.state.commands import Arguments
from biaslab_widgets.core.state.fields import Cap, empty
from biaslab_widgets.core.state.records import How, Message, message
from biaslab_widgets.core.subjects.opening import State
from biaslab_widgets.core.subjects.sources import Source

_AGAIN = {"label": "Go on", "command": "run"}
_TABLES = {"estimates": "to_frame", "trials": "raw_frame"}


def _reading(snapshot: DecisionBenchState, asked: Asked, *, give_up: bool) -> dict[str, Any]:
    """Return the arguments of `biaslab.decisions` that say how a run goes and is read."""
    return {
        "case": asked.case if snapshot.case_text.strip() else snapshot.case,
        "method": None if snapshot.method == "automatic" else snapshot.method,
        "give_up": give_up,
        "margin": float(snapshot.alike),
        "lapses": snapshot.lapses,
        "slopes": snapshot.slopes,
        "level": float(snapshot.level),
    }


class DecisionController(SubjectController[DecisionBenchState, DecisionsResult, Picture, Any]):
    """Runs `biaslab.decisions` when a person says so, and shows it while answers come.

    Parameters
    ----------
    sources : mapping of str to Source
        Deciders that can be chosen, by name.
    emit : callable
        Receives changed outputs.
    """

    component = COMPONENT
    runs_long: ClassVar[bool] = True
    caps: ClassVar[Mapping[str, Cap]] = {**SubjectController.caps, "save-case": Cap(text=LONGEST)}

    def __init__(self, sources: Mapping[str, Source[Any]], emit: Emit) -> None:
        super().__init__(sources, emit)
        self.recalls = False
        """Whether the replies of an earlier run are shown at once, as after a reload of a page."""
        self.choice = self.add(CaseChoice())
        self.runs = Runs(self.jobs, self.answer_again)
        self._refit = Refit()
        self._reading = Reading()
        self._numbers = NewestNumbers(self.jobs, self.answer_again)
        self._shown = ShownTrials()
        self.commands |= {"run": self._start, "stop": self._stop}
        self.state |= self.choice.outputs(self.snapshot())

    def _settings(self, snapshot: DecisionBenchState, asked: Asked) -> Settings:
        return self.runs.settings(self.subject(snapshot), asked, snapshot)

    def _run_of(self, snapshot: DecisionBenchState) -> Run | None:
        """The last run of the subject, case, form and groups on the screen."""
        return self.runs.of(snapshot.subject, self.choice.asked(snapshot))

    def start(self, trials: int | None = None, *, give_up: bool = True) -> Job[DecisionsResult]:
        """Begin a run with what is on the screen, or go on with one that was stopped.

        Parameters
        ----------
        trials : int, optional
            Questions at most, in place of those on the screen.
        give_up : bool
            Whether to end early where no gap is to be expected.

        Raises
        ------
        QueryError
            When there is no subject or case, or a run goes on already.
        """
        snapshot = self.snapshot()
        source = self.opening.sources.get(snapshot.subject)
        if source is None:
            raise QueryError("Choose a subject first.")
        if self.runs.going is not None:
            raise QueryError("A run is already in progress. Wait for it, or stop it first.")
        if problem := self.choice.problem(snapshot):
            raise QueryError(problem)
        subject = source.open()
        with self.computing:
            inputs = self.unless_changed(self.choice.inputs(snapshot), snapshot)
            snapshot = replace(snapshot, **inputs)
            self.emit(inputs)
            return self._begin(subject, snapshot, trials, give_up)

    def _begin(
        self, subject: Any, snapshot: DecisionBenchState, trials: int | None, give_up: bool
    ) -> Job[DecisionsResult]:
        asked = self.choice.asked(snapshot)
        assert asked is not None  # noqa: S101  # else there was a problem
        settings = self._settings(snapshot, asked)
        if trials is not None:
            settings = replace(settings, trials=trials)
        reading = _reading(snapshot, asked, give_up=give_up)
        job = self.runs.begin(subject, settings, reading, self._ended)
        self.answer_again()
        return job

    @property
    def has_run(self) -> bool:
        """See the base: a run of any case."""
        return super().has_run or self.runs.have_begun

    def _ended(self, run: Run, job: Job[DecisionsResult]) -> None:
        with self.computing:
            self.runs.end(run, job)

    # The answer.

    def answer(self, snapshot: DecisionBenchState) -> dict[str, Any]:
        """The picture, and what else has changed: the case, the marks, the chosen trial."""
        with self.computing:
            fitting = self.choice.fitting(self.subject(snapshot), snapshot)
            inputs = self.choice.inputs(fitting)
            if fitting is not snapshot:
                inputs = {"case": fitting.case, "groups": [], **inputs}
            inputs = self.unless_changed(inputs, snapshot)
        snapshot = replace(snapshot, **inputs)
        self.emit(inputs)
        if (going := self.runs.going) is not None:  # it may end meanwhile
            # Marks and counts need not wait for the fit.
            self.emit(self._beside(snapshot) | self._counted(going))
        answer = super().answer(snapshot)
        # Read last: a run that ended meanwhile is in the picture already.
        return {**self._beside(snapshot), **answer}

    def _beside(self, snapshot: DecisionBenchState) -> dict[str, Any]:
        """What has changed of the plan, the marks and the chosen trial."""
        with self.computing:
            asked, run = self.choice.asked(snapshot), self._run_of(snapshot)
            planned = self._planned(snapshot, asked)
            plan = empty(Plan) if planned is None else planned.plan
            offered = self.choice.offered(self.subject(snapshot))
            beside = {
                "cases": offered, "plan": plan, **self._shown.of(run, asked, snapshot)
            }  # fmt: skip
        return {name: value for name, value in beside.items() if value is not self.state[name]}

    def _planned(self, snapshot: DecisionBenchState, asked: Asked | None) -> Planned | None:
        """What a run will ask, and what it can show."""
        subject = self.subject(snapshot)
        if asked is None or subject is None or self.choice.problem(snapshot):
            return None
        return self.runs.planned(subject, self._settings(snapshot, asked))

    def _counted(self, run: Run) -> dict[str, Any]:
        """The answer on the screen with the newest counts of a run."""
        answer = self.state["answer"]
        picture = answer["picture"]
        if picture is None or picture["run"]["number"] != run.number or run.result is None:
            return {}
        newest = run.result
        now = {"done": run.done, "tokens": newest.tokens, "cost": newest.cost}
        return {"answer": {**answer, "picture": {**picture, "run": {**picture["run"], **now}}}}

    def key(self, snapshot: DecisionBenchState) -> object:
        """The trials, those of them that are left out, and how they are read."""
        run = self._run_of(snapshot)
        # Notes on how it ended come with the last result, which may have no further trial.
        count = (
            () if run is None or run.result is None else (len(run.result.trials), run.result.notes)
        )
        number = 0 if run is None else run.number
        return (
            number, count, tuple(snapshot.without_cues), tuple(snapshot.without_wordings),
            snapshot.lapses, snapshot.slopes, snapshot.alike, snapshot.level,
            tuple(snapshot.groups),
        )  # fmt: skip

    def missing(self, subject: Any, snapshot: DecisionBenchState) -> Message | None:
        """Nothing is asked before a person says so."""
        if (problem := self.choice.problem(snapshot)) and self.choice.asked(snapshot) is None:
            return message("This case cannot be used", problem)
        asked = self.choice.asked(snapshot)
        if asked is not None and (why := why_not(subject, asked.case)):
            self._picture = None
            return message(f"{snapshot.subject} cannot answer this case", f"It {why}.")
        if self._run_of(snapshot) is None:
            self._picture = None  # that of another subject or case
            text = "Press Start: curves and gap appear with the first answers."
            if others := self.runs.others(snapshot.subject):
                again = f"choose {'it' if len(others) == 1 else 'them'} again to see or save them."
                text = f"{text} The answers of {listed(others)} are kept: {again}"
            if asked is not None and (planned := self._planned(snapshot, asked)) is not None:
                if self.recalls:
                    self._recall(subject, snapshot, asked, planned)
                text = f"{text} {planned.reach(snapshot)}".rstrip()
            return message("Nothing has been asked yet", text)
        return None

    def _recall(
        self, subject: Any, snapshot: DecisionBenchState, asked: Asked, planned: Planned
    ) -> None:
        """Show what the store has of this run, when it has been looked up."""
        settings = self._settings(snapshot, asked)

        def ended(job: Job[DecisionsResult]) -> None:
            if job.status != JobStatus.DONE or self.runs.of(settings.subject, asked) is not None:
                return
            with self.computing:
                self.runs.take(settings, job.result(), planned.plan["questions"])
            self.answer_again()

        self.runs.recall(subject, settings, _reading(snapshot, asked, give_up=True), ended)

    def show(self, subject: Any, snapshot: DecisionBenchState) -> dict[str, Any]:
        """The picture of the run that goes on, or of the last one."""
        run = self._run_of(snapshot)
        if run is None or run.result is not None:
            return super().show(subject, snapshot)
        self._result, self._key = None, None
        self._picture = None
        if run.running:
            state = run.state(None, None)
            self._picture = waiting_picture(snapshot.form, state)
            return self.without_picture(snapshot, "ready", None)
        if run.problem:
            notice = message(f"{snapshot.subject} gave no answer", run.problem, _AGAIN)
            return self.without_picture(snapshot, "error", notice)
        text = "Nothing else has changed."
        return self.without_picture(
            snapshot, "empty", message("Stopped before the first answer", text)
        )

    def without_picture(
        self, snapshot: DecisionBenchState, state: State, notice: Message | None
    ) -> dict[str, Any]:
        """See the base; a picture that stays says how far its run is now."""
        answer = super().without_picture(snapshot, state, notice)
        picture, run = answer["picture"], self._run_of(snapshot)
        if picture is not None and run is not None and run.number == picture["run"]["number"]:
            then: dict[str, Any] = picture["run"]
            kept = {name: then[name] for name in ("width", "left", "stale")}
            answer["picture"] = {**picture, "run": {**run.state(None, None), **kept}}
        return answer

    def ask(self, subject: Any, snapshot: DecisionBenchState) -> DecisionsResult:  # noqa: ARG002
        """The trials on the screen, fitted from what is stored: nobody is asked again.

        Raises
        ------
        QueryError
            When no trial of a group is left.
        """
        return self._refit.of(self._run_of(snapshot), self.choice.asked(snapshot), snapshot)

    def paint(self, result: DecisionsResult, snapshot: DecisionBenchState) -> dict[str, Any]:
        """Curves, points, the gap and the gauges; how far the run is."""
        run = self._run_of(snapshot)
        assert run is not None  # noqa: S101  # there is a result
        asked = None if self.choice.problem(snapshot) else self.choice.asked(snapshot)
        settings = None if asked is None else self._settings(snapshot, asked)
        # Not of the run, which may have got another answer meanwhile.
        out = (tuple(snapshot.without_cues), tuple(snapshot.without_wordings))
        key = (len(result.trials), out, result.lapses, result.slopes, result.level, result.groups)
        numbers, settled = self._numbers.of(run.number, key, result)
        state = run.state(result, settings)
        picture = picture_of(result, state, numbers, settled=settled)
        if snapshot.reading == "sensitivity":
            picture["sensitivity"] = self._reading.shown(result, run.number, snapshot)
        return {"picture": picture}

    # What a person takes along, and commands.

    def explain(
        self, shown: tuple[DecisionsResult, Picture] | None, snapshot: DecisionBenchState
    ) -> How:
        """From the answers to the gap, or to sensitivity and criterion."""
        if shown is not None and snapshot.reading == "sensitivity":
            with suppress(QueryError):  # else the steps to the gap
                return how_of_sensitivity(self._detected(shown[0], snapshot))
        return how_of(None if shown is None else shown[0])

    def _detected(self, result: DecisionsResult, snapshot: DecisionBenchState) -> SensitivityResult:
        """Sensitivity and criterion, from the answers on the screen."""
        run = self._run_of(snapshot)
        return self._reading.of(result, 0 if run is None else run.number, snapshot)

    def to_take(self) -> tuple[Result, str, Callable[[str], str]]:
        """See the base: the numbers of the view on the screen."""
        snapshot = self.snapshot()
        if snapshot.reading != "sensitivity":
            return super().to_take()
        answers = self.result
        result = self._detected(answers, snapshot)
        stem = f"sensitivity-{answers.case.name}"
        return result, stem, lambda what: self._table(result, what)

    def _save(self, args: Arguments) -> str:
        """Save the answers; they are read again as they are on the screen."""
        run = self.save_run(self.result, str(args.get("label", "")))
        return f"Saved as run {run}."

    def file_stem(self, result: DecisionsResult) -> str:
        """The case."""
        return f"decisions-{result.case.name}"

    def table(self, result: DecisionsResult, what: str) -> str:
        """``estimates`` (default) or ``trials``.

        Raises
        ------
        QueryError
            When there is no such table.
        """
        return self._table(result, what)

    def _table(self, result: Result, what: str) -> str:
        what = what or "estimates"
        if what not in _TABLES:
            raise QueryError(f"There is no table {what!r}: choose one of {', '.join(_TABLES)}.")
        return frame_text(getattr(result, _TABLES[what])())

    def is_incomplete(self, result: Result) -> bool:  # noqa: ARG002
        """See the base."""
        run = self._run_of(self.snapshot())
        return run is not None and run.stopped

    def inputs_of_run(self) -> dict[str, Any]:
        """Return the inputs of the run, without the trial on the screen."""
        inputs = super().inputs_of_run()
        run = self._run_of(self.snapshot())
        if run is not None:
            made = run.settings
            inputs |= {"cannot_say": made.cannot_say, "seed": made.seed}
        return inputs | {"trial": 0}

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """See the base: case, form and groups follow when the trials are shown."""
        if not isinstance(result, DecisionsResult):
            raise not_of_this_bench(self.component, result)
        inputs = recorded_inputs(self.component, recorded_arguments(result))
        return {
            **inputs,
            "subject": result.subject,
            "alike": result.margin,
            "level": result.level,
            "cannot_say": result.cannot_say,
        }

    def take_stored(self, result: Result) -> bool:
        """Show the stored trials."""
        if not isinstance(result, DecisionsResult):
            return False
        with self.computing:
            inputs: dict[str, Any] = {
                "form": result.form,
                "groups": list(result.groups[:2]),
                "all_groups": len(result.groups) > 2 or len(result.case.groups) == 2,
                "alike": result.margin,
                "level": result.level,
                "without_cues": list(result.without_cues),
                "without_wordings": list(result.without_wordings),
                "lapses": result.lapses,
                "slopes": result.slopes,
            }
            if self.choice.problem(self.snapshot()) or not self._is_of(result):
                inputs["case_text"] = toml_of(result.case)
            self.emit(inputs)
            snapshot = self.snapshot()
            asked = self.choice.asked(snapshot)
            if asked is None:
                return False
            # The subject may not be open yet, which an automatic method depends on.
            method: Any = result.method
            settings = self._settings(replace(snapshot, method=method), asked)
            self.runs.take(settings, result)
        self.answer_again()
        return True

    def _is_of(self, result: DecisionsResult) -> bool:
        asked = self.choice.asked(self.snapshot())
        return asked is not None and asked.case == result.case

    def _start(self, args: Arguments) -> str:
        more, quick = args.get("more"), args.get("quick")
        run = self._run_of(self.snapshot())
        if more and run is not None and run.result is not None:
            trials = len(self.result.trials) + int(more)
            self.component.by_name["trials"].check(trials)
            if run.settings.adaptive:
                self.emit({"trials": trials})
            self.start(trials)
        else:
            self.start(int(quick) if quick else None, give_up=not args.get("anyway"))
        return ""

    def _stop(self, args: Arguments) -> str:
        if not self.runs.stop():
            return self.opening.stop(args)
        return "All answers so far are kept."
