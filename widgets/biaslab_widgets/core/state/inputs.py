"""Inputs of a bench from a stored run or an address, as far as they fit its fields."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from biaslab.files.given import parse_json
from biaslab_widgets.core.state.fields import Component, Field


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value that came from JSON is of a type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Annotated, NotRequired):
        return fits(value, arguments[0])
    if origin is Literal:
        return value in arguments
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in arguments)
    if is_typeddict(hint):
        return _fits_record(value, hint)
    if origin is list:
        return isinstance(value, list) and all(fits(one, arguments[0]) for one in value)
    if origin is tuple:
        same = isinstance(value, list | tuple) and len(value) == len(arguments)
        return same and all(fits(one, part) for one, part in zip(value, arguments, strict=True))
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, origin or hint)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _fits_record(value: Any, hint: Any) -> bool:
    members, required = _members_of(hint)
    if not isinstance(value, dict) or not value.keys() <= members.keys():
        return False
    return required <= value.keys() and all(fits(value[n], members[n]) for n in value)


@functools.cache
def _members_of(hint: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """The members of a record with their types, and the names of those that it must have."""
    members = get_type_hints(hint, include_extras=True)
    required = {name for name, one in members.items() if get_origin(one) is not NotRequired}
    return members, frozenset(required)


_OF_A_SESSION = ("generation", "command", "wanted")
"""Inputs by which front end and controller talk; they set nothing."""
CHOOSERS = ("subject", "service")
"""Inputs that name the one subject of a bench."""


def inputs_to_store(component: Component, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a bench, for `biaslab.Store.save`."""
    return {field.name: state[field.name] for field in _settings(component)}


def stored_inputs(
    component: Component, stored: Mapping[str, Any], offered: Iterable[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the stored inputs that a bench can be set to, and why others are left out.

    - `component`: of the bench.
    - `stored`: inputs of a stored run, perhaps of another version of biaslab.
    - `offered`: names of the subjects that can be chosen.
    - Returns: the inputs, and one sentence for each kind of omission.
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
    missing = [name for name in CHOOSERS if inputs.get(name) and inputs[name] not in known]
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
    models = stored.get("models") or [stored[name] for name in CHOOSERS if stored.get(name)]
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


def inputs_of_address(component: Component, query: Mapping[str, Sequence[bytes]]) -> dict[str, Any]:
    """Return the inputs that an address names; `stored_inputs` then checks their values.

    Each input is a parameter: text and numbers as they are, a list as repeated values, a pair of
    cues as ``woman/man``, everything else as JSON. ``js/src/app/shell/address.ts``, which writes
    the address, is the other half.

    - `component`: of the bench.
    - `query`: what stands behind the address's question mark; other names are left out.
    """
    inputs: dict[str, Any] = {}
    for field in component.inputs:
        if values := query.get(field.name):
            texts = [value.decode("utf-8", "replace") for value in values]
            inputs[field.name] = _value(field, texts)
    return inputs


def _value(field: Field, texts: list[str]) -> Any:
    if get_origin(field.type) is list:
        return _list(get_args(field.type)[0], texts)
    if field.type is str or field.choices:
        return texts[-1]
    return _from_json(texts[-1])


def _list(item: Any, texts: list[str]) -> Any:
    if texts == [""]:
        return []
    if item is str:
        return texts
    if get_origin(item) is tuple and not texts[0].startswith("["):
        return [text.split("/") for text in texts]
    values = [_from_json(text) for text in texts]
    # Several numbers are several values; a list of records is one.
    return values[0] if isinstance(values[0], list) else values


def _from_json(text: str) -> Any:
    with suppress(ValueError):
        return parse_json(text)
    return text
