"""Measures of attribute lists between target lists: their shared parts and result."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.association.draws import (
    Drawn,
    TableDraws,
    check_resampling,
    correlation_draws,
    divergence_draws,
    intervals,
    mean_draws,
    within,
)
from biaslab.probes.association.lists import (
    AssociationLists,
    Floats,
    SpecSource,
    Words,
    n_replicates,
)
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Dropped, Interval, Result
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class MeasureResult(Result):
    """A measure of association by another tool's definition.

    Attributes
    ----------
    measure : str
        Its name, such as ``RND``.
    reads : str
        Interpretation of a number, in one line.
    neutral : float
        The value without any bias.
    level : float
        Of the intervals.
    over : str
        Words that the intervals range over.
    names : tuple of str
        The L lists that have a number each.
    estimates : ndarray, shape (B, L)
        The number of each list in each replicate; NaN if `reasons` has a reason.
    intervals : tuple of tuple of Interval
        Of each list's mean over replicates, by kind: ``words``; for an ensemble also ``corpus``
        and ``words and corpora``.
    reasons : tuple of str
        Reason for each missing number; empty texts otherwise.
    words, of_list : tuple of str
        The n words that have a value each, and their lists.
    values : ndarray, shape (B, n)
        A value per word.
    """

    schema: ClassVar[str] = "association-measure/1"

    measure: str
    reads: str
    neutral: float
    level: float
    over: str
    names: tuple[str, ...]
    estimates: Floats
    intervals: tuple[tuple[Interval, ...], ...]
    reasons: tuple[str, ...]
    words: tuple[str, ...]
    of_list: tuple[str, ...]
    values: Floats

    @property
    def value(self) -> float:
        """The number; with several lists the mean over those."""
        return float(self.estimates.mean())

    @property
    def by_list(self) -> dict[str, float]:
        """The number of each list, the mean over replicates."""
        means = self.estimates.mean(axis=0).tolist()
        return dict(zip(self.names, means, strict=True))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per list and one per word.

        Columns: measure, list, word (empty for a list's number), value, sd (over replicates),
        neutral, the ends of each interval, such as words_low, and reason.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for k, name in enumerate(self.names):
            row = self._row(name, "", self.estimates[:, k])
            for interval in self.intervals[k]:
                kind = interval.kind.replace(" ", "_")
                row |= {f"{kind}_low": interval.low, f"{kind}_high": interval.high}
            rows.append(row | {"reason": self.reasons[k]})
        for i, word in enumerate(self.words):
            rows.append(self._row(self.of_list[i], word, self.values[:, i]) | {"reason": ""})
        return pd.DataFrame(rows)

    def raw_frame(self) -> pd.DataFrame:
        """One row per word and replicate: word, list, replicate, value."""
        import pandas as pd

        b, n = self.values.shape
        return pd.DataFrame(
            {
                "word": np.tile(np.array(self.words, dtype=str), b),
                "list": np.tile(np.array(self.of_list, dtype=str), b),
                "replicate": np.repeat(np.arange(b), n),
                "value": self.values.ravel(),
            }
        )

    def _row(self, name: str, word: str, by_replicate: Floats) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "list": name,
            "word": word,
            "value": float(by_replicate.mean()),
            "sd": float(by_replicate.std(ddof=1)) if len(by_replicate) > 1 else math.nan,
            "neutral": self.neutral,
        }


Rng = int | np.random.Generator


@dataclass(frozen=True)
class Row:
    """A list's number by replicate (B,), its draws for other words or None, and word values."""

    name: str
    estimate: Floats
    drawn: Drawn | None
    words: tuple[str, ...]
    values: Floats
    reason: str = ""


class Measure(Protocol):
    """How a measure is called."""

    def __call__(
        self,
        subject: EmbeddingSubject | Named,
        spec: SpecSource | None = None,
        *,
        targets: Words | None = None,
        attributes: Words | Sequence[str] | None = None,
        groups: Sequence[str] | None = None,
        level: float = 0.95,
        resamples: int = 2000,
        replicates: int | None = None,
        rng: Rng = 0,
    ) -> MeasureResult:
        """Compute the measure; arguments as of `biaslab.weat`."""
        ...


def measure(
    reads: Callable[[AssociationLists], str],
    *,
    count: int | None = 2,
    check: Callable[[AssociationLists], None] = lambda _: None,
    neutral: float = 0.0,
    over: str = "attribute words",
    ends: tuple[float, float] = (-math.inf, math.inf),
    parameters: Mapping[str, str] | None = None,
) -> Callable[[Callable[[ListVectors, Draw], list[Row]]], Measure]:
    """Make a measure from its formula, which returns the rows of a result.

    The measure takes the formula's docstring.

    - `reads`: how the numbers are read, in words.
    - `count`: how many target lists it compares; None: any number.
    - `check`: refuses lists that the formula cannot take.
    - `neutral`: the value without bias.
    - `over`: what the intervals range over.
    - `ends`: values that the measure can take.
    - `parameters`: what the provenance says of the formula besides.
    """

    def decorate(rows: Callable[[ListVectors, Draw], list[Row]]) -> Measure:
        name = rows.__name__

        def probe(
            subject: EmbeddingSubject | Named,
            spec: SpecSource | None = None,
            *,
            targets: Words | None = None,
            attributes: Words | Sequence[str] | None = None,
            groups: Sequence[str] | None = None,
            level: float = 0.95,
            resamples: int = 2000,
            replicates: int | None = None,
            rng: Rng = 0,
        ) -> MeasureResult:
            subject = opened(subject, WORD_VECTORS, f"bl.association.{name}")
            requested = _requested_lists(spec, groups, targets, attributes, count)
            check(requested)
            check_resampling(level, resamples)
            options = {"spec": requested.spec, "level": level, "resamples": resamples}
            with measured(
                probe=name,
                subject=subject,
                spec_hash=requested.content_hash,
                seed=rng,
                parameters={**options, **(parameters or {}), "replicates": replicates},
            ) as run:
                known = requested.known_to(subject)
                embedded = ListVectors(subject, requested, known, n_replicates(subject, replicates))
                rng = np.random.default_rng(rng)
                estimates = rows(embedded, Draw(resamples, rng))
                spread = tuple(
                    within(intervals(row.estimate, row.drawn, level), *ends) for row in estimates
                )
            return result_of(
                estimates,
                spread,
                measure=name.upper(),
                reads=reads(requested),
                neutral=neutral,
                level=level,
                over=over,
                dropped=(*known.dropped, *embedded.dropped),
                run=run,
            )

        # Not functools.wraps: the signature is the probe's own.
        probe.__name__, probe.__qualname__ = name, rows.__qualname__
        probe.__module__, probe.__doc__ = rows.__module__, rows.__doc__
        return recorded(probe)

    return decorate


@dataclass(frozen=True)
class Draw:
    """Random numbers for other words."""

    draws: int
    rng: np.random.Generator

    def mean(self, values: Floats) -> Drawn | None:
        """Return draws of the mean over words of (B, n) values."""
        return mean_draws(values, self.draws, self.rng)

    def table(self, table: Floats) -> Drawn | None:
        """Return draws of the mean over a table of (B, n, m) values."""
        _, n, m = table.shape
        return TableDraws(table, [n], [m], self.draws, self.rng)(np.ones((1, 1)))

    def correlation(self, x_1: Floats, x_2: Floats) -> Drawn | None:
        """Return draws of the rank correlation over words of two (B, n) values."""
        return correlation_draws(x_1, x_2, self.draws, self.rng)

    def divergence(self, of_each: Floats, n: int) -> Drawn | None:
        """Return draws of the divergence (B,) of n words from all being equal."""
        return divergence_draws(of_each, n, self.draws, self.rng)


class ListVectors:
    """Known lists and their stored vectors, and the `requested` lists."""

    def __init__(
        self,
        subject: EmbeddingSubject,
        requested: AssociationLists,
        known: AssociationLists,
        b: int,
    ) -> None:
        self._subject, self._b, self.requested, self.lists = subject, b, requested, known
        self.dropped: list[Dropped] = []

    def __getitem__(self, name: str) -> Floats:
        return self._vectors(self.lists.named[name])

    def _vectors(self, words: Sequence[str]) -> Floats:
        return self._subject.vectors(words)[: self._b].astype(np.float64)

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Return unit differences of pairs, (B, K, d); pairs without one are dropped."""
        groups = list(self.lists.groups)
        known = [set(self._subject.resolve(list(side)).known) for side in zip(*pairs, strict=True)]
        known_pairs = [p for p in pairs if p[0] in known[0] and p[1] in known[1]]
        lost = [
            (p, "one of the two is unknown or already listed")
            for p in pairs
            if p not in known_pairs
        ]
        if not known_pairs:
            raise QueryError(f"No pair of {groups[0]} and {groups[1]} has two known words.")
        first, second = (self._vectors(side) for side in zip(*known_pairs, strict=True))
        between = first - second
        lengths = np.linalg.norm(between, axis=2, keepdims=True)
        distinct = (lengths[..., 0] > 0).all(axis=0)
        lost += [
            (p, "both words have the same vector")
            for p, ok in zip(known_pairs, distinct, strict=True)
            if not ok
        ]
        self.dropped += [Dropped(" - ".join(p), "pair", why) for p, why in lost]
        if not distinct.any():
            raise QueryError(
                f"Both words of every pair of {groups[0]} and {groups[1]} have the same vector, so"
                " there is no direction between them."
            )
        return np.asarray(between[:, distinct] / lengths[:, distinct])


def result_of(
    rows: Sequence[Row],
    spread: tuple[tuple[Interval, ...], ...],
    *,
    measure: str,
    reads: str,
    neutral: float,
    level: float,
    over: str,
    dropped: tuple[Dropped, ...],
    run: measured,
) -> MeasureResult:
    """Return the result of a measure from its rows."""
    return MeasureResult(
        measure=measure,
        reads=reads,
        neutral=neutral,
        level=level,
        over=over,
        names=tuple(row.name for row in rows),
        estimates=np.stack([row.estimate for row in rows], axis=1),
        intervals=spread,
        reasons=tuple(row.reason for row in rows),
        words=tuple(word for row in rows for word in row.words),
        of_list=tuple(row.name for row in rows for _ in row.words),
        values=np.concatenate([row.values for row in rows], axis=1),
        dropped=dropped,
        provenance=run.provenance,
    )


def _requested_lists(
    spec: SpecSource | None,
    groups: Sequence[str] | None,
    targets: Words | None,
    attributes: Words | Sequence[str] | None,
    count: int | None,
) -> AssociationLists:
    requested = AssociationLists.of(
        spec, groups=groups, targets=targets, attributes=attributes, controls={}
    )
    if count is not None and len(requested.groups) != count:
        names = list(requested.groups)
        raise QueryError(
            f"This measure compares {count} groups; got {len(names)}"
            f" ({', '.join(map(repr, names))}). Choose with groups=(one, two)."
        )
    return requested
