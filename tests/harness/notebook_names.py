"""Where the cells of a notebook get the names that they use."""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterator, Sequence

GIVEN = frozenset(dir(builtins)) | {"__name__", "display", "get_ipython"}
"""Names that a kernel gives to every cell."""


def providers(cells: Sequence[str]) -> list[dict[str, int | None]]:
    """Find for each cell which cell before it bound each name that it does not bind itself.

    A name that one branch of a condition binds counts as bound. What a function uses counts for
    the cell that defines it, because that cell may call it.

    Parameters
    ----------
    cells : sequence of str
        Python code, in the order in which it runs.

    Returns
    -------
    list of dict
        One for each cell: names, each with the place of the last cell before this one that binds
        it, from 0; None where no cell does.
    """
    last: dict[str, int] = {}
    found: list[dict[str, int | None]] = []
    for place, cell in enumerate(cells):
        scope = symtable.symtable(cell, f"cell {place}", "exec")
        own = set(_bound(scope))
        found.append({name: last.get(name) for name in set(_used(scope)) - own - GIVEN})
        last |= dict.fromkeys(own, place)
    return found


def _bound(scope: symtable.SymbolTable) -> Iterator[str]:
    """The names of the module that a scope and the scopes in it bind."""
    at_top = scope.get_type() == "module"
    for symbol in scope.get_symbols():
        binds = symbol.is_assigned() or symbol.is_imported()
        if binds and (at_top or symbol.is_declared_global()):
            yield symbol.get_name()
    for child in scope.get_children():
        yield from _bound(child)


def _used(scope: symtable.SymbolTable) -> Iterator[str]:
    """The names of the module that a scope and the scopes in it refer to."""
    at_top = scope.get_type() == "module"
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (at_top or symbol.is_global()):
            yield symbol.get_name()
    for child in scope.get_children():
        yield from _used(child)
