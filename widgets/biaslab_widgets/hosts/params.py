"""Params made from a component's fields."""

from __future__ import annotations

from typing import Any, get_origin, is_typeddict

import param

from biaslab_widgets.core.fields import Component, Field

_SCALARS: dict[Any, type[param.Parameter]] = {
    str: param.String,
    int: param.Integer,
    float: param.Number,
    bool: param.Boolean,
}


def param_of(field: Field) -> param.Parameter:
    """The param of a field."""
    if field.choices:
        return param.Selector(default=field.initial(), objects=list(field.choices), doc=field.doc)
    if is_typeddict(field.type):
        return param.Dict(default=field.initial(), doc=field.doc)
    if get_origin(field.type) is list:
        return param.List(default=field.initial(), doc=field.doc)
    if field.low is not None:
        bounds = (field.low, field.high)
        return _SCALARS[field.type](default=field.initial(), bounds=bounds, doc=field.doc)
    return _SCALARS[field.type](default=field.initial(), doc=field.doc)


def params_of(component: Component) -> dict[str, param.Parameter]:
    """The params of a component, by name."""
    return {field.name: param_of(field) for field in component.fields}
