"""The state that every bench has, and what all their answers hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from biaslab.jobs.progress import JobProgress
from biaslab_widgets.core.state.fields import LARGEST, NO_CAP, empty, field, output
from biaslab_widgets.core.state.records import (
    Command,
    DroppedTerm,
    Line,
    Message,
    Misfit,
    Progress,
    Reply,
    SubjectOption,
    TermMark,
    WordList,
)


class StepState(TypedDict):
    """One of the three steps: what it holds, and whether it can be opened."""

    title: str
    note: str
    state: Literal["closed", "open", "done"]
    why: str
    """Of a step that is closed: what is missing before it."""


class BenchAnswer(TypedDict):
    """What Python answers to a state of the inputs."""

    generation: int
    """Of the state that it answers."""
    state: Literal["empty", "loading", "ready", "cannot-say", "error"]
    message: Message | None
    unknown: DroppedTerm | None
    dropped: list[DroppedTerm]


class StepsAnswer(BenchAnswer):
    """What Python answers in a bench of three steps."""

    steps: list[StepState]


class Making(TypedDict):
    """How far making or fetching is, of what a bench tests."""

    done: int
    total: int
    """0 when nothing goes on."""
    message: str
    seconds_left: float | None


class TestProgress(TypedDict):
    """How far a test of several models is."""

    number: int
    running: bool
    done: int
    total: int
    seconds: float
    seconds_left: float | None
    stale: bool
    """The material or the settings have changed since."""
    untested: int


class MakerOption(TypedDict):
    """Who can make material: an endpoint, or a model on this machine."""

    key: str
    name: str
    about: str
    endpoint: bool


class PromptOption(TypedDict):
    """A way to ask for material."""

    key: str
    label: str
    text: str


NO_PROGRESS = empty(Progress)
NO_MAKING = empty(Making)


@dataclass(frozen=True, kw_only=True)
class BenchState:
    """What the state of every bench holds."""

    generation: int = field(0, "Counts the front end's changes.", low=0, high=LARGEST)
    command: Command = field(
        empty(Command),
        "Last command of the front end.",
        cap=NO_CAP,  # each command has its own: see `Controller.caps`
    )
    subjects: list[SubjectOption] = output([], "Subjects that can be chosen.")
    misfits: list[Misfit] = output([], "Known subjects that this bench cannot ask, and why.")
    progress: Progress = output(NO_PROGRESS, "Progress of long work.")
    line: Line = output(empty(Line), "Jobs up to the bench's own while it waits for its turn.")
    reply: Reply = output(empty(Reply), "Reply to the last command.")


@dataclass(frozen=True, kw_only=True)
class SubjectState(BenchState):
    """The state of a bench over one subject."""

    subject: str = field("", "Name of the subject that is probed.")


@dataclass(frozen=True, kw_only=True)
class WordBenchState(SubjectState):
    """The state of a bench over one subject that holds word lists."""

    marks: list[TermMark] = output([], "Words of the lists that are odd.")


@dataclass(frozen=True, kw_only=True)
class ThreeStepsState(BenchState):
    """The state of a bench in three steps."""

    step: int = field(1, "The step on the screen.", low=1, high=3)
    lists: list[WordList] = field([], "Groups, and the attribute lists tied to them.")
    spec: str = field("", "Name of the spec that the lists came from.")
    models: list[str] = field([], "Names of the models that are tested.")
    level: float = field(0.95, "Level of the intervals.", low=0.5, high=0.999, step=0.01)
    seed: int = field(0, "Seed of the intervals and of what is drawn.", low=0, high=LARGEST)
    answer: StepsAnswer = output(empty(StepsAnswer), "What is on the screen.")
    marks: list[TermMark] = output([], "Words of the lists that are odd.")


@dataclass(frozen=True, kw_only=True)
class TaskState(WordBenchState):
    """The state of a bench over a two-alternative task, with the task's options."""

    pairs_as: Literal["resampled", "fixed"] = field(
        "resampled", "Whether pooled cue pairs are a sample or all there is."
    )
    curve: Literal["auto", "normal", "logistic", "weibull", "gumbel", "empirical"] = field(
        "auto",
        "Shape of the psychometric curve: a family, that of the switch points, or whichever fits.",
    )
    jnd: Literal["quartile", "eq6", "sd"] = field("quartile", "Convention of the JND.")
    scoring: Literal["eq8", "mixture"] = field(
        "eq8", "Scoring: eq. 8 of Liang and Acuna (2020), or cosine to the true mixture."
    )


def run_progress(answer: Mapping[str, Any] | None) -> Progress | None:
    """Progress of the run in an answer's picture; None where none goes on."""
    run = ((answer or {}).get("picture") or {}).get("run")
    if run is None or not run["running"]:
        return None
    return {
        "done": run["done"],
        "total": run["total"],
        "message": run.get("stage", ""),
        "seconds_left": run["seconds_left"],
    }


def job_progress(progress: JobProgress | None) -> Progress:
    """Progress of a job; None when it is over."""
    if progress is None:
        return NO_PROGRESS
    return {
        "done": progress.done,
        "total": progress.total or 0,
        "message": progress.message,
        "seconds_left": progress.seconds_left,
    }
