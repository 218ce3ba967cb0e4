"""The posterior of groups' PSEs, on a grid that follows it.

Given the scale and the rates that groups share, their PSEs are independent: so the posterior is a
table for each group, and that of a gap a sum over scale and rates.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from biaslab.stats.decision_grid import DecisionGrid
from biaslab.stats.sigmoids import Floats

_TINY: Final = 1e-300
_TAIL: Final = 5e-4
_EDGE: Final = 0.02
_SPACIOUS: Final = 0.55
_PASSES: Final = 12


class DecisionPosterior:
    """Posterior given counts of answers by group, level, order and answer.

    Parameters
    ----------
    grid : DecisionGrid
        Points of the prior.
    levels : ndarray, shape (L,)
    follows : bool
        Whether points of PSE and scale are laid anew as the posterior becomes narrow.

    Attributes
    ----------
    grid : DecisionGrid
    counts : ndarray, shape (G, L, 2, K)
        Answers so far; of the orders, yes first comes first.
    loglik : ndarray, shape (G, M, S, R)
        Log-likelihood of each group's answers at each point.
    """

    def __init__(self, grid: DecisionGrid, levels: Floats, *, follows: bool) -> None:
        self.grid, self.levels, self._follows = grid, levels, follows
        self.counts = np.zeros((len(grid.pse), len(levels), 2, grid.answers))
        self.loglik = np.zeros((len(grid.pse), grid.pse.shape[1], len(grid.scale), len(grid.room)))

    def update(self, group: int, place: int, order: int, counts: Floats) -> None:
        """Take in counts of each answer to one question."""
        self.counts[group, place, order] += counts
        self._add(group, place, order, counts)

    def settle(self) -> None:
        """Lay the grid anew where it has become too wide or too small."""
        if self._follows:
            self._follow()

    def compute(self) -> None:
        """Compute the log-likelihood of all groups from the counts."""
        grid = self.grid
        shape = (len(self.counts), grid.pse.shape[1], len(grid.scale), len(grid.room))
        self.loglik = np.zeros(shape)
        for group, place, order in np.argwhere(self.counts.sum(axis=-1) > 0):
            self._add(int(group), int(place), int(order), self.counts[group, place, order])

    def _add(self, group: int, place: int, order: int, counts: Floats) -> None:
        p = self.grid.probabilities(group, float(self.levels[place]), first=order == 0)
        for answer, count in enumerate(counts):
            if count:
                self.loglik[group] += count * np.log(np.maximum(p[answer], _TINY))

    def _evidence(self) -> tuple[Floats, Floats]:
        """Return each group's P(PSE | scale, rates), (G, M, S, R), and P(scale, rates), (S, R)."""
        top = self.loglik.max(axis=1, keepdims=True)
        weight = np.exp(self.loglik - top)
        total = weight.sum(axis=1, keepdims=True)
        shared = (np.log(total) + top)[:, 0].sum(axis=0) + self.grid.log_prior
        mass = np.exp(shared - shared.max())
        return weight / total, mass / mass.sum()

    def mass(self, group: int) -> Floats:
        """Return the posterior of PSE, scale and rates, (M, S, R)."""
        inner, shared = self._evidence()
        return np.asarray(inner[group] * shared)

    def gap_quantiles(self, at: Floats, a: int, b: int) -> Floats:
        """Return quantiles of the PSE of `b` less that of `a`; with one group of its PSE."""
        inner, shared = self._evidence()
        if len(self.counts) == 1:
            return quantiles(self.grid.pse[0], (inner[0] * shared).sum(axis=(1, 2)), at)
        one, two = (inner[g].reshape(inner.shape[1], -1) for g in (a, b))
        both = (one * shared.ravel()) @ two.T
        cells = [np.diff(self.grid.pse[g][:2])[0] for g in (a, b)]
        difference = self.grid.pse[b][None, :] - self.grid.pse[a][:, None]
        step = max(cells) / 2
        bins = np.round(difference / step).astype(np.int64)
        start = int(bins.min())
        mass = np.asarray(np.bincount((bins - start).ravel(), both.ravel()), dtype=np.float64)
        points = np.asarray(step * (start + np.arange(len(mass))), dtype=np.float64)
        return quantiles(points, mass, at)

    def _follow(self) -> None:
        """Lay the grid anew where the posterior has become narrow for it, or reached its edge."""
        for _ in range(_PASSES):
            inner, shared = self._evidence()
            pse = self.grid.pse.copy()
            changed = False
            for group in range(len(self.counts)):
                mass = (inner[group] * shared).sum(axis=(1, 2))
                ends = _wanted(pse[group], mass, self._far)
                if ends is not None:
                    pse[group] = np.linspace(*ends, pse.shape[1])
                    changed = True
            log_scale = np.log(self.grid.scale)
            ends = _wanted(log_scale, shared.sum(axis=1), self._scales)
            if ends is not None:
                log_scale = np.linspace(*ends, len(log_scale))
                changed = True
            if not changed:
                return
            self.grid = self.grid.moved(pse, np.exp(log_scale))
            self.compute()

    @property
    def _far(self) -> tuple[float, float]:
        """The widest range of a PSE: half the levels' range beyond them."""
        span = float(np.ptp(self.levels))
        return float(self.levels[0] - span / 2), float(self.levels[-1] + span / 2)

    @property
    def _scales(self) -> tuple[float, float]:
        """The widest range of a log scale."""
        step, span = float(np.diff(self.levels).min()), float(np.ptp(self.levels))
        return float(np.log(step / 4)), float(np.log(span / 2))


def _wanted(
    points: Floats, mass: Floats, limits: tuple[float, float]
) -> tuple[float, float] | None:
    """Return the range of points that suits a posterior; None where it has it."""
    step = points[1] - points[0]
    low, high = float(points[0]), float(points[-1])
    much = _EDGE * float(mass.max())
    width = high - low
    below = mass[0] > much and low > limits[0] + 1e-9
    above = mass[-1] > much and high < limits[1] - 1e-9
    reached = np.cumsum(mass)
    first = max(int(np.argmax(reached > _TAIL)) - 1, 0)
    last = min(int(np.argmax(reached >= 1 - _TAIL)) + 1, len(points) - 1)
    new_low = max(low - width / 2, limits[0]) if below else low + first * step
    new_high = min(high + width / 2, limits[1]) if above else low + last * step
    if below or above or (new_high - new_low) < _SPACIOUS * width:
        return new_low, new_high
    return None


def quantiles(points: Floats, mass: Floats, at: Floats) -> Floats:
    """Quantiles of masses spread evenly over cells around evenly spaced points."""
    step = points[1] - points[0]
    edges = np.append(points - step / 2, points[-1] + step / 2)
    reached = np.append(0.0, np.cumsum(mass))
    return np.asarray(np.interp(at, reached / reached[-1], edges))
