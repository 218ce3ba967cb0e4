"""How measures of words agree with an outside table: one by itself, or several compared.

Liang and Acuna (2020, section 6) find r = 0.39 between PSE and the share of men, where WEAT's
single-category association reaches 0.9 (Caliskan et al. 2017), and wonder whether averaging over
all pairs of cues would help. Every measure that is compared has the same sign: above its neutral
value it leans to group 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import QueryError
from biaslab.probes.occupations.contrasts import Cosines
from biaslab.probes.occupations.outside import Axis, OutsideTable
from biaslab.probes.occupations.questions import Pairing
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.records.record import Record
from biaslab.records.result import Dropped, Interval
from biaslab.stats.correlation import (
    Correlation,
    Method,
    correlate,
    difference_interval,
    jackknife_variance,
)

Floats = NDArray[np.float64]
Over = Literal["words", "words and corpora"]
GRID = 49


@dataclass(frozen=True)
class Line(Record):
    """Least-squares line with its pointwise band.

    Attributes
    ----------
    slope, intercept : float
        ``y = intercept + slope x``.
    x, y, low, high : ndarray, shape (G,)
        The line and its band over the range of the points.
    """

    slope: float
    intercept: float
    x: Floats
    y: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, kw_only=True)
class Agreement(Record):
    """A measure of words against an outside table.

    Attributes
    ----------
    measure : str
        ``pse`` or ``jnd``.
    groups : (str, str)
        The contrast.
    words : tuple of str
        The n words that have both numbers.
    x, y : ndarray, shape (n,)
        Outside number on the axis shown; PSE or JND in units of alpha.
    x_label, y_label : str
        With their units.
    pearson, spearman : float
        Signed; NaN if there is a `reason`.
    pearson_interval, spearman_interval : Interval
        Their kind names the source of variation.
    pearson_p, spearman_p : float
        Two-sided.
    line : Line or None
    excluded : tuple of Dropped
        Words without an outside number, or without an estimate.
    reason : str
        Why there is no correlation, or empty.
    """

    measure: str
    groups: tuple[str, str]
    words: tuple[str, ...]
    x: Floats
    y: Floats
    x_label: str
    y_label: str
    pearson: float
    pearson_interval: Interval
    pearson_p: float
    spearman: float
    spearman_interval: Interval
    spearman_p: float
    line: Line | None
    excluded: tuple[Dropped, ...]
    reason: str

    @property
    def n(self) -> int:
        """Number of words that have both numbers."""
        return len(self.words)

    def __repr__(self) -> str:
        if self.reason:
            return f"<Agreement of {self.y_label} with {self.x_label}: {self.reason}>"
        ends = self.pearson_interval
        return (
            f"<Agreement of {self.y_label} with {self.x_label}: Pearson {self.pearson:.2f} "
            f"({ends.low:.2f} to {ends.high:.2f}), Spearman {self.spearman:.2f}, {self.n} words>"
        )


@dataclass(frozen=True)
class Points:
    """Words with both numbers: indices in the result, x, y, and excluded words."""

    index: NDArray[np.intp]
    x: Floats
    y: Floats
    axis: Axis
    excluded: tuple[Dropped, ...]


def points(
    words: Sequence[str],
    estimates: Floats,
    table: OutsideTable,
    groups: Mapping[str, Sequence[str]],
    measure: str,
    missing: Sequence[str],
) -> Points:
    """Pair each word's estimate with its outside number.

    Raises
    ------
    QueryError
        For the JND, when the table has no shares.
    """
    axis = table.axis(groups)
    whole = table.whole
    if measure == "jnd":
        if whole is None:
            raise QueryError(
                f"JND is compared with √(p(1 − p)), and {table.title!r} does not contain shares p."
                " Choose a table of shares, or give unit='percent' or 'share' if its values are"
                " shares."
            )
        axis = Axis("√(p(1 − p)), p: " + axis.label, axis.sign, axis.offset, axis.group)
    numbers = [table.get(word) for word in words]
    known = np.array([number is not None for number in numbers], dtype=bool)
    shown = np.array([np.nan if v is None else axis.of(v) for v in numbers])
    if measure == "jnd" and whole is not None:
        share = np.clip(shown / whole, 0, 1)
        shown = np.sqrt(share * (1 - share))
    finite = np.isfinite(estimates)
    excluded = [
        Dropped(word, "outside", f"no value in {table.name}")
        for word, ok in zip(words, known, strict=True)
        if not ok
    ]
    excluded += [
        Dropped(word, measure, why or "no estimate")
        for word, ok, there, why in zip(words, finite, known, missing, strict=True)
        if there and not ok
    ]
    index = np.flatnonzero(known & finite)
    return Points(
        index, shown[index], np.asarray(estimates, dtype=float)[index], axis, tuple(excluded)
    )


def agreement(
    words: Sequence[str],
    points: Points,
    *,
    measure: str,
    groups: tuple[str, str],
    y_label: str,
    level: float,
    method: Method = "jackknife",
    over: Over = "words",
    replicates: Floats | None = None,
) -> Agreement:
    """Correlate paired points.

    Parameters
    ----------
    replicates : ndarray, shape (B, n), optional
        The measure in each replicate, of the same points: needed for "words and corpora".
    """
    pearson, spearman = (
        correlate(
            points.x,
            points.y,
            kind,
            level=level,
            method=method,
            extra_variance=_over_corpora(points.x, replicates, kind) if over != "words" else 0.0,
        )
        for kind in ("pearson", "spearman")
    )
    how = "jackknife of Fisher's z" if method == "jackknife" else "Fisher's z"
    return Agreement(
        measure=measure,
        groups=groups,
        words=tuple(words[i] for i in points.index),
        x=points.x,
        y=points.y,
        x_label=points.axis.label,
        y_label=y_label,
        pearson=float(pearson.r),
        pearson_interval=interval(pearson, level, f"{over} ({how})"),
        pearson_p=float(pearson.p),
        spearman=float(spearman.r),
        spearman_interval=interval(spearman, level, f"{over} ({how})"),
        spearman_p=float(spearman.p),
        line=_line(points.x, points.y, level) if not str(pearson.reason) else None,
        excluded=points.excluded,
        reason=str(pearson.reason),
    )


def interval(correlation: Correlation, level: float, kind: str) -> Interval:
    """Return the interval of a single correlation as a record."""
    low, high = correlation.interval
    return Interval(float(low), float(high), level, kind)


def _over_corpora(x: Floats, replicates: Floats | None, kind: Any) -> float:
    """Return the variance of Fisher's z from corpus to corpus, for one new corpus."""
    if replicates is None or len(replicates) < 2:
        raise QueryError(
            "A single embedding has no spread over corpora: choose over='words', or an ensemble."
        )
    by_corpus = correlate(x, replicates, kind)
    usable = by_corpus.r[np.isfinite(by_corpus.r)]
    if len(usable) < 2:
        return float("nan")
    z = np.arctanh(np.clip(usable, -1 + 1e-15, 1 - 1e-15))
    return float(z.var(ddof=1) * (1 + 1 / len(z)))


def _line(x: Floats, y: Floats, level: float) -> Line | None:
    n = len(x)
    mean_x, mean_y = x.mean(), y.mean()
    square = ((x - mean_x) ** 2).sum()
    slope = ((x - mean_x) * (y - mean_y)).sum() / square
    intercept = mean_y - slope * mean_x
    residual = ((y - intercept - slope * x) ** 2).sum() / (n - 2)
    at = np.linspace(x.min(), x.max(), GRID)
    half = special.stdtrit(n - 2, (1 + level) / 2) * np.sqrt(
        residual * (1 / n + (at - mean_x) ** 2 / square)
    )
    fit = intercept + slope * at
    return Line(float(slope), float(intercept), at, fit, fit - half, fit + half)


WEAT = "WEAT effect size"
ONE_PAIR = "PSE, one pair (mean of all)"
MATCHED = "PSE, matched pairs pooled"
ALL = "PSE, all combinations"
SETS = "PSE, cue sets"
WEAT_DIFFERENCE = "WEAT difference of means"
SUMMARIES = (ONE_PAIR, MATCHED, ALL, SETS, WEAT, WEAT_DIFFERENCE)
"""Rows that come first, before those of single pairs."""


class Compared(Protocol):
    """Interface of an `OccupationsResult` for comparisons."""

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The alternatives and their cues."""

    @property
    def cosines(self) -> Cosines | None:
        """None without word vectors."""

    @property
    def level(self) -> float:
        """Of the intervals."""

    def contrast(self, which: int = 0, pairing: Pairing | None = None) -> TwoAFCResult:
        """Return a contrast under a pairing."""

    def association(self, contrast: int = 0, measure: str = "effect size") -> Floats:
        """Return WEAT's association of each word in each replicate, shape (B, n)."""

    def points(self, estimates: Floats) -> Points:
        """Return words with an estimate and an outside number, paired."""


@dataclass(frozen=True, kw_only=True)
class MeasureAgreement(Record):
    """One measure against the outside table.

    Attributes
    ----------
    measure : str
        Name of the measure.
    n : int
        Number of words known to all measures and the table.
    pairs : int
        Number of cue pairs behind it; 0 for WEAT.
    pearson, spearman : float
        Signed; NaN if there is a `reason`.
    pearson_interval, spearman_interval : Interval
        Over words.
    pearson_gap, spearman_gap : float
        Size of WEAT's correlation less the size of this one: above 0, WEAT's is the larger.
    pearson_gap_interval, spearman_gap_interval : Interval
        Of that difference on the same words.
    reason : str
        Why there is no number, or empty.
    """

    measure: str
    n: int
    pairs: int
    pearson: float
    pearson_interval: Interval
    spearman: float
    spearman_interval: Interval
    pearson_gap: float
    pearson_gap_interval: Interval
    spearman_gap: float
    spearman_gap_interval: Interval
    reason: str = ""


@dataclass(frozen=True)
class _Measured:
    names: tuple[str, ...]
    pairs: tuple[int, ...]
    values: Floats
    singles: slice


def comparison(result: Compared, which: int) -> tuple[MeasureAgreement, ...]:
    """See `OccupationsResult.comparison`."""
    measured = _measures(result, which)
    points = result.points(measured.values.mean(axis=0))
    x, y = points.x, measured.values[:, points.index]
    rows: list[dict[str, object]] = [{} for _ in range(len(measured.names) + 1)]
    reason = ""
    for kind in ("pearson", "spearman"):
        every = correlate(x, y, kind, level=result.level)
        weat = _one(every, measured.names.index(WEAT))
        # The mean single pair is a row of its own: the first pair listed may be a lucky one.
        mean_pair = averaged(_part(every, measured.singles), result.level)
        each = [mean_pair, *(_one(every, i) for i in range(len(measured.names)))]
        each[1 + measured.names.index(WEAT)] = weat
        for row, correlation in zip(rows, each, strict=True):
            gap, ends = difference_interval(weat, correlation)
            if correlation.z_left_out is weat.z_left_out:
                ends = np.zeros(2)  # its difference from itself is 0
            row[kind] = float(correlation.r)
            row[f"{kind}_interval"] = interval(correlation, result.level, "words")
            row[f"{kind}_gap"] = float(gap)
            row[f"{kind}_gap_interval"] = Interval(
                float(ends[0]), float(ends[1]), result.level, "words, paired"
            )
            reason = reason or str(correlation.reason)
    names, pairs = (ONE_PAIR, *measured.names), (1, *measured.pairs)
    order = _order(names)
    return tuple(
        MeasureAgreement(
            measure=names[i],
            n=len(x),
            pairs=pairs[i],
            reason=reason,
            **rows[i],  # type: ignore[arg-type]  # filled above
        )
        for i in order
    )


def _order(names: tuple[str, ...]) -> list[int]:
    """Sort summaries first, then single pairs."""
    first = [names.index(name) for name in SUMMARIES if name in names]
    return first + [i for i in range(len(names)) if i not in first]


def _measures(result: Compared, which: int) -> _Measured:
    if result.cosines is None:
        raise QueryError(
            "The comparison with WEAT needs word vectors, which this subject does not have."
        )
    names: list[str] = []
    pairs: list[int] = []
    values: list[Floats] = []

    def add(name: str, n: int, value: Floats) -> None:
        names.append(name)
        pairs.append(n)
        values.append(value)

    lengths = {len(cues) for cues in result.groups.values()}
    matched = result.contrast(which, "matched").of_means if len(lengths) == 1 else None
    crossed = result.contrast(which, "all").of_means
    single = matched or crossed
    for k, (cue_1, cue_2) in enumerate(single.pairs):
        add(f"PSE, {cue_1} / {cue_2}", 1, single.by_pair.pse[:, k])
    singles = slice(0, len(names))
    if matched is not None:
        add(MATCHED, len(matched.pairs), matched.pooled.pse)
    add(ALL, len(crossed.pairs), crossed.pooled.pse)
    add(SETS, 1, result.contrast(which, "sets").of_means.pooled.pse)
    add(WEAT, 0, result.association(which).mean(axis=0))
    add(WEAT_DIFFERENCE, 0, result.association(which, "difference").mean(axis=0))
    # A word that one measure cannot place is left out of all: the mean over measures is NaN there.
    return _Measured(tuple(names), tuple(pairs), np.array(values, dtype=float), singles)


def averaged(correlation: Correlation, level: float) -> Correlation:
    """Average the correlations of several measures on the same points, as Fisher's z."""
    n = correlation.n
    edge = 1 - 1e-15
    z = np.arctanh(np.clip(correlation.r, -edge, edge)).mean()
    left = correlation.z_left_out.mean(axis=0)
    if n < 4:
        return replace(_one(correlation, 0), r=np.asarray(np.tanh(z)))
    spread = np.sqrt(jackknife_variance(left))
    half = special.stdtrit(n - 2, (1 + level) / 2) * spread
    return Correlation(
        np.asarray(np.tanh(z)),
        np.tanh(np.array([z - half, z + half])),
        np.asarray(np.nan),
        left,
        n,
        correlation.reason[0],
    )


def _one(correlation: Correlation, i: int) -> Correlation:
    return Correlation(
        correlation.r[i],
        correlation.interval[i],
        correlation.p[i],
        correlation.z_left_out[i],
        correlation.n,
        correlation.reason[i],
    )


def _part(correlation: Correlation, part: slice) -> Correlation:
    return Correlation(
        correlation.r[part],
        correlation.interval[part],
        correlation.p[part],
        correlation.z_left_out[part],
        correlation.n,
        correlation.reason[part],
    )
