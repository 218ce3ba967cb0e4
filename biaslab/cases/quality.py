"""The quality of a case that varies: years of experience, a credit score, kind words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SpecFieldError
from biaslab.records.record import Record
from biaslab.specs.parts import checked_terms, checked_text, shown

Direction = Literal["more", "less"]
"""Whether more of the quality, or less of it, brings the decision."""
PLACEHOLDER: Final = "{x}"
MOST_LEVELS: Final = 201
_LARGEST: Final = 1e15
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, kw_only=True)
class Quality(Record):
    """A quality in its natural unit, with the range in which a case makes sense.

    Attributes
    ----------
    name : str
        Of the axis: ``years of experience``.
    unit : str
        In which a gap is given, in the plural: ``years``.
    low, high, step : float
        The levels are ``low, low + step, ..., high``.
    text : str
        The level as the case says it, with ``{x}``: ``{x} years``.
    one : str
        The same of a level of 1, where the language wants another: ``1 year``.
    favoured_by : {"more", "less"}
        Whether more of it brings a yes, or less.
    words : tuple of str
        A quality that is a number of words: the level x stands for the first x of them.
    """

    name: str
    unit: str
    low: float
    high: float
    step: float
    text: str = PLACEHOLDER
    one: str = ""
    favoured_by: Direction = "more"
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("name", "unit"):
            checked_text(getattr(self, field), f"quality.{field}")
        for field in ("low", "high", "step"):
            value = getattr(self, field)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            # Of a whole number with hundreds of digits there is no float.
            if not is_number or not -_LARGEST < value < _LARGEST:
                raise SpecFieldError(f"quality.{field}", f"is {shown(value)}. Give a number.")
        if not self.low < self.high:
            raise SpecFieldError("quality.high", f"is {self.high:g}. Give one above {self.low:g}.")
        steps = (self.high - self.low) / self.step if self.step > 0 else 0.0
        # Rounded first: 1.031 - 1 holds slightly less than one step of 0.031.
        if not 1 <= round(steps) < MOST_LEVELS or abs(steps - round(steps)) > 1e-6:
            raise SpecFieldError(
                "quality.step",
                f"is {self.step:g}. Give one that divides the range from {self.low:g} to"
                f" {self.high:g} into at most {MOST_LEVELS - 1} steps.",
            )
        if self.favoured_by not in get_args(Direction):
            raise SpecFieldError(
                "quality.favoured_by", f"is {shown(self.favoured_by)}. Use 'more' or 'less'."
            )
        if self.words:
            self._check_words()
        elif PLACEHOLDER not in self.text:
            raise SpecFieldError(
                "quality.text", f"is {shown(self.text)}. It needs {PLACEHOLDER} for the level."
            )

    def _check_words(self) -> None:
        checked_terms(self.words, "quality.words")
        whole = all(float(value).is_integer() for value in (self.low, self.high, self.step))
        # A level of 0 would leave a hole in the sentence.
        if not whole or self.low < 1 or self.high > len(self.words):
            raise SpecFieldError(
                "quality.words",
                f"has {len(self.words)} words. The levels must be whole numbers from 1 to that.",
            )

    @property
    def levels(self) -> NDArray[np.float64]:
        """All levels, ascending."""
        count = round((self.high - self.low) / self.step) + 1
        return np.round(self.low + self.step * np.arange(count), 10)

    @property
    def sign(self) -> int:
        """1 where more of the quality brings a yes, else -1."""
        return 1 if self.favoured_by == "more" else -1

    def __contains__(self, level: float) -> bool:
        return bool(self.low - _ROUNDING <= level <= self.high + _ROUNDING)

    def say(self, level: float) -> str:
        """Return a level as the case says it: ``6 years``."""
        if self.words:
            return _listed(self.words[: round(level)])
        if self.one and level == 1:
            return self.one
        return self.text.replace(PLACEHOLDER, number(level))


def number(level: float) -> str:
    """Format a level: ``6``, ``6.5``, ``42,000``."""
    return f"{round(level, 10):,.12g}" if abs(level) < 1e11 else f"{level:g}"


def _listed(words: tuple[str, ...]) -> str:
    """Return words as a person lists them: ``warm, clever and funny``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
