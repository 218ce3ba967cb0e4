"""Plain words and chart for a treatment: its effect, beside placebos, and its costs."""

from __future__ import annotations

import math

import numpy as np

from biaslab.probes.treatment import Change, TreatmentResult
from biaslab.records.wording import Span, counted, decimals_of, joined, number, percent
from biaslab.reports.chart import (
    Chart,
    Intervals,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    axis_over,
    finding,
)
from biaslab.reports.palette import INK, INK_2


def summary(result: TreatmentResult) -> str:
    """The verdict, its limits, and a line per cost."""
    lines = [joined(verdict(result)), caveat(result)]
    costs = [one for one in result.changes if one.part != "bias" and not one.placebo]
    lines += [f"Cost: {_cost(one)}." for one in costs]
    lines += [f"Not counted as a task: {one.term} ({one.reason})." for one in result.dropped]
    return "\n".join(lines)


def verdict(result: TreatmentResult) -> tuple[Span, ...]:
    """How the bias changes, and what placebos do."""
    bias = result.bias
    before, after = number(bias.before), number(bias.after)
    moved = f"The {bias.what} goes from {before} to {after}"
    if not bias.excludes_null:
        lead = f"No clear change by {result.method}"
        spans: list[Span] = [(lead, "strong"), (f": {_lower(moved)}, {_change(bias)}.", "plain")]
    else:
        spans = [(moved, "strong"), (f" by {result.method}: {_change(bias)}.", "plain")]
    if result.placebos:
        spans.append((f" {_placebos(result)}", "plain"))
    if bias.excludes_null and not result.exceeds_placebos:
        doubt = " A random treatment does as much, so what this one says or learns need not matter."
        spans.append((doubt, "plain"))
    return tuple(spans)


def caveat(result: TreatmentResult) -> str:
    """What the interval of the change is over."""
    interval = result.bias.interval
    level = f"{percent(interval.level)} %"
    return f"{level} intervals of changes, each paired; that of the bias is over {interval.kind}."


def chart(result: TreatmentResult) -> Chart:
    """The change by the treatment, and by each placebo."""
    rows = [result.bias, *result.placebos]
    names = ["treatment", *(f"placebo {one.placebo}" for one in result.placebos)]
    low, high = (np.array([getattr(one.interval, end) for one in rows]) for end in ("low", "high"))
    change = np.array([one.change for one in rows])
    y = np.arange(len(rows))
    colours = [INK if one.excludes_null else INK_2 for one in rows]
    texts = [(number(one.change), _ends(one)) for one in rows]
    panel = Panel(
        x=axis_over(change, low[np.isfinite(low)], high[np.isfinite(high)], [0.0],
                    label=f"Change of the {result.bias.what}"),
        y=Rows(rows=tuple(Row(name, values=text) for name, text in zip(names, texts, strict=True)),
               heads=("change", percent(result.bias.interval.level) + " %")),
        marks=(
            Rule(at=0),
            Intervals(low=low, high=high, y=y, colour=colours),
            Points(x=change, y=y, colour=colours, size=5),
        ),
        width=420,
    )  # fmt: skip
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))


def _placebos(result: TreatmentResult) -> str:
    placebos = result.placebos
    if len(placebos) == 1:
        clear = placebos[0].excludes_null
        lead = "A placebo changes it clearly" if clear else "A placebo changes nothing clearly"
        return f"{lead}: {_change(placebos[0])}."
    mean = result.placebo_mean
    middle = number((mean.low + mean.high) / 2)
    what = "no clear change" if 0.0 in mean else "a clear change"
    ends = f"{number(mean.low)} to {number(mean.high)}"
    return f"{counted(len(placebos), 'placebo')} change it by {middle} on average ({ends}): {what}."


def _change(one: Change) -> str:
    return f"a change of {number(one.change, _digits(one))} ({_ends(one)})"


def _ends(one: Change) -> str:
    low, high, digits = one.interval.low, one.interval.high, _digits(one)
    if math.isnan(low):
        return "no interval"
    return f"{number(low, digits)} to {number(high, digits)}"


def _digits(one: Change) -> int:
    low, high = one.interval.low, one.interval.high
    return 2 if math.isnan(low) else decimals_of(low, high)


def _cost(one: Change) -> str:
    """A cost before and after; shares and relative changes in percent."""
    if one.part == "perplexity":
        before, after = number(one.before), number(one.after)
        unit, digits = "%", 1
    elif one.part == "accuracy":
        before, after = f"{percent(one.before, 1)} %", f"{percent(one.after, 1)} %"
        unit, digits = "points", 1
    else:
        change = f"{number(one.change, 3)}, {number(one.interval.low, 3)}"
        ends = f"{change} to {number(one.interval.high, 3)}"
        return f"{one.what} {number(one.before, 3)} → {number(one.after, 3)} ({ends})"
    plus = "+" if one.change > 0 else ""
    ends = f"{percent(one.interval.low, digits)} to {percent(one.interval.high, digits)}"
    change = f"{plus}{percent(one.change, digits)} {unit}, {ends}"
    return f"{one.what} {before} → {after} ({change})"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
