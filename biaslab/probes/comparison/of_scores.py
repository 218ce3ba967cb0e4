"""Comparison of scores of the same sentences, pictures, names or blocks in both runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.comparison.rows import Compared, Estimated, Floats, Total, around
from biaslab.probes.images.result import ImageAssociation, image_score_difference
from biaslab.probes.posterior.group_distances import GroupDistances, GroupMean
from biaslab.probes.rating.result import RatingResult
from biaslab.probes.sentences.stereotype_result import StereotypeScore, compared
from biaslab.probes.sentences.stereotype_shares import ScoredPairs, StereotypeShare
from biaslab.records.result import Interval
from biaslab.stats.clustered_mean import cluster_bootstrap
from biaslab.stats.crossed.effects import Part

_DECIDED = ("stereotyped", "against")


def compared_scores(a: StereotypeScore, b: StereotypeScore, *, seed: int, **_: object) -> Compared:
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
        a=_estimated_shares(shown, parts[0]),
        b=_estimated_shares(shown, parts[1]),
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


def _estimated_shares(labels: tuple[str, ...], shares: list[StereotypeShare]) -> Estimated:
    def ends(interval: Interval) -> tuple[float, float]:
        return interval.low, interval.high

    return Estimated(
        labels=labels,
        values=np.array([one.share for one in shares]),
        intervals=np.array([ends(one.interval) for one in shares]),
    )


def compared_images(
    a: ImageAssociation, b: ImageAssociation, *, seed: int, **_: object
) -> Compared:
    """Compare the scores of two image associations term by term, over shared pictures."""
    overall = image_score_difference(b, a, rng=seed)
    of_b = dict(zip(_keys(b), b.scores.tolist(), strict=True))
    both = [(i, key) for i, key in enumerate(_keys(a)) if key in of_b]
    terms = [key[1] for _, key in both]
    scores = np.array([[a.scores[i], of_b[key]] for i, key in both])
    labels = tuple(dict.fromkeys(terms))
    rows = [np.flatnonzero(np.array(terms) == label) for label in labels]
    one, two, change = (
        _means(values, rows, a.level, seed)
        for values in (scores[:, 0], scores[:, 1], scores[:, 1] - scores[:, 0])
    )
    whole = len(both) == len(a.images) == len(b.images)
    total = Total(
        "score with the stereotype",
        "points",
        overall.scores[1],
        overall.scores[0],
        a.interval if whole else None,
        b.interval if whole else None,
        overall.interval,
        paired=True,
    )
    return Compared(
        measure="score with the stereotype",
        unit="points",
        neutral=0.5,
        sides=("with the stereotype", "against it"),
        rows_are="terms",
        level=a.level,
        over=f"the same {len(both):,} pictures",
        a=Estimated(labels=labels, values=one[0], intervals=one[1]),
        b=Estimated(labels=labels, values=two[0], intervals=two[1]),
        paired=(labels, *change),
        totals=(total,),
    )


def _keys(result: ImageAssociation) -> list[tuple[int, str, str]]:
    sides = result.group_of.tolist()
    return [(s, image.term, image.hash) for s, image in zip(sides, result.images, strict=True)]


def _means(
    values: Floats, rows: Sequence[NDArray[np.intp]], level: float, seed: int
) -> tuple[Floats, Floats]:
    drawn = [
        cluster_bootstrap(values[row], [], rng=np.random.default_rng([seed, k]))
        for k, row in enumerate(rows)
    ]
    centre = np.array([one.estimate for one in drawn])
    ends = np.array([one.limits(level) for one in drawn]).reshape(len(rows), 2)
    # Two runs of one model change no picture at all.
    still = np.array([len(row) > 1 and not np.ptp(values[row]) for row in rows])
    return centre, np.where(still[:, None], centre[:, None], ends)


def compared_groups(a: GroupDistances, b: GroupDistances, **_: object) -> Compared:
    """Compare the mean distances of two groups of names, and their difference."""
    names = [tuple(group.name for group in each.groups) for each in (a, b)]
    if names[0] != names[1] or a.distance != b.distance:
        raise QueryError(
            f"These are distances of other groups or of another kind: {' and '.join(names[0])} "
            f"({a.distance}), {' and '.join(names[1])} ({b.distance})."
        )
    found = [_paired(one, two) for one, two in zip(a.groups, b.groups, strict=True)]
    parts = [part for part in found if part is not None]
    whole = len(parts) == len(found)
    change = np.array([two.mean - one.mean for one, two in zip(a.groups, b.groups, strict=True)])
    noise = [_noise(one) + _noise(two) for one, two in zip(a.groups, b.groups, strict=True)]
    interval, paired = _independent(a, b), None
    if whole:
        ends = [
            around(value[None], [part, *_known(error)], a.interval.level)[0]
            for value, part, error in zip(change, parts, noise, strict=True)
        ]
        paired = names[0], change, np.array(ends)
        error = [_noise_of(each.monte_carlo) for each in (a, b)]
        gap = np.array([b.difference - a.difference])
        low, high = around(gap, [*parts, *_known(sum(error))], a.interval.level)[0]
        interval = Interval(float(low), float(high), a.interval.level, "names, paired")
    one, two = names[0]
    total = Total(
        f"distance of {one} less {two}", "", a.difference, b.difference, a.interval, b.interval,
        interval, paired is not None,
    )  # fmt: skip
    return Compared(
        measure="mean distance",
        unit="",
        neutral=float("nan") if a.neutral is None else a.neutral,
        sides=("farther", "closer"),
        rows_are="groups",
        level=a.interval.level,
        over="the same names" if whole else "",
        a=_estimated_means(a),
        b=_estimated_means(b),
        paired=paired,
        totals=(total,),
    )


def _estimated_means(result: GroupDistances) -> Estimated:
    return Estimated(
        labels=tuple(group.name for group in result.groups),
        values=np.array([group.mean for group in result.groups]),
        intervals=np.array([(g.interval.low, g.interval.high) for g in result.groups]),
    )


def _paired(a: GroupMean, b: GroupMean) -> Part | None:
    """Variance of the mean change over the names of a group; None if the names are others."""
    if a.terms != b.terms or len(a.terms) < 2:
        return None
    moved = np.asarray(b.distances, dtype=float) - a.distances
    return np.array(moved.var(ddof=1) / len(moved)), float(len(moved) - 1)


def _noise(group: GroupMean) -> float:
    return _noise_of(group.monte_carlo)


def _noise_of(interval: Interval) -> float:
    """Variance of the Monte Carlo error; the draws of two runs are independent."""
    half = (interval.high - interval.low) / 2
    return float((half / 1.96) ** 2) if np.isfinite(half) else 0.0


def _known(variance: float) -> list[Part]:
    return [(np.array(variance), 1e6)] if variance > 0 else []


def _independent(a: GroupDistances, b: GroupDistances) -> Interval:
    one: Floats = np.array([a.difference - a.interval.low, a.interval.high - a.difference])
    two: Floats = np.array([b.difference - b.interval.low, b.interval.high - b.difference])
    gap = b.difference - a.difference
    low, high = gap - np.hypot(two[0], one[1]), gap + np.hypot(two[1], one[0])
    return Interval(float(low), float(high), a.interval.level, a.interval.kind)


def compared_ratings(a: RatingResult, b: RatingResult, **_: object) -> Compared:
    """Compare the share of the first value in the output of each block and language."""
    values = [each.design.attribute.all_values for each in (a, b)]
    if values[0] != values[1]:
        raise QueryError(
            f"These ratings are of different values: {', '.join(values[0])}, and "
            f"{', '.join(values[1])}."
        )
    first = values[0][0]
    return Compared(
        measure=f"share of “{first.casefold()}” in the output",
        unit="points",
        neutral=float("nan"),
        sides=("more", "less"),
        rows_are="blocks",
        level=2 * a.rules.corrected.level - 1,  # of the intervals of shares
        over="",
        a=_estimated_blocks(a),
        b=_estimated_blocks(b),
    )


def _estimated_blocks(result: RatingResult) -> Estimated:
    rows = [
        (
            f"{block.block}, {rating.title if language else 'directly'}",
            block.shares[0],
            block.low[0],
            block.high[0],
        )
        for language, rating in zip(result.languages, result.ratings, strict=True)
        for block in result.block_findings(language, with_p=False)
        if block.shares
    ]
    return Estimated(
        labels=tuple(row[0] for row in rows),
        values=np.array([row[1] for row in rows], dtype=float),
        intervals=np.array([row[2:] for row in rows], dtype=float).reshape(-1, 2),
    )
