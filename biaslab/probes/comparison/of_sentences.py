"""Comparison of stereotype scores: the same sentence pairs in both runs."""

from __future__ import annotations

import numpy as np

from biaslab.probes.comparison.compared import Compared, Estimated, Total
from biaslab.probes.sentences.stereotype_comparison import compared
from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_shares import ScoredPairs, StereotypeShare
from biaslab.results import Interval

_DECIDED = ("stereotyped", "against")


def compared_scores(a: StereotypeScore, b: StereotypeScore, seed: int) -> Compared:
    """Compare the shares of two stereotype scores over the pairs that both models decide."""
    overall = compared(b, a, rng=seed)
    field, name = _rows_of(a, b)
    outcomes = dict(zip([p.id for p in b.pairs], b.outcomes, strict=True))
    both = [
        i
        for i, (pair, outcome) in enumerate(zip(a.pairs, a.outcomes, strict=True))
        if outcome in _DECIDED and outcomes.get(pair.id) in _DECIDED
    ]
    pairs = [a.pairs[i] for i in both]
    won = [
        np.array([outcome == _DECIDED[0] for outcome in own], dtype=np.float64)
        for own in ([a.outcomes[i] for i in both], [outcomes[pair.id] for pair in pairs])
    ]
    scored = [
        ScoredPairs(pairs, 2 * each - 1, tie_within=0.0, level=a.level, resamples=2000, seed=seed)
        for each in won
    ]
    first = scored[0]
    labels = tuple(dict.fromkeys(getattr(pair, field) for pair in first.pairs)) if field else ("",)
    masks = [first.where(field, label) if field else first.scored for label in labels]
    parts = [[s.part(m, label) for m, label in zip(masks, labels, strict=True)] for s in scored]
    moved = (won[1] - won[0])[first.order]
    drawn = [
        first.drawn(moved, mask, (first.frames,), f"change\0{label}")
        for mask, label in zip(masks, labels, strict=True)
    ]
    shown = tuple(label or "all pairs" for label in labels)
    total = Total(
        "share with the stereotype",
        "points",
        overall.shares[1],
        overall.shares[0],
        a.interval if a.overall.decided == len(both) else None,
        b.interval if b.overall.decided == len(both) else None,
        overall.interval,
        paired=True,
    )
    return Compared(
        measure="share with the stereotype",
        unit="points",
        neutral=0.5,
        sides=("with the stereotype", "against it"),
        rows_are=name,
        level=a.level,
        over=f"the same {len(both):,} sentence pairs, which both models decide",
        a=_estimated(shown, parts[0]),
        b=_estimated(shown, parts[1]),
        paired=(
            shown,
            np.array([d.estimate for d in drawn]),
            np.clip(np.array([d.limits(a.level) for d in drawn]), -1, 1),
        ),
        totals=(total,),
    )


def _rows_of(a: StereotypeScore, b: StereotypeScore) -> tuple[str, str]:
    """The field of pairs whose values are rows, and its name."""
    if a.attributes and b.attributes:
        return "attribute", "attributes"
    if a.bias_types and b.bias_types:
        return "bias_type", "kinds of bias"
    return "", "sentence pairs"


def _estimated(labels: tuple[str, ...], shares: list[StereotypeShare]) -> Estimated:
    def ends(interval: Interval) -> tuple[float, float]:
        return interval.low, interval.high

    return Estimated(
        labels=labels,
        values=np.array([one.share for one in shares]),
        intervals=np.array([ends(one.interval) for one in shares]),
    )
