"""Goodness of fit: the deviance, compared with simulations of the fitted curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.bootstrap import refits
from biaslab.stats.intervals import pearson
from biaslab.stats.levels import check_level
from biaslab.stats.psychometric import PsychometricFit, Seed, deviance, deviance_residuals
from biaslab.stats.sigmoids import Floats

_DOUBT: Final = 0.05
# Expected count (of either answer) below which the chi-square reference is no guide.
_FEW: Final = 1.0
_STRONG_DISPERSION: Final = 1.5


@dataclass(frozen=True)
class Goodness:
    """Goodness of fit of curves; arrays of the batch's shape.

    Attributes
    ----------
    deviance, df
        Deviance and its degrees of freedom.
    p_chi2
        Chance of as large a deviance under the asymptotic chi-square distribution; NaN without
        degrees of freedom or convergence.
    p_monte_carlo
        The same among responses simulated from the fitted curve and refitted, exact up to
        1 / (simulations + 1) as far as the estimates are right; NaN likewise, or if no
        simulations were requested or trials are fractional.
    dispersion
        Pearson's chi-square / df: 1 is expected of binomial responses.
    residuals
        Deviance residuals, shape (..., L): signed roots of what each level adds to the deviance,
        positive where more was answered than the curve expects. NaN without a curve.
    residual_limits
        Their reference interval at each level, shape (..., L, 2): quantiles of the residuals of
        responses simulated from the fitted curve and refitted. Of sparse responses they take few
        values, and no normal table holds. NaN likewise, or without simulations.
    sentence
        The deviance and its references in plain words.
    """

    deviance: Floats
    df: NDArray[np.int64]
    p_chi2: Floats
    p_monte_carlo: Floats
    dispersion: Floats
    residuals: Floats
    residual_limits: Floats
    sentence: NDArray[np.str_]


def goodness_of_fit(
    fit: PsychometricFit, *, simulations: int = 999, seed: Seed = None, level: float = 0.95
) -> Goodness:
    """Compare the deviance of each curve with its reference distributions.

    Parameters
    ----------
    fit
        Fitted curves.
    simulations
        Refits per curve for the Monte Carlo reference; 0 for none.
    seed
        Of the simulations.
    level
        Of the interval of each residual, in (0, 1).
    """
    check_level(level)
    curves = fit.flat()
    testable = curves.converged & (curves.df > 0)
    df = np.maximum(curves.df, 1)
    p_chi2 = np.where(testable, special.chdtrc(df, curves.deviance), np.nan)
    dispersion = np.where(testable, pearson(curves) / df, np.nan)

    p_monte_carlo = np.full(len(df), np.nan)
    residuals = deviance_residuals(curves.correct, curves.trials, curves.predict())
    residuals[~curves.converged] = np.nan
    limits = np.full((*residuals.shape, 2), np.nan)
    tails = [(1 - level) / 2, (1 + level) / 2]
    whole = (curves.trials % 1 == 0).all(axis=-1)
    if simulations > 0:
        for rows, correct, refit in refits(
            curves, np.flatnonzero(testable & whole), simulations, seed
        ):
            trials = np.broadcast_to(curves.trials[rows], correct.shape)
            expected = refit.expected.reshape(correct.shape)
            simulated = deviance(correct, trials, expected)
            as_large = simulated >= curves.deviance[rows] * (1 - 1e-9)
            p_monte_carlo[rows] = (1 + as_large.sum(axis=0)) / (simulations + 1)
            drawn = deviance_residuals(correct, trials, expected)
            limits[rows] = np.moveaxis(np.quantile(drawn, tails, axis=0), 0, -1)

    sparse = _is_sparse(curves)
    sentences = [
        _sentence(
            reason=str(curves.reason[c]),
            deviance=float(curves.deviance[c]),
            df=int(curves.df[c]),
            p_chi2=float(p_chi2[c]),
            p_monte_carlo=float(p_monte_carlo[c]),
            dispersion=float(dispersion[c]),
            sparse=bool(sparse[c]),
        )
        for c in range(len(df))
    ]
    return Goodness(
        deviance=fit.deviance,
        df=fit.df,
        p_chi2=p_chi2.reshape(fit.shape),
        p_monte_carlo=p_monte_carlo.reshape(fit.shape),
        dispersion=dispersion.reshape(fit.shape),
        residuals=residuals.reshape(*fit.shape, residuals.shape[-1]),
        residual_limits=limits.reshape(*fit.shape, *limits.shape[1:]),
        sentence=np.array(sentences, dtype=np.str_).reshape(fit.shape),
    )


def _is_sparse(fit: PsychometricFit) -> NDArray[np.bool_]:
    """Return whether at least half of the levels have an expected count below one."""
    expected = fit.predict()
    scarcer = fit.trials * np.minimum(expected, 1 - expected)
    used = fit.trials > 0
    few = ((scarcer < _FEW) & used).sum(axis=-1)
    return np.asarray(2 * few >= np.maximum(used.sum(axis=-1), 1))


def _sentence(
    *,
    reason: str,
    deviance: float,
    df: int,
    p_chi2: float,
    p_monte_carlo: float,
    dispersion: float,
    sparse: bool,
) -> str:
    if reason:
        return f"No goodness of fit: {reason}."
    if df == 0:
        return "No goodness of fit: the curve has as many parameters as there are levels."
    simulated = not np.isnan(p_monte_carlo)
    p = p_monte_carlo if simulated else p_chi2
    references = [f"p = {p_monte_carlo:.3f} among simulated responses"] if simulated else []
    unreliable = " (unreliable: few responses per level)" if sparse else ""
    references.append(f"p = {p_chi2:.3f} by chi-square{unreliable}")
    verdict = (
        "The curve does not describe the responses well"
        if p < _DOUBT
        else "The curve agrees with the responses"
    )
    text = f"{verdict}: deviance {deviance:.2f} on {df} df, {', '.join(references)}."
    scatter = f" They scatter {dispersion:.2f} times as much as binomial responses would"
    if dispersion > _STRONG_DISPERSION:
        return text + scatter + ': widen the intervals with overdispersion="quasi".'
    return text + scatter + "."
