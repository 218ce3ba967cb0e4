"""A result as a notebook shows it."""

from __future__ import annotations

from html import escape

from biaslab.reporting import imported, report_of
from biaslab.reports import svg
from biaslab.results import Result
from biaslab.wording import counted

_PREVIEW_ROWS = 8


def card(result: Result) -> str:
    """The result as a notebook shows it: finding, chart, and the table folded.

    A chart that cannot be drawn is left out: a result is always shown.
    """
    try:
        chart = _chart(result)
    except Exception:  # noqa: BLE001  # a notebook would show nothing but the traceback
        chart = ""
    frame = result.to_frame()
    table = frame.to_html(index=False, max_rows=_PREVIEW_ROWS, border=0)
    dropped = f" ({len(result.dropped)} dropped)" if result.dropped else ""
    return (
        f"<p><strong>{escape(result.headline + dropped)}</strong></p>{chart}"
        f"<details><summary>Table ({counted(len(frame), 'row')})</summary>{table}</details>"
    )


def _chart(result: Result) -> str:
    """The chart, without the finding and its limits: these stand above it."""
    place = report_of(type(result)).chart
    if not place:
        return result.to_svg()
    return svg.paint(imported(place)(result), headed=False)
