"""Tables that a person takes along from the posterior bench."""

from __future__ import annotations

from typing import Any

from biaslab.errors import QueryError
from biaslab.files.csv_text import frame_text
from biaslab.probes.posterior import PosteriorOverview


def table_of(result: PosteriorOverview, label: str, what: str) -> str:
    """CSV text of ``words``, ``groups`` or ``draws`` of a label, or else the diagnostics.

    Raises `QueryError` when there is no such table; says why.
    """
    read = result.reading
    if what == "words":
        if label not in read.lexicon:
            raise QueryError(f"There are no words: {read.lexicon_reason}")
        return _csv(read.lexicon[label].to_frame())
    if what == "groups":
        if label not in read.groups:
            raise QueryError(f"There are no groups: {read.groups_reason}")
        return _csv(read.groups[label].to_frame())
    return _csv(result.of(label).raw_frame() if what == "draws" else result.to_frame())


def _csv(frame: Any) -> str:
    return frame_text(frame)
