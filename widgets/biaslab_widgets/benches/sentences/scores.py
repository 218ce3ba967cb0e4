"""Scores of versions by model and scorer: what is here is never scored again."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers.base import PairScores

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
            failed = [asked for asked, scores in held.items() if scores.log_odds is None]
            for asked in failed:
                del held[asked]
            if failed:
                self._counts[column] = self._counts.get(column, 0) + 1
