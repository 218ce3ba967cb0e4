"""The spec: a named, validated set of term lists with its source."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from biaslab.errors import SpecError, SpecFieldError
from biaslab.records.record import FrozenDict, Record
from biaslab.records.result import Worded
from biaslab.specs import checks
from biaslab.specs.checks import SpecWarning, remarks
from biaslab.specs.parts import (
    Distribution,
    OutsideColumn,
    checked_terms,
    checked_text,
    nearest,
    shown,
)

if TYPE_CHECKING:
    import pandas as pd


def cut_to_two(spec: Spec, groups: Sequence[str]) -> dict[str, Any]:
    """Return the fields that `Spec.two_groups` changes."""
    first, second = _two_names(spec, groups)
    if tuple(spec.groups) == (first, second):
        return {}
    two_groups = {first: spec.groups[first], second: spec.groups[second]}
    attributes = {
        name: terms
        for name, terms in spec.attributes.items()
        if not (of := spec.attribute_groups.get(name)) or set(of) & set(two_groups)
    }
    return {
        "title": f"{spec.title}: {first} against {second}",
        "groups": two_groups,
        "attributes": attributes,
        "attribute_groups": {
            name: tuple(group for group in spec.attribute_groups[name] if group in two_groups)
            for name in attributes
            if name in spec.attribute_groups
        },
        "cue_pairs": _pairs(spec, first, second),
        "distributions": spec.distributions if len(spec.groups) == 2 else {},
    }


def _two_names(spec: Spec, groups: Sequence[str]) -> tuple[str, str]:
    names = list(spec.groups)
    listed = ", ".join(repr(name) for name in names) or "none"
    if not groups and len(names) == 2:
        return names[0], names[1]
    if len(names) < 2:
        raise SpecError(
            f"The spec {spec.name!r} has fewer than two groups ({listed}). Choose a spec with two."
        )
    if len(groups) != 2:
        raise SpecError(
            f"The spec {spec.name!r} has {len(names)} groups ({listed}), but a comparison takes"
            f" two. Choose them with groups=({names[0]!r}, {names[1]!r})."
        )
    for name in groups:
        if name not in spec.groups:
            raise SpecError(
                f"The spec {spec.name!r} has no group {name!r}.{nearest(str(name), names)} "
                f"It has: {listed}."
            )
    first, second = groups
    if first == second:
        raise SpecError(f"Both groups are {first!r}. Choose two different ones from: {listed}.")
    return first, second


def _pairs(spec: Spec, first: str, second: str) -> tuple[tuple[str, str], ...]:
    known = {term for terms in spec.groups.values() for term in terms}
    first_terms, second_terms = set(spec.groups[first]), set(spec.groups[second])
    pairs = []
    for cue_1, cue_2 in spec.cue_pairs:
        if cue_1 in first_terms and cue_2 in second_terms:
            pairs.append((cue_1, cue_2))
        elif cue_1 in second_terms and cue_2 in first_terms:
            pairs.append((cue_2, cue_1))
        elif cue_1 not in known and cue_2 not in known:
            pairs.append((cue_1, cue_2))  # it is not about groups
    return tuple(pairs)


SCHEMA = "spec/1"
_ABOUT = ("name", "aliases", "title", "source", "licence", "notes")
_Lists = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Spec(Record, Worded):
    """Term lists of a probe.

    Terms are text and stay as typed, without outer spaces; order and duplicates are kept.

    Attributes
    ----------
    name : str
        Short name, as in ``bl.specs.get(name)``: small letters, digits and hyphens.
    title : str
        One line for people.
    source : str
        Source of the terms.
    licence : str
        Licence under which the source publishes the terms, or that it states none; may be empty.
    notes : str
        Remarks for the user.
    aliases : tuple of str
        Other names for ``get``.
    groups : mapping of str to tuple of str
        Named groups, in order; group 1 is the first.
    attributes : mapping of str to tuple of str
        Named attribute lists.
    attribute_groups : mapping of str to tuple of str
        Attribute list to the groups it is a stereotype of. A missing list belongs
        to no group.
    controls : mapping of str to tuple of str
        Control lists by kind: ``human`` and ``neutral``; see `biaslab.distance_model`.
    cue_pairs : tuple of (str, str)
        Ordered pairs (cue 1, cue 2).
    items : tuple of str
        Words to test.
    distributions : mapping of str to Distribution
        Value distributions; see `biaslab.rate`.
    outside : mapping of str to OutsideColumn
        Numbers for items from other sources, for comparison.

    Raises
    ------
    SpecFieldError
        If a field is malformed; names the field and the fix.
    """

    name: str
    title: str
    source: str
    licence: str = ""
    notes: str = ""
    aliases: tuple[str, ...] = ()
    cue_pairs: tuple[tuple[str, str], ...] = ()
    items: tuple[str, ...] = ()
    groups: _Lists = field(default_factory=FrozenDict)
    attributes: _Lists = field(default_factory=FrozenDict)
    attribute_groups: _Lists = field(default_factory=FrozenDict)
    controls: _Lists = field(default_factory=FrozenDict)
    distributions: Mapping[str, Distribution] = field(default_factory=FrozenDict)
    outside: Mapping[str, OutsideColumn] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        try:
            checked = self._checked()
        except SpecFieldError as error:
            where = error.where or f"spec {shown(self.name)}"
            raise SpecFieldError(error.field, error.problem, where) from None
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        super().__post_init__()

    def _checked(self) -> dict[str, Any]:
        items = checked_terms(self.items, "items") if self.items != () else ()
        groups = checks.checked_lists(self.groups, "groups")
        attributes = checks.checked_lists(self.attributes, "attributes")
        checked = {
            "name": checks.checked_slug(self.name, "name"),
            "title": checked_text(self.title, "title"),
            "source": checked_text(self.source, "source"),
            "licence": checked_text(self.licence, "licence") if self.licence != "" else "",
            "notes": checks.checked_notes(self.notes),
            "aliases": self._checked_aliases(),
            "cue_pairs": checks.checked_pairs(self.cue_pairs),
            "items": items,
            "groups": groups,
            "attributes": attributes,
            "attribute_groups": checks.checked_attribute_groups(
                self.attribute_groups, attributes, groups
            ),
            "controls": checks.checked_controls(self.controls),
            "distributions": checks.checked_distributions(self.distributions, groups),
            "outside": checks.checked_outside(self.outside, items),
        }
        if not any(value for name, value in checked.items() if name not in _ABOUT):
            raise SpecFieldError(
                "groups", "and all other lists are missing. Add groups, cue_pairs or items."
            )
        return checked

    def _checked_aliases(self) -> tuple[str, ...]:
        if not isinstance(self.aliases, list | tuple):
            raise SpecFieldError("aliases", f"is {shown(self.aliases)}. Use a list of names.")
        return tuple(checks.checked_slug(alias, "aliases") for alias in self.aliases)

    def __repr__(self) -> str:
        counts = {
            "groups": len(self.groups),
            "attribute lists": len(self.attributes),
            "controls": len(self.controls),
            "cue pairs": len(self.cue_pairs),
            "items": len(self.items),
        }
        parts = ", ".join(f"{n} {what}" for what, n in counts.items() if n)
        return f"<Spec {self.name!r}: {parts or 'value distributions'}>"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "") -> Spec:
        """Build a spec from parsed TOML or JSON; `where` names the file in an error.

        Raises
        ------
        SpecError
            Names ``where``, the field and the fix.
        """
        try:
            return cls(**_known(data))
        except SpecFieldError as error:
            raise SpecFieldError(error.field, error.problem, where or error.where) from None

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and dictionaries, with the schema; empty fields are left out."""
        data = {"schema": SCHEMA}
        data |= {name: _plain(getattr(self, name)) for name in (*_ABOUT, *_CONTENT)}
        return {name: value for name, value in data.items() if value}

    def to_json(self) -> str:
        """Return strict JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def to_toml(self) -> str:
        """Return TOML, in the form of the catalogue's files."""
        import tomli_w

        return tomli_w.dumps(self.to_dict())

    @property
    def lists(self) -> FrozenDict[str, tuple[str, ...]]:
        """Every list of terms by its place, such as ``groups.female`` or ``items``."""
        named = {
            f"{kind}.{name}": terms
            for kind in ("groups", "attributes", "controls")
            for name, terms in getattr(self, kind).items()
        }
        return FrozenDict(named | ({"items": self.items} if self.items else {}))

    @cached_property
    def warnings(self) -> tuple[SpecWarning, ...]:
        """Duplicates and overlaps, which are allowed and kept."""
        return remarks(self.lists, self.cue_pairs)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of all lists, pairs and numbers in order, without names and notes."""
        # Order counts (group 1 is not group 2), which a JSON object does not guarantee.
        content = [[name, _ordered(_plain(getattr(self, name)))] for name in _CONTENT]
        return hashlib.sha256(json.dumps([SCHEMA, content]).encode()).hexdigest()

    def two_groups(self, *groups: str) -> Spec:
        """Cut to two groups, in the order given; with a spec of two they may be left out.

        Attribute lists of only dropped groups are dropped, those of no group stay. Cue pairs are
        ordered so that cue 1 is of the first group; those with a dropped group's cue are dropped.
        Value distributions are dropped if the groups change, since shares of a part are other
        shares.

        Raises
        ------
        SpecError
            If these are not two different groups of the spec.
        """
        changed = cut_to_two(self, groups)
        return replace(self, **changed) if changed else self

    def outside_table(self) -> pd.DataFrame:
        """Return outside numbers: one row per item, one column each; NaN if missing."""
        import pandas as pd

        columns = {name: pd.Series(dict(c.values)) for name, c in self.outside.items()}
        items = pd.Index(dict.fromkeys(self.items), name="item")
        return pd.DataFrame(columns, index=items)

    def summary(self) -> str:
        """Return a summary in words: title, source, lists and warnings."""
        return super().summary()


_CONTENT = tuple(f.name for f in fields(Spec) if f.name not in _ABOUT)


def _known(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a parsed file, checked: none unknown, missing or empty."""
    if not isinstance(data, Mapping):
        raise SpecFieldError("name", "is missing: the file is empty. Start with name = ...")
    values = dict(data)
    schema = values.pop("schema", SCHEMA)
    if schema != SCHEMA:
        raise SpecFieldError(
            "schema",
            f"is {shown(schema)}; this biaslab reads {SCHEMA!r}. Update biaslab, or correct the"
            " schema.",
        )
    names = [f.name for f in fields(Spec)]
    for name in values:
        if name not in names:
            raise SpecFieldError(
                str(name),
                f"is unknown.{nearest(str(name), names)} A spec has: {', '.join(sorted(names))}.",
            )
    for name in ("name", "title", "source"):
        if name not in values:
            raise SpecFieldError(name, "is missing. Give it some text.")
    for name in _CONTENT:
        if name in values and isinstance(values[name], list | dict) and not values[name]:
            raise SpecFieldError(name, "is empty. Fill it, or leave it out.")
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}  # type: ignore[arg-type]
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return [[name, _ordered(entry)] for name, entry in value.items()]
    return [_ordered(entry) for entry in value] if isinstance(value, list) else value
