"""A panel with a row per item: its PSE or JND, pooled with its interval, and each cue pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.reports.chart import (
    Axis,
    Hover,
    Intervals,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    lean_marks,
)
from biaslab.reports.palette import INK, LINE
from biaslab.stats.curves.sigmoids import Floats
from biaslab.wording import percent

MOST_RINGS = 16
"""With more cue pairs than this, single pairs are drawn as a band from quartile to quartile."""

Measure = Literal["pse", "jnd"]


def pooled(result: TwoAFCResult, measure: Measure) -> tuple[Floats, Floats]:
    """The estimate of every item, shape (n,), and its interval, shape (n, 2)."""
    found = result.pooled
    return (found.pse, found.corpus) if measure == "pse" else (found.jnd, found.jnd_interval)


def estimates(
    result: TwoAFCResult,
    measure: Measure,
    x: Axis,
    *,
    title: str = "",
    pairs: Floats | None = None,
    more: Mapping[str, Sequence[str]] | None = None,
    hover: Hover = (),
) -> Panel:
    """Every item, the largest estimate on top; blue where biased to cue 1, orange to cue 2.

    Parameters
    ----------
    result : TwoAFCResult
    measure : str
        ``pse`` or ``jnd``.
    x : Axis
        In percent.
    title : str
    pairs : ndarray, shape (n, number of cue pairs), optional
        The same of each cue pair.
    more : mapping of str to sequence of str
        Columns by item that `hover` names.
    hover : tuple of (str, str)
        Lines below those of the word, its estimate and its interval.
    """
    value, between = pooled(result, measure)
    order = np.argsort(-np.nan_to_num(value, nan=-np.inf), kind="stable")
    value, between = value[order], between[order]
    names = [result.items[i] for i in order]
    told = [
        f"{percent(low)}–{percent(high)}" if np.isfinite([low, high]).all() else ""
        for low, high in between.tolist()
    ]
    looks = lean_marks([int(result.pooled.lean[i]) for i in order])
    rows = np.arange(len(names))
    # An interval without an end reaches to that of the axis.
    low, high = np.clip(100 * between, x.low, x.high).T
    data = {"word": names, measure: 100 * value, "between": [one or "no interval" for one in told]}
    data |= {name: [column[i] for i in order] for name, column in (more or {}).items()}
    first = (("", "@word"), (measure.upper(), f"@{measure}{{0.0}} %"), ("", "@between"))
    return Panel(
        title=title,
        x=x,
        y=Rows(
            rows=tuple(
                Row(name, values=(percent(one) if np.isfinite(one) else "none", ends))
                for name, one, ends in zip(names, value.tolist(), told, strict=True)
            ),
            heads=(measure.upper(), f"{100 * result.level:.0f} %"),
            line=17,
        ),
        marks=(
            *([] if pairs is None else _pairs(pairs[order], looks["colour"])),
            *((Rule(at=50, label="neutral 50 %", colour=INK),) if measure == "pse" else ()),
            Intervals(low=low, high=high, y=rows, colour=looks["colour"]),
            Points(x=100 * value, y=rows, size=4.5, data=data, hover=(*first, *hover), **looks),
        ),
        width=470,
    )


def _pairs(pairs: Floats, colours: list[str]) -> list[Mark]:
    """Single cue pairs: a ring each, or of many a band from quartile to quartile."""
    rows, count = np.arange(len(pairs)), pairs.shape[1]
    if count == 1:
        return []
    if count <= MOST_RINGS:
        each = [colour for colour in colours for _ in range(count)]
        y = np.repeat(rows, count)
        return [
            Points(x=100 * pairs.ravel(), y=y, shape="ring", size=2.2, colour=each,
                   name="one cue pair")
        ]  # fmt: skip
    known = np.isfinite(pairs).any(axis=1)
    low, high = 100 * np.nanquantile(pairs[known], [0.25, 0.75], axis=1)
    name = "half of the cue pairs"
    return [Intervals(low=low, high=high, y=rows[known], colour=LINE, width=9, name=name)]
