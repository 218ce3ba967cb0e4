"""Contrasts: two-alternative tasks between two groups, from the cosines of words and cues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.occupations.questions import Pairing
from biaslab.probes.psychometrics.answers import SwitchPoints
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.probes.psychometrics.options import Fit, Scoring, Shape
from biaslab.probes.psychometrics.perception import Perception
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.switch_points import SAME_CUES, repeated_pairs, switch_points
from biaslab.probes.unknown_words import as_dropped, list_dropped, with_suggestions
from biaslab.records.provenance import Provenance
from biaslab.records.record import Record
from biaslab.records.result import Dropped
from biaslab.stats.curves.jnd import Convention
from biaslab.subjects.embedding.base import EmbeddingSubject

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Cosines(Record):
    """Cosines of n words to C cues of k groups in B replicates, float32.

    Attributes
    ----------
    groups : tuple of tuple of str
        The cues of each group that the subject knows, without duplicates; C of them in all.
    words : ndarray, shape (B, n, C)
        Word to cue.
    cues : ndarray, shape (B, C, C)
        Cue to cue.
    lengths : ndarray, shape (B, C)
        Lengths of the cues' vectors, as stored by the subject.
    words_sets, sets, set_lengths : ndarray, shapes (B, n, k), (B, k, k), (B, k)
        The same for the cue sets: the mean of each group's vectors as they are, not normalised
        (Liang and Acuna 2020, section 3.1).
    """

    groups: tuple[tuple[str, ...], ...]
    words: Floats
    cues: Floats
    lengths: Floats
    words_sets: Floats
    sets: Floats
    set_lengths: Floats

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Index of each group's first cue among the C, and C itself."""
        return (0, *np.cumsum([len(g) for g in self.groups]).tolist())

    @cached_property
    def first_of_vector(self) -> NDArray[np.intp]:
        """Place of the first of the C cues that has the vector of each."""
        alike = (1 - self.cues < SAME_CUES).all(axis=0)
        alike &= (self.lengths[:, :, None] == self.lengths[:, None]).all(axis=0)
        return np.asarray(alike.argmax(axis=1))

    def place(self, group: int, cue: str) -> int:
        """Place of a group's cue among the C."""
        return self.starts[group] + self.groups[group].index(cue)

    def of_group(self, group: int) -> slice:
        """Return the slice of a group's cues."""
        return slice(self.starts[group], self.starts[group + 1])


def cosines(
    subject: EmbeddingSubject,
    words: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    replicates: int | None,
    pairing: Pairing,
) -> tuple[tuple[str, ...], Cosines, list[Dropped]]:
    """Return known words, their cosines to the known cues, and dropped words.

    Of the cues of a group that have one vector, the first counts for means and crossings; matched
    ones stay, for their partners may differ.

    Raises
    ------
    QueryError
        When no word, or no cue of a group, is known.
    """
    resolution = subject.resolve(words, suggest=False)
    dropped = [as_dropped(u, "item") for u in with_suggestions(subject, resolution.unknown)]
    dropped += [
        Dropped(d, "item", "is the same word as one already listed") for d in resolution.duplicates
    ]
    known: list[tuple[str, ...]] = []
    for name, cues in groups.items():
        # A cue may be in several matched pairs of one group; for means and crossings it counts
        # once.
        known_cues = subject.resolve(list(dict.fromkeys(cues)))
        shared = {u.term for u in known_cues.unknown if u.has_vector and pairing == "matched"}
        dropped += [as_dropped(u, "cue") for u in known_cues.unknown if u.term not in shared]
        dropped += [
            Dropped(d, "cue", f"is the same word as another cue of {name!r}")
            for d in known_cues.duplicates
        ]
        kept = {*known_cues.known, *shared}
        known.append(tuple(cue for cue in dict.fromkeys(cues) if cue in kept))
    dropped = list(dict.fromkeys(dropped))
    if not resolution.known or not all(known):
        empty = next((n for n, c in zip(groups, known, strict=True) if not c), "")
        what = f"cue of {empty!r}" if resolution.known else "word"
        raise QueryError(
            f"No {what} is left that {subject.name!r} knows: {list_dropped(dropped)}",
            dropped=tuple(dropped),
        )
    b = subject.n_replicates if replicates is None else min(replicates, subject.n_replicates)
    if b < 1:
        raise ValueError(f"replicates is {replicates}; use 1 to {subject.n_replicates}.")
    return resolution.known, _cosines(subject, resolution.known, known, b), dropped


def _cosines(
    subject: EmbeddingSubject, words: Sequence[str], groups: Sequence[tuple[str, ...]], b: int
) -> Cosines:
    vectors = subject.vectors([cue for cues in groups for cue in cues])[:b]
    ends = np.cumsum([len(g) for g in groups])
    parts = np.split(vectors, ends[:-1], axis=1)
    every = np.concatenate([vectors, *(p.mean(axis=1, keepdims=True) for p in parts)], axis=1)
    lengths = np.linalg.norm(every, axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        units = every / lengths[..., None]
    between = np.einsum("bcd,bed->bce", units, units)
    of_words = subject.project(words, units.transpose(0, 2, 1))
    c = int(ends[-1])
    blocks = (
        of_words[..., :c],
        between[:, :c, :c],
        lengths[:, :c],
        of_words[..., c:],
        between[:, c:, c:],
        lengths[:, c:],
    )
    arrays = [np.ascontiguousarray(a, dtype=np.float32) for a in blocks]
    for array in arrays:
        array.flags.writeable = False
    return Cosines(tuple(groups), *arrays)


Indices = NDArray[np.intp]
_SAME = "both cues have the same vector, so all blends are equal"


@dataclass(frozen=True)
class Settings:
    """Options shared by every contrast of a result; named as in `biaslab.two_afc`."""

    scoring: Scoring = "eq8"
    perception: Perception = field(default_factory=Perception)
    curve: Shape = "auto"
    jnd: Convention = "quartile"
    pairs_as: PairsAs = "resampled"
    level: float = 0.95


def contrast(
    cosines: Cosines,
    words: tuple[str, ...],
    names: Sequence[str],
    lists: Sequence[tuple[str, ...]],
    which: tuple[int, int],
    pairing: Pairing,
    settings: Settings,
    dropped: tuple[Dropped, ...],
    provenance: Provenance,
) -> TwoAFCResult:
    """Compute the task between two groups, for all words.

    Parameters
    ----------
    names : sequence of str
        Names of all groups.
    lists : sequence of tuple of str
        Their cues as listed, which define matched pairs.
    which : (int, int)
        The two groups; cue 1 is of the first.

    Raises
    ------
    QueryError
        When no pair is left.
    """
    if pairing == "sets":
        pairs = [(names[which[0]], names[which[1]])]
        ends = tuple(np.array([g], dtype=np.intp) for g in which)
        of_words, between, lengths = cosines.words_sets, cosines.sets, cosines.set_lengths
    else:
        pairs = _pairs(cosines, lists, which, pairing)
        ends = tuple(
            np.array([cosines.place(g, p[e]) for p in pairs], dtype=np.intp)
            for e, g in enumerate(which)
        )
        of_words, between, lengths = cosines.words, cosines.cues, cosines.lengths
    cues_1, cues_2 = ends
    similar = between[:, cues_1, cues_2]
    same = np.any(1 - similar < SAME_CUES, axis=0)
    lost = [Dropped(f"{a} / {z}", "cue pair", _SAME) for a, z in _where(pairs, same)]
    if pairing == "matched":
        first = cosines.first_of_vector
        repeated = repeated_pairs(pairs, list(zip(first[cues_1], first[cues_2], strict=True)))
        lost += repeated.values()
        same |= np.array([pair in repeated for pair in pairs], dtype=bool)
    pairs = _where(pairs, ~same)
    if not pairs:
        left = " / ".join(names[g] for g in which)
        raise QueryError(
            f"No cue pair is left between {left}: "
            + "; ".join(f"{d.term!r} {d.reason}" for d in (*dropped, *lost) if d.role != "item"),
            dropped=(*dropped, *lost),
        )
    cues_1, cues_2 = cues_1[~same], cues_2[~same]
    switch = switch_points(
        of_words[..., cues_2] - of_words[..., cues_1],
        between[:, None, cues_1, cues_2],
        [lengths[:, None, end] for end in (cues_1, cues_2)],
        settings.scoring,
    )
    switch.flags.writeable = False
    weights = np.full(len(pairs), 1 / len(pairs))
    return TwoAFCResult(
        items=words,
        pairs=tuple(pairs),
        raw=SwitchPoints(switch=switch, perception=settings.perception),
        scoring=settings.scoring,
        fit=Fit(settings.curve, "none", settings.jnd, settings.pairs_as),
        weights=weights,
        level=settings.level,
        dropped=tuple(dict.fromkeys((*dropped, *lost))),
        provenance=provenance,
    )


def _pairs(
    cosines: Cosines, lists: Sequence[tuple[str, ...]], which: tuple[int, int], pairing: Pairing
) -> list[tuple[str, str]]:
    known = [cosines.groups[g] for g in which]
    if pairing == "all":
        return [(a, z) for a in known[0] for z in known[1]]
    terms_1, terms_2 = (lists[g] for g in which)
    matched = zip(terms_1, terms_2, strict=True)
    return [(a, z) for a, z in matched if a in known[0] and z in known[1]]


def _where(pairs: list[tuple[str, str]], mask: NDArray[np.bool_]) -> list[tuple[str, str]]:
    return [pair for pair, ok in zip(pairs, mask, strict=True) if ok]
