"""A case as text that a person can edit, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from biaslab.cases import Case, parse

WHERE = "this case"


def toml_of(case: Case) -> str:
    """Return a case as TOML; fields that say nothing are left out."""
    import tomli_w

    return tomli_w.dumps(_table(asdict(case)))


def case_of(text: str) -> Case:
    """Return the case that a text describes.

    Raises
    ------
    CaseError
        Names the field, or line and column, and the remedy.
    """
    return parse(text, WHERE)


def _table(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(one) for name, one in value.items() if one not in (None, "", (), {})}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
