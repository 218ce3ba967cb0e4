"""Runs as one printable HTML document that needs no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from html import escape
from itertools import pairwise
from typing import Any, Final

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.comparison import Comparison, compare, why_not
from biaslab.records.kinds import part_of
from biaslab.records.result import Result
from biaslab.records.wording import Span, counted
from biaslab.reports import svg
from biaslab.reports.chart import Cells, Chart, Mark, Panel, Points, Rows, Rule, Texts
from biaslab.reports.comparison.words import counted_rows, table_rows
from biaslab.reports.palette import GROUP_1_TEXT, GROUP_2_TEXT, INK, INK_2, INK_3, LINE, SURFACE
from biaslab.reports.run_entry import RunEntry
from biaslab.reports.tables import Table, estimates_of, intervals_of

STYLE: Final = f"""
:root {{ color-scheme: light; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; max-width: 60rem; padding: 2.5rem 2rem; color: {INK};
  background: {SURFACE}; font: 13px/1.5 Inter, system-ui, "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; }}
header {{ display: flex; align-items: center; gap: .6rem; padding-bottom: .8rem;
  border-bottom: 1px solid {INK}; }}
.name {{ font-weight: 600; }}
.when {{ margin-left: auto; color: {INK_2}; }}
h1 {{ font-size: 22px; line-height: 30px; margin: 1.5rem 0 1.2rem; text-wrap: balance; }}
h2 {{ font-size: 16px; line-height: 24px; margin: 2.2rem 0 .9rem; padding-top: .9rem;
  border-top: 1px solid {INK}; overflow-wrap: anywhere; break-after: avoid; }}
h3 {{ font-size: 12px; line-height: 18px; margin: 0; }}
.hidden {{ position: absolute; width: 1px; height: 1px; margin: 0; padding: 0; border: 0;
  overflow: hidden; clip-path: inset(50%); }}
.letter {{ display: inline-block; min-width: 1.5em; padding: 0 .3em; margin-right: .3em;
  border: 1px solid {INK}; border-radius: 4px; font-size: 13px; text-align: center; }}
.quiet {{ color: {INK_3}; font-size: 12px; font-weight: 400; }}
.label .quiet {{ display: block; line-height: 17px; }}
section {{ display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); gap: .4rem 1rem;
  padding: .9rem 0; border-top: 1px solid {LINE}; }}
h1 + section, h2 + section {{ border-top: 0; padding-top: 0; }}
section.wide {{ display: block; }}
section.wide .label {{ margin-bottom: .5rem; break-after: avoid; }}
section.wide .label h3, section.wide .label .quiet {{ display: inline; margin-right: .6rem; }}
p {{ margin: 0 0 .5rem; }}
.finding {{ font-size: 17px; line-height: 25px; }}
.strong {{ font-weight: 600; }}
.g1, .g2 {{ font-weight: 600; }} .g1 {{ color: {GROUP_1_TEXT}; }} .g2 {{ color: {GROUP_2_TEXT}; }}
figure {{ margin: 0; overflow-x: auto; }}
figure svg {{ display: block; max-width: 100%; height: auto; }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-size: 12px; line-height: 17px; }}
th, td {{ padding: .3rem .5rem; border-bottom: 1px solid {LINE}; text-align: left;
  vertical-align: baseline; }}
th {{ color: {INK_3}; font-weight: 400; border-bottom-color: {INK_3}; vertical-align: bottom; }}
.number {{ text-align: right; }} td.number {{ white-space: nowrap; }}
th:first-child, td:first-child {{ padding-left: 0; }}
th:last-child, td:last-child {{ padding-right: 0; }}
dl {{ margin: 0; font-size: 12px; line-height: 17px; }}
dt {{ color: {INK_3}; }} dd {{ margin: 0; overflow-wrap: anywhere; }}
.grid {{ columns: 2; column-gap: 2rem; }}
.grid div, .one {{ display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .1rem .8rem; }}
.grid div {{ break-inside: avoid; padding: .15rem 0; }}
.one {{ row-gap: .3rem; }}
pre {{ margin: .7rem 0 0; font-size: 11px; line-height: 16px; white-space: pre-wrap;
  overflow-wrap: anywhere; }}
footer {{ margin-top: 1.5rem; padding-top: .7rem; border-top: 1px solid {LINE}; color: {INK_3};
  font-size: 11px; }}
@media screen and (min-width: 50rem) {{
  section .label {{ position: sticky; top: 1rem; align-self: start; }}
  section.wide .label {{ position: static; }}
}}
@media screen and (max-width: 40rem) {{
  body {{ padding: 1.2rem 1rem; }} section {{ display: block; }} .grid {{ columns: 1; }}
  figure svg {{ min-width: 36rem; }}
}}
@page {{ margin: 16mm 17mm 18mm; @bottom-right {{ content: counter(page) " of " counter(pages);
  font: 8pt "Liberation Sans", sans-serif; color: {INK_3}; }} }}
@media print {{
  body {{ max-width: none; padding: 0; font-size: 9.5pt; }}
  h1 {{ font-size: 16pt; line-height: 21pt; }}
  .finding {{ font-size: 12pt; line-height: 17pt; }}
  section:not(.wide) {{ display: block; position: relative; padding-left: 33mm; min-height: 11mm; }}
  section:not(.wide) .label {{ position: absolute; left: 0; width: 30mm; }}
  table {{ font-size: 8pt; line-height: 11pt; }}
  .scroll, figure {{ overflow: visible; }}
  th, td {{ overflow-wrap: break-word; padding: .2rem .3rem; }}
  thead {{ display: table-header-group; }}
  tr, figure, figure svg, p, pre, dl.one dd, section:not(.wide), section:has(figure) {{
    break-inside: avoid; }}
  section:has(dl.grid) {{ break-inside: auto; }}
  h2 {{ break-after: avoid; }} p {{ orphans: 3; widows: 3; }}
  figure svg {{ max-height: 215mm; margin: 0; }}
  footer {{ break-inside: avoid; }}
}}
"""


MOST_ROWS = 45
"""Of one part: with names and axes they fit an A4 and a Letter page."""


def paged(chart: Chart, most: int = MOST_ROWS) -> tuple[Chart, ...]:
    """Cut a chart into parts with at most so many rows; a short one stays as it is.

    Panels that stand side by side are cut at the same rows.
    """
    if all(_count(panel) <= most for row in chart.panels for panel in row):
        return (chart,)
    return tuple(replace(chart, panels=(part,)) for row in chart.panels for part in _cut(row, most))


def _cut(row: tuple[Panel, ...], most: int) -> Iterator[tuple[Panel, ...]]:
    count = max(map(_count, row))
    parts = -(-count // most)
    if parts < 2:
        yield row
        return
    ends = np.linspace(0, count, parts + 1).round().astype(int).tolist()
    for n, (begin, end) in enumerate(pairwise(ends)):
        alike = [panel for panel in row if _count(panel) == count]
        others = [panel for panel in row if _count(panel) != count and n == 0]
        yield (*(_part(panel, begin, end) for panel in alike), *others)


def _count(panel: Panel) -> int:
    return len(panel.y.rows) if isinstance(panel.y, Rows) else 0


def _part(panel: Panel, begin: int, end: int) -> Panel:
    scale = panel.y
    assert isinstance(scale, Rows)  # noqa: S101  # it has rows
    marks = tuple(_kept(mark, begin, end) for mark in panel.marks)
    return replace(panel, y=replace(scale, rows=scale.rows[begin:end]), marks=marks)


def _kept(mark: Mark, begin: int, end: int) -> Mark:
    """The parts of a mark in some rows, moved to the first of them."""
    if isinstance(mark, Rule):
        return mark
    names = (*mark.across, *mark.along)
    arrays = np.broadcast_arrays(
        *(np.atleast_1d(np.asarray(getattr(mark, name), dtype=float)) for name in names)
    )
    places = dict(zip(names, arrays, strict=True))
    row = np.rint(np.nan_to_num(places[mark.along[0]], nan=-1)).astype(int)
    kept = np.flatnonzero((row >= begin) & (row < end)).tolist()
    changed: dict[str, Any] = {name: values[kept] for name, values in places.items()}
    changed |= {name: changed[name] - begin for name in mark.along}
    changed["colour"] = _looks(mark.colour, kept)
    if isinstance(mark, Points):
        changed["shape"] = _looks(mark.shape, kept)
    if isinstance(mark, Cells):
        changed["edge"] = _looks(mark.edge, kept)
    if isinstance(mark, Texts):
        changed["words"] = [mark.words[k] for k in kept]
    if mark.data is not None:
        changed["data"] = {name: [column[k] for k in kept] for name, column in mark.data.items()}
    return replace(mark, **changed)


def _looks(given: str | Sequence[str], kept: Sequence[int]) -> str | list[str]:
    return given if isinstance(given, str) else [given[k] for k in kept]


_ROLES: Final = {"strong": "strong", "group1": "g1", "group2": "g2", "with": "strong",
                 "against": "strong", "quiet": "quiet"}  # fmt: skip
_HIDDEN: Final = '<h2 class="hidden">{}</h2>'
"""A step between the title and the headings of sections, for those who hear the page."""
_LETTERS = "AB"
_MOST_SENTENCES, _FIRST = 6, 3
_MARK = (
    '<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">'
    '<path d="M2 19c9 0 9-14 20-14" fill="none" stroke="#16191D" stroke-width="2"/>'
    '<circle cx="12" cy="12" r="3.2" fill="#FFFFFF" stroke="#00745A" stroke-width="2"/></svg>'
)


def document(runs: Sequence[RunEntry], title: str = "") -> str:
    """Runs as a self-contained HTML document; see `biaslab.report`.

    Two runs that can be compared are: their comparison comes first.
    """
    both = _comparison(runs)
    figures = _Figures()
    if both is not None:
        parts = [_HIDDEN.format("Comparison"), *_compared(both, figures)]
        for letter, run in zip(_LETTERS, runs, strict=True):
            parts += [_heading(letter, run), *_run(run, figures)]
    else:
        parts = []
        for number, run in enumerate(runs, start=1):
            own = _heading(str(number), run) if len(runs) > 1 else _HIDDEN.format("Run")
            parts.append(own)
            parts += _run(run, figures)
    heading = title or _title(runs[0].result if both is None else both)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(heading)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<header>{_MARK}<span class="name">biaslab report</span>'
        f'<span class="when">{escape(_when(runs))}</span></header>\n<main>\n'
        f"<h1>{escape(heading)}</h1>\n"
        + "\n".join(parts)
        + "\n</main>\n<footer>Charts and numbers are inside this file; it opens without a network."
        "</footer>\n</body>\n</html>\n"
    )


def _comparison(runs: Sequence[RunEntry]) -> Comparison | None:
    if len(runs) != 2 or why_not(runs[0].result, runs[1].result):
        return None
    with suppress(QueryError):  # of one kind, but of other lists or words
        return compare(runs[0].result, runs[1].result)
    return None


class _Figures:
    """Numbers figures one after another."""

    def __init__(self) -> None:
        self.count = 0

    def of(self, result: Result, note: str = "") -> Iterator[str]:
        """The chart of a result, cut where it is longer than a page; nothing without a chart."""
        chart = part_of(result, "chart")
        charts = paged(chart(result)) if chart else ()
        if not charts and (own := _own_chart(result)):
            self.count += 1
            yield self._section(own, note)
        for part, chart in enumerate(charts, start=1):
            self.count += 1
            of = f"part {part} of {len(charts)}" if len(charts) > 1 else ""
            beside = ", ".join(filter(None, (note, of)))
            drawn = svg.paint(chart, headed=False)
            yield self._section(drawn, beside)

    def _section(self, drawn: str, beside: str) -> str:
        name = f"Figure {self.count}"
        # A keyboard scrolls what has the focus.
        figure = f'<figure tabindex="0" aria-label="{name}">{drawn}</figure>'
        return _section(name, figure, beside, wide=True)


def _own_chart(result: Result) -> str:
    """The chart of a kind of somebody else's, which draws itself."""
    return "" if type(result).to_svg is Result.to_svg else result.to_svg()


def _compared(both: Comparison, figures: _Figures) -> Iterator[str]:
    yield _section("Finding", f'<p class="finding">{_spans(both.verdict_spans())}</p>')
    heads = ("Measure", f"A, {both.names[0]}", f"B, {both.names[1]}", "B − A")
    rows = tuple(table_rows(both))
    level = f"{100 * both.level:.0f} % intervals"
    if rows:
        yield _section("Results", _table(Table(heads, rows, (False, True, True, True))), level)
    yield from figures.of(both, counted_rows(both))
    yield _section("Limits", f"<p>{escape(both.caveat())}</p>")
    differs = "".join(
        f"<dt>{escape(one.name)}</dt><dd>{escape(one.a)} → {escape(one.b)}</dd>"
        for one in both.differs
    )
    equal = ", ".join(one.name for one in both.equal)
    yield _section(
        "What differs", f'<dl class="one">{differs}<dt>equal</dt><dd>{escape(equal)}</dd></dl>'
    )


def _title(result: Result) -> str:
    """The finding in one line; the numbers of a comparison stand below it."""
    headline = result.headline.removesuffix(".")
    return headline.partition(": ")[0] if isinstance(result, Comparison) else headline


def _finding(result: Result) -> str:
    """The verdict; of very many sentences, as of many words, the first."""
    sentences = result.verdict()
    if len(sentences) <= _MOST_SENTENCES:
        return f'<p class="finding">{_spans(result.verdict_spans())}</p>'
    first = escape(" ".join(sentences[:_FIRST]))
    more = counted(len(sentences) - _FIRST, "more finding")
    return f'<p class="finding">{first}</p><p>{more}: see the table.</p>'


def _heading(name: str, run: RunEntry) -> str:
    origin = run.result.provenance
    return (
        f'<h2><span class="letter">{escape(name)}</span> {escape(origin.subject)}'
        f' <span class="quiet">{escape(origin.probe)}</span></h2>'
    )


def _run(run: RunEntry, figures: _Figures) -> Iterator[str]:
    result = run.result
    yield _section("Finding", _finding(result))
    sections = part_of(result, "sections")
    for name, lines in sections(result) if sections else ():
        yield _section(name, "".join(f"<p>{escape(line)}</p>" for line in lines))
    yield from figures.of(result)
    beside = f"estimates with {intervals_of(result)}"
    yield _section("Results", _table(estimates_of(result)), beside, wide=True)
    if left_out := run.left_out:
        text = "".join(f"<p>{escape(why)}: {escape(terms)}</p>" for why, terms in left_out)
        yield _section("Left out", text, counted(len(result.dropped), "term"))
    if limits := run.limits:
        yield _section("Limits", "".join(f"<p>{escape(one)}</p>" for one in limits))
    rows = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in run.made_with
    )
    again = f"<pre>{escape(run.again)}</pre>" if run.again else ""
    yield _section("Made with", f'<dl class="grid">{rows}</dl>{again}', "provenance")


def _section(name: str, body: str, beside: str = "", *, wide: bool = False) -> str:
    quiet = f'<span class="quiet">{escape(beside)}</span>' if beside else ""
    kind = ' class="wide"' if wide else ""
    return (
        f'<section{kind}><div class="label"><h3>{escape(name)}</h3>{quiet}</div>'
        f"<div>{body}</div></section>"
    )


def _table(table: Table) -> str:
    looks = [' class="number"' if one else "" for one in table.is_number]
    heads = "".join(
        f'<th scope="col"{look}>{escape(head)}</th>'
        for head, look in zip(table.heads, looks, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(f"<td{look}>{escape(one)}</td>" for one, look in zip(row, looks, strict=True))
        + "</tr>\n"
        for row in table.rows
    )
    below = ""
    if table.same:
        below += f'<p class="quiet">{escape(table.same_text)}</p>'
    if table.left_out:
        more = counted(table.left_out, "more row")
        below += f'<p class="quiet">{more} in the run’s own table.</p>'
    body = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    scroll = '<div class="scroll" tabindex="0" role="group" aria-label="Table of results">'
    return f"{scroll}{body}</div>{below}"


def _spans(spans: Sequence[Span]) -> str:
    return "".join(
        f'<span class="{_ROLES[role]}">{escape(text)}</span>' if role in _ROLES else escape(text)
        for text, role in spans
    )


def _when(runs: Sequence[RunEntry]) -> str:
    """How many runs, and the day of the last."""
    times = sorted(run.result.provenance.time for run in runs)
    day = ""
    with suppress(ValueError):  # a result that was made without a time
        moment = datetime.fromisoformat(times[-1])
        day = f", {moment.day} {moment:%b %Y}"
    return counted(len(runs), "run") + day
