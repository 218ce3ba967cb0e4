"""Two-alternative task of word vectors: each replicate answers with a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.asking import Responses, Task, nothing_left
from biaslab.probes.psychometrics.switch_points import SAME_CUES, switch_points
from biaslab.results import Dropped
from biaslab.subjects.embedding.terms import Resolution
from biaslab.threads import spread

KEEP_SIMILARITIES = 100_000
"""Largest number of (item, pair, replicate) triples whose similarities the result stores."""
BLOCK = 1024
"""Items scored at once, to bound memory."""
_PASSES = 4
"""Times that a switch point goes through all scores."""


class HasVectors(Protocol):
    """Part of an `EmbeddingSubject` that the task uses."""

    @property
    def name(self) -> str:
        """Name shown to the person."""

    @property
    def n_replicates(self) -> int:
        """Number B of observers."""

    def resolve(self, terms: Sequence[str]) -> Resolution:
        """Sort terms into known and unknown ones."""

    def vectors(self, terms: Sequence[str]) -> NDArray[np.floating]:
        """Return vectors of terms, (B, n, d)."""

    def project(self, terms: Sequence[str], onto: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return dot products of unit vectors with given vectors, (B', n, K)."""


def ask_embedding(subject: HasVectors, task: Task) -> Responses:
    """Return switch points of every replicate, known items and usable pairs.

    Raises
    ------
    QueryError
        When no item or no cue pair is left.
    ValueError
        When trials, or a curve of Student's t, were asked for.
    """
    task.refuse_trials("An embedding")
    task.refuse_student("An embedding")
    resolution = subject.resolve(task.items)
    dropped = [Dropped(u.term, "item", u.reason, u.suggestions) for u in resolution.unknown]
    dropped += [
        Dropped(d, "item", "is the same word as one already listed") for d in resolution.duplicates
    ]
    known, pairs = list(resolution.known), task.pairs
    cues = subject.resolve(list(dict.fromkeys(c for pair in pairs for c in pair)))
    unknown = {u.term: u for u in cues.unknown}
    usable = np.array([not (set(pair) & unknown.keys()) for pair in pairs], dtype=bool)
    dropped += [Dropped(u.term, "cue", u.reason, u.suggestions) for u in unknown.values()]
    requested, available = task.replicates, subject.n_replicates
    b = available if requested is None else min(requested, available)
    if b < 1:
        raise ValueError(f"replicates is {requested}; use 1 to {available}.")
    left = [pair for pair, ok in zip(pairs, usable, strict=True) if ok]
    if left:
        ends = [subject.vectors([p[e] for p in left])[:b] for e in (0, 1)]
        norms = [np.linalg.norm(v, axis=2) for v in ends]
        units = [v / n[..., None] for v, n in zip(ends, norms, strict=True)]
        sim_cues = np.einsum("bkd,bkd->bk", *units)
        same = (1 - sim_cues < SAME_CUES).any(axis=0)
        dropped += [
            Dropped(
                f"{a} / {z}", "cue pair", "both cues have the same vector, so all blends are equal"
            )
            for (a, z), s in zip(left, same, strict=True)
            if s
        ]
        usable[np.flatnonzero(usable)[same]] = False
        left = [pair for pair, s in zip(left, same, strict=True) if not s]
    if not known or not left:
        raise nothing_left("item" if not known else "cue pair", subject.name, dropped)
    keep = ~same
    units_1, units_2 = (u[:, keep] for u in units)
    sims = sim_cues[:, None, keep]
    lengths = [n[:, None, keep] for n in norms]
    units_1, units_2 = (u.transpose(0, 2, 1) for u in (units_1, units_2))
    switch = subject.project(known, units_2 - units_1)

    def settle(block: int) -> None:
        part = switch[:, block * BLOCK : (block + 1) * BLOCK]
        part[...] = switch_points(part, sims, lengths, task.scoring)

    spread(settle, -(-len(known) // BLOCK), _PASSES * switch.size)
    similarities = np.empty(0, dtype=np.float32)
    if switch.size <= KEEP_SIMILARITIES:
        each = subject.project(known, units_1), subject.project(known, units_2)
        similarities = np.stack([*each, np.broadcast_to(sims, switch.shape)])
    return Responses(
        tuple(known), tuple(left), usable, switch, "replicates", str(task.scoring),
        similarities=similarities, dropped=tuple(dropped),
    )  # fmt: skip
