"""Chart of a decision result: a curve for each group, its answers, and the gap between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biaslab.probes.decisions import DecisionsResult
from biaslab.records.wording import joined, number
from biaslab.reports.chart import Axis, Band, Chart, Intervals, Line, Mark, Panel, Points, Rule
from biaslab.reports.decisions.words import amount, digits_of
from biaslab.reports.palette import GROUP_1, GROUP_2, INK, NEUTRAL
from biaslab.stats.curves.sigmoids import Floats

_COLOURS = (GROUP_1, GROUP_2, INK, NEUTRAL)
_SHAPES = ("circle", "square", "diamond", "hollow")
_GRID = 121


def chart(result: DecisionsResult) -> Chart:
    """Curves with their bands and answers; below them the gap."""
    panels: list[tuple[Panel, ...]] = [(curves(result),)]
    if not result.reason:
        panels.append((gap(result),))
    return Chart(
        title=joined(result.verdict_spans()),
        note=result.caveat(),
        panels=tuple(panels),
        small=curves(result),
    )


def _axis(result: DecisionsResult) -> Axis:
    low, high = level_range(result)
    label = result.case.quality.name
    if result.form == "which of two":
        label = f"difference in {label}: {result.groups[1]} minus {result.groups[0]}"
    return Axis(low=low, high=high, label=label)


def level_range(result: DecisionsResult) -> tuple[float, float]:
    """The ends of the levels, or of their differences."""
    quality = result.case.quality
    if result.form == "yes or no":
        return quality.low, quality.high
    reach = (quality.high - quality.low) / 2
    return -reach, reach


def curves(result: DecisionsResult) -> Panel:
    """Answers at each level, and the fitted curves."""
    marks: list[Mark] = [Rule(at=50, axis="y", dashed=True)]
    alone = result.form == "yes or no"
    at = np.linspace(*level_range(result), _GRID)
    for place, group in enumerate(result.groups if alone else ("",)):
        colour = _COLOURS[place % len(_COLOURS)] if alone else INK
        mean, low, high = 100 * result.curve(at, place)
        is_fitted = bool(np.isfinite(mean).all())
        if is_fitted:
            marks += [
                Band(x=at, low=low, high=high, colour=colour, alpha=0.15),
                Line(x=at, y=mean, colour=colour, name=group),
            ]
        levels, shares, counts = answers(result, place)
        marks.append(
            Points(
                x=levels, y=100 * shares, colour=colour, size=4, name="" if is_fitted else group,
                shape=_SHAPES[place % len(_SHAPES)],  # type: ignore[arg-type]
                data={"n": counts.tolist()},
                hover=(("", "@x{0.0}: @y{0} % of @n answers"),),
            )
        )  # fmt: skip
        if is_fitted:
            marks.append(
                Points(x=[result.pse(place).value], y=[50.0], colour=colour, shape="ring", size=6)
            )
    outcome = result.case.outcome
    label = f"{outcome}, %" if alone else f"{result.groups[1]} chosen, %"
    y = Axis(low=0, high=100, label=label)
    return Panel(x=_axis(result), y=y, marks=tuple(marks), width=560, height=320)


def answers(result: DecisionsResult, group: int) -> tuple[Floats, Floats, Floats]:
    """Levels that a group was asked at, the share of yes there, and the number of answers."""
    trials = result.trials
    chosen = trials.answered
    if result.form == "yes or no":
        chosen = chosen & (trials.group == result.places[group])
        at = trials.level[chosen]
    else:
        at = (trials.level - trials.other_level)[chosen]
    levels, where = np.unique(np.round(at, 9), return_inverse=True)
    counts = np.bincount(where, minlength=len(levels)).astype(float)
    shares = np.bincount(where, trials.yes[chosen], minlength=len(levels)) / np.maximum(counts, 1)
    return levels, shares, counts


def gap(result: DecisionsResult) -> Panel:
    """The gap with both of its intervals, and the margin within which groups are alike."""
    wide, narrow = result.gap_interval(), result.gap_interval("these")
    ends: Sequence[float] = [0.0, result.gap, wide.low, wide.high, result.margin, -result.margin]
    shown = np.array([end for end in ends if np.isfinite(end)])
    room = 0.06 * float(np.ptp(shown)) or 1.0
    axis = Axis(
        low=float(shown.min()) - room,
        high=float(shown.max()) + room,
        label=f"gap in {result.case.quality.unit}; below 0 {result.groups[0]} must bring more",
    )
    digits = digits_of(wide.low, wide.high)
    margin = [-result.margin, result.margin]
    marks: tuple[Mark, ...] = (
        Band(x=margin, low=[0, 0], high=[1, 1], colour=NEUTRAL, alpha=0.2),
        Rule(at=0, label="alike"),
        Intervals(low=[narrow.low], high=[narrow.high], y=[0.35], colour=NEUTRAL, width=5),
        Intervals(low=[wide.low], high=[wide.high], y=[0.6], width=2),
        Points(x=[result.gap], y=[0.6], size=5),
    )
    return Panel(
        title=f"gap {number(result.gap, digits)} {result.case.quality.unit};"
        f" within ± {amount(result, result.margin)} counts as alike",
        x=axis,
        y=Axis(low=0, high=1, ticks=()),
        marks=marks,
        width=560,
        height=60,
    )
