"""How well the curves of a hierarchical model describe trials."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.probes.psychometrics.fit_check import FitCheck
from biaslab.stats.mixed.hierarchical import HierarchicalFit
from biaslab.stats.quantiles import t_quantile

Floats = NDArray[np.float64]


def check_trials(
    fits: NDArray[np.object_], n_observers: int, alphas: Floats, level: float
) -> FitCheck:
    """Compare the answers to each stimulus with the curves of observers.

    Parameters
    ----------
    fits : ndarray of object
        A `HierarchicalFit` per curve, or None where there is none.
    n_observers : int
        B.
    alphas : ndarray, shape (L,)
        All stimuli; a curve is NaN at those without answers of its own.
    level : float
        Of the intervals, in (0, 1).

    Returns
    -------
    FitCheck
        Arrays of shape fits.shape and fits.shape + (L,). The curve is the mean of the observers'
        own; the misfit leaves out what the scatter of trials adds, and weighs stimuli by their
        trials. The predictive band is of t with B - 1 degrees of freedom, normal for one observer.
    """
    shape, levels = fits.shape, len(alphas)
    mean, residual, expected, predicted = np.full((4, *shape, levels), np.nan)
    misfit, p_value = np.full((2, *shape), np.nan)
    normal = float(special.ndtri((1 + level) / 2))
    of_new = float(t_quantile(n_observers - 1.0, (1 + level) / 2)) if n_observers > 1 else normal
    for where in np.ndindex(shape):
        fit = cast("HierarchicalFit | None", fits[where])
        if fit is None:
            continue
        found = fit.residuals()
        at = (*where, np.searchsorted(alphas, found.levels))
        mean[at], residual[at] = found.mean, found.residual
        expected[at] = normal * np.sqrt(np.maximum(np.diag(found.covariance), 0.0))
        predicted[at] = of_new * np.sqrt(found.predicted)
        misfit[where], p_value[where] = found.misfit, found.p_value
    return FitCheck(alphas, mean, residual, expected, predicted, misfit, p_value, level)
