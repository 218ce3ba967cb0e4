r"""Fit and intervals from replicates' switch points.

Each replicate of an embedding flips its answer once, at :math:`\alpha^*`. Over B replicates the
psychometric curve is the distribution of the B switch points, so the curve is fitted to them and
not to answers on a grid of stimuli: the same B replicates answer every level, and a binomial fit
would count them many times over.

For a location-scale family the maximum-likelihood estimates are equivariant, hence
:math:`(\hat\mu - \mu)/\hat\sigma` and :math:`\hat\sigma/\sigma` are pivots whose distribution depends
on the family and on B only. The normal family has them in closed form (t and chi-squared); the
others are simulated once per family and B. A Weibull curve is a Gumbel curve in log alpha.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
Family = Literal["normal", "logistic", "weibull", "gumbel"]
FAMILIES: tuple[Family, ...] = ("normal", "logistic", "weibull", "gumbel")
_SIMULATIONS = 20_000
_NEWTON_STEPS = 50


class _Shape(NamedTuple):
    """A standard distribution: its cdf, quantile, and minus the log-density's first two slopes."""

    cdf: Callable[[Floats], Floats]
    ppf: Callable[[Floats], Floats]
    score: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


_NORMAL = _Shape(special.ndtr, special.ndtri, lambda z: z, np.ones_like)
_LOGISTIC = _Shape(
    special.expit,
    special.logit,
    lambda z: np.tanh(z / 2),
    lambda z: 0.5 / np.cosh(np.clip(z, -60, 60) / 2) ** 2,
)
_GUMBEL = _Shape(
    lambda z: -np.expm1(-np.exp(np.clip(z, -700, 50))),
    lambda p: np.log(-np.log1p(-p)),
    lambda z: np.expm1(np.clip(z, -700, 50)),
    lambda z: np.exp(np.clip(z, -700, 50)),
)
_SHAPES: dict[str, _Shape] = {
    "normal": _NORMAL,
    "logistic": _LOGISTIC,
    "gumbel": _GUMBEL,
    "weibull": _GUMBEL,
}
_EULER = 0.5772156649015329
_MOMENTS: dict[str, tuple[float, float]] = {
    "normal": (0.0, 1.0),
    "logistic": (0.0, np.pi / np.sqrt(3)),
    "gumbel": (-_EULER, np.pi / np.sqrt(6)),
    "weibull": (-_EULER, np.pi / np.sqrt(6)),
}


@dataclass(frozen=True)
class ReplicateFit:
    """A family fitted to switch points; all arrays have the shape of the fitted curves.

    Attributes
    ----------
    family : str
        ``normal``, ``logistic``, ``gumbel`` or ``weibull``.
    replicates : int
        Number B of values behind each curve.
    location, scale : ndarray
        Parameters, of log alpha for ``weibull``. NaN where `reason` is set.
    reason : ndarray of str
        Why a curve could not be fitted; empty where it was.
    """

    family: Family
    replicates: int
    location: Floats
    scale: Floats
    reason: NDArray[np.str_]

    def quantile(self, p: ArrayLike) -> Floats:
        """Alpha at which the curve reaches share ``p``; broadcasts against the curves."""
        z = _SHAPES[self.family].ppf(np.asarray(p, dtype=float))
        return self._from_line(self.location + self.scale * z)

    def share(self, alpha: ArrayLike) -> Floats:
        """Share of cue-2 answers at ``alpha``, Psi(alpha); broadcasts against the curves."""
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (self._to_line(np.asarray(alpha, dtype=float)) - self.location) / self.scale
        return _SHAPES[self.family].cdf(z)

    @property
    def pse(self) -> Floats:
        """Point of subjective equality, Psi(PSE) = 1/2 (paper 000, eq. 5)."""
        return self.quantile(0.5)

    def pse_interval(self, level: float = 0.95) -> Floats:
        """Monte Carlo interval of the PSE, shape (..., 2): it shrinks as B grows."""
        return self._line_interval(_pivots(self.family, self.replicates, level).pse)

    def corpus_interval(self, level: float = 0.95) -> Floats:
        """Prediction interval of one more replicate's switch point, shape (..., 2).

        How far the reading depends on the corpus that was sampled; it does not shrink as B grows.
        """
        return self._line_interval(_pivots(self.family, self.replicates, level).corpus)

    def scale_interval(self, level: float = 0.95) -> Floats:
        """Interval of the scale parameter, shape (..., 2)."""
        low, high = _pivots(self.family, self.replicates, level).scale
        return np.stack([self.scale * low, self.scale * high], axis=-1)

    def with_scale(self, scale: Floats) -> ReplicateFit:
        """The same curve with another scale."""
        return ReplicateFit(self.family, self.replicates, self.location, scale, self.reason)

    def _line_interval(self, quantiles: tuple[float, float]) -> Floats:
        ends = [self._from_line(self.location + self.scale * q) for q in quantiles]
        return np.stack(ends, axis=-1)

    def _to_line(self, alpha: Floats) -> Floats:
        if self.family != "weibull":
            return alpha
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(alpha > 0, np.log(np.maximum(alpha, 1e-300)), -np.inf)

    def _from_line(self, x: Floats) -> Floats:
        return np.exp(x) if self.family == "weibull" else x


def fit_replicates(values: ArrayLike, family: Family = "normal") -> ReplicateFit:
    """Fit a curve to each set of switch points by maximum likelihood.

    Parameters
    ----------
    values : array_like, shape (B, ...)
        Switch points; the first axis is the replicate.
    family : str
        ``normal`` (mean and SD with ddof 1), ``logistic``, ``gumbel`` or ``weibull``.

    Returns
    -------
    ReplicateFit
        One curve per trailing index. With B = 1, or values all alike, the scale is 0 and the curve
        a step; a Weibull curve needs switch points above 0 and says so where it finds others.

    Raises
    ------
    ValueError
        When the family is unknown or there is no replicate.
    """
    if family not in _SHAPES:
        raise ValueError(f"Unknown curve {family!r}; choose one of {', '.join(FAMILIES)}.")
    x = np.asarray(values)
    if x.dtype not in (np.float32, np.float64):
        x = x.astype(float)
    if x.shape[0] == 0:
        raise ValueError("No switch points: a curve needs at least one replicate.")
    bad = ~np.isfinite(x).all(axis=0)
    reason = np.where(bad, "a replicate has no finite switch point", "")
    if family == "weibull":
        negative = ~bad & (x <= 0).any(axis=0)
        message = "a Weibull curve needs all switch points above 0"
        reason = np.where(negative, message, reason)
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.log(np.where(reason == "", x, np.nan))
    mean, sd = _mean_sd(x)
    location, scale = mean, sd
    if family != "normal" and x.shape[0] > 1:
        location, scale = _maximum_likelihood(x, mean, sd, family)
    nan = reason != ""
    return ReplicateFit(
        family, x.shape[0], np.where(nan, np.nan, location), np.where(nan, np.nan, scale), reason
    )


def jnd(fit: ReplicateFit, convention: Literal["quartile", "eq6", "sd"] = "quartile") -> Floats:
    """Just-noticeable difference of fitted curves, in units of alpha.

    Parameters
    ----------
    fit : ReplicateFit
        The curves.
    convention : str
        ``quartile``: from Psi = 1/2 to 3/4, 0.6745 sigma for a normal curve, the usual one of
        psychophysics and the default. ``eq6``: paper 000, eq. 6, the width of the stimulus step
        centred on the PSE over which the answers change by half; 1.349 sigma. ``sd``: the standard
        deviation, as the caption of paper 000, Fig. 2.
    """
    if convention == "quartile":
        return fit.quantile(0.75) - fit.quantile(0.5)
    if convention == "sd":
        return standard_deviation(fit)
    if convention == "eq6":
        if fit.family in ("normal", "logistic"):
            return fit.quantile(0.75) - fit.quantile(0.25)
        return centred_half_width(fit.share, fit.pse, standard_deviation(fit))
    raise ValueError(f"Unknown JND convention {convention!r}; choose quartile, eq6 or sd.")


def standard_deviation(fit: ReplicateFit) -> Floats:
    """Standard deviation of the distribution whose cdf the curve is."""
    if fit.family != "weibull":
        return fit.scale * _MOMENTS[fit.family][1]
    s = fit.scale
    spread = special.gamma(1 + 2 * s) - special.gamma(1 + s) ** 2
    return np.exp(fit.location) * np.sqrt(np.maximum(spread, 0))


def centred_half_width(
    share: Callable[[Floats], Floats], pse: Floats, unit: Floats, steps: int = 60
) -> Floats:
    """Solve eq. 6 of paper 000 by bisection: share(pse + d/2) - share(pse - d/2) = 1/2."""
    low, high = np.zeros_like(pse), 20 * unit
    for _ in range(steps):
        middle = (low + high) / 2
        enough = share(pse + middle / 2) - share(pse - middle / 2) >= 0.5
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return (low + high) / 2


def _mean_sd(x: NDArray[np.floating]) -> tuple[Floats, Floats]:
    """Mean and SD (ddof 1; 0 for one value) over the first axis, in one pass over shifted values."""
    n = x.shape[0]
    shift = x[0]
    total = np.zeros(x.shape[1:])
    squares = np.zeros(x.shape[1:])
    for row in x:
        difference = row - shift
        total += difference
        squares += difference * difference
    variance = np.maximum(squares - total * total / n, 0) / max(n - 1, 1)
    return shift + total / n, np.sqrt(variance)


def _maximum_likelihood(
    x: NDArray[np.floating], mean: Floats, sd: Floats, family: Family
) -> tuple[Floats, Floats]:
    """Newton's method on (location/scale, 1/scale), in which the log-likelihood is concave."""
    shape, (m, s) = _SHAPES[family], _MOMENTS[family]
    step_curve = sd == 0
    z0 = (x - mean) / np.where(step_curve, 1, sd)
    n = x.shape[0]
    b = np.full(mean.shape, float(s))
    a = np.full(mean.shape, -float(m))
    for _ in range(_NEWTON_STEPS):
        z = b * z0 - a
        score, slope = shape.score(z), shape.slope(z)
        weighted = z0 * slope
        gradient_a, gradient_b = score.sum(0), n / b - (z0 * score).sum(0)
        h_aa, h_ab = slope.sum(0), weighted.sum(0)
        h_bb = n / b**2 + (z0 * weighted).sum(0)
        determinant = h_aa * h_bb - h_ab**2
        step_a = (h_bb * gradient_a + h_ab * gradient_b) / determinant
        step_b = (h_ab * gradient_a + h_aa * gradient_b) / determinant
        damp = np.minimum(1.0, 0.5 * b / np.maximum(np.abs(step_b), 1e-300))
        a, b = a + damp * step_a, b + damp * step_b
        if max(np.nanmax(np.abs(step_a), initial=0), np.nanmax(np.abs(step_b), initial=0)) < 1e-10:
            break
    location, scale = mean + sd * a / b, sd / b
    return np.where(step_curve, mean, location), np.where(step_curve, 0.0, scale)


class _Pivots(NamedTuple):
    """Multiples of the fitted scale that bound PSE and next replicate (added to the location) and scale."""

    pse: tuple[float, float]
    corpus: tuple[float, float]
    scale: tuple[float, float]


@lru_cache(maxsize=256)
def _pivots(family: Family, n: int, level: float) -> _Pivots:
    if n < 2:
        nothing = (float("nan"), float("nan"))
        return _Pivots(nothing, nothing, nothing)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if family == "normal":
        t = special.stdtrit(n - 1, tails)
        chi2 = special.chdtri(n - 1, 1 - tails)
        half = np.sqrt((n - 1) / chi2[::-1])
        return _Pivots(
            _pair(t / np.sqrt(n)), _pair(t * np.sqrt(1 + 1 / n)), _pair(half)
        )
    kind: Family = "gumbel" if family == "weibull" else family
    shape = _SHAPES[kind]
    rng = np.random.default_rng(20_200_127)
    sample = shape.ppf(rng.uniform(1e-12, 1 - 1e-12, size=(n, _SIMULATIONS)))
    fit = fit_replicates(sample, kind)
    new = shape.ppf(rng.uniform(1e-12, 1 - 1e-12, size=_SIMULATIONS))
    median = float(shape.ppf(np.array(0.5)))
    return _Pivots(
        _pair(np.quantile((median - fit.location) / fit.scale, tails)),
        _pair(np.quantile((new - fit.location) / fit.scale, tails)),
        _pair(np.quantile(1 / fit.scale, tails)),
    )


def _pair(values: Floats) -> tuple[float, float]:
    return float(values[0]), float(values[1])
