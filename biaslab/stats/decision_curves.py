"""Estimates that follow from fitted coefficients by derivatives: shares, ratios, positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy import special

from biaslab.stats.blurred_curve import BlurredCurve
from biaslab.stats.decision_likelihood import DecisionSettings
from biaslab.stats.decision_model import DecisionModel
from biaslab.stats.decision_search import DecisionSearch, Point
from biaslab.stats.decision_spread import Spread, spread_around
from biaslab.stats.fieller import Ratio
from biaslab.stats.sigmoids import Floats

_STEP: Final = 1e-4


@dataclass(frozen=True)
class FittedDecisions:
    """A fitted model: coefficients, effects, settings, and how well they are known.

    Attributes
    ----------
    model : DecisionModel
    search : DecisionSearch
    point : Point
        Maximum of the restricted likelihood.
    x : ndarray, shape (D,)
        Coefficients, with the effects integrated out, and effects.
    converged : bool
    """

    model: DecisionModel
    search: DecisionSearch
    point: Point
    x: Floats
    converged: bool

    @cached_property
    def spread(self) -> Spread:
        """Covariance of all parameters."""
        return spread_around(self.search, self.point)

    @cached_property
    def settings(self) -> DecisionSettings:
        """SDs, rates and indecision."""
        return self.model.settings(self.point.free)

    @cached_property
    def profile_intervals(self) -> dict[tuple[str, float], tuple[float, float]]:
        """Intervals that were computed, by parameter and level: a summary and a table ask alike."""
        return {}

    @property
    def slope(self) -> float:
        """Rise of z per unit of the levels."""
        return float(self.x[0]) / self.model.unit

    @cached_property
    def slope_z(self) -> float:
        """Signed root of the likelihood ratio against a slope of 0.

        Unlike the slope over its standard error, it stays large where answers are nearly a step.
        """
        curve, settings = self.model.curve, self.settings
        flat = curve.flat()
        there = flat.mode(settings, np.append(0.0, self.x[1:])).x
        gain = curve.density(self.x, settings) - flat.density(there, settings)
        return float(np.copysign(np.sqrt(max(2 * gain, 0.0)), self.x[0]))

    @cached_property
    def slope_p(self) -> float:
        """Two-sided p-value of a slope of 0, by the likelihood ratio."""
        _, df = self.spread.variances(self.row(np.eye(self.model.curve.size)[0]))
        return float(2 * special.stdtr(float(df), -abs(self.slope_z)))

    def row(self, weights: Floats) -> Floats:
        """Return the gradient of a combination of scaled effects by all parameters.

        Parameters
        ----------
        weights : ndarray, shape (D,)
            Of the coefficients, and of the effects times their SDs.

        Returns
        -------
        ndarray, shape (D + M,)
        """
        model, curve = self.model, self.model.curve
        scaled = weights * curve.scale(self.settings)
        by_free = np.zeros(len(model.names))
        if curve.size > curve.n_fixed:
            names = [factor.sd_name for factor in model.factors]
            sums = np.bincount(
                curve.factor_of[curve.n_fixed :],
                (scaled * self.x)[curve.n_fixed :],
                len(model.factors),
            )
            for name, value in zip(names, sums, strict=True):
                by_free[model.names.index(name)] += value
        return np.concatenate([scaled, by_free])

    def value(self, weights: Floats) -> float:
        """Return a combination of coefficients and scaled effects."""
        return float(weights @ (self.x * self.model.curve.scale(self.settings)))

    def ratio(self, weights: Floats) -> Ratio:
        """Return minus a combination over the slope, in units of the levels."""
        first = np.zeros(self.model.curve.size)
        first[0] = 1
        slope, row, unit = self.row(first), self.row(weights), self.model.unit
        at = -self.value(weights) / self.x[0]
        offset = row + at * slope
        variance, df = self.spread.variances(offset)
        covariance = self.spread.covariance
        of_slope = float(slope @ covariance @ slope)
        # As much as a slope is clear by its likelihood, its variance may not hide.
        clear = abs(self.x[0] / (self.slope_z or 1e-9)) / np.sqrt(max(of_slope, 1e-300))
        shrink = min(1.0, float(clear))
        cross = shrink * float(offset @ covariance @ slope)
        return Ratio(
            float(at) * unit, float(self.x[0]), float(variance) * unit**2, cross * unit,
            shrink**2 * of_slope, float(df),
        )  # fmt: skip

    def intercept(self, group: int) -> Floats:
        """Return the weights of a group's intercept, shape (D,)."""
        model, curve = self.model, self.model.curve
        weights = np.zeros(curve.size)
        width = model.intercepts.shape[1]
        weights[1 : 1 + width] = model.intercepts[group]
        weights += self.effects("group", group)
        return weights

    def effects(self, name: str, *numbers: int) -> Floats:
        """Return equal weights of some levels of a factor, shape (D,); 0 where there is none."""
        weights = np.zeros(self.model.curve.size)
        for factor, start in zip(self.model.factors, self.model.curve.starts, strict=False):
            if factor.name == name:
                chosen = np.flatnonzero(np.isin(factor.numbers, numbers))
                if len(chosen):
                    weights[start + chosen] = 1 / len(chosen)
        return weights

    def curve(
        self, settings: DecisionSettings | None = None, group: int | None = None
    ) -> BlurredCurve:
        """Return the population's curve over cues, wordings and details, with an intercept of 0.

        Of a group, or that of mean sensitivity.
        """
        model, settings = self.model, settings or self.settings
        pairs = zip(model.factors, settings.sds, strict=True)
        spread = np.sqrt(sum(sd**2 for factor, sd in pairs if factor.name != "group"))
        steeper = 1.0 if group is None else settings.sensitivity[group]
        return BlurredCurve(
            model.likelihood.sigmoid, model.centre, steeper * self.slope, 0.0,
            float(steeper * spread),
        )  # fmt: skip

    def shares(self, z: Floats, shift: float, settings: DecisionSettings, group: int) -> Floats:
        """Return P(yes) about a group, of those who answer, at z of mean sensitivity.

        Over cues and wordings and both orders.
        """
        curve = self.curve(settings, group)
        tau, share = settings.indecision, settings.position
        room = 1 - settings.yes[group] - settings.no[group] - share
        both = settings.sensitivity[group] * np.stack([z + shift / 2, z - shift / 2])
        yes = settings.yes[group] + share / 2 + room * curve.core(both - tau).mean(axis=0)
        if tau == 0:
            return np.asarray(yes)
        no = settings.no[group] + share / 2 + room * curve.core(-both - tau).mean(axis=0)
        return np.asarray(yes / (yes + no))

    def first_share(self, shift: float, settings: DecisionSettings) -> float:
        """Return P(the option that is listed first) at indifference, of those who answer.

        The mean of the groups.
        """
        sign, groups = 1 if settings.prefers_first else -1, range(len(settings.yes))
        tau, share, first, second = settings.indecision, settings.position, 0.0, 0.0
        for group in groups:
            curve, half = self.curve(settings, group), settings.sensitivity[group] * shift / 2
            lapses = settings.yes[group] + settings.no[group]
            room = 1 - lapses - share
            first += lapses / 2 + room * float(curve.core(half - tau))
            second += lapses / 2 + room * float(curve.core(-half - tau))
        if sign > 0:
            first += share * len(groups)
        else:
            second += share * len(groups)
        return first / (first + second)

    @property
    def shift(self) -> float:
        """The coefficient b of the order; 0 with one order."""
        return float(self.x[self.model.curve.n_fixed - 1]) if self.model.has_order else 0.0

    def shift_weights(self) -> Floats:
        """Return the weights of b, shape (D,)."""
        weights = np.zeros(self.model.curve.size)
        if self.model.has_order:
            weights[self.model.curve.n_fixed - 1] = 1
        return weights

    def by_free(self, function: Callable[[DecisionSettings], Floats]) -> Floats:
        """Return the gradient by the free parameters, (..., M); 0 at a bound."""
        free, of_free = self.point.free, np.diag(self.spread.of_free)
        sides = []
        for m in range(len(free)):
            if of_free[m] == 0:
                sides.append(np.zeros_like(function(self.settings)))
                continue
            step = np.zeros(len(free))
            step[m] = _STEP
            ahead = function(self.model.settings(free + step))
            sides.append((ahead - function(self.model.settings(free - step))) / (2 * _STEP))
        if not sides:
            return np.zeros((*np.shape(function(self.settings)), 0))
        return np.stack(sides, axis=-1)
