"""Files of results: one result as a file, several as a zip archive."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from biaslab.errors import ArgumentError, MissingExtraError
from biaslab.results import Result

MEDIA_TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "svg": "image/svg+xml; charset=utf-8",
}
_ZIP = "application/zip"


@dataclass(frozen=True)
class Download:
    """A file for the browser to save.

    Attributes
    ----------
    name : str
    media_type : str
    content : bytes
    """

    name: str
    media_type: str
    content: bytes

    @property
    def disposition(self) -> str:
        """The header that makes a browser save it under its name."""
        return f'attachment; filename="{re.sub(r"[^A-Za-z0-9._-]", "-", self.name)}"'


def exported(results: Mapping[str, Result], form: str) -> Download:
    """Return results as one file, or as a zip archive of several.

    Parameters
    ----------
    results : mapping of str to Result
        By the stems of their files' names.
    form : {"csv", "json", "parquet", "svg"}

    Raises
    ------
    ArgumentError
        If there is no such form.
    MissingExtraError
        If pyarrow is missing, which Parquet needs.
    NoFigureError
        If a result has no chart.
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
