"""Small still charts for lessons: a fitted curve with its counts, and estimates with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from biaslab.reports.chart import text_width
from biaslab.reports.palette import (
    GROUP_1,
    GROUP_1_TEXT,
    GROUP_2,
    GROUP_2_TEXT,
    INK,
    INK_2,
    INK_3,
    LINE,
    NEUTRAL,
    SURFACE,
)
from biaslab.reports.svg import line, text
from biaslab.reports.theme import follow_theme
from biaslab.stats.intervals import interval
from biaslab.stats.psychometric import PsychometricFit

WIDTH = 640
_LEFT, _RIGHT = 60, 615
_ROW = 22


def labels_end(labels: Sequence[str], least: float) -> float:
    """Where the rows of a chart begin, so that their labels fit before them."""
    return max(least, 14 + max(map(text_width, labels), default=0))


@dataclass(frozen=True)
class Chart:
    """A chart that a notebook shows: SVG text, and in words what it shows."""

    svg: str
    words: str

    def _repr_html_(self) -> str:
        return follow_theme(self.svg)

    def __repr__(self) -> str:
        return self.words


def psychometric_chart(
    fits: PsychometricFit | dict[str, PsychometricFit],
    *,
    stimulus: str = "stimulus: share of cue 2, %",
    answer: str = "answers cue 2, %",
    truth: float | None = None,
) -> Chart:
    """Draw counted answers and the fitted curve of one or two observers.

    Parameters
    ----------
    fits : PsychometricFit or dict
        Fits of one curve each; at most two, with their names.
    stimulus, answer : str
        What the axes are.
    truth : float, optional
        A known PSE, marked on the axis.
    """
    named = {"": fits} if isinstance(fits, PsychometricFit) else fits
    if not 1 <= len(named) <= 2:
        raise ValueError(f"{len(named)} curves were given. Draw one or two.")
    levels = np.concatenate([fit.levels[fit.trials > 0] for fit in named.values()])
    margin = 0.05 * float(np.ptp(levels) or 1)
    low, high = min(float(levels.min()) - margin, 0.5), max(float(levels.max()) + margin, 0.5)
    frame = _Frame(low, high, top=28, bottom=250)
    parts = list(frame.axes(stimulus, answer))
    words = []
    for (name, fit), colour, dash in zip(
        named.items(), (INK, INK_2), ("none", "7 4"), strict=False
    ):
        parts += frame.curve(fit, colour, dash)
        estimate = estimate_in_words(fit)
        words.append(f"{name}: {estimate}" if name else estimate)
    if truth is not None:
        parts.append(
            text(frame.x(truth), 18, f"true PSE {100 * truth:.0f} %", INK_2, anchor="middle")
        )
        parts.append(line(frame.x(truth), 22, frame.x(truth), 250, INK_2, dash="1 3"))
    if len(named) == 2:
        for n, (name, dash) in enumerate(zip(named, ("none", "7 4"), strict=True)):
            y = 46 + 18 * n
            parts.append(line(_LEFT + 10, y - 4, _LEFT + 44, y - 4, INK, width=2, dash=dash))
            parts.append(text(_LEFT + 52, y, name, INK_2))
    return Chart(_document(310, " ".join(words), parts), "\n".join(words))


def interval_chart(
    labels: Sequence[str],
    values: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    *,
    ends: tuple[str, str] = ("female", "male"),
    stimulus: str = "PSE, % male in the blend",
) -> Chart:
    """Draw estimates with their intervals, one row each, around the neutral 50 %.

    An interval that stays clear of 50 % has the colour of the end that the row leans to: a PSE
    above 50 % leans to the first end.

    Parameters
    ----------
    labels : sequence of str
        Names of the n rows, from top to bottom.
    values, low, high : array_like, shape (n,)
        In units of alpha (share of cue 2).
    ends : (str, str)
        Names of cue 1 and cue 2.
    stimulus : str
        What the axis is.
    """
    rows = np.array([values, low, high], dtype=float)
    bottom, left = 44 + _ROW * len(labels), labels_end(labels, 150)
    frame = _Frame(
        min(float(np.nanmin(rows)) - 0.02, 0.0),
        max(float(np.nanmax(rows)) + 0.02, 1.0),
        top=34,
        bottom=bottom,
        left=left,
    )
    parts = [*frame.stimulus_axis(stimulus)]
    middle = frame.x(0.5)
    parts.append(line(middle, 30, middle, bottom, NEUTRAL, dash="2 4"))
    parts.append(text(middle, 22, "neutral", INK_3, size=11, anchor="middle"))
    parts.append(text(_RIGHT, 22, f"leans {ends[0]} →", GROUP_1_TEXT, weight="bold", anchor="end"))
    parts.append(text(left, 22, f"← leans {ends[1]}", GROUP_2_TEXT, weight="bold"))
    words = []
    for n, (label, value, start, stop) in enumerate(zip(labels, *rows, strict=True)):
        y = 34 + _ROW * (n + 0.7)
        lean = 1 if start > 0.5 else -1 if stop < 0.5 else 0
        colour = {1: GROUP_1, -1: GROUP_2, 0: INK_3}[lean]
        parts.append(text(left - 12, y + 4, label, INK, anchor="end"))
        parts.append(line(frame.x(start), y, frame.x(stop), y, colour, width=2.5))
        parts.append(_mark(frame.x(value), y, lean, colour))
        side = {1: f"leans {ends[0]}", -1: f"leans {ends[1]}", 0: "no clear lean"}[lean]
        words.append(f"{label}: {100 * value:.0f} %, {100 * start:.0f} to {100 * stop:.0f}, {side}")
    return Chart(_document(bottom + 56, "; ".join(words), parts), "\n".join(words))


def estimate_in_words(fit: PsychometricFit) -> str:
    """PSE and JND of one curve with their 95 % intervals, or why there are none."""
    pse, jnd = float(fit.pse()), float(fit.jnd())
    around, spread = interval(fit, "pse"), interval(fit, "jnd")
    if not is_fixed(fit):
        why = str(fit.reason) or "these answers do not fix a point"
        return f"No PSE{_bound(float(around.low), float(around.high))}: {why}."
    lead = f"PSE {_percent(pse)} % ({_range(around.low, around.high)}), "
    if not bool(fit.converged):  # a step: its place is known, its width is not
        return (
            f"{lead}JND below {_percent(spread.high)} points: too small to measure with these"
            " steps."
        )
    return f"{lead}JND {_percent(jnd)} points ({_range(spread.low, spread.high)})."


def is_fixed(fit: PsychometricFit) -> bool:
    """Return whether the answers fix the PSE: its 95 % interval ends among possible stimuli.

    The stimulus is a share, so a PSE is a point from 0 to 1. The interval of answers that hardly
    rise with the level ends far outside, or nowhere.
    """
    around = interval(fit, "pse")
    return bool(np.isfinite(fit.pse()) and around.low >= 0 and around.high <= 1)


def _bound(low: float, high: float) -> str:
    """Return the bound of a PSE without an estimate, in words."""
    if low < 0 < high <= 1:
        return f", but below {_percent(high)} % at 95 % confidence"
    if 0 <= low < 1 < high:
        return f", but above {_percent(low)} % at 95 % confidence"
    return ""


def _percent(alpha: ArrayLike) -> str:
    return f"{100 * float(np.asarray(alpha)):.1f}".replace("-", "−")


def _range(low: ArrayLike, high: ArrayLike) -> str:
    if not np.isfinite(np.array([low, high], dtype=float)).all():
        return "these answers do not fix its interval"
    return f"95 %: {_percent(low)} to {_percent(high)}"


@dataclass(frozen=True)
class _Frame:
    """The plotting area: alpha from ``low`` to ``high`` across, a share upward."""

    low: float
    high: float
    top: float
    bottom: float
    left: float = _LEFT

    def x(self, alpha: float) -> float:
        share = (float(alpha) - self.low) / (self.high - self.low)
        return self.left + (_RIGHT - self.left) * share

    def y(self, share: float) -> float:
        return self.bottom - (self.bottom - self.top) * float(share)

    def axes(self, stimulus: str, answer: str) -> Iterator[str]:
        for percent in (0, 25, 50, 75, 100):
            y = self.y(percent / 100)
            yield line(self.left, y, _RIGHT, y, NEUTRAL if percent == 50 else LINE)
            yield text(self.left - 8, y + 4, str(percent), INK_3, size=11, anchor="end")
        yield (
            f'<text transform="translate(16 {(self.top + self.bottom) / 2:.0f}) rotate(-90)" '
            f'fill="{INK_2}" font-size="12" text-anchor="middle">{escape(answer)}</text>'
        )
        yield line(self.x(0.5), self.top, self.x(0.5), self.bottom, NEUTRAL, dash="2 4")
        yield from self.stimulus_axis(stimulus)

    def stimulus_axis(self, stimulus: str) -> Iterator[str]:
        wide = self.high - self.low
        step = 0.05 if wide < 0.4 else 0.1 if wide < 0.9 else 0.25
        for k in range(int(np.ceil(self.low / step)), int(np.floor(self.high / step + 1e-9)) + 1):
            x = self.x(k * step)
            shown = f"{100 * k * step:.0f}".replace("-", "−")
            yield line(x, self.bottom, x, self.bottom + 4, NEUTRAL)
            yield text(x, self.bottom + 18, shown, INK_3, size=11, anchor="middle")
        middle = (self.left + _RIGHT) / 2
        yield text(middle, self.bottom + 40, stimulus, INK_2, anchor="middle")

    def curve(self, fit: PsychometricFit, colour: str, dash: str) -> Iterator[str]:
        used = fit.trials > 0
        for level, right, trials in zip(
            fit.levels[used], fit.correct[used], fit.trials[used], strict=True
        ):
            yield (
                f'<circle cx="{self.x(level):.1f}" cy="{self.y(right / trials):.1f}" r="4.5" '
                f'fill="{SURFACE}" stroke="{colour}" stroke-width="1.5"/>'
            )
        if not np.isfinite(float(fit.pse())):
            return
        at = np.linspace(self.low, self.high, 161)
        points = " ".join(
            f"{self.x(a):.1f},{self.y(s):.1f}" for a, s in zip(at, fit.psi(at), strict=True)
        )
        yield (
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dash}"/>'
        )
        pse = float(fit.pse())
        if is_fixed(fit) and self.low <= pse <= self.high:
            yield line(self.x(pse), self.y(0.5), self.x(pse), self.bottom, colour, width=1.5)
            yield f'<circle cx="{self.x(pse):.1f}" cy="{self.y(0.5):.1f}" r="5" fill="{colour}"/>'


def _document(height: float, words: str, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'width="{WIDTH}" style="max-width:100%;height:auto" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12"><title>{escape(words)}</title>'
        f'<rect width="100%" height="100%" fill="{SURFACE}"/>\n{body}\n</svg>'
    )


def _mark(x: float, y: float, lean: int, colour: str) -> str:
    """Group 1 is round, group 2 square, and what leans to neither is hollow."""
    if lean == -1:
        return f'<rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9" fill="{colour}"/>'
    fill = colour if lean else SURFACE
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{fill}" stroke="{colour}"/>'
