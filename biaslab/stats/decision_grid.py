"""A grid of what decides answers: a PSE for each group, and a scale and rates that they share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np

from biaslab.stats.curve_grid import CurveGrid
from biaslab.stats.sigmoids import Floats, Sigmoid

_PSES: Final = 41
_SCALES: Final = 13
_LAPSES: Final = (0.004, 0.02, 0.05, 0.12)
_POSITIONS: Final = (-0.6, -0.3, -0.1, 0.0, 0.1, 0.3, 0.6)
_INDECISION: Final = (0.0, 0.3, 0.8, 1.8)
_RARE: Final = 9.0
"""Lapses to yes and to no each have a Beta(1, 10) density."""


@dataclass(frozen=True)
class DecisionGrid:
    """Points of the parameters.

    Attributes
    ----------
    sigmoid : Sigmoid
        F, symmetrical.
    pse : ndarray, shape (G, M)
        Points of each group's PSE, evenly spaced.
    scale : ndarray, shape (S,)
    guess, lapse : ndarray, shape (R,)
        Combinations of the rates: answers yes and no whatever the level.
    position : ndarray, shape (R,)
        Share of answers by position, above 0 for the option listed first.
    indecision : ndarray, shape (R,)
        Half the range of indecision, in scales.
    log_prior : ndarray, shape (R,)
    """

    sigmoid: Sigmoid
    pse: Floats
    scale: Floats
    guess: Floats
    lapse: Floats
    position: Floats
    indecision: Floats
    log_prior: Floats

    @classmethod
    def over(
        cls, sigmoid: Sigmoid, groups: int, levels: Floats, *, orders: bool, indecision: bool
    ) -> DecisionGrid:
        """Return the grid of a prior: flat PSE and log scale, rare lapses, any position."""
        rates = np.array(list(product(
            _LAPSES, _POSITIONS if orders else (0.0,), _INDECISION if indecision else (0.0,)
        )))  # fmt: skip
        lapse, position, tau = rates.T
        span = float(np.ptp(levels))
        step = float(np.diff(levels).min())
        pse = np.linspace(levels[0] - span / 2, levels[-1] + span / 2, _PSES)
        log_scale = np.linspace(np.log(step / 4), np.log(span / 2), _SCALES)
        return cls(
            sigmoid, np.tile(pse, (groups, 1)), np.exp(log_scale), lapse, lapse, position, tau,
            2 * _RARE * np.log1p(-lapse),
        )  # fmt: skip

    @classmethod
    def of_curves(cls, grid: CurveGrid, groups: int) -> DecisionGrid:
        """Return the grid of one curve, without position and indecision, for each group."""
        zero = np.zeros(grid.guess.shape[1])
        return cls(
            grid.sigmoid, np.repeat(grid.pse, groups, axis=0), grid.scale[0], grid.guess[0],
            grid.lapse[0], zero, zero, grid.log_prior[0],
        )  # fmt: skip

    @property
    def answers(self) -> int:
        """Number of possible answers, K: yes and no, or these and neither."""
        return 3 if (self.indecision > 0).any() else 2

    def moved(self, pse: Floats, scale: Floats) -> DecisionGrid:
        """Return the grid with other points of PSE and scale."""
        return replace(self, pse=pse, scale=scale)

    def extra(self, *, first: bool) -> Floats:
        """Return what the level does not decide, with yes listed first or second: (K, R)."""
        share = self.position if first else -self.position
        yes, no = self.guess + np.maximum(share, 0), self.lapse + np.maximum(-share, 0)
        return np.stack([yes, no, np.zeros_like(yes)][: self.answers])

    @property
    def room(self) -> Floats:
        """Share of the answers that follow the level, shape (R,)."""
        return np.asarray(1 - self.guess - self.lapse - np.abs(self.position))

    def core(self, group: int, levels: Floats, indecision: float) -> Floats:
        """Return the curve's part of each answer at levels of shape (X,): (K, M, S, X)."""
        away = levels - self.pse[group][:, None, None]
        z = away / self.scale[:, None]
        if self.answers == 2:
            return np.stack(self.sigmoid.tails(z))
        yes = self.sigmoid.tails(z - indecision)[0]
        no = self.sigmoid.tails(z + indecision)[1]
        return np.stack([yes, no, np.maximum(1 - yes - no, 0.0)])

    def probabilities(self, group: int, level: float, *, first: bool) -> Floats:
        """Return the probability of each answer to a question, shape (K, M, S, R)."""
        room, extra = self.room, self.extra(first=first)
        found = np.empty((self.answers, self.pse.shape[1], len(self.scale), len(room)))
        for tau in np.unique(self.indecision):
            rows = self.indecision == tau
            core = self.core(group, np.array([level]), float(tau))
            found[..., rows] = extra[:, None, None, rows] + room[rows] * core
        return found
