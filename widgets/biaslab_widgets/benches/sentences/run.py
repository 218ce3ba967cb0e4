"""A test of several models on the same pairs: each in turn; what one cannot do stops no other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from biaslab.jobs import JobContext
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.score_cache import PairScorer, score_pairs
from biaslab.probes.sentences.scorers.base import PairScores
from biaslab.store import Store
from biaslab_widgets.benches.sentences.models import Tested
from biaslab_widgets.benches.sentences.scores import Column, ScoreCache
from biaslab_widgets.core.model_runs import (
    ModelRun,
    PartOfRun,
    TestRun,
    own_store,
    run_models,
)


@dataclass(eq=False, kw_only=True)
class SentenceRun(TestRun):
    """A run over pairs.

    Attributes
    ----------
    choose : callable
        Gives the scorer of an opened model.
    cache : ScoreCache
        Where scores go.
    pairs : callable
        The pairs as they are now: what is edited meanwhile is scored too.
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

    Parameters
    ----------
    run : SentenceRun
    on_change : callable
        Called from this thread whenever there is something new to show.
    store : Store, optional
        By default the person's own.
    context : JobContext, optional
        Progress, and stops.
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
        model.state, model.message = "stopped", f"{len(left):,} pairs were not scored."
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
