"""A test of several models on the same pairs: each in turn; what one cannot do stops no other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from biaslab.errors import BiaslabError, StoreError
from biaslab.jobs import JobContext
from biaslab.probes.sentences.kept_scores import PairScorer, score_pairs
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers.records import PairScores
from biaslab.store import Store
from biaslab_widgets.controllers.sentences_book import Column, ScoreBook
from biaslab_widgets.controllers.sentences_models import Tested
from biaslab_widgets.controllers.sources import Source

State = Literal["waiting", "scoring", "done", "stopped", "failed"]


@dataclass
class ModelRun:
    """What became of one model in a run.

    Attributes
    ----------
    source : Source
    choose : callable
        Gives the scorer of the opened model.
    state : {"waiting", "scoring", "done", "stopped", "failed"}
    message : str
        Why it failed or was stopped.
    scored : int
        Pairs that have scores.
    notes : tuple of str
        What a person should know of the scores.
    """

    source: Source[Tested]
    choose: Callable[[Tested], PairScorer]
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
    book : ScoreBook
        Where scores go.
    pairs : callable
        The pairs as they are now: what is edited meanwhile is scored too.
    """

    __test__ = False  # pytest takes classes of this name for its own

    number: int
    models: list[ModelRun]
    book: ScoreBook
    pairs: Callable[[], Sequence[SentencePair]]
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

    def end(self) -> None:
        """Nothing more comes."""
        self.seconds, self.running = time.perf_counter() - self.began, False
        self.ended.set()


def run_test(
    run: TestRun,
    on_change: Callable[[], object] = lambda: None,
    store: Store | None = None,
    context: JobContext | None = None,
) -> TestRun:
    """Score what has no scores yet, model by model; blocks.

    Stopping keeps what is scored. Scores are kept in the store too, so that a run that was killed
    goes on where it was.

    Parameters
    ----------
    run : TestRun
    on_change : callable
        Called from this thread whenever there is something new to show.
    store : Store, optional
        By default the person's own.
    context : JobContext, optional
        Progress, and stops.
    """
    context = context or JobContext()
    try:
        for place, model in enumerate(run.models):
            if context.should_stop:
                model.state, model.message = "stopped", "It was stopped before it began."
                continue
            part = _Part(context, place, len(run.models), run)
            try:
                _score(run, model, on_change, store, part)
            except BiaslabError as error:
                model.state, model.message = "failed", str(error)
            except Exception as error:  # noqa: BLE001  # the person is told, whatever it was
                model.state = "failed"
                model.message = f"{type(error).__name__}: {error}"
            on_change()
    finally:
        run.end()
    return run


def _score(
    run: TestRun,
    model: ModelRun,
    on_change: Callable[[], object],
    store: Store | None,
    context: _Part,
) -> None:
    model.state = "scoring"
    on_change()
    subject = model.source.open()
    scorer = model.choose(subject)
    column: Column = (model.name, scorer.name)
    run.book.forget_failures(column)
    began = time.perf_counter()
    try:
        # Whoever edits meanwhile finds the new version scored as well.
        while (left := run.book.missing(column, run.pairs())) and not context.should_stop:
            _score_some(run, model, subject, scorer, left, on_change, store, context)
    finally:
        run.book.spend(column, time.perf_counter() - began)
    if left:
        model.state, model.message = "stopped", f"{len(left):,} pairs were not reached."
    else:
        model.state = "done"


def _score_some(
    run: TestRun,
    model: ModelRun,
    subject: Any,
    scorer: PairScorer,
    left: Sequence[SentencePair],
    on_change: Callable[[], object],
    store: Store | None,
    context: _Part,
) -> None:
    column = (model.name, scorer.name)
    model.scored = len(run.pairs()) - len(left)

    def take(number: int, scores: PairScores) -> None:
        run.book.put(column, left[number], scores)
        model.scored += 1
        context.tell()
        on_change()

    _, notes = score_pairs(
        subject, scorer, left, store=store or _own_store(), context=context, on_scores=take
    )
    model.notes = tuple(dict.fromkeys((*model.notes, *notes)))


def _own_store() -> Store | None:
    try:
        return Store()
    except StoreError:  # then a run that is killed begins anew: the scores are on the screen
        return None


class _Part(JobContext):
    """One model's part of a run: it stops with the whole, and counts pairs of all models."""

    def __init__(self, whole: JobContext, place: int, models: int, run: TestRun) -> None:
        self._whole, self._place, self._models, self._run = whole, place, models, run

    @property
    def should_stop(self) -> bool:
        return self._whole.should_stop

    def checkpoint(self) -> None:
        self._whole.checkpoint()

    def tell(self) -> None:
        """How many pairs of all models are done."""
        pairs = self._run.pairs()
        model = self._run.models[self._place]
        done = self._place * len(pairs) + min(model.scored, len(pairs))
        self._whole.report(done, self._models * len(pairs), f"testing {model.name}")
