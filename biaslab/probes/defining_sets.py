"""Sets of words that define a bias, from a spec or from the user, and their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import listed, strings
from biaslab.errors import QueryError
from biaslab.probes.unknown_words import as_dropped, list_dropped
from biaslab.records.result import Dropped
from biaslab.specs import Spec
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.terms import Resolution

WordSets = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class DefiningSets:
    """Sets of words that differ only in the bias, without unknown words.

    Attributes
    ----------
    sets : tuple of tuple of str
        The words of each set; at least two.
    vectors : tuple of ndarray, shape (B, k, d)
        The unit vectors of each set.
    by_group : bool
        Whether the only set consists of groups whose words have no partners: `vectors` then
        holds the mean of the unit vectors of each group, and `sets` the groups' names.
    dropped : tuple of Dropped
        Words that are not known, and sets with fewer than two known words.
    """

    sets: WordSets
    vectors: tuple[NDArray[np.float64], ...]
    by_group: bool
    dropped: tuple[Dropped, ...]


def sets_of_spec(spec: Spec) -> tuple[WordSets, bool]:
    """Return defining sets of a spec, and whether they are whole groups.

    Cue pairs if the spec has them and at most two groups; else the k-th words of all groups
    together, if the groups have the same size; else the groups themselves.

    Raises `QueryError` when the spec has neither cue pairs nor two groups.
    """
    groups = list(spec.groups.values())
    if spec.cue_pairs and len(groups) <= 2:
        return spec.cue_pairs, False
    if len(groups) < 2:
        raise QueryError(
            f"The spec {spec.name!r} has neither cue pairs nor two groups to define a bias. Choose"
            " another spec, or give defining=[('she', 'he'), ...]."
        )
    if len({len(words) for words in groups}) == 1:
        return tuple(zip(*groups, strict=True)), False
    return tuple(groups), True


def checked_sets(values: Sequence[Sequence[str]], what: str) -> WordSets:
    """Return sets of at least two words each, checked.

    Raises `QueryError` when one is no list of two words or more.
    """
    sets: list[tuple[str, ...]] = []
    if isinstance(values, str | Mapping):
        raise QueryError(f"{what} must be a list of word sets, such as [('she', 'he')].")
    for each in listed(values, what, "[('she', 'he')]"):
        words = () if isinstance(each, str) else strings(each, f"A set of {what}", "('she', 'he')")
        if len(words) < 2:
            raise QueryError(
                f"A set of {what} needs at least two words, such as ('she', 'he'); got {each!r}."
            )
        sets.append(tuple(word.strip() for word in words))
    return tuple(sets)


def known_sets(
    subject: EmbeddingSubject, sets: WordSets, role: str
) -> tuple[WordSets, tuple[Dropped, ...]]:
    """Remove unknown words from sets, and sets left with one word."""
    known: list[tuple[str, ...]] = []
    dropped: list[Dropped] = []
    for words in sets:
        resolution = subject.resolve(words)
        dropped += _lost(resolution, role)
        if len(resolution.known) > 1:
            known.append(resolution.known)
        else:
            dropped.append(
                Dropped(" / ".join(words), role, "fewer than two of its words are known")
            )
    return tuple(dict.fromkeys(known)), _once(dropped)


def defining_sets(
    subject: EmbeddingSubject, spec: Spec | None, requested: Sequence[Sequence[str]] | None
) -> DefiningSets:
    """Return the defining sets of a spec, or the given ones, with their vectors.

    Raises `QueryError` when none is given, or none is left.
    """
    if requested is not None:
        sets = checked_sets(requested, "defining")
    elif spec is not None:
        sets, by_group = sets_of_spec(spec)
        if by_group:
            return _groups_as_set(subject, spec)
    else:
        raise QueryError(
            "Define the bias: give a spec, such as 'manzini-gender', or "
            "defining=[('she', 'he'), ...]."
        )
    known, dropped = known_sets(subject, sets, "defining set")
    if not known:
        raise _nothing_left(subject, dropped)
    vectors = tuple(_units(subject, words) for words in known)
    return DefiningSets(known, vectors, False, dropped)


def _groups_as_set(subject: EmbeddingSubject, spec: Spec) -> DefiningSets:
    means: dict[str, NDArray[np.float64]] = {}
    dropped: list[Dropped] = []
    for name, words in spec.groups.items():
        resolution = subject.resolve(words)
        dropped += _lost(resolution, name)
        if resolution.known:
            means[name] = _units(subject, resolution.known).mean(axis=1)
    if len(means) < 2:
        raise _nothing_left(subject, tuple(dropped))
    stacked = np.stack(list(means.values()), axis=1)
    return DefiningSets((tuple(means),), (stacked,), True, _once(dropped))


def _units(subject: EmbeddingSubject, words: Sequence[str]) -> NDArray[np.float64]:
    vectors = subject.vectors(words).astype(np.float64)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=2, keepdims=True))


def _lost(resolution: Resolution, role: str) -> list[Dropped]:
    twice = "is the same word as one already in its set"
    return [as_dropped(unknown, role) for unknown in resolution.unknown] + [
        Dropped(term, role, twice) for term in resolution.duplicates
    ]


def _once(dropped: Sequence[Dropped]) -> tuple[Dropped, ...]:
    return tuple({(d.term, d.role, d.reason): d for d in dropped}.values())


def _nothing_left(subject: EmbeddingSubject, dropped: tuple[Dropped, ...]) -> QueryError:
    return QueryError(
        f"No defining set is left for {subject.name!r}: {list_dropped(dropped)}.", dropped
    )


def merged(sets: WordSets) -> WordSets:
    """Merge sets that share a word: a word can be equalised only once."""
    out: list[tuple[str, ...]] = []
    for words in sets:
        joined = tuple(words)
        disjoint: list[tuple[str, ...]] = []
        for each in out:
            if set(each) & set(joined):
                joined = tuple(dict.fromkeys((*each, *joined)))
            else:
                disjoint.append(each)
        out = [*disjoint, joined]
    return tuple(out)
