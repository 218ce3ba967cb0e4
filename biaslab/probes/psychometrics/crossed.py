"""Crossed groups of cues, such as gender by origin, from the answers of a two-alternative task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.crossed_groups import CrossedGroups, crossed_groups
from biaslab.probes.factors import Factors
from biaslab.stats.curves.sigmoids import Floats


def mean_leans(answers: Floats, stimuli: Floats) -> Floats:
    """Return how often answers are cue 1 over all stimuli, less 50 %, in points.

    Parameters
    ----------
    answers : ndarray, shape (..., L)
        P(cue 2).
    stimuli : ndarray, shape (L,)
        From 0 to 1.
    """
    mean = ((answers[..., 1:] + answers[..., :-1]) / 2 * np.diff(stimuli)).sum(axis=-1)
    return np.asarray(100 * (0.5 - mean))


def crossed_cues(
    answers: Floats,
    stimuli: Floats,
    items: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    factors: Factors,
    signs: Mapping[str, float] | None,
    *,
    observers: str,
    level: float,
) -> CrossedGroups:
    """Estimate effects of crossed groups: see `TwoAFCResult.crossed_groups`.

    Parameters
    ----------
    answers : ndarray, shape (B, n, K, L)
        P(cue 2) of B observers about n items and K pairs.
    stimuli : ndarray, shape (L,)
    items, pairs
        The n items and K pairs.
    factors, signs
        As of that method.
    observers : str
        Name of the observers, in the plural.
    level : float
        Of the intervals.
    """
    if observers == "replicates":
        raise QueryError(
            "Replicates of an embedding are other corpora, not other ways of asking, so their mean"
            " has no interval of this kind. Use a language model with frames."
        )
    leans = mean_leans(answers, stimuli)
    b, n, k = np.indices(leans.shape)
    return crossed_groups(
        leans.ravel(),
        [pairs[pair] for pair in k.ravel().tolist()],
        n.ravel(),
        b.ravel(),
        items,
        factors,
        unit="points",
        observers=observers,
        level=level,
        signs=signs,
    )
