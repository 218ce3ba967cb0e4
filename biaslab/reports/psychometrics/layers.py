"""Words and chart of psychometric curves per layer: where a lean arises."""

from __future__ import annotations

import numpy as np

from biaslab.probes.psychometrics.layers import Floats, LayersResult
from biaslab.records.wording import Span, counted, joined, number, percent, range_text, would_show
from biaslab.reports.chart import (
    Axis,
    Chart,
    Intervals,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    finding,
    lean_marks,
)
from biaslab.reports.palette import INK
from biaslab.stats.significance import smallest_effect

_ITEMS = 20
"""Items that a summary names."""


def verdict(result: LayersResult) -> list[Span]:
    """The verdicts on all items."""
    pieces: list[Span] = []
    for item in result.items:
        if pieces:
            pieces.append((" ", "plain"))
        pieces += spans(result, item)
    return pieces


def spans(result: LayersResult, item: str) -> list[Span]:
    """The verdict on an item as pieces of text with their roles."""
    i, origin = result.index(item), result.origin(item)
    first = result.estimates(result.layers[0])
    if origin.source == "unknown":
        return [
            ("Where a lean of ", "plain"), (item, "strong"), (" arises is ", "plain"),
            ("unknown", "strong"), (": one frame and one cue pair give no interval.", "plain"),
        ]  # fmt: skip
    if origin.source == "none":
        low, high = first.neutral_interval[i]
        share = f"{percent(float(first.neutral[i]))} % {result.pairs[0][1]}"
        share += f" ({range_of(low, high)} %)"
        smallest = would_show(float(smallest_effect(low, high, result.level)), most=0.5)
        return [
            (item, "strong"), (" has ", "plain"), ("no clear lean", "strong"),
            (f" to place: the answer to an even blend is {share}{smallest}.", "plain"),
        ]  # fmt: skip
    lead: list[Span] = [("The lean of ", "plain"), (item, "strong"), (" toward ", "plain")]
    lead.append(_cue(result, int(first.lean[i])))
    whole = points(abs(float(first.neutral[i]) - 0.5))
    if origin.source == "unclear":
        why = f": none of {counted(len(result.steps.before), 'step')} changes it clearly."
        return [*lead, (f", {whole} points, has ", "plain"), ("no clear place", "strong"),
                (why, "plain")]  # fmt: skip
    if origin.source == "layers":
        where = f"arises between layers {origin.before} and {origin.after}"
        blocks = f"block {origin.after} adds"
        if origin.after - origin.before > 1:
            blocks = f"blocks {origin.before + 1} to {origin.after} add"
        added = f": {blocks} {_added(result, i, origin.step)} of its {whole}."
        return [*lead, (" ", "plain"), (where, "strong"), (added, "plain")]
    rest = points(abs(float(result.estimates(result.layers[-1]).neutral[i]) - 0.5))
    share = f": its {whole}" if rest == whole else f": {rest} of its {whole}"
    last = result.layers[-1]
    pieces: list[Span] = [
        *lead, (" is ", "plain"), ("in the answers to the pure cues already", "strong"),
        (f"{share} points are there when blending waits until layer {last}.", "plain"),
    ]  # fmt: skip
    if origin.step >= 0:
        most = f" Between layers {origin.before} and {origin.after} it grows most, by"
        pieces.append((f"{most} {_added(result, i, origin.step)}.", "plain"))
    return pieces


def caveat(result: LayersResult) -> str:
    """What limits the verdicts."""
    parts = [
        "Points are percentage points of the mean answer to an even blend.",
        "A preference that is the same for every blend, pure cues included, has no place.",
    ]
    if (steps := len(result.steps.before)) > 1:
        level = f"{100 * result.level:.0f} %"
        parts.append(f"The {level} intervals of a word’s {steps} steps hold together (Bonferroni).")
    if result.patch == "cue":
        parts.append(
            "Only the cue’s own place follows the blend: a curve is flat at layers where the rest"
            " of the text has read the cue already."
        )
    if result.dropped:
        parts.append(f"{counted(len(result.dropped), 'term')} left out.")
    return " ".join(parts)


def headline(result: LayersResult) -> str:
    """One line for a list of runs: the first item."""
    item = result.items[0]
    more = f" and {len(result.items) - 1} more" if len(result.items) > 1 else ""
    origin = result.origin(item)
    places = {
        "layers": f"lean arises between layers {origin.before} and {origin.after}",
        "ends": "lean is in the answers to the pure cues",
        "unclear": "lean has no clear place",
        "none": "no clear lean at any layer to place",
        "unknown": "no interval, so no place of a lean",
    }
    return f"{item}: {places[origin.source]} ({len(result.layers)} layers){more}"


def summary(result: LayersResult) -> str:
    """The verdicts, and PSE and JND per layer."""
    lines = [joined(verdict(result)), caveat(result)]
    for item in result.items[:_ITEMS]:
        lines.append(f"{item}:")
        lines += [f"  {_line(result, item, layer)}" for layer in result.layers]
    if len(result.items) > _ITEMS:
        lines.append(f"... and {len(result.items) - _ITEMS} more items: see to_frame().")
    lines += [f"Dropped {d.role} {d.term!r}: {d.reason}." for d in result.dropped]
    lines += result.notes
    return "\n".join(lines)


def name_of(result: LayersResult, layer: int) -> str:
    """Name a layer: its number, and what the first and the last are."""
    if layer == 0:
        return "0, input"
    return f"{layer}, output" if layer == result.n_blocks else str(layer)


def points(share: float) -> str:
    """A difference of shares in points: none or one decimal."""
    return number(100 * share, 0 if abs(share) >= 0.1 else 1)


def range_of(low: float, high: float) -> str:
    """Two ends as percentages: "44 to 60"; of an interval without an end, the other."""
    if np.isinf(low) and np.isinf(high):
        return "any"
    if np.isinf(low):
        return f"at most {percent(high)}"
    if np.isinf(high):
        return f"at least {percent(low)}"
    return range_text(low, high).replace(" and ", " to ")


def _cue(result: LayersResult, lean: int) -> Span:
    cue_1, cue_2 = result.pairs[0]
    return (cue_1, "group1") if lean > 0 else (cue_2, "group2")


def _added(result: LayersResult, i: int, step: int) -> str:
    """A step's shift as a size in the direction that it has, with its interval."""
    shift, (low, high) = float(result.steps.shift[i, step]), result.steps.interval[i, step]
    if shift < 0:
        low, high = -high, -low
    return f"{points(abs(shift))} points ({points(float(low))} to {points(float(high))})"


def _line(result: LayersResult, item: str, layer: int) -> str:
    i, estimates = result.index(item), result.estimates(layer)
    pse, jnd = float(estimates.pse[i]), float(estimates.jnd[i])
    text = f"PSE {percent(pse)} %" if np.isfinite(pse) else "no PSE"
    if np.isfinite(pse) and not np.isnan(estimates.corpus[i]).any():
        text += f" ({range_of(*estimates.corpus[i])} %)"
    text += f", JND {percent(jnd)} points" if np.isfinite(jnd) else ", no JND"
    if np.isfinite(jnd) and np.isfinite(estimates.jnd_interval[i]).all():
        text += f" ({range_of(*estimates.jnd_interval[i])})"
    return f"layer {name_of(result, layer)}: {text}"


_ITEMS_DRAWN = 8
"""Items with rows of their own; more are left to the table."""


def chart(result: LayersResult, item: str | None = None) -> Chart:
    """A row per layer; without an item, of the first items."""
    items = result.items[:_ITEMS_DRAWN] if item is None else (item,)
    rows = tuple(
        Row(f"layer {name_of(result, layer)}", group=each if len(result.items) > 1 else "")
        for each in items
        for layer in result.layers
    )
    at = [(result.index(each), layer) for each in items for layer in result.layers]
    estimates = [(i, result.estimates(layer)) for i, layer in at]
    looks = lean_marks([int(one.lean[i]) for i, one in estimates])
    cue_2 = result.pairs[0][1]
    pse = np.array([[one.pse[i], *one.corpus[i]] for i, one in estimates])
    jnd = np.array([[one.jnd[i], *one.jnd_interval[i]] for i, one in estimates])
    even = np.array([[one.neutral[i], *one.neutral_interval[i]] for i, one in estimates])
    panels = (
        _panel(rows, pse, looks, f"PSE, % {cue_2}", "PSE", neutral=True, named=True),
        _panel(rows, jnd, {"colour": INK}, "JND, points", "JND", neutral=False),
        _panel(rows, even, looks, f"answers {cue_2}, %", "answer to an even blend", neutral=True),
    )
    left = len(result.items) - len(items)
    more = f" {left} more words are in the table." if item is None and left else ""
    title = finding(result) if item is None else joined(result.verdict_spans(item))
    return Chart(title=title, note=result.caveat() + more, panels=(panels,))


def _panel(
    rows: tuple[Row, ...],
    values: Floats,
    looks: dict[str, object],
    label: str,
    title: str,
    *,
    neutral: bool,
    named: bool = False,
) -> Panel:
    """Estimates with their intervals, (rows, 3), in percent."""
    percents = 100 * values
    low, high = _reach(percents, neutral)
    y = np.arange(len(rows))
    ends = np.clip(percents[:, 1:], low, high)
    colour = looks["colour"]
    inside = np.where((percents[:, 0] >= low) & (percents[:, 0] <= high), percents[:, 0], np.nan)
    marks = (
        *((Rule(at=50, label="50 %", colour=INK),) if neutral else ()),
        Intervals(low=ends[:, 0], high=ends[:, 1], y=y, colour=colour),  # type: ignore[arg-type]
        Points(x=inside, y=y, data={"row": [row.name for row in rows]},
               hover=(("", "@row"), (title, "@x{0.0}")), **looks),  # type: ignore[arg-type]
    )  # fmt: skip
    return Panel(
        title=title,
        x=Axis(low=low, high=high, label=label),
        y=Rows(rows=rows, named=named),
        marks=marks,
        width=210,
    )


def _reach(percents: Floats, neutral: bool) -> tuple[float, float]:
    """An axis over all estimates, and over intervals as far as these."""
    shown = percents[np.isfinite(percents)]
    shown = np.append(shown, [30.0, 70.0] if neutral else [0.0])
    low, high = float(shown.min()), float(shown.max())
    room = 0.05 * (high - low) or 1.0
    return (low - room if neutral else 0.0), high + room
