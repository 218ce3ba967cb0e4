"""Whether a value that came from JSON, by a page or a store, is one that a field can hold."""

from __future__ import annotations

import functools
import math
import types
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value that came from JSON is of a type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin is NotRequired:
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
