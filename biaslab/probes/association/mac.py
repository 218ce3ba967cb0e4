"""``bl.mac``: mean average cosine (Manzini, Lim, Tsvetkov and Black 2019)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biaslab.calls import recorded
from biaslab.probes.association.cosines import Floats, cosines, n_replicates
from biaslab.probes.association.lists import AssociationLists, SpecSource, Words
from biaslab.probes.association.mac_result import (
    As,
    MacResult,
    means_of_lists,
    of_connections,
)
from biaslab.probes.association.mean_draws import TableDraws
from biaslab.probes.association.spreads import check_resampling, of_draws
from biaslab.provenance import measured
from biaslab.results import Interval
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened


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
        Draws behind the intervals, which are for other words of the same groups and lists.
    replicates : int, optional
        How many of an ensemble's replicates, from the first.
    rng : int or numpy.random.Generator
        Of the draws.

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
    """Return intervals of MAC and of the mean of each connection, for other words."""
    sizes = [len(words) for words in lists.groups.values()]
    columns = [len(words) for words in (*lists.attributes.values(), *lists.controls.values())]
    draw = TableDraws(table, sizes, columns, draws, rng)
    sign, shift = (-1.0, 1.0) if as_ == "distance" else (1.0, 0.0)
    means = shift + sign * means_of_lists(table, lists)

    def found(now: Floats, weights: Floats) -> tuple[Interval, ...]:
        drawn = draw(weights / weights.sum())
        if drawn is None:
            return of_draws(now, None, None, level)
        both = None if drawn.of_one is None else shift + sign * drawn.of_one
        return of_draws(now, shift + sign * drawn.of_mean, both, level)

    def of_cells(cells: Sequence[tuple[int, slice]]) -> tuple[Interval, ...]:
        now = np.concatenate([means[:, rows, j] for j, rows in cells], axis=1).mean(axis=1)
        weights = np.zeros((len(sizes), len(columns)))
        for j, rows in cells:
            weights[starts.index(rows.start), j] = rows.stop - rows.start
        return found(now, weights)

    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    attributes = len(lists.attributes)
    whole = np.outer(sizes, np.arange(len(columns)) < attributes).astype(np.float64)
    over = found(means[..., :attributes].mean(axis=(1, 2)), whole)
    return over, {name: of_cells(cells) for name, cells in of_connections(lists).items()}
