"""Inputs of a bench from the recorded call of a result that was made outside it."""

from __future__ import annotations

from typing import Any

from biaslab.errors import QueryError
from biaslab.records.calls.making import made_arguments
from biaslab.records.result import Result
from biaslab_widgets.core.state.fields import Component

_NAMED_OTHERWISE = {
    "family": "curve",
    "lapses": "rates",
    "margin": "alike",
    "rng": "seed",
    "templates": "captions",
    "width": "stop_width",
}
"""Arguments of probes whose inputs have other names."""


def recorded_arguments(result: Result) -> dict[str, Any]:
    """Return the arguments of the probe that made a result, without the subject.

    Arguments that were not recorded, or cannot be made again, are left out.
    """
    call = result.provenance.call
    return {} if call is None else made_arguments(call)


def recorded_inputs(component: Component, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return those of a probe's arguments that are inputs of a bench."""
    named = {_NAMED_OTHERWISE.get(name, name): value for name, value in arguments.items()}
    fields = (field.name for field in component.inputs)
    inputs = {name: named[name] for name in fields if name in named}
    return {n: list(v) if isinstance(v, tuple) else v for n, v in inputs.items() if v is not None}


def not_of_this_bench(component: Component, result: Result) -> QueryError:
    """The error about a result that a bench does not show."""
    return QueryError(
        f"{component.name} does not show a {type(result).__name__}. It can be read without a"
        " bench: biaslab.Store().open(run) gives it."
    )
