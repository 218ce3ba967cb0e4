"""The runs that a request names."""

from __future__ import annotations

from collections.abc import Sequence

from biaslab.errors import ArgumentError
from biaslab.results import Result
from biaslab.store import Store

MOST_RUNS = 1000


def run_ids(text: str) -> list[str]:
    """Return the ids in a list with commas, each once.

    Raises
    ------
    ArgumentError
        If there is none, or more than `MOST_RUNS`.
    """
    ids = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not ids:
        raise ArgumentError("The address names no run. Choose runs on the page Runs.")
    if len(ids) > MOST_RUNS:
        raise ArgumentError(f"{len(ids):,} runs are more than {MOST_RUNS:,}: choose fewer.")
    return ids


def opened(store: Store, ids: Sequence[str]) -> dict[str, Result]:
    """Return the results of runs by id."""
    return {run_id: store.open(run_id) for run_id in ids}
