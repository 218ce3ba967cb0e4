r"""Where the curves of a binomial mixed model miss the answers, level by level.

The residual of a level is its mean answer less the mean of the probabilities that the observers'
own curves give. With V the (beta-)binomial covariance of the counts, J their derivative by the D
coefficients, effects and asymptotes, and A the precision of these,

.. math:: \mathrm{Cov}(e) = V - J A^{-1} J^T,

to first order: what fitting takes from the scatter of counts around their probabilities. A curve
that is wrong in the same way for all observers stands out; one observer does not
show whether its curve is wrong or its answers vary more than binomially: the dispersion fits both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.laplace import MixedCurve, Mode
from biaslab.stats.row_likelihood import CurveCounts, Settings
from biaslab.stats.sigmoids import Floats

_TINY = 1e-300


@dataclass(frozen=True)
class LevelResiduals:
    """Mean answers to L levels against their curve.

    Attributes
    ----------
    levels : ndarray, shape (L,)
        Ascending.
    mean, residual : ndarray, shape (L,)
        Mean answer (share of cue 2), and the same less the curve.
    weight : ndarray, shape (L,)
        Share of the trials.
    covariance : ndarray, shape (L, L)
        Of the residuals, if the curve is right.
    predicted : ndarray, shape (L,)
        Variance of the mean answer of as many new observers in as many trials around the curve.
    """

    levels: Floats
    mean: Floats
    residual: Floats
    weight: Floats
    covariance: Floats
    predicted: Floats

    @property
    def misfit(self) -> float:
        """Root mean square of the residuals over trials, less what the scatter of counts adds."""
        square = np.sum(self.weight * (self.residual**2 - np.diag(self.covariance)))
        return math.sqrt(max(float(square), 0.0))

    @property
    def p_value(self) -> float:
        """Chance of residuals as large if the curve is right.

        The weighted sum of squares is a quadratic form in normal residuals, by a chi-square with
        its mean and variance (Satterthwaite 1946).
        """
        root = np.sqrt(self.weight)
        form = root[:, None] * self.covariance * root
        trace, square = float(np.trace(form)), float(np.sum(form**2))
        if trace <= 0:
            return np.nan
        total = float(self.weight @ self.residual**2)
        return float(special.chdtrc(trace**2 / square, total * trace / square))


def level_residuals(
    model: MixedCurve[Settings],
    likelihood: CurveCounts,
    mode: Mode,
    settings: Settings,
    levels: Floats,
    *,
    one_rate: bool = False,
) -> LevelResiduals:
    """Compare the answers to each level with a fitted model.

    Parameters
    ----------
    model : MixedCurve
    likelihood : CurveCounts
        Its own.
    mode : Mode
        Of its coefficients and effects.
    settings : Settings
    levels : ndarray, shape (R,)
        Level of each row of the model.
    one_rate : bool
        Whether guess and lapse rate were fitted as one.
    """
    counts = likelihood.counts
    trials = (counts.hits + counts.misses).astype(np.float64)
    z, by_x = model.z_by_x(mode.x, settings)
    p, slope = likelihood.share(z, settings)
    core = likelihood.sigmoid.cdf(z)
    by_rates = np.column_stack([1 - core, -core])[:, [settings.guess > 0, settings.lapse > 0]]
    if one_rate:
        by_rates = by_rates.sum(axis=1, keepdims=True)
    by = np.column_stack([by_x * slope[:, None], by_rates])
    each = p * (1 - p) * (1 + (trials - 1) * settings.dispersion)
    ridge = np.r_[model.ridge, np.zeros(by_rates.shape[1])]
    effects = slice(model.n_fixed, model.size)
    return residuals_by_level(levels, counts.hits, trials, p, by, each, ridge, effects)


def residuals_by_level(
    levels: Floats,
    hits: NDArray[Any],
    trials: Floats,
    p: Floats,
    by: Floats,
    each: Floats,
    ridge: Floats,
    effects: slice,
) -> LevelResiduals:
    """Compare counts with fitted probabilities, level by level.

    Parameters
    ----------
    levels, hits, trials, p : ndarray, shape (R,)
        Level, counts and fitted probability of a hit of each row.
    by : ndarray, shape (R, K)
        Derivatives of p by what was fitted.
    each : ndarray, shape (R,)
        Variance of a single answer: that of a row's count is `trials` times as large.
    ridge : ndarray, shape (K,)
        Precision of what was fitted before the answers.
    effects : slice
        Those of the K that are random effects.
    """
    scatter_of = each * trials
    weighted = by * (trials**2 / np.maximum(scatter_of, _TINY))[:, None]
    precision = np.diag(ridge) + by.T @ np.where(scatter_of[:, None] > 0, weighted, 0.0)
    covariance = np.linalg.pinv(precision, hermitian=True)

    unique, place = np.unique(levels, return_inverse=True)
    share = (place == np.arange(len(unique))[:, None]) * trials
    total = share.sum(axis=1)
    share /= total[:, None]
    of_level = share @ by
    scatter = (share / trials) ** 2 @ scatter_of
    kept = np.delete(np.arange(len(covariance)), effects)
    of_effects, of_curve = of_level[:, effects], of_level[:, kept]
    uncertain = np.einsum("li,ij,lj->l", of_curve, covariance[np.ix_(kept, kept)], of_curve)
    return LevelResiduals(
        unique,
        share @ (hits / trials),
        share @ (hits / trials - p),
        total / total.sum(),
        np.diag(scatter) - of_level @ covariance @ of_level.T,
        scatter + np.sum(of_effects**2, axis=1) + uncertain,
    )
