"""A question about a picture whose options are listed by letter."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Final, TypeVar

from biaslab.errors import QueryError

LETTERS: Final = ascii_uppercase
"""Of the options, in their order."""
ORDERS: Final = ("given", "reversed")
"""Each question is asked in both, so that the place of an option does not count."""
INSTRUCTION: Final = "Answer with the letter of one option."
T = TypeVar("T")


def lettered(question: str, options: Sequence[str]) -> str:
    """Write a question with its options by letter, one a line, and the instruction.

    Parameters
    ----------
    question : str
        About the picture.
    options : sequence of str
        Two to 26, in the order of their letters.

    Raises
    ------
    QueryError
        If there are fewer or more.
    """
    if not 2 <= len(options) <= len(LETTERS):
        raise QueryError(
            f"A question by letter takes 2 to {len(LETTERS)} options, and there are"
            f" {len(options)}. Shorten the lists of concepts."
        )
    lines = [f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join([question, *lines, INSTRUCTION])


def read_lettered(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return question and options of what `lettered` wrote; None if it is no such text."""
    *lines, instruction = text.split("\n")
    options: list[str] = []
    while lines and lines[-1][1:3] == ") ":
        options.insert(0, lines.pop()[3:])
    if instruction != INSTRUCTION or len(options) < 2 or not lines:
        return None
    return "\n".join(lines), tuple(options)


def in_order(options: Sequence[T], order: str) -> tuple[T, ...]:
    """Return options in one of `ORDERS`."""
    return tuple(options) if order == ORDERS[0] else tuple(options[::-1])
