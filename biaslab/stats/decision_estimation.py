"""The search of decisions' estimates, from scratch or from a fit of similar answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from biaslab.stats.decision_answers import DecisionAnswers
from biaslab.stats.decision_curves import FittedDecisions
from biaslab.stats.decision_model import DecisionModel
from biaslab.stats.decision_search import DecisionSearch
from biaslab.stats.sigmoids import Floats

_PASSES: Final = 6
_SAME: Final = 0.02
"""Relative change of the dispersion at which it is settled."""
_LEAST_DISPERSION: Final = 1e-4


def estimated(
    answers: DecisionAnswers,
    model_of: Callable[[float], DecisionModel],
    before: FittedDecisions | None,
    dispersion: float,
) -> tuple[FittedDecisions, float]:
    """Search the maximum; for probabilities, in turns with their dispersion.

    Parameters
    ----------
    answers : DecisionAnswers
        Pooled.
    model_of : callable
        Returns their model, given the weight of an answer.
    before : FittedDecisions or None
        Of similar answers: the search begins there.
    dispersion : float
        With which the search begins; 1 for answers that are no probabilities.

    Returns
    -------
    FittedDecisions, float
        With the dispersion that it was fitted with.
    """
    dispersion = dispersion if answers.probabilities else 1.0
    for _ in range(_PASSES if answers.probabilities else 1):
        model = model_of(1 / dispersion)
        search = DecisionSearch(model)
        point, converged = search.best(*_begin(search, before))
        fitted = FittedDecisions(model, search, point, search.marginal(point), converged)
        if not answers.probabilities:
            return fitted, 1.0
        before, last = fitted, dispersion
        dispersion = _dispersion(fitted)
        if abs(dispersion / last - 1) < _SAME:
            break
    return fitted, last


def _begin(
    search: DecisionSearch, before: FittedDecisions | None
) -> tuple[Floats | None, Floats | None]:
    """Return where a search begins after a fit of similar answers."""
    if before is None:
        return None, None
    names, known = search.model.names, before.model.names
    free, hessian = search.start(), None
    shared = [(i, known.index(name)) for i, name in enumerate(names) if name in known]
    for i, j in shared:
        free[i] = before.point.free[j]
    if "spread" in before.__dict__ and shared:
        one, two = np.array(shared).T
        hessian = np.eye(len(names))
        hessian[np.ix_(one, one)] = before.spread.hessian[np.ix_(two, two)]
    return free, hessian


def _dispersion(fitted: FittedDecisions) -> float:
    """Return Pearson's chi-square over its degrees of freedom."""
    model, curve, point = fitted.model, fitted.model.curve, fitted.point
    answers = model.answers
    z, _ = curve.predictor(point.mode.x, fitted.settings)
    p = model.likelihood.probabilities(z, fitted.settings)
    counts = model.likelihood.counts
    expected = counts.sum(axis=0) * p
    square = float(np.sum((counts - expected) ** 2 / np.maximum(expected, 1e-12)))
    used = curve.size - float(np.diag(point.covariance) @ curve.ridge)
    df = (len(counts) - 1) * len(answers) - used - len(model.names) + len(model.sd_names)
    return max(square / max(df, 1.0), _LEAST_DISPERSION)
