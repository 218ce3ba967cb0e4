"""Checks of a spec: errors in its fields, and warnings about unusual but valid lists."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from biaslab.errors import SpecFieldError
from biaslab.records.record import Record
from biaslab.specs.parts import (
    Distribution,
    OutsideColumn,
    checked_column,
    checked_distribution,
    checked_table,
    checked_terms,
    checked_text,
    nearest,
    shown,
)

CONTROL_KINDS = ("human", "neutral")
OTHER = "Other"
"""Value for all others than the named ones (Srivastava and Rossi 2018)."""

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def checked_slug(value: Any, field: str) -> str:
    """Return a short name: small letters, digits and single hyphens.

    Raises `SpecFieldError` if it is something else; suggests a valid one.
    """
    text = checked_text(value, field, "a name")
    if not _SLUG.fullmatch(text) or len(text) > 80:
        offer = slug_of(text) or "my-spec"
        raise SpecFieldError(
            field,
            f"is {shown(text)}. Use up to 80 small letters, digits and hyphens, such as {offer!r}.",
        )
    return text


def slug_of(text: str) -> str:
    """Return a short name made of a text; empty where no letter or digit of it can stand there."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:80].strip("-")


def checked_notes(value: Any) -> str:
    """Return text of several lines, checked; may be empty.

    Raises `SpecFieldError` if it is no text.
    """
    if not isinstance(value, str):
        raise SpecFieldError("notes", f"holds {shown(value)}, which is not text. Put it in quotes.")
    lines = [line.rstrip() for line in value.strip().splitlines()]
    return "\n".join(checked_text(line, "notes") if line.strip() else "" for line in lines)


def checked_lists(value: Any, field: str) -> dict[str, tuple[str, ...]]:
    """Return named lists of terms, checked.

    Raises `SpecFieldError` if it is no table, or one of its lists is empty or contains an invalid
    term.
    """
    table = checked_table(value, field)
    return {name: checked_terms(terms, f"{field}.{name}") for name, terms in table.items()}


def checked_controls(value: Any) -> dict[str, tuple[str, ...]]:
    """Return control lists by kind, in the order of `CONTROL_KINDS`.

    Raises `SpecFieldError` if a kind is unknown or a list malformed.
    """
    lists = checked_lists(value, "controls")
    for kind in lists:
        if kind not in CONTROL_KINDS:
            raise SpecFieldError(
                f"controls.{kind}", f"is not a known kind. Use {' or '.join(CONTROL_KINDS)}."
            )
    return {kind: lists[kind] for kind in CONTROL_KINDS if kind in lists}


def checked_pairs(value: Any) -> tuple[tuple[str, str], ...]:
    """Return ordered pairs of two different cues, checked.

    Raises `SpecFieldError` if it is no list, or a pair is not two different terms.
    """
    if not isinstance(value, list | tuple):
        raise SpecFieldError("cue_pairs", f"is {shown(value)}. Use a list of pairs.")
    pairs = []
    for pair in value:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise SpecFieldError("cue_pairs", f"holds {shown(pair)}. A pair has two cues.")
        first, second = checked_terms(pair, "cue_pairs")
        if first == second:
            raise SpecFieldError(
                "cue_pairs", f"pairs {first!r} with itself. Change one of the two."
            )
        pairs.append((first, second))
    return tuple(pairs)


def checked_attribute_groups(
    value: Any, attributes: Mapping[str, Any], groups: Mapping[str, Any]
) -> dict[str, tuple[str, ...]]:
    """Return the groups whose stereotype each attribute list is.

    Raises `SpecFieldError` if it names an attribute list or a group that the spec does not have.
    """
    table = checked_table(value, "attribute_groups")
    for name, of in table.items():
        field = f"attribute_groups.{name}"
        if name not in attributes:
            raise SpecFieldError(
                field, f"is not a list in 'attributes'.{nearest(name, attributes)} Name one."
            )
        if not isinstance(of, list | tuple):
            raise SpecFieldError(field, f"is {shown(of)}. Use a list of group names.")
        for group in of:
            if group not in groups:
                raise SpecFieldError(
                    field,
                    f"names {shown(group)}, which is not in 'groups'."
                    f"{nearest(str(group), groups)} Name one of those.",
                )
        if len(set(of)) < len(of):
            raise SpecFieldError(field, "names a group twice. Remove one.")
    return {name: tuple(table[name]) for name in attributes if table.get(name)}


def checked_distributions(value: Any, groups: Mapping[str, Any]) -> dict[str, Distribution]:
    """Return value distributions over common values: groups, or ``Other``.

    Raises `SpecFieldError` if one is malformed, or its values are not those of the groups or of the
    first.
    """
    table = checked_table(value, "distributions")
    checked = {k: checked_distribution(v, f"distributions.{k}") for k, v in table.items()}
    values: set[str] = set()
    for name, distribution in checked.items():
        field = f"distributions.{name}.shares"
        for wrong in distribution.shares.keys() - set(groups) - {OTHER} if groups else ():
            raise SpecFieldError(
                field,
                f"has {wrong!r}, which is neither a group nor {OTHER!r}.{nearest(wrong, groups)} "
                "Use the groups' names.",
            )
        values = values or set(distribution.shares)
        if set(distribution.shares) != values:
            raise SpecFieldError(
                field, f"is not over the same values as the first: {', '.join(sorted(values))}."
            )
    return checked


def checked_outside(value: Any, items: tuple[str, ...]) -> dict[str, OutsideColumn]:
    """Return columns of outside numbers, by the name of the column.

    Raises `SpecFieldError` if one is malformed.
    """
    table = checked_table(value, "outside")
    return {
        name: checked_column(column, f"outside.{name}", items) for name, column in table.items()
    }


@dataclass(frozen=True, eq=False)
class SpecWarning(Record):
    """One oddity of a spec's lists.

    Attributes
    ----------
    kind : str
        ``duplicate`` (twice in one list), ``lookalike`` (twice in one list, with another case or
        encoding), ``overlap`` (in several lists).
    lists : tuple of str
        The lists, such as ``groups.female``.
    terms : tuple of str
        The terms, as typed at their first occurrence.
    """

    kind: str
    lists: tuple[str, ...]
    terms: tuple[str, ...]

    def __str__(self) -> str:
        terms = ", ".join(self.terms[:10])
        if len(self.terms) > 10:
            terms += f" and {len(self.terms) - 10} more"
        where = " and ".join(self.lists)
        if self.kind == "duplicate":
            return f"{where} contains duplicates: {terms}."
        if self.kind == "lookalike":
            return f"{where} contains terms that differ only in case or encoding: {terms}."
        return f"{where} share: {terms}."


def remarks(
    lists: Mapping[str, tuple[str, ...]], cue_pairs: Iterable[tuple[str, str]]
) -> tuple[SpecWarning, ...]:
    """Return duplicates within lists, and terms in several lists.

    - `lists`: groups, attributes, controls and items. Cues are usually terms of a group too, but a
      cue that is also an item gets a warning.
    - `cue_pairs`: the cue pairs.
    """
    pairs = tuple(cue_pairs)
    warnings = [warning for name, terms in lists.items() for warning in _within(name, terms)]
    twice = [pair for pair, n in Counter(tuple(sorted(pair)) for pair in pairs).items() if n > 1]
    if twice:
        warnings.append(SpecWarning("duplicate", ("cue_pairs",), tuple(map(" - ".join, twice))))
    if len(lists) > 1:
        warnings += _across(lists)
    cues = tuple(dict.fromkeys(cue for pair in pairs for cue in pair))
    if "items" in lists and cues:
        warnings += _across({"items": lists["items"], "cue_pairs": cues})
    return tuple(warnings)


def alike(term: str) -> str:
    """Return a key that is equal for terms that differ only in case or encoding."""
    if term.isascii():  # the common case in a list of 100,000
        return term.lower()
    return unicodedata.normalize("NFKC", term).casefold()


def _within(name: str, terms: tuple[str, ...]) -> Iterator[SpecWarning]:
    counts = Counter(terms)
    if len(counts) < len(terms):
        yield SpecWarning("duplicate", (name,), tuple(t for t, n in counts.items() if n > 1))
    spellings: dict[str, list[str]] = {}
    for term in counts:
        spellings.setdefault(alike(term), []).append(term)
    twins = tuple(term for same in spellings.values() if len(same) > 1 for term in same)
    if twins:
        yield SpecWarning("lookalike", (name,), twins)


def _across(lists: Mapping[str, tuple[str, ...]]) -> Iterator[SpecWarning]:
    first: dict[str, str] = {}
    homes: dict[str, dict[str, None]] = {}
    for name, terms in lists.items():
        for term in terms:
            key = alike(term)
            first.setdefault(key, term)
            homes.setdefault(key, {})[name] = None
    shared: dict[tuple[str, ...], list[str]] = {}
    for key, names in homes.items():
        if len(names) > 1:
            shared.setdefault(tuple(names), []).append(first[key])
    for where, terms_shared in shared.items():
        yield SpecWarning("overlap", where, tuple(terms_shared))
