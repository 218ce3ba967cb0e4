"""Plain words for which words lie closer to a posterior: a group's names, or a polarity's."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from biaslab.probes.posterior.group_distances import GroupDistances
from biaslab.probes.posterior.lexicon_agreement import LexiconAgreement
from biaslab.probes.posterior.reading import FORMULAS, SEEN_FROM
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import (
    Span,
    count,
    counted,
    decimals_of,
    joined,
    number,
    p_text,
    percent,
    would_show,
)
from biaslab.stats.significance import smallest_effect_of


def verdict_of_groups(result: GroupDistances) -> tuple[Span, ...]:
    """The finding in plain words, as pieces of text with their roles."""
    one, two = result.groups
    near, far = (one, two) if result.difference < 0 else (two, one)
    roles: dict[str, Any] = {one.name: "group1", two.name: "group2"}
    if not result.excludes_null:
        why = f" {result.reason}." if result.reason else ""
        smallest = would_show(smallest_effect_of(result.interval), "")
        return (
            ("It is ", "plain"),
            ("not clear", "strong"),
            (f" which names lie closer to “{result.label}”, ", "plain"),
            (one.name, "group1"),
            (" or ", "plain"),
            (two.name, "group2"),
            (f": the difference is {_by(result, 1)}{smallest}.{why}", "plain"),
        )
    return (
        (near.name.capitalize(), roles[near.name]),
        (f"{_noun(near.name)} lie ", "plain"),
        (f"closer to “{result.label}”", "strong"),
        (" than ", "plain"),
        (far.name, roles[far.name]),
        (f"{_noun(far.name)}, by {_by(result, -1 if near is one else 1)}.", "plain"),
    )


def _by(result: GroupDistances, sign: int) -> str:
    """A difference in a unit that a person can judge, and beside it as it is measured."""
    low, high = sorted((sign * result.interval.low, sign * result.interval.high))
    digits = max(3, decimals_of(low, high))
    measured = f"{_number(sign * result.difference, digits)} in {result.distance} distance"
    between = f"{_number(low, digits)} to {_number(high, digits)}"
    if result.reason or not math.isfinite(result.effect_size):
        return f"{measured} ({between})"
    d = number(sign * result.effect_size)
    return f"{d} standard deviations of names (Cohen’s d; {measured}, {between})"


def summary_of_groups(result: GroupDistances) -> str:
    """The finding, how it was measured, what was dropped."""
    parts = [joined(verdict_of_groups(result))]
    for one in result.groups:
        interval = one.interval
        parts.append(
            f"{one.name}: {_four(one.mean)} ({percent(interval.level)} % over names"
            f" {_four(interval.low)} to {_four(interval.high)}), {counted(len(one.terms), 'name')}."
        )
    size = result.effect_size_interval
    d = (
        "no effect size"
        if result.reason
        else f"d = {number(result.effect_size)} ({number(size.low)} to {number(size.high)})"
    )
    looked_at = count(result.test.partitions)
    splits = f"all {looked_at} splits" if result.test.exact else f"{looked_at} drawn splits"
    parts.append(
        f"{result.groups[0].name} less {result.groups[1].name}: {_four(result.difference)} "
        f"({_four(result.interval.low)} to {_four(result.interval.high)} over names and draws; "
        f"{_four(result.monte_carlo.low)} to {_four(result.monte_carlo.high)} over draws alone), "
        f"{d}, permutation p = {p_text(result.p)} ({splits}, two-sided)."
    )
    seen_from = "" if result.neutral is None else f", {SEEN_FROM[result.centre]}"
    parts.append(f"Mean {result.distance} distance, {FORMULAS[result.distance]}{seen_from}.")
    return "\n".join([*parts, *lines(result.dropped)])


def _noun(group: str) -> str:
    """What a group's name lacks to stand for its names: nothing where it ends with the word."""
    return "" if group.casefold().endswith("names") else " names"


def _four(value: float) -> str:
    return _number(value, 4)


def _number(value: float, digits: int) -> str:
    return number(value, digits) if math.isfinite(value) else "not known"


_FEW_SHOWN = 8


def verdict_of_lexicon(result: LexiconAgreement) -> tuple[Span, ...]:
    """The finding in plain words, as pieces of text with their roles."""
    ends = result.point_biserial_interval
    size = (
        f": distance and polarity correlate by {number(result.point_biserial)} "
        f"({number(ends.low)} to {number(ends.high)}), {counted(result.n, 'word')} of "
        f"{result.lexicon}."
    )
    if not result.closer:
        return (
            ("It is ", "plain"),
            ("not clear", "strong"),
            (" whether positive or negative words lie closer to ", "plain"),
            (f"“{result.label}”", "plain"),
            (f"{size[:-1]}{would_show(smallest_effect_of(ends), '', 1)}.", "plain"),
        )
    other = "negative" if result.closer == "positive" else "positive"
    return (
        (f"{result.closer.capitalize()} words lie ", "plain"),
        (f"closer to “{result.label}”", "strong"),
        (f" than {other} ones", "plain"),
        (size, "plain"),
    )


def summary_of_lexicon(result: LexiconAgreement) -> str:
    """The finding, all three correlations, what was dropped."""
    parts = [joined(verdict_of_lexicon(result))]
    rows = [
        ("point-biserial", result.point_biserial, result.point_biserial_interval),
        ("Pearson", result.pearson, result.pearson_interval),
        ("Spearman", result.spearman, result.spearman_interval),
    ]
    ps = (result.point_biserial_p, result.pearson_p, result.spearman_p)
    for (name, r, interval), p in zip(rows, ps, strict=True):
        below = "< 0.001" if p < 0.001 else f"= {p_text(p)}"
        parts.append(
            f"{name}: {number(r, 3)} ({percent(interval.level)} % over words "
            f"{number(interval.low, 3)} to {number(interval.high, 3)}), p {below}."
        )
    one, two = result.means
    seen_from = f", {result.distances.seen_from}" if result.distances.seen_from else ""
    parts.append(
        f"Mean {result.distances.distance} distance{seen_from}: positive words {number(one, 4)}, "
        f"negative words {number(two, 4)}. Negative correlations say that positive words lie "
        "closer."
    )
    for name, some in (
        ("Closest", result.distances.closest()),
        ("Most distant", result.distances.most_distant()),
    ):
        words = (f"{one.term} ({result.sign(one.term)}) {number(one.distance, 4)}" for one in some)
        parts.append(f"{name}: {', '.join(words)}.")
    parts.append(f"Lexicon: {result.source}.")
    if result.dropped:
        why = Counter(d.reason for d in result.dropped).most_common()
        reasons = "; ".join(f"{count(k)} {reason}" for reason, k in why[:_FEW_SHOWN])
        more = "; and others" if len(why) > _FEW_SHOWN else ""
        lost = counted(len(result.dropped), "word")
        parts.append(f"{lost} dropped: {reasons}{more}. See .dropped.")
    return "\n".join(parts)
