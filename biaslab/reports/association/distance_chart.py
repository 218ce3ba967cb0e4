"""Chart of a distance model: every distance, posteriors of protected words, contrasts."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from biaslab.probes.association import CONNECTIONS, DistanceModelResult
from biaslab.reports.chart import (
    Chart,
    Intervals,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    axis_over,
    finding,
)
from biaslab.reports.palette import CONNECTION_MARKS, CONNECTION_NAMES, INK
from biaslab.reports.palette import CONNECTIONS as COLOURS
from biaslab.wording import joined, number

_MODELS: Final = {
    "pooled": "the paper’s model",
    "crossed": "crossed model",
    "crossed-equal": "crossed model, one SD",
    "per-word": "model per word",
}
_MOST_POINTS = 20_000
_ENDS = (("", "@word"), ("", "@mean{0.000} (@low{0.000} to @high{0.000})"))


def chart(result: DistanceModelResult) -> Chart:
    """Every distance beside the posterior of every protected word; below, the contrasts."""
    note = joined(result.note())
    words = posterior(result)
    return Chart(
        title=finding(result),
        note=f"{note} {result.caveat()}",
        panels=((points(result), words), (contrasts(result),)),
        small=words,
    )


def points(result: DistanceModelResult) -> Panel:
    """Every distance by protected word and connection type, of the first replicate."""
    frame = result.table.first(1).to_frame()
    name = result.connections[0]
    mean = float(np.nanmean(result.table.means()[0, :, CONNECTIONS.index(name)]))
    marks: list[Mark] = [
        Rule(at=1.0, label="unrelated 1.0"),
        # What MAC makes of the first connection type: one number for all of its points.
        Rule(at=mean, label=f"mean of means {mean:.2f}", colour=INK, dashed=True),
    ]
    for name in result.connections:
        part = frame[frame["connection"] == name].iloc[:_MOST_POINTS]
        marks.append(
            Points(
                x=part["distance"].to_numpy(),
                y=_places(result, name, part["word"].tolist()),
                colour=COLOURS[name],
                shape="tick",
                size=3,
                alpha=0.4 if name == "none" else 0.85,
                data={"attribute": part["attribute"].tolist()},
                hover=(("", "@attribute"), ("distance", "@x{0.000}")),
            )
        )
    shown = result.table.distance[0][result.table.connection >= 0]
    return Panel(
        title="Every distance",
        x=axis_over(shown, label="cosine distance"),
        y=_rows(result),
        marks=tuple(marks),
        width=340,
    )


def posterior(result: DistanceModelResult) -> Panel:
    """Posterior mean and interval of every protected word by connection type."""
    marks: list[Mark] = [Rule(at=1.0, label="unrelated 1.0")]
    for name in result.connections:
        c = CONNECTIONS.index(name)
        held = np.flatnonzero(np.isfinite(result.means[:, c]))
        words = [result.words[i] for i in held]
        low, high = result.intervals[held, c].T
        looks: dict[str, Any] = {"y": _places(result, name, words), "colour": COLOURS[name]}
        marks += [
            Intervals(low=low, high=high, width=1.6, **looks),
            Points(
                x=result.means[held, c],
                shape=CONNECTION_MARKS[name],
                size=3.4,
                name=CONNECTION_NAMES[name],
                data={"word": words, "mean": result.means[held, c], "low": low, "high": high},
                hover=_ENDS,
                **looks,
            ),
        ]
    return Panel(
        title=f"What the data support, {100 * result.level:.0f} % HPDI",
        x=axis_over(result.intervals, 0.98, 1.02, label="cosine distance"),
        y=_rows(result, named=False),
        marks=tuple(marks),
        width=340,
    )


def contrasts(result: DistanceModelResult) -> Panel:
    """Contrasts of this model, and beside them those of the paper's and of the crossed one."""
    headline = [c.name for c in result.headline_contrasts]
    models = dict.fromkeys((result.model, "pooled", "crossed"))
    found = {model: {c.name: c for c in result.beside.get(model, ())} for model in models}
    found[result.model] = {c.name: c for c in result.contrasts}
    rows: list[Row] = []
    marks: list[Mark] = [Rule(at=0.0, label="no difference 0")]
    ends = [0.0]
    for name in headline:
        for model in models:
            if drawn := found[model].get(name):
                low, high = drawn.interval.low, drawn.interval.high
                told = f"{number(low, 3)} to {number(high, 3)}"
                crossed = model == "crossed"
                marks += [
                    Intervals(low=low, high=high, y=len(rows), dashed=crossed),
                    Points(
                        x=drawn.mean,
                        y=len(rows),
                        shape="ring" if crossed else "circle",
                        data={"word": [name], "mean": [drawn.mean], "low": [low], "high": [high]},
                        hover=_ENDS,
                    ),
                ]
                ends += [low, high]
                rows.append(Row(_MODELS[model], name, (number(drawn.mean, 3), told)))
    return Panel(
        title="Contrasts between connection types",
        x=axis_over(ends, label="difference in cosine distance"),
        y=Rows(
            rows=tuple(rows),
            heads=("mean", f"{100 * result.level:.0f} % HPDI"),
            line=22,
        ),
        marks=tuple(marks),
        width=460,
    )


def _order(result: DistanceModelResult) -> list[int]:
    """Words by group, in the order of the groups."""
    groups = list(dict.fromkeys(result.table.groups))
    return sorted(range(len(result.words)), key=lambda i: groups.index(result.table.groups[i]))


def _rows(result: DistanceModelResult, *, named: bool = True) -> Rows:
    rows = tuple(Row(result.words[i], result.table.groups[i]) for i in _order(result))
    return Rows(rows=rows, line=30, named=named)


def _places(result: DistanceModelResult, kind: str, words: list[str]) -> list[float]:
    """The row of each word, a little up or down by connection type."""
    row = {result.words[i]: k for k, i in enumerate(_order(result))}
    held = list(result.connections)
    shift = 0.72 / len(held) * (held.index(kind) - (len(held) - 1) / 2)
    return [row[word] + shift for word in words]
