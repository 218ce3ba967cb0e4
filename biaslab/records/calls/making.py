"""Carry out a recorded call."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from biaslab.arguments import with_current_names
from biaslab.errors import CallError
from biaslab.records.calls.call import Call, Tree, call_in, named


def carry_out(call: Call, **changes: Any) -> Any:
    """Carry out a recorded call.

    Parameters
    ----------
    call : Call
        Only recorded functions of biaslab are called.
    **changes
        Values of its arguments, or of those of the `first_call`, in place of the recorded ones.

    Raises
    ------
    CallError
        If something in it could not be stored, or this version has no such function.
    """
    return _Making().carry_out(call, changes)


def make(tree: Tree) -> Any:
    """Make what a recorded call returned, or a part of it; raises as `carry_out`."""
    return _Making().value(tree)


def first_call(call: Call) -> Call:
    """Return the call of a function at the beginning of a chain of methods."""
    while (before := call_in(call.of)) is not None:
        call = before
    return call


def subjects_of(call: Call) -> Iterator[Any]:
    """Load the subject of a recorded call, then what it was made of, from the outside in.

    A subject is the first argument: of the probe, and of what wraps a model for the probe. One that
    was named is its name.

    Raises `CallError` if one could not be stored, or this version has no such function.
    """
    inner: Call | None = call
    while inner is not None:
        first = first_call(inner)
        function = named(first.function)
        name = next(iter(inspect.signature(function).parameters), "")
        subject = with_current_names(function, first.arguments).get(name)
        inner = call_in(subject)
        if inner is not None or isinstance(subject, str):
            yield _Making().value(subject)


def made_arguments(call: Call) -> dict[str, Any]:
    """Make the arguments of a recorded call again, all but its subject, which may be large.

    Those that could not be stored, or that this version cannot make, are left out.
    """
    first = first_call(call)
    function = named(first.function)
    subject = next(iter(inspect.signature(function).parameters), "")
    making, arguments = _Making(), {}
    for name, tree in with_current_names(function, first.arguments).items():
        if name != subject and not name.startswith("*"):
            with suppress(CallError):
                arguments[name] = making.value(tree)
    return arguments


class _Making:
    """Makes each part once: a subject that stands in two places is the same object."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def carry_out(self, call: Call, changes: Mapping[str, Any]) -> Any:
        before = call_in(call.of)
        if before is not None and changes:
            function = _attribute(self.carry_out(before, changes), call.function.removeprefix("."))
            changes = {}
        else:
            function = self._function(call)
        args: list[Any] = []
        options = dict(changes)
        for name, tree in with_current_names(function, call.arguments).items():
            # A pickle runs code: a stored call does not decide that.
            if name in changes or name == "trust_pickle":
                continue
            if name.startswith("*"):
                args += map(self.value, tree)
            else:
                options[name] = self.value(tree)
        # Options in the spelling of an older version are no fault of who makes a stored call.
        return getattr(function, "as_stored", function)(*args, **options)

    def value(self, tree: Tree) -> Any:
        if isinstance(tree, tuple | list):
            return [self.value(item) for item in tree]
        if not isinstance(tree, Mapping):
            return tree
        call = call_in(tree)
        if call is not None or "generator" in tree:
            key = json.dumps(tree, default=dict)
            if key not in self._made:
                self._made[key] = self.carry_out(call, {}) if call else _generator(tree)
            return self._made[key]
        return self._other(tree)

    def _other(self, tree: Mapping[str, Any]) -> Any:
        if "missing" in tree:
            raise CallError(
                f"{tree['missing'] or 'An argument'} cannot be made again: {tree['why']}. Give it"
                " yourself, as in bl.rerun(run, subject=...), or run the code that code() writes."
            )
        if "function" in tree:
            return self._function(Call(tree["function"], {}))
        if "constant" in tree:
            name, _, member = tree["constant"].rpartition(".")
            return getattr(named(name), member)
        if "attribute" in tree:
            return _attribute(self.value(tree["of"]), tree["attribute"])
        if "item" in tree:
            return self.value(tree["of"])[tree["item"]]
        kinds: dict[str, Callable[[Any], Any]] = {
            "tuple": lambda items: tuple(map(self.value, items)),
            "set": lambda items: set(map(self.value, items)),
            "mapping": lambda pairs: {self.value(k): self.value(v) for k, v in pairs},
            "array": lambda items: np.array(_lists(items), dtype=tree["dtype"]),
            "path": Path,
        }
        kind = next(iter(tree))
        if kind not in kinds:
            raise CallError(
                f"{kind!r} is in no call of this version: update biaslab (pip install -U biaslab)."
            )
        return kinds[kind](tree[kind])

    def _function(self, call: Call) -> Callable[..., Any]:
        if call.of is not None:
            found = _attribute(self.value(call.of), call.function.removeprefix("."))
        else:
            found = named(call.function)
        is_record = isinstance(found, type) and dataclasses.is_dataclass(found)
        if not (is_record or getattr(found, "is_recorded", False)):
            raise CallError(f"{call.function!r} is not a function whose calls are recorded.")
        made: Callable[..., Any] = found
        return made


def _attribute(value: Any, name: str) -> Any:
    if name.startswith("_") or not hasattr(value, name):
        raise CallError(
            f"A {type(value).__name__} of this version has no {name!r}. Make the call yourself."
        )
    return getattr(value, name)


def _generator(tree: Mapping[str, Any]) -> np.random.Generator:
    state = _dicts(tree["generator"])
    bits = getattr(np.random, str(state["bit_generator"]), None)
    if not (isinstance(bits, type) and issubclass(bits, np.random.BitGenerator)):
        raise CallError(f"numpy has no random generator {state['bit_generator']!r}.")
    made = bits()
    made.state = state
    return np.random.Generator(made)


def _lists(items: Any) -> Any:
    return [_lists(item) for item in items] if isinstance(items, tuple | list) else items


def _dicts(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _dicts(item) for key, item in value.items()}
    return np.array(_lists(value)) if isinstance(value, tuple | list) else value
