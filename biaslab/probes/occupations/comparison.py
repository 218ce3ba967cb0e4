"""The same words against the same table by several measures: paper 000's question of section 6.

The paper finds r = 0.39 between PSE and the share of men, WEAT's single-category association 0.9
(Caliskan et al. 2017), and wonders whether averaging over all pairs of cues would help. Every
measure here is signed alike: above its neutral value it leans to group 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import QueryError
from biaslab.probes.occupations.agreement import interval
from biaslab.probes.occupations.verdicts import correlation_text
from biaslab.record import Record
from biaslab.results import Interval
from biaslab.stats.correlation import (
    Correlation,
    correlate,
    difference_interval,
    jackknife_variance,
)

if TYPE_CHECKING:
    from biaslab.probes.occupations.result import OccupationsResult

Floats = NDArray[np.float64]
WEAT = "WEAT effect size"
ONE_PAIR = "PSE, one pair (mean of all)"
MATCHED = "PSE, matched pairs pooled"
ALL = "PSE, all combinations"
SETS = "PSE, cue sets"
WEAT_DIFFERENCE = "WEAT difference of means"
SUMMARIES = (ONE_PAIR, MATCHED, ALL, SETS, WEAT, WEAT_DIFFERENCE)
"""Rows that come first; those of single pairs follow."""


@dataclass(frozen=True, kw_only=True)
class MeasureAgreement(Record):
    """One measure against the outside table.

    Attributes
    ----------
    measure : str
        What is correlated.
    n : int
        Number of words: those that all measures and the table know.
    pairs : int
        Number of cue pairs behind it; 0 for WEAT.
    pearson, spearman : float
        Signed; NaN where `reason` says why.
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


def comparison(result: OccupationsResult, which: int) -> tuple[MeasureAgreement, ...]:
    """See `OccupationsResult.comparison`."""
    measured = _measures(result, which)
    found = result.points(measured.values.mean(axis=0))
    x, y = found.x, measured.values[:, found.index]
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
                ends = np.zeros(2)  # its difference to itself is known
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
    """Summaries first, then every single pair."""
    first = [names.index(name) for name in SUMMARIES if name in names]
    return first + [i for i in range(len(names)) if i not in first]


def _measures(result: OccupationsResult, which: int) -> _Measured:
    if result.cosines is None:
        raise QueryError("The comparison with WEAT needs word vectors; this subject has none.")
    names: list[str] = []
    pairs: list[int] = []
    values: list[Floats] = []

    def add(name: str, n: int, value: Floats) -> None:
        names.append(name)
        pairs.append(n)
        values.append(value)

    lengths = {len(cues) for cues in result.groups.values()}
    matched = result.contrast(which, "matched") if len(lengths) == 1 else None
    crossed = result.contrast(which, "all")
    single = matched or crossed
    for k, (one, two) in enumerate(single.pairs):
        add(f"PSE, {one} / {two}", 1, single.by_pair.pse[:, k])
    singles = slice(0, len(names))
    if matched is not None:
        add(MATCHED, len(matched.pairs), matched.pooled.pse)
    add(ALL, len(crossed.pairs), crossed.pooled.pse)
    add(SETS, 1, result.contrast(which, "sets").pooled.pse)
    add(WEAT, 0, result.association(which).mean(axis=0))
    add(WEAT_DIFFERENCE, 0, result.association(which, "difference").mean(axis=0))
    # A word that one measure cannot place is left out of all: the mean over measures is NaN there.
    return _Measured(tuple(names), tuple(pairs), np.array(values, dtype=float), singles)


def averaged(found: Correlation, level: float) -> Correlation:
    """Mean correlation of several measures on the same points, by way of Fisher's z."""
    n = found.n
    edge = 1 - 1e-15
    z = np.arctanh(np.clip(found.r, -edge, edge)).mean()
    left = found.z_left_out.mean(axis=0)
    if n < 4:
        return replace(_one(found, 0), r=np.asarray(np.tanh(z)))
    spread = np.sqrt(jackknife_variance(left))
    half = special.stdtrit(n - 2, (1 + level) / 2) * spread
    return Correlation(
        np.asarray(np.tanh(z)),
        np.tanh(np.array([z - half, z + half])),
        np.asarray(np.nan),
        left,
        n,
        found.reason[0],
    )


def _one(found: Correlation, i: int) -> Correlation:
    return Correlation(
        found.r[i],
        found.interval[i],
        found.p[i],
        found.z_left_out[i],
        found.n,
        found.reason[i],
    )


def _part(found: Correlation, part: slice) -> Correlation:
    return Correlation(
        found.r[part],
        found.interval[part],
        found.p[part],
        found.z_left_out[part],
        found.n,
        found.reason[part],
    )


def closing(rows: tuple[MeasureAgreement, ...]) -> str:
    """Whether averaging over all pairs, or a cue set for one word, closes the gap to WEAT."""
    by_name = {row.measure: row for row in rows}
    weat, one = by_name[WEAT], by_name[ONE_PAIR]
    if weat.reason:
        return f"The measures cannot be compared: {weat.reason}."
    averages = {name: by_name[name] for name in (MATCHED, ALL, SETS) if name in by_name}
    told = (
        f"On the same {weat.n} words WEAT's association has {_r(weat)}, the PSE of one cue pair, "
        f"on average over {_plural(rows)}, {_r(one)}: {_gap(one)}."
    )
    parts = [_lead(one, list(averages.values())), told]
    parts += [
        f"{_TOLD[name]}: r = {correlation_text(row.pearson)}, {_gap(row)}."
        for name, row in averages.items()
    ]
    return " ".join(parts)


_TOLD = {
    MATCHED: "Averaged over matched pairs",
    ALL: "Averaged over all combinations",
    SETS: "With a cue set for each group",
}


def _lead(one: MeasureAgreement, averages: list[MeasureAgreement]) -> str:
    """The answer, as far as these words can give it."""
    if not _told(one):
        return "Between one cue pair and WEAT no gap can be told on these words."
    if one.pearson_gap < 0:
        return "On these words even one cue pair agrees better than WEAT."
    left = [row for row in averages if _told(row) and row.pearson_gap > 0]
    if not left:
        return "Averaging, or a cue set, closes the gap to WEAT as far as these words can tell."
    if len(left) < len(averages):
        return "Some ways of averaging close the gap to WEAT as far as these words can tell."
    return "Averaging, or a cue set, leaves a gap to WEAT."


def _told(row: MeasureAgreement) -> bool:
    """Whether the gap to WEAT is clear of none."""
    ends = row.pearson_gap_interval
    return bool(ends.low > 0 or ends.high < 0)


def _r(row: MeasureAgreement) -> str:
    return f"r = {correlation_text(row.pearson)} (between {_ends(row.pearson_interval)})"


def _plural(rows: tuple[MeasureAgreement, ...]) -> str:
    singles = sum(row.pairs == 1 and row.measure not in (ONE_PAIR, SETS) for row in rows)
    return f"{singles} pairs" if singles != 1 else "1 pair"


def _gap(row: MeasureAgreement) -> str:
    gap, ends = row.pearson_gap, row.pearson_gap_interval
    low, high = (ends.low, ends.high) if gap >= 0 else (-ends.high, -ends.low)
    told = f"{'weaker' if gap >= 0 else 'stronger'} than WEAT's by {correlation_text(abs(gap))}"
    if not np.isfinite([low, high]).all():
        return told
    return f"{told} (between {correlation_text(low)} and {correlation_text(high)})"


def _ends(ends: Interval) -> str:
    return f"{correlation_text(ends.low)} and {correlation_text(ends.high)}"
