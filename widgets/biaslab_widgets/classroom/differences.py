"""Still charts around a neutral value: estimates with intervals, and how often values come up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.reports.palette import CHANCE, INK, INK_2, INK_3, LINE, NEUTRAL, OBSERVED
from biaslab.reports.svg import document, line, mark, text
from biaslab_widgets.classroom.charts import WIDTH, Chart, labels_end

_LEFT, _RIGHT = 40, 615
_ROW, _TOP = 22, 40


def difference_chart(
    labels: Sequence[str],
    values: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    *,
    axis: str,
    ends: tuple[str, str] = ("", ""),
    neutral: str = "no difference 0",
) -> Chart:
    """Draw differences with their intervals, one row each, around 0.

    A filled mark has an interval that stays clear of 0, a hollow one does not.

    Parameters
    ----------
    labels : sequence of str
        Names of the n rows, from top to bottom; one that is empty leaves a gap.
    values, low, high : array_like, shape (n,)
        In the unit of the axis; what is in a gap is not read.
    axis : str
        What the axis is.
    ends : (str, str)
        What lies below and above 0.
    neutral : str
        What 0 means.

    Raises
    ------
    ValueError
        When there is no row, or a value is not finite.
    """
    rows = np.array([values, low, high], dtype=float)
    shown = np.array([bool(label) for label in labels])
    if not shown.any() or not np.isfinite(rows[:, shown]).all():
        raise ValueError("Give one or more rows of finite numbers.")
    bottom, left = _TOP + _ROW * len(labels), labels_end(labels, 190)
    scale = _Axis.around(rows[:, shown], left, bottom)
    parts = [*scale.drawn(axis), *scale.neutral(neutral, _TOP - 4)]
    parts.append(text(left, 14, f"← {ends[0]}" if ends[0] else "", INK_2))
    parts.append(text(_RIGHT, 14, f"{ends[1]} →" if ends[1] else "", INK_2, anchor="end"))
    words = []
    for n, label in enumerate(labels):
        if not label:
            continue
        value, start, stop = rows[:, n]
        y = _TOP + _ROW * (n + 0.5)
        clear = start > 0 or stop < 0
        colour = INK if clear else INK_3
        parts.append(text(left - 12, y + 4, label, INK, anchor="end"))
        parts.append(line(scale.x(start), y, scale.x(stop), y, colour, width=2.5))
        parts.append(mark(scale.x(value), y, int(clear), colour))
        end = (ends[0] if stop < 0 else ends[1]) or "interval excludes 0"
        verdict = end if clear else "interval includes 0"
        words.append(f"{label}: {_number(value)}, {_number(start)} to {_number(stop)}, {verdict}")
    return Chart(document("; ".join(words), "\n".join(parts), WIDTH, bottom + 50), "\n".join(words))


def histogram_chart(
    edges: ArrayLike,
    counts: ArrayLike,
    *,
    axis: str,
    marks: Mapping[str, float] | None = None,
    limits: tuple[float, float] | None = None,
    neutral: str = "no difference 0",
) -> Chart:
    """Draw how often values came up, with some of them marked.

    Parameters
    ----------
    edges : array_like, shape (K + 1,)
        Of the bars, rising.
    counts : array_like, shape (K,)
    axis : str
        What the axis is.
    marks : mapping of str to float, optional
        Names of values, drawn as lines.
    limits : (float, float), optional
        What no value can pass, drawn dashed.
    neutral : str
        What 0 means.

    Raises
    ------
    ValueError
        When nothing was counted.
    """
    ends, heights = np.asarray(edges, dtype=float), np.asarray(counts, dtype=float)
    if len(ends) != len(heights) + 1 or heights.sum() <= 0:
        raise ValueError("Give K + 1 edges and K counts, not all of them 0.")
    top, bottom = 62, 220
    outer = [*(marks or {}).values(), *(limits or ())]
    scale = _Axis.around(np.array([ends[0], ends[-1], *outer]), _LEFT, bottom)
    tall = (bottom - top) / heights.max()
    parts = [
        f'<rect x="{scale.x(a):.1f}" y="{bottom - tall * h:.1f}" '
        f'width="{max(scale.x(b) - scale.x(a) - 0.5, 0.5):.1f}" height="{tall * h:.1f}" '
        f'fill="{CHANCE}"/>'
        for a, b, h in zip(ends[:-1], ends[1:], heights, strict=True)
    ]
    parts += [*scale.drawn(axis, grid=False), *scale.neutral(neutral, top - 6)]
    words = []
    for name, value in (marks or {}).items():
        inward, anchor = (-5, "end") if value > 0 else (5, "start")
        x = scale.x(value)
        parts.append(line(x, 26, x, bottom, OBSERVED, width=2))
        parts.append(text(x + inward, 36, name, OBSERVED, anchor=anchor, weight="bold"))
        words.append(f"{name}: {_number(value)}")
    for limit, anchor in zip(limits or (), ("start", "end"), strict=False):
        x = scale.x(limit)
        parts.append(line(x, 20, x, bottom, INK_2, dash="3 3"))
        parts.append(text(x, 14, f"ceiling {_number(limit)}", INK_2, size=11, anchor=anchor))
        words.append(f"ceiling: {_number(limit)}")
    words.append(f"{heights.sum():,.0f} values from {_number(ends[0])} to {_number(ends[-1])}")
    return Chart(document("; ".join(words), "\n".join(parts), WIDTH, bottom + 50), "\n".join(words))


_NARROWEST = 1e-9
"""Numbers nearer than this are drawn as one."""


@dataclass(frozen=True)
class _Axis:
    """A horizontal axis that holds 0."""

    low: float
    high: float
    left: float
    bottom: float

    @classmethod
    def around(cls, values: NDArray[np.float64], left: float, bottom: float) -> _Axis:
        low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
        margin = 0.04 * (high - low if high - low > _NARROWEST else 1.0)
        return cls(low - margin, high + margin, left, bottom)

    def x(self, value: float) -> float:
        return self.left + (_RIGHT - self.left) * (value - self.low) / (self.high - self.low)

    def drawn(self, name: str, *, grid: bool = True) -> Iterator[str]:
        rough = (self.high - self.low) / 6
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(k * power for k in (1, 2, 5, 10) if k * power >= rough)
        digits = max(0, -math.floor(math.log10(step)))
        for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1):
            x = self.x(k * step)
            above = _TOP if grid else self.bottom
            yield line(x, above, x, self.bottom + 4, LINE if grid else NEUTRAL)
            label = _number(k * step, digits)
            yield text(x, self.bottom + 18, label, INK_3, size=11, anchor="middle")
        yield line(self.left, self.bottom, _RIGHT, self.bottom, NEUTRAL)
        middle = (self.left + _RIGHT) / 2
        yield text(middle, self.bottom + 40, name, INK_2, anchor="middle")

    def neutral(self, name: str, top: float) -> Iterator[str]:
        x = self.x(0.0)
        yield line(x, top, x, self.bottom, NEUTRAL, dash="2 4")
        yield text(x, top - 6, name, INK_3, size=11, anchor="middle")


def _number(value: float, digits: int = 2) -> str:
    shown = f"{value:.{digits}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown.replace("-", "−")
