"""A still picture of what a bench has been set up with, for places that have no result to show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Literal

from biaslab.reports.palette import INK, INK_2, INK_3
from biaslab.reports.svg import document, text

WIDTH = 640
_EDGE, _LINE = 16, 17
_LETTERS = {"strong": 75, "plain": 92}
"""Characters in a line."""
Role = Literal["strong", "plain"]


def setup_picture(title: str, lines: Iterable[tuple[str, Role]], note: str = "") -> str:
    """SVG text with a title, lines below it, and a grey note at the end.

    Parameters
    ----------
    title : str
    lines : iterable of (str, {"strong", "plain"})
        Wrapped where they are long.
    note : str
    """
    y = 30.0
    body = [text(_EDGE, y, title, INK, size=15, weight="600")]
    y += 8
    for words, role in lines:
        y += 4 * (role == "strong")
        for part in wrap(words, _LETTERS[role]) or [""]:
            y += _LINE
            weight = "600" if role == "strong" else "normal"
            body.append(text(_EDGE, y, part, INK if role == "strong" else INK_2, weight=weight))
    for part in wrap(note, _LETTERS["plain"]):
        y += _LINE + 2
        body.append(text(_EDGE, y, part, INK_3, size=11))
    return document(title, "\n".join(body), WIDTH, round(y + 20))


def lists_picture(lists: Sequence[tuple[str, Sequence[str]]]) -> str:
    """SVG text of word lists: each name with the number of its terms, and all terms below it."""
    lines: list[tuple[str, Role]] = []
    for name, terms in lists:
        lines.append((f"{name or 'Terms'} ({len(terms):,})", "strong"))
        lines.append((", ".join(terms), "plain"))
    return setup_picture("Word lists", lines, "" if lines else "There are no lists yet.")
