"""``bl.mac``: mean average cosine (Manzini, Lim, Tsvetkov and Black 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.calls import recorded
from biaslab.probes.association.cosines import Floats, cosines, n_replicates
from biaslab.probes.association.lists import AssociationLists, SpecSource, Words
from biaslab.probes.association.mac_result import (
    As,
    Cells,
    MacResult,
    means_of_lists,
    of_connections,
)
from biaslab.probes.association.resampling import check_resampling, weights
from biaslab.probes.association.spreads import of_draws
from biaslab.provenance import measured
from biaslab.results import Interval
from biaslab.subjects.base import EmbeddingSubject
from biaslab.subjects.opened import WORD_VECTORS, Named, opened

_WHOLE: Final = ""


@recorded
def mac(
    subject: EmbeddingSubject | Named,
    spec: SpecSource | None = None,
    as_: As = "distance",
    *,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    attribute_groups: Words | None = None,
    controls: Words | None = None,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    replicates: int | None = None,
    rng: int | np.random.Generator = 0,
) -> MacResult:
    r"""Average the mean cosine of each protected word to each attribute list.

    .. math::
        S(t, A_j) = \frac{1}{|A_j|} \sum_{a \in A_j} \cos(t, a), \qquad
        MAC(T, A) = \frac{1}{|T| |A|} \sum_{t \in T} \sum_{A_j \in A} S(t, A_j)

    Manzini et al. (2019) write a similarity and report distances, 1 less the similarity; the
    default is the distance they report. MAC makes no difference between a group's own stereotypes
    and those of others, and has no control words: `by_connection` gives the same mean of means for
    each kind of connection.

    Parameters
    ----------
    subject : EmbeddingSubject, or name of one
        An embedding, or an ensemble: then everything is also given per replicate.
    spec : Spec, AssociationLists, or name of a spec, optional
    as_ : str
        ``distance`` or ``similarity``.
    targets, attributes, attribute_groups, controls, groups
        As of `biaslab.probes.association.lists.AssociationLists.of`.
    level : float
        Of the intervals, in (0, 1).
    resamples : int
        Resamples of the words: protected words within their groups, attribute words within their
        lists, the lists as they are.
    replicates : int, optional
        How many of an ensemble's replicates, from the first.
    rng : int or numpy.random.Generator
        Of the resamples.

    Returns
    -------
    MacResult

    Raises
    ------
    QueryError
        When there is no group or attribute list, or all words of one are unknown.
    SpecError
        When a name is no spec's, no group's or no list's.
    ValueError
        When an option is out of range.

    References
    ----------
    Manzini, Lim, Tsvetkov and Black (2019), "Black is to criminal as caucasian is to police",
    arXiv:1904.04047. The formula is as written in "A Bayesian method of cosine-based word2vec bias
    estimation" (eq. MAC), a manuscript that names no authors.
    """
    subject = opened(subject, WORD_VECTORS, "bl.mac")
    requested = AssociationLists.of(
        spec,
        groups=groups,
        targets=targets,
        attributes=attributes,
        attribute_groups=attribute_groups,
        controls=controls,
    )
    if as_ not in ("distance", "similarity"):
        raise ValueError(f"as_ is {as_!r}: choose 'distance' or 'similarity'.")
    check_resampling(level, resamples)
    parameters = {
        "spec": requested.spec,
        "as_": as_,
        "level": level,
        "resamples": resamples,
        "replicates": replicates,
    }
    with measured(
        probe="mac",
        subject=subject,
        spec_hash=requested.content_hash,
        seed=rng,
        parameters=parameters,
    ) as run:
        known = requested.known_to(subject)
        every = {**known.attributes, **known.controls}
        compared = [word for words in every.values() for word in words]
        table = cosines(subject, known.words, compared, n_replicates(subject, replicates))
        rng = np.random.default_rng(rng)
        over, of_each = _intervals(table, known, as_, level, resamples, rng)
    return MacResult(
        lists=known,
        as_=as_,
        level=level,
        cosines=table,
        mac_intervals=over,
        connection_intervals=of_each,
        dropped=known.dropped,
        provenance=run.provenance,
    )


def _intervals(
    table: Floats,
    lists: AssociationLists,
    as_: As,
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> tuple[tuple[Interval, ...], dict[str, tuple[Interval, ...]]]:
    """Return intervals of MAC and of the mean of each connection, all words resampled.

    All of them are linear in the cosines: the mean over replicates takes the mean table, and each
    draw of words and a corpus the table of its own replicate.
    """
    of_words = [weights(len(words), draws, rng) for words in lists.groups.values()]
    of_lists = [
        weights(len(words), draws, rng)
        for words in (*lists.attributes.values(), *lists.controls.values())
    ]
    shares = np.concatenate([w * w.shape[1] for w in of_words], axis=1) / len(lists.words)
    cells = of_connections(lists)
    sign, shift = (-1.0, 1.0) if as_ == "distance" else (1.0, 0.0)

    def drawn(cosines: Floats, which: slice | NDArray[np.intp]) -> dict[str, Floats]:
        means = _means(cosines, [w[which] for w in of_lists])
        return {
            name: shift + sign * value
            for name, value in _of_draws(means, shares[which], lists, cells).items()
        }

    over_words = drawn(table.mean(axis=0), slice(None))
    over_both: dict[str, Floats] = {}
    if len(table) > 1:
        replicate = rng.integers(0, len(table), size=draws)
        parts = [drawn(t, np.flatnonzero(replicate == b)) for b, t in enumerate(table)]
        over_both = {name: np.concatenate([p[name] for p in parts]) for name in over_words}
    means = shift + sign * means_of_lists(table, lists)
    now = {
        name: np.concatenate([means[:, rows, j] for j, rows in held], axis=1).mean(axis=1)
        for name, held in cells.items()
    }
    now[_WHOLE] = means[..., : len(lists.attributes)].mean(axis=(1, 2))
    intervals = {
        name: of_draws(value, over_words[name], over_both.get(name), level)
        for name, value in now.items()
    }
    return intervals.pop(_WHOLE), intervals


def _means(cosines: Floats, of_lists: list[Floats]) -> list[Floats]:
    """Return S(t, A_j) of every word in each draw, shape (draws, n) per list."""
    ends = np.cumsum([0, *(w.shape[1] for w in of_lists)])
    return [
        w @ cosines[:, begin:end].T
        for w, (begin, end) in zip(of_lists, pairwise(ends), strict=True)
    ]


def _of_draws(
    means: list[Floats], shares: Floats, lists: AssociationLists, cells: Cells
) -> dict[str, Floats]:
    """Return MAC and the mean of each connection in each draw."""
    attribute_means = means[: len(lists.attributes)]
    draws = {_WHOLE: np.mean([np.einsum("rn,rn->r", shares, m) for m in attribute_means], axis=0)}
    for name, held in cells.items():
        top = sum(np.einsum("rn,rn->r", shares[:, rows], means[j][:, rows]) for j, rows in held)
        draws[name] = np.asarray(top / sum(shares[:, rows].sum(axis=1) for _, rows in held))
    return draws
