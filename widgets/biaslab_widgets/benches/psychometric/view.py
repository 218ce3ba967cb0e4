"""From a two-alternative forced choice result to the numbers that the psychometric bench draws."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.reports.psychometrics.words import jnd_label, spans
from biaslab_widgets.benches.psychometric.fields import Jnd, Picture, Rows
from biaslab_widgets.core.curve_fit import fit_of, lean_of

CURVE_POINTS = 161
FAR = 1e9
"""Stands for an infinite switch point, which JSON cannot hold."""


def picture_of(result: TwoAFCResult, word: str, *, fit_axis: bool) -> Picture:
    """Everything drawn for one word.

    - `result`: a result over the chosen pairs.
    - `word`: which of its items.
    - `fit_axis`: whether the axis covers the switch points only.
    """
    i = result.index(word)
    estimates = result.pooled
    balance = np.clip(result.raw.placed(i), -FAR, FAR)
    corpus = _interval(np.clip(estimates.corpus[i], -FAR, FAR))
    pse = float(np.clip(estimates.pse[i], -FAR, FAR))
    at: Literal["at", "beyond", "none"] = "beyond" if abs(pse) == FAR else "at"
    if np.isnan(pse):
        at, pse = "none", 0.5
    axis = _axis(balance, pse) if fit_axis else (0.0, 1.0)
    alphas = np.linspace(*axis, CURVE_POINTS)
    share, low, high = result.psi(word, alphas)
    asked = np.clip(result.responses(item=word), 0, 1).mean(axis=(0, 1))
    cue_1, cue_2 = result.pairs[0]
    return {
        "word": word,
        "cue_1": cue_1,
        "cue_2": cue_2,
        "pairs": [(first, second) for first, second in result.pairs],
        "verdict": [{"text": text, "role": role} for text, role in spans(result, word)],
        "caveat": result.caveat(word),
        "lean": lean_of(result, i),
        "rows": _rows(result, i, balance),
        "row_noise": _row_noise(result, i),
        "curve": {
            "alpha": _numbers(alphas),
            "share": _numbers(share),
            "low": _numbers(low),
            "high": _numbers(high),
            "family": result.family(word),
        },
        "levels": {"alpha": _numbers(result.stimuli), "share": _numbers(asked)},
        "fit": fit_of(result, i),
        "pse": pse,
        "pse_at": at,
        "corpus": corpus,
        "monte_carlo": _interval(estimates.monte_carlo[i]),
        "interval_level": result.level,
        "interval_over": result.corpus_kind,
        "jnd": _jnd(result, i),
        "axis": axis,
        "outside": result.outside(word),
        "unit": result.observer,
        "available": result.n_observers,
        "names": list(result.observer_names),
        "footer": _footer(result),
    }


def _rows(result: TwoAFCResult, i: int, balance: NDArray[np.float64]) -> Rows:
    b, k = balance.shape
    replicate, pair = np.divmod(np.arange(b * k), k)
    more = result.raw.of_item(i)
    return {
        "replicate": (replicate + 1).tolist(),
        "pair": pair.tolist(),
        "switch": _numbers(balance.ravel(), 6),
        "sim_1": _numbers(more.get("cos_item_cue_1", ())),
        "sim_2": _numbers(more.get("cos_item_cue_2", ())),
        "sim_cues": _numbers(more.get("cos_cues", ())),
        "answers": [_numbers(row) for row in more.get("answers", ())],
    }


def _row_noise(result: TwoAFCResult, i: int) -> float:
    noise = result.noise
    return float(noise) if np.ndim(noise) == 0 else float(np.mean(np.asarray(noise)[i]))


def _jnd(result: TwoAFCResult, i: int) -> Jnd | None:
    value = float(result.pooled.jnd[i])
    if not np.isfinite(value):
        return None
    # JSON holds no infinity: a curve that stays on one side of 50 % has a width, and no PSE.
    pse = float(
        np.clip(np.nan_to_num(result.pooled.pse[i], nan=0.5, posinf=FAR, neginf=-FAR), -FAR, FAR)
    )
    centred = result.fit.jnd == "eq6"
    start = pse - value / 2 if centred else pse
    return {
        "value": value,
        "interval": _interval(result.pooled.jnd_interval[i]),
        "start": start,
        "end": start + value,
        "label": jnd_label(result, i),
    }


def _axis(balance: NDArray[np.float64], pse: float) -> tuple[float, float]:
    """An axis that holds nearly all switch points and the neutral 0.5, in steps of 5 points."""
    near = balance[np.abs(balance) < 10]
    pse = pse if abs(pse) < 10 else 0.5
    low = min(0.5, pse, float(near.min(initial=0.5)))
    high = max(0.5, pse, float(near.max(initial=0.5)))
    margin = 0.12 * (high - low) + 0.01
    return float(np.floor((low - margin) * 20) / 20), float(np.ceil((high + margin) * 20) / 20)


def _interval(ends: NDArray[np.float64]) -> tuple[float, float] | None:
    return (float(ends[0]), float(ends[1])) if np.isfinite(ends).all() else None


def _footer(result: TwoAFCResult) -> list[str]:
    provenance = result.provenance
    content = (provenance.subject_hash or "")[:8]
    return [
        f"{provenance.subject} {content}".strip(),
        f"{result.n_observers} × {len(result.pairs)} switch points",
        f"{1000 * provenance.seconds:.1f} ms",
    ]


def _numbers(values: Any, digits: int = 5) -> list[float]:
    rounded: list[float] = np.round(np.asarray(values, dtype=float), digits).ravel().tolist()
    return rounded
