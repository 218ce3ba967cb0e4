"""Parts of a spec: validated terms, value distributions and outside data."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from reprlib import Repr
from typing import Any

from biaslab.errors import SpecFieldError
from biaslab.records.record import Record

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 80


def shown(value: object) -> str:
    """Return a value for quoting in an error, shortened."""
    return _SHORT.repr(value)


def nearest(wrong: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for a similar known word, else nothing."""
    matches = get_close_matches(wrong, list(known), n=1)
    return f" Did you mean {matches[0]!r}?" if matches else ""


def checked_text(value: Any, field: str, what: str = "a text") -> str:
    """Return one text without outer spaces. Case, direction and markup stay as typed.

    Raises `SpecFieldError` if it is no text, has no visible character, or contains a line break or
    control character.
    """
    if not isinstance(value, str):
        raise SpecFieldError(field, f"holds {shown(value)}, which is not text. Put it in quotes.")
    text = str(value).strip()
    if text.isprintable() and text:
        return text
    kinds = {unicodedata.category(c) for c in text}
    if "Cs" in kinds:
        raise SpecFieldError(
            field,
            f"holds {shown(value)}, which contains half a character and cannot be stored. Retype"
            " it.",
        )
    if kinds & {"Cc", "Zl", "Zp"}:
        raise SpecFieldError(
            field,
            f"holds {shown(value)}, with a line break, tab or other control character inside. "
            "Split or retype it.",
        )
    if all(kind[0] in "CZ" for kind in kinds):
        raise SpecFieldError(field, f"holds {shown(value)}. Give {what} that is not empty.")
    return text


def checked_terms(value: Any, field: str) -> tuple[str, ...]:
    """Return a list of at least one term, in its order, duplicates kept.

    Raises `SpecFieldError` if it is no list, is empty, or one of its terms is no usable text.
    """
    if not isinstance(value, list | tuple):
        raise SpecFieldError(field, f"is {shown(value)}. Use a list of strings.")
    if not value:
        raise SpecFieldError(field, "is an empty list. Add at least one term, or leave it out.")
    if set(map(type, value)) == {str}:
        # Usual terms pass together, without a check of each.
        terms = tuple(map(str.strip, value))
        if all(terms) and all(map(str.isprintable, terms)):
            return terms
    return tuple(checked_text(term, field, "a term") for term in value)


def checked_table(value: Any, field: str) -> dict[str, Any]:
    """Return a table of named entries, names without outer spaces.

    Raises `SpecFieldError` if it is no table, or two names are the same.
    """
    if not isinstance(value, Mapping):
        raise SpecFieldError(field, f"is {shown(value)}. Use a table of named entries.")
    table: dict[str, Any] = {}
    for key, entry in value.items():
        name = checked_text(key, field, "a name")
        if name in table:
            raise SpecFieldError(field, f"has {name!r} twice. Give each a different name.")
        table[name] = entry
    return table


DISTRIBUTION_KINDS = ("unbiased", "biased")


@dataclass(frozen=True, eq=False)
class Distribution(Record):
    """Shares of an attribute's values in the texts sent to a service.

    After Srivastava and Rossi (2018), section 4.2.

    Attributes
    ----------
    kind : str
        ``unbiased`` or ``biased``.
    shares : mapping of str to float
        Value to its share, each in [0, 1], together 1.
    """

    kind: str
    shares: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class OutsideColumn(Record):
    """A number for some of a spec's items that others measured.

    Attributes
    ----------
    title : str
        One line for people.
    unit : str
        Such as ``percent``.
    source : str
        Source of the numbers.
    values : mapping of str to float
        Item to number.
    """

    title: str
    unit: str
    source: str
    values: Mapping[str, float]


def checked_distribution(value: Any, field: str) -> Distribution:
    """Return a distribution from a parsed table.

    Raises `SpecFieldError` if its kind is unknown, a share is outside [0, 1], or they do not add up
    to 1.
    """
    table = _parts(value, field, Distribution)
    kind = table["kind"]
    if kind not in DISTRIBUTION_KINDS:
        raise SpecFieldError(f"{field}.kind", f"is {shown(kind)}. Use 'unbiased' or 'biased'.")
    shares = _numbers(table["shares"], f"{field}.shares")
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise SpecFieldError(
                f"{field}.shares.{name}", f"is {share}. A share lies between 0 and 1."
            )
    if abs(math.fsum(shares.values()) - 1) > 1e-6:
        raise SpecFieldError(
            f"{field}.shares", f"add up to {math.fsum(shares.values()):.6g}. They must sum to 1."
        )
    return Distribution(kind, shares)


def checked_column(value: Any, field: str, items: tuple[str, ...]) -> OutsideColumn:
    """Return a column of outside numbers from a parsed table.

    Raises `SpecFieldError` if it is malformed, or has a number for a word that is no item.
    """
    table = _parts(value, field, OutsideColumn)
    texts = {name: checked_text(table[name], f"{field}.{name}") for name in ("title", "unit")}
    source = checked_text(table["source"], f"{field}.source")
    values = _numbers(table["values"], f"{field}.values")
    for word in values.keys() - set(items):
        raise SpecFieldError(
            f"{field}.values", f"has {word!r}, which is not in 'items'.{nearest(word, items)}"
        )
    return OutsideColumn(source=source, values=values, **texts)


def _parts(value: Any, field: str, kind: type[Record]) -> dict[str, Any]:
    if isinstance(value, kind):
        return {name: getattr(value, name) for name in kind.__annotations__}
    table = checked_table(value, field)
    known = list(kind.__annotations__)
    for name in known:
        if name not in table:
            raise SpecFieldError(field, f"lacks {name!r}. It needs: {', '.join(known)}.")
    for name in table:
        if name not in known:
            raise SpecFieldError(field, f"has the unknown {name!r}. It needs: {', '.join(known)}.")
    return table


def _numbers(value: Any, field: str) -> dict[str, float]:
    table = checked_table(value, field)
    if not table:
        raise SpecFieldError(field, "is empty. Give at least one number.")
    for name, number in table.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise SpecFieldError(f"{field}.{name}", f"is {shown(number)}. Use a number.")
        try:
            table[name] = float(number)
        except OverflowError:
            raise SpecFieldError(f"{field}.{name}", "is too large. Use another unit.") from None
        if not math.isfinite(number):
            raise SpecFieldError(f"{field}.{name}", f"is {number}. Leave out unknown values.")
    return table
