"""A test of several models on the same pairs; what a model has scored is never scored again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from biaslab.jobs.job import JobContext
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.score_cache import PairScorer, score_pairs
from biaslab.probes.sentences.scorers.base import PairScores
from biaslab.records.wording import counted
from biaslab.store import Store
from biaslab_widgets.benches.sentences.subjects import Tested
from biaslab_widgets.core.bench.model_tests import (
    ModelRun,
    PartOfRun,
    TestRun,
    own_store,
    run_models,
)

Column: TypeAlias = tuple[str, str]
"""Name of a model, and of the scorer that it is asked with."""
Asked: TypeAlias = tuple[object, ...]


def asked_of(pair: SentencePair) -> Asked:
    """What a pair's scores follow from."""
    return (*pair.versions, pair.unrelated, pair.terms, pair.attribute)


class ScoreCache:
    """Scores as they come in, from the thread of a run; looked at by the live worker."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._scores: dict[Column, dict[Asked, PairScores]] = {}
        self._counts: dict[Column, int] = {}
        self._seconds: dict[Column, float] = {}

    def version(self, column: Column) -> int:
        """Counts up whenever scores of a model come in."""
        with self._lock:
            return self._counts.get(column, 0)

    def versions(self) -> dict[Column, int]:
        """The version of every model's scores, all at one moment."""
        with self._lock:
            return dict(self._counts)

    def put(self, column: Column, pair: SentencePair, scores: PairScores) -> None:
        """Take a pair's scores."""
        with self._lock:
            self._scores.setdefault(column, {})[asked_of(pair)] = scores
            self._counts[column] = self._counts.get(column, 0) + 1

    def spend(self, column: Column, seconds: float) -> None:
        """Note how long scoring took, beside what it took before."""
        with self._lock:
            self._seconds[column] = self._seconds.get(column, 0.0) + seconds

    def seconds(self, column: Column) -> float:
        """How long scoring took, in all."""
        with self._lock:
            return self._seconds.get(column, 0.0)

    def pace(self, column: Column) -> float:
        """Seconds for a pair."""
        with self._lock:
            pairs = len(self._scores.get(column, {}))
            return self._seconds.get(column, 0.0) / max(pairs, 1)

    def of(self, column: Column, pairs: Sequence[SentencePair]) -> list[PairScores | None]:
        """Scores in the order of the pairs; None where there are none."""
        with self._lock:
            held = self._scores.get(column, {})
            return [held.get(asked_of(pair)) for pair in pairs]

    def has(self, column: Column, pair: SentencePair) -> bool:
        """Whether a pair is scored, or was found to fail."""
        with self._lock:
            return asked_of(pair) in self._scores.get(column, {})

    def missing(self, column: Column, pairs: Iterable[SentencePair]) -> list[SentencePair]:
        """Pairs without scores."""
        with self._lock:
            held = self._scores.get(column, {})
            return [pair for pair in pairs if asked_of(pair) not in held]

    def forget_failures(self, column: Column) -> None:
        """Let pairs that could not be scored be tried again."""
        with self._lock:
            held = self._scores.get(column, {})
            failed = [key for key, scores in held.items() if scores.log_odds is None]
            for key in failed:
                del held[key]
            if failed:
                self._counts[column] = self._counts.get(column, 0) + 1


@dataclass(eq=False, kw_only=True)
class SentenceRun(TestRun):
    """A run over pairs.

    - `choose`: gives the scorer of an opened model.
    - `cache`: where scores go.
    - `pairs`: the pairs as they are now: what is edited meanwhile is scored too.
    """

    choose: Callable[[Tested], PairScorer]
    cache: ScoreCache
    pairs: Callable[[], Sequence[SentencePair]]


def run_test(
    run: SentenceRun,
    on_change: Callable[[], object] = lambda: None,
    store: Store | None = None,
    context: JobContext | None = None,
) -> SentenceRun:
    """Score what has no scores yet, model by model; blocks.

    Stopping keeps what is scored. Scores are kept in the store too, so that a run that was killed
    goes on where it was.

    - `on_change`: called from this thread whenever there is something new to show.
    - `store`: by default the person's own.
    - `context`: progress, and stops.
    """
    run_models(
        run, lambda model, part: _score(run, model, on_change, store, part), on_change, context
    )
    return run


def _score(
    run: SentenceRun,
    model: ModelRun,
    on_change: Callable[[], object],
    store: Store | None,
    context: PartOfRun,
) -> None:
    subject = model.source.open()
    scorer = run.choose(subject)
    column: Column = (model.name, scorer.name)
    run.cache.forget_failures(column)
    began = time.perf_counter()
    try:
        # Whoever edits meanwhile finds the new version scored as well.
        while (left := run.cache.missing(column, run.pairs())) and not context.should_stop:
            _score_some(run, model, subject, scorer, left, on_change, store, context)
    finally:
        run.cache.spend(column, time.perf_counter() - began)
    if left:
        model.state, model.message = "stopped", f"Not scored: {counted(len(left), 'pair')}."
    else:
        model.state = "done"


def _score_some(
    run: SentenceRun,
    model: ModelRun,
    subject: Any,
    scorer: PairScorer,
    left: Sequence[SentencePair],
    on_change: Callable[[], object],
    store: Store | None,
    context: PartOfRun,
) -> None:
    column = (model.name, scorer.name)
    model.scored = len(run.pairs()) - len(left)

    def take(number: int, scores: PairScores) -> None:
        run.cache.put(column, left[number], scores)
        model.scored += 1
        context.tell()
        on_change()

    _, notes = score_pairs(
        subject, scorer, left, store=store or own_store(), context=context, on_scores=take
    )
    model.notes = tuple(dict.fromkeys((*model.notes, *notes)))
