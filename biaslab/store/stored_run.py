"""A stored run without its result: what a list or a page of runs shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

COLUMNS = (
    *("id", "label", "tags", "bench", "probe", "subject", "time", "seconds"),
    *("headline", "bytes"),
)
"""What a list of runs shows, in its order."""


@dataclass(frozen=True)
class StoredRun:
    """A stored run. `biaslab.Store.open` returns its result.

    Attributes
    ----------
    id : str
        Id, which sorts by time.
    label : str
        The person's own note.
    tags : tuple of str
        Tags, sorted.
    bench : str
        Bench in which it was saved, such as ``"occupations"``; empty if there was none.
    probe, subject : str
        Names of the probe and of its subject.
    time : str
        When the probe began: ISO 8601, UTC; empty if that is unknown.
    seconds : float
        Duration of the probe; NaN if not measured.
    headline : str
        The finding in one line, at most 300 characters.
    bytes : int
        Size of the stored result.
    inputs : dict
        What the bench was set to, so that the run reopens in it.
    picture : str
        Small SVG of the chart; empty if there is none.
    is_deleted : bool
        Whether the run is in the trash.
    """

    id: str
    label: str
    tags: tuple[str, ...]
    bench: str
    probe: str
    subject: str
    time: str
    seconds: float
    headline: str
    bytes: int
    inputs: dict[str, Any] = field(repr=False)
    picture: str = field(repr=False)
    is_deleted: bool = False
