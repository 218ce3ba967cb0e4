"""A recorded call as Python source, laid out as the common formatters do."""

from __future__ import annotations

import inspect
import json
import keyword
import math
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from biaslab.arguments import with_current_names
from biaslab.errors import CallError
from biaslab.records.calls.call import Call, Tree, call_in, named

_SHORT: Final = 60
"""Characters up to which an argument stands in the call itself."""
_FILLED_FROM: Final = 8
"""Items of a list of words from which several stand on a line."""
_RESERVED: Final = ("bl", "np", "Path", "result", "print")
_NAMES: Final = {"bl.debias": "debiased", "bl.sample_posterior": "posterior"}
"""Variables for what functions return, where they are not called as the argument is."""
FILL_IN: Final = "FILL IN"
"""Marks a line that a person has to complete."""


def source_of(*calls: Call) -> str:
    """Return Python source that makes calls again, and prints the summary of each result.

    The first result is called ``result``, the others ``result_2`` ... What could not be stored is
    marked with ``FILL IN``, and a comment says why.
    """
    writer = _Writer()
    missing: list[Mapping[str, str]] = []
    for number, call in enumerate(calls, start=1):
        name = "result" if number == 1 else f"result_{number}"
        made = writer.call(call, top=True)
        writer.statements += [statement(name, made), f"print({name}.summary())"]
        missing += [one for one in call.missing if one not in missing]
    head = [*writer.imports(), "", *_head(tuple(missing))]
    return "\n".join([*head, *writer.statements]) + "\n"


def source_without_call(probe: str, subject: str) -> str:
    """Return source for a result that records no call: what is known of it, and a mark."""
    why = (
        f"This result of {probe} on {subject} does not record how it was made: it is part of"
        " another result, or an older version of biaslab made it."
    )
    return "\n".join(["import biaslab as bl", "", *_comment(why), f"result = ...  # {FILL_IN}", ""])


class _Writer:
    """Writes values; those that do not fit on a line, and subjects, get a name."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self._names: dict[str, str] = {}
        self._taken = set(_RESERVED)
        self._imported: dict[str, str] = {}
        self._uses_numpy = self._uses_path = False

    def imports(self) -> list[str]:
        """The imports that the statements need, in the usual order."""
        ours = [f"from {m} import {n}" for n, m in sorted(self._imported.items())]
        others = ["import biaslab as bl", *(["import numpy as np"] if self._uses_numpy else [])]
        first = ["from pathlib import Path", ""] if self._uses_path else []
        return [*first, *others, *sorted(ours)]

    def call(self, call: Call, top: bool = False) -> Source:
        """Write a call, after the statements that it needs."""
        if call.of is not None:
            before = self._of(call.of)
            begin = f"{before}{call.function}("
        else:
            begin = f"{self._function(call.function)}("
        items = []
        is_record = not top and call.function.rpartition(".")[2][:1].isupper()
        for name, tree, is_named in _ordered(call):
            written = self.value(tree, name, inline=is_record)
            items.append((f"{name}=" if is_named else "", written))
        return Bracketed(begin, tuple(items), ")")

    def value(self, tree: Tree, name: str, inline: bool = False) -> Source:
        """Write an argument: in place, or as a variable of its name."""
        if self._needs_name(tree, inline):
            return self._variable(tree, name)
        written = self._plain(tree, name)
        if not inline and len(flat(written)) > _SHORT and isinstance(written, Bracketed):
            return self._assign(tree, name, written)
        return written

    def _needs_name(self, tree: Tree, inline: bool) -> bool:
        if not isinstance(tree, Mapping):
            return False
        call = call_in(tree)
        if call is None:
            return "missing" in tree or "generator" in tree
        return not (inline or call.function.rpartition(".")[2][:1].isupper())

    def _variable(self, tree: Tree, name: str) -> str:
        key = json.dumps(tree, default=dict)
        if key in self._names:
            return self._names[key]
        if "missing" in tree:
            return self._fill_in(tree, name, key)
        if "generator" in tree:
            return self._generator(tree, name, key)
        call = call_in(tree)
        assert call is not None  # noqa: S101  # see _needs_name
        written = self.call(call)
        return self._assign(tree, _NAMES.get(call.function, name), written)

    def _assign(self, tree: Tree, name: str, written: Source) -> str:
        key = json.dumps(tree, default=dict)
        if key not in self._names:
            self._names[key] = self._free(name)
            self.statements.append(statement(self._names[key], written))
        return self._names[key]

    def _fill_in(self, tree: Mapping[str, str], name: str, key: str) -> str:
        label = tree["missing"]
        is_name = label.isidentifier() and not keyword.iskeyword(label)
        is_function = "function" in tree["why"]
        self._names[key] = self._free(name)
        self.statements += _comment(f"{FILL_IN}: {label or name} ({tree['why']}).")
        self.statements.append(
            f"{self._names[key]} = {label if is_name and is_function else '...'}  # {FILL_IN}"
        )
        return self._names[key]

    def _generator(self, tree: Mapping[str, Any], name: str, key: str) -> str:
        self._uses_numpy = True
        state = tree["generator"]
        self._names[key] = variable = self._free(name)
        self.statements += [
            f"{variable} = np.random.Generator(np.random.{state['bit_generator']}())",
            statement(f"{variable}.bit_generator.state", self._dictionary(state)),
        ]
        return variable

    def _dictionary(self, state: Mapping[str, Any]) -> Source:
        items = tuple(
            (
                f"{text(key)}: ",
                self._dictionary(value) if isinstance(value, Mapping) else self._plain(value, ""),
            )
            for key, value in state.items()
        )
        return Bracketed("{", items, "}")

    def _of(self, tree: Tree) -> str:
        """Write what a method is called on: in place if it is short."""
        call = call_in(tree)
        if (known := self._names.get(json.dumps(tree, default=dict))) is not None:
            return known
        if call is not None and not call.missing:
            written = self.call(call)
            if call.of is not None or call.function == "bl.load":
                return flat(written)
            return self._assign(tree, "before", written)
        if call is not None:
            return flat(self.call(call))
        return flat(self.value(tree, "subject"))

    def _plain(self, tree: Tree, name: str) -> Source:
        if isinstance(tree, tuple | list):
            return self._sequence("[", tree, "]", name)
        if not isinstance(tree, Mapping):
            return _scalar(tree)
        if (call := call_in(tree)) is not None:
            return self.call(call)
        if "path" in tree:
            self._uses_path = True
            return f"Path({text(tree['path'])})"
        if "function" in tree:
            return self._function(tree["function"])
        if "constant" in tree:
            owner, _, member = tree["constant"].rpartition(".")
            return f"{self._function(owner)}.{member}"
        if "attribute" in tree:
            return f"{self._of(tree['of'])}.{tree['attribute']}"
        if "item" in tree:
            call = call_in(tree["of"])
            return f"{flat(self.call(call)) if call else self._of(tree['of'])}[{tree['item']}]"
        if "array" in tree:
            self._uses_numpy = True
            numbers = self._sequence("[", tree["array"], "]", name)
            return Bracketed("np.array(", (("", numbers), ("dtype=", text(tree["dtype"]))), ")")
        if "mapping" in tree:
            items = [(f"{flat(self._plain(k, name))}: ", self._item(v)) for k, v in tree["mapping"]]
            return Bracketed("{", tuple(items), "}")
        if "set" in tree:
            return self._sequence("{", tree["set"], "}", name) if tree["set"] else "set()"
        return self._sequence("(", tree["tuple"], ")", name)

    def _sequence(self, opening: str, items: Any, closing: str, name: str) -> Source:
        fills = len(items) >= _FILLED_FROM and not any(
            isinstance(item, Mapping | tuple | list) for item in items
        )
        return Bracketed(opening, tuple(("", self._item(i, name)) for i in items), closing, fills)

    def _item(self, tree: Tree, name: str = "value") -> Source:
        return (
            self.value(tree, name, inline=True)
            if isinstance(tree, Mapping)
            else self._plain(tree, name)
        )

    def _function(self, name: str) -> str:
        if not name.startswith("biaslab."):
            return name
        module, _, short = name.rpartition(".")
        # A class method is imported with its class.
        if module.rpartition(".")[2][:1].isupper():
            module, _, owner = module.rpartition(".")
            self._imported[owner] = module
            return f"{owner}.{short}"
        self._imported[short] = module
        return short

    def _free(self, name: str) -> str:
        name = name.lstrip("*") or "value"
        name = name.rstrip("_") if name.endswith("_") and not keyword.iskeyword(name[:-1]) else name
        free, number = name, 2
        while free in self._taken:
            free, number = f"{name}_{number}", number + 1
        self._taken.add(free)
        return free


def _ordered(call: Call) -> list[tuple[str, Tree, bool]]:
    """Return the arguments, and whether each is passed by name."""
    function: Any = None
    with suppress(CallError):
        function = named(call.function) if call.of is None else None
    arguments = with_current_names(function, call.arguments)
    ordered: list[tuple[str, Tree, bool]] = []
    for name in _leading(call, function):
        if name not in arguments:
            break
        ordered.append((name, arguments.pop(name), False))
    for name, tree in arguments.items():
        if name.startswith("*"):
            ordered += [(name.lstrip("*").removesuffix("s"), item, False) for item in tree]
        else:
            ordered.append((name, tree, True))
    return ordered


def _leading(call: Call, function: Any) -> list[str]:
    """Return the names of arguments that can be passed by place."""
    if function is None:
        return list(call.arguments)[:1] if call.function == ".replicate" else []
    if isinstance(function, type) and len(call.arguments) > 2:
        return []
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _head(missing: tuple[Mapping[str, str], ...]) -> list[str]:
    if not missing:
        return []
    names = ", ".join(one["missing"] or "an argument" for one in missing[:5])
    several = len(missing) > 1
    lines = _comment(
        f"Complete the line{'s' * several} marked {FILL_IN}: {names} {'are' if several else 'is'}"
        " not stored with a result."
    )
    return [*lines, ""]


def _comment(words: str) -> list[str]:
    return textwrap.wrap(
        words, WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False
    )


WIDTH: Final = 88
_INDENT: Final = "    "

Source: TypeAlias = "str | Bracketed"


@dataclass(frozen=True)
class Bracketed:
    """Items in brackets, on one line or on several.

    - `opening`, `closing`: brackets, with what stands before and after them, such as ``bl.load(``.
    - `items`: each with what stands before it, such as ``level=``.
    - `fills`: whether items that do not fit on a line fill several, instead of having one each;
      formatters are then told to leave the statement alone.
    """

    opening: str
    items: tuple[tuple[str, Source], ...]
    closing: str
    fills: bool = False


def flat(source: Source) -> str:
    """Return the source on one line."""
    if isinstance(source, str):
        return source
    inside = ", ".join(before + flat(item) for before, item in source.items)
    alone = source.opening == "(" and len(source.items) == 1  # a tuple
    return f"{source.opening}{inside}{',' if alone else ''}{source.closing}"


def statement(target: str, source: Source) -> str:
    """Return ``target = source`` in lines of at most `WIDTH` characters, where that is possible."""
    before = f"{target} = " if target else ""
    lines = _lines(before, source, "", "")
    fills = len(lines) > 1 and _is_filled(source, len(before))
    return "\n".join(lines) + ("  # fmt: skip" if fills else "")


def text(value: str) -> str:
    """Return a text as a literal, in double quotes where these need fewer escapes."""
    literal = repr(value)
    if literal.startswith("'") and value.count('"') <= value.count("'"):
        inside = literal[1:-1].replace("\\'", "'").replace('"', '\\"')
        return f'"{inside}"'
    return literal


def _lines(before: str, source: Source, after: str, indent: str) -> list[str]:
    whole = indent + before + flat(source) + after
    if isinstance(source, str) or len(whole) <= WIDTH or not source.items:
        return [whole]
    inner = indent + _INDENT
    lines = [indent + before + source.opening]
    if source.fills:
        lines += _filled([flat(item) + "," for _, item in source.items], inner)
    else:
        for name, item in source.items:
            lines += _lines(name, item, ",", inner)
    return [*lines, indent + source.closing + after]


def _filled(words: Sequence[str], indent: str) -> list[str]:
    lines = [indent + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(indent + word)
        else:
            lines[-1] += f" {word}"
    return lines


def _is_filled(source: Source, used: int) -> bool:
    """Return whether some list in it takes several lines that it fills."""
    if isinstance(source, str) or used + len(flat(source)) <= WIDTH:
        return False
    return source.fills or any(
        _is_filled(item, len(_INDENT) + len(name)) for name, item in source.items
    )
