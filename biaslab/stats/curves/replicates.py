r"""Fit and intervals from replicates' switch points.

Each replicate of an embedding flips its answer once, at :math:`\alpha^*`. Over B replicates the
psychometric curve is the distribution of the B switch points, so the curve is fitted to them and
not to answers on a grid of stimuli: the same B replicates answer every level, and a binomial fit
would count them many times over.

For a location-scale family the maximum-likelihood estimates are equivariant, hence
:math:`(\hat\mu - \mu)/\hat\sigma` and :math:`\hat\sigma/\sigma` are pivots whose distribution
depends on the family and on B only. The normal family has them in closed form (t and chi-squared);
the others are simulated once per family and B. A Weibull curve is a Gumbel curve in log alpha.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.stats.curves.jnd import Convention, jnd
from biaslab.stats.curves.sigmoids import Floats, get_sigmoid
from biaslab.threads.cores import spread_portions

Family = Literal["normal", "logistic", "weibull", "gumbel"]
_SIMULATIONS = 20_000
_NEWTON_STEPS = 50
_CACHED = 200_000
"""Switch points per block: 0.8 MB in single precision, which stays in the cache."""
_PASSES = 4
"""Times that a switch point goes through all sums."""


class _Likelihood(NamedTuple):
    """First and second slope of minus the log-density of a standard distribution."""

    score: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


_LIKELIHOODS: dict[str, _Likelihood] = {
    "logistic": _Likelihood(
        lambda z: np.tanh(z / 2), lambda z: 0.5 / np.cosh(np.clip(z, -60, 60) / 2) ** 2
    ),
    "gumbel": _Likelihood(
        lambda z: np.expm1(np.clip(z, -700, 50)), lambda z: np.exp(np.clip(z, -700, 50))
    ),
}
_LIKELIHOODS["weibull"] = _LIKELIHOODS["gumbel"]
_STANDARD_MEANS = {"logistic": 0.0, "gumbel": -np.euler_gamma, "weibull": -np.euler_gamma}


@dataclass(frozen=True)
class ReplicateFit:
    """A family fitted to switch points, in the shape of the fitted curves.

    Attributes
    ----------
    family : str
        ``normal``, ``logistic``, ``gumbel`` or ``weibull``.
    replicates : int
        Number B of values behind each curve.
    location, scale : ndarray
        Parameters, of log alpha for ``weibull``. NaN where `reason` is set.
    reason : ndarray of str
        Why a curve could not be fitted; empty if it was.
    """

    family: Family
    replicates: int
    location: Floats
    scale: Floats
    reason: NDArray[np.str_]

    def quantile(self, p: ArrayLike) -> Floats:
        """Return the alpha at which the curve reaches share ``p``; broadcasts."""
        sigmoid = get_sigmoid(self.family)
        return sigmoid.from_axis(self.location + self.scale * sigmoid.ppf(p))

    def share(self, alpha: ArrayLike) -> Floats:
        """Return Psi(alpha), the share of cue-2 answers at ``alpha``; broadcasts."""
        sigmoid = get_sigmoid(self.family)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (sigmoid.to_axis(alpha) - self.location) / self.scale
        # A logarithmic axis ends at 0, where its curves are 0.
        return np.where(np.isnan(z) & np.isfinite(self.scale), 0.0, sigmoid.cdf(z))

    @property
    def pse(self) -> Floats:
        """Point of subjective equality, Psi(PSE) = 1/2 (Liang and Acuna 2020, eq. 5)."""
        return self.quantile(0.5)

    def pse_interval(self, level: float = 0.95) -> Floats:
        """Return the Monte Carlo interval of the PSE, (..., 2): it shrinks as B grows."""
        return self._line_interval(_pivots(self.family, self.replicates, level).pse)

    def corpus_interval(self, level: float = 0.95) -> Floats:
        """Return the prediction interval of one more replicate's switch point, (..., 2).

        How far the reading depends on the corpus that was sampled; it does not shrink as B grows.
        """
        return self._line_interval(_pivots(self.family, self.replicates, level).corpus)

    def corpus_p(self, value: float) -> Floats:
        """Return p-values of a new switch point being ``value``; NaN for B = 1.

        1 minus the highest level whose `corpus_interval` excludes it.
        """
        if self.replicates < 2:
            return np.full(self.location.shape, np.nan)
        sigmoid = get_sigmoid(self.family)
        with np.errstate(divide="ignore", invalid="ignore"):
            pivot = (sigmoid.to_axis(value) - self.location) / self.scale
        if self.family == "normal":
            t = np.abs(pivot) / np.sqrt(1 + 1 / self.replicates)
            return np.asarray(2 * special.stdtr(self.replicates - 1, -t))
        drawn = _simulated_pivots(self.family, self.replicates).corpus
        below = np.searchsorted(drawn, pivot) / len(drawn)
        smaller = np.minimum(below, 1 - below)
        return np.where(np.isnan(pivot), np.nan, np.minimum(2 * smaller, 1))

    def scale_ratio(self, level: float = 0.95) -> Floats:
        """Return bounds of the true scale as multiples of the fitted one, shape (2,)."""
        return np.array(_pivots(self.family, self.replicates, level).scale)

    def with_scale(self, scale: Floats) -> ReplicateFit:
        """Return the same curve with another scale."""
        return ReplicateFit(self.family, self.replicates, self.location, scale, self.reason)

    def _line_interval(self, quantiles: tuple[float, float]) -> Floats:
        axis = get_sigmoid(self.family).from_axis
        return np.stack([axis(self.location + self.scale * q) for q in quantiles], axis=-1)


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
        One curve per trailing index. With B = 1, or equal values, the scale is 0 and the curve
        a step; a Weibull curve needs switch points above 0 and otherwise has a reason.

    Raises
    ------
    ValueError
        When the family is unknown or there is no replicate.
    """
    get_sigmoid(family)
    x = np.asarray(values)
    if x.dtype not in (np.float32, np.float64):
        x = x.astype(float)
    if x.shape[0] == 0:
        raise ValueError("No switch points: a curve needs at least one replicate.")
    bad = ~np.isfinite(x).all(axis=0)
    reason = _where(bad, "a replicate has no finite switch point")
    if family == "weibull":
        negative = ~bad & (x <= 0).any(axis=0)
        message = "a Weibull curve needs all switch points above 0"
        reason = np.where(negative, message, reason)
        bad |= negative
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.log(np.where(bad, np.nan, x))
    mean, sd = _mean_sd(x)
    location, scale = mean, sd
    if family != "normal" and x.shape[0] > 1:
        location, scale = _maximum_likelihood(x, mean, sd, family)
    if bad.any():
        location, scale = np.where(bad, np.nan, location), np.where(bad, np.nan, scale)
    return ReplicateFit(family, x.shape[0], location, scale, reason)


def _where(bad: NDArray[np.bool_], reason: str) -> NDArray[np.str_]:
    """Return the reason where it applies, as a short array if there is none."""
    return np.where(bad, reason, "") if bad.any() else np.full(bad.shape, "")


def jnd_of(fit: ReplicateFit, convention: Convention = "quartile") -> Floats:
    """Return the JND of fitted curves, in units of alpha; see `biaslab.stats.curves.jnd`."""
    return jnd(fit.family, fit.scale, convention, location=fit.location)


def _mean_sd(x: NDArray[np.floating]) -> tuple[Floats, Floats]:
    """Return mean and SD (ddof 1; 0 for one value) over the first axis, in one pass."""
    n = x.shape[0]
    flat = x.reshape(n, -1)
    mean, sd = np.empty(flat.shape[1]), np.empty(flat.shape[1])
    width = max(1, _CACHED // n)

    def add(starts: range) -> None:
        buffer = np.empty((n, min(width, flat.shape[1])), dtype=x.dtype)
        for start in starts:
            part = flat[:, start : start + width]
            at = slice(start, start + part.shape[1])
            with np.errstate(invalid="ignore"):  # here: other threads have settings of their own
                difference = np.subtract(part, part[0], out=buffer[:, : part.shape[1]])
                total = np.add.reduce(difference, axis=0, dtype=float)
                difference *= difference
                squares = np.add.reduce(difference, axis=0, dtype=float)
                variance = np.maximum(squares - total * total / n, 0) / max(n - 1, 1)
                mean[at], sd[at] = part[0] + total / n, np.sqrt(variance)

    spread_portions(add, flat.shape[1], width, _PASSES * flat.size)
    return mean.reshape(x.shape[1:]), sd.reshape(x.shape[1:])


def _maximum_likelihood(
    x: NDArray[np.floating], mean: Floats, sd: Floats, family: Family
) -> tuple[Floats, Floats]:
    """Maximise by Newton's method on (location/scale, 1/scale)."""
    likelihood, mean_of_unit = _LIKELIHOODS[family], _STANDARD_MEANS[family]
    step_curve = sd == 0
    z0 = (x - mean) / np.where(step_curve, 1, sd)
    n = x.shape[0]
    b = np.full(mean.shape, get_sigmoid(family).sd)
    a = np.full(mean.shape, -mean_of_unit)
    for _ in range(_NEWTON_STEPS):
        z = b * z0 - a
        score, slope = likelihood.score(z), likelihood.slope(z)
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
    """Bounds in fitted scales, of location and of the scale."""

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
        return _Pivots(_pair(t / np.sqrt(n)), _pair(t * np.sqrt(1 + 1 / n)), _pair(half))
    drawn = _simulated_pivots(family, n)
    return _Pivots(*(_pair(np.quantile(values, tails)) for values in drawn))


class _SimulatedPivots(NamedTuple):
    """Simulated pivots, sorted."""

    pse: Floats
    corpus: Floats
    scale: Floats


@lru_cache(maxsize=64)
def _simulated_pivots(family: Family, n: int) -> _SimulatedPivots:
    kind: Family = "gumbel" if family == "weibull" else family
    sigmoid = get_sigmoid(kind)
    rng = np.random.default_rng(20_200_127)
    sample = sigmoid.ppf(rng.uniform(1e-12, 1 - 1e-12, size=(n, _SIMULATIONS)))
    fit = fit_replicates(sample, kind)
    new = sigmoid.ppf(rng.uniform(1e-12, 1 - 1e-12, size=_SIMULATIONS))
    return _SimulatedPivots(
        np.sort((sigmoid.median - fit.location) / fit.scale),
        np.sort((new - fit.location) / fit.scale),
        np.sort(1 / fit.scale),
    )


def _pair(values: Floats) -> tuple[float, float]:
    return float(values[0]), float(values[1])
