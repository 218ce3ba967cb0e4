"""Tests of several models on the same things: begun, looked at while they go on, and stopped."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from biaslab.errors import BiaslabError, QueryError, StoreError
from biaslab.jobs.job import Job, JobContext, JobStatus, JobStopped
from biaslab.records.wording import prose
from biaslab.store import Store
from biaslab.threads.background import start_timer
from biaslab_widgets.core.subjects.sources import Source

State = Literal["waiting", "scoring", "done", "stopped", "failed"]


@dataclass
class ModelRun:
    """What became of one model in a run.

    - `state`: {"waiting", "scoring", "done", "stopped", "failed"}.
    - `message`: why it failed or was stopped.
    - `scored`: things that have scores.
    - `notes`: what a person should know of the scores.
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

    - `number`: counts the runs of a bench.
    - `count`: how many things each model is tested on, as they are now.
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

    - `test_one`: tests a model, and sets its state when it is through.
    - `on_change`: called from this thread whenever there is something new to show.
    - `context`: progress, and stops.
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
                model.state, model.message = "failed", prose(error)
            except Exception as error:  # noqa: BLE001  # the person is told, whatever it was
                model.state = "failed"
                model.message = f"{type(error).__name__}: {error}"
            on_change()
    finally:
        run.end()


def runs_of(names: Sequence[str], sources: Mapping[str, Source[Any]]) -> list[ModelRun]:
    """A run of each chosen model that there is.

    Raises `QueryError` when there is none.
    """
    models = [ModelRun(sources[name]) for name in names if name in sources]
    if not models:
        raise QueryError(
            no_such_model(names[0]) if names else "No model is chosen: choose one in step 1."
        )
    return models


def no_such_model(name: str) -> str:
    """Return the error text for a name that the bench does not have."""
    return f"There is no model “{name}”. Add it, or choose another."


def why_not_open(
    name: str, source: Source[Any] | None, ran: ModelRun | None, error: BaseException | None
) -> str:
    """Why a model that is not open cannot be asked; empty while it is being opened."""
    if source is None:
        return no_such_model(name)
    if ran is not None and ran.state == "failed":
        return ran.message
    return "" if error is None else prose(error)


def where_closed(ran: ModelRun | None, why: str) -> tuple[State, str]:
    """Where a model stands that cannot be asked, and why."""
    waits = not why or (ran is not None and ran.state in ("waiting", "scoring"))
    return ("waiting", "") if waits else ("failed", why)


def where_open(
    ran: ModelRun | None, running: bool, missing: int, things: str, past: str
) -> tuple[State, str]:
    """Where a model stands that is open, and why.

    - `ran`: what became of it in the last run.
    - `running`: whether that goes on.
    - `missing`: things that it has not been tested on.
    - `things`, `past`: what they are, and what is done with them: "pictures" are "tested".
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

    - `place`: which model it is, from 0.
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


logger = logging.getLogger("biaslab")
BETWEEN_S = 0.2
"""Seconds between two looks at a run that goes on."""
PATIENCE_S = 10.0
MOST_TIMES = 4


class AnyRun(Protocol):
    """What a run needs to have."""

    running: bool
    ended: threading.Event

    def never_began(self) -> None:
        """It was stopped while it waited for its turn."""


T = TypeVar("T", bound=AnyRun)


class ShortTime(JobContext):
    """Stops a probe after some seconds; what it has by then is kept.

    A busy machine may need longer for the first answer, at most `MOST_TIMES` as long.
    """

    def __init__(self, seconds: float) -> None:
        now = time.monotonic()
        self._end, self._last = now + seconds, now + MOST_TIMES * seconds
        self._has_some = False

    @property
    def should_stop(self) -> bool:
        """Whether the time is over."""
        now = time.monotonic()
        return now > (self._end if self._has_some else self._last)

    def checkpoint(self) -> None:
        """Leave the probe here once the time is over."""
        if self.should_stop:
            raise JobStopped

    def report(self, done: float, total: float | None = None, message: str = "") -> None:  # noqa: ARG002
        """Note that there is an answer."""
        self._has_some = self._has_some or done > 0


class Tests(Generic[T]):
    """The tests of one bench.

    - `look`: lets the bench look at the run; called from any thread.
    - `start`: that of the bench's jobs, or their ``start_waiting`` where somebody else does the
      work.
    - `run`: the one that goes on, or the last; None before the first.
    - `count`: how many there were.
    """

    __test__ = False  # pytest takes classes of this name for its own

    def __init__(self, look: Callable[[], object], start: Callable[..., Job[Any]]) -> None:
        self._look, self._start = look, start
        self._lock = threading.Lock()
        self._looked_at = 0.0
        self._waiting: threading.Timer | None = None
        self.run: T | None = None
        self._put_away: T | None = None
        self.job: Job[Any] | None = None
        self._work: tuple[Callable[..., Any], tuple[Any, ...]] | None = None
        self.count = 0

    @property
    def running(self) -> bool:
        """Whether a test goes on."""
        return self.run is not None and self.run.running

    @property
    def seconds_left(self) -> float | None:
        """Of a test that goes on; None where nobody knows."""
        return self.job.progress.seconds_left if self.job is not None and self.running else None

    def begin(self, run: T, function: Callable[..., Any], *args: Any) -> Job[Any]:
        """Run ``function(run, *args, on_change=...)`` as a job."""
        self.run, self._put_away = run, None
        self._work = (function, args)
        job = self.job = self._start(function, run, *args, on_change=self.look_soon)
        job.on_done(lambda finished: self._ended(finished, run))
        return job

    @property
    def waits(self) -> bool:
        """Whether a test waits for its turn."""
        return self.running and self.job is not None and self.job.status is JobStatus.QUEUED

    def run_some(self, run: T, seconds: float) -> None:
        """Do for so long, in this thread, what the job that waits will do; it goes on from there.

        - `run`: takes the place of the one that waits, which stays as it is.
        """
        if self._work is not None:
            function, args = self._work
            function(run, *args, context=ShortTime(seconds))

    def next_number(self) -> int:
        """The number of a new run.

        Raises `QueryError` when one goes on already.
        """
        if self.running:
            raise QueryError("A test is already running. Wait for it, or stop it first.")
        self.count += 1
        return self.count

    def look_soon(self) -> None:
        """Look at the run now, or in a moment where it was looked at just now."""
        with self._lock:
            if self._waiting is not None:
                return
            left = self._looked_at + BETWEEN_S - time.monotonic()
            if left > 0:
                self._waiting = start_timer(left, self._look_at_run)
                return
        self._look_at_run()

    def stop(self) -> bool:
        """Stop what goes on, and keep what is tested; False where nothing goes on."""
        if not self.running or self.job is None:
            return False
        self.job.abort()
        return True

    def forget(self) -> None:
        """As if there had been no test; one that has ended can be brought back."""
        self._put_away = None if self.running else (self.run or self._put_away)
        self.stop()
        self.run = None

    def bring_back(self) -> None:
        """Show the test that was put away.

        Raises `QueryError` when there is none, or another has begun since.
        """
        if self._put_away is None or self.run is not None:
            raise QueryError("There are no results to bring back.")
        self.run, self._put_away = self._put_away, None

    def last(self) -> T:
        """The run whose results can be taken along.

        Raises `QueryError` while one goes on, or when there was none.
        """
        run, job = self.run, self.job
        if run is not None and job is not None and (job.finished or job.stopping):
            run.ended.wait(PATIENCE_S)
        if run is not None and run.running:
            raise QueryError("A test is running. Wait for it, or stop it: its scores are kept.")
        if run is None:
            raise QueryError("Nothing has been tested yet: press Test, or call test().")
        return run

    def _look_at_run(self) -> None:
        with self._lock:
            self._waiting, self._looked_at = None, time.monotonic()
        self._look()

    def _ended(self, job: Job[Any], run: T) -> None:
        if run.running:  # a job that never began
            run.never_began()
        if job.exception is not None:
            logger.error("A test failed: %s", job.traceback)
        self._look()
