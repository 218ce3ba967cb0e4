"""Chart of words between groups, and beside them an outside table."""

from __future__ import annotations

from typing import Literal

import numpy as np

from biaslab.probes.occupations import OccupationsResult
from biaslab.reports.chart import (
    Axis,
    Band,
    Chart,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    axis_over,
    lean_marks,
)
from biaslab.reports.palette import GROUP_1_TEXT, GROUP_2_TEXT, INK, LINE, NEUTRAL
from biaslab.stats.sigmoids import Floats
from biaslab.wording import number, percent

_WIDEST = (-0.5, 1.5)
MOST_RINGS = 16
"""With more cue pairs than this, single pairs are drawn as a band from quartile to quartile."""

Measure = Literal["pse", "jnd"]


def chart(
    result: OccupationsResult, contrast: int | None = None, measure: Measure = "pse"
) -> Chart:
    """Every word of a contrast, or of all; beside it, the outside table if there is one."""
    shown = range(len(result.combinations)) if contrast is None else (contrast,)
    panels = []
    for i in shown:
        own = [words(result, i, measure)]
        if result.outside is not None and not result.agreement(measure, i).reason:
            own.append(outside(result, i, measure))
        panels.append(tuple(own))
    verdicts = ("".join(text for text, _ in result.verdict(i)) for i in shown)
    caveats = dict.fromkeys(result.caveat(i) for i in shown)
    return Chart(title=" ".join(verdicts), note=" ".join(caveats), panels=tuple(panels))


def words(result: OccupationsResult, contrast: int = 0, measure: Measure = "pse") -> Panel:
    """A measure of every word, sorted: pooled with its interval, and each cue pair as a ring."""
    asked = result.contrasts[contrast]
    pooled, single = asked.pooled, asked.by_pair
    is_pse = measure == "pse"
    value = pooled.pse if is_pse else pooled.jnd
    order = np.argsort(-np.nan_to_num(value, nan=-np.inf), kind="stable")
    value = value[order]
    between = (pooled.corpus if is_pse else pooled.jnd_interval)[order]
    pairs = (single.pse if is_pse else single.jnd)[order]
    names = [asked.items[i] for i in order]
    looks = lean_marks([int(pooled.lean[i]) for i in order])
    rows = np.arange(len(names))
    told = [
        f"{percent(low)}–{percent(high)}" if np.isfinite([low, high]).all() else ""
        for low, high in between
    ]
    one, two = result.of_contrast(contrast)
    marks: list[Mark] = []
    if is_pse:
        marks.append(Rule(at=50, label="neutral 50 %", colour=INK))
    marks += [
        *_pairs(pairs, looks["colour"]),
        Intervals(
            low=100 * between[:, 0], high=100 * between[:, 1], y=rows, colour=looks["colour"]
        ),
        Points(
            x=100 * value,
            y=rows,
            size=4.5,
            data={
                "word": names,
                measure: 100 * value,
                "between": [ends or "no interval" for ends in told],
            },
            hover=(("", "@word"), (measure.upper(), f"@{measure}{{0.0}} %"), ("", "@between")),
            **looks,
        ),
    ]
    low, high = _range(value, between, pairs, measure)
    leans = ((f"← leans {two}", GROUP_2_TEXT), (f"leans {one} →", GROUP_1_TEXT))
    return Panel(
        title=f"{one} and {two}" if len(result.combinations) > 1 else "",
        x=Axis(
            low=100 * low,
            high=100 * high,
            label=f"PSE: % {two} at the switch" if is_pse else "JND: points of the blend",
            ends=leans if is_pse else (),
        ),
        y=Rows(
            rows=tuple(
                Row(name, values=(percent(float(v)) if np.isfinite(v) else "none", ends))
                for name, v, ends in zip(names, value, told, strict=True)
            ),
            heads=(measure.upper(), f"{100 * result.level:.0f} %"),
            line=17,
        ),
        marks=tuple(marks),
        width=470,
    )


def outside(result: OccupationsResult, contrast: int = 0, measure: str = "pse") -> Panel:
    """A measure of every word against the outside table, with the line and its band."""
    found = result.agreement(measure, contrast)
    asked = result.contrasts[contrast]
    ends = found.pearson_interval
    marks: list[Mark] = [Rule(at=50, axis="y", dashed=True)] if measure == "pse" else []
    spread: list[Floats] = [100 * found.y]
    if found.line is not None:
        low, high = 100 * found.line.low, 100 * found.line.high
        spread += [low, high]
        marks += [
            Band(x=found.line.x, low=low, high=high, colour=NEUTRAL, alpha=0.2),
            Line(x=found.line.x, y=100 * found.line.y, width=1.5),
        ]
    marks.append(
        Points(
            x=found.x,
            y=100 * found.y,
            data={"word": list(found.words)},
            hover=(("", "@word"), ("", "@x{0.0}, @y{0.0}")),
            **lean_marks([int(asked.pooled.lean[asked.index(word)]) for word in found.words]),
        )
    )
    return Panel(
        title=(
            f"r = {number(found.pearson)} ({number(ends.low)} to {number(ends.high)}), "
            f"n = {found.n}"
        ),
        x=axis_over(found.x, label=found.x_label),
        y=axis_over(*spread, label=found.y_label),
        marks=tuple(marks),
        width=380,
        height=340,
    )


def _pairs(pairs: Floats, colours: list[str]) -> list[Mark]:
    """Single cue pairs: a ring each, or of many a band from quartile to quartile."""
    rows, each = np.arange(len(pairs)), pairs.shape[1]
    if each == 1:
        return []
    if each <= MOST_RINGS:
        return [
            Points(
                x=100 * pairs.ravel(),
                y=np.repeat(rows, each),
                shape="ring",
                size=2.2,
                colour=[colour for colour in colours for _ in range(each)],
                name="one cue pair",
            )
        ]
    known = np.isfinite(pairs).any(axis=1)
    low, high = 100 * np.nanquantile(pairs[known], [0.25, 0.75], axis=1)
    return [
        Intervals(low=low, high=high, y=rows[known], colour=LINE, width=9, name="half of the pairs")
    ]


def _range(value: Floats, between: Floats, pairs: Floats, measure: Measure) -> tuple[float, float]:
    """The axis: all values and the neutral one, within reason, to whole tens of percent."""
    parts = [value, between.ravel()] + ([pairs.ravel()] if pairs.shape[1] <= MOST_RINGS else [])
    shown = np.concatenate(parts)
    shown = shown[np.isfinite(shown)]
    ends = [0.4, 0.6] if measure == "pse" else [0.0, 0.1]
    low = max(min(shown.min(initial=ends[0]), ends[0]), _WIDEST[0])
    high = min(max(shown.max(initial=ends[1]), ends[1]), _WIDEST[1])
    return float(np.floor(10 * low) / 10), float(np.ceil(10 * high) / 10)
