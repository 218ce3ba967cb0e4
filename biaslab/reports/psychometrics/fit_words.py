"""Plain words for how well a curve describes the answers."""

from __future__ import annotations

import numpy as np

from biaslab.probes.psychometrics.fit_check import MISFIT, FitCheck
from biaslab.wording import percent


def fit_caveat(check: FitCheck | None, i: int) -> str:
    """What to know where a curve misses the answers; empty where it does not."""
    if check is None:
        return ""
    misfit, p = float(check.misfit[i]), float(check.p_value[i])
    if not check.describes[i]:
        return (
            f"This curve does not describe these answers: it is {percent(misfit)} points off on"
            " average. Do not read its JND."
        )
    if misfit > MISFIT and np.isnan(p):
        return (
            f"The curve is {percent(misfit)} points off these answers on average, and there are too"
            " few observers to tell whether another sample would explain that."
        )
    return ""


def fit_verdict(check: FitCheck, i: int) -> str:
    """One line on the fit: how far the curve is off, and how often a right one would be."""
    misfit, p = float(check.misfit[i]), float(check.p_value[i])
    if np.isnan(misfit):
        return "No curve"
    off = f"{percent(misfit, 1)} points off on average"
    if np.isnan(p):
        return off
    by_chance = "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"
    says = "describes" if check.describes[i] else "does not describe"
    return f"The curve {says} these answers: {off}, {by_chance}"
