"""The frame that the page of a bench shows until the bench itself has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

QuestionOf = Callable[[Any], str]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The frame of a bench, for ``templates/frame.html``.

    Attributes
    ----------
    name : str
        As on the bench.
    question : callable
        The question that the bench asks in a state of it; the bench's own says the same.
    layout : {"rail", "row", "head", "bar", "steps", "plain"}
        Where the controls stand: at the left, in a row, in the heading or in its only line, or in
        the first of three steps; "plain" has none.
    controls : tuple of str
        Labels of the controls, or titles of the steps.
    axis : tuple of str
        Left end, neutral value, right end; empty where the bench begins without an axis.
    room : (int, int)
        Lines that are kept for the question, on a wide page and on a phone.
    note : int
        Lines that are kept on a phone for the note on the subject, under the bench's name.
    """

    name: str
    question: QuestionOf
    layout: Literal["rail", "row", "head", "bar", "steps", "plain"] = "plain"
    controls: tuple[str, ...] = ()
    axis: tuple[str, ...] = ()
    room: tuple[int, int] = (1, 2)
    note: int = 0


def same(text: str) -> QuestionOf:
    """Return a question that is the same in every state."""
    return lambda _state: text
