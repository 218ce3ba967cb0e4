"""Mean answers at each level against the fitted curves of decisions."""

from __future__ import annotations

import numpy as np

from biaslab.stats.decision_curves import FittedDecisions
from biaslab.stats.decision_surroundings import rate_derivatives
from biaslab.stats.level_residuals import LevelResiduals, residuals_by_level
from biaslab.stats.sigmoids import Floats


def curve_residuals(fitted: FittedDecisions, dispersion: float) -> LevelResiduals:
    """Compare the mean answers of each group at each level with its curve.

    Parameters
    ----------
    fitted : FittedDecisions
    dispersion : float
        Variance of the answers over the binomial one.
    """
    model, settings = fitted.model, fitted.settings
    curve, answers = model.curve, model.answers
    some = answers.n > 0
    z, _ = curve.predictor(fitted.x, settings)
    cats = model.likelihood.categories(z, settings)
    yes, no = cats.p[0][some], cats.p[1][some]
    p = yes / (yes + no)

    def of_answered(by: Floats) -> Floats:
        """Derivative of P(yes) of those who answer."""
        return np.asarray((by[0][some] * no - by[1][some] * yes) / (yes + no) ** 2)

    by_z = of_answered(cats.slope)
    columns = [(curve.columns(settings) * curve.scale(settings))[some] * by_z[:, None]]
    for m, parameter in enumerate(model.parameters):
        if parameter.kind == "sd" or fitted.spread.of_free[m, m] <= 0:
            continue
        if parameter.kind == "sensitivity":
            own = model.contrasts[:, parameter.group][answers.group]
            columns.append((own * z)[some, None] * by_z[:, None])
            continue
        value = float(np.exp(fitted.point.free[m]))
        columns.append(of_answered(rate_derivatives(model, parameter, cats, value))[:, None])
    by, n = np.hstack(columns), answers.n[some]
    return residuals_by_level(
        (answers.levels + 2 * answers.group * np.ptp(answers.levels))[some],
        answers.yes[some], n, p, by, dispersion * p * (1 - p),
        np.r_[curve.ridge, np.zeros(by.shape[1] - curve.size)],
        slice(curve.n_fixed, curve.size),
    )  # fmt: skip
