"""Crossed groups of terms, such as gender by origin, from the scores of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.crossed_groups import CrossedGroups, Factors, crossed_groups
from biaslab.probes.sentences.frames import frame, words_of
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.stats.curves.sigmoids import Floats


def crossed_terms(
    pairs: Sequence[SentencePair],
    log_odds: Floats,
    factors: Factors,
    signs: Mapping[str, float] | None,
    *,
    unit: str,
    level: float,
) -> CrossedGroups:
    """Estimate effects of crossed groups: see `StereotypeScore.crossed_groups`.

    Parameters
    ----------
    pairs : sequence of SentencePair
    log_odds : ndarray, shape (n,)
        Of the stereotyped version against the other one; NaN if it could not be scored.
    factors, signs
        As of that method.
    unit : str
        Of the log-odds.
    level : float
        Of the intervals.
    """
    if any(pair.pairing != "group" for pair in pairs):
        raise QueryError(
            "These pairs swap the attribute, so both versions are about one group. Score pairs"
            " that swap the group's term (pairing='group')."
        )
    terms = []
    for pair in pairs:
        first, second = pair.term_texts()
        if first is None or second is None:
            raise QueryError(
                f"It is unclear which word of {pair.stereotyped!r} is the group's term. Mark the"
                " terms of all pairs."
            )
        terms.append((first, second))
    words = frozenset(word for both in terms for term in both for word in words_of(term))
    attributes = list(dict.fromkeys(pair.attribute for pair in pairs))
    frames = np.array([frame(pair, words) for pair in pairs], dtype=object)
    return crossed_groups(
        log_odds,
        terms,
        np.array([attributes.index(pair.attribute) for pair in pairs], dtype=np.int64),
        np.unique(frames, return_inverse=True)[1].astype(np.int64),
        attributes,
        factors,
        unit=unit,
        observers="frames",
        level=level,
        signs=signs,
    )
