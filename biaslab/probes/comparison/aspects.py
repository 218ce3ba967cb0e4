"""What two runs have in common, and in what they differ, by their provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from biaslab.provenance import Provenance
from biaslab.record import Record, same
from biaslab.results import Result
from biaslab.wording import counted

_LONGEST = 120
_MOST_NAMED = 4
_LISTS = {
    "pairs": "cue pair",
    "words": "word",
    "items": "item",
    "templates": "template",
    "concepts": "concept",
    "groups": "group",
}
"""Fields of results that hold the items of a question, and the word for one item."""
_NOUNS = (*_LISTS.values(), "sentence pair")
_NONE = (None, "", ())
_HASHES = {"subject_hash": "content of the subject", "spec_hash": "word lists"}


@dataclass(frozen=True)
class Aspect(Record):
    """Something by which runs can differ.

    Attributes
    ----------
    name : str
        Such as ``"subject"`` or ``"cue pairs"``.
    a, b : str
        In either run, in words; equal texts where it is the same.
    """

    name: str
    a: str
    b: str


def aspects(a: Result, b: Result) -> tuple[tuple[Aspect, ...], tuple[Aspect, ...]]:
    """Return in what two results differ, and what is equal."""
    differs, equal = [], []
    for name, one, two in _pairs(a, b):
        if same(one, two):
            equal.append(Aspect(name, _text(one, name), _text(two, name)))
        elif isinstance(one, tuple) and isinstance(two, tuple):
            differs.append(Aspect(name, *_other_lists(one, two, name)))
        else:
            differs.append(Aspect(name, _text(one, name), _text(two, name)))
    return tuple(differs), tuple(equal)


def _pairs(a: Result, b: Result) -> Iterator[tuple[str, Any, Any]]:
    """Each aspect with its value in both runs."""
    one, two = a.provenance, b.provenance
    yield "subject", one.subject, two.subject
    for field, name in _HASHES.items():
        if getattr(one, field) or getattr(two, field):
            yield name, getattr(one, field), getattr(two, field)
    for field, noun in _LISTS.items():
        if hasattr(a, field) and hasattr(b, field):
            if isinstance(getattr(a, field), Mapping):
                yield f"{noun}s", getattr(a, field), getattr(b, field)
                continue
            one_list, two_list = (tuple(getattr(each, field)) for each in (a, b))
            if any(hasattr(pair, "versions") for pair in one_list):
                ids = [tuple(pair.id for pair in own) for own in (one_list, two_list)]
                yield "sentence pairs", ids[0], ids[1]
            else:
                yield f"{noun}s", one_list, two_list
    yield from _of_mappings(_parameters(one), _parameters(two))
    if one.seed is not None or two.seed is not None:
        yield "seed", one.seed, two.seed
    yield "device", one.device, two.device
    yield from _of_mappings(one.versions, two.versions)


def _parameters(origin: Provenance) -> dict[str, Any]:
    return {name: v for name, v in origin.parameters.items() if name not in _LISTS}


def _of_mappings(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in dict.fromkeys((*a, *b)):
        if a.get(name) in _NONE and b.get(name) in _NONE:
            continue
        yield name.replace("_", " "), a.get(name), b.get(name)


def _text(value: Any, name: str) -> str:
    """A value in words: a list as its length, a hash by its beginning."""
    if value is None:
        return "none"
    if name in _HASHES.values():
        return str(value)[:12]
    if isinstance(value, tuple) and len(value) > _MOST_NAMED:
        return counted(len(value), _noun(name))
    if isinstance(value, tuple):
        return ", ".join(_item(one) for one in value) or "none"
    if isinstance(value, Mapping):
        text = "; ".join(f"{key}: {_text(own, 'words')}" for key, own in value.items())
    else:
        text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _other_lists(a: tuple[Any, ...], b: tuple[Any, ...], name: str) -> tuple[str, str]:
    """Two lists by their lengths and by what only one of them holds."""
    texts = []
    for own, other in ((a, b), (b, a)):
        held = set(map(_item, other))
        more = [text for text in map(_item, own) if text not in held]
        named = ", ".join(more[:_MOST_NAMED])
        rest = f" and {len(more) - _MOST_NAMED} more" * (len(more) > _MOST_NAMED)
        only = f", only here: {named}{rest}" if more else ""
        texts.append(f"{counted(len(own), _noun(name))}{only}")
    return texts[0], texts[1]


def _item(value: Any) -> str:
    return " / ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _noun(name: str) -> str:
    return name.removesuffix("s") if name.removesuffix("s") in _NOUNS else "value"
