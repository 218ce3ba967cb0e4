"""Chart of words between groups, and beside them an outside table."""

from __future__ import annotations

import numpy as np

from biaslab.probes.occupations import OccupationsResult
from biaslab.records.wording import joined, number
from biaslab.reports.chart import (
    Axis,
    Band,
    Chart,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    axis_over,
    lean_marks,
)
from biaslab.reports.occupations.words import against, verdict
from biaslab.reports.palette import GROUP_1_TEXT, GROUP_2_TEXT, NEUTRAL
from biaslab.reports.psychometrics.chart import MOST_RINGS, Measure, estimates, pooled
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.significance import Adjust

_WIDEST = (-0.5, 1.5)


def chart(
    result: OccupationsResult,
    contrast: int | None = None,
    measure: Measure = "pse",
    adjust: Adjust = "holm",
) -> Chart:
    """Every word of a contrast, or of all; beside it, the outside table if there is one.

    Colours and shapes follow the verdict: leans are corrected for the number of words unless
    `adjust` is ``none``.
    """
    shown = range(len(result.combinations)) if contrast is None else (contrast,)
    panels = []
    for i in shown:
        own = [words(result, i, measure, adjust=adjust)]
        if result.outside is not None and not result.agreement(measure, i).reason:
            own.append(outside(result, i, measure, adjust))
        panels.append(tuple(own))
    verdicts = (joined(verdict(result, i, adjust)) for i in shown)
    caveats = dict.fromkeys(result.caveat(i) for i in shown)
    return Chart(
        title=" ".join(verdicts),
        note=" ".join(caveats),
        panels=tuple(panels),
        small=words(result, shown[0], measure, adjust=adjust, single_pairs=False),
    )


def words(
    result: OccupationsResult,
    contrast: int = 0,
    measure: Measure = "pse",
    *,
    adjust: Adjust = "holm",
    single_pairs: bool = True,
) -> Panel:
    """A measure of every word, sorted: pooled with its interval, and each cue pair as a ring."""
    curves = result.contrasts[contrast]
    pairs = curves.by_pair.pse if measure == "pse" else curves.by_pair.jnd
    if not single_pairs:
        pairs = pairs[:, :0]
    low, high = _range(*pooled(curves, measure), pairs, measure)
    one, two = result.of_contrast(contrast)
    label = "JND: points of the blend"
    ends: tuple[tuple[str, str], ...] = ()
    if measure == "pse":
        others = against(result)
        label = f"PSE: % {two} at the switch" + (f", 50 % = {others}" if others else "")
        ends = ((f"← leans {two}", GROUP_2_TEXT), (f"leans {one} →", GROUP_1_TEXT))
    title = f"{one} and {two}" if len(result.combinations) > 1 else ""
    axis = Axis(low=100 * low, high=100 * high, label=label, ends=ends)
    return estimates(
        curves,
        measure,
        axis,
        title=title,
        pairs=pairs if single_pairs else None,
        leans=result.leans(contrast, adjust).tolist(),
    )


def outside(
    result: OccupationsResult, contrast: int = 0, measure: str = "pse", adjust: Adjust = "holm"
) -> Panel:
    """A measure of every word against the outside table, with the line and its band."""
    agreement = result.agreement(measure, contrast)
    curves, leans = result.contrasts[contrast], result.leans(contrast, adjust)
    interval = agreement.pearson_interval
    marks: list[Mark] = [Rule(at=50, axis="y", dashed=True)] if measure == "pse" else []
    spread: list[Floats] = [100 * agreement.y]
    if agreement.line is not None:
        low, high = 100 * agreement.line.low, 100 * agreement.line.high
        spread += [low, high]
        marks += [
            Band(x=agreement.line.x, low=low, high=high, colour=NEUTRAL, alpha=0.2),
            Line(x=agreement.line.x, y=100 * agreement.line.y, width=1.5),
        ]
    marks.append(
        Points(
            x=agreement.x,
            y=100 * agreement.y,
            data={"word": list(agreement.words)},
            hover=(("", "@word"), ("", "@x{0.0}, @y{0.0}")),
            **lean_marks([int(leans[curves.index(word)]) for word in agreement.words]),
        )
    )
    return Panel(
        title=(
            f"r = {number(agreement.pearson)} ({number(interval.low)} to {number(interval.high)}), "
            f"n = {agreement.n}"
        ),
        x=axis_over(agreement.x, label=agreement.x_label),
        y=axis_over(*spread, label=agreement.y_label),
        marks=tuple(marks),
        width=380,
        height=340,
    )


def _range(value: Floats, between: Floats, pairs: Floats, measure: Measure) -> tuple[float, float]:
    """The axis: all values and the neutral one, within reason, to whole tens of percent."""
    parts = [value, between.ravel()] + ([pairs.ravel()] if pairs.shape[1] <= MOST_RINGS else [])
    shown = np.concatenate(parts)
    shown = shown[np.isfinite(shown)]
    ends = [0.4, 0.6] if measure == "pse" else [0.0, 0.1]
    low = max(min(shown.min(initial=ends[0]), ends[0]), _WIDEST[0])
    high = min(max(shown.max(initial=ends[1]), ends[1]), _WIDEST[1])
    return float(np.floor(10 * low) / 10), float(np.ceil(10 * high) / 10)
