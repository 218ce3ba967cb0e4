"""Words that reports of recorded answers share: cases, counts of cases, the footnote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol, TypeVar

from biaslab.probes.opinion import OpinionResult, Sentence
from biaslab.records.wording import counted, p_text, percent

_WORDS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TRADES: Final = ("job", "occupation", "profession", "role", "position")


class _OfModel(Protocol):
    @property
    def model(self) -> str: ...


C = TypeVar("C", bound=_OfModel)


def in_words(n: int) -> str:
    """Return a small number as a word."""
    return _WORDS[n] if n < len(_WORDS) else f"{n:,}"


def of_models(cells: Iterable[C]) -> dict[str, list[C]]:
    """Return the cells of each model."""
    models: dict[str, list[C]] = {}
    for cell in cells:
        models.setdefault(cell.model, []).append(cell)
    return models


def within(case: str, case_name: str) -> str:
    """Say in which case: ``as retail``, or nothing where there is one only."""
    if not case_name:
        return ""
    return f"as {case}" if case_name.lower() in _TRADES else f"in “{case}”"


def where(differing: Sequence[C], cells: Sequence[C], case_name: str) -> str:
    """Say in how many of a model's cases: ``in two of four jobs``."""
    if not case_name or len(cells) == 1:
        return ""
    if len(differing) == len(cells):
        return f" in all {in_words(len(cells))} {case_name}s"
    return f" in {in_words(len(differing))} of {in_words(len(cells))} {case_name}s"


def shown(share: float, low: float, high: float, digits: int = 1) -> str:
    """Format a share in per cent with its interval."""
    ends = f" ({percent(low, digits)} to {percent(high, digits)})" if low == low else ""
    return f"{percent(share, digits)} %{ends}"


def p_said(p: float) -> str:
    """Say a p-value: ``< 0.001``, or ``= 0.012``."""
    if p != p:
        return "not known"
    return f"= {p_text(p)}" if p >= 0.001 else "< 0.001"


def capital(text: str) -> str:
    """Return the text with a capital letter."""
    return text[:1].upper() + text[1:]


def aside(result: OpinionResult) -> str:
    """Say how many answers are not used, and why."""
    total = sum(n for _, n in result.set_aside)
    parts = ", ".join(f"{n:,} {reason}" for reason, n in result.set_aside)
    return f"{capital(counted(total, 'answer'))} not used: {parts}."


def sections(result: OpinionResult) -> list[tuple[str, list[str]]]:
    """Return what a report adds, under headings: sentences, and what was never asked."""
    parts: list[tuple[str, list[str]]] = []
    if result.set_aside:
        parts.append(("Not used", [aside(result)]))
    for heading, which in (("You may print", True), ("You may not print", False)):
        some = [one for one in result.sentences() if one.may_print is which]
        if some:
            parts.append((heading, [f"{_quoted(one)} {one.why}" for one in some]))
    if result.never_asked:
        lines = [f"{one.what}: {one.why}." for one in result.never_asked]
        parts.append(("Never asked", lines))
    return parts


def lines_of(parts: list[tuple[str, list[str]]]) -> list[str]:
    """Return sections as the lines that a summary ends with."""
    return [
        line for heading, lines in parts for line in (f"{heading}:", *(f"  {one}" for one in lines))
    ]


def _quoted(sentence: Sentence) -> str:
    return sentence.text if sentence.may_print else f"“{sentence.text}”"
