"""Files of a stored result: a table, the whole result, its chart, or a document."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.arguments import described
from biaslab.errors import ArgumentError, MissingExtraError
from biaslab.files.atomic import write_atomically
from biaslab.records.result import Result

if TYPE_CHECKING:
    import pandas as pd


def writer_of(path: str | os.PathLike[str]) -> Callable[[Result], None]:
    """Return what writes a result to this path, in the format that its ending names.

    Raises `ArgumentError` if its ending names none.
    """
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"path is {described(path)}: pass the name of a file.")
    target = Path(path).expanduser()
    write = _WRITERS.get(target.suffix.lower())
    if write is None:
        raise ArgumentError(
            f"A run cannot be exported to {target.name!r}: let the name end in one of"
            f" {', '.join(_WRITERS)}."
        )
    return lambda result: write(result, target)


def _csv(result: Result, path: Path) -> None:
    result.to_csv(path)


def _json(result: Result, path: Path) -> None:
    result.to_json(path)


def _svg(result: Result, path: Path) -> None:
    result.to_svg(path)


def _pdf(result: Result, path: Path) -> None:
    result.to_pdf(path)


def _png(result: Result, path: Path) -> None:
    result.to_png(path)


def _html(result: Result, path: Path) -> None:
    result.report(path)


def _parquet(result: Result, path: Path) -> None:
    content = io.BytesIO()
    try:
        _with_plain_columns(result.to_frame()).to_parquet(content, index=False, engine="pyarrow")
    except ImportError as error:
        raise MissingExtraError(
            f"{path} is Parquet, which needs pyarrow: pip install 'biaslab[parquet]'"
        ) from error
    write_atomically(path, content.getvalue())


def _with_plain_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with text in place of columns that mix types: Parquet has one for each."""
    import pandas as pd

    frame = frame.rename(columns=str)
    for name in frame.columns:
        mixed = pd.api.types.infer_dtype(frame[name], skipna=True).startswith("mixed")
        if frame[name].dtype == object and mixed:
            frame[name] = frame[name].map(str, na_action="ignore")
    return frame


_WRITERS: dict[str, Callable[[Result, Path], None]] = {
    ".csv": _csv,
    ".json": _json,
    ".parquet": _parquet,
    ".svg": _svg,
    ".html": _html,
    ".pdf": _pdf,
    ".png": _png,
}
