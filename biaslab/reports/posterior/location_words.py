"""Plain words for where a posterior lies: near which words and texts, and in a plane."""

from __future__ import annotations

import numpy as np

from biaslab.probes.posterior.plane_of_draws import PosteriorPlane
from biaslab.probes.posterior.reading import FORMULAS
from biaslab.probes.posterior.reviews import NearestReviews
from biaslab.probes.posterior.word_distances import WordDistance, WordDistances
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import count, counted, number, percent


def summary_of_distances(result: WordDistances) -> str:
    """The closest and the most distant words, how they were measured, what was dropped."""
    near, far = result.closest(1)[0], result.most_distant(1)[0]
    headline = (
        f"Of {counted(len(result.terms), 'word')}, “{near.term}” lies closest to what the "
        f"classifier calls {result.label} ({number(near.distance, 4)}) and “{far.term}” farthest "
        f"({number(far.distance, 4)})."
    )
    right_angle = "" if result.neutral is None else f"; {result.neutral:g} is a right angle"
    parts = [headline]
    seen_from = f", {result.seen_from}" if result.seen_from else ""
    parts.append(
        f"Mean {result.distance} distance, {result.formula}{seen_from}, over "
        f"{counted(result.draws, 'draw')}{right_angle}."
    )
    if result.used < result.draws:
        parts.append(
            f"Its linear part is over all draws, what is left over {count(result.used)} of them: "
            "every_draw=True takes all."
        )
    for name, some in (("Closest", result.closest()), ("Most distant", result.most_distant())):
        parts.append(f"{name}: " + ", ".join(_with_interval(one) for one in some) + ".")
    kind = f"± is the {percent(result.level)} % Monte Carlo interval, by batch means"
    parts.append(f"{kind}: how exactly the draws tell the mean, not how sure the bias is.")
    return "\n".join([*parts, *lines(result.dropped)])


def _with_interval(one: WordDistance) -> str:
    half = (one.interval.high - one.interval.low) / 2
    return f"{one.term} {number(one.distance, 4)} ± {number(half, 4)}"


_LISTED = 10


def summary_of_plane(result: PosteriorPlane) -> str:
    """What the plane shows, how far its axes can be trusted, and the words at either end."""
    draws = " and ".join(f"{counted(c.draws, 'draw')} of {c.label}" for c in result.clouds)
    parts = [f"{draws} in a plane: {'; '.join(result.axis_names)}."]
    parts.append(
        f"Round draws would have {100 * result.even_share:.1f} % along any axis; two halves of "
        f"the draws agree on the first axis to {result.stability[0]:.2f} and on the plane to "
        f"{result.stability[1]:.2f} (1 is wholly)."
    )
    if result.warning:
        parts.append(result.warning)
    if result.evidence is not None:
        a, b = result.labels
        interval = result.evidence.interval
        parts.append(
            f"log p({a}) − log p({b}) under the prior: {number(result.evidence.log_ratio)} "
            f"({percent(interval.level)} % Monte Carlo {number(interval.low)} to "
            f"{number(interval.high)})."
        )
    if len(result.log_density_difference):
        a, b = result.labels
        order = np.argsort(-result.log_density_difference, kind="stable")
        for name, at in ((a, order[:_LISTED]), (b, order[::-1][:_LISTED])):
            words = (
                f"{result.terms[i]} {number(result.log_density_difference[i])}" for i in at.tolist()
            )
            parts.append(f"log p(w|{a}) − log p(w|{b}), most {name}: {', '.join(words)}.")
    return "\n".join([*parts, *lines(result.dropped)])


def summary_of_reviews(result: NearestReviews) -> str:
    """The nearest texts of each point."""
    parts = []
    for name, near, middle in zip(result.points, result.nearest, result.middle, strict=True):
        first = near[0]
        parts.append(
            f"Of {counted(result.n, 'text')} of {result.source}, {first.id} lies nearest to "
            f"{name}: {number(first.distance, 4)}, where half of all lie within "
            f"{number(middle, 4)}."
        )
        for one in near:
            stars = "" if one.stars is None else f", {one.stars} stars"
            says = ", ".join(
                f"p({k}) = {number(p)}" for k, p in zip(result.labels, one.probability, strict=True)
            )
            parts.append(
                f"{number(one.distance, 4)} {one.id} ({one.label or 'no label'}{stars}; {says}"
                f"): {one.excerpt}"
            )
    parts.append(f"Distance: {result.distance}, {FORMULAS[result.distance]}.")
    if result.dropped:
        parts.append(
            f"{counted(len(result.dropped), 'text')} dropped, as no word of them is known: see "
            ".dropped."
        )
    return "\n".join(parts)
