"""Posterior of a curve's parameters by integration on a grid.

Priors, on the family's axis (the logarithm of the level for Weibull):

- the PSE is uniform over the range of the levels, extended by half of it on either side;
- the logarithm of the scale is uniform from a tenth of the smallest distance of two levels to
  twice their range;
- an estimated guess or lapse rate is Beta(1, `rate_prior`), as in the fit; fixed ones are fixed.

The grid covers the priors first and then, twice, the region of most mass.
"""

from __future__ import annotations

from itertools import product, repeat
from typing import Final

import numpy as np
from scipy import special

from biaslab.stats.curve_fit import Status
from biaslab.stats.jnd import Convention
from biaslab.stats.parameters import Parameter, from_line, to_line
from biaslab.stats.psychometric import PsychometricFit, curve_rates
from biaslab.stats.scoring import Rates
from biaslab.stats.sigmoids import Floats

# Points of each parameter in the three passes, by the number of parameters.
_POINTS: Final = {2: (25, 25, 61), 3: (17, 17, 31), 4: (13, 13, 21)}
# Log-density below the maximum at which a grid point stops to matter.
_DEPTH: Final = 12.0


def posterior_limits(
    fit: PsychometricFit,
    parameter: Parameter,
    convention: Convention,
    level: float,
    inflation: Floats,
) -> tuple[Floats, Floats]:
    """Return equal-tailed limits of the PSE or JND of a flat fit, shape (C,).

    Curves with fewer than two levels have none: the priors need a range.
    """
    low, high = np.full(fit.shape, np.nan), np.full(fit.shape, np.nan)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    usable = (fit.status != Status.EMPTY) & (np.ptp(fit.levels, axis=-1) > 0)
    for row in np.flatnonzero(usable):
        values, mass = _posterior(fit[row : row + 1], parameter, convention, inflation[row])
        low[row], high[row] = _quantiles(values, mass, tails)
    return from_line(fit.sigmoid, parameter, low), from_line(fit.sigmoid, parameter, high)


def _posterior(
    fit: PsychometricFit, parameter: Parameter, convention: Convention, inflation: float
) -> tuple[Floats, Floats]:
    """Return values of the parameter (on the real line) and their mass, for one curve."""
    positions = fit.sigmoid.to_axis(fit.levels)[0]
    rates = curve_rates(fit)
    lows, highs = _prior_box(positions, rates)
    axes: list[Floats] = []
    mass = np.ones(())
    for points in _POINTS[len(lows)]:
        axes = list(map(np.linspace, lows, highs, repeat(points)))
        log_density = _log_density(fit, positions, rates, axes, inflation)
        mass = np.exp(log_density - log_density.max())
        lows, highs = _holding_mass(axes, log_density)

    by_curve = mass.sum(axis=tuple(range(2, mass.ndim)))
    if parameter == "pse":
        return axes[0], by_curve.sum(axis=1)
    if not fit.sigmoid.log_axis:
        scale = np.exp(axes[1])
        values = to_line(fit.sigmoid, "jnd", convention, np.zeros_like(scale), scale)
        return values, by_curve.sum(axis=0)
    pse, scale = np.meshgrid(axes[0], np.exp(axes[1]), indexing="ij")
    location = pse - scale * fit.sigmoid.median
    values = to_line(fit.sigmoid, "jnd", convention, location, scale).ravel()
    order = np.argsort(values)
    return values[order], by_curve.ravel()[order]


def _prior_box(positions: Floats, rates: Rates) -> tuple[list[float], list[float]]:
    """Return bounds of the priors of the PSE, the log scale, and the free rates."""
    span = float(np.ptp(positions))
    gaps = np.diff(positions)
    smallest = float(gaps[gaps > 0].min())
    lows = [positions[0] - span / 2, np.log(smallest / 10), *np.zeros(rates.n_free)]
    highs = [positions[-1] + span / 2, np.log(2 * span), *rates.upper[0]]
    return lows, highs


def _log_density(
    fit: PsychometricFit, positions: Floats, rates: Rates, axes: list[Floats], inflation: float
) -> Floats:
    """Return the log posterior on the grid, tempered by the inflation."""
    sigmoid = fit.sigmoid
    correct, wrong = fit.correct[0], fit.trials[0] - fit.correct[0]
    pse, scale = axes[0][:, None, None], np.exp(axes[1])[None, :, None]
    z = sigmoid.median + (positions - pse) / scale
    above, below = sigmoid.tails(z)

    combinations = np.array(list(product(*axes[2:])))
    every = rates.take(np.zeros(len(combinations), dtype=np.intp))
    pairs = zip(every.guess(combinations), every.lapse(combinations), strict=True)
    loglik = np.empty((*z.shape[:2], len(combinations)))
    for i, (guess, lapse) in enumerate(pairs):
        core = 1 - guess - lapse
        hits = special.xlogy(correct, guess + core * above)
        misses = special.xlogy(wrong, lapse + core * below)
        loglik[..., i] = (hits + misses).sum(axis=-1)
    density = loglik / inflation + rates.log_prior(combinations)
    return np.asarray(density.reshape([len(axis) for axis in axes]))


def _holding_mass(axes: list[Floats], log_density: Floats) -> tuple[list[float], list[float]]:
    """Return the bounding box of grid points with mass, one cell wider on each side."""
    matters = log_density > log_density.max() - _DEPTH
    lows, highs = [], []
    for j, axis in enumerate(axes):
        others = tuple(i for i in range(len(axes)) if i != j)
        held = np.flatnonzero(matters.any(axis=others))
        lows.append(float(axis[max(held[0] - 1, 0)]))
        highs.append(float(axis[min(held[-1] + 1, len(axis) - 1)]))
    return lows, highs


def _quantiles(values: Floats, mass: Floats, at: Floats) -> Floats:
    """Return quantiles of a distribution on ascending grid points."""
    reached = np.cumsum(mass) - mass / 2
    return np.asarray(np.interp(at * mass.sum(), reached, values))
