"""What a report draws of a result: marks on the scales of panels. `svg` and `bokeh` paint it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import ArgumentError
from biaslab.records.result import Result
from biaslab.records.wording import joined
from biaslab.reports.palette import GROUP_1, GROUP_2, INK, NEUTRAL, SURFACE

Shape = Literal["circle", "ring", "square", "diamond", "hollow", "tick"]
"""A ring is an open circle, and hollow an open diamond."""
Colours = str | Sequence[str]
"""One for a whole mark, or one for each of its parts; ``none`` paints nothing."""
Hover = tuple[tuple[str, str], ...]
"""Lines of a hover: what stands first, and a template such as ``@word`` or ``@pse{0.0} %``."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Mark:
    """The base of all marks: places are values on the panel's scales, a row's is its number.

    - `alpha`: opacity, in [0, 1].
    - `name`: in the panel's legend; empty for none.
    - `data`: columns, a value for each part, that `hover` names.
    - `hover`: what Bokeh shows of a part that is pointed at.
    """

    across: ClassVar[tuple[str, ...]] = ("x",)
    """Fields on the panel's x."""
    along: ClassVar[tuple[str, ...]] = ("y",)
    """Fields on the panel's y."""

    colour: Colours = INK
    alpha: float = 1.0
    name: str = ""
    data: Mapping[str, Any] | None = None
    hover: Hover = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Points(Mark):
    """A point at each (x, y).

    - `size`: radius in pixels.
    - `still`: most of them in an SVG, picked evenly; it is stored in every notebook that shows it.
    """

    x: ArrayLike
    y: ArrayLike
    shape: Shape | Sequence[Shape] = "circle"
    size: float = 4.0
    still: int = 20_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Intervals(Mark):
    """A horizontal line from each `low` to each `high`; those without both ends are left out."""

    across = ("low", "high")

    low: ArrayLike
    high: ArrayLike
    y: ArrayLike
    width: float = 2.0
    dashed: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Line(Mark):
    """A line through all (x, y)."""

    x: ArrayLike
    y: ArrayLike
    width: float = 2.0
    dashed: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Band(Mark):
    """The area between `low` and `high` over x."""

    along = ("low", "high")

    x: ArrayLike
    low: ArrayLike
    high: ArrayLike


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells(Mark):
    """Rectangles: bars, bins of a histogram, or squares."""

    across, along = ("left", "right"), ("bottom", "top")

    left: ArrayLike
    right: ArrayLike
    bottom: ArrayLike
    top: ArrayLike
    edge: Colours = "none"
    rounded: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule(Mark):
    """A line across the whole panel at a value of x (or of y), with its label above the panel."""

    across, along = (), ()

    at: float
    axis: Literal["x", "y"] = "x"
    label: str = ""
    width: float = 1.5
    dashed: bool = False
    colour: Colours = NEUTRAL


@dataclass(frozen=True, kw_only=True, eq=False)
class Texts(Mark):
    """Words beside each (x, y), shifted by `shift` pixels to the right and down."""

    x: ArrayLike
    y: ArrayLike
    words: Sequence[str]
    shift: tuple[float, float] = (0, 4)
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A linear scale.

    - `low`, `high`: its ends.
    - `ticks`: where they are and what they say; by default at round numbers.
    - `ends`: what its lower and its upper end mean.
    """

    low: float
    high: float
    label: str = ""
    ticks: tuple[tuple[float, str], ...] | None = None
    ends: tuple[tuple[str, str], ...] = ()

    def place(self, values: ArrayLike) -> Floats:
        """Values as they are."""
        return np.atleast_1d(np.asarray(values, dtype=float))


@dataclass(frozen=True)
class Row:
    """A named row: its group is named above the first of a group, its values stand on the right."""

    name: str
    group: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rows:
    """A scale of rows from the top: row i is at i, and reaches half a line up and down.

    - `heads`: over the rows' values.
    - `line`: height of a line in pixels.
    - `named`: whether names are drawn; they are not where the panel on the left has the same rows.
    - `colours`: of groups' names, where these are not in the colour of text.
    """

    rows: tuple[Row, ...]
    heads: tuple[str, ...] = ()
    line: float = 20
    named: bool = True
    colours: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def headings(self) -> tuple[tuple[float, str], ...]:
        """Each group with the middle of the line that names it."""
        before = ("", *(row.group for row in self.rows))
        new = [i for i, row in enumerate(self.rows) if row.group not in ("", before[i])]
        return tuple((i + n + 0.5, self.rows[i].group) for n, i in enumerate(new))

    @cached_property
    def middles(self) -> Floats:
        """Middle of each row, in lines from the top."""
        middles = np.arange(len(self.rows), dtype=np.float64) + 0.5
        for at, _ in self.headings:
            middles[middles >= at] += 1
        return middles

    @property
    def lines(self) -> int:
        """Rows and headings."""
        return len(self.rows) + len(self.headings)

    def place(self, values: ArrayLike) -> Floats:
        """Lines from the top."""
        values = np.atleast_1d(np.asarray(values, dtype=float))
        row = np.rint(values).astype(int).clip(0, len(self.rows) - 1)
        return np.asarray(self.middles[row] + values - row)


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """Marks on two scales.

    - `marks`: the first is painted first.
    - `width`, `height`: of the area within the scales, in pixels; rows have the height of their
      lines.
    """

    x: Axis
    y: Axis | Rows
    marks: tuple[Mark, ...]
    width: float
    height: float = 0
    title: str = ""

    @property
    def tall(self) -> float:
        """Height of the area within the scales, in pixels."""
        return self.y.line * self.y.lines if isinstance(self.y, Rows) else self.height

    def places(self, mark: Mark) -> dict[str, Floats]:
        """Where a mark's parts are: its fields on both scales, of one length."""
        fields = {name: self.x.place(getattr(mark, name)) for name in mark.across}
        fields |= {name: self.y.place(getattr(mark, name)) for name in mark.along}
        return dict(zip(fields, np.broadcast_arrays(*fields.values()), strict=True))

    @cached_property
    def labels(self) -> tuple[tuple[Rule, ...], ...]:
        """Rules with labels, in as many lines above the panel as keep the labels apart."""
        lines: list[list[Rule]] = []
        for mark in self.marks:
            if isinstance(mark, Rule) and mark.label:
                free = (line for line in lines if all(self._apart(mark, other) for other in line))
                line = next(free, [])
                if not line:
                    lines.append(line)
                line.append(mark)
        return tuple(map(tuple, lines))

    def _apart(self, one: Rule, other: Rule) -> bool:
        pixels = abs(one.at - other.at) * self.width / (self.x.high - self.x.low)
        return pixels > text_width(one.label + other.label, 12) / 2 + 8


@dataclass(frozen=True, kw_only=True, eq=False)
class Chart:
    """A drawing of a result.

    - `title`: the finding.
    - `note`: what limits it.
    - `panels`: rows of panels from the top, each from the left.
    - `small`: what a thumbnail shows of it; by default the largest panel.
    - `aligned`: whether panels of one column stand under each other.
    """

    title: str
    panels: tuple[tuple[Panel, ...], ...]
    note: str = ""
    small: Panel | None = None
    aligned: bool = False

    def panel(self, number: int) -> Panel:
        """One of its panels, from 0, row by row; raises `ArgumentError` if there is none."""
        panels = [panel for row in self.panels for panel in row]
        if not 0 <= number < len(panels):
            raise ArgumentError(f"panel={number}: this chart has panels 0 to {len(panels) - 1}.")
        return panels[number]


def each(given: str | Sequence[str], count: int) -> list[str]:
    """One look for each of `count` parts."""
    return [given] * count if isinstance(given, str) else list(given)


def text_width(words: str, size: float = 12) -> float:
    """About how wide words are, in pixels."""
    return 0.59 * size * len(words)


def axis_over(
    *values: ArrayLike,
    label: str = "",
    margin: float = 0.04,
    ends: tuple[tuple[str, str], ...] = (),
) -> Axis:
    """An axis that holds all finite values, with a margin as a share of their range."""
    shown = np.concatenate([np.ravel(np.asarray(each, dtype=float)) for each in values])
    shown = shown[np.isfinite(shown)]
    low, high = (float(shown.min()), float(shown.max())) if len(shown) else (0.0, 1.0)
    room = margin * (high - low) or 0.5 * abs(low) or 1.0
    return Axis(low=low - room, high=high + room, label=label, ends=ends)


def bins(edges: Floats, heights: ArrayLike, **looks: Any) -> Cells:
    """The bars of a histogram."""
    looks = {"edge": SURFACE} | looks
    return Cells(left=edges[:-1], right=edges[1:], bottom=0, top=heights, **looks)


def finding(result: Result) -> str:
    """The verdict of a result, as a chart's title."""
    return joined(result.verdict_spans())


def lean_marks(lean: Sequence[int]) -> dict[str, Any]:
    """Colours and shapes of points by lean: to group 1 (1), to group 2 (-1), or neither (0)."""
    shapes: dict[int, Shape] = {1: "circle", -1: "square", 0: "hollow"}
    return {
        "colour": [{1: GROUP_1, -1: GROUP_2, 0: NEUTRAL}[one] for one in lean],
        "shape": [shapes[one] for one in lean],
    }
