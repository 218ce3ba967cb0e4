"""How well a curve describes the answers: residuals, what is expected of them, and a verdict.

A residual is the mean answer to a stimulus less the curve. Observers answer all stimuli, so their
residuals are correlated, and neither a binomial deviance nor a chi-squared table applies. What a
right curve would miss by is therefore found by leaving observers (and sampled cue pairs) out, one
after the other, and fitting again: the jackknife's covariance of the residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.jackknife import (
    jackknife_half_width,
    misfit_p,
    t_half_width,
    units_less_one,
    variances,
)
from biaslab.stats.crossed.effects import Part

Floats = NDArray[np.float64]
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
