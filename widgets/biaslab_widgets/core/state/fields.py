"""The state of a component: one record from which traits, params and TypeScript are made.

The record is a frozen dataclass whose attributes are declared by `field` and `output`; a
controller reads a consistent copy of the state as an instance of it. The Jupyter host makes a
synced traitlet of each field, the Panel host a param, and `typescript` writes the interface that
the front end is checked against, so that none of them can drift apart. A `Cap` says how large a
value may be, and is looked at before anything reads it. Each number that a person may change has
a `Range`, from which its field on the screen takes its limits.

The records within a state are TypedDicts, plain dictionaries for both hosts. `empty` makes one from
what its fields declare, and `typescript` writes the same constant for the front end.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from biaslab.errors import QueryError

T = TypeVar("T")
_DEEPEST = 20
"""Lists within lists."""


class TooLargeError(QueryError, ValueError):
    """An input is larger than its cap."""


@dataclass(frozen=True)
class Cap:
    """The largest value of a field, or of the arguments of a command.

    What a stranger sends is parsed, compared and kept; each of these costs time and memory in
    proportion to its size, or worse. A cap refuses what is larger than anybody needs.

    - `text`: characters of one text, or bytes of one content.
    - `items`: entries of all lists and records together.
    - `total`: characters of all texts together.
    """

    text: int = 20_000
    items: int = 30_000
    total: int = 1_000_000

    def check(self, value: Any) -> None:
        """Look at a value, and at everything in it.

        Raises `TooLargeError` if it is too large: says how large it may be.
        """
        items, total = 0, 0
        rest: list[tuple[Any, int]] = [(value, 0)]
        while rest:
            one, depth = rest.pop()
            if isinstance(one, str | bytes | bytearray | memoryview):
                total += len(one)
                if len(one) > self.text:
                    raise _too_large("a text", len(one), self.text, "characters")
                if total > self.total:
                    raise _too_large("texts", total, self.total, "characters in all")
            elif isinstance(one, int) and abs(one) >= 2**64:
                raise TooLargeError("The number is too large. Enter a smaller one.")
            elif isinstance(one, Mapping | list | tuple):
                items += len(one)
                if items > self.items:
                    raise _too_large("lists", items, self.items, "entries")
                if depth >= _DEEPEST:
                    raise TooLargeError("The lists hold lists in lists too often. Use plain lists.")
                inner = [*one.keys(), *one.values()] if isinstance(one, Mapping) else one
                rest += [(entry, depth + 1) for entry in inner]


DEFAULT_CAP = Cap()
NO_CAP = Cap(*[2**62] * 3)


def _too_large(what: str, size: int, most: int, unit: str) -> TooLargeError:
    return TooLargeError(
        f"This holds {what} of {size:,} {unit}; at most {most:,} are allowed here. Use a part of"
        " it, or ask in Python, where there is no such limit."
    )


LARGEST = 2**53 - 1
"""The largest whole number that a page holds exactly."""


@dataclass(frozen=True)
class Range:
    """What a number may be: ``words: Annotated[int, Default(2), Range(2, 50)]``.

    - `low`, `high`: inclusive bounds.
    - `step`: of the arrows of its field.
    - `above`: whether `low` itself is excluded.
    """

    low: float
    high: float
    step: float = 1
    above: bool = False

    def nearest(self, given: Any, otherwise: int) -> int:
        """The nearest whole number in it to one that a command brings, or to another without."""
        return int(max(self.low, min(self.high, int(given or otherwise))))

    def check(self, name: str, value: Any) -> None:
        """Look at a number, or at all of a list; raise ValueError with what is allowed."""
        if isinstance(value, list | tuple):
            for one in value:
                self.check(name, one)
            return
        # Written so that NaN, which compares with nothing, is refused too.
        if not (self.low < value if self.above else self.low <= value) or not value <= self.high:
            rule = f"lies above {self.low:,}, up to" if self.above else f"lies from {self.low:,} to"
            raise ValueError(f"{name} is {value}; it {rule} {self.high:,}.")


@dataclass(frozen=True)
class Number:
    """A number within the type of a field: whether it is whole, and its range."""

    integer: bool
    range: Range | None

    def limits(self) -> dict[str, Any]:
        """The limits of its field in the front end."""
        r = self.range or Range(-LARGEST, LARGEST)
        limits = {"min": r.low, "max": r.high, "step": r.step}
        return limits | {"above": r.above, "integer": self.integer}


@dataclass(frozen=True)
class Field:
    """One field of a component's state, as its record declares it.

    - `name`: name in Python and in the front end.
    - `type`: Python type: ``str``, ``int``, ``float``, ``bool``, ``list[...]`` or a TypedDict.
    - `default`: default value; copied for each instance.
    - `doc`: one line for people.
    - `range`: of a number, or of the numbers of a list.
    - `choices`: allowed values of a string; empty when it is free text.
    - `output`: True when only Python writes it.
    - `view`: True when it changes the view and not the question: it is synced and can be linked,
      and no answer is computed or sent for it.
    - `cap`: how large a value may be, which is looked at first.
    """

    name: str
    type: Any
    default: Any
    doc: str
    range: Range | None = None
    choices: tuple[str, ...] = ()
    output: bool = False
    view: bool = False
    cap: Cap = DEFAULT_CAP

    @cached_property
    def numbers(self) -> Mapping[str, Number]:
        """The numbers within it, by the member of the record that holds them, or by ``""``."""
        return _numbers_of(self.type, self.range)

    def initial(self) -> Any:
        """A fresh copy of the default."""
        return copy.deepcopy(self.default)

    def check(self, value: Any) -> Any:
        """Return a valid value or raise ValueError with what is allowed."""
        self.cap.check(value)
        if self.choices and value not in self.choices:
            allowed = ", ".join(repr(c) for c in self.choices)
            raise ValueError(f"{self.name} is {value!r}; choose one of {allowed}.")
        for member, number in self.numbers.items():
            if number.range is not None:
                name = f"{self.name}.{member}" if member else self.name
                number.range.check(name, _values_at(value, member))
        return value


def field(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    step: float = 1,
    view: bool = False,
    cap: Cap = DEFAULT_CAP,
) -> Any:
    """Declare an input of a state record; its annotation is the type, a Literal's its choices.

    - `default`, `doc`, `view`, `cap`: as in `Field`.
    - `low`, `high`, `step`: as in `Range`; every number has them.
    """
    allowed = None if low is None or high is None else Range(low, high, step)
    return _declared({"default": default, "doc": doc, "range": allowed, "view": view, "cap": cap})


def output(default: Any, doc: str) -> Any:
    """Declare a field of a state record that only Python writes."""
    return _declared({"default": default, "doc": doc, "output": True})


def _declared(options: dict[str, Any]) -> Any:
    default = options["default"]
    return dataclasses.field(default_factory=lambda: copy.deepcopy(default), metadata=options)


def _fields_of(state: type) -> tuple[Field, ...]:
    """The fields that a state record declares."""
    hints = get_type_hints(state)
    return tuple(_field_of(d.name, hints[d.name], d.metadata) for d in dataclasses.fields(state))


def _field_of(name: str, hint: Any, options: Mapping[str, Any]) -> Field:
    if get_origin(hint) is Literal:
        return Field(name, str, choices=get_args(hint), **options)
    return Field(name, hint, **options)


@dataclass(frozen=True)
class Component:
    """A component: its name, its front-end module in ``static/`` and the record of its state.

    - `numbers`: ranges of the numbers that its commands take beside the state.
    """

    name: str
    module: str
    state: type
    numbers: Mapping[str, Range] = dataclasses.field(default_factory=dict)
    by_name: Mapping[str, Field] = dataclasses.field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {f.name: f for f in _fields_of(self.state)})

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields of the state."""
        return tuple(self.by_name.values())

    @property
    def inputs(self) -> tuple[Field, ...]:
        """Fields that a person may change."""
        return tuple(f for f in self.fields if not f.output)

    @property
    def views(self) -> tuple[Field, ...]:
        """Inputs that only change how an answer is looked at."""
        return tuple(f for f in self.inputs if f.view)

    def initial(self) -> dict[str, Any]:
        """The state of a fresh component."""
        return {f.name: f.initial() for f in self.fields}


@dataclass(frozen=True)
class Default:
    """What an empty record has in a field: ``high: Annotated[float, Default(1.0)]``."""

    value: Any


def empty(record: type[T]) -> T:
    """Make a TypedDict as it is before anything is known.

    A field without a `Default` has None where that is allowed, the first of several choices, else
    no text, 0, False, no entries or an empty record. One that is not required is left out.
    """
    return cast("T", _empty(record))


@cache
def _values(record: Any) -> Mapping[str, Any]:
    return {name: _empty(hint) for name, hint in _hints(record).items()}


def _hints(record: Any) -> Mapping[str, Any]:
    """What an empty record has, with its type."""
    hints = get_type_hints(record, include_extras=True)
    return {name: hint for name, hint in hints.items() if get_origin(hint) is not NotRequired}


def _empty(hint: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        given = [one.value for one in arguments if isinstance(one, Default)]
        return given[0] if given else _empty(arguments[0])
    if origin is Literal:
        return arguments[0]
    if origin in (Union, types.UnionType):
        return None
    if origin is tuple:
        return tuple(_empty(argument) for argument in arguments)
    return dict(_values(hint)) if is_typeddict(hint) else (origin or hint)()


def _numbers_of(hint: Any, allowed: Range | None = None) -> dict[str, Number]:
    """The numbers within a type, by the member of the record that holds them, or by ``""``."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        allowed = next((one for one in arguments if isinstance(one, Range)), allowed)
        return _numbers_of(arguments[0], allowed)
    if hint in (int, float):
        return {"": Number(hint is int, allowed)}
    if is_typeddict(hint):
        members = get_type_hints(hint, include_extras=True).items()
        return {name: n for name, inner in members for n in _numbers_of(inner).values()}
    return {name: n for one in arguments for name, n in _numbers_of(one, allowed).items()}


def _values_at(value: Any, member: str) -> Any:
    """The values of one member in a record, or in each of a list of records."""
    if not member:
        return value
    records = [value] if isinstance(value, Mapping) else value
    return [record[member] for record in records if member in record]


_HEAD = "// Written by `make contract` from the Python state record. Do not edit."
_FIELDS = "{ defaults: DEFAULTS, outputs: OUTPUTS, views: VIEW_FIELDS, limits: LIMITS }"
_CORE = "biaslab_widgets.core."
_OF_EVERY_BENCH = ("generation", "command", "subjects", "progress", "reply", "answer")
"""Fields that the front end's library keeps, besides the inputs and outputs of a bench."""
_SCALARS = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def typescript(component: Component) -> str:
    """The TypeScript module that declares a component's state and the records of its bench.

    Records of `biaslab_widgets.core` are imported from the module of `shared_typescript`.
    """
    own, shared = _records([component])
    state = f"{component.name}State"
    inputs = [f for f in component.inputs if f.name not in _OF_EVERY_BENCH]
    outputs = [f for f in component.fields if f.output and f.name not in _OF_EVERY_BENCH]
    views = ", ".join(f'"{f.name}"' for f in component.views)
    blocks = [
        *_record_blocks(own),
        _interface(state, _state_members(component)),
        _constant("DEFAULTS", inputs, state),
        _constant("OUTPUTS", outputs, state),
        _constant_of_limits(component),
        f"export const VIEW_FIELDS = [{views}] as const;",
        f"export const FIELDS = {_FIELDS};",
        f"export type Inputs = Pick<{state}, keyof typeof DEFAULTS>;",
        f"export type Outputs = Pick<{state}, keyof typeof OUTPUTS>;",
    ]
    words = set(re.findall(r"\w+", "".join(blocks)))
    names = [f"type {name}" for name in sorted(shared) if name in words]
    names += [name for name in sorted(map(_constant_name, shared)) if name in words]
    imported = "\n".join(["import {", *(f"  {name}," for name in names), '} from "./shared";'])
    return "\n\n".join([_HEAD, imported, *blocks]) + "\n"


def shared_typescript(components: Iterable[Component]) -> str:
    """The TypeScript module that declares the records which all benches share."""
    _, shared = _records(components)
    return "\n\n".join([_HEAD, *_record_blocks(shared)]) + "\n"


def _records(components: Iterable[Component]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Records by name: those of benches, and those of `biaslab_widgets.core`."""
    records: dict[str, Any] = {}
    for component in components:
        for f in component.fields:
            _collect(f.type, records)
    shared = {n: r for n, r in records.items() if r.__module__.startswith(_CORE)}
    return {n: r for n, r in records.items() if n not in shared}, shared


def _interface(name: str, members: Iterator[str]) -> str:
    return "export interface " + name + " {\n" + "".join(f"  {m};\n" for m in members) + "}"


def _record_blocks(records: Mapping[str, Any]) -> Iterator[str]:
    """Of each record its interface, and what it is before anything is known."""
    for name, record in records.items():
        members = [f"{f}: {_literal(hint, _empty(hint))}" for f, hint in _hints(record).items()]
        constant = f"export const {_constant_name(name)}: {name} = {{ {', '.join(members)} }};"
        yield f"{_interface(name, _record_members(record))}\n{constant}"


def _constant(name: str, fields: Iterable[Field], state: str) -> str:
    """Values of the fields before anything has happened, as an object."""
    values = "".join(f"  {f.name}: {_literal(f.type, f.default)},\n" for f in fields)
    return f"export const {name} = {{\n{values}}} satisfies Partial<{state}>;"


def _constant_of_limits(component: Component) -> str:
    """Limits of the number fields, by input or by number of a command, as an object."""
    inputs = {
        f.name: {member: number.limits() for member, number in f.numbers.items()}
        for f in component.inputs
        if f.numbers and f.name not in _OF_EVERY_BENCH
    }
    of_commands = {name: {"": Number(True, r).limits()} for name, r in component.numbers.items()}
    lines = [
        f"  {name}: {json.dumps(limits.get('', limits))},\n"
        for name, limits in {**inputs, **of_commands}.items()
    ]
    return f"export const LIMITS = {{\n{''.join(lines)}}};"


def _constant_name(record: str) -> str:
    """``NO_RUN_STATE`` for ``RunState``."""
    return "NO_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", record).upper()


def _literal(hint: Any, value: Any) -> str:
    if is_typeddict(hint) and value == empty(hint):
        return _constant_name(hint.__name__)
    return json.dumps(value, ensure_ascii=False)


def _state_members(component: Component) -> Iterator[str]:
    for f in component.fields:
        kind = " | ".join(f'"{c}"' for c in f.choices) or _name(f.type)
        yield f"{'readonly ' if f.output else ''}{f.name}: {kind}"


def _record_members(record: Any) -> Iterator[str]:
    required = _hints(record)
    for name, hint in get_type_hints(record).items():
        yield f"{name}{'' if name in required else '?'}: {_name(hint)}"


def _collect(hint: Any, records: dict[str, Any]) -> None:
    if is_typeddict(hint):
        for member in get_type_hints(hint).values():
            _collect(member, records)
        records[hint.__name__] = hint
    for argument in get_args(hint):
        _collect(argument, records)


def _name(hint: Any) -> str:
    origin = get_origin(hint)
    if is_typeddict(hint):
        return str(hint.__name__)
    if origin is Literal:
        return " | ".join(f'"{a}"' if isinstance(a, str) else str(a) for a in get_args(hint))
    if origin in (Union, types.UnionType):
        return " | ".join(_name(a) for a in get_args(hint))
    if origin is list:
        inner = _name(get_args(hint)[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is tuple:
        return "[" + ", ".join(_name(a) for a in get_args(hint)) + "]"
    if origin is dict or hint is dict:
        return "Record<string, unknown>"
    return _SCALARS[hint]
