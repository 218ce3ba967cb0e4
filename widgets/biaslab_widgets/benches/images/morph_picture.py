"""From the result of a two-alternative task over morphs to what the explorer draws."""

from __future__ import annotations

from typing import Literal

import numpy as np

from biaslab.images.morphs import Morphs, stimulus
from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.reports.psychometrics.words import jnd_label, spans
from biaslab_widgets.benches.images.fields import MorphPicture
from biaslab_widgets.benches.images.thumbnails import SIDE, data_address
from biaslab_widgets.core.curve_fit import fit_of, lean_of

CURVE_POINTS = 101
STRIP = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_FAR = 1e9
"""Stands for an infinite PSE, which JSON cannot hold."""


def morph_picture(
    result: TwoAFCResult, item: str, model: str, observer: int, strip: tuple[list[float], list[str]]
) -> MorphPicture:
    """Everything drawn of an item.

    - `result`: of portraits.
    - `item`: one of its items.
    - `model`: name on the screen.
    - `observer`: whose portraits the strip shows.
    - `strip`: see `strip_of`.
    """
    i = result.index(item)
    estimates = result.pooled
    alphas = np.linspace(0, 1, CURVE_POINTS)
    mean, low, high = (np.asarray(values, dtype=float) for values in result.psi(item, alphas))
    answers = result.answers[result.raw.answered[:, i], i, 0]
    pse = float(np.clip(estimates.pse[i], -_FAR, _FAR))
    at: Literal["at", "beyond", "none"] = "at" if 0 <= pse <= 1 else "beyond"
    if np.isnan(pse):
        at, pse = "none", 0.5
    jnd = float(estimates.jnd[i])
    has_band = bool(np.isfinite(low).all() and np.isfinite(high).all())
    return {
        "item": item,
        "model": model,
        "observer": observer,
        "curve": {
            "alphas": _numbers(alphas),
            "mean": _numbers(mean),
            "band": list(zip(_numbers(low), _numbers(high), strict=True)) if has_band else [],
            "stimuli": _numbers(result.stimuli),
            "observers": [_numbers(row) for row in answers],
        },
        "fit": fit_of(result, i),
        "pse": round(pse, 6),
        "pse_at": at,
        "interval": _interval(estimates.corpus[i]),
        "interval_over": result.corpus_kind,
        "level": result.level,
        "jnd": round(jnd, 6) if np.isfinite(jnd) else None,
        "jnd_label": jnd_label(result, i),
        "lean": lean_of(result, i),
        "verdict": [{"text": text, "role": role} for text, role in spans(result, item)],
        "caveat": result.caveat(item),
        "strip_at": strip[0],
        "strip": strip[1],
    }


def strip_of(morphs: Morphs, item: str, observer: int) -> tuple[list[float], list[str]]:
    """Small pictures along the way: their shares, and their data addresses."""
    portraits: dict[float, str] = {}
    for alpha in STRIP:
        one = stimulus(morphs, item, observer, alpha)
        if one.alpha not in portraits:
            portraits[float(one.alpha)] = data_address(one.picture(), SIDE)
    return list(portraits), list(portraits.values())


def _interval(
    ends: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> tuple[float | None, float | None] | None:
    """The ends, None for one that is infinitely far; None where nothing is known."""
    if np.isnan(ends).any():
        return None
    low, high = (round(float(end), 6) if np.isfinite(end) else None for end in ends)
    return low, high


def _numbers(values: object, digits: int = 5) -> list[float]:
    return [round(float(v), digits) for v in np.asarray(values, dtype=float).ravel()]
