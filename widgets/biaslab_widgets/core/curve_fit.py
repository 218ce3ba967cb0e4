"""What benches draw of a curve: how well it describes the answers, and which way it leans."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.reports.psychometrics.graded_words import fit_verdict
from biaslab_widgets.core.state.records import Fit


def fit_of(result: TwoAFCResult, i: int) -> Fit | None:
    """Residuals of item `i` and what is expected of them; None without a curve to compare."""
    check = result.fit_check
    if check is None or np.isnan(check.residual[i]).any():
        return None
    known = bool(np.isfinite(check.expected[i]).all() and np.isfinite(check.predicted[i]).all())
    return {
        "residual": _numbers(check.residual[i]),
        "expected": _numbers(check.expected[i]) if known else [],
        "predicted": _numbers(check.predicted[i]) if known else [],
        "describes": bool(check.describes[i]),
        "verdict": fit_verdict(check, i),
    }


def _numbers(values: NDArray[np.float64]) -> list[float]:
    rounded: list[float] = np.round(values, 5).tolist()
    return rounded


LEANS: Final[dict[int, Literal["cue_1", "cue_2", "none"]]] = {1: "cue_1", -1: "cue_2", 0: "none"}


def lean_of(result: TwoAFCResult, i: int) -> Literal["cue_1", "cue_2", "none", "unknown"]:
    """Which way item `i` leans."""
    estimates = result.pooled
    return LEANS[int(estimates.lean[i])] if estimates.lean_is_known[i] else "unknown"
