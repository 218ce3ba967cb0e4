"""The subjects that a saved run asked, to be asked again in its bench."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from biaslab.calls.making import subjects_of
from biaslab.errors import ArgumentError, BiaslabError, WrongSubjectError
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
        offered = {**_loaded_again(result, sources_of), **offered}
    if missing := [name for name in asked if name not in offered]:
        raise ArgumentError(
            f"Run {run.id} asked {' and '.join(missing)}. Pass it under that name:"
            f" of_run({run.id!r}, bl.load(path, name={missing[0]!r}))."
        )
    return {name: offered[name] for name in asked} | offered


def _loaded_again(
    result: Result, sources_of: Callable[[Any], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The source of the subject, loaded as the result records; empty where that fails."""
    call = result.provenance.call
    if call is not None:
        with suppress(BiaslabError):
            for subject in subjects_of(call):
                with suppress(WrongSubjectError):  # it wraps the model
                    return sources_of([subject])
    return {}
