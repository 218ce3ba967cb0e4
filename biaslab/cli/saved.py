"""Saved results: by the id of a run, or the JSON file that a result was written to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biaslab.results import Result

RUN = "id of a run, or a JSON file that a result was written to"
"""Help text of such an argument."""


def id_or_file(text: str) -> str | Path:
    """Return a path for a name that ends in ``.json``, and else the id as it is."""
    return Path(text) if text.endswith(".json") else text


def opened(text: str) -> Result:
    """Open a saved result.

    Raises
    ------
    RunNotFoundError
        If there is no such run.
    ResultFormatError
        If the file cannot be read, or holds no result.
    """
    import biaslab as bl
    from biaslab.errors import ResultFormatError

    source = id_or_file(text)
    if isinstance(source, str):
        return bl.Store().open(source)
    try:
        return bl.Result.from_json(source)
    except OSError as error:
        raise ResultFormatError(f"{source} cannot be read: {error.strerror or error}.") from error
