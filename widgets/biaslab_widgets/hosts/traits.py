"""Traitlets made from a component's fields."""

from __future__ import annotations

import json
from typing import Any, get_origin, is_typeddict

import traitlets

from biaslab_widgets.core.constructors import about
from biaslab_widgets.core.fields import Component, Field

_SCALARS: dict[Any, type[traitlets.TraitType[Any, Any]]] = {
    str: traitlets.Unicode,
    int: traitlets.Int,
    float: traitlets.Float,
    bool: traitlets.Bool,
}


def trait_of(field: Field) -> traitlets.TraitType[Any, Any]:
    """The synced traitlet of a field."""
    if field.choices:
        trait: traitlets.TraitType[Any, Any] = traitlets.Enum(field.choices, field.initial())
    elif is_typeddict(field.type):
        trait = traitlets.Dict(field.initial())
    elif get_origin(field.type) is list:
        trait = traitlets.List(field.initial())
    elif field.low is not None:
        kind = _SCALARS[field.type]
        trait = kind(field.initial(), min=field.low, max=field.high)
    else:
        trait = _SCALARS[field.type](field.initial())
    if field.output and is_typeddict(field.type):
        trait.tag(to_json=_as_text)
    trait.help = about(field)
    return trait.tag(sync=True, doc=field.doc)


def _as_text(value: Any, _widget: Any) -> dict[str, str]:
    """A record as it travels: as JSON text, which the front end unpacks.

    ipywidgets looks through every number of a nested value for buffers, which takes longer than
    making and reading the text.
    """
    return {"json": json.dumps(value, allow_nan=False, separators=(",", ":"))}


def traits_of(component: Component) -> dict[str, traitlets.TraitType[Any, Any]]:
    """The synced traitlets of a component, by name."""
    return {field.name: trait_of(field) for field in component.fields}
