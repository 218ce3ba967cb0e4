"""Comparison of stereotype scores on different sentences, such as templates and generated ones.

It answers whether generation amplifies a bias. No sentence has a partner in the other run, but both
runs ask about the same attributes of the same groups: these are paired.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.comparison.rows import (
    Compared,
    Estimated,
    Floats,
    Total,
    as_interval,
    independent_total,
)
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.probes.sentences.stereotype_result import StereotypeScore, decided_pairs
from biaslab.probes.sentences.stereotype_shares import ScoredPairs
from biaslab.stats.clustered_mean import ClusteredMean, clustered_mean, item_weights

Cell: TypeAlias = tuple[str, str]
"""An attribute, and the group whose stereotype it is; no group where a run names none."""
_OF_PACKAGE = {"templates", "starter"}
_PLACE = re.compile(r", (row|line) \d+$")


def of_other_sentences(a: StereotypeScore, b: StereotypeScore) -> bool:
    """Return whether two runs have at most half of the shorter one's sentences in common."""
    ids = [{pair.id for pair in each.pairs} for each in (a, b)]
    about = all(each.attributes for each in (a, b))
    return about and 2 * len(ids[0] & ids[1]) <= min(map(len, ids))


def compared_sources(a: StereotypeScore, b: StereotypeScore, *, seed: int, name: str) -> Compared:
    """Compare the shares of both runs over the attributes that they share.

    - `seed`: of the bootstraps of single attributes.
    - `name`: of the share.
    - Raises `QueryError` if they share no attribute.
    """
    decided = [decided_pairs(each) for each in (a, b)]
    named = all(pair.groups[0] for pairs, _ in decided for pair in pairs)
    cells = [
        [(pair.attribute, pair.groups[0] if named else "") for pair in pairs]
        for pairs, _ in decided
    ]
    shared = [cell for cell in dict.fromkeys(cells[0]) if cell in set(cells[1])]
    if not shared:
        first, second = (", ".join(dict.fromkeys(name for name, _ in own[:99])) for own in cells)
        raise QueryError(
            "The two runs share neither sentences nor attributes of the same groups: the first is"
            f" about {first}, the second about {second}. Score both on one spec."
        )
    often = Counter(attribute for attribute, _ in {*cells[0], *cells[1]})
    names = [
        [
            attribute if often[attribute] == 1 else f"{attribute} ({group})"
            for attribute, group in own
        ]
        for own in cells
    ]
    return Compared(
        unit="points",
        neutral=0.5,
        sides=("with the stereotype", "against it"),
        measure=name,
        rows_are="attributes",
        level=a.level,
        over="",
        sources=(_source(a), _source(b)),
        a=_rows(a, *decided[0], names[0], seed),
        b=_rows(b, *decided[1], names[1], seed),
        totals=(_total((a, b), decided, cells, shared, name),),
    )


def _source(result: StereotypeScore) -> str:
    """Return what the sentences of a run are called."""
    sources = {_PLACE.sub("", pair.source) for pair in result.pairs} - {""}
    if sources and sources <= _OF_PACKAGE:
        return "templates"
    told = str(result.provenance.parameters.get("sentences", ""))
    name = sources.pop() if len(sources) == 1 else told
    return f"sentences of “{name}”" if name not in ("", "given") else "other sentences"


def _rows(
    result: StereotypeScore,
    pairs: Sequence[SentencePair],
    won: NDArray[np.bool_],
    names: Sequence[str],
    seed: int,
) -> Estimated:
    scored = ScoredPairs(
        pairs,
        np.where(won, 1.0, -1.0),
        tie_within=0.0,
        level=result.level,
        resamples=2000,
        seed=seed,
    )
    own = np.array(names)[scored.order]
    parts = [scored.part(own == name, name) for name in dict.fromkeys(names)]
    return Estimated.of((part.name, part.share, part.interval) for part in parts)


def _total(
    runs: tuple[StereotypeScore, StereotypeScore],
    decided: Sequence[tuple[Sequence[SentencePair], NDArray[np.bool_]]],
    cells: Sequence[Sequence[Cell]],
    shared: Sequence[Cell],
    name: str,
) -> Total:
    """Return the mean over shared attributes in both runs, and the interval of the change."""
    number = {cell: k for k, cell in enumerate(shared)}
    kept = [[i for i, cell in enumerate(own) if cell in number] for own in cells]
    whole = [
        len(own) == len(used) and each.weighting != "pairs"
        for own, used, each in zip(cells, kept, runs, strict=True)
    ]
    of_a, of_b = (each.interval if ok else None for each, ok in zip(runs, whole, strict=True))
    pairs = [decided[run][0][i] for run in (0, 1) for i in kept[run]]
    cell = np.array([number[cells[run][i]] for run in (0, 1) for i in kept[run]])
    both = ScoredPairs(pairs, np.ones(len(pairs)), tie_within=0.0, level=0.95, resamples=1, seed=0)
    sides = np.unique([group for _, group in shared], return_inverse=True)[1]
    shares, change = paired_change(
        np.concatenate([decided[run][1][kept[run]] for run in (0, 1)])[both.order],
        cell[both.order],
        np.repeat([0, 1], [len(used) for used in kept])[both.order],
        sides,
        both.clusters,
        by_side=runs[0].weighting == "groups",
    )
    low, high = np.clip(change.limits(runs[0].level), -1, 1)
    if np.isnan(low) and of_a and of_b:  # as where both runs say the same throughout
        return replace(independent_total(name, *shares, of_a, of_b, paired=True), unit="points")
    ends = as_interval((low, high), runs[0].level, both.over(attributes=True))
    return Total(name, "points", *shares, of_a, of_b, ends, paired=True)


def paired_change(
    won: NDArray[np.bool_],
    cell: NDArray[np.int64],
    run: NDArray[np.int64],
    sides: NDArray[np.int64],
    crossed: Sequence[NDArray[np.int64]],
    *,
    by_side: bool,
) -> tuple[tuple[float, float], ClusteredMean]:
    """Return both shares, and their difference as a mean over other attributes and sentences.

    The differences of the attributes vary by attribute and by its own sentences. Frames that
    attributes share, and terms, add the covariance of their items (Cameron, Gelbach and Miller
    2011); where these covariances are negative together, nothing is subtracted.

    - `won`, `cell`, `run`, shape (n,): of all pairs: the outcome, the number of the attribute, and
      0 or 1.
    - `sides`, shape (K,): of each attribute.
    - `crossed`: clusters of other kinds, shape (n,) each.
    - `by_side`: whether both sides count alike.
    """
    k = len(sides)
    sizes = np.array([np.bincount(cell[run == r], minlength=k) for r in (0, 1)])
    means = np.array([np.bincount(cell[run == r], won[run == r], k) for r in (0, 1)]) / sizes
    weighted = sides if by_side else None
    chosen = sides if np.bincount(sides).min() > 1 else np.zeros_like(sides)
    weights = item_weights(np.arange(k), sides=weighted)
    change = clustered_mean(means[1] - means[0], np.arange(k), sides=weighted, strata=chosen)
    total = np.bincount(chosen, weights)
    centres = np.array([np.bincount(chosen, weights * each) / total for each in means])
    influence = (
        (2 * run - 1) * (won - centres[run, chosen[cell]]) * weights[cell] / sizes[run, cell]
    )
    shares = (weights * means).sum(axis=1).tolist()
    return (shares[0], shares[1]), _with_crossed(change, influence, crossed)


def _with_crossed(
    change: ClusteredMean, influence: Floats, crossed: Sequence[NDArray[np.int64]]
) -> ClusteredMean:
    """Add the covariance of items that share a cluster of another kind."""
    variance, alone, added = change.variance, float((influence**2).sum()), 0.0
    unsure = variance**2 / change.df
    for kind in crossed:
        last = len(np.unique(kind)) - 1
        if 0 < last < len(kind) - 1:
            own = float((np.bincount(kind, influence) ** 2).sum()) * (last + 1) / last
            added += own - alone
            unsure += own**2 / last if own > alone else 0.0
    variance += max(added, 0.0)
    df = max(variance**2 / unsure, 1.0) if unsure > 0 else change.df
    return ClusteredMean(change.estimate, variance, df, change.clusters)
