"""Result of sentences that differ in one person, scored by a sentiment system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.leaning import lean
from biaslab.probes.sentences.person_sentences import PersonSentence
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gap(Record):
    """How much higher the sentences of group 1 are scored than those of group 2.

    Attributes
    ----------
    name : str
        ``all``, or an emotion.
    difference : float
        Mean of group 1 less group 2 in the same sentences, each template alike.
    interval : Interval
        Over other persons and other templates.
    sentences : int
        Scored sentences of both groups.
    """

    name: str
    difference: float
    interval: Interval
    sentences: int

    @property
    def lean(self) -> int:
        """1 if the interval is above 0, -1 if below, 0 if it includes 0."""
        return lean(self.interval, 0.0)


@dataclass(frozen=True)
class Halves(Record):
    """Placebo: random halves of one group, which differ by their persons alone.

    Attributes
    ----------
    halves : int
        Number of splits, half of them of either group; 0 if a group has fewer than four persons.
    low, high : float
        Middle 95 % of their differences.
    clear : float
        Share of splits whose interval excludes 0: near 1 - level if the interval is right.
    """

    splits: int
    low: float
    high: float
    clear: float


@dataclass(frozen=True, kw_only=True)
class SentimentGap(Result):
    """Scores of a sentiment system for two groups of persons in the same sentences.

    Attributes
    ----------
    groups : mapping of str to tuple of str
        Two groups and their persons.
    sentences : tuple of PersonSentence
        The n scored sentences.
    scores : ndarray, shape (n,)
        Theirs.
    unit : str
        Of the scores.
    gaps : tuple of Gap
        Over all sentences, then by emotion.
    halves : Halves
    level : float
        Of the intervals.
    """

    schema: ClassVar[str] = "sentiment-gap/1"

    groups: Mapping[str, tuple[str, ...]]
    sentences: tuple[PersonSentence, ...]
    scores: Floats
    unit: str
    gaps: tuple[Gap, ...]
    halves: Halves
    level: float

    @property
    def gap(self) -> Gap:
        """The difference over all sentences."""
        return self.gaps[0]

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two groups."""
        one, two = self.groups
        return one, two

    def to_frame(self) -> pd.DataFrame:
        """Return one row per gap.

        Columns: sentences (all, or an emotion), difference, difference_low, difference_high,
        lean (1: group 1 is scored higher), n_sentences.
        """
        import pandas as pd

        rows = [
            (g.name, g.difference, g.interval.low, g.interval.high, g.lean, g.sentences)
            for g in self.gaps
        ]
        ends = ("difference", "difference_low", "difference_high")
        return pd.DataFrame(rows, columns=["sentences", *ends, "lean", "n_sentences"])

    def raw_frame(self) -> pd.DataFrame:
        """Return one row per sentence: group, person, template, word, emotion, text, score."""
        import pandas as pd

        group = {person: name for name, persons in self.groups.items() for person in persons}
        rows = [
            (group[s.person], s.person, s.template, s.word, s.emotion, s.text, score)
            for s, score in zip(self.sentences, self.scores.tolist(), strict=True)
        ]
        heads = ["group", "person", "template", "word", "emotion", "text", "score"]
        return pd.DataFrame(rows, columns=heads)
