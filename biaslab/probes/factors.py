"""Factors of crossed groups: their levels, the cell of a term, and names of contrasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final, TypeAlias

from biaslab.arguments import instance, lists_by_name
from biaslab.errors import ArgumentError, QueryError

Factors: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
"""For each factor its levels, and the terms of each level."""
Levels: TypeAlias = Mapping[str, Mapping[str, frozenset[str]]]
_EXAMPLE: Final = (
    "{'gender': {'female': ['Anna', 'Elif'], 'male': ['Jonas', 'Emre']},"
    " 'origin': {'German': ['Anna', 'Jonas'], 'Turkish': ['Elif', 'Emre']}}"
)


def checked_levels(factors: Factors) -> dict[str, dict[str, frozenset[str]]]:
    """Return the levels of each factor with their terms.

    Raises
    ------
    ArgumentError
        When there are fewer than two factors, or a factor has fewer than two levels.
    """
    if len(instance(factors, (Mapping,), "factors", f"Pass {_EXAMPLE}.")) < 2:
        raise ArgumentError(f"factors needs two factors or more, such as {_EXAMPLE}.")
    found = {}
    for name, levels in factors.items():
        lists = lists_by_name(levels, f"factors[{name!r}]")
        if len(lists) < 2:
            raise ArgumentError(f"The factor {name!r} needs two levels or more, as in {_EXAMPLE}.")
        found[str(name)] = {level: frozenset(terms) for level, terms in lists.items()}
    return found


def cell_of_term(term: str, levels: Levels, cells: Sequence[tuple[str, ...]]) -> int:
    """Return the number of the cell that a term belongs to.

    Raises
    ------
    QueryError
        When it has no level of a factor, or several.
    """
    place = []
    for factor, lists in levels.items():
        held = [level for level, terms in lists.items() if term in terms]
        if len(held) != 1:
            often = "no level" if not held else "several levels"
            raise QueryError(
                f"{term!r} has {often} of {factor!r}. Give it one: it is among the terms of"
                " exactly one level of each factor."
            )
        place.append(held[0])
    return cells.index(tuple(place))


def contrast_names(
    about: Sequence[int],
    names: Sequence[str],
    levels: Levels,
    rows: int,
) -> list[str]:
    """Name the contrasts about some factors."""
    parts = []
    for i in about:
        held = list(levels[names[i]])
        parts.append(
            [f"{held[0]} − {held[1]}"] if len(held) == 2 else [f"{one} − mean" for one in held]
        )
    title = " × ".join(names[i] for i in about)
    if len(parts) == 1:
        made = [f"{title}: {one}" for one in parts[0]]
    else:
        made = [f"{title}: ({one}) × ({other})" for one, other in product(*parts)]
    assert len(made) == rows  # noqa: S101  # one name for each contrast
    return made
