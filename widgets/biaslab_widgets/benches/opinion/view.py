"""What the opinion bench draws: rows of intervals, in one form for all kinds of answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np

from biaslab.answers import Column
from biaslab.probes.opinion import (
    BenchmarkResult,
    BenchmarkScore,
    ChoiceCell,
    ChoicesResult,
    OpinionResult,
    RateCell,
    RatesResult,
    Split,
    WordPairsResult,
)
from biaslab.records.result import Interval
from biaslab.records.wording import counted, listed, number, percent
from biaslab.reports.opinion import benchmarks, rates, word_pairs
from biaslab.reports.opinion.choices import status
from biaslab.reports.opinion.shared import of_models, p_said, shown
from biaslab_widgets.benches.opinion.fields import (
    ColumnCard,
    ForestRow,
    OpinionBenchState,
    Panel,
    Picture,
    Printed,
    Ratio,
    Role,
    SetAside,
    Tab,
    Tone,
)
from biaslab_widgets.benches.opinion.how import used_in
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import Span, finite

_EXAMPLES: Final = 3
_DIGITS: Final = 5
_PARTS: Final = re.compile(r"[ _/|-]+")
"""Between the parts of a crossed group's name."""
_SIDES: Final[Mapping[int | None, Tone]] = {0: "first", 1: "second"}


def picture_of(result: OpinionResult, source: str) -> Picture:
    """Everything drawn of a result."""
    file, rated = result.file, result if isinstance(result, RatesResult) else None
    cells = () if rated is None else rated.cells
    labels: Mapping[str, str] = result.provenance.parameters.get("labels") or {}
    names = dict.fromkeys(group.name for cell in cells for group in cell.groups)
    if isinstance(result, ChoicesResult):
        names = dict.fromkeys(result.groups)
    reference = next((d.reference for cell in cells for d in cell.differences), "")
    sentences = result.sentences()
    notes = [] if file is None else list(file.notes)
    if isinstance(result, BenchmarkResult):
        came_to = listed([f"{count:,} {name}" for name, count in result.answers])
        notes += [*([f"Answers: {came_to}."] if came_to else []), *result.notes]
    changed = result.changed_by_misspelt if isinstance(result, ChoicesResult) else None
    if changed is not None:
        changes = counted(changed, "verdict") if changed else "no verdict"
        notes.append(f"Counting the misspelt as they were meant changes {changes}.")
    title, tabs = _drawn(result)
    return {
        "verdict": [Span(text=text, role=role) for text, role in result.verdict_spans()],
        "caveat": result.caveat(),
        "footer": [
            source,
            "" if file is None else file.about,
            f"biaslab {result.provenance.versions.get('biaslab', '')}",
        ],
        "source": source,
        "title": title,
        "tabs": tabs,
        "used": used_in(result),
        "set_aside": _set_aside(result),
        "notes": [on_screen(note) for note in notes],
        "may": [_printed(one.text, one.why) for one in sentences if one.may_print],
        "may_not": [_printed(one.text, one.why) for one in sentences if not one.may_print],
        "never": [_printed(one.what, one.why) for one in result.never_asked],
        "groups": [{"group": group_called(name, labels), "name": name} for name in names],
        "options": list(file.options) if rated is not None and file is not None else [],
        "margin": 0.0 if rated is None else rated.margin,
        "reference": group_called(reference, labels),
        "ranked": isinstance(result, ChoicesResult),
    }  # fmt: skip


def group_called(name: str, labels: Mapping[str, str]) -> str:
    """Return what the file calls a group of this name."""
    return next((group for group, label in labels.items() if label == name), name)


def on_screen(text: str) -> str:
    """A message of the library without its keyword arguments, for who chooses in the bench."""
    text = re.sub(r" in word_tests=", " in the file of words", text)
    text = re.sub(r" with (?:yes|word_tests)=(?:, or give a WordTest)?", " in this bench", text)
    return re.sub(r" with \w+=(?:(?:, | or | and )\w+=)*", " among the columns", text)


def cards_of(columns: Iterable[Column], snapshot: OpinionBenchState) -> list[ColumnCard]:
    """The columns of a file; one that could not be read has the roles that were chosen."""
    chosen = {one["column"]: one["role"] for one in snapshot.roles}
    return [
        {
            "column": one.name,
            "role": chosen.get(one.name, cast("Role", one.role)),
            "values": one.n_values,
            "about": one.description.rpartition(" – ")[2],
        }
        for one in columns
    ]


def _printed(text: str, why: str) -> Printed:
    return {"text": text, "why": why}


def _set_aside(result: OpinionResult) -> list[SetAside]:
    """Reasons with their counts, and the first rows of each in the order in which they dropped."""
    dropped, at, asides = list(result.dropped), 0, list[SetAside]()
    for reason, count in result.set_aside:
        mine = dropped[at : at + min(count, 50)]
        at += len(mine)
        examples = [[d.role, d.term, d.reason] for d in mine[:_EXAMPLES]]
        asides.append({"reason": reason, "count": count, "examples": examples})
    return asides


def _drawn(result: OpinionResult) -> tuple[str, list[Tab]]:
    level = percent(result.level)
    if isinstance(result, ChoicesResult):
        names = [split.name for split in result.cells[0].splits]
        two = next((one for one in result.cells[0].splits if len(one.shares) == 2), None)
        unit = f"% of rankings, {level} % intervals; grey: no clear difference"
        if two is not None:
            unit += f"; round: {two.shares[0].name}, square: {two.shares[1].name}"
        return "Who is ranked first", [
            _tab(name if at else f"{len(result.groups)} groups", unit, _of_split(result, at))
            for at, name in enumerate(names)
        ]
    if isinstance(result, RatesResult):
        apart_in, unit = ("points", "% yes") if result.are_rates else ("mean", "mean")
        apart = [_of_differences(result, cell) for cell in result.cells]
        means = [_of_means(result, cell) for cell in result.cells]
        return "How groups differ", [
            _tab("Differences", f"{apart_in}, {level} % intervals", apart),
            _tab("Groups", f"{unit}, {level} % intervals", means),
        ]
    if isinstance(result, WordPairsResult):
        unit = f"association score, {level} % intervals"
        return "How words are sorted", [_tab("Tests", unit, _of_pairs(result))]
    assert isinstance(result, BenchmarkResult)  # noqa: S101  # the last kind
    return f"{result.benchmark} by score", _of_benchmark(result, level)


def _tab(name: str, unit: str, panels: list[Panel]) -> Tab:
    """A way of looking whose panels have one axis."""
    ends = [end for panel in panels for end in panel["axis"]]
    for panel in panels:
        panel["axis"] = (min(ends), max(ends))
    return {"name": name, "unit": unit, "panels": panels}


def _panel(model: str, title: str, rows: list[ForestRow], **more: Any) -> Panel:
    """A panel whose axis holds its rows."""
    panel: Panel = {**empty(Panel), "model": model, "title": title, "rows": rows, **more}  # type: ignore[typeddict-item]
    margin = panel["margin"]
    values = [row[name] for row in rows for name in ("value", "low", "high", "beside")]
    ends = [one for one in (*values, panel["neutral"], margin, -margin) if one is not None]
    ends = ends if margin else ends[:-2]
    room = 0.05 * (max(ends) - min(ends) or 1.0)
    panel["axis"] = (min(ends) - room, max(ends) + room)
    return panel


def _row(
    label: str, value: float, interval: Interval, text: str, tone: Tone, line: str,
    *, scale: float = 1.0, beside: float = float("nan"),
) -> ForestRow:  # fmt: skip
    at = [finite(scale * one, _DIGITS) for one in (value, interval.low, interval.high, beside)]
    return {"label": label, "value": at[0], "low": at[1], "high": at[2], "beside": at[3],
            "text": text, "tone": tone, "line": line}  # fmt: skip


def _said(value: float, is_share: bool) -> str:
    return percent(value, 1) if is_share else number(value, 3)


def _of_split(result: ChoicesResult, at: int) -> list[Panel]:
    sides = next(([s.name for s in one.shares] for one in result.cells[0].splits
                  if len(one.shares) == 2), [])  # fmt: skip
    return [_of_choices(cell, cell.splits[at], sides) for cell in result.cells]


def _of_choices(cell: ChoiceCell, split: Split, sides: Sequence[str]) -> Panel:
    rows = []
    for one in split.shares:
        side = next((i for i, name in enumerate(sides) if name in _PARTS.split(one.name)), None)
        tone: Tone = "" if not (split.differs and one.side) else _SIDES.get(side, "clear")
        said = shown(one.share, one.interval.low, one.interval.high)
        line = f"first in {one.count:,} of {cell.n:,}, {said}"
        text = percent(one.share, 1)
        rows.append(_row(one.name, one.share, one.interval, text, tone, line, scale=100))
    even = 100 * float(np.mean([one.even for one in split.shares]))
    ratio: Ratio = {
        "value": round(split.ratio, 3),
        "fair": [round(split.fair_ratio.low, 2), round(split.fair_ratio.high, 2)],
        "edges": split.edges.round(4).tolist(),
        "heights": split.heights.round(4).tolist(),
    }
    return _panel(
        cell.model, cell.case, rows, status=status(split), note=f"p {p_said(split.p_adjusted)}",
        clear=split.differs, neutral=even, neutral_label=f"even {even:.3g} %", ratio=ratio,
        places=(100 * cell.by_place / cell.n).round(2).tolist(),
    )  # fmt: skip


def _of_differences(result: RatesResult, cell: RateCell) -> Panel:
    scale = 100 if result.are_rates else 1
    some = cell.differences
    rows = [
        _row(one.name, one.difference, one.interval, _said(one.difference, result.are_rates),
             "clear" if one.differs else "", rates.line(result, one), scale=scale)
        for one in some
    ]  # fmt: skip
    clear = any(one.differs for one in some)
    alike = all(one.is_within(result.margin) for one in some)
    says = "tells groups apart" if clear else "alike" if alike else "no clear difference"
    return _panel(
        cell.model, cell.case, rows, status=says, clear=clear, neutral=0.0,
        note=f"p {p_said(min(one.p_adjusted for one in some))}" if some else "",
        neutral_label=f"as {some[0].reference}" if some else "", margin=scale * result.margin,
    )  # fmt: skip


def _of_means(result: RatesResult, cell: RateCell) -> Panel:
    rows = [
        _row(one.name, one.mean, one.interval, said := _said(one.mean, result.are_rates), "",
             f"{said}{' % yes' if result.are_rates else ''} of {counted(one.n, 'answer')}",
             scale=100 if result.are_rates else 1)
        for one in cell.groups
    ]  # fmt: skip
    return _panel(cell.model, cell.case, rows, status=counted(cell.n, "answer"))


def _of_pairs(result: WordPairsResult) -> list[Panel]:
    panels = []
    for model, cells in of_models(result.cells).items():
        rows = [
            _row(cell.case or "all answers", cell.mean, cell.interval, number(cell.mean),
                 "clear" if cell.differs else "", word_pairs.line(cell))
            for cell in cells
        ]  # fmt: skip
        n = sum(cell.differs for cell in cells)
        says = f"{n} of {counted(len(cells), 'test')} clear"
        panels.append(_panel(model, "", rows, status=says, clear=n > 0, neutral=0.0,
                             neutral_label="none 0"))  # fmt: skip
    return panels


def _of_benchmark(result: BenchmarkResult, level: str) -> list[Tab]:
    unit = f"{level} % intervals by {result.over}; open diamond: as published"
    tabs: list[Tab] = []
    for name, is_part in (("All items", False), ("By category", True)):
        by_score: dict[tuple[str, str], list[BenchmarkScore]] = {}
        for one in result.scores:
            if bool(one.part) is is_part:
                by_score.setdefault((one.model, one.name), []).append(one)
        if panels := [_of_scores(*both, ones) for both, ones in by_score.items()]:
            tabs.append({"name": name, "unit": unit, "panels": panels})
    return tabs


def _of_scores(model: str, name: str, scores: list[BenchmarkScore]) -> Panel:
    is_share = scores[0].unit == "share"
    scale = 100 if is_share else 1
    rows = [
        _row(one.part or "all items", one.estimate, one.interval, _said(one.estimate, is_share),
             "clear" if one.differs else "", benchmarks.line(one), scale=scale,
             beside=one.published)
        for one in scores
    ]  # fmt: skip
    chance = finite(scale * scores[0].chance)
    clear = any(one.differs for one in scores)
    tested = "clear bias" if clear else "no clear bias"
    return _panel(
        model, f"{name}, {'%' if is_share else scores[0].unit}", rows, clear=clear, neutral=chance,
        status=tested if any(one.is_tested for one in scores) else "not tested",
        neutral_label="" if chance is None else f"chance {chance:.3g}",
    )  # fmt: skip
