"""Plain words for the distances of words to a posterior."""

from __future__ import annotations

from biaslab.probes.posterior.word_distances import WordDistance, WordDistances
from biaslab.probes.unknown_words import lines
from biaslab.wording import count, number


def summary(result: WordDistances) -> str:
    """The closest and the most distant words, how they were measured, what was dropped."""
    near, far = result.closest(1)[0], result.most_distant(1)[0]
    headline = (
        f"Of {count(len(result.terms))} words, {near.term!r} lies closest to what the classifier "
        f"calls {result.label} ({number(near.distance, 4)}) and {far.term!r} farthest "
        f"({number(far.distance, 4)})."
    )
    right_angle = "" if result.neutral is None else f"; {result.neutral:g} is a right angle"
    found = [headline]
    seen_from = f", {result.seen_from}" if result.seen_from else ""
    found.append(
        f"Mean {result.distance} distance, {result.formula}{seen_from}, over {count(result.draws)} "
        f"draws{right_angle}."
    )
    if result.used < result.draws:
        found.append(
            f"Its linear part is over all draws, what is left over {count(result.used)} of them: "
            "every_draw=True takes all."
        )
    for name, some in (("Closest", result.closest()), ("Most distant", result.most_distant())):
        found.append(f"{name}: " + ", ".join(_with_interval(one) for one in some) + ".")
    kind = f"± is the {result.level:.0%} Monte Carlo interval, by batch means"
    found.append(f"{kind}: how exactly the draws tell the mean, not how sure the bias is.")
    return "\n".join([*found, *lines(result.dropped)])


def _with_interval(one: WordDistance) -> str:
    half = (one.interval.high - one.interval.low) / 2
    return f"{one.term} {number(one.distance, 4)} ± {number(half, 4)}"
