"""The spec: a named, validated set of term lists with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from biaslab.errors import SpecError
from biaslab.record import Record


@dataclass(frozen=True, eq=False)
class Spec(Record):
    """Term lists that a probe is run under.

    Attributes
    ----------
    name : str
        Short name, as in ``bl.specs.get(name)``.
    title : str
        One line for people.
    source : str
        Where the terms come from.
    notes : str
        What a user should know.
    cue_pairs : tuple of (str, str)
        Ordered pairs (cue 1, cue 2).
    items : tuple of str
        Words to ask about.
    groups : mapping of str to tuple of str
        Named social groups.
    attributes : mapping of str to tuple of str
        Named attribute lists.
    """

    name: str
    title: str
    source: str
    notes: str = ""
    cue_pairs: tuple[tuple[str, str], ...] = ()
    items: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str) -> Spec:
        """Build a spec from parsed TOML or JSON.

        Raises
        ------
        SpecError
            Names ``where``, the field and the fix.
        """
        known = {f.name for f in fields(cls)}
        if unknown := sorted(data.keys() - known):
            raise SpecError(
                f"{where}: unknown field {unknown[0]!r}. A spec has: {', '.join(sorted(known))}."
            )
        for name in ("name", "title", "source"):
            if not isinstance(data.get(name), str) or not data[name].strip():
                raise SpecError(f"{where}: field {name!r} is missing or empty. Give it a text.")
        _check_terms(data.get("items", ()), f"{where}: field 'items'")
        for pair in data.get("cue_pairs", ()):
            _check_terms(pair, f"{where}: a pair in field 'cue_pairs'")
            if len(pair) != 2:
                raise SpecError(f"{where}: field 'cue_pairs' holds {pair!r}. A pair is two cues.")
        for name in ("groups", "attributes"):
            for label, terms in data.get(name, {}).items():
                _check_terms(terms, f"{where}: field '{name}.{label}'")
        return cls(**data)


def _check_terms(terms: Any, where: str) -> None:
    if not isinstance(terms, list | tuple):
        raise SpecError(f"{where} is {terms!r}. Use a list of texts.")
    for term in terms:
        if not isinstance(term, str) or not term.strip():
            raise SpecError(f"{where} holds {term!r}. Every term is a text that is not empty.")
