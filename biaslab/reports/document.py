"""Runs as one printable HTML document that needs no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from html import escape
from typing import Final

from biaslab.errors import QueryError
from biaslab.probes.comparison import Comparison, compare, why_not
from biaslab.reporting import imported, report_of
from biaslab.reports import svg
from biaslab.reports.comparison.words import counted_rows, table_rows
from biaslab.reports.document_style import STYLE
from biaslab.reports.paging import paged
from biaslab.reports.run_entry import RunEntry
from biaslab.reports.tables import Table, estimates, table_of
from biaslab.results import Result
from biaslab.wording import Span, counted

_ROLES: Final = {"strong": "strong", "group1": "g1", "group2": "g2", "with": "strong",
                 "against": "strong", "quiet": "quiet"}  # fmt: skip
_LETTERS = "AB"
_MOST_SENTENCES, _FIRST = 6, 3
_MARK = (
    '<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">'
    '<path d="M2 19c9 0 9-14 20-14" fill="none" stroke="#16191D" stroke-width="2"/>'
    '<circle cx="12" cy="12" r="3.2" fill="#FFFFFF" stroke="#00745A" stroke-width="2"/></svg>'
)


def document(runs: Sequence[RunEntry], title: str = "") -> str:
    """Runs as a self-contained HTML document; see `biaslab.report`.

    Two runs that can be compared are: their comparison comes first, and its chart stands for
    theirs.
    """
    both = _comparison(runs)
    figures = _Figures()
    if both is not None:
        parts = list(_compared(both, figures))
        for letter, run in zip(_LETTERS, runs, strict=True):
            parts += [_heading(letter, run), *_run(run, figures, drawn=False)]
    else:
        parts = []
        for number, run in enumerate(runs, start=1):
            if len(runs) > 1:
                parts.append(_heading(str(number), run))
            parts += _run(run, figures, drawn=True)
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
        place = report_of(type(result)).chart
        charts = paged(imported(place)(result)) if place else ()
        if not charts and (own := _own_chart(result)):
            self.count += 1
            yield _section(f"Figure {self.count}", f"<figure>{own}</figure>", note, wide=True)
        for part, chart in enumerate(charts, start=1):
            self.count += 1
            of = f"part {part} of {len(charts)}" if len(charts) > 1 else ""
            beside = ", ".join(filter(None, (note, of)))
            drawn = svg.paint(chart, headed=False)
            yield _section(f"Figure {self.count}", f"<figure>{drawn}</figure>", beside, wide=True)


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


def _run(run: RunEntry, figures: _Figures, *, drawn: bool) -> Iterator[str]:
    result = run.result
    yield _section("Finding", _finding(result))
    if drawn:
        yield from figures.of(result)
    table = table_of(estimates(result))
    yield _section("Results", _table(table), "estimates with their intervals", wide=True)
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
        held = "; ".join(f"{name} {value}" for name, value in table.same)
        below += f'<p class="quiet">The same in all rows: {escape(held)}.</p>'
    if table.left_out:
        more = counted(table.left_out, "more row")
        below += f'<p class="quiet">{more} in the run’s own table.</p>'
    body = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="scroll">{body}</div>{below}'


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
        day = f", {moment.day} {moment:%B %Y}"
    return counted(len(runs), "run") + day
