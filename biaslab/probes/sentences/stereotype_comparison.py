"""Two models on the same sentences: by how much their stereotype scores differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.leaning import lean
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.stereotype_shares import (
    BOTH,
    SENTENCES,
    ScoredPairs,
    StereotypeShare,
    Weighting,
)
from biaslab.provenance import Provenance
from biaslab.record import Record
from biaslab.reporting import Worded
from biaslab.results import Interval
from biaslab.stats.reproducibility import seed_number

_DECIDED = ("stereotyped", "against")


class Scored(Protocol):
    """Interface of a `StereotypeScore` for comparisons."""

    @property
    def pairs(self) -> tuple[SentencePair, ...]:
        """The scored pairs."""

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Of each pair."""

    @property
    def attributes(self) -> tuple[StereotypeShare, ...]:
        """Shares of the attributes."""

    @property
    def weighting(self) -> Weighting:
        """What has equal weight in the headline."""

    @property
    def level(self) -> float:
        """Of the intervals."""

    @property
    def provenance(self) -> Provenance:
        """Names the model."""


@dataclass(frozen=True)
class ShareDifference(Record, Worded):
    """Difference of two models' shares over the pairs that both decide.

    Attributes
    ----------
    names : (str, str)
        The models.
    shares : (float, float)
        Of either, over these pairs, weighted as the first result's headline.
    n_pairs : int
        Decided by both.
    left_out : int
        Pairs that only one has, or that are a tie or a failure with one.
    difference : float
        First less second, in [-1, 1]; above 0 the first prefers the stereotype more often.
    interval : Interval
        Of the difference, over attributes and sentences. It is narrower than two intervals side by
        side suggest, as both models answer the same sentences.
    """

    names: tuple[str, str]
    shares: tuple[float, float]
    n_pairs: int
    left_out: int
    difference: float
    interval: Interval

    @property
    def lean(self) -> int:
        """1 if the first prefers the stereotype more often, -1 if the second, 0 if untold."""
        return lean(self.interval, 0.0)


def compared(
    result_1: Scored,
    result_2: Scored,
    *,
    resamples: int = 2000,
    rng: int | np.random.Generator = 0,
) -> ShareDifference:
    """Compare two results pair by pair.

    Parameters
    ----------
    result_1, result_2 : StereotypeScore
        Of the same sentences; pairs are matched by their id.
    resamples : int
    rng : int or numpy.random.Generator
        Of the bootstrap.

    Raises
    ------
    QueryError
        If there is no pair that both decide.
    """
    outcomes_2 = {p.id: o for p, o in zip(result_2.pairs, result_2.outcomes, strict=True)}
    both = [
        (i, o, outcomes_2[p.id])
        for i, (p, o) in enumerate(zip(result_1.pairs, result_1.outcomes, strict=True))
        if o in _DECIDED and outcomes_2.get(p.id) in _DECIDED
    ]
    if not both:
        raise QueryError(
            "There is no pair that both models decide. Score both on the same sentences."
        )
    won = np.array([[first == _DECIDED[0], other == _DECIDED[0]] for _, first, other in both])
    scored = ScoredPairs(
        [result_1.pairs[i] for i, _, _ in both],
        won[:, 0].astype(float) - won[:, 1],
        tie_within=0.0,
        level=result_1.level,
        resamples=resamples,
        seed=seed_number(rng),
    )
    every = {p.id for p in result_1.pairs} | {p.id for p in result_2.pairs}
    first_share, second_share, limits = _shares(scored, won[scored.order], result_1.weighting)
    # With few pairs the limits exceed the range of a difference of shares.
    low, high = (min(max(end, -1.0), 1.0) for end in limits)
    return ShareDifference(
        names=(result_1.provenance.subject, result_2.provenance.subject),
        shares=(first_share, second_share),
        n_pairs=len(both),
        left_out=len(every) - len(both),
        difference=first_share - second_share,
        interval=Interval(
            low, high, result_1.level, BOTH if scored.several_attributes else SENTENCES
        ),
    )


def _shares(
    scored: ScoredPairs, won: NDArray[np.bool_], weighting: Weighting
) -> tuple[float, float, tuple[float, float]]:
    """Return either model's share, and limits of their difference."""
    every = np.ones(len(won), dtype=bool)
    if not scored.several_attributes:
        drawn = scored.drawn(scored.log_odds, every, (scored.frames,), "difference")
        first, second = won.mean(axis=0).tolist()
        return first, second, drawn.limits(scored.level)
    asked = scored.named if weighting == "attributes" else every
    first, second = (
        scored.over_attributes(won[:, i].astype(float), asked, weighting).estimate for i in (0, 1)
    )
    difference = scored.over_attributes(scored.log_odds, asked, weighting)
    return first, second, difference.limits(scored.level)
