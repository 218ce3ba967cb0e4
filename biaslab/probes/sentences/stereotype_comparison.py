"""Two models on the same sentences: by how much their stereotype scores differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.leaning import lean
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.stereotype_shares import (
    BOTH,
    SENTENCES,
    ScoredPairs,
    StereotypeShare,
)
from biaslab.provenance import Provenance
from biaslab.record import Record
from biaslab.reporting import Worded
from biaslab.results import Interval
from biaslab.stats.cluster_bootstrap import cluster_bootstrap
from biaslab.stats.seeds import seed_number

_DECIDED = ("stereotyped", "against")


class Scored(Protocol):
    """A model's stereotype score, such as a `StereotypeScore`, as far as it is compared."""

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
        Of either, over these pairs.
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
    one: Scored,
    two: Scored,
    *,
    resamples: int = 2000,
    rng: int | np.random.Generator = 0,
) -> ShareDifference:
    """Compare two results pair by pair.

    Parameters
    ----------
    one, two : StereotypeScore
        Of the same sentences; pairs are matched by their id.
    resamples : int
    rng : int or numpy.random.Generator
        Of the bootstrap.

    Raises
    ------
    QueryError
        If there is no pair that both decide.
    """
    second = {p.id: o for p, o in zip(two.pairs, two.outcomes, strict=True)}
    both = [
        (i, o, second[p.id])
        for i, (p, o) in enumerate(zip(one.pairs, one.outcomes, strict=True))
        if o in _DECIDED and second.get(p.id) in _DECIDED
    ]
    if not both:
        raise QueryError(
            "There is no pair that both models decide. Score both on the same sentences."
        )
    won = np.array([[first == _DECIDED[0], other == _DECIDED[0]] for _, first, other in both])
    scored = ScoredPairs(
        [one.pairs[i] for i, _, _ in both],
        won[:, 0].astype(float) - won[:, 1],
        tie_within=0.0,
        level=one.level,
        resamples=resamples,
        seed=seed_number(rng),
    )
    several = len(one.attributes) > 1
    clusters = (scored.attributes, scored.frames) if several else (scored.frames,)
    drawn = cluster_bootstrap(
        scored.log_odds,
        clusters,
        strata=scored.lists if several else None,
        resamples=resamples,
        rng=scored.rng("difference"),
    )
    every = {p.id for p in one.pairs} | {p.id for p in two.pairs}
    first_share, second_share = won.mean(axis=0).tolist()
    # With few pairs the bootstrap's t limits reach beyond what shares can differ by.
    low, high = (min(max(end, -1.0), 1.0) for end in drawn.limits(one.level))
    return ShareDifference(
        names=(one.provenance.subject, two.provenance.subject),
        shares=(first_share, second_share),
        n_pairs=len(both),
        left_out=len(every) - len(both),
        difference=first_share - second_share,
        interval=Interval(low, high, one.level, BOTH if several else SENTENCES),
    )
