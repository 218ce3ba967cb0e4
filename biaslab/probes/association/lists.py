"""Word lists of an association probe, and the cosines between their words."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import lists_by_name, strings
from biaslab.errors import QueryError, SpecError
from biaslab.probes.unknown_words import as_dropped, list_dropped, with_suggestions
from biaslab.records.record import FrozenDict, Record
from biaslab.records.result import Dropped
from biaslab.specs import Spec, get
from biaslab.specs.checks import alike, remarks
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, suited

if TYPE_CHECKING:
    import pandas as pd


Connection = Literal["associated", "different", "human", "none"]
CONNECTIONS: tuple[Connection, ...] = get_args(Connection)
"""How a protected word and an attribute word belong together, in the order shown."""
KINDS = ("stereotype", "human", "none")
"""Kinds of attribute words."""
KIND_OF = (0, 0, 1, 2)
"""Kind of the words of each connection: one group's own stereotype is another's ``different``."""
CONTROLS: Mapping[str, Connection] = {"human": "human", "neutral": "none"}
"""Control lists and the connection that their words have to every protected word."""

Words: TypeAlias = Mapping[str, Sequence[str]]
SpecSource: TypeAlias = "Spec | AssociationLists | str | os.PathLike[str]"
_Lists: TypeAlias = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class AssociationLists(Record):
    """Lists of an association probe.

    Attributes
    ----------
    spec : str
        Name of their spec; empty without one.
    groups : mapping of str to tuple of str
        Protected words by group, in order; group 1 is the first. Caliskan et al. call them
        targets.
    attributes : mapping of str to tuple of str
        Attribute words by list.
    attribute_groups : mapping of str to tuple of str
        Attribute list to the groups it is a stereotype of.
    controls : mapping of str to tuple of str
        ``human`` and ``neutral`` words; either may be missing or empty.
    dropped : tuple of Dropped
        Unknown words; their role is the list, such as ``groups.female``.
    """

    spec: str = ""
    groups: _Lists = field(default_factory=FrozenDict)
    attributes: _Lists = field(default_factory=FrozenDict)
    attribute_groups: _Lists = field(default_factory=FrozenDict)
    controls: _Lists = field(default_factory=FrozenDict)
    dropped: tuple[Dropped, ...] = ()

    @classmethod
    def of(
        cls,
        spec: SpecSource | None = None,
        *,
        groups: Sequence[str] | None = None,
        targets: Words | None = None,
        attributes: Words | Sequence[str] | None = None,
        attribute_groups: Words | None = None,
        controls: Words | None = None,
    ) -> AssociationLists:
        """Take the lists of a spec, or lists given outright, which take precedence.

        Parameters
        ----------
        spec : Spec, AssociationLists, name or path of a spec, optional
        groups : sequence of str, optional
            Which of the spec's groups, in this order; attribute lists of left-out groups only go,
            unless one group alone is chosen.
        targets : mapping of str to sequence of str, optional
            Groups outright.
        attributes : mapping of str to sequence of str, or sequence of str, optional
            Attribute lists outright, or which of the spec's, in this order.
        attribute_groups : mapping of str to sequence of str, optional
            Attribute list to the groups it is a stereotype of.
        controls : mapping of str to sequence of str, optional
            ``human`` and ``neutral``; ``{}`` for none.

        Raises
        ------
        SpecError
            When a name is no spec's, no group's or no list's.
        QueryError
            When there is no group or no attribute list, one is empty, or two hold the same words.
        """
        result = _from_spec(spec)
        if groups is not None:
            result = _with_groups(result, strings(groups, "groups", "('female', 'male')"))
        if targets is not None:
            result = replace(result, groups=lists_by_name(targets, "targets"))
        if isinstance(attributes, Mapping):
            result = replace(result, attributes=lists_by_name(attributes, "attributes"))
        elif attributes is not None:
            attributes = strings(attributes, "attributes", "['career', 'family']")
            _check_names(result.spec, attributes, result.attributes, "attribute list")
            result = replace(
                result, attributes={name: result.attributes[name] for name in attributes}
            )
        if attribute_groups is not None:
            of = lists_by_name(attribute_groups, "attribute_groups", "{'career': ['male']}")
            result = replace(result, attribute_groups=of)
        if controls is not None:
            result = replace(result, controls=_controls(controls))
        by_group = {
            name: of for name, of in result.attribute_groups.items() if name in result.attributes
        }
        result = replace(result, attribute_groups=by_group)
        for what, lists in (("group", result.groups), ("attribute list", result.attributes)):
            if not lists:
                raise QueryError(
                    f"There is no {what}. Pass a spec that has one, or "
                    f"{'targets' if what == 'group' else 'attributes'}={{name: [words]}}."
                )
            if empty := next((name for name, words in lists.items() if not words), ""):
                raise QueryError(f"The {what} {empty!r} is empty. Add words, or leave it out.")
            _check_different(lists, what)
        return result

    def known_to(self, subject: EmbeddingSubject) -> AssociationLists:
        """Return the lists without unknown words, which are in ``dropped``.

        Raises
        ------
        QueryError
            When nothing is left of a group or an attribute list, or the subject has no vectors. A
            control list may be empty.
        """
        suited(subject, WORD_VECTORS, "A test of associations")
        dropped: list[Dropped] = []
        known: dict[str, dict[str, tuple[str, ...]]] = {}
        for kind in ("groups", "attributes", "controls"):
            known[kind] = {}
            for name, words in getattr(self, kind).items():
                role = f"{kind}.{name}"
                resolution = subject.resolve(words, suggest=False)
                known[kind][name] = resolution.known
                missing = with_suggestions(subject, resolution.unknown)
                dropped += [as_dropped(unknown, role) for unknown in missing]
                dropped += [
                    Dropped(word, role, "is the same word as one already listed")
                    for word in resolution.duplicates
                ]
        every = [(k, n) for k in ("groups", "attributes") for n in known[k]]
        if empty := next(((k, n) for k, n in every if not known[k][n]), None):
            kind, name = empty
            what = "group" if kind == "groups" else "attribute list"
            lost = [d for d in dropped if d.role == f"{kind}.{name}"]
            raise QueryError(
                f"{subject.name!r} knows no word of the {what} {name!r}:"
                f" {list_dropped(lost)}. Correct the"
                " words, or choose a subject with a larger vocabulary.",
                dropped=tuple(dropped),
            )
        for what, kind in (("group", "groups"), ("attribute list", "attributes")):
            _check_different(known[kind], what, f" that {subject.name!r} knows")
        return replace(self, **known, dropped=(*self.dropped, *dropped))  # type: ignore[arg-type]

    def connection(self, group: str, attribute: str) -> Connection:
        """Return the connection between a group's words and an attribute list.

        ``associated``: the list is a stereotype of the group; ``different``: of other groups;
        ``none``: of no group.
        """
        of = self.attribute_groups.get(attribute, ())
        if not of:
            return "none"
        return "associated" if group in of else "different"

    @property
    def words(self) -> tuple[str, ...]:
        """All protected words, group by group."""
        return tuple(word for words in self.groups.values() for word in words)

    @property
    def attribute_words(self) -> tuple[str, ...]:
        """All attribute words, list by list."""
        return tuple(word for words in self.attributes.values() for word in words)

    @property
    def named(self) -> _Lists:
        """Every list by its place, such as ``groups.female`` or ``controls.human``."""
        return FrozenDict(
            {
                f"{kind}.{name}": words
                for kind in ("groups", "attributes", "controls")
                for name, words in getattr(self, kind).items()
            }
        )

    @cached_property
    def overlaps(self) -> tuple[str, ...]:
        """Words in several lists, in plain words; they stay in all of them."""
        return tuple(str(r) for r in remarks(self.named, ()) if r.kind == "overlap")

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the lists in their order."""
        parts = [
            [list(map(list, lists.items()))]
            for lists in (self.groups, self.attributes, self.attribute_groups, self.controls)
        ]
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _from_spec(spec: SpecSource | None) -> AssociationLists:
    if spec is None:
        return AssociationLists()
    if isinstance(spec, AssociationLists):
        return spec
    loaded = spec if isinstance(spec, Spec) else get(spec)
    return AssociationLists(
        spec=loaded.name,
        groups=loaded.groups,
        attributes=loaded.attributes,
        attribute_groups=loaded.attribute_groups,
        controls=loaded.controls,
    )


def _with_groups(lists: AssociationLists, names: tuple[str, ...]) -> AssociationLists:
    _check_names(lists.spec, names, lists.groups, "group")
    attributes = {
        name: words
        for name, words in lists.attributes.items()
        # A single group is held against the others' lists; of two, each has its own.
        if len(names) == 1 or not (of := lists.attribute_groups.get(name)) or set(of) & set(names)
    }
    return replace(
        lists, groups={name: lists.groups[name] for name in names}, attributes=attributes
    )


def _check_different(lists: Mapping[str, Sequence[str]], what: str, which: str = "") -> None:
    """Raise an error for lists of the same words, whose comparison is always 0."""
    first: dict[frozenset[str], str] = {}
    for name, words in lists.items():
        other = first.setdefault(frozenset(map(alike, words)), name)
        if other != name:
            raise QueryError(
                f"The {what}s {other!r} and {name!r} hold the same words{which}, so no subject can"
                " distinguish them. Change one of them, or leave it out."
            )


def _check_names(spec: str, names: Sequence[str], known: _Lists, what: str) -> None:
    listed = ", ".join(map(repr, known)) or "none"
    for name in names:
        if name not in known:
            raise SpecError(f"The spec {spec!r} has no {what} {name!r}. It has: {listed}.")
    if len(set(names)) < len(names):
        raise SpecError(f"A {what} is named twice. Choose different ones from: {listed}.")


def _controls(controls: Words) -> dict[str, tuple[str, ...]]:
    lists = lists_by_name(controls, "controls", "{'neutral': ['table', 'stone']}")
    for name in lists:
        if name not in CONTROLS:
            raise QueryError(f"There is no control list {name!r}: use 'human' or 'neutral'.")
    return lists


Floats = NDArray[np.float64]


def cosines(
    subject: EmbeddingSubject,
    words: Sequence[str],
    attributes: Sequence[str],
    replicates: int | None = None,
) -> Floats:
    """Compute the cosine of each word to each attribute word, in float64.

    Parameters
    ----------
    subject : EmbeddingSubject
        An embedding (one replicate) or an ensemble.
    words, attributes : sequence of str
        n and m terms that the subject knows.
    replicates : int, optional
        How many of the subject's replicates, from the first; by default all.

    Returns
    -------
    ndarray, shape (B, n, m)
        In [-1, 1].

    Raises
    ------
    UnknownTermError
        When a term is not known; `AssociationLists.known_to` sorts them out.
    QueryError
        When the number of replicates is out of range.
    """
    b = n_replicates(subject, replicates)
    word_vectors, attribute_vectors = subject.vectors(words)[:b], subject.vectors(attributes)[:b]
    out = np.empty((b, len(words), len(attributes)))
    for r in range(b):  # one at a time: long lists in double precision would fill the memory
        np.matmul(units(word_vectors[r]), units(attribute_vectors[r]).T, out=out[r])
    return np.clip(out, -1.0, 1.0, out=out)


def cosines_frame(values: Floats, lists: AssociationLists) -> pd.DataFrame:
    """Cosines as a tidy table, one row each.

    Columns: word, group, attribute, list, replicate, cosine.

    - `values`, ndarray, shape (B, n, m): of the lists' words with their attribute words, followed
      by their control words or not.
    """
    import pandas as pd

    compared = {**lists.attributes, **lists.controls}
    named = [(group, word) for group, words in lists.groups.items() for word in words]
    terms = [(name, term) for name, own in compared.items() for term in own][: values.shape[2]]
    b, n, m = values.shape
    return pd.DataFrame(
        {
            "word": np.tile(np.repeat([word for _, word in named], m), b),
            "group": np.tile(np.repeat([group for group, _ in named], m), b),
            "attribute": np.tile([term for _, term in terms], b * n),
            "list": np.tile([name for name, _ in terms], b * n),
            "replicate": np.repeat(np.arange(b), n * m),
            "cosine": values.ravel(),
        }
    )


def units(vectors: NDArray[np.floating]) -> Floats:
    """Return vectors of length 1 along the last axis, float64."""
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact / np.linalg.norm(exact, axis=-1, keepdims=True))


def n_replicates(subject: EmbeddingSubject, requested: int | None) -> int:
    """Return the number of replicates in use.

    Raises `QueryError` when the number is out of range.
    """
    if requested is None:
        return subject.n_replicates
    if not 1 <= requested <= subject.n_replicates:
        raise QueryError(
            f"replicates is {requested}; {subject.name!r} has {subject.n_replicates}: use 1 to "
            f"{subject.n_replicates}, or None for all."
        )
    return requested
