"""Frozen dataclasses to strict JSON and back, without loss.

Plain values stay plain. JSON has no NaN and no infinities: they become the strings ``"NaN"``,
``"Infinity"`` and ``"-Infinity"`` (which ``Number()`` in JavaScript and ``float()`` in Python
read), and a text that reads like one of them becomes ``{"$str": ...}``. An array becomes
``{"$array": nested lists, "dtype": ..., "shape": ...}``, or, if it is large,
``{"$packed": base64 of its little-endian bytes, row by row, "dtype": ..., "shape": ...}``;
a mapping whose keys are not all plain text ``{"$map": [[key, value], ...]}``. Dataclasses and enums
are restored through the type hints of the field that holds them; where a hint allows several,
``"$type"`` names the class.
"""

from __future__ import annotations

import base64
import functools
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import ResultFormatError
from biaslab.records.record import FrozenDict

_READABLE = 20_000
"""Largest size of an array that is written as nested lists."""
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_DTYPES = frozenset(
    {"bool", "float16", "float32", "float64"}
    | {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
)


def encode_fields(record: Any) -> dict[str, Any]:
    """Return the fields of a frozen dataclass as JSON-able values.

    Raises `TypeError` if a field holds a dataclass or an enum that its type hint does not name.
    """
    owner: Any = type(record)
    return {
        name: _encode(getattr(record, name), hint, f"{owner.__name__}.{name}")
        for name, hint in _field_hints(owner).items()
    }


def decode_fields(cls: Any, data: Mapping[str, Any]) -> Any:
    """Return an instance of the dataclass `cls` from the output of `encode_fields`.

    Raises `ResultFormatError` if fields are missing or unknown, or a value has the wrong form.
    """
    hints = _field_hints(cls)
    unknown = set(data) - set(hints)
    missing = [
        field.name
        for field in fields(cls)
        if field.name in hints
        and field.name not in data
        and field.default is MISSING
        and field.default_factory is MISSING
    ]
    if unknown or missing:
        wrong = [f"missing: {name}" for name in missing]
        wrong += [f"unknown: {name}" for name in sorted(unknown)]
        raise ResultFormatError(f"the fields of {cls.__name__} do not fit ({', '.join(wrong)})")
    values = {}
    for name, value in data.items():
        try:
            values[name] = _decode(value, hints[name])
        except (TypeError, ValueError, KeyError, OverflowError) as error:
            raise ResultFormatError(f"{cls.__name__}.{name} cannot be read ({error})") from error
    return cls(**values)


def _encode(value: Any, hint: Any, where: str) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return _tagged({"value": _encode(value.value, None, where)}, value, hint, where)
    if isinstance(value, str):
        return {"$str": value} if value in _NOT_FINITE else value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _spelled(value)
    if isinstance(value, np.ndarray):
        return _encode_array(value)
    if isinstance(value, tuple):
        return [_encode(item, _item_hint(hint, i), where) for i, item in enumerate(value)]
    if isinstance(value, Mapping):
        key_hint, value_hint = _mapping_hints(hint)
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {key: _encode(item, value_hint, where) for key, item in value.items()}
        return {
            "$map": [
                [_encode(key, key_hint, where), _encode(item, value_hint, where)]
                for key, item in value.items()
            ]
        }
    if hasattr(value, "to_dict") and any(isinstance(value, owner) for owner in _owners(hint)):
        return value.to_dict()  # a result inside a result: it carries its own schema
    return _tagged(encode_fields(value), value, hint, where)


def _tagged(data: dict[str, Any], value: Any, hint: Any, where: str) -> Any:
    """Return `data` with the tag from which `_decode` restores the class of `value`."""
    options = _options(hint)
    if type(value) not in options:
        raise TypeError(
            f"{where} holds a {type(value).__name__}, which its type hint does not allow, so it"
            f" could not be read back. Add {type(value).__name__} to the hint."
        )
    if len(options) > 1:
        return {"$type": type(value).__name__, **data}
    return data["value"] if isinstance(value, Enum) else data


def _encode_array(array: NDArray[Any]) -> dict[str, Any]:
    dtype = array.dtype
    values = array
    name = f"U{dtype.itemsize // 4}" if dtype.kind == "U" else dtype.name
    if array.size > _READABLE and dtype.kind != "U":
        packed = base64.b64encode(array.astype(dtype.newbyteorder("<")).tobytes())
        return {"$packed": packed.decode("ascii"), "dtype": name, "shape": list(array.shape)}
    if dtype.kind == "f" and not np.isfinite(array).all():
        values = array.astype(object)
        for spelled, number in _NOT_FINITE.items():
            values[np.isnan(array) if math.isnan(number) else array == number] = spelled
    return {"$array": values.tolist(), "dtype": name, "shape": list(array.shape)}


def _decode_array(data: Mapping[str, Any]) -> NDArray[Any]:
    name = data["dtype"]
    if name not in _DTYPES and not (name[:1] == "U" and name[1:].isdecimal()):
        raise ValueError(f"unknown array type {name!r}")
    dtype = np.dtype(name)
    if "$packed" in data:
        packed = base64.b64decode(data["$packed"], validate=True)
        array = np.frombuffer(packed, dtype.newbyteorder("<")).astype(dtype)
        array = array.reshape(data["shape"])
        array.flags.writeable = False
        return array
    array = np.array(data["$array"], dtype=dtype)
    if list(array.shape) != data["shape"]:  # an array without elements: [] has no second axis
        array = array.reshape(data["shape"]).copy()
    array.flags.writeable = False
    return array


def _decode(data: Any, hint: Any) -> Any:
    options = _options(hint)
    if isinstance(data, dict):
        if "$array" in data or "$packed" in data:
            return _decode_array(data)
        if "$str" in data:
            return data["$str"]
        if "$type" in data:
            return _decode_tagged(data, options)
        if "schema" in data and _owners(hint):
            return _owners(hint)[0].from_dict(data)
        if len(options) == 1:
            return decode_fields(options[0], data)
        key_hint, value_hint = _mapping_hints(hint)
        pairs = data["$map"] if "$map" in data else data.items()
        return FrozenDict({_decode(k, key_hint): _decode(v, value_hint) for k, v in pairs})
    plain: Any = data
    if isinstance(data, list):
        plain = tuple(_decode(item, _item_hint(hint, i)) for i, item in enumerate(data))
    elif isinstance(data, str):
        plain = _NOT_FINITE.get(data, data)
    if plain is not None and len(options) == 1:
        if not issubclass(options[0], Enum):
            raise ValueError(f"expected the fields of a {options[0].__name__}")
        return options[0](plain)
    return plain


def _decode_tagged(data: Mapping[str, Any], options: Sequence[Any]) -> Any:
    named = {option.__name__: option for option in options if isinstance(option, type)}
    option = named[data["$type"]]
    if issubclass(option, Enum):
        return option(_decode(data["value"], None))
    return decode_fields(option, {k: v for k, v in data.items() if k != "$type"})


def _spelled(number: float) -> str:
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


@functools.cache
def _field_hints(cls: Any) -> dict[str, Any]:
    try:
        hints = get_type_hints(cls)
    except NameError as error:
        raise TypeError(
            f"The type hints of {cls.__qualname__} cannot be evaluated ({error}): import the names "
            "they use at run time, not only under TYPE_CHECKING."
        ) from error
    return {field.name: hints[field.name] for field in fields(cls) if field.init}


def _members(hint: Any) -> tuple[Any, ...]:
    """Return the alternatives of a union, or the single hint itself."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _options(hint: Any) -> list[Any]:
    """Return the alternatives of `hint` if one is a dataclass or an enum, else nothing.

    More than one (``Colour | str``) means that a value needs a tag; None is not counted.
    """
    members = [member for member in _members(hint) if member is not type(None)]
    if any(isinstance(m, type) and (is_dataclass(m) or issubclass(m, Enum)) for m in members):
        return members
    return []


def _owners(hint: Any) -> list[Any]:
    """Return the classes in `hint` that encode and decode themselves: results."""
    return [member for member in _members(hint) if hasattr(member, "from_dict")]


def _item_hint(hint: Any, index: int) -> Any:
    for member in _members(hint):
        if get_origin(member) in (tuple, Sequence, list):
            arguments = get_args(member)
            if get_origin(member) is not tuple or arguments[-1:] == (Ellipsis,):
                return arguments[0]
            return arguments[index] if index < len(arguments) else None
    return None


def _mapping_hints(hint: Any) -> tuple[Any, Any]:
    for member in _members(hint):
        origin = get_origin(member)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            key, value = get_args(member)
            return key, value
    return None, None
