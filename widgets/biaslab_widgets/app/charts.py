"""Charts of results inside a page, in the colours of its theme."""

from __future__ import annotations

import re

from biaslab.errors import NoFigureError
from biaslab.reporting import imported, report_of
from biaslab.reports import svg
from biaslab.reports.palette import VARIABLES
from biaslab.results import Result


def chart_in_page(result: Result) -> str:
    """Return the SVG of a result without its title; empty where its kind has no chart."""
    place = report_of(type(result)).chart
    if place:
        return follow_theme(svg.paint(imported(place)(result), headed=False))
    try:
        return follow_theme(result.to_svg())
    except NoFigureError:
        return ""


def follow_theme(picture: str) -> str:
    """Return an SVG whose colours are those of the page that it stands in."""
    return re.sub(
        r"#[0-9A-Fa-f]{6}\b", lambda found: VARIABLES.get(found[0].upper(), found[0]), picture
    )
