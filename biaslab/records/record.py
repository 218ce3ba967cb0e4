"""Frozen values: dataclasses whose arrays, lists and mappings cannot change."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(Mapping[K, V]):
    """A mapping that cannot change; it keeps the order of its items.

    - `is_frozen`: whether `frozen` has made it: then its values cannot change either.
    """

    __slots__ = ("_items", "is_frozen")

    def __init__(self, items: Mapping[K, V] | None = None, *, is_frozen: bool = False) -> None:
        self._items = dict(items or {})
        self.is_frozen = is_frozen

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)

    def __reduce__(self) -> tuple[type[FrozenDict[K, V]], tuple[dict[K, V]]]:
        # Arrays can be written to once they were pickled or copied.
        return FrozenDict, (self._items,)


class Record:
    """Base of frozen dataclasses of numbers: frozen in depth, comparable, hashable.

    Decorate each subclass with ``@dataclass(frozen=True)``. At construction lists become tuples,
    mappings become read-only, numpy scalars become Python's, and arrays become read-only: an
    array that someone else could still write to is copied, a read-only one is shared. Equality
    compares arrays by dtype, shape and value, and takes NaN as equal to NaN.

    Raises
    ------
    TypeError
        If a field holds a value that cannot be frozen and stored (a file, a set, a tensor ...).
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # The dataclass decorator runs later and would write an __eq__ and a __hash__ that fail
        # on arrays; it leaves alone what the class already has.
        for name in ("__eq__", "__hash__"):
            if cls.__dict__.get(name) is None:
                setattr(cls, name, getattr(Record, name))

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, field.name)
            if type(value) not in _PLAIN:
                where = f"{type(self).__name__}.{field.name}"
                object.__setattr__(self, field.name, frozen(value, where))

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return _hash(self)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Cached properties are left out: they are computed again.
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        # numpy forgets on pickling that an array was read-only.
        for name, value in state.items():
            object.__setattr__(self, name, frozen(value, f"{type(self).__name__}.{name}"))


_PLAIN = {str, int, float, bool, type(None)}


def _is_plain(value: Any) -> bool:
    kind = type(value)
    return kind in _PLAIN or (kind is tuple and _PLAIN.issuperset(map(type, value)))


def frozen(value: Any, where: str = "value") -> Any:
    """Return ``value`` in immutable form; `where` names it in an error.

    Raises `TypeError` if it is of a type that a record cannot hold; the message says what to hold
    instead.
    """
    if isinstance(value, Record | Enum) or value is None:
        return value
    if isinstance(value, np.generic) and _is_storable(value.dtype):
        return value.item()
    if isinstance(value, bool | int | float | str) and not isinstance(value, np.generic):
        return value
    if isinstance(value, np.ndarray):
        return _read_only(value, where)
    if isinstance(value, tuple | list):
        kinds = set(map(type, value))  # lists of ten thousand words are common
        if kinds == {tuple}:
            kinds = set(map(type, chain.from_iterable(value)))
        if kinds <= _PLAIN:
            return tuple(value)
        return tuple(
            item if _is_plain(item) else frozen(item, f"{where}[{i}]")
            for i, item in enumerate(value)
        )
    if isinstance(value, Mapping):
        if isinstance(value, FrozenDict) and value.is_frozen:
            return value
        items = {
            frozen(key, where): frozen(item, f"{where}[{key!r}]") for key, item in value.items()
        }
        return FrozenDict(items, is_frozen=True)
    if is_dataclass(value) and not isinstance(value, type):
        return _frozen_dataclass(value, where)
    raise TypeError(
        f"{where} is a {type(value).__name__}, which a record cannot hold. Use numbers, text, "
        "None, an enum, a numpy array, a tuple, a mapping or a frozen dataclass; for bytes, keep "
        "the hash that Store.put_file returns; for a time, its ISO text."
    )


def _frozen_dataclass(value: Any, where: str) -> Any:
    if not type(value).__dataclass_params__.frozen:
        raise TypeError(f"{where}: declare {type(value).__name__} as @dataclass(frozen=True).")
    before = {field.name: getattr(value, field.name) for field in fields(value)}
    after = {name: frozen(item, f"{where}.{name}") for name, item in before.items()}
    if all(after[name] is before[name] for name in before):
        return value
    value = copy.copy(value)
    for name, item in after.items():
        object.__setattr__(value, name, item)
    return value


def _is_storable(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biuU" or (dtype.kind == "f" and dtype.itemsize <= 8)


def _read_only(array: NDArray[Any], where: str) -> NDArray[Any]:
    dtype = array.dtype
    if not _is_storable(dtype):
        raise TypeError(
            f"{where} is an array of {dtype}, which cannot be stored exactly. Use booleans, "
            "integers, float16 to float64, or text."
        )
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(
            f"{where} is a masked array. Use a plain array with NaN in place of masked values."
        )
    if dtype.isnative and _nobody_can_write(array):
        return array
    array = np.array(array, dtype=dtype.newbyteorder("="), subok=False)
    array.flags.writeable = False
    return array


def _nobody_can_write(array: object) -> bool:
    # A read-only view of a writeable array still changes when its owner writes.
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return array is None or isinstance(array, bytes)


def same(a: Any, b: Any) -> bool:
    """Return whether two frozen values are equal; NaN equals NaN."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)) or a.dtype != b.dtype:
            return False
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if is_dataclass(a) and type(a) is type(b):
        return all(
            same(getattr(a, field.name), getattr(b, field.name))
            for field in fields(a)
            if field.compare
        )
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return bool(a == b)


def _hash(value: Any) -> int:
    # Coarse on purpose: equal values hash alike, and no array is read.
    if isinstance(value, np.ndarray):
        return hash(value.shape)
    if isinstance(value, tuple):
        return hash(tuple(map(_hash, value)))
    if isinstance(value, Mapping):
        return hash(frozenset(value))
    if is_dataclass(value):
        return hash(tuple(_hash(getattr(value, f.name)) for f in fields(value) if f.compare))
    if isinstance(value, float) and math.isnan(value):
        return 0
    return hash(value)
