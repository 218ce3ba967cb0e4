"""Panel of residuals under the chart of a psychometric curve."""

from __future__ import annotations

import numpy as np

from biaslab.probes.psychometrics.fit_check import FitCheck
from biaslab.reports.chart import Axis, Band, Mark, Panel, Points, Rule
from biaslab.reports.palette import NEUTRAL


def residuals_panel(check: FitCheck, i: int, width: float) -> Panel:
    """Mean answers less the curve of item `i`, over the interval expected of a right curve."""
    asked = np.isfinite(check.residual[i])  # items of trials may differ in their stimuli
    residual, expected = 100 * check.residual[i, asked], 100 * check.expected[i, asked]
    at = 100 * check.alphas[asked]
    marks: list[Mark] = [Rule(at=0, axis="y")]
    sizes = np.abs(residual)
    if np.isfinite(expected).all():
        marks.append(Band(x=at, low=-expected, high=expected, colour=NEUTRAL, alpha=0.25))
        sizes = np.maximum(sizes, expected)
    reach = 1.1 * max(1.0, float(sizes.max()))
    marks.append(Points(x=at, y=residual, size=2.5))
    return Panel(
        x=Axis(low=0, high=100),
        y=Axis(low=-reach, high=reach, label="residual, points"),
        marks=tuple(marks),
        width=width,
        height=90,
        title=f"Mean answers less the curve; band: {100 * check.level:.0f} % of a right curve's",
    )
