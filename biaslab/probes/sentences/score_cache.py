"""Cache of scores in the store, by content hash, for interrupted runs."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from biaslab.errors import StoreError
from biaslab.jobs.job import JobContext, JobStopped
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers.base import PairScores, SentenceScore
from biaslab.store import Store

KIND = "sentence-score/1"
"""Of the store's values: raise the number when a scorer's definition changes."""
_AT_ONCE = 64
_SECONDS = 2.0
"""Pairs, or seconds, per write to the store: the most that a killed run loses."""
_MESSAGE = "scoring sentences"


class PairScorer(Protocol):
    """Interface of a scorer: see `biaslab.probes.sentences.scorers`."""

    @property
    def name(self) -> str:
        """For code."""

    @property
    def label(self) -> str:
        """For the screen."""

    @property
    def formula(self) -> str:
        """The definition, for the screen."""

    @property
    def score(self) -> Callable[..., list[PairScores]]:
        """A method that scores pairs of a model: ``score(lm, pairs)``."""


def score_pairs(
    lm: Any,
    scorer: PairScorer,
    pairs: Sequence[SentencePair],
    *,
    store: Store | None = None,
    context: JobContext | None = None,
    options: Mapping[str, Any] | None = None,
    on_scores: Callable[[int, PairScores], object] | None = None,
) -> tuple[list[PairScores | None], tuple[str, ...]]:
    """Score pairs; stored scores are reused.

    - `lm`: a subject with a ``content_hash``; without one nothing is stored.
    - `store`: store of scores.
    - `context`: progress, and stops: then the pairs that are not scored yet have None.
    - `options`: passed on to ``scorer.score``.
    - `on_scores`: called with the number of a pair and its scores as soon as they exist.
    - Returns `scores`: in the order of the pairs. Failures are not stored, so that they are tried
      again.
    - Returns `notes`: remarks for the user, such as that the store could not be used.
    """
    context = context or JobContext()
    names = keys(lm, scorer, pairs)
    notes: list[str] = []
    if store is not None and names is None:
        notes.append(
            "This model has no content hash, so its scores are not cached and an interrupted run"
            " starts over."
        )
    cached: dict[str, PairScores] = {}
    if store is not None and names is not None:
        try:
            cached = _read(store, names)
        except StoreError as error:
            notes.append(f"Scores are not cached: {error}")
            store = None
    pair_scores: list[PairScores | None] = [
        cached.get(names[i]) if names is not None else None for i in range(len(pairs))
    ]
    left = [i for i, known in enumerate(pair_scores) if known is None]
    hear = on_scores or _nobody
    for i, known in enumerate(pair_scores):
        if known is not None:
            hear(i, known)
    done = len(pairs) - len(left)
    context.report(done, len(pairs), _MESSAGE)
    if not left:
        return pair_scores, tuple(notes)
    waiting: dict[str, PairScores] = {}
    since = time.monotonic()

    def flush() -> None:
        nonlocal store, since
        if store is not None and waiting:
            try:
                _store_scores(store, waiting)
            except StoreError as error:
                notes.append(f"Scores are not cached: {error}")
                store = None
        waiting.clear()
        since = time.monotonic()

    part = _Part(context, done, len(left), len(pairs))
    coming = _coming(lm, scorer, [pairs[i] for i in left], part, options or {})
    try:
        for number, scores in coming:
            i = left[number]
            pair_scores[i] = scores
            hear(i, scores)
            if names is not None:
                waiting[names[i]] = scores
            if len(waiting) >= _AT_ONCE or time.monotonic() - since > _SECONDS:
                flush()
    except JobStopped:  # scores so far are stored and are a result
        pass
    finally:
        flush()
    return pair_scores, tuple(notes)


def _nobody(_number: int, _scores: PairScores) -> None:
    """Ignore scores."""


def _coming(
    lm: Any,
    scorer: PairScorer,
    pairs: Sequence[SentencePair],
    context: JobContext,
    options: Mapping[str, Any],
) -> Iterator[tuple[int, PairScores]]:
    """Yield pairs by number as they are scored, streamed or in batches."""
    stream = getattr(scorer, "stream", None)
    if stream is not None:
        yield from stream(lm, pairs, context=context, **options)
        return
    for start in range(0, len(pairs), _AT_ONCE):
        context.checkpoint()
        some = pairs[start : start + _AT_ONCE]
        yield from enumerate(scorer.score(lm, some, **options), start)
        context.report(min(start + _AT_ONCE, len(pairs)), len(pairs))


def keys(lm: Any, scorer: PairScorer, pairs: Sequence[SentencePair]) -> list[str] | None:
    """Return each pair's key in the store; None for a model without a content hash.

    A SHA-256 of the model's content and number type, the scorer, the versions and the terms.
    """
    model = getattr(lm, "content_hash", None)
    if model is None:
        return None
    same = [
        model,
        str(getattr(lm, "dtype", "")),
        scorer.name,
        getattr(scorer, "content_hash", None),
    ]
    if (chat := getattr(lm, "chat", None)) is not None:
        same.append(chat.prefix)
    return [
        hashlib.sha256(
            json.dumps([*same, *p.versions, p.unrelated, p.terms, p.pairing]).encode()
        ).hexdigest()
        for p in pairs
    ]


def _read(store: Store, names: Sequence[str]) -> dict[str, PairScores]:
    scores = {}
    for name, text in store.kept_values(KIND, names).items():
        try:
            versions = [
                None if version is None else _version(*version) for version in json.loads(text)
            ]
            first, second, third = versions
        except (ValueError, TypeError):
            continue  # damaged: it is scored again
        if first is not None and second is not None:
            scores[name] = PairScores(first, second, third)
    return scores


def _store_scores(store: Store, scores: Mapping[str, PairScores]) -> None:
    store.keep_values(
        KIND,
        {
            name: json.dumps(
                [
                    _plain(pair_scores.stereotyped),
                    _plain(pair_scores.against),
                    _plain(pair_scores.unrelated),
                ],
                allow_nan=False,
            )
            for name, pair_scores in scores.items()
            if not _failed(pair_scores)
        },
    )


def _plain(score: SentenceScore | None) -> list[Any] | None:
    """Return a score as plain JSON values, shorter than a result's form."""
    if score is None:
        return None
    return [
        score.log_score,
        list(score.tokens),
        score.spans.ravel().tolist(),
        score.contributions.tolist(),
        score.note,
    ]


def _version(
    log_score: float, tokens: list[str], spans: list[int], parts: list[float], note: str
) -> SentenceScore:
    return SentenceScore(
        float(log_score),
        tuple(tokens),
        np.array(spans, dtype=np.int64).reshape(len(tokens), 2),
        np.array(parts, dtype=np.float64).reshape(len(tokens)),
        note=note,
    )


def _failed(scores: PairScores) -> bool:
    third = scores.unrelated
    return bool(scores.failure or (third is not None and third.failure))


class _Part(JobContext):
    """Context of the remaining pairs: it stops with the whole, and reports as a part."""

    def __init__(self, whole: JobContext, before: int, size: int, total: int) -> None:
        self._whole, self._before, self._size, self._total = whole, before, size, total

    @property
    def should_stop(self) -> bool:
        return self._whole.should_stop

    def checkpoint(self) -> None:
        if self._whole.should_stop:
            raise JobStopped

    def report(self, done: float, total: float | None = None, message: str = "") -> None:  # noqa: ARG002
        share = min(done / total, 1.0) if total else 0.0
        self._whole.report(self._before + self._size * share, self._total, _MESSAGE)
