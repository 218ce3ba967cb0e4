"""Contrasts: two-alternative tasks between two groups, under one pairing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.occupations.cosines import Cosines
from biaslab.probes.occupations.questions import Pairing
from biaslab.probes.psychometrics.curves import PairsAs
from biaslab.probes.psychometrics.perception import Perception
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.shapes import Shape
from biaslab.probes.psychometrics.switch_points import SAME_CUES, Scoring, switch_points
from biaslab.provenance import Provenance
from biaslab.results import Dropped
from biaslab.stats.curves.jnd import Convention

Indices = NDArray[np.intp]
_SAME = "both cues have the same vector, so all blends are equal"


@dataclass(frozen=True)
class Settings:
    """Options shared by every contrast of a result; named as in `biaslab.two_afc`."""

    scoring: Scoring = "eq8"
    perception: Perception = field(default_factory=Perception)
    curve: Shape = "normal"
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
        switch=switch,
        similarities=np.empty(0, dtype=np.float32),
        own_noise=np.empty(0),
        perception=settings.perception,
        scoring=settings.scoring,
        curve=settings.curve,
        jnd_convention=settings.jnd,
        pairs_as=settings.pairs_as,
        weights=weights,
        level=settings.level,
        dropped=(*dropped, *lost),
        provenance=provenance,
    )


def _pairs(
    cosines: Cosines,
    lists: Sequence[tuple[str, ...]],
    which: tuple[int, int],
    pairing: Pairing,
) -> list[tuple[str, str]]:
    known = [cosines.groups[g] for g in which]
    if pairing == "all":
        return [(a, z) for a in known[0] for z in known[1]]
    terms_1, terms_2 = (lists[g] for g in which)
    matched = zip(terms_1, terms_2, strict=True)
    return [(a, z) for a, z in matched if a in known[0] and z in known[1]]


def _where(pairs: list[tuple[str, str]], mask: NDArray[np.bool_]) -> list[tuple[str, str]]:
    return [pair for pair, ok in zip(pairs, mask, strict=True) if ok]
