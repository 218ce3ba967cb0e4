"""The frame that the page of a bench shows until the bench itself has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

QuestionOf = Callable[[Any], str]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The words of a frame, for ``templates/frame.html``; its height is measured.

    - `name`: as on the bench.
    - `question`: the question that the bench asks in a state of it; the bench's own says the same.
    """

    name: str
    question: QuestionOf


def same(text: str) -> QuestionOf:
    """Return a question that is the same in every state."""
    return lambda _state: text
