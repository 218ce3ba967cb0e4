"""Words and numbers of verdicts, shared by all probes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal

Role = Literal["plain", "strong", "group1", "group2", "quiet", "with", "against"]
Span = tuple[str, Role]
"""A piece of a verdict and its role on the screen."""

_END = re.compile(r"[.!?][)”’\"']*$")
_ABBREVIATION = re.compile(r"\b(Mr|Mrs|Ms|Dr|St|vs|al|eq|e\.g|i\.e)\.$")


def sentences(spans: Iterable[Span]) -> tuple[str, ...]:
    """The sentences of a verdict.

    A space after a full stop ends a sentence where it begins a piece or stands in a plain one;
    within a piece of any other role, such as a word that was asked about, it does not.

    >>> sentences([("It is ", "plain"), ("not clear", "strong"), (". Ask St. John.", "plain")])
    ('It is not clear.', 'Ask St. John.')
    """
    ended, sentence = [], ""
    for text, role in spans:
        for i, letter in enumerate(text):
            may_end = letter == " " and (i == 0 or role in ("plain", "quiet"))
            if may_end and _END.search(sentence) and not _ABBREVIATION.search(sentence):
                ended.append(sentence)
                sentence = ""
            elif sentence or letter != " ":
                sentence += letter
    return (*ended, sentence) if sentence else tuple(ended)


def joined(spans: Iterable[Span]) -> str:
    """The words of a verdict as one text."""
    return "".join(text for text, _ in spans)


def number(value: float, digits: int = 2) -> str:
    """Format a number with a true minus sign, and no minus before zero."""
    text = f"{value:.{digits}f}".replace("-", "−")
    return text[1:] if text.startswith("−") and not text.strip("−0.") else text


def p_text(p: float) -> str:
    """Format a p-value: three decimals, or one significant figure below 0.001."""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.{math.ceil(-math.log10(p))}f}"


def count(n: int) -> str:
    """Format a whole number with thousands separators."""
    return f"{n:,}"


def counted(n: int, noun: str) -> str:
    """Format a count with its noun.

    >>> counted(1, "pair"), counted(2000, "pair")
    ('1 pair', '2,000 pairs')
    """
    return f"{count(n)} {noun}{'' if n == 1 else 's'}"


def duration(seconds: float) -> str:
    """Format a limit of time in its largest unit.

    >>> duration(20), duration(900), duration(5400)
    ('20 seconds', '15 minutes', '1.5 hours')
    """
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds >= length:
            value = f"{seconds / length:.3g}"
            return f"{value} {unit}{'' if value == '1' else 's'}"
    value = f"{seconds:.3g}"
    return f"{value} second{'' if value == '1' else 's'}"


def either(texts: Sequence[str]) -> str:
    """List texts of which one is chosen.

    >>> either(["Emily"]), either(["Emily", "Anne", "Greg"])
    ('Emily', 'Emily, Anne or Greg')
    """
    *before, last = texts
    return f"{', '.join(before)} or {last}" if before else last


def percent(alpha: float, digits: int = 0) -> str:
    """Format an alpha as a percentage with a true minus sign."""
    text = f"{100 * alpha:.{digits}f}".replace("-", "−")
    return "0" if text == "−0" else text


def range_text(low: float, high: float) -> str:
    """Format two ends as percentages, with decimals that tell them apart."""
    width = 100 * abs(high - low)
    digits = 0 if width >= 5 else 1 if width >= 0.5 else 2
    while digits < 2 and any(round(100 * x, digits) == 50 != 100 * x for x in (low, high)):
        digits += 1
    return f"{percent(low, digits)} and {percent(high, digits)}"
