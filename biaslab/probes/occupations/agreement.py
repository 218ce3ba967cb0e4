"""How a measure of words agrees with an outside table: points, line, correlations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import QueryError
from biaslab.probes.occupations.outside import Axis, OutsideTable
from biaslab.record import Record
from biaslab.results import Dropped, Interval
from biaslab.stats.correlation import Correlation, Method, correlate

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
