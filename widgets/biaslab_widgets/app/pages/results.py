"""Stored results for pages: read aside, drawn in the page's colours, and exported as files."""

from __future__ import annotations

import asyncio
import io
import logging
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from biaslab.errors import (
    ArgumentError,
    BiaslabError,
    MissingExtraError,
    NoFigureError,
    ResultFormatError,
)
from biaslab.records.kinds import part_of
from biaslab.records.result import Result
from biaslab.reports import svg
from biaslab.reports.palette import VARIABLES

logger = logging.getLogger("biaslab")
R = TypeVar("R")


@contextmanager
def of_stored_results() -> Iterator[None]:
    """Say of a result that cannot be worked on that it is damaged: it is no failure of the app.

    A result is checked when it is read, and not each of the values in it: what draws a chart or
    writes a table finds those that cannot be.

    Raises `ResultFormatError`.
    """
    try:
        yield
    except BiaslabError:
        raise
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        MemoryError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        logger.warning("A stored result cannot be shown.", exc_info=True)
        raise ResultFormatError(
            "This run cannot be shown: what is stored of it is damaged. Export it as JSON to look"
            " into it, or delete it."
        ) from error


async def from_stored(work: Callable[[], R]) -> R:
    """Work on stored results in another thread, so that other pages are served meanwhile."""

    def guarded() -> R:
        with of_stored_results():
            return work()

    return await asyncio.to_thread(guarded)


def chart_in_page(result: Result) -> str:
    """Return the SVG of a result without its title; empty where its kind has no chart."""
    chart = part_of(result, "chart")
    if chart:
        return in_page_colours(svg.paint(chart(result), headed=False))
    try:
        return in_page_colours(result.to_svg())
    except NoFigureError:
        return ""


def in_page_colours(picture: str) -> str:
    """Return an SVG whose colours are those of the page that it stands in."""
    return re.sub(
        r"#[0-9A-Fa-f]{6}\b", lambda match: VARIABLES.get(match[0].upper(), match[0]), picture
    )


MEDIA_TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "svg": "image/svg+xml; charset=utf-8",
}
_ZIP = "application/zip"


@dataclass(frozen=True)
class Download:
    """A file for the browser to save."""

    name: str
    media_type: str
    content: bytes

    @property
    def disposition(self) -> str:
        """The header that makes a browser save it under its name."""
        return f'attachment; filename="{re.sub(r"[^A-Za-z0-9._-]", "-", self.name)}"'


def exported(results: Mapping[str, Result], form: str) -> Download:
    """Return results as one file, or as a zip archive of several.

    - `results`: by the stems of their files' names.
    - `form`: {"csv", "json", "parquet", "svg"}.
    - Raises `ArgumentError` if there is no such form; `MissingExtraError` if pyarrow is missing,
      which Parquet needs; `NoFigureError` if a result has no chart.
    """
    if form not in MEDIA_TYPES:
        raise ArgumentError(f"There is no format {form!r}: choose {', '.join(MEDIA_TYPES)}.")
    files = {f"{stem}.{form}": _content(result, form) for stem, result in results.items()}
    if len(files) == 1:
        ((name, content),) = files.items()
        return Download(name, MEDIA_TYPES[form], content)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return Download(f"runs-{form}.zip", _ZIP, archive.getvalue())


def _content(result: Result, form: str) -> bytes:
    if form == "csv":
        return result.to_csv().encode()
    if form == "json":
        return result.to_json().encode()
    if form == "svg":
        return result.to_svg().encode()
    table = io.BytesIO()
    try:
        result.to_frame().to_parquet(table, index=False)
    except ImportError as error:
        raise MissingExtraError(
            "Parquet needs pyarrow: install it with pip install 'biaslab[parquet]', or export CSV."
        ) from error
    return table.getvalue()
