"""Python source laid out as the common formatters do, so that they leave it as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

WIDTH: Final = 88
_INDENT: Final = "    "

Source: TypeAlias = "str | Bracketed"


@dataclass(frozen=True)
class Bracketed:
    """Items in brackets, on one line or on several.

    Attributes
    ----------
    opening, closing : str
        Brackets, with what stands before and after them, such as ``bl.load(``.
    items : tuple of (str, Source)
        Each with what stands before it, such as ``level=``.
    fills : bool
        Whether items that do not fit on a line fill several, instead of having one each; formatters
        are then told to leave the statement alone.
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
