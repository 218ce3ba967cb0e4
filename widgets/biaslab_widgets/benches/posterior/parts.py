"""Parts of the posterior bench's picture: quantities, plane, words, groups."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.posterior import (
    Diagnostics,
    LexiconAgreement,
    PosteriorOverview,
    PosteriorPlane,
    WordDistance,
)
from biaslab.probes.posterior.overview_result import Located
from biaslab.probes.posterior.overview_result import Outline as OutlineFound
from biaslab.records.wording import p_text, percent
from biaslab.stats.chains import RHAT
from biaslab_widgets.benches.posterior.fields import (
    Cloud,
    Correlation,
    GroupRow,
    Groups,
    Outline,
    Packed,
    Plane,
    PlaneWord,
    Quantity,
    Trace,
    Trust,
    WordRow,
    Words,
)
from biaslab_widgets.benches.posterior.run import Drawn
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import finite

STEPS = 65_534
MISSING = 65_535


def packed(
    values: NDArray[np.floating], low: float | None = None, high: float | None = None
) -> Packed:
    """An array in 65,535 steps from `low` to `high`, by default its own range.

    What lies outside is put at the nearer end; what is not finite is marked as missing.
    """
    array = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(array)
    if low is None or high is None:
        inside = array[finite]
        own = (inside.min(), inside.max()) if inside.size else (0.0, 1.0)
        low, high = own[0] if low is None else low, own[1] if high is None else high
    low, high = float(low), float(high)
    width = high - low if high > low else 1.0
    steps = np.clip(np.round((np.where(finite, array, low) - low) / width * STEPS), 0, STEPS)
    numbers = np.where(finite, steps, MISSING).astype("<u2")
    return {
        "shape": list(array.shape),
        "low": low,
        "high": low + width,
        "data": base64.b64encode(numbers.tobytes()).decode("ascii"),
    }


LINES = 4
"""Chains whose traces are drawn in full."""
BLOCKS = 60
"""Blocks of draws in a strip."""
LAGS = 20
PLANE_WORDS = 4
"""Closest and farthest words of a label that are named in the plane."""
_NEARLY_ALL = (0.002, 0.998)
DISTANCES = {
    "angular": "angular",
    "half-cosine": "half-cosine",
    "cosine": "cosine",
    "euclidean": "Euclidean",
}


def names_shown(diagnostics: Diagnostics | None, dimensions: Sequence[int], dim: int) -> list[str]:
    """The logit, |s|², and the dimensions asked for, or the one that mixes worst."""
    chosen = [d for d in dict.fromkeys(dimensions) if 0 <= d < dim]
    if not chosen:
        chosen = [diagnostics.worst_dimension if diagnostics is not None else 0]
    return ["logit", "|s|²", *(f"s_{d}" for d in chosen)]


def title(name: str, label: str, *, worst_of: int | None = None) -> str:
    """What a quantity is called on the screen."""
    if name == "logit":
        return f"logit of p({label} | s)"
    if name == "|s|²":
        return "|s|²"
    number = name.removeprefix("s_").translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return f"s{number}" + (f", worst of {worst_of}" if worst_of else "")


def trace(drawn: Drawn, name: str, shown: str) -> Trace:
    """One quantity's traces: a few chains in full, all chains in blocks."""
    warm, kept = drawn.quantity(name)
    if name.startswith("s_"):  # of thinned draws, each stands for those left out after it
        kept = np.repeat(kept, drawn.every, axis=1)[:, : drawn.n]
    lines = np.concatenate([warm[:LINES], kept[:LINES]], axis=1)
    values = kept[np.isfinite(kept)] if kept.size else lines[np.isfinite(lines)]
    low, high = (float(q) for q in np.quantile(values, _NEARLY_ALL)) if values.size else (0.0, 1.0)
    margin = 0.1 * (high - low) or 0.5
    low, high = low - margin, high + margin
    return {
        "name": name,
        "label": shown,
        "warmup": int(warm.shape[1]),
        "lines": packed(lines, low, high),
        "strips": packed(_blocks(kept), low, high),
        "low": low,
        "high": high,
    }


def _blocks(values: np.ndarray) -> np.ndarray:
    """Means of blocks of draws, shape (chains, blocks)."""
    n = values.shape[1]
    if n == 0:
        return np.empty((len(values), 0))
    edges = np.unique(np.linspace(0, n, min(BLOCKS, n) + 1).round().astype(int))
    sums = np.add.reduceat(values.astype(np.float64), edges[:-1], axis=1)
    return np.asarray(sums / np.diff(edges))


def quantity(drawn: Drawn, name: str, shown: str) -> Quantity:
    """What the chains say of one quantity."""
    diagnostics = drawn.diagnostics
    ends, path = drawn.rhat_path(name)
    if diagnostics is None or name not in diagnostics.names:
        return {
            **empty(Quantity),
            "name": name,
            "label": shown,
            "rhat_limit": RHAT,
            "rhat_path": path,
            "rhat_draws": ends,
        }
    row = diagnostics.of(name)
    lags = diagnostics.autocorrelation[diagnostics.names.index(name)][: LAGS + 1]
    draws = diagnostics.chains * diagnostics.draws
    return {
        "name": name,
        "label": shown,
        "rhat": finite(row["rhat"]),
        "rhat_limit": diagnostics.rhat_limit,
        "rhat_path": path,
        "rhat_draws": ends,
        "ess_bulk": finite(row["ess_bulk"]),
        "ess_tail": finite(row["ess_tail"]),
        "mcse": finite(row["mcse_mean"]),
        "mean": finite(row["mean"]),
        "sd": finite(row["sd"]),
        "autocorrelation": [round(float(v), 4) for v in lags if np.isfinite(v)],
        "bound": 1.96 / math.sqrt(draws) if draws else 0.0,
    }


def trust_of(overview: PosteriorOverview | None, label: str) -> Trust:
    """Whether a label's draws can be trusted."""
    if overview is None or label not in overview.posteriors:
        return {"state": "none", "text": ""}
    result = overview.posteriors[label]
    if result.trust:
        return {"state": "yes", "text": "Trust these draws"}
    return {"state": "not-yet", "text": "Do not trust yet"}


def plane_of(overview: PosteriorOverview, label: str, located: Located | None) -> Plane | None:
    """The plane, with outlines and the words that are named in it."""
    plane = overview.reading.plane
    if plane is None:
        return None
    outlines = [
        outline(name, overview.reading.outlines[name], exact=True)
        if name in overview.reading.outlines
        else outline(name, _drawn_outline(plane, name), exact=False)
        for name in plane.labels
    ]
    words = _plane_words(overview, plane, label)
    if located is not None and located.place is not None:
        words = [w for w in words if w["word"] != located.term]
        words.append(
            {
                "word": located.term,
                "x": located.place[0],
                "y": located.place[1],
                "polarity": None,
                "difference": finite(located.difference),
            }
        )
    one, two = plane.axis_names
    return {
        "axes": "pca" if plane.axes == "pca" else "difference",
        "axis_labels": (one, two),
        "shares": (float(plane.explained[0]), float(plane.explained[1])),
        "extent": extent([cloud.points for cloud in plane.clouds]),
        "outlines": outlines,
        "words": words,
        "warning": plane.warning,
    }


def _drawn_outline(plane: PosteriorPlane, label: str) -> OutlineFound:
    cloud = next(c for c in plane.clouds if c.label == label)
    return OutlineFound(cloud.mean, cloud.covariance)


def outline(label: str, drawn: OutlineFound, *, exact: bool) -> Outline:
    """One standard deviation of a label's draws."""
    (a, b), (c, d) = drawn.half_axes.tolist()
    x, y = drawn.mean.tolist()
    return {"label": label, "exact": exact, "centre": (x, y), "axes": ((a, b), (c, d))}


def extent(points: Sequence[np.ndarray]) -> tuple[float, float, float, float]:
    """Ends of both axes that hold nearly all points, in one scale."""
    every = np.concatenate(points) if points else np.zeros((1, 2))
    low, high = np.quantile(every, _NEARLY_ALL, axis=0)
    middle, half = (low + high) / 2, 0.55 * float(max((high - low).max(), 1e-9))
    (x, y) = middle.tolist()
    return (x - half, x + half, y - half, y + half)


def _plane_words(overview: PosteriorOverview, plane: PosteriorPlane, label: str) -> list[PlaneWord]:
    agreement = overview.reading.lexicon.get(label)
    if agreement is None:
        return []
    sign = 1.0 if plane.labels[0] == label else -1.0
    chosen = (
        *agreement.distances.closest(PLANE_WORDS),
        *agreement.distances.most_distant(PLANE_WORDS),
    )
    made: list[PlaneWord] = []
    for one in chosen:
        (x, y), difference = plane.word(one.term)
        made.append(
            {
                "word": one.term,
                "x": float(x),
                "y": float(y),
                "polarity": _polarity(agreement, one.term),
                "difference": finite(sign * difference),
            }
        )
    return made


def words_of(
    overview: PosteriorOverview, label: str, rows: int, located: Located | None
) -> Words | None:
    """The closest and farthest words of the lexicon, and the picked word."""
    agreement = overview.reading.lexicon.get(label)
    if agreement is None:
        return None
    distances = agreement.distances
    few = min(rows, len(distances.terms) // 2)
    return {
        "lexicon": agreement.lexicon,
        "total": len(distances.terms),
        "unknown": len(agreement.dropped),
        "closest": [_row(overview, agreement, label, one) for one in distances.closest(few)],
        "farthest": [_row(overview, agreement, label, one) for one in distances.most_distant(few)],
        "picked": None if located is None else _picked(agreement, located),
        "neutral": distances.neutral,
        "distance_label": ", ".join(filter(None, (distances.formula, distances.seen_from))),
        "interval_label": f"{percent(distances.level)} % Monte Carlo",
    }


def _row(
    overview: PosteriorOverview, agreement: LexiconAgreement, label: str, one: WordDistance
) -> WordRow:
    plane = overview.reading.plane
    difference = math.nan
    if plane is not None:
        difference = plane.word(one.term)[1] * (1.0 if plane.labels[0] == label else -1.0)
    return {
        "word": one.term,
        "distance": one.distance,
        "low": one.interval.low,
        "high": one.interval.high,
        "rank": one.rank,
        "polarity": _polarity(agreement, one.term),
        "difference": finite(difference),
    }


def _picked(agreement: LexiconAgreement, located: Located) -> WordRow:
    return {
        "word": located.term,
        "distance": located.distance,
        "low": located.interval.low,
        "high": located.interval.high,
        "rank": located.rank,
        "polarity": _polarity(agreement, located.term),
        "difference": finite(located.difference),
    }


def _polarity(agreement: LexiconAgreement, term: str) -> float | None:
    terms = agreement.distances.terms
    return float(agreement.polarity[terms.index(term)]) if term in agreement.distances else None


def groups_of(overview: PosteriorOverview, label: str) -> Groups | None:
    """Two groups compared."""
    groups = overview.reading.groups.get(label)
    if groups is None:
        return None
    rows: list[GroupRow] = [
        {
            "name": group.name,
            "mean": group.mean,
            "low": _end(group.interval.low, group.mean),
            "high": _end(group.interval.high, group.mean),
            "members": [
                {"word": word, "distance": float(value)}
                for word, value in zip(group.terms, group.distances, strict=True)
            ],
        }
        for group in groups.groups
    ]
    ends, d = groups.interval, finite(groups.effect_size)
    low, high = (signed(end, 4) for end in (ends.low, ends.high))
    text = f"Difference {signed(groups.difference, 4)} ({low} to {high})"
    text += f", d = {signed(d, 2)} standard deviations of names" if d is not None else ""
    return {
        "rows": rows,
        "difference": groups.difference,
        "low": _end(ends.low, groups.difference),
        "high": _end(ends.high, groups.difference),
        "d": d,
        "p": groups.p,
        "text": f"{text}, permutation p = {p_text(groups.p)}.",
    }


def correlations_of(overview: PosteriorOverview) -> list[Correlation]:
    """Correlation of distance with polarity, for each label."""
    return [
        {
            "label": label,
            "pearson": agreement.pearson,
            "low": _end(agreement.pearson_interval.low, agreement.pearson),
            "high": _end(agreement.pearson_interval.high, agreement.pearson),
            "n": agreement.n,
        }
        for label, agreement in overview.reading.lexicon.items()
        if np.isfinite(agreement.pearson)
    ]


def clouds_of(clouds: Sequence[tuple[str, np.ndarray]]) -> list[Cloud]:
    """Points of each label in the plane."""
    return [{"label": label, "points": packed(points)} for label, points in clouds]


def signed(value: float, decimals: int) -> str:
    """A number with a true minus sign."""
    return f"{value:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def _end(value: float, otherwise: float) -> float:
    return float(value) if np.isfinite(value) else float(otherwise)
