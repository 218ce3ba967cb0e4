"""Benches in three steps: words, things made of them, and several models tested on the things."""

from __future__ import annotations

import logging
import math
import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import biaslab as bl
from biaslab.errors import BiaslabError, QueryError
from biaslab.jobs.job import Job, JobStopped
from biaslab.records.result import Result
from biaslab.records.wording import counted
from biaslab_widgets.core.bench.controller import Controller, Emit
from biaslab_widgets.core.bench.model_tests import ModelRun, TestRun, Tests
from biaslab_widgets.core.state.bench_state import StepState, ThreeStepsState
from biaslab_widgets.core.state.commands import Arguments, code_of
from biaslab_widgets.core.state.records import Message, Span, TermMark, error_message, message
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


class ThreeStepsController(Controller[B], Generic[B, T, R, S]):
    """What benches in three steps share: models, their tests, and what the screen says of them.

    Parameters
    ----------
    sources : mapping of str to Source
        Models that can be chosen, by name.
    emit : callable
        Receives changed outputs.
    spec : Spec, name of one, or word lists
        Two groups, and the attribute lists tied to them.

    Attributes
    ----------
    own_spec : Spec or None
        The spec that it began with, which need not be in the catalogue.
    called : str
        What the bench is called in a log.
    tested : (str, str)
        What models are tested on, and what is done with it: "pictures" are "tested".
    """

    obeys_first: ClassVar[bool] = True
    runs_long: ClassVar[bool] = True
    called: ClassVar[str]
    tested: ClassVar[tuple[str, str]]

    def __init__(self, sources: Mapping[str, Source[S]], emit: Emit, spec: Given) -> None:
        super().__init__(emit)
        self.opening: Opening[S] = Opening(sources, self.jobs, self.answer_again)
        given = bl.specs.get(spec) if isinstance(spec, str) else spec
        self.own_spec = given if isinstance(given, bl.specs.Spec) else None
        self._tests: Tests[T] = Tests(self.answer_again, self._start)
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

        Raises
        ------
        BiaslabError
            When the inputs cannot be answered: says why.
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
        self,
        snapshot: B,
        state: State,
        notice: Message | None,
        steps: Sequence[StepState],
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

    # What a person takes along.

    @abstractmethod
    def test(self) -> Job[T]:
        """Begin to test every chosen model; what is already there stays."""

    @property
    @abstractmethod
    def results(self) -> dict[str, R]:
        """Each model's result of what is on the screen, by name."""

    @property
    def result(self) -> R:
        """The first model's result.

        Raises
        ------
        QueryError
            As `results`.
        """
        return next(iter(self.results.values()))

    def taken_along(self, shown: Sequence[ShownModel], otherwise: str) -> dict[str, R]:
        """Results by name.

        Raises
        ------
        QueryError
            When no model has one: says why the first has none, or `otherwise`.
        """
        results: dict[str, R] = {one.name: one.result for one in shown if one.result is not None}
        if not results:
            raise QueryError(next((one.message for one in shown if one.message), otherwise))
        return results

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
            return "Stopping; finished work is kept."
        return self.opening.stop(args)

    def _save(self, args: Arguments) -> str:
        label = str(args.get("label", ""))
        runs = [self.save_run(one, label) for one in self.results.values()]
        which = f"run {runs[0]}" if len(runs) == 1 else f"runs {', '.join(runs)}"
        return f"Saved as {which}."

    @abstractmethod
    def add_model(self, args: Arguments) -> str:
        """Offer and choose the model that a person has named.

        Raises
        ------
        QueryError
            When it cannot be one: says why.
        """

    @abstractmethod
    def start_again(self) -> str:
        """Back to step 1."""

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


def fewer_than_asked(missing: Mapping[str, int], things: str) -> list[str]:
    """Return the note on requests that were not filled; none if all were.

    Parameters
    ----------
    missing : mapping of str to int
        Number missing of each.
    things : str
        In the plural: "pictures".
    """
    short = [f"{name} ({n})" for name, n in missing.items()]
    if not short:
        return []
    listed = ", ".join(short[:5]) + (f" and {len(short) - 5} more" if len(short) > 5 else "")
    return [f"Fewer {things} than requested were made for {listed}."]


@dataclass(frozen=True)
class Added:
    """What became of pictures or pairs that were added.

    Attributes
    ----------
    noun : str
        What one of them is called.
    new, back, there, refused : int
        New ones; ones that had been set aside and are used again; ones that are already there, or
        that a person has rejected before; ones that cannot be used.
    reason : str
        Why the first of those cannot be.
    """

    noun: str
    new: int = 0
    back: int = 0
    there: int = 0
    refused: int = 0
    reason: str = ""

    @property
    def text(self) -> str:
        """In plain words."""
        parts = [f"{counted(self.new, self.noun)} added" if self.new or not self.back else ""]
        parts.append(f"{counted(self.back, self.noun)} put back" if self.back else "")
        parts.append(f"{counted(self.there, self.noun)} already there" if self.there else "")
        said = ", ".join(part for part in parts if part) + "."
        if self.refused:
            said += f" {self.refused:,} cannot be used; the first because: {self.reason}"
        return said


SPOKEN = 3
"""Models that the verdict names; the rows under it have all."""
V = TypeVar("V", bound=Any)


def verdict_of_models(found: Sequence[V], short: Callable[[V], list[Span]]) -> list[Span]:
    """Word the results of all models.

    Parameters
    ----------
    found : sequence of results
        Each with a ``verdict``; the first one's is given in full.
    short : callable
        Words a further result briefly.
    """
    if not found:
        return []
    spoken: list[Span] = [{"text": text, "role": role} for text, role in found[0].verdict_spans()]
    for one in found[1:SPOKEN]:
        spoken += short(one)
    if (more := len(found) - SPOKEN) > 0:
        spoken.append(plain(f" {more} more model{'s' if more > 1 else ''} below."))
    return spoken


def preliminary(found: Sequence[Any], resamples: int) -> list[str]:
    """What a footer says of intervals with fewer resamples than the probe's own; else nothing."""
    fewest = min((one.provenance.parameters["resamples"] for one in found), default=resamples)
    return [f"preliminary intervals: {fewest:,} resamples"] if fewest < resamples else []


def in_short(
    one: Any,
    value: str,
    between: Callable[[float, float], str],
    *,
    joint: str,
    bias: str = "",
) -> list[Span]:
    """A result in one sentence: where it lies, how sure that is, and to which side.

    Parameters
    ----------
    one : result
        With an ``interval`` and a ``lean`` (-1, 0 or 1).
    value : str
        Where it lies, in words.
    between : callable
        Its interval in words, of both ends.
    joint, bias : str
        What stands between the interval and "with the stereotype" or "against the stereotype": as
        plain text, and as a part of what is found.
    """
    name, score, ends = strong(one.provenance.subject), strong(value), one.interval
    if not (math.isfinite(ends.low) and math.isfinite(ends.high)):
        return [plain(" For "), name, plain(", it is "), score,
                plain(", without an interval.")]  # fmt: skip
    range_ = f" ({between(ends.low, ends.high)})"
    if one.lean == 0:
        return [plain(" For "), name, plain(", it is "), score,
                plain(f"{range_}: no clear bias.")]  # fmt: skip
    found: Span = (
        {"text": f"{bias}with the stereotype", "role": "with"}
        if one.lean > 0
        else {"text": f"{bias}against the stereotype", "role": "against"}
    )
    return [plain(" For "), name, plain(", it is "), score, plain(f"{range_}{joint}"), found,
            plain(".")]  # fmt: skip


def plain(text: str) -> Span:
    """Text as it is."""
    return {"text": text, "role": "plain"}


def strong(text: str) -> Span:
    """Text that stands out."""
    return {"text": text, "role": "strong"}
