"""Comparison of scores of the same sentences, pictures, names or blocks in both runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.comparison.of_sentences import compared_sources, of_other_sentences
from biaslab.probes.comparison.rows import (
    Compared,
    Estimated,
    Floats,
    Total,
    around,
    as_interval,
    independent_total,
)
from biaslab.probes.images.result import ImageAssociation, answered_by_both, image_score_difference
from biaslab.probes.posterior.group_distances import GroupDistances, GroupMean
from biaslab.probes.posterior.portraits.result import PortraitPosterior
from biaslab.probes.rating.result import RatingResult
from biaslab.probes.sentences.stereotype_result import StereotypeScore, compared, decided_by_both
from biaslab.probes.sentences.stereotype_shares import ScoredPairs
from biaslab.records.result import Interval
from biaslab.stats.clustered_mean import cluster_bootstrap
from biaslab.stats.crossed.effects import Part

_OF_STEREOTYPES: Final[dict[str, Any]] = {
    "unit": "points",
    "neutral": 0.5,
    "sides": ("with the stereotype", "against it"),
}


def compared_scores(a: StereotypeScore, b: StereotypeScore, *, seed: int, **_: object) -> Compared:
    """Compare the shares of two stereotype scores over the pairs that both models decide.

    Runs on different sentences are compared over the attributes that they share.
    """
    name = "share with the stereotype"
    if of_other_sentences(a, b):
        return compared_sources(a, b, seed=seed, name=name)
    overall = compared(b, a, rng=seed)
    field, rows_are = _rows_of(a, b)
    pairs, both_won = decided_by_both(a, b)
    won = both_won.T.astype(float)
    scored = [
        ScoredPairs(pairs, 2 * each - 1, tie_within=0.0, level=a.level, resamples=2000, seed=seed)
        for each in won
    ]
    first = scored[0]
    labels = tuple(dict.fromkeys(getattr(pair, field) for pair in first.pairs)) if field else ("",)
    masks = [first.where(field, label) if field else first.scored for label in labels]
    rows = []
    for run in scored:
        parts = [run.part(mask, label) for mask, label in zip(masks, labels, strict=True)]
        rows.append(
            Estimated.of((part.name or "all pairs", part.share, part.interval) for part in parts)
        )
    moved = (won[1] - won[0])[first.order]
    drawn = [
        first.drawn(moved, mask, first.clusters, f"change\0{label}")
        for mask, label in zip(masks, labels, strict=True)
    ]
    share_2, share_1 = overall.shares
    of_a, of_b = (each.interval if each.overall.decided == len(pairs) else None for each in (a, b))
    return Compared(
        **_OF_STEREOTYPES,
        measure=name,
        rows_are=rows_are,
        level=a.level,
        over=f"the same {len(pairs):,} sentence pairs, which both models decide",
        a=rows[0],
        b=rows[1],
        change_intervals=np.clip(np.array([d.limits(a.level) for d in drawn]), -1, 1),
        totals=(
            Total(name, "points", share_1, share_2, of_a, of_b, overall.interval, paired=True),
        ),
    )


def _rows_of(a: StereotypeScore, b: StereotypeScore) -> tuple[str, str]:
    """The field of pairs whose values are rows, and its name."""
    if a.attributes and b.attributes:
        return "attribute", "attributes"
    if a.bias_types and b.bias_types:
        return "bias_type", "kinds of bias"
    return "", "sentence pairs"


def compared_images(
    a: ImageAssociation, b: ImageAssociation, *, seed: int, **_: object
) -> Compared:
    """Compare the scores of two image associations term by term, over shared pictures."""
    overall = image_score_difference(b, a, rng=seed)
    both, scores = answered_by_both(a, b)
    terms = [a.images[i].term for i in both]
    labels = tuple(dict.fromkeys(terms))
    rows = [np.flatnonzero(np.array(terms) == label) for label in labels]
    one, two, change = (
        _means(values, rows, a.level, seed)
        for values in (scores[:, 0], scores[:, 1], scores[:, 1] - scores[:, 0])
    )
    whole = len(both) == len(a.images) == len(b.images)
    score_2, score_1 = overall.scores
    of_a, of_b = (each.interval if whole else None for each in (a, b))
    name = "score with the stereotype"
    return Compared(
        **_OF_STEREOTYPES,
        measure=name,
        rows_are="terms",
        level=a.level,
        over=f"the same {len(both):,} pictures",
        a=Estimated(labels=labels, values=one[0], intervals=one[1]),
        b=Estimated(labels=labels, values=two[0], intervals=two[1]),
        change_intervals=change[1],
        totals=(
            Total(name, "points", score_1, score_2, of_a, of_b, overall.interval, paired=True),
        ),
    )


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
    both = list(zip(a.groups, b.groups, strict=True))
    whole = all(one.terms == two.terms and len(one.terms) > 1 for one, two in both)
    level, ends = a.interval.level, None
    total = independent_total(
        f"distance of {names[0][0]} less {names[0][1]}", a.difference, b.difference, a.interval,
        b.interval, paired=whole,
    )  # fmt: skip
    if whole:
        parts = [_over_names(one, two) for one, two in both]
        ends = np.array(
            [
                around(np.array([two.mean - one.mean]), [part, *_noise(one, two)], level)[0]
                for (one, two), part in zip(both, parts, strict=True)
            ]
        )
        gap = around(np.array([total.difference]), [*parts, *_noise(a, b)], level)[0]
        total = replace(total, interval=as_interval(gap, level, "names, paired"))
    return Compared(
        measure="mean distance",
        unit="",
        neutral=float("nan") if a.neutral is None else a.neutral,
        sides=("farther", "closer"),
        rows_are="groups",
        level=level,
        over="the same names" if whole else "",
        a=Estimated.of((group.name, group.mean, group.interval) for group in a.groups),
        b=Estimated.of((group.name, group.mean, group.interval) for group in b.groups),
        change_intervals=ends,
        totals=(total,),
    )


def compared_portraits(a: PortraitPosterior, b: PortraitPosterior, **_: object) -> Compared:
    """Compare the shifts of attributes, and the shares drawn as women, of independent draws."""
    share = independent_total(
        "share drawn as women", a.share.value, b.share.value, a.share.interval, b.share.interval
    )
    shifts = [
        Estimated.of((each.label, each.shift, each.interval) for each in run.shifts)
        for run in (a, b)
    ]
    return Compared(
        measure="shift of the mean, in standard deviations of all portraits",
        unit="",
        neutral=0.0,
        sides=("more", "less"),
        rows_are="attributes",
        level=a.share.interval.level,
        over="draws",
        a=shifts[0],
        b=shifts[1],
        totals=(replace(share, unit="points"),),
    )


def _over_names(a: GroupMean, b: GroupMean) -> Part:
    """Variance of the mean change over the names of a group."""
    moved = np.asarray(b.distances, dtype=float) - a.distances
    return np.array(moved.var(ddof=1) / len(moved)), float(len(moved) - 1)


def _noise(*runs: GroupMean | GroupDistances) -> list[Part]:
    """Variance of the Monte Carlo errors, as known; the draws of two runs are independent."""
    halves = [(run.monte_carlo.high - run.monte_carlo.low) / 2 for run in runs]
    variance = sum((half / 1.96) ** 2 for half in halves if np.isfinite(half))
    return [(np.array(variance), 1e6)] if variance > 0 else []


def compared_ratings(a: RatingResult, b: RatingResult, **_: object) -> Compared:
    """Compare the share of the first value in the output of each block and language."""
    values = [each.design.attribute.all_values for each in (a, b)]
    if values[0] != values[1]:
        raise QueryError(
            f"These ratings are of different values: {', '.join(values[0])}, and "
            f"{', '.join(values[1])}."
        )
    first = values[0][0]
    level = 2 * a.rules.corrected.level - 1  # of the intervals of shares
    return Compared(
        measure=f"share of “{first.casefold()}” in the output",
        unit="points",
        neutral=float("nan"),
        sides=("more", "less"),
        rows_are="blocks",
        level=level,
        over="",
        a=_estimated_blocks(a, level),
        b=_estimated_blocks(b, level),
    )


def _estimated_blocks(result: RatingResult, level: float) -> Estimated:
    return Estimated.of(
        (
            f"{block.block}, {rating.title if language else 'directly'}",
            block.shares[0],
            Interval(block.low[0], block.high[0], level, ""),
        )
        for language, rating in zip(result.languages, result.ratings, strict=True)
        for block in result.block_findings(language, with_p=False)
        if block.shares
    )
