"""Intervals and tests from estimates with one unit left out, over several kinds of unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.crossed.effects import Part
from biaslab.stats.quantiles import t_quantile

Floats = NDArray[np.float64]
_ALIKE = 1e-18
"""Squares of answers below this are rounding."""


def units_less_one(count: int) -> float:
    """Degrees of freedom of a variance over so many units."""
    return count - 1.0


def variances(
    left_out: Sequence[Floats], degrees: Callable[[int], float] = units_less_one
) -> list[Part]:
    """Return the jackknife variance of an estimate for each kind of unit, with its df.

    Parameters
    ----------
    left_out : sequence of ndarray, shape (units, ...)
        Estimates without each unit, per kind of unit.
    degrees : callable
        Degrees of freedom of a variance over so many units.
    """
    parts: list[Part] = []
    for values in left_out:
        count = len(values)
        squares = np.sum((values - values.mean(axis=0)) ** 2, axis=0)
        parts.append((squares * (count - 1) / count, degrees(count)))
    return parts


def jackknife_half_width(
    left_out: Sequence[Floats],
    level: float,
    shape: tuple[int, ...],
    degrees: Callable[[int], float] = units_less_one,
) -> Floats:
    """Return half the width of the t interval of an estimate; NaN without any units.

    Parameters
    ----------
    left_out, degrees
        As of `variances`.
    level : float
        In (0, 1).
    shape : tuple of int
        Of the estimate.
    """
    return t_half_width(variances(left_out, degrees), level, shape)


def t_half_width(parts: Sequence[Part], level: float, shape: tuple[int, ...]) -> Floats:
    """Return half the width of a t interval over summed variances; NaN without any.

    Degrees of freedom are Satterthwaite's.
    """
    if not parts:
        return np.full(shape, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = np.sum([v for v, _ in parts], axis=0)
        df = total**2 / np.sum([v**2 / d for v, d in parts], axis=0)
        quantile = t_quantile(np.where(np.isfinite(df), df, 1.0), (1 + level) / 2)
        return np.asarray(quantile * np.sqrt(total))


def misfit_p(residual: Floats, left_out: Sequence[Floats]) -> Floats:
    r"""p-value of residuals as large, if the expected ones are 0.

    The sum of squares is a quadratic form :math:`\sum_l \lambda_l \chi^2_1` in normal residuals
    whose covariance V the jackknife estimates; with one degree of freedom for each
    :math:`(tr V)^2 / tr V^2`, and those of V itself, it is an F statistic.

    Parameters
    ----------
    residual : ndarray, shape (..., L)
        Observed less expected.
    left_out : sequence of ndarray, shape (units, ..., L)
        The same without each unit, per kind of unit.

    Returns
    -------
    ndarray, shape (...)
        NaN without any units. Among units that answer alike it is 0, or 1 without a residual.
    """
    if not left_out:
        return np.full(residual.shape[:-1], np.nan)
    nu = float(min(len(each) for each in left_out) - 1)
    total: Floats = np.zeros((*residual.shape, residual.shape[-1]))
    for each in left_out:
        away, count = each - each.mean(axis=0), len(each)
        total = total + (count - 1) / count * np.einsum("b...l,b...m->...lm", away, away)
    trace = np.einsum("...ll->...", total)
    square = np.einsum("...lm,...lm->...", total, total)
    if nu > 1:  # of an estimated covariance it is too large
        unbiased = nu**2 / ((nu - 1) * (nu + 2)) * (square - trace**2 / nu)
        square = np.maximum(unbiased, trace**2 / residual.shape[-1])
    squares = np.sum(residual**2, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = special.fdtrc(trace**2 / square, nu, squares / trace)
    alike = np.where(squares > _ALIKE, 0.0, 1.0)
    return np.where(trace > _ALIKE, p, np.where(np.isnan(trace), np.nan, alike))
