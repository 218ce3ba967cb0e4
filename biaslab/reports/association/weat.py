"""Words and chart of WEAT."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from biaslab.probes.association.effect_size import ceiling
from biaslab.probes.association.human_effects import HumanEffect, human_effect
from biaslab.probes.association.weat import WeatResult
from biaslab.probes.unknown_words import lines
from biaslab.records.result import Interval
from biaslab.records.wording import Span, count, counted, joined, number, p_text, would_show
from biaslab.reports.chart import (
    Axis,
    Chart,
    Intervals,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    Shape,
    Texts,
    axis_over,
    bins,
    finding,
)
from biaslab.reports.palette import (
    CHANCE,
    GROUP_1,
    GROUP_1_TEXT,
    GROUP_2,
    GROUP_2_TEXT,
    INK,
    INK_2,
    INK_3,
    OBSERVED,
)
from biaslab.stats.reproducibility import order
from biaslab.stats.significance import reaches, smallest_effect_of

_SHOWN = 3


def verdict(result: WeatResult) -> list[Span]:
    """The verdict as pieces of text with their roles."""
    a, b = result.lists.attributes
    names = list(result.lists.groups)
    near, far = (a, b) if result.statistic >= 0 else (b, a)
    significant = bool(reaches(result.p, result.level))
    lead: list[Span] = [
        ("the words of ", "plain"),
        (names[0], "group1"),
        (f" stand nearer to {near} than to {far}", "strong"),
    ]
    if not result.single:
        lead += [(", compared with those of ", "plain"), (names[1], "group2")]
    if not significant:
        if result.test.alternative != "two-sided" and _against(result):
            untested: Span = (" was not tested, as the test looks in the other direction", "strong")
            lead = [("Whether the words of ", "plain"), *lead[1:], untested]
        else:
            unclear: list[Span] = [("It is ", "plain"), ("not clear", "strong")]
            lead = [*unclear, (" that the words of ", "plain"), *lead[1:]]
    else:
        lead[0] = ("The words of ", "plain")
    widest = result.statistic_intervals[-1]
    first, comma, rest = difference_text(result.statistic, widest).partition(",")
    spans = [
        *lead,
        (": the ", "plain"),
        (first, "strong"),
        (f"{comma}{rest}, p = {p_text(result.p)}", "plain"),
    ]
    if not significant:
        spans.append((would_show(smallest_effect_of(widest), ""), "plain"))
    elif 0 in widest:
        spans.append((OTHER_WORDS, "strong"))
    return [*spans, (". ", "plain"), *_size(result)]


OTHER_WORDS = ", but with other words like these there may be none"
"""What is added to a difference whose interval over words includes 0, though its p is small."""


def _against(result: WeatResult) -> bool:
    return (result.statistic < 0) == (result.test.alternative == "greater")


def difference_text(statistic: float, interval: Interval | None) -> str:
    """A difference of means in its own direction, with its interval over other words."""
    size = f"difference is {number(abs(statistic), 3)}"
    if interval is None or not math.isfinite(interval.low):
        return size
    low, high = interval.low, interval.high
    if statistic < 0:
        low, high = -high, -low
    return f"{size}, between {number(low, 3)} and {number(high, 3)} over other {interval.kind}"


def size_text(size: float, top: float, interval: Interval, as_long: bool) -> str:
    """An effect size of at most `top`, with its interval for lists as long, or endless ones too."""
    text = f"{number(size)} of at most {number(top)}"
    if not math.isfinite(interval.low):
        return f"{text}."
    ends = f"between {number(interval.low)} and {number(interval.high)}"
    return f"{text}, {ends} for lists as long as these{'' if as_long else ' or endless'}."


def _size(result: WeatResult) -> list[Span]:
    if why := result.reason:
        return [(f"No effect size, as {why}.", "plain")]
    widest, as_long = result.effect_size_intervals[-1], bool(result.endless_intervals)
    size, of, rest = size_text(result.effect_size, result.ceiling, widest, as_long).partition(" of")
    return [("Effect size ", "plain"), (size, "strong"), (of + rest, "plain")]


def human_text(effect: HumanEffect | None) -> str:
    """Published effect sizes of the same test, and why not to compare their sizes."""
    if effect is None:
        return ""
    return (
        f"Published: people in the implicit association test (IAT) d = {number(effect.people)},"
        f" GloVe vectors {number(effect.glove)} (Caliskan et al. 2017). That of people is between"
        " their reaction times, WEAT’s between words: compare directions, not sizes."
    )


def caveat(result: WeatResult) -> str:
    """One grey line under the verdict."""
    test = result.test
    sides = {"greater": "one-sided", "less": "one-sided (less)", "two-sided": "two-sided"}
    splits = "splits" if test.exact else "random splits"
    reach = "reaches" if test.exceed == 1 else "reach"
    how = "" if test.exact else ", p = (k + 1) / (n + 1)"
    reached = f"{count(test.exceed)} of {count(test.partitions)} {splits} {reach} the difference"
    parts = [
        f"p is {sides[test.alternative]}: {reached}{how}; equal ones count.",
        "p asks whether the split of the words matters, not how sure the size is.",
        f"ddof {result.ddof}.",
    ]
    # A split and its mirror image are equally far from 0 where the lists are equally long.
    mirrored = test.alternative == "two-sided" and len(set(result.sizes)) == 1
    least = (2 if mirrored else 1) / test.possible
    if not reaches(least, result.level):
        parts.append(f"Lists this short give no p below {p_text(least)}, whatever the words.")
    if not result.reason and (why := result.interval_reason):
        parts.append(f"No interval over words: {why}.")
    if result.n_replicates > 1:
        parts.append(f"Means over {counted(result.n_replicates, 'replicate')}.")
    if result.dropped:
        parts.append(f"{counted(len(result.dropped), 'word')} dropped.")
    parts += [*result.lists.overlaps, human_text(human_effect(result.lists))]
    return " ".join(filter(None, parts))


_NEARLY_ALL = 0.9
"""Share of the possible effect sizes from which on an interval says nothing."""


def summary(result: WeatResult) -> str:
    """The finding, its numbers and its limits."""
    parts = [joined(verdict(result)), caveat(result)]
    parts.append(
        f"Difference of means {number(result.statistic, 4)}, {number(result.statistic_sum, 4)} as "
        "a difference of sums."
    )
    parts += _intervals(result)
    if result.n_replicates > 1:
        p = result.p_by_replicate
        parts.append(
            f"p by replicate: {p_text(float(p.min()))} to {p_text(float(p.max()))}, median "
            f"{p_text(float(np.median(p)))}."
        )
    mean = result.association.mean(axis=0)
    ends = (order(mean, descending=True).tolist(), order(mean).tolist())
    for name, end in zip(result.lists.attributes, ends, strict=True):
        words = ", ".join(f"{result.words[i]} {number(mean[i], 3)}" for i in end[:_SHOWN])
        parts.append(f"Nearest to {name}: {words}.")
    return "\n".join([*parts, *lines(result.dropped)])


def _intervals(result: WeatResult) -> Iterator[str]:
    """Every interval in a sentence; that for endless lists where it says something."""
    widest = _NEARLY_ALL * 2 * ceiling(*result.sizes, 0)
    endless = [one for one in result.endless_intervals if one.high - one.low < widest]
    for name, intervals, digits in (
        ("Difference of means", result.statistic_intervals, 4),
        ("Effect size for lists as long as these,", result.effect_size_intervals, 2),
        ("Effect size for endless lists,", endless, 2),
    ):
        for one in intervals:
            if math.isfinite(one.low):
                ends = f"{number(one.low, digits)} to {number(one.high, digits)}"
                yield f"{name} over {one.kind}: {ends} ({100 * one.level:.0f} %)."


_SHAPES: tuple[Shape, Shape] = ("circle", "square")


def chart(result: WeatResult) -> Chart:
    """Associations of the target words beside the splits; below, the difference and the size."""
    panels = ((words(result), splits(result)), (difference(result), size(result)))
    return Chart(title=finding(result), note=result.caveat(), panels=panels)


def words(result: WeatResult) -> Panel:
    """s(t, A, B) of every target word, sorted within its list.

    The intervals of an ensemble span the middle 95 % of its replicates.
    """
    a, b = result.lists.attributes
    mean = result.association.mean(axis=0)
    low, high = np.quantile(result.association, [0.025, 0.975], axis=0)
    several = result.n_replicates > 1
    names = list(result.lists.groups)
    group = np.repeat(np.arange(len(names)), [len(terms) for terms in result.lists.groups.values()])
    order = np.array(sorted(range(len(mean)), key=lambda i: (group[i], -mean[i])))
    colours = [(GROUP_1, GROUP_2)[g] for g in group[order]]
    marks: list[Mark] = [
        Rule(at=0, label="0", colour=INK),
        Points(
            x=mean[order],
            y=np.arange(len(order)),
            colour=colours,
            shape=[_SHAPES[g] for g in group[order]],
            data={
                "word": [f"{result.words[i]} ({names[group[i]]})" for i in order],
                "association": mean[order],
            },
            hover=(("", "@word"), ("s", "@association{0.000}")),
        ),
    ]
    if several:
        rows = np.arange(len(order))
        marks.insert(
            1,
            Intervals(
                low=low[order], high=high[order], y=rows, colour=colours, alpha=0.5, width=1.5
            ),
        )
    reach = 1.08 * float(np.abs([low, high] if several else mean).max()) or 1.0
    over = ", mean over replicates" if several else ""
    return Panel(
        title="Association of each word",
        x=Axis(
            low=-reach,
            high=reach,
            label=f"s(t, A, B), difference of mean cosines{over}",
            ends=((f"← nearer to {b}", INK_2), (f"nearer to {a} →", INK_2)),
        ),
        y=Rows(
            rows=tuple(
                Row(result.words[i], names[group[i]], (number(float(mean[i])),)) for i in order
            ),
            line=17,
            colours=dict(zip(names, (GROUP_1_TEXT, GROUP_2_TEXT), strict=False)),
        ),
        marks=tuple(marks),
        width=300,
    )


def splits(result: WeatResult) -> Panel:
    """Histogram of the differences of means of all splits, with the observed one."""
    test = result.test
    reach = "reaches" if test.exceed == 1 else "reach"
    data = {"counts": test.counts, "reached": test.reached}
    hover = (("splits", "@counts"), ("reach", "@reached"))
    marks: list[Mark] = [
        bins(test.edges, test.counts, colour=CHANCE, data=data, hover=hover),
        bins(test.edges, test.reached, colour=OBSERVED, data=data),
    ]
    marks += [
        Rule(at=0),
        Rule(
            at=test.observed, colour=OBSERVED, width=2, label=f"observed {number(test.observed, 3)}"
        ),
    ]
    low, high = float(test.edges[0]), float(test.edges[-1])
    return Panel(
        title=f"{test.exceed:,} of {test.partitions:,} splits {reach} it, p = {p_text(test.p)}",
        x=Axis(low=min(low, 0.0), high=max(high, 0.0), label="difference of means"),
        y=Axis(low=0, high=1.05 * float(test.counts.max(initial=1)), label="splits"),
        marks=tuple(marks),
        width=300,
        height=190,
    )


def difference(result: WeatResult) -> Panel:
    """The difference of means with its interval, beside 0."""
    widest, value = result.statistic_intervals[-1], result.statistic
    values: tuple[str, ...] = (number(value, 3),)
    if math.isfinite(widest.low):
        values = (*values, f"{number(widest.low, 3)} to {number(widest.high, 3)}")
    return Panel(
        title=f"Difference of means, {100 * result.level:.0f} % over {widest.kind}",
        x=axis_over(value, widest.low, widest.high, 0.0, label="difference of mean cosines"),
        y=Rows(rows=(Row("difference", values=values),), line=34),
        marks=(
            Rule(at=0, label="0", colour=INK),
            Intervals(low=widest.low, high=widest.high, y=0, colour=OBSERVED, width=3),
            Points(x=value, y=0, colour=OBSERVED, size=5),
        ),
        width=300,
    )


def size(result: WeatResult) -> Panel:
    """The effect size with its interval, between its ceilings."""
    top = result.ceiling
    marks: list[Mark] = [
        Rule(at=0, label="0", colour=INK),
        *(Rule(at=end, colour=OBSERVED, dashed=True, label=number(end)) for end in (-top, top)),
    ]
    if result.reason:
        marks.append(
            Texts(x=0, y=0, words=["no effect size"], colour=INK_3, shift=(0, -4), anchor="middle")
        )
        values: tuple[str, ...] = ("none",)
    else:
        widest = result.effect_size_intervals[-1]
        marks += [
            Intervals(low=widest.low, high=widest.high, y=0, colour=OBSERVED, width=3),
            Points(x=result.effect_size, y=0, colour=OBSERVED, size=5),
        ]
        values = (number(result.effect_size),)
        if np.isfinite([widest.low, widest.high]).all():
            values = (*values, f"{number(widest.low)} to {number(widest.high)}")
    return Panel(
        title=f"Effect size and its ceiling, ddof {result.ddof}",
        x=Axis(low=-1.05 * top, high=1.05 * top, label="effect size d"),
        y=Rows(rows=(Row("effect size", values=values),), line=34),
        marks=tuple(marks),
        width=300,
    )
