"""Plain words for the comparison of measures with WEAT on the same words."""

from __future__ import annotations

import numpy as np

from biaslab.probes.occupations.comparison import (
    ALL,
    MATCHED,
    ONE_PAIR,
    SETS,
    WEAT,
    MeasureAgreement,
)
from biaslab.results import Interval
from biaslab.wording import number


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
        f"{_TOLD[name]}: r = {number(row.pearson)}, {_gap(row)}." for name, row in averages.items()
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
        return "On these words there is no clear gap between one cue pair and WEAT."
    if one.pearson_gap < 0:
        return "On these words even one cue pair agrees better than WEAT."
    left = [row for row in averages if _told(row) and row.pearson_gap > 0]
    if not left:
        return "With averaging, or a cue set, there is no clear gap to WEAT for these words."
    if len(left) < len(averages):
        return "With some ways of averaging there is no clear gap to WEAT for these words."
    return "Averaging, or a cue set, leaves a gap to WEAT."


def _told(row: MeasureAgreement) -> bool:
    """Whether the gap to WEAT is clear of none."""
    ends = row.pearson_gap_interval
    return bool(ends.low > 0 or ends.high < 0)


def _r(row: MeasureAgreement) -> str:
    return f"r = {number(row.pearson)} (between {_ends(row.pearson_interval)})"


def _plural(rows: tuple[MeasureAgreement, ...]) -> str:
    singles = sum(row.pairs == 1 and row.measure not in (ONE_PAIR, SETS) for row in rows)
    return f"{singles} pairs" if singles != 1 else "1 pair"


def _gap(row: MeasureAgreement) -> str:
    gap, ends = row.pearson_gap, row.pearson_gap_interval
    low, high = (ends.low, ends.high) if gap >= 0 else (-ends.high, -ends.low)
    told = f"{'weaker' if gap >= 0 else 'stronger'} than WEAT's by {number(abs(gap))}"
    if not np.isfinite([low, high]).all():
        return told
    return f"{told} (between {number(low)} and {number(high)})"


def _ends(ends: Interval) -> str:
    return f"{number(ends.low)} and {number(ends.high)}"
