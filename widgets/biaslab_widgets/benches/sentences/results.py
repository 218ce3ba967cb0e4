"""Results of step 3: what `bl.stereotype_score` says of the scores that there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.sentences.pairs import PairSet
from biaslab.probes.sentences.probe import TIE_WITHIN, scored_result, statistics
from biaslab.probes.sentences.score_cache import PairScorer
from biaslab.probes.sentences.stereotype_result import ShareDifference, StereotypeScore
from biaslab.probes.sentences.stereotype_shares import Known, Weighting
from biaslab.records.calls import call_of
from biaslab.records.provenance import Provenance
from biaslab_widgets.benches.sentences.run import Column, ScoreCache
from biaslab_widgets.benches.sentences.subjects import Tested
from biaslab_widgets.benches.sentences.words import Words
from biaslab_widgets.core.answers.cache import RecordedLater

RESAMPLES = 2000
"""Of the bootstrap: as many as `bl.stereotype_score` has."""
QUICK = 200
"""While a run goes on, and for a moment after an edit of many pairs."""
MANY = 1000
"""Pairs of all models from which on an edit is first answered with few resamples."""
_REMEMBERED = 20_000


@dataclass(frozen=True)
class Question:
    """What results are asked about.

    - `version`: of the pairs.
    - `weighting`, {"groups", "attributes", "pairs"}: what has equal weight in the headline.
    """

    pairs: PairSet
    version: int
    words: Words
    level: float
    seed: int
    weighting: Weighting = "groups"
    resamples: int = RESAMPLES


class Results:
    """Makes results of cached scores; what has not changed is not computed again."""

    def __init__(self, cache: ScoreCache) -> None:
        self._cache = cache
        self._known: Known = {}
        self._made: dict[Column, tuple[object, StereotypeScore | None]] = {}
        self._provenance: dict[Column, tuple[object, Provenance]] = {}
        self._calls = RecordedLater()
        self._compared: dict[tuple[str, str], tuple[object, ShareDifference | None]] = {}

    def of(
        self, name: str, model: Tested, scorer: PairScorer, question: Question, seconds: float,
        notes: Sequence[str] = (),
    ) -> StereotypeScore | None:  # fmt: skip
        """A model's result; None while none of the pairs has scores.

        - `name`: the model's, on the screen.
        - `seconds`: that scoring took.
        - `notes`: what a person should know of the run.
        """
        column = (name, scorer.name)
        key = (self._cache.version(column), question.version, question.words.key,
               question.level, question.seed, question.weighting, question.resamples, seconds,
               tuple(notes))  # fmt: skip
        before = self._made.get(column)
        if before is not None and before[0] == key:
            return before[1]
        scores = self._cache.of(column, question.pairs.pairs)
        result: StereotypeScore | None = None
        if any(one is not None for one in scores):
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            statistic = statistics(
                question.pairs.pairs,
                scores,
                spec=question.words.spec,
                weighting=question.weighting,
                level=question.level,
                resamples=question.resamples,
                seed=question.seed,
                known=self._known,
            )
            result = scored_result(
                question.pairs,
                scorer,
                statistic,
                tie_within=TIE_WITHIN,
                level=question.level,
                notes=notes,
                provenance=self._from(name, model, scorer, question, seconds),
            )
            self._calls.put(
                result,
                lambda: call_of(
                    bl.stereotype_score,
                    model,
                    question.words.spec,
                    question.pairs,
                    scorer=None if scorer is model else scorer.name,
                    groups=_groups(question),
                    weighting=question.weighting,
                    level=question.level,
                    resamples=question.resamples,
                    rng=question.seed,
                ),
            )
        self._made[column] = (key, result)
        return result

    def with_call(self, result: StereotypeScore) -> StereotypeScore:
        """The same result with the call that makes it."""
        return self._calls.of(result)

    def compared(self, results: Sequence[StereotypeScore], resamples: int) -> list[ShareDifference]:
        """The first model against each of the others, on the pairs that both decide."""
        differences = []
        for other in results[1:]:
            names = (results[0].provenance.subject, other.provenance.subject)
            seed = results[0].provenance.seed
            weighted = (results[0].weighting, results[0].level)
            key = (_decided(results[0]), _decided(other), weighted, resamples, seed)
            before = self._compared.get(names)
            if before is None or before[0] != key:
                before = (key, _difference(results[0], other, resamples))
                self._compared[names] = before
            if before[1] is not None:
                differences.append(before[1])
        return differences

    def _from(
        self, name: str, model: Tested, scorer: PairScorer, question: Question, seconds: float
    ) -> Provenance:
        """Where a result comes from; versions of packages are looked up once."""
        column = (name, scorer.name)
        before = self._provenance.get(column)
        if before is None or before[0] != (model, seconds):
            made = Provenance.record(probe="stereotype_score", subject=model, seconds=seconds)
            before = self._provenance[column] = ((model, seconds), made)
        return replace(
            before[1],
            subject=name,
            spec_hash=getattr(question.words.spec, "content_hash", None),
            seed=question.seed,
            parameters=_parameters(scorer, question),
        )


def _groups(question: Question) -> tuple[str, str] | None:
    return question.words.groups if question.words.vocabulary is not None else None


def _parameters(scorer: PairScorer, question: Question) -> Mapping[str, Any]:
    return {
        "spec": getattr(question.words.spec, "name", None),
        "sentences": question.pairs.source,
        "pairs": question.pairs.content_hash,
        "scorer": scorer.name,
        "pairing": question.pairs[0].pairing,
        "groups": _groups(question),
        "weighting": question.weighting,
        "level": question.level,
        "resamples": question.resamples,
        "tie_within": TIE_WITHIN,
    }


def _decided(result: StereotypeScore) -> tuple[object, ...]:
    return tuple(
        (pair.id, pair.attribute, *pair.versions, outcome)
        for pair, outcome in zip(result.pairs, result.outcomes, strict=True)
    )


def _difference(
    one: StereotypeScore, two: StereotypeScore, resamples: int
) -> ShareDifference | None:
    try:
        return one.compared_with(two, resamples=resamples, rng=cast("int", one.provenance.seed))
    except QueryError:  # no pair that both decide: each model's own row says so
        return None
