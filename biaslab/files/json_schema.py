"""Compare JSON that somebody else wrote with a schema of ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,),
    "integer": (int,), "number": (int, float),
}  # fmt: skip


def schema_problem(value: Any, schema: Mapping[str, Any]) -> str:
    """Return the first place at which a value does not fit, and why; empty if it fits.

    Knows the parts of JSON Schema (draft 2020-12) that the schemas of this package use: type,
    required, properties, additionalProperties, items, minItems, minLength, minimum, maximum, enum,
    const, and references to ``$defs``.
    """
    return next(_problems(value, schema, schema.get("$defs", {}), ""), "")


def _problems(
    value: Any, schema: Mapping[str, Any], named: Mapping[str, Any], place: str
) -> Iterator[str]:
    if "$ref" in schema:
        schema = named[schema["$ref"].rpartition("/")[2]]
    where = place or "the file"
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if choices is not None and value not in choices:
        yield f"{where} is {_short(value)}, not {' or '.join(map(repr, choices))}"
    kind = schema.get("type")
    is_boolean = isinstance(value, bool)  # which Python takes for an integer, too
    if kind and not (isinstance(value, _TYPES[kind]) and is_boolean == (kind == "boolean")):
        yield f"{where} is {_short(value)}, not of the type {kind}"
        return
    if isinstance(value, str | list):
        least = schema.get("minLength" if isinstance(value, str) else "minItems", 0)
        if len(value) < least:
            yield f"{where} has fewer than {least} entries or characters"
    elif isinstance(value, int | float) and not (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
    ):
        yield f"{where} is {value}, which is out of range"
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from _problems(one, schema.get("items", {}), named, f"{place}[{number}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        others = schema.get("additionalProperties", {})
        for name, one in value.items():
            if name not in known and others is False:
                yield f"{where} has {_short(name)}, which the schema does not know"
            else:
                inside = known.get(name, others)
                yield from _problems(one, inside, named, f"{place}.{name}".lstrip("."))
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{where} has no {name!r}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
