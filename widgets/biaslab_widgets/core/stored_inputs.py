"""What a bench is set to, as a stored run keeps it, and how it is set from that again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from biaslab_widgets.core.fields import Component, Field
from biaslab_widgets.core.fits import fits

_OF_A_SESSION = ("generation", "command", "wanted")
"""Inputs by which front end and controller talk; they set nothing."""
_CHOOSERS = ("subject", "service")


def inputs_to_store(component: Component, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a bench, for `biaslab.Store.save`."""
    return {field.name: state[field.name] for field in _settings(component)}


def stored_inputs(
    component: Component, stored: Mapping[str, Any], offered: Iterable[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the stored inputs that a bench can be set to, and why others are left out.

    Parameters
    ----------
    component : Component
        Of the bench.
    stored : mapping
        Inputs of a stored run, perhaps of another version of biaslab.
    offered : iterable of str
        Names of the subjects that can be chosen.

    Returns
    -------
    inputs : dict
    notices : tuple of str
        One sentence for each kind of omission.
    """
    fields = {field.name: field for field in _settings(component)}
    inputs = {
        name: v for name, v in stored.items() if name in fields and _is_valid(fields[name], v)
    }
    left_out = sorted(stored.keys() - inputs.keys())
    notices = []
    if left_out:
        one = len(left_out) == 1
        notices.append(
            f"{'This setting is' if one else 'These settings are'} unknown to this version and"
            f" {'has' if one else 'have'} the default value: {', '.join(left_out)}."
        )
    known = set(offered)
    missing = [name for name in _CHOOSERS if inputs.get(name) and inputs[name] not in known]
    notices += [_not_offered(inputs.pop(name)) for name in missing]
    if "models" in inputs:
        missing = [model for model in inputs["models"] if model not in known]
        notices += [_not_offered(model) for model in missing]
        inputs["models"] = [model for model in inputs["models"] if model in known]
        if missing and not inputs["models"]:
            del inputs["models"]
    return inputs, tuple(notices)


def subjects_of_inputs(stored: Mapping[str, Any]) -> list[str]:
    """Return the names of the subjects that the inputs of a run choose."""
    models = stored.get("models") or [stored[name] for name in _CHOOSERS if stored.get(name)]
    return [name for name in models if isinstance(name, str)]


def _not_offered(name: str) -> str:
    return f"{name} is not in the library now: add it under Subjects to see the same numbers."


def _settings(component: Component) -> list[Field]:
    return [field for field in component.inputs if field.name not in _OF_A_SESSION]


def _is_valid(field: Field, value: Any) -> bool:
    if not fits(value, field.type):
        return False
    try:
        field.check(value)
    except ValueError:
        return False
    return True
