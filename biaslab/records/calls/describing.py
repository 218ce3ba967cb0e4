"""Values as plain data, from which Python or the values themselves can be made again."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any, Final

import numpy as np

from biaslab.records.calls.call import Call, Tree, public_name
from biaslab.records.record import FrozenDict, frozen

MARK: Final = "_made_by"
"""Attribute of an object that holds the call that made it."""
MOST: Final = 20_000
"""Values of an argument beyond which it is data that a person has to bring along."""
_SECRET = re.compile(
    r"(^|_|-)(key|token|secret|password|passwd|headers|credentials|auth(orization)?)$", re.I
)
NEVER_STORED: Final = "a secret is never stored"
_NUMBERS: Final = {bool, int, float, type(None)}
_SECRETS_IN_QUERY: Final = ("key", "token", "secret", "password", "auth")
_SKIPPED: Final = frozenset({"context", "hook", "on_oracles", "on_progress", "progress", "store"})
"""Arguments that say how to watch or where to keep a run, and change no number."""


class _TooLargeError(Exception):
    """A value has more parts than are written out."""


def described_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Tree]:
    """Return the arguments of a call that differ from the defaults, as plain data.

    Raises `TypeError` if they do not fit the function.
    """
    signature = _signature(function)
    found: dict[str, Tree] = {}
    for name, value in signature.bind(*args, **kwargs).arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is parameter.VAR_KEYWORD:
            found |= {key: _argument(key, item) for key, item in value.items() if _kept(key, item)}
        elif parameter.kind is parameter.VAR_POSITIONAL:
            found[f"*{name}"] = tuple(_argument(name, item) for item in value)
        elif _kept(name, value) and not _is_default(value, parameter.default):
            found[name] = _argument(name, value)
    return found


@functools.lru_cache(maxsize=512)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _kept(name: str, value: object) -> bool:
    return name not in _SKIPPED and not (value is None and _is_secret(name))


@functools.lru_cache(maxsize=1024)
def _is_secret(name: str) -> bool:
    return _SECRET.search(name) is not None


def _is_default(value: Any, default: Any) -> bool:
    if value is default or type(value) is not type(default):
        return value is default
    is_plain = isinstance(value, str | int | float)
    return bool(value == default if is_plain else described(value) == described(default))


def _argument(name: str, value: Any) -> Tree:
    if _is_secret(name):
        return missing(name, NEVER_STORED)
    try:
        return _Describing().tree(value)
    except _TooLargeError:
        label = getattr(value, "name", None)
        return missing(
            label if isinstance(label, str) else name,
            f"it has more than {MOST:,} values, which are not stored with a result",
        )
    except Exception as error:  # noqa: BLE001  # what cannot be described must not fail a probe
        return missing(name, f"it cannot be described ({error})")


def described(value: Any) -> Tree:
    """Return a value as plain data; what cannot be is named, with the reason."""
    return _argument("", value)


def missing(name: str, why: str) -> Tree:
    """Return the mark of a value that cannot be stored."""
    return FrozenDict({"missing": name, "why": why})


class _Describing:
    """Describes one argument, and counts its values."""

    def __init__(self) -> None:
        self._left = MOST

    def tree(self, value: Any) -> Tree:
        self._count(1)
        if value is None or type(value) in (bool, int, float):
            return value
        if type(value) is str and "://" not in value:  # nearly all values are words
            return value
        if isinstance(value, Enum):
            name = public_name(type(value))
            return FrozenDict({"constant": f"{name}.{value.name}"}) if name else value.value
        if isinstance(value, str):
            return _without_secrets(str(value))
        if isinstance(value, np.generic):
            return self.tree(value.item())
        if type(value) in (list, tuple):
            return self._container(value)
        if (made_by := origin(value)) is not None:
            return made_by
        return self._container(value) if _is_container(value) else self._object(value)

    def _container(self, value: Any) -> Tree:
        if isinstance(value, tuple | list | range):
            if len(value) > self._left:  # before looking at millions of them
                raise _TooLargeError
            if _are_plain(value):  # lists of ten thousand words are common
                self._count(len(value))
                parts = tuple(value)
            else:
                parts = tuple([self.tree(item) for item in value])
            return FrozenDict({"tuple": parts}) if isinstance(value, tuple) else parts
        if isinstance(value, Mapping):
            pairs = tuple((self.tree(key), self._item(key, item)) for key, item in value.items())
            return FrozenDict({"mapping": pairs})
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "biufU":
                return missing("array", f"an array of {value.dtype} is not stored")
            self._count(value.size)
            return FrozenDict({"array": frozen(value.tolist()), "dtype": _dtype(value.dtype)})
        return FrozenDict({"set": tuple([self.tree(item) for item in sorted(value, key=repr)])})

    def _item(self, key: Any, value: Any) -> Tree:
        if isinstance(key, str) and isinstance(value, str) and _is_secret(key):
            return missing(key, "a secret is never stored")
        return self.tree(value)

    def _object(self, value: Any) -> Tree:
        if isinstance(value, PurePath):
            return FrozenDict({"path": str(value)})
        if isinstance(value, np.random.Generator):
            return FrozenDict({"generator": frozen(_plain_state(value.bit_generator.state))})
        if isinstance(value, np.dtype) or (
            isinstance(value, type) and issubclass(value, np.generic)
        ):
            return np.dtype(value).name
        if is_result(value):
            return missing(
                type(value).__name__, "it is part of another result, or of an older version"
            )
        if is_dataclass(value) and not isinstance(value, type) and public_name(type(value)):
            return self._record(value)
        return _missing_object(value)

    def _record(self, value: Any) -> Tree:
        """Return the call of its class; fields that have their default are left out."""
        kind: Any = type(value)
        written = _written_fields(kind)
        if any(name.startswith("_") for name, _ in written):
            return _missing_object(value)
        arguments = {}
        for name, default in written:
            held = getattr(value, name)
            is_default = type(held) is type(default) and not isinstance(held, np.ndarray)
            if not (is_default and held == default) and name not in _SKIPPED:
                arguments[name] = self._item(name, held)
        return Call(public_name(type(value)), arguments).tree

    def _count(self, number: int) -> None:
        self._left -= number
        if self._left < 0:
            raise _TooLargeError


def is_result(value: object) -> bool:
    """Return whether a value has its call in its provenance."""
    return hasattr(getattr(value, "provenance", None), "call")


def origin(value: Any) -> Tree | None:
    """Return the call that made an object or a result, as plain data, if it was recorded."""
    call = getattr(getattr(value, "provenance", None), "call", None)
    if isinstance(call, Call):
        return call.tree
    return None if isinstance(value, type) else getattr(value, "__dict__", {}).get(MARK)


@functools.cache
def _written_fields(cls: Any) -> tuple[tuple[str, Any], ...]:
    """Return the fields that its constructor takes, with their defaults as a record holds them."""
    found = []
    for one in fields(cls):
        default: Any = one.default
        if one.default_factory is not MISSING:
            default = one.default_factory()
        if isinstance(default, list | tuple | Mapping):
            default = frozen(default)
        if one.init:
            found.append((one.name, default))
    return tuple(found)


def _are_plain(values: Sequence[Any]) -> bool:
    """Return whether all stand for themselves: numbers, or words none of which is an address."""
    kinds = set(map(type, values))
    return kinds <= _NUMBERS or (kinds == {str} and "://" not in "\n".join(values))


def _is_container(value: Any) -> bool:
    kinds = (Mapping, tuple, list, set, frozenset, range, np.ndarray)
    return isinstance(value, kinds) and not hasattr(value, "_fields")


def _missing_object(value: Any) -> Tree:
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    name = name if isinstance(name, str) else type(value).__name__
    if inspect.isroutine(value):
        if getattr(value, "is_recorded", False) and (public := public_name(value)):
            return FrozenDict({"function": public})
        return missing(name, "a Python function is not stored with a result")
    what = {"DataFrame": "a table", "Module": "a model"}.get(type(value).__name__)
    return missing(name, f"{what or 'an object'} in memory is not stored with a result")


def _without_secrets(text: str) -> str:
    """Return an address without its login and the keys of its query."""
    if "://" not in text:
        return text
    address, mark, query = text.partition("?")
    scheme, _, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    parts = [_without_secret(part) for part in query.split("&")]
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}{mark}{'&'.join(parts)}"


def _without_secret(part: str) -> str:
    name, equals, _ = part.partition("=")
    is_secret = equals and any(word in name.lower() for word in _SECRETS_IN_QUERY)
    return f"{name}=..." if is_secret else part


def _dtype(dtype: np.dtype[Any]) -> str:
    return "str" if dtype.kind == "U" else dtype.name


def _plain_state(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain_state(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
