"""Recorded scores of pairs of sentences, as a scorer that is its own subject."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from biaslab.answers import RecordedAnswers
from biaslab.errors import AnswersError
from biaslab.jobs.job import JobContext
from biaslab.probes.sentences.exchange import pairs_of_rows
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers.base import PairScores, SentenceScore

_COLUMNS: Final = (
    ("stereotyped", "against", "score_stereotyped", "score_against"),
    ("sent_more", "sent_less", "score_more", "score_less"),
)
"""Both sentences of a pair, and the score of each."""


class RecordedScorer:
    """A scorer and subject for `biaslab.stereotype_score` whose scores somebody recorded.

    Parameters
    ----------
    record : RecordedAnswers
        With the columns ``stereotyped``, ``against``, ``score_stereotyped`` and ``score_against``,
        or ``sent_more``, ``sent_less``, ``score_more`` and ``score_less``; scores are
        log-probabilities in nats.

    Attributes
    ----------
    pairs : PairSet

    Raises
    ------
    AnswersError
        If the columns are missing.
    """

    kind = "recorded"
    label = "recorded scores"
    formula = "log p(w) is recorded in the file."
    device = "cpu"

    def __init__(self, record: RecordedAnswers) -> None:
        names = next((four for four in _COLUMNS if set(four) <= set(record.values)), None)
        rows = [
            dict(zip(record.values, row, strict=True))
            for row, outcome in zip(
                zip(*record.values.values(), strict=True), record.outcomes, strict=True
            )
            if outcome not in ("copy", "left out")
        ]
        pairs = pairs_of_rows(rows, record.name)
        if names is None or pairs is None:
            raise AnswersError(
                f"{record.name} has no scores of both sentences. It needs the columns"
                f" {', '.join(_COLUMNS[0])} or {', '.join(_COLUMNS[1])}, with log-probabilities in"
                f" nats, and has {', '.join(record.values)}."
            )
        self.name, self.about = record.name, f"scores recorded in {record.name}"
        self.content_hash, self.pairs = record.content_hash, pairs
        self._scores = {
            (str(row[names[0]]).strip(), str(row[names[1]]).strip()): (row[names[2]], row[names[3]])
            for row in rows
        }

    def score(
        self, lm: object, pairs: Sequence[SentencePair], *, context: JobContext | None = None
    ) -> list[PairScores]:
        """Return the recorded scores of pairs; a missing one failed."""
        del lm, context
        nothing = (None, None)
        return [
            PairScores(*map(_score, self._scores.get((pair.stereotyped, pair.against), nothing)))
            for pair in pairs
        ]


def _score(value: Any) -> SentenceScore:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        return SentenceScore.failed("The file has no score for this sentence.")
    return SentenceScore(number, (), np.empty((0, 2), dtype=np.int64), np.empty(0))
