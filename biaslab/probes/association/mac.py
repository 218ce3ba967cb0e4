"""``bl.mac``: mean average cosine (Manzini, Lim, Tsvetkov and Black 2019)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from biaslab.arguments import renamed
from biaslab.probes.association.draws import TableDraws, check_resampling, of_draws
from biaslab.probes.association.lists import (
    CONNECTIONS,
    CONTROLS,
    AssociationLists,
    Floats,
    SpecSource,
    Words,
    cosines,
    cosines_frame,
    n_replicates,
)
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Interval, Result
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

if TYPE_CHECKING:
    import pandas as pd


@renamed(as_="scale")
@recorded
def mac(
    subject: EmbeddingSubject | Named,
    spec: SpecSource | None = None,
    scale: Scale = "distance",
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
    scale : str
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
    if scale not in ("distance", "similarity"):
        raise ValueError(f"scale is {scale!r}: choose 'distance' or 'similarity'.")
    check_resampling(level, resamples)
    parameters = {
        "spec": requested.spec,
        "scale": scale,
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
        over, of_each = _intervals(table, known, scale, level, resamples, rng)
    return MacResult(
        lists=known,
        scale=scale,
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
    scale: Scale,
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> tuple[tuple[Interval, ...], dict[str, tuple[Interval, ...]]]:
    """Return intervals of MAC and of the mean of each connection, for other words."""
    sizes = [len(words) for words in lists.groups.values()]
    columns = [len(words) for words in (*lists.attributes.values(), *lists.controls.values())]
    draw = TableDraws(table, sizes, columns, draws, rng)
    sign, shift = (-1.0, 1.0) if scale == "distance" else (1.0, 0.0)
    means = shift + sign * means_of_lists(table, lists)

    def intervals_of(now: Floats, weights: Floats) -> tuple[Interval, ...]:
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
        return intervals_of(now, weights)

    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    attributes = len(lists.attributes)
    whole = np.outer(sizes, np.arange(len(columns)) < attributes).astype(np.float64)
    over = intervals_of(means[..., :attributes].mean(axis=(1, 2)), whole)
    return over, {name: of_cells(cells) for name, cells in of_connections(lists).items()}


Scale = Literal["distance", "similarity"]
Cells = Mapping[str, list[tuple[int, slice]]]


@dataclass(frozen=True, kw_only=True)
class MacResult(Result):
    """MAC, and the same mean of means for each kind of connection.

    Attributes
    ----------
    lists : AssociationLists
        Known words of the request.
    scale : str
        ``distance`` (1 less the cosine) or ``similarity``: the unit of all numbers but `cosines`.
    level : float
        Of the intervals.
    cosines : ndarray, shape (B, n, m)
        Of every protected word with every attribute and control word, list by list.
    mac_intervals : tuple of Interval
        By kind: ``words``; for an ensemble also ``corpus`` and ``words and corpora``.
    connection_intervals : mapping of str to tuple of Interval
        The same for each connection.
    """

    schema: ClassVar[str] = "mac/2"

    lists: AssociationLists
    scale: Scale
    level: float
    cosines: Floats
    mac_intervals: tuple[Interval, ...]
    connection_intervals: Mapping[str, tuple[Interval, ...]]

    @classmethod
    def upgrade(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Read the scale by its former name."""
        if version < 2:
            content["scale"] = content.pop("as_")
        return content

    @property
    def n_replicates(self) -> int:
        """Number B of replicates."""
        return len(self.cosines)

    @property
    def compared(self) -> tuple[str, ...]:
        """Names of the attribute and control lists, in the order of `means`."""
        return (*self.lists.attributes, *self.lists.controls)

    @cached_property
    def means(self) -> Floats:
        """S(t, A_j): a mean per protected word and list, (B, n, L); NaN for an empty list."""
        return self._unit(means_of_lists(self.cosines, self.lists))

    @cached_property
    def mac_by_replicate(self) -> Floats:
        """MAC over the attribute lists in each replicate, shape (B,)."""
        return np.asarray(self.means[..., : len(self.lists.attributes)].mean(axis=(1, 2)))

    @property
    def mac(self) -> float:
        """MAC over the attribute lists; the mean over replicates."""
        return float(self.mac_by_replicate.mean())

    @cached_property
    def by_connection_by_replicate(self) -> Mapping[str, Floats]:
        """Mean of means of each connection in each replicate, shape (B,) each."""
        return {
            name: np.concatenate([self.means[:, rows, j] for j, rows in cells], axis=1).mean(axis=1)
            for name, cells in of_connections(self.lists).items()
        }

    @property
    def by_connection(self) -> dict[str, float]:
        """Mean of means of each existing connection: associated, different, human, none."""
        return {k: float(v.mean()) for k, v in self.by_connection_by_replicate.items()}

    def interval(self, kind: str = "words", connection: str = "") -> Interval:
        """Return an interval of MAC, or of a connection's mean of means, by kind.

        Raises
        ------
        KeyError
            When there is no interval of that kind, or no such connection.
        """
        intervals = self.connection_intervals[connection] if connection else self.mac_intervals
        return {i.kind: i for i in intervals}[kind]

    def raw_frame(self) -> pd.DataFrame:
        """One row per cosine: word, group, attribute, list, replicate, cosine."""
        return cosines_frame(self.cosines, self.lists)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for MAC, one per connection, and one per protected word and list.

        Columns: measure (``mac``, ``connection``, ``word and list``), word, group, list,
        connection, n (cosines behind it), value, sd (over replicates), and the ends of each
        interval of the first two, such as words_low.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        counts = [len(w) for w in (*self.lists.attributes.values(), *self.lists.controls.values())]
        n_of = {
            name: sum((rows.stop - rows.start) * counts[j] for j, rows in cells)
            for name, cells in of_connections(self.lists).items()
        }
        of_attributes = sum(counts[: len(self.lists.attributes)])
        rows.append(
            {"measure": "mac", "n": len(self.lists.words) * of_attributes}
            | _estimate(self.mac_by_replicate)
            | _ends(self.mac_intervals)
        )
        for name, values in self.by_connection_by_replicate.items():
            rows.append(
                {"measure": "connection", "connection": name, "n": n_of[name]}
                | _estimate(values)
                | _ends(self.connection_intervals[name])
            )
        i = 0
        for group, words in self.lists.groups.items():
            for word in words:
                for j, name in enumerate(self.compared):
                    rows.append(
                        {
                            "measure": "word and list",
                            "word": word,
                            "group": group,
                            "list": name,
                            "connection": connection(self.lists, group, j),
                            "n": counts[j],
                        }
                        | _estimate(self.means[:, i, j])
                    )
                i += 1
        return pd.DataFrame(rows)

    def _unit(self, cosines: Floats) -> Floats:
        return np.asarray(1 - cosines if self.scale == "distance" else cosines)


def means_of_lists(cosines: Floats, lists: AssociationLists) -> Floats:
    """Average the cosines of each word over each list: (B, n, L)."""
    counts = [len(words) for words in (*lists.attributes.values(), *lists.controls.values())]
    ends = np.cumsum([0, *counts])
    out = np.full((*cosines.shape[:2], len(counts)), np.nan)
    for j, (begin, end) in enumerate(pairwise(ends)):
        if end > begin:
            out[..., j] = cosines[..., begin:end].mean(axis=2)
    return out


def connection(lists: AssociationLists, group: str, j: int) -> str:
    """Return the connection of a group's words with the j-th list."""
    attributes, controls = list(lists.attributes), list(lists.controls)
    if j < len(attributes):
        return lists.connection(group, attributes[j])
    return CONTROLS[controls[j - len(attributes)]]


def of_connections(lists: AssociationLists) -> Cells:
    """Return the lists and word rows of each existing connection."""
    counts = [len(words) for words in (*lists.attributes.values(), *lists.controls.values())]
    names = list(lists.attributes)
    slices: dict[str, list[tuple[int, slice]]] = {name: [] for name in CONNECTIONS}
    begin = 0
    for group, words in lists.groups.items():
        rows = slice(begin, begin + len(words))
        for j, many in enumerate(counts):
            # An attribute list of no group is part of MAC and has no connection to compare.
            if many and (j >= len(names) or lists.attribute_groups.get(names[j])):
                slices[connection(lists, group, j)].append((j, rows))
        begin = rows.stop
    return {name: cells for name, cells in slices.items() if cells}


def _estimate(by_replicate: Floats) -> dict[str, float]:
    sd = float(by_replicate.std(ddof=1)) if len(by_replicate) > 1 else math.nan
    return {"value": float(by_replicate.mean()), "sd": sd}


def _ends(intervals: tuple[Interval, ...]) -> dict[str, float]:
    return {
        f"{i.kind.replace(' ', '_')}_{end}": getattr(i, end)
        for i in intervals
        for end in ("low", "high")
    }
