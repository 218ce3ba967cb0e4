"""Settings of a bench from the query of a page's address, which the front end writes.

Each input is a parameter: text and numbers as they are, a list as repeated values, a pair of cues
as ``woman/man``, everything else as JSON. ``js/src/app/shell/address.ts`` is the other half.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, get_args, get_origin

from biaslab_widgets.core.fields import Component, Field


def inputs_of_address(component: Component, query: Mapping[str, Sequence[bytes]]) -> dict[str, Any]:
    """Return the inputs that an address names; `stored_inputs` then checks their values.

    Parameters
    ----------
    component : Component
        Of the bench.
    query : mapping of str to sequence of bytes
        What stands behind the address's question mark; other names are left out.
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
        return json.loads(text)
    return text
