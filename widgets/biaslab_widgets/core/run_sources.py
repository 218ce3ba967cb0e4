"""The subjects that a saved run asked, to be asked again in its bench."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from biaslab.calls.making import subject_of
from biaslab.errors import ArgumentError, BiaslabError
from biaslab.results import Result
from biaslab.store import StoredRun
from biaslab_widgets.core.stored_inputs import subjects_of_inputs


def sources_of_run(
    run: StoredRun, result: Result, sources_of: Callable[[Any], Mapping[str, Any]], given: Any
) -> dict[str, Any]:
    """Return the sources that a bench of the run offers, those that it asked first.

    Parameters
    ----------
    run : StoredRun
    result : Result
        Its result, which records how the subject was loaded.
    sources_of : callable
        Makes sources by name from subjects, names or paths; all bundled ones from None.
    given : subject, str, Path or None
        The subject, from whoever reopens the run.

    Raises
    ------
    ArgumentError
        If a subject of the run is neither given nor bundled, and cannot be loaded again.
    """
    asked = subjects_of_inputs(run.inputs)
    offered = dict(sources_of(None))
    if given is not None:
        offered = {**sources_of(given), **offered}
    elif not offered.keys() >= set(asked):
        offered = {**sources_of(_loaded_again(result)), **offered}
    if missing := [name for name in asked if name not in offered]:
        raise ArgumentError(
            f"Run {run.id} asked {' and '.join(missing)}. Pass it under that name:"
            f" of_run({run.id!r}, bl.load(path, name={missing[0]!r}))."
        )
    return {name: offered[name] for name in asked} | offered


def _loaded_again(result: Result) -> list[Any]:
    """The subject, loaded as the result records; empty where it does not or it has gone."""
    call = result.provenance.call
    if call is None:
        return []
    try:
        return [subject_of(call)]
    except BiaslabError:
        return []
