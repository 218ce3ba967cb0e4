"""Small pictures of runs, drawn when they are saved."""

from __future__ import annotations

from biaslab.errors import ResultFormatError
from biaslab.reporting import imported
from biaslab.results import Result

_THUMBNAIL = "biaslab.reports.thumbnail:thumbnail"
_LONGEST_PICTURE = 50_000


def picture_of(result: Result) -> str:
    """Return a small SVG of a result's chart; empty if it cannot be drawn."""
    try:
        picture = str(imported(_THUMBNAIL)(result))
    except Exception:  # noqa: BLE001  # a run is worth more than its picture: it is saved without
        return ""
    return picture if len(picture) <= _LONGEST_PICTURE else ""


def picture_of_document(document: str) -> str:
    """Return the same of a stored result; empty if this biaslab cannot read it."""
    try:
        return picture_of(Result.from_json(document))
    except ResultFormatError:
        return ""
