"""A test of several models on the same things: each in turn; what one cannot do stops no other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from biaslab.errors import BiaslabError, QueryError, StoreError
from biaslab.jobs import JobContext
from biaslab.store import Store
from biaslab_widgets.core.sources import Source

State = Literal["waiting", "scoring", "done", "stopped", "failed"]


@dataclass
class ModelRun:
    """What became of one model in a run.

    Attributes
    ----------
    source : Source
    state : {"waiting", "scoring", "done", "stopped", "failed"}
    message : str
        Why it failed or was stopped.
    scored : int
        Things that have scores.
    notes : tuple of str
        What a person should know of the scores.
    """

    source: Source[Any]
    state: State = "waiting"
    message: str = ""
    scored: int = 0
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The model's, on the screen."""
        return self.source.name


@dataclass(eq=False)
class TestRun:
    """A run that goes on, or the last one: fed by the job's thread, looked at by the live worker.

    Attributes
    ----------
    number : int
        Counts the runs of a bench.
    models : list of ModelRun
    count : callable
        How many things each model is tested on, as they are now.
    """

    __test__ = False  # pytest takes classes of this name for its own

    number: int
    models: list[ModelRun]
    count: Callable[[], int]
    began: float = field(default_factory=time.perf_counter)
    seconds: float = 0.0
    running: bool = True
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def now(self) -> float:
        """Seconds since it was started; of one that has ended, that it took."""
        return time.perf_counter() - self.began if self.running else self.seconds

    def model(self, name: str) -> ModelRun | None:
        """What became of a model; None where it was no part of the run."""
        return next((one for one in self.models if one.name == name), None)

    def never_began(self) -> None:
        """It was stopped while it waited for its turn."""
        for model in self.models:
            model.state, model.message = "stopped", "It was stopped before it began."
        self.end()

    def end(self) -> None:
        """Nothing more comes."""
        self.seconds, self.running = time.perf_counter() - self.began, False
        self.ended.set()


def run_models(
    run: TestRun,
    test_one: Callable[[ModelRun, PartOfRun], object],
    on_change: Callable[[], object],
    context: JobContext | None = None,
) -> None:
    """Test one model after the other; what one cannot do stops no other.

    Parameters
    ----------
    run : TestRun
    test_one : callable
        Tests a model, and sets its state when it is through.
    on_change : callable
        Called from this thread whenever there is something new to show.
    context : JobContext, optional
        Progress, and stops.
    """
    context = context or JobContext()
    run.began = time.perf_counter()  # it may have waited for its turn
    try:
        for place, model in enumerate(run.models):
            if context.should_stop:
                model.state, model.message = "stopped", "It was stopped before it began."
                continue
            try:
                model.state = "scoring"
                on_change()
                test_one(model, PartOfRun(context, place, run))
            except BiaslabError as error:
                model.state, model.message = "failed", str(error)
            except Exception as error:  # noqa: BLE001  # the person is told, whatever it was
                model.state = "failed"
                model.message = f"{type(error).__name__}: {error}"
            on_change()
    finally:
        run.end()


def runs_of(names: Sequence[str], sources: Mapping[str, Source[Any]]) -> list[ModelRun]:
    """A run of each chosen model that there is.

    Raises
    ------
    QueryError
        When there is none.
    """
    models = [ModelRun(sources[name]) for name in names if name in sources]
    if not models:
        raise QueryError(
            no_such_model(names[0]) if names else "No model is chosen: choose one in step 1."
        )
    return models


def no_such_model(name: str) -> str:
    """Return the error text for a name that the bench does not have."""
    return f"There is no model {name!r}. Add it, or choose another."


def why_not_open(
    name: str,
    source: Source[Any] | None,
    ran: ModelRun | None,
    error: BaseException | None,
) -> str:
    """Why a model that is not open cannot be asked; empty while it is being opened."""
    if source is None:
        return no_such_model(name)
    if ran is not None and ran.state == "failed":
        return ran.message
    return "" if error is None else str(error)


def where_closed(ran: ModelRun | None, why: str) -> tuple[State, str]:
    """Where a model stands that cannot be asked, and why."""
    waits = not why or (ran is not None and ran.state in ("waiting", "scoring"))
    return ("waiting", "") if waits else ("failed", why)


def where_open(
    ran: ModelRun | None, running: bool, missing: int, things: str, past: str
) -> tuple[State, str]:
    """Where a model stands that is open, and why.

    Parameters
    ----------
    ran : ModelRun or None
        What became of it in the last run.
    running : bool
        Whether that goes on.
    missing : int
        Things that it has not been tested on.
    things, past : str
        What they are, and what is done with them: "pictures" are "tested".
    """
    if ran is not None and running and ran.state in ("waiting", "scoring"):
        return ran.state, ""
    if ran is not None and ran.state == "failed":
        return "failed", ran.message
    if not missing:
        return "done", ""
    if ran is not None and ran.state == "stopped":
        return "stopped", ran.message
    return "waiting", f"{missing:,} {things} are not {past} yet. Test again."


class PartOfRun(JobContext):
    """One model's part of a run: it stops with the whole, and counts for all models.

    Parameters
    ----------
    whole : JobContext
    place : int
        Which model it is, from 0.
    run : TestRun
    """

    def __init__(self, whole: JobContext, place: int, run: TestRun) -> None:
        self._whole, self._place, self._run = whole, place, run

    @property
    def should_stop(self) -> bool:
        """As of the whole."""
        return self._whole.should_stop

    def checkpoint(self) -> None:
        """As of the whole."""
        self._whole.checkpoint()

    def tell(self) -> None:
        """Report how much is done of all models."""
        count, model = self._run.count(), self._run.models[self._place]
        done = self._place * count + min(model.scored, count)
        self._whole.report(done, len(self._run.models) * count, f"testing {model.name}")


def own_store() -> Store | None:
    """The person's store, so that a run that is killed goes on where it was; None without one."""
    try:
        return Store()
    except StoreError:  # then it begins anew: what was tested is on the screen
        return None
