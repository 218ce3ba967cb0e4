"""Pairs of sentences and a scorer without a model, for tests of what is made of scores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from biaslab.jobs.job import JobContext
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.scorers.base import PairScores, SentenceScore


@dataclass
class FakeModel:
    """What a run needs to know of a language model."""

    name: str = "fake"
    content_hash: str | None = "fake-content"
    kind: str = "mlm"
    dtype: str = "float32"
    device: str = "cpu"


def by_text(text: str) -> float | None:
    """A log score that follows from the text alone: coarse, so that ties are common."""
    number = hashlib.sha256(text.encode()).digest()[0]
    return None if number < 12 else -10.0 - (number % 7)


@dataclass
class TextScorer:
    """Scores a version by its text; counts what it was asked."""

    log_score: Callable[[str], float | None] = by_text
    name: str = "by-text"
    label: str = "by text"
    formula: str = "a number that follows from the text"
    asked: list[SentencePair] = field(default_factory=list)
    stop_after: int | None = None

    def score(
        self, lm: object, pairs: Sequence[SentencePair], *, context: JobContext | None = None
    ) -> list[PairScores]:
        found = []
        for pair in pairs:
            if self.stop_after is not None and len(self.asked) >= self.stop_after:
                raise KeyboardInterrupt
            self.asked.append(pair)
            third = None if pair.unrelated is None else self._version(pair.unrelated)
            found.append(
                PairScores(self._version(pair.stereotyped), self._version(pair.against), third)
            )
        return found

    def _version(self, text: str) -> SentenceScore:
        value = self.log_score(text)
        if value is None:
            return SentenceScore.failed("It was chosen to fail.")
        return SentenceScore(
            value, (text,), np.array([[0, len(text)]], dtype=np.int64), np.array([value])
        )


class StreamingScorer(TextScorer):
    """The same, handing out pairs one by one in an order of its own."""

    def stream(
        self, lm: object, pairs: Sequence[SentencePair], *, context: JobContext | None = None
    ) -> Any:
        context = context or JobContext()
        for done, number in enumerate(reversed(range(len(pairs))), start=1):
            context.checkpoint()
            yield number, self.score(lm, [pairs[number]])[0]
            context.report(done, len(pairs))


VERBS = [
    "likes",
    "teaches",
    "studies",
    "fears",
    "skips",
    "enjoys",
    "praises",
    "writes",
    "plans",
    "sees",
]
MATH, ARTS = ("algebra", "geometry", "calculus"), ("poetry", "dance", "drama")


def pairs(
    attributes: Sequence[str] = (*MATH, *ARTS), verbs: Sequence[str] = VERBS, **more: Any
) -> tuple[SentencePair, ...]:
    """Every attribute in every frame; math goes with men, arts with women."""
    made = []
    for attribute in attributes:
        man, woman = (f"The {term} {{}} {attribute}." for term in ("man", "woman"))
        of_arts = attribute in ARTS
        first, second = (woman, man) if of_arts else (man, woman)
        for verb in verbs:
            made.append(  # noqa: PERF401
                SentencePair(
                    stereotyped=first.format(verb),
                    against=second.format(verb),
                    attribute=attribute,
                    attribute_list="arts" if of_arts else "math",
                    groups=("female", "male") if of_arts else ("male", "female"),
                    **more,
                )
            )
    return tuple(made)


def swapped(pair: SentencePair) -> SentencePair:
    """The same pair with its versions the other way round."""
    return SentencePair(
        stereotyped=pair.against,
        against=pair.stereotyped,
        attribute=pair.attribute,
        attribute_list=pair.attribute_list,
        groups=pair.groups[::-1],
        unrelated=pair.unrelated,
        bias_type=pair.bias_type,
    )
