r"""Main effects of crossed traits: what a trait costs, averaged over the other traits.

The effect of a label against another is a contrast :math:`\sum_g c_g\,\mathrm{PSE}_g` with
:math:`\sum_g c_g = 0`, the mean difference between groups that share all other traits. Pooling of
the groups toward main effects is part of the PSEs: see `biaslab.stats.decisions.fit.fit_decisions`.

The variance of such a contrast follows from those of all pairwise differences,
:math:`-\tfrac12 \sum_{g,h} c_g c_h \operatorname{Var}(\mathrm{PSE}_g - \mathrm{PSE}_h)`, so its
interval follows from the intervals of the gaps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from biaslab.probes.decisions.result import DecisionsResult, Estimate, Scope
from biaslab.probes.decisions.trials import Floats


@dataclass(frozen=True)
class TraitEffect:
    """What a label of a trait must bring beyond another one.

    Attributes
    ----------
    trait : str
        ``gender``.
    one, two : str
        Labels: the effect is what `two` must bring beyond `one`.
    estimate : Estimate
        In the case's unit, with the interval for other cues and wordings like these, or for just
        these; the ends are infinite where some gap has no bound.
    """

    trait: str
    one: str
    two: str
    estimate: Estimate


def trait_effects(result: DecisionsResult, scope: Scope = "population") -> tuple[TraitEffect, ...]:
    """Return the main effects of a result's crossed traits, each label against its trait's first.

    Parameters
    ----------
    result : DecisionsResult
        Of groups with traits, asked yes or no.
    scope : {"population", "these"}
        Over other cues and wordings like these, or for just these.

    Returns
    -------
    tuple of TraitEffect
        Empty if groups are not crossed, or a group has no point. A label that shares no
        combination of the other traits with the first one is left out.
    """
    if not result.traits or result.fit.reason:
        return ()
    names = tuple(result.case.groups[result.places[0]].traits)
    contrasts = [
        (name, labels[0], label, weights)
        for name, labels, of in zip(names, map(_labels, result.traits), result.traits, strict=True)
        if len(names) > 1
        for label in labels[1:]
        if (weights := _contrast(result, of, labels[0], label)) is not None
    ]
    if not contrasts:
        return ()
    gaps, halves = _gaps(result, scope)
    return tuple(
        TraitEffect(name, one, two, _estimate(weights, gaps, halves))
        for name, one, two, weights in contrasts
    )


def _labels(of: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(of))


def _contrast(result: DecisionsResult, of: tuple[str, ...], one: str, two: str) -> Floats | None:
    """Return the weight of each group: pairs that differ in this trait alone count equally."""
    others = list(zip(*(trait for trait in result.traits if trait is not of), strict=True))
    weights = np.zeros(len(of))
    shared = {
        rest
        for label, rest in zip(of, others, strict=True)
        if label == one and (two, rest) in zip(of, others, strict=True)
    }
    if not shared:
        return None
    for sign, label in ((-1.0, one), (1.0, two)):
        for rest in shared:
            own = [
                place
                for place, found in enumerate(zip(of, others, strict=True))
                if found == (label, rest)
            ]
            weights[own] += sign / len(own) / len(shared)
    return weights


def _gaps(result: DecisionsResult, scope: Scope) -> tuple[Floats, Floats]:
    """Return each group's gap to the first one, (G,), and half the width of all gaps, (G, G)."""
    count = len(result.groups)
    gaps, halves = np.zeros(count), np.zeros((count, count))
    for one, two in combinations(range(count), 2):
        value, low, high = result.gap_between(one, two, scope)
        halves[one, two] = halves[two, one] = (high - low) / 2
        if one == 0:
            gaps[two] = value
    return gaps, halves


def _estimate(weights: Floats, gaps: Floats, halves: Floats) -> Estimate:
    value = float(weights @ gaps)
    some = np.outer(weights, weights) != 0
    if not np.isfinite(halves[some]).all():
        return Estimate(value, -math.inf, math.inf)
    squared = -0.5 * float(weights @ np.where(some, halves, 0.0) ** 2 @ weights)
    half = math.sqrt(max(squared, 0.0))
    return Estimate(value, value - half, value + half)
