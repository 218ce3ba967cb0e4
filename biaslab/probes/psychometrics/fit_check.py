"""How well a curve describes the answers: residuals, what is expected of them, and a verdict.

A residual is the mean answer to a stimulus less the curve. Observers answer all stimuli, so their
residuals are correlated, and neither a binomial deviance nor a chi-squared table applies. What a
right curve would miss by is therefore found by leaving observers (and sampled cue pairs) out, one
after the other, and fitting again: the jackknife's covariance of the residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.probes.psychometrics.curves import PairsAs, mean_parts, pooled_curves
from biaslab.stats.crossed.effects import Crossing, Part
from biaslab.stats.curves.replicates import Family
from biaslab.stats.quantiles import t_quantile

if TYPE_CHECKING:
    import pandas as pd


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


MISFIT = 0.02
"""A curve that misses mean answers by less than this is good enough to be read."""


@dataclass(frozen=True)
class FitCheck:
    """Mean answers against their curve, at L stimuli; arrays of the shape of the curves, (...).

    Attributes
    ----------
    alphas : ndarray, shape (L,)
        The stimuli.
    mean : ndarray, shape (..., L)
        Mean answers.
    residual : ndarray, shape (..., L)
        Mean answer less the curve; NaN without a curve.
    expected : ndarray, shape (..., L)
        Half the width of the reference interval around 0: at one stimulus, the residual of a right
        curve lies within it with probability `level` (t interval, jackknife variance of the
        residual). NaN with one observer.
    predicted : ndarray, shape (..., L)
        Half the width of the predictive band around the curve: the mean answer to one stimulus of
        as many new observers (and new cue pairs, where these are a sample) lies within it with
        probability `level`, if the curve is right. A frequentist prediction interval: of t, with
        the variance of a mean answer plus the jackknife variance of the curve. NaN with one
        observer.
    misfit : ndarray
        Root mean square of the residuals over the stimuli.
    p_value : ndarray
        Chance of as large a misfit among other observers (and pairs) if the curve is right. NaN
        with one observer.
    level : float
        Level of the intervals.
    """

    alphas: Floats
    mean: Floats
    residual: Floats
    expected: Floats
    predicted: Floats
    misfit: Floats
    p_value: Floats
    level: float

    @property
    def curve(self) -> Floats:
        """The curve at the stimuli, shape (..., L)."""
        return self.mean - self.residual

    @property
    def describes(self) -> NDArray[np.bool_]:
        """Whether the curve describes the answers.

        It does not where it misses them by more than `MISFIT` and by more than other observers
        would explain. Either alone says little: models answer so smoothly that any difference of
        shape is significant.
        """
        return ~((self.misfit > MISFIT) & (self.p_value < 1 - self.level))

    def one(self, where: Any) -> FitCheck:
        """Some of the curves, by their index."""
        return self._with(lambda name: getattr(self, name)[where])

    def without(self, which: NDArray[np.bool_]) -> FitCheck:
        """The same with no check, NaN, of some of the curves."""

        def values(name: str) -> Floats:
            of = getattr(self, name)
            return np.where(which.reshape(-1, *(1,) * (of.ndim - 1)), np.nan, of)

        return replace(self._with(values), mean=self.mean)

    def joined(self, others: Sequence[FitCheck]) -> FitCheck:
        """The curves of several checks at the same stimuli, one after the other."""
        return self._with(lambda name: np.concatenate([getattr(c, name) for c in (self, *others)]))

    def _with(self, values: Callable[[str], Floats]) -> FitCheck:
        names = ("mean", "residual", "expected", "predicted", "misfit", "p_value")
        arrays: dict[str, Any] = {name: np.asarray(values(name)) for name in names}
        return replace(self, **arrays)


def check_fit(
    alphas: Floats,
    mean: Floats,
    curve: Floats,
    left_out: Sequence[tuple[Floats, Floats]],
    of_mean: Sequence[Part],
    level: float,
    degrees: Callable[[int], float] = units_less_one,
) -> FitCheck:
    """Compare mean answers with their curve.

    Parameters
    ----------
    alphas : ndarray, shape (L,)
    mean, curve : ndarray, shape (..., L)
        Mean answers, and the curve at the stimuli.
    left_out : sequence of (ndarray, ndarray), shapes (units, ..., L)
        Both without each unit, per kind of unit: observers, and cue pairs if these are a sample.
    of_mean : sequence of Part
        Variances of the mean answers with their degrees of freedom, per kind of unit.
    level : float
        In (0, 1).
    degrees : callable
        Degrees of freedom of a residual's variance over so many units.
    """
    residual = mean - curve
    without = [means - curves for means, curves in left_out]
    of_curve = variances([curves for _, curves in left_out])
    return FitCheck(
        alphas,
        mean,
        residual,
        jackknife_half_width(without, level, residual.shape, degrees),
        t_half_width([*of_mean, *of_curve] if left_out else [], level, mean.shape),
        np.sqrt(np.mean(residual**2, axis=-1)),
        misfit_p(residual, without),
        level,
    )


def residual_frame(
    items: Sequence[str],
    pairs: Sequence[tuple[str, ...]],
    checks: Sequence[FitCheck],
    pooled: tuple[tuple[str, ...], FitCheck] | None,
) -> pd.DataFrame:
    """Return one row per item, pair and stimulus, and pooled over pairs.

    Parameters
    ----------
    items : sequence of str
    pairs : sequence of (str, str)
    checks : sequence of FitCheck
        Of each pair, arrays of shape (n, L).
    pooled : ((str, str), FitCheck), optional
        Names of all cues, and the check of the curves pooled over pairs.
    """
    import pandas as pd

    each = [
        _rows(items, pair, check, pooled=False) for pair, check in zip(pairs, checks, strict=True)
    ]
    frame = pd.concat(each, ignore_index=True)
    # Items in their order, and within each of them the pairs.
    order = np.argsort(np.tile(np.repeat(np.arange(len(items)), len(checks[0].alphas)), len(pairs)),
                       kind="stable")  # fmt: skip
    frame = frame.iloc[order]
    if pooled is not None:
        frame = pd.concat([frame, _rows(items, *pooled, pooled=True)])
    return frame.reset_index(drop=True)


def _rows(
    items: Sequence[str], pair: tuple[str, ...], check: FitCheck, *, pooled: bool
) -> pd.DataFrame:
    import pandas as pd

    count = len(check.alphas)
    curve, expected = check.curve, check.expected
    return pd.DataFrame(
        {
            "item": np.repeat(items, count),
            "cue_1": pair[0],
            "cue_2": pair[1],
            "pooled": pooled,
            "alpha": np.tile(check.alphas, len(items)),
            "mean": check.mean.ravel(),
            "curve": curve.ravel(),
            "residual": check.residual.ravel(),
            "expected_low": -expected.ravel(),
            "expected_high": expected.ravel(),
            "predicted_low": np.clip(curve - check.predicted, 0, 1).ravel(),
            "predicted_high": np.clip(curve + check.predicted, 0, 1).ravel(),
        }
    )


_GROUPS = 32
"""More observers than this are left out in groups of equal size."""
_EQUAL = 1e-12
"""Weights that differ by less are equal."""
_BLOCK = 64
"""Items at once: with 32 replicates and 8 pairs 4 MB."""


def check_switch_points(
    answers: Floats,
    alphas: Floats,
    balance: NDArray[np.floating],
    noise: float | Floats,
    family: Family,
    level: float,
    pairs_as: PairsAs,
    weights: Floats,
    crossing: Crossing | None = None,
    rates: Floats | None = None,
) -> FitCheck:
    """Compare mean answers with the curves of `biaslab.probes.psychometrics.curves.pooled`.

    Observers' own noise and rates are kept while others are left out.

    Parameters
    ----------
    answers : ndarray, shape (B, n, K, L)
        P(cue 2) at the stimuli; of a step 0 or 1.
    alphas : ndarray, shape (L,)
    balance, noise, family, level, pairs_as, weights, crossing, rates
        As of `biaslab.probes.psychometrics.curves.pooled`.

    Returns
    -------
    FitCheck
        Arrays of shape (n,) and (n, L). Without p-value and intervals for fewer than three
        observers, or for one and fewer than three sampled pairs.
    """
    n = answers.shape[1]
    parts = []
    for start in range(0, n, _BLOCK):
        at = slice(start, start + _BLOCK)
        of_items = noise if np.ndim(noise) == 0 else np.asarray(noise)[at]
        own = None if rates is None else rates[:, at]
        fit = _Fit(of_items, family, pairs_as, own)
        parts.append(
            _checked(answers[:, at], alphas, balance[:, at], fit, level, weights, crossing)
        )
    return parts[0].joined(parts[1:])


@dataclass(frozen=True)
class _Fit:
    """Fits curves to several sets of the same n items' switch points; as `pooled` takes them."""

    noise: float | Floats
    family: Family
    pairs_as: PairsAs
    rates: Floats | None

    def at(
        self,
        alphas: Floats,
        balance: NDArray[np.floating],
        weights: Floats,
        crossing: Crossing | None,
        pairs: NDArray[np.intp] | None = None,
    ) -> Floats:
        """Return curves at the stimuli, shape (S, n, L).

        Parameters
        ----------
        balance : ndarray, shape (B, S, n, J)
            Switch points of each set.
        weights : ndarray, shape (J,)
        pairs : ndarray of int, shape (S, J), optional
            Which of the K pairs are in each set; default all.
        """
        b, sets, n, k = balance.shape
        which = np.broadcast_to(np.arange(k), (sets, k)) if pairs is None else pairs
        noise, rates = self.noise, self.rates
        if np.ndim(noise):
            noise = np.asarray(noise)[:, which].swapaxes(0, 1).reshape(sets * n, k)
        if rates is not None:
            rates = rates[:, :, which].swapaxes(1, 2).reshape(2, sets * n, k)
        points = balance.reshape(b, sets * n, k)
        curves = pooled_curves(points, noise, self.family, self.pairs_as, weights, crossing, rates)
        return curves.one((..., None)).share(alphas).reshape(sets, n, len(alphas))


def _checked(
    answers: Floats,
    alphas: Floats,
    balance: NDArray[np.floating],
    fit: _Fit,
    level: float,
    weights: Floats,
    crossing: Crossing | None,
) -> FitCheck:
    b, n, k, levels = answers.shape
    of_observer = np.einsum("bnkl,k->bnl", answers, weights)
    mean = of_observer.mean(axis=0)
    left_out = []
    if b > 2:
        size = -(-b // _GROUPS)
        taken = np.arange(b - b % size).reshape(-1, size)
        means = (b * mean - of_observer[taken].sum(axis=1)) / (b - size)
        stays = np.ones((len(taken), b), dtype=bool)
        np.put_along_axis(stays, taken, values=False, axis=1)
        kept = np.nonzero(stays)[1].reshape(len(taken), b - size)
        left_out.append((means, fit.at(alphas, balance[kept].swapaxes(0, 1), weights, crossing)))
    if fit.pairs_as == "resampled" and k > 1 and b + k > 3:
        left_out.append(_without_pairs(answers.mean(axis=0), alphas, balance, fit, weights))
    flat = answers.transpose(0, 1, 3, 2).reshape(b, n * levels, k)
    if k == 1:
        of_mean: list[Part] = [(flat[..., 0].var(axis=0, ddof=1) / b, b - 1.0)] if b > 1 else []
    else:
        of_mean = mean_parts(flat, weights, fit.pairs_as, crossing)
    parts: list[Part] = [
        (variance.reshape(n, levels), np.reshape(df, (n, levels)) if np.ndim(df) else df)
        for variance, df in of_mean
    ]
    curve = fit.at(alphas, balance[:, None], weights, crossing)[0]
    return check_fit(alphas, mean, curve, left_out, parts, level)


def _without_pairs(
    means: Floats, alphas: Floats, balance: NDArray[np.floating], fit: _Fit, weights: Floats
) -> tuple[Floats, Floats]:
    """Mean answers without each pair, from those of the pairs (n, K, L), and their curves."""
    k = len(weights)
    kept = np.array([np.delete(np.arange(k), pair) for pair in range(k)])
    share = weights[kept] / weights[kept].sum(axis=1, keepdims=True)
    left = np.einsum("nsjl,sj->snl", means[:, kept], share)
    points = balance[:, :, kept].swapaxes(1, 2)
    if np.ptp(weights) < _EQUAL:
        return left, fit.at(alphas, points, share[0], None, kept)
    curves = [
        fit.at(alphas, points[:, [pair]], share[pair], None, kept[[pair]]) for pair in range(k)
    ]
    return left, np.concatenate(curves)
