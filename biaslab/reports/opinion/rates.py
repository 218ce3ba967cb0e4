"""Words and chart of rates, ratings and scores by group."""

from __future__ import annotations

import numpy as np

from biaslab.probes.opinion import Difference, GroupMean, RateCell, RatesResult, Sentence
from biaslab.records.wording import Span, counted, joined, number, percent
from biaslab.reports.chart import Chart, Intervals, Panel, Points, Row, Rows, Shape, axis_over
from biaslab.reports.opinion import shared
from biaslab.reports.opinion.shared import capital, in_words, of_models, p_said, where, within
from biaslab.reports.palette import GROUP_1, GROUP_2, INK, NEUTRAL

sections = shared.sections


def verdict(result: RatesResult) -> list[Span]:
    """The verdict as pieces of text with their roles."""
    spans: list[Span] = []
    models = of_models(result.cells)
    differing = {name: [cell for cell in cells if any(d.differs for d in cell.differences)]
                 for name, cells in models.items()}  # fmt: skip
    for model in sorted(models, key=lambda name: not differing[name]):
        if spans:
            spans.append((" ", "plain"))
        cells, some = models[model], differing[model]
        if some:
            cell, one = _clearest(some)
            case = within(cell.case, result.case_name)
            more = "more" if one.difference > 0 else "less"
            spans += [
                (f"{model} tells groups apart{where(some, cells, result.case_name)}:", "strong"),
                (f" {case + ', ' if case else ''}{one.name} get ", "plain"),
                (_amount(result, one.difference, signed=False), "strong"),
                (f" {more} than {one.reference} ({_ends(result, one)}).", "plain"),
            ]  # fmt: skip
            continue
        every = [one for cell in cells for one in cell.differences]
        alike = all(one.is_within(result.margin) for one in every)
        within_margin = _amount(result, result.margin, signed=False)
        spans.append(
            (f"{model} treats groups alike within {within_margin}" if alike else
             f"{model} shows no clear difference", "strong")
        )  # fmt: skip
        spans.append((f" in {'all' if alike else 'any'} {result.case_name}{'s' * alike}."
                      if result.case_name and len(cells) > 1 else ".", "plain"))  # fmt: skip
    return spans


def _clearest(cells: list[RateCell]) -> tuple[RateCell, Difference]:
    pairs = [(cell, one) for cell in cells for one in cell.differences]
    return min(
        pairs, key=lambda both: (not both[1].differs, both[1].p_adjusted, -abs(both[1].difference))
    )


def _amount(result: RatesResult, value: float, *, signed: bool = True) -> str:
    shown = value if signed else abs(value)
    return f"{percent(shown, 1)} points" if result.are_rates else number(shown)


def _ends(result: RatesResult, one: Difference) -> str:
    low, high = sorted([one.interval.low, one.interval.high], key=lambda end: abs(end))
    if low * high <= 0 or one.difference > 0:
        low, high = one.interval.low, one.interval.high
    else:
        low, high = -one.interval.high, -one.interval.low
    return _between(result, low, high)


def _between(result: RatesResult, low: float, high: float) -> str:
    if low != low:
        return "no interval"
    if result.are_rates:
        return f"{percent(low, 1)} to {percent(high, 1)}"
    return f"{number(low)} to {number(high)}"


def _mean(result: RatesResult, one: GroupMean) -> str:
    ends = _between(result, one.interval.low, one.interval.high)
    return (
        f"{percent(one.mean, 1)} % ({ends})" if result.are_rates else f"{number(one.mean)} ({ends})"
    )


def caveat(result: RatesResult) -> str:
    """One grey line under the verdict."""
    n = sum(len(cell.differences) for cell in result.cells)
    holm = f"; Holm’s correction for {n} tests" if n > 1 else ""
    over = (
        "each answer counts by itself"
        if result.over == "answers"
        else f"clustered by {result.over}"
    )
    return (
        f"{percent(result.level)} % intervals, {over}{holm}. Groups count as treated alike within"
        f" {_amount(result, result.margin)}."
    )


def brief(result: RatesResult) -> str:
    """The finding for a card."""
    some = sum(one.differs for cell in result.cells for one in cell.differences)
    return f"{in_words(some)} clear difference{'s' * (some != 1)}"


def summary(result: RatesResult) -> str:
    """The verdict, a line for each difference, and the sentences."""
    lines = [joined(verdict(result)), caveat(result)]
    for cell in result.cells:
        name = " ".join(part for part in (cell.model, within(cell.case, result.case_name)) if part)
        groups = "; ".join(f"{one.name} {_mean(result, one)}" for one in cell.groups)
        lines.append(f"{name} ({counted(cell.n, 'answer')}): {groups}.")
        lines += [f"  {one.name} {line(result, one)}." for one in cell.differences]
    return "\n".join([*lines, *shared.lines_of(sections(result))])


def line(result: RatesResult, one: Difference) -> str:
    """A difference in words, after the name of its group."""
    alike = ", alike within the margin" if one.is_within(result.margin) else ""
    ratio = ""
    if result.are_rates:
        ends = one.ratio_interval
        ratio = "; impact ratio too uncertain to print"
        if ends.low == ends.low:
            ratio = f"; impact ratio {one.ratio:.2f} ({ends.low:.2f} to {ends.high:.2f})"
    between = _between(result, one.interval.low, one.interval.high)
    return (
        f"less {one.reference}: {_amount(result, one.difference)} ({between}), p"
        f" {p_said(one.p_adjusted)}{alike}{ratio}"
    )


def sentences(result: RatesResult) -> list[Sentence]:
    """Three sentences for print, and three that the answers do not bear out."""
    cell, one = _clearest(list(result.cells))
    every = [each for some in result.cells for each in some.differences]
    return [
        *_printable(result, cell, one, every),
        _general(cell),
        _ratio(one) if result.are_rates else _cause(result, one),
        _equal(result, one, every),
    ]


def _printable(
    result: RatesResult, cell: RateCell, one: Difference, every: list[Difference]
) -> list[Sentence]:
    case = within(cell.case, result.case_name)
    begin = f"{capital(case)}, {cell.model}" if case else cell.model
    groups = {group.name: group for group in cell.groups}
    first, second = (_mean(result, groups[name]) for name in (one.name, one.reference))
    levels = f"{begin} rated {one.name} {first} and {one.reference} {second} on average."
    if result.are_rates:
        levels = f"{begin} said yes to {one.name} in {first} and to {one.reference} in {second}."
    more = "more" if one.difference > 0 else "less"
    gap = f"{capital(one.name)} got {_amount(result, one.difference, signed=False)} {more} than"
    gap += f" {one.reference} ({_ends(result, one)})."
    if not one.differs:
        gap = f"There is no clear difference between {one.name} and {one.reference}."
    alike = sum(each.is_within(result.margin) for each in every)
    margin = _amount(result, result.margin, signed=False)
    how_many = f"{alike} of {len(every)} comparisons show" if alike else "No comparison shows"
    corrected = f", corrected for {counted(len(every), 'test')}" if len(every) > 1 else ""
    return [
        Sentence(levels, one.difference, f"Of {counted(cell.n, 'answer')}.", True),
        Sentence(gap, one.p_adjusted, f"p {p_said(one.p_adjusted)}{corrected}.", True),
        Sentence(
            f"{how_many} that groups are treated alike within {margin}.", alike,
            "That takes two one-sided tests that exclude a larger difference.", True,
        ),
    ]  # fmt: skip


def _general(cell: RateCell) -> Sentence:
    some = any(each.differs for each in cell.differences)
    return Sentence(
        f"{cell.model} {'discriminates' if some else 'does not discriminate'}.", cell.n,
        f"These are {counted(cell.n, 'answer')} to the questions on file; other questions, and"
        " decisions about people, are not among them.", False,
    )  # fmt: skip


def _ratio(one: Difference) -> Sentence:
    low, high = one.ratio_interval.low, one.ratio_interval.high
    if one.ratio != one.ratio:
        return Sentence(
            f"{capital(one.name)} are treated many times as well as {one.reference}, or worse.",
            one.difference, "One of the rates is 0 %, so there is no ratio.", False,
        )  # fmt: skip
    if low != low:
        return Sentence(
            f"{capital(one.name)} are treated {one.ratio:.2f} times as well as {one.reference}.",
            one.ratio, "The ends of the ratio’s interval differ by more than a factor of two.",
            False,
        )  # fmt: skip
    return Sentence(
        f"The ratio is {one.ratio:.2f}, and the four-fifths rule settles the matter.", one.ratio,
        f"The rule is about an employer’s selections. Here the ratio’s interval is {low:.2f} to"
        f" {high:.2f}.", False,
    )  # fmt: skip


def _cause(result: RatesResult, one: Difference) -> Sentence:
    includes = "excludes" if one.differs else "includes"
    here = f"Here the interval of the difference, {_ends(result, one)}, {includes} 0"
    if one.interval.low != one.interval.low:
        here = "Here each group has one and the same number throughout"
    return Sentence(
        f"{capital(one.name)} are rated {'higher' if one.difference > 0 else 'lower'} everywhere.",
        one.difference, f"{here}; other questions were not asked.", False,
    )  # fmt: skip


def _equal(result: RatesResult, one: Difference, every: list[Difference]) -> Sentence:
    open_ones = [d for d in every if not d.differs and not d.is_within(result.margin)]
    margin = _amount(result, result.margin, signed=False)
    if open_ones:
        return Sentence(
            "No clear difference: groups are treated alike.", len(open_ones),
            f"{len(open_ones)} of {len(every)} comparisons leave room for more than {margin}.",
            False,
        )  # fmt: skip
    may_be = f"It may be {_ends(result, one)}."
    if one.interval.low != one.interval.low:
        may_be = "Without answers that vary within a group it has no interval."
    return Sentence(
        f"The difference is {_amount(result, one.difference, signed=False)}, no more and no less.",
        one.difference, may_be, False,
    )  # fmt: skip


def chart(result: RatesResult) -> Chart:
    """Rate or mean of each group by model and case, with its interval."""
    cells = result.cells
    scale = 100 if result.are_rates else 1
    rows, low, high, at, colours = [], [], [], [], []
    for cell in cells:
        name = " ".join(part for part in (cell.model, within(cell.case, result.case_name)) if part)
        differs = {one.name: one.differs for one in cell.differences}
        for place, one in enumerate(cell.groups):
            rows.append(Row(one.name, group=name, values=(f"{one.n:,}",)))
            low.append(scale * one.interval.low)
            high.append(scale * one.interval.high)
            at.append(scale * one.mean)
            clear = (GROUP_1, GROUP_2)[min(place, 1)] if len(cell.groups) == 2 else INK
            colours.append(clear if any(differs.values()) else NEUTRAL)
    y = np.arange(len(rows))
    shapes: list[Shape] = [
        "square" if place == 1 and len(cell.groups) == 2 else "circle"
        for cell in cells
        for place in range(len(cell.groups))
    ]
    panel = Panel(
        x=axis_over(low, high, at, label="yes, %" if result.are_rates else "mean"),
        y=Rows(rows=tuple(rows), heads=("answers",)),
        marks=(
            Intervals(low=low, high=high, y=y, colour=colours),
            Points(x=at, y=y, colour=colours, shape=shapes, size=5),
        ),
        width=420,
    )
    return Chart(title=joined(result.verdict_spans()), note=result.caveat(), panels=((panel,),))
