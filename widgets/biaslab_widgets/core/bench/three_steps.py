"""Benches in three steps: words, things made of them, and several models tested on the things."""

from __future__ import annotations

import json
import logging
import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import biaslab as bl
from biaslab.errors import BiaslabError, QueryError
from biaslab.jobs.job import Job, JobStopped
from biaslab.records.result import Result
from biaslab_widgets.core.bench.controller import Controller, Emit
from biaslab_widgets.core.bench.model_tests import ModelRun, TestRun, Tests, runs_of
from biaslab_widgets.core.bench.recorded import (
    not_of_this_bench,
    recorded_arguments,
    recorded_inputs,
)
from biaslab_widgets.core.state.bench_state import StepState, TestProgress, ThreeStepsState
from biaslab_widgets.core.state.commands import Arguments, Content, code_of, file
from biaslab_widgets.core.state.records import Message, TermMark, error_message, message
from biaslab_widgets.core.subjects.opening import Opening, State
from biaslab_widgets.core.subjects.sources import S, Source
from biaslab_widgets.core.word_lists import Given, word_commands, word_lists

logger = logging.getLogger("biaslab")
T = TypeVar("T", bound=TestRun)
R = TypeVar("R", bound=Result)
B = TypeVar("B", bound=ThreeStepsState)
SMALLER_RUN_S = 2.0
"""A smaller run takes so long at most: about as long as a slow answer of a bench."""
_TEST = {"label": "Test", "command": "test"}
_AGAIN = {"label": "Try again", "command": "test"}


class ShownModel(Protocol):
    """A model of the third step."""

    @property
    def name(self) -> str:
        """On the screen."""

    @property
    def state(self) -> str:
        """Where it stands."""

    @property
    def message(self) -> str:
        """Why."""

    @property
    def result(self) -> Any:
        """Its result; None where there is none."""

    @property
    def tested(self) -> int:
        """How many things it was tested on, or failed on."""


class ThreeStepsController(Controller[B], Generic[B, T, R, S]):
    """What benches in three steps share: models, their tests, and what the screen says of them.

    - `sources`: models that can be chosen, by name.
    - `emit`: receives changed outputs.
    - `spec`: two groups, and the attribute lists tied to them.
    - `own_spec`: the spec that it began with, which need not be in the catalogue.
    - `called`: what the bench is called in a log.
    - `tested`: what models are tested on, and what is done with it: "pictures" are "tested".
    - `material`: what the second step makes, in the plural.
    - `looked_at`: the input that says which of it is looked at.
    - `takes`: of the results.
    - `schema`: of a file with all results.
    - `run_test`: does a run; blocks.
    """

    obeys_first: ClassVar[bool] = True
    runs_long: ClassVar[bool] = True
    called: ClassVar[str]
    tested: ClassVar[tuple[str, str]]
    material: ClassVar[str]
    looked_at: ClassVar[str]
    takes: ClassVar[type[Result]]
    schema: ClassVar[str]
    run_test: Callable[..., T]

    def __init__(self, sources: Mapping[str, Source[S]], emit: Emit, spec: Given) -> None:
        super().__init__(emit)
        self.opening: Opening[S] = Opening(sources, self.jobs, self.answer_again)
        given = bl.specs.get(spec) if isinstance(spec, str) else spec
        self.own_spec = given if isinstance(given, bl.specs.Spec) else None
        self._tests: Tests[T] = Tests(self.answer_again, self._start)
        self._running = False
        self._picture: Any = None
        self._scores_key: object = ()
        self._scores_count = 0
        self.state |= {
            "lists": [w for w in word_lists(given) if w.get("kind") in ("groups", "attributes")],
            "spec": self.own_spec.name if self.own_spec is not None else "",
            "subjects": self.opening.options,
        }
        self.commands |= {
            **word_commands(lambda: None),
            "test": self._test,
            "stop": self._stop,
            "retry": self._retry,
            "save": self._save,
            "json": self._json,
            "code": lambda _args: code_of(list(self.results.values())),
            "add-model": self.add_model,
            "start-again": lambda _args: self.start_again(),
            "bring-back": lambda _args: self._bring_back(),
        }

    # The answer.

    def answer(self, snapshot: B) -> dict[str, Any]:
        """Everything that has changed."""
        with self.computing:
            outputs = self.opening.outputs(snapshot.models, snapshot)
            if (marks := self.marks(snapshot)) != snapshot.marks:
                outputs["marks"] = marks
            snapshot = replace(snapshot, **outputs)
            try:
                return {**outputs, **self.answered(snapshot)}
            except BiaslabError as error:
                notice = error_message(error)
            except Exception as error:
                logger.exception("The %s could not compute its view.", self.called)
                notice = error_message(error, "This could not be computed")
            # The last picture and steps stay.
            steps = snapshot.answer["steps"]
            return {**outputs, "answer": self._answer_of(snapshot, "error", notice, steps)}

    @abstractmethod
    def marks(self, snapshot: B) -> list[TermMark]:
        """What is odd in the lists; the last marks where they are none."""

    @abstractmethod
    def answered(self, snapshot: B) -> dict[str, Any]:
        """The answer, and outputs that have changed with it.

        Raises `BiaslabError` when the inputs cannot be answered: says why.
        """

    def step_answer(
        self, snapshot: B, steps: Sequence[StepState], shown: Sequence[ShownModel]
    ) -> dict[str, Any]:
        """The answer with the newest picture: what the step that is open says."""
        if (notice := self._misfit(snapshot)) is not None:
            return self._answer_of(snapshot, "cannot-say", notice, steps)
        closed = steps[snapshot.step - 1]
        if closed["state"] == "closed":
            notice = message(f"{closed['title']} is not open yet", closed["why"])
            return self._answer_of(snapshot, "empty", notice, steps)
        return self._answer_of(snapshot, *self._state(snapshot, shown), steps)

    def _misfit(self, snapshot: B) -> Message | None:
        """Why a chosen model cannot be tested here; None where all can."""
        fitting = [name for name in snapshot.models if name in self.opening.sources]
        back = fitting or [self.opening.first]
        unfit = (
            self.why_not(name, "models", back) for name in snapshot.models if name not in fitting
        )
        return next((notice for notice in unfit if notice is not None), None)

    def _answer_of(
        self, snapshot: B, state: State, notice: Message | None, steps: Sequence[StepState]
    ) -> dict[str, Any]:
        return {
            **self.component.by_name["answer"].initial(),
            "generation": snapshot.generation,
            "state": state,
            "message": notice,
            "steps": steps,
            "picture": self._picture,
        }

    def _state(self, snapshot: B, shown: Sequence[ShownModel]) -> tuple[State, Message | None]:
        if snapshot.step < 3:
            return "ready", None
        if self._tests.run is None:
            things, past = self.tested
            lost = [
                f"{name} could not be opened: {error}"
                for name in snapshot.models
                if (error := self.opening.failure(name)) is not None
            ]
            text = f"Press Test: the squares fill as {things} are {past}."
            return "empty", message("Nothing has been tested yet", " ".join([*lost, text]), _TEST)
        if shown and all(one.state == "failed" and one.result is None for one in shown):
            return "error", message("No model could be tested", shown[0].message, _AGAIN)
        return "ready", None

    def put_scores(
        self, outputs: dict[str, Any], key: object, scores: Callable[[], dict[str, Any]]
    ) -> None:
        """Add the squares to the outputs, counted, where `key` is another than the last time."""
        if key != self._scores_key:
            self._scores_key = key
            self._scores_count += 1
            outputs["scores"] = {"version": self._scores_count, **scores()}

    def _start(self, function: Callable[..., Any], run: T, *args: Any, **options: Any) -> Job[Any]:
        """Start a test; one that only waits for servers takes no place of those that compute."""
        waits = all(model.source.is_remote for model in run.models)
        start = self.jobs.start_waiting if waits else self.jobs.start_awaited
        return start(function, run, *args, **options)

    def has_smaller_run(self) -> bool:
        """Whether a test waits whose models are all open, and compute here."""
        run = self._tests.run
        return (
            self._tests.waits
            and run is not None
            and all(m.source.is_open and not m.source.is_remote for m in run.models)
        )

    def run_smaller(self) -> None:
        """Test each model on some things now; the test that waits leaves these out."""
        run = self._tests.run
        if run is None:
            return
        for model in run.models:
            alone = replace(run, models=[ModelRun(model.source)], ended=threading.Event())
            with suppress(JobStopped):
                self._tests.run_some(alone, SMALLER_RUN_S / len(run.models))

    # The test.

    def test(self) -> Job[T]:
        """Begin to test every chosen model; what is already there stays.

        Raises `QueryError` when there is no model or nothing to test, or a test goes on already.
        """
        snapshot = self.snapshot()
        with self.computing:
            self.check_material(snapshot)
            models = runs_of(snapshot.models, self.opening.sources)
            number = self._tests.next_number()
            for one in models:
                self.opening.forget_failure(one.name)
            job = self._tests.begin(self.run_over(number, models), self.run_test)
        self.answer_again()
        return job

    @abstractmethod
    def check_material(self, snapshot: B) -> None:
        """Refuse a test that has nothing to test.

        Raises `QueryError`, which says what to do.
        """

    @abstractmethod
    def run_over(self, number: int, models: list[ModelRun]) -> T:
        """A run of these models over the material on the screen."""

    @property
    def has_run(self) -> bool:
        """See the base: a test."""
        return super().has_run or self._tests.job is not None

    def progress_of(self, shown: Sequence[ShownModel], count: int) -> TestProgress:
        """How far the test is that goes on, or how the last one ended.

        - `count`: things that each is tested on.
        """
        run = self._tests.run
        assert run is not None  # noqa: S101  # asked for only where there is one
        total, tested = len(shown) * count, sum(one.tested for one in shown)
        return {
            "number": run.number,
            "running": self._running,
            "done": tested,
            "total": total,
            "seconds": round(run.now, 2),
            "seconds_left": self._tests.seconds_left,
            "stale": not self._running and any(one.state == "waiting" for one in shown),
            "untested": 0 if self._running else total - tested,
        }

    def ran(self, name: str) -> ModelRun | None:
        """What became of a model in the last test; None where it was no part of it."""
        return self._tests.run.model(name) if self._tests.run is not None else None

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """See the base: word lists are those of the recorded spec."""
        if not isinstance(result, self.takes):
            raise not_of_this_bench(self.component, result)
        arguments = recorded_arguments(result)
        inputs = recorded_inputs(self.component, arguments)
        spec = arguments.get("spec")
        if isinstance(spec, str):
            inputs["spec"] = spec
        if spec is not None:
            inputs["lists"] = word_lists(spec)
        return {**inputs, "models": [result.provenance.subject], "step": 3}

    def take_stored(self, result: Result) -> bool:
        """Show a stored result of a chosen model; others tested with it are runs of their own."""
        name = result.provenance.subject
        if name not in self.snapshot().models or not isinstance(result, self.takes):
            return False
        scored, is_whole = self.put_stored(name, result)  # type: ignore[arg-type]  # checked above
        with self.computing:
            model = ModelRun(self.opening.sources[name], "done", scored=scored)
            run = self.run_over(self._tests.next_number(), [model])
            run.end()
            run.seconds = result.provenance.seconds
            self._tests.run = run
        self.choose({"models": [name]})
        return is_whole

    @abstractmethod
    def put_stored(self, name: str, result: R) -> tuple[int, bool]:
        """Remember what a model said: of how many things, and whether all of it can be shown."""

    # What a person takes along.

    @property
    def results(self) -> dict[str, R]:
        """Each model's result of what is on the screen, by name; blocks while one is being opened.

        Raises `QueryError` while a test goes on, when there was none, or when no model has a
        result.
        """
        for model in self._tests.last().models:
            if model.state == "done":  # a stored run is shown before its model is open
                with suppress(Exception):  # why it cannot be opened stands beside the model
                    model.source.open()
        with self.computing:
            self._running = False
            shown = self.shown_now(self.snapshot())
        results: dict[str, R] = {one.name: one.result for one in shown if one.result is not None}
        if not results:
            things, past = self.tested
            nothing = f"No {things.removesuffix('s')} was {past}."
            raise QueryError(next((one.message for one in shown if one.message), nothing))
        return {name: self.with_call(result) for name, result in results.items()}

    @abstractmethod
    def shown_now(self, snapshot: B) -> Sequence[ShownModel]:
        """The chosen models with their results of what is on the screen."""

    @abstractmethod
    def with_call(self, result: R) -> R:
        """The same result with the call that makes it."""

    @abstractmethod
    def compared(self, results: Sequence[R]) -> list[Any]:
        """The first model's difference from each of the others."""

    def differences(self, shown: Sequence[ShownModel]) -> list[Any]:
        """Whether models differ; nothing while a test goes on."""
        results = [one.result for one in shown if one.result is not None]
        return [] if len(results) < 2 or self._running else self.compared(results)

    @property
    def result(self) -> R:
        """The first model's result.

        Raises `QueryError` as `results`.
        """
        return next(iter(self.results.values()))

    @property
    @abstractmethod
    def file_stem(self) -> str:
        """Name of files with results, without what follows."""

    def _json(self, _args: Arguments) -> Content:
        """All results: each as `Result.to_json` has it, by model."""
        results = self.results
        with self.computing:
            differences = self.compared(list(results.values()))
        made = {
            "schema": self.schema,
            "results": {name: result.to_dict() for name, result in results.items()},
            "comparisons": [one.summary() for one in differences],
        }
        text = json.dumps(made, ensure_ascii=False, allow_nan=False)
        return file(f"{self.file_stem}.json", "application/json", text)

    # Commands.

    def _test(self, _args: Arguments) -> str:
        self.test()
        return ""

    def _retry(self, args: Arguments) -> str:
        """Ask again for what has failed, and for nothing that is there."""
        if self._tests.run is None or self._tests.running:
            return self.opening.retry(args)
        self.test()
        return "Trying again."

    def _stop(self, args: Arguments) -> str:
        if self._tests.stop():
            return "Finished work is kept."
        return self.opening.stop(args)

    def _save(self, args: Arguments) -> str:
        label = str(args.get("label", ""))
        runs = [self.save_run(one, label) for one in self.results.values()]
        which = f"run {runs[0]}" if len(runs) == 1 else f"runs {', '.join(runs)}"
        return f"Saved as {which}."

    @abstractmethod
    def add_model(self, args: Arguments) -> str:
        """Offer and choose the model that a person has named.

        Raises `QueryError` when it cannot be one: says why.
        """

    def start_again(self) -> str:
        """Back to step 1; what was tested is remembered, and no result is shown."""
        with self.computing:
            self._tests.forget()
            self._picture = None
        self.choose({"step": 1, self.looked_at: ""})
        return f"The words and {self.material} are unchanged."

    def _bring_back(self) -> str:
        """Undo `start_again`: the last test and its results are shown."""
        with self.computing:
            self._tests.bring_back()
        self.choose({"step": 3})
        return "The results are back."

    def choose_also(self, name: str) -> str:
        """Choose a model beside the others, and open it."""
        self.opening.forget_failure(name)
        models = list(dict.fromkeys((*self.snapshot().models, name)))
        self.change({"models": models})
        self.emit({"models": models, "subjects": self.opening.options})
        return f"{name} is open."

    def choose(self, chosen: Mapping[str, Any]) -> None:
        """Set inputs, here and on the screen."""
        self.change(chosen)
        self.emit(dict(chosen))
