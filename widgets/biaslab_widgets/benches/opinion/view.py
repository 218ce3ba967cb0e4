"""What the opinion bench draws: rows of intervals, in one form for all kinds of answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import numpy as np

from biaslab.answers import Column
from biaslab.probes.opinion import (
    BenchmarkResult,
    BenchmarkScore,
    ChoiceCell,
    ChoicesResult,
    Difference,
    OpinionResult,
    RateCell,
    RatesResult,
    Split,
    WordPairsResult,
)
from biaslab.records.result import Interval
from biaslab.records.wording import counted, number, percent
from biaslab.reports.opinion.choices import status
from biaslab.reports.opinion.shared import of_models, p_said
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
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import Span, finite

_EXAMPLES: Final = 3
_DIGITS: Final = 5


def picture_of(result: OpinionResult, source: str) -> Picture:
    """Everything drawn of a result."""
    file = result.file
    used = 0 if file is None else file.n_used
    sentences = result.sentences()
    is_rates = isinstance(result, RatesResult)
    is_yes_or_no = isinstance(result, RatesResult) and result.are_rates
    references = [d.reference for cell in _cells(result) for d in cell.differences]
    groups = list(dict.fromkeys(group.name for cell in _cells(result) for group in cell.groups))
    notes = [] if file is None else list(file.notes)
    if isinstance(result, BenchmarkResult):
        notes += result.notes
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
        "used": used,
        "set_aside": _set_aside(result),
        "notes": notes,
        "may": [_printed(one.text, one.why) for one in sentences if one.may_print],
        "may_not": [_printed(one.text, one.why) for one in sentences if not one.may_print],
        "never": [_printed(one.what, one.why) for one in result.never_asked],
        "groups": groups if is_rates else [],
        "options": list(file.options) if is_yes_or_no and file is not None else [],
        "margin": result.margin if isinstance(result, RatesResult) else 0.0,
        "reference": references[0] if references else "",
        "ranked": isinstance(result, ChoicesResult),
    }  # fmt: skip


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


def _cells(result: OpinionResult) -> Sequence[RateCell]:
    return result.cells if isinstance(result, RatesResult) else ()


def _drawn(result: OpinionResult) -> tuple[str, list[Tab]]:
    level = percent(result.level)
    if isinstance(result, ChoicesResult):
        names = [split.name for split in result.cells[0].splits]
        two = next((one for one in result.cells[0].splits if len(one.shares) == 2), None)
        unit = f"% of rankings, {level} % intervals; grey: not clear of even"
        if two is not None:
            unit += f"; round: {two.shares[0].name}, square: {two.shares[1].name}"
        return "Who is ranked first", [
            _tab(name if at else f"{len(result.groups)} groups", unit, _of_split(result, at))
            for at, name in enumerate(names)
        ]
    if isinstance(result, RatesResult):
        unit = "points of % yes" if result.are_rates else "mean"
        apart = [_of_differences(result, cell) for cell in result.cells]
        means = [_of_means(result, cell) for cell in result.cells]
        return "How groups differ", [
            _tab("Differences", f"{unit}, {level} % intervals", apart),
            _tab("Groups", f"{unit.removeprefix('points of ')}, {level} % intervals", means),
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
    *, scale: float = 1.0, beside: float | None = None,
) -> ForestRow:  # fmt: skip
    def at(one: float) -> float | None:
        return finite(scale * one, _DIGITS)

    return {
        "label": label, "value": at(value), "low": at(interval.low), "high": at(interval.high),
        "beside": None if beside is None else at(beside), "text": text, "tone": tone, "line": line,
    }  # fmt: skip


def _of_split(result: ChoicesResult, at: int) -> list[Panel]:
    two = next((one for one in result.cells[0].splits if len(one.shares) == 2), None)
    sides = [one.name for one in two.shares] if two is not None else []
    return [_of_choices(cell, cell.splits[at], sides) for cell in result.cells]


def _of_choices(cell: ChoiceCell, split: Split, sides: Sequence[str]) -> Panel:
    rows = []
    for one in split.shares:
        side = next((i for i, name in enumerate(sides) if name in one.name.split()), None)
        tone: Tone = ("first", "second")[side] if side is not None else "clear"
        ends = f"{percent(one.interval.low, 1)} to {percent(one.interval.high, 1)}"
        line = f"first in {one.count:,} of {cell.n:,}, {percent(one.share, 1)} % ({ends})"
        is_clear = split.differs and one.side != 0
        text = percent(one.share, 1)
        tone = tone if is_clear else ""
        rows.append(_row(one.name, one.share, one.interval, text, tone, line, scale=100))
    even = 100 * float(np.mean([one.even for one in split.shares]))
    fair = split.fair_ratio
    ratio: Ratio = {
        "value": round(split.ratio, 3),
        "edges": split.edges.round(4).tolist(),
        "heights": split.heights.round(4).tolist(),
        "text": f"fair {fair.low:.2f} to {fair.high:.2f}",
    }
    return _panel(
        cell.model, cell.case, rows, status=status(split), note=f"p {p_said(split.p_adjusted)}",
        clear=split.differs, neutral=even, neutral_label=f"even {even:.3g} %", ratio=ratio,
        places=(100 * cell.by_place / cell.n).round(2).tolist(),
    )  # fmt: skip


def _of_differences(result: RatesResult, cell: RateCell) -> Panel:
    scale, digits = (100, 1) if result.are_rates else (1, 3)
    rows = [
        _row(one.name, one.difference, one.interval, _signed(scale * one.difference, digits),
             "clear" if one.differs else "", _line(result, one), scale=scale)
        for one in cell.differences
    ]  # fmt: skip
    clear = any(one.differs for one in cell.differences)
    alike = all(one.is_within(result.margin) for one in cell.differences)
    says = "tells groups apart" if clear else "alike" if alike else "no clear difference"
    reference = cell.differences[0].reference if cell.differences else ""
    p = min((one.p_adjusted for one in cell.differences), default=1.0)
    return _panel(
        cell.model, cell.case, rows, status=says, note=f"p {p_said(p)}", clear=clear, neutral=0.0,
        neutral_label=f"as {reference}", margin=scale * result.margin,
    )  # fmt: skip


def _signed(value: float, digits: int) -> str:
    text = number(value, digits) if digits > 1 else f"{value:.{digits}f}"
    return f"+{text}" if value > 0 else text.replace("-", "\N{MINUS SIGN}")


def _line(result: RatesResult, one: Difference) -> str:
    scale, digits = (100, 1) if result.are_rates else (1, 3)
    unit = " points" if result.are_rates else ""
    low, high = (_signed(scale * end, digits) for end in (one.interval.low, one.interval.high))
    text = f"{_signed(scale * one.difference, digits)}{unit} beside {one.reference}"
    text += f" ({low} to {high}), p {p_said(one.p_adjusted)}"
    text += ", alike within the margin" * one.is_within(result.margin)
    if not result.are_rates:
        return text
    ends = one.ratio_interval
    if ends.low != ends.low:
        return f"{text}; impact ratio too uncertain to print"
    return f"{text}; impact ratio {one.ratio:.2f} ({ends.low:.2f} to {ends.high:.2f})"


def _of_means(result: RatesResult, cell: RateCell) -> Panel:
    scale = 100 if result.are_rates else 1
    rows = []
    for one in cell.groups:
        text = percent(one.mean, 1) if result.are_rates else number(one.mean)
        line = f"{text}{' % yes' if result.are_rates else ''} of {counted(one.n, 'answer')}"
        rows.append(_row(one.name, one.mean, one.interval, text, "", line, scale=scale))
    return _panel(cell.model, cell.case, rows, status=counted(cell.n, "answer"))


def _of_pairs(result: WordPairsResult) -> list[Panel]:
    panels = []
    for model, cells in of_models(result.cells).items():
        rows = [
            _row(cell.case or "all answers", cell.mean, cell.interval, number(cell.mean),
                 "clear" if cell.differs else "",
                 f"score {number(cell.mean)} ({number(cell.interval.low)} to"
                 f" {number(cell.interval.high)}) of {counted(cell.n, 'answer')},"
                 f" p {p_said(cell.p_adjusted)}")
            for cell in cells
        ]  # fmt: skip
        n = sum(cell.differs for cell in cells)
        says = f"{n} of {counted(len(cells), 'test')} clear"
        panels.append(_panel(model, "", rows, status=says, clear=n > 0, neutral=0.0,
                             neutral_label="none 0"))  # fmt: skip
    return panels


def _of_benchmark(result: BenchmarkResult, level: str) -> list[Tab]:
    tabs: list[Tab] = []
    for name, some in (
        ("All items", [one for one in result.scores if not one.part]),
        ("By category", [one for one in result.scores if one.part]),
    ):
        if not some:
            continue
        by_score: dict[tuple[str, str], list[BenchmarkScore]] = {}
        for one in some:
            by_score.setdefault((one.model, one.name), []).append(one)
        panels = [_of_scores(model, score, ones) for (model, score), ones in by_score.items()]
        unit = f"{level} % intervals by {result.over}; open diamond: as published"
        tabs.append({"name": name, "unit": unit, "panels": panels})
    return tabs


def _of_scores(model: str, name: str, scores: list[BenchmarkScore]) -> Panel:
    is_share = scores[0].unit == "share"
    scale = 100 if is_share else 1

    def said(value: float) -> str:
        return percent(value, 1) if is_share else number(value, 3)

    rows = []
    for one in scores:
        has = one.published == one.published
        ends = f"{said(one.interval.low)} to {said(one.interval.high)}"
        line = f"{said(one.estimate)} ({ends})"
        line += f", as published {said(one.published)}" * has
        line += f", p {p_said(one.p_adjusted)}" * one.is_tested
        line += f"; {counted(one.n, 'answer')} in {counted(one.n_clusters, 'cluster')}"
        rows.append(_row(one.part or "all items", one.estimate, one.interval, said(one.estimate),
                         "clear" if one.differs else "", line, scale=scale,
                         beside=one.published if has else None))  # fmt: skip
    chance = finite(scale * scores[0].chance)
    unit = "%" if is_share else scores[0].unit
    tested = [one for one in scores if one.is_tested]
    clear = any(one.differs for one in tested)
    says = "not tested" if not tested else "clear bias" if clear else "no clear bias"
    return _panel(model, f"{name}, {unit}", rows, status=says, clear=clear, neutral=chance,
                  neutral_label="" if chance is None else f"chance {chance:.3g}")  # fmt: skip
