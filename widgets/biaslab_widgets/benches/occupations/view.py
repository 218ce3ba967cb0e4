"""From a result about many words to the numbers that the occupations view draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.occupations import Agreement as Found
from biaslab.probes.occupations import MeasureAgreement, OccupationsResult
from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.records.result import Interval
from biaslab.records.wording import counted, prose
from biaslab.reports.occupations.words import correction, toward, verdict
from biaslab.reports.psychometrics.words import JND_LABELS, JND_SIGMAS
from biaslab.stats.significance import Adjust
from biaslab_widgets.benches.occupations.fields import (
    Agreement,
    Comparison,
    Contrast,
    Correlation,
    Measure,
    MeasureRow,
    Picture,
    Ranking,
)
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import Span, dropped_term

DIGITS = 5
SIDE_BY_SIDE = -1
"""As ``contrast``: all contrasts are shown."""
_CANNOT_SAY = 2
_MIDDLES = {"even": "neutral", "words": "others", "controls": "controls"}
_NEAR = (0.005, 0.995)
"""The axis holds the points between these quantiles, and every pooled value."""

Array = NDArray[np.floating[Any]]


def picture_of(
    result: OccupationsResult, contrast: int, compared: bool = False, adjust: Adjust = "holm"
) -> Picture:
    """Everything drawn.

    - `contrast`: whose verdict and scatter; -1 for those of the first.
    - `compared`: whether the measures are compared too, which asks under every pairing.
    - `adjust`, {"holm", "none"}: how leans are corrected for many words.
    """
    which = min(max(contrast, 0), len(result.contrasts) - 1)
    axis = result.axis
    return {
        "words": list(result.words),
        "groups": list(result.names),
        "contrasts": [_contrast(result, i, adjust) for i in range(len(result.contrasts))],
        "verdict": _verdict(result, contrast, adjust),
        "caveat": result.caveat(which),
        "why": _why(result, which),
        "agreement_pse": _agreement(result, "pse", which),
        "agreement_jnd": _agreement(result, "jnd", which),
        "outside": list(result.outside_values()),
        "outside_label": axis.label if axis else "",
        "comparison": _comparison(result, which) if compared else None,
        "ranking": _ranking(result) if len(result.names) > 2 else None,
        "interval_level": result.level,
        "interval_over": result.contrasts[which].corpus_kind,
        "middle": _MIDDLES[result.reference],
        "unit": result.contrasts[which].observer,
        "jnd_label": f"{JND_SIGMAS[result.jnd_convention]}, {JND_LABELS[result.jnd_convention]}",
        "footer": _footer(result),
    }


def _contrast(result: OccupationsResult, which: int, adjust: Adjust) -> Contrast:
    asked = result.contrasts[which]
    found, each = asked.pooled, asked.by_pair
    told = np.isfinite(found.corpus).all(axis=1)
    counts = result.lean_counts(which, adjust)
    one, two = result.of_contrast(which)
    with np.errstate(invalid="ignore"):
        spread = each.pse.std(axis=1, ddof=1) if each.pse.shape[1] > 1 else None
    return {
        "group_1": one,
        "group_2": two,
        "pairs": [(a, b) for a, b in asked.pairs],
        "pse": _measure(found.pse, found.corpus, each.pse, neutral=0.5),
        "jnd": _measure(found.jnd, found.jnd_interval, each.jnd, neutral=0.0),
        "lean": np.where(told, result.leans(which, adjust), _CANNOT_SAY).tolist(),
        "pair_sd": [None] * len(result.words) if spread is None else _numbers(spread),
        "reason": [str(reason) for reason in found.reasons],
        "lean_counts": (counts.group_1, counts.group_2, counts.undecided),
    }


def _measure(value: Array, interval: Array, points: Array, neutral: float) -> Measure:
    return {
        "value": _numbers(value),
        "low": _numbers(interval[:, 0]),
        "high": _numbers(interval[:, 1]),
        "points": _table(points),
        "axis": _axis(value, points, neutral),
    }


def _axis(value: Array, points: Array, neutral: float) -> tuple[float, float]:
    """An axis that holds the neutral value, all pooled values and nearly all points."""
    held = [neutral, *value[np.isfinite(value)]]
    near = points[np.isfinite(points)]
    if near.size:
        held += list(np.quantile(near, _NEAR))
    low, high = min(held), max(held)
    margin = 0.04 * (high - low) + 0.01
    start = 0.0 if low >= 0 and neutral == 0 else np.floor((low - margin) * 20) / 20
    return float(start), float(np.ceil((high + margin) * 20) / 20)


def _agreement(result: OccupationsResult, measure: str, which: int) -> Agreement | None:
    if result.outside is None:
        return None
    try:
        found = result.agreement(measure, which)
    except QueryError as error:
        return _without_points(result, prose(error))
    line = found.line
    return {
        "x_label": found.x_label,
        "source": result.outside.source,
        "words": list(found.words),
        "x": _plain(found.x),
        "y": _percent(found.y),
        "pearson": _correlation(found, "pearson"),
        "spearman": _correlation(found, "spearman"),
        "line_x": _plain(line.x) if line else [],
        "line_y": _percent(line.y) if line else [],
        "line_low": _percent(line.low) if line else [],
        "line_high": _percent(line.high) if line else [],
        "excluded": [dropped_term(d) for d in found.excluded],
        "reason": found.reason,
    }


def _without_points(result: OccupationsResult, reason: str) -> Agreement:
    nothing: Correlation = {**empty(Correlation), "reason": reason}
    return {
        **empty(Agreement),
        "x_label": result.axis.label if result.axis else "",
        "source": result.outside.source if result.outside else "",
        "pearson": nothing,
        "spearman": nothing,
        "reason": reason,
    }


def _correlation(found: Found, kind: str) -> Correlation:
    interval: Interval = getattr(found, f"{kind}_interval")
    return {
        "value": _number(getattr(found, kind)),
        "low": _number(interval.low),
        "high": _number(interval.high),
        "p": _number(getattr(found, f"{kind}_p"), 8),
        "reason": found.reason,
    }


def _comparison(result: OccupationsResult, which: int) -> Comparison | None:
    try:
        rows = result.comparison(which)
    except QueryError as error:
        return {"words": 0, "rows": [], "verdict": [], "caveat": prose(error)}
    # The first sentence is the answer; those after it say of each way of averaging by how much.
    answer, dot, details = result.comparison_verdict(which).partition(". ")
    return {
        "words": rows[0].n,
        "rows": [_measure_row(row) for row in rows],
        "verdict": [{"text": answer + dot, "role": "strong"}, {"text": details, "role": "quiet"}],
        "caveat": f"Intervals over words, {100 * result.level:.0f} %; gaps on the same words.",
    }


def _measure_row(row: MeasureAgreement) -> MeasureRow:
    def correlation(kind: str) -> Correlation:
        ends: Interval = getattr(row, f"{kind}_interval")
        value = _number(getattr(row, kind))
        low, high = _number(ends.low), _number(ends.high)
        return {"value": value, "low": low, "high": high, "p": None, "reason": row.reason}

    gap = row.pearson_gap_interval
    is_weat = row.pairs == 0
    return {
        "name": row.measure,
        "label": row.measure,
        "detail": "word lists" if is_weat else "1 pair" if row.pairs == 1 else f"{row.pairs} pairs",
        "pearson": correlation("pearson"),
        "spearman": correlation("spearman"),
        "gap": _number(row.pearson_gap),
        "gap_low": _number(gap.low),
        "gap_high": _number(gap.high),
    }


def _ranking(result: OccupationsResult) -> Ranking:
    found = result.ranking()
    circles = float(found.circular.max(initial=0))
    caveat = f"Ranked in each of {found.observers} {found.over}."
    if circles > 0:
        caveat += (
            f" For some words no group beats all others in up to {100 * circles:.0f} % of them: "
            "pooled over pairs, three groups can beat each other in a circle."
        )
    return {
        "order": np.argsort(-found.wins, axis=1, kind="stable").tolist(),
        "first": _rounded(found.first),
        "caveat": caveat,
    }


def _verdict(result: OccupationsResult, contrast: int, adjust: Adjust) -> list[Span]:
    if contrast != SIDE_BY_SIDE or len(result.contrasts) == 1:
        which = min(max(contrast, 0), len(result.contrasts) - 1)
        return [{"text": text, "role": role} for text, role in verdict(result, which, adjust)]
    spans: list[Span] = []
    for i in range(len(result.contrasts)):
        counts, (one, two) = result.lean_counts(i, adjust), result.of_contrast(i)
        spans += [
            {"text": f"{one} or {two}: ", "role": "plain"},
            {
                "text": f"{counts.group_1} lean{toward(one)} {one}, "
                f"{counts.group_2} lean{toward(two)} {two}, "
                f"{counts.undecided} show no clear lean. ",
                "role": "strong",
            },
        ]
        added = correction(result, i, adjust)
        spans += [{"text": f"{text.strip()} ", "role": role} for text, role in added]
    return spans


def _why(result: OccupationsResult, which: int) -> str:
    """Why a correlation is negative where one might expect a positive one."""
    two = result.of_contrast(which)[1]
    lead = (
        f"The PSE is how much {two} the blend must hold before the model answers {two}. A word "
        f"that is tied to {two} needs less of it: its PSE is low."
    )
    if result.outside is None or result.axis is None or result.axis.group != two:
        return lead
    return (
        f"{lead} So if the model follows the table, r is negative. Liang and Acuna (2020) report"
        " positive values (0.368) because their axis runs the other way."
    )


def _footer(result: OccupationsResult) -> list[str]:
    provenance = result.provenance
    content = (provenance.subject_hash or "")[:8]
    asked: TwoAFCResult = result.contrasts[0]
    words, pairs = counted(len(result.words), "word"), counted(len(asked.pairs), "pair")
    return [
        f"{provenance.subject} {content}".strip(),
        f"{words} × {pairs} × {counted(asked.n_observers, asked.observer.removesuffix('s'))}",
        f"{1000 * provenance.seconds:.1f} ms",
    ]


def _number(value: float, digits: int = DIGITS) -> float | None:
    return round(float(value), digits) if np.isfinite(value) else None


def _numbers(values: Array) -> list[float | None]:
    plain = np.round(np.asarray(values, dtype=float), DIGITS).tolist()
    if np.isfinite(values).all():
        return list(plain)
    return [v if np.isfinite(v) else None for v in plain]


def _table(values: Array) -> list[list[float | None]]:
    rounded = np.round(np.asarray(values, dtype=float), DIGITS)
    if np.isfinite(rounded).all():
        return [list(row) for row in rounded.tolist()]
    return [_numbers(row) for row in rounded]


def _plain(values: Array) -> list[float]:
    return [float(v) for v in np.round(np.asarray(values, dtype=float), DIGITS).tolist()]


def _percent(values: Array) -> list[float]:
    return _plain(100 * np.asarray(values, dtype=float))


def _rounded(values: Array) -> list[list[float]]:
    return [_plain(row) for row in values]
