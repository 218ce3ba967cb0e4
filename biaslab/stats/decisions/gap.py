"""PSEs of groups and the gap between them, with intervals of two scopes.

``"population"`` speaks of other cues and wordings like these: their SDs are part of the
uncertainty. ``"these"`` speaks of just these cues and wordings, equally weighted, in other
questions about them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np
from scipy import special

from biaslab.errors import PsychometricError
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.decisions.answers import DecisionAnswers, Side, sign_bound
from biaslab.stats.decisions.cues import CueVariances, cue_variances
from biaslab.stats.decisions.likelihood import DecisionSettings
from biaslab.stats.decisions.model import DecisionModel
from biaslab.stats.decisions.prompts import PromptEffects, prompt_effects
from biaslab.stats.decisions.search import DecisionSearch, Point, Spread, spread_around
from biaslab.stats.mixed.fitted_curves import BlurredCurve, Ratio
from biaslab.stats.significance import check_level

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

    def ratio(self, weights: Floats, over: PromptEffects | CueVariances | None = None) -> Ratio:
        """Return minus a combination over the slope, in units of the levels.

        Parameters
        ----------
        weights : ndarray, shape (D,)
        over : PromptEffects or CueVariances, optional
            What varies otherwise than the fit takes it to.
        """
        first = np.zeros(self.model.curve.size)
        first[0] = 1
        slope, row, unit = self.row(first), self.row(weights), self.model.unit
        at = -self.value(weights) / self.x[0]
        rows, spread = np.stack([row + at * slope, slope]), self.spread
        own = spread.of(rows) if over is None else over.covariance(spread, rows)
        variance = max(float(own.whole[0, 0]), 1e-300)
        rest = max(variance - (own.apart[0] if own.apart else 0.0), 1e-300)
        df = spread.df(np.array(rest), own.change, own.parts)
        # As much as a slope is clear by its likelihood, its variance may not hide.
        of_slope = float(slope @ spread.covariance @ slope)
        clear = abs(self.x[0] / (self.slope_z or 1e-9)) / np.sqrt(max(of_slope, 1e-300))
        shrink = min(1.0, float(clear))
        return Ratio(
            float(at) * unit, float(self.x[0]), variance * unit**2,
            shrink * float(own.whole[0, 1]) * unit, shrink**2 * float(own.whole[1, 1]), float(df),
            own.apart and (own.apart[0] * unit**2, own.apart[1]),
        )  # fmt: skip

    @cached_property
    def prompts(self) -> PromptEffects:
        """Effects of prompts."""
        return prompt_effects(self.model, self.point, self.spread)

    @cached_property
    def cues(self) -> CueVariances | None:
        """Spread of the cues of each group."""
        return cue_variances(self.model, self.point)

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


Scope = Literal["population", "these"]
SCOPES: Final[tuple[Scope, ...]] = ("population", "these")


@dataclass(frozen=True)
class FittedGap:
    """PSEs and gaps of fitted decisions: see `biaslab.stats.decisions.fit.DecisionFit`."""

    answers: DecisionAnswers
    sides: tuple[Side, ...]
    reason: str
    dispersion: float
    options: dict[str, object]
    _fitted: FittedDecisions | None = field(repr=False, default=None)
    _place: tuple[int | None, ...] = field(repr=False, default=())
    """Number of each group in the fitted model, without those of one kind of answer."""

    @property
    def converged(self) -> bool:
        """Whether the search ended at a maximum."""
        return self._fitted is not None and self._fitted.converged

    @property
    def population(self) -> tuple[str, ...]:
        """What the scope ``population`` generalises over: the factors with several levels."""
        factors = () if self._fitted is None else self._fitted.model.factors
        names = {"other_cue": "cue", "wording by group": "wording"}
        kept = [names.get(f.name, f.name) for f in factors if f.name != "group"]
        return tuple(dict.fromkeys(kept))

    @property
    def sds(self) -> dict[str, float]:
        """SDs of the effects of cues, wordings and details on the PSE, in units of the levels."""
        if self._fitted is None:
            return {}
        pairs = zip(self._fitted.model.factors, self._fitted.settings.sds, strict=True)
        return {factor.sd_name: sd / self._fitted.slope for factor, sd in pairs}

    @property
    def slope_p(self) -> float:
        """Two-sided p-value of answers that do not depend on the level (likelihood ratio)."""
        return np.nan if self._fitted is None else self._fitted.slope_p

    def _weights(self, group: int, scope: Scope) -> Floats | None:
        """Return the weights of a group's intercept; None where it has no PSE."""
        if scope not in SCOPES:
            raise PsychometricError(f"no scope {scope!r}: choose {' or '.join(SCOPES)}")
        if not 0 <= group < len(self.sides):
            raise PsychometricError(f"no group {group}: there are {len(self.sides)}, from 0")
        fitted, place = self._fitted, self._place[group] if self._place else None
        if fitted is None or place is None:
            return None
        weights = fitted.intercept(place)
        if scope == "these":
            answers = fitted.model.answers
            in_group = answers.group == place
            weights += fitted.effects("cue", *np.unique(answers.cue[in_group]))
            if answers.other_cue is not None:
                weights += fitted.effects("other_cue", *np.unique(answers.other_cue[in_group]))
            wordings = np.unique(answers.wording[in_group])
            weights += fitted.effects("wording", *wordings)
            cells = wordings * answers.n_groups + place
            weights += fitted.effects("wording by group", *cells)
            if answers.detail is not None:
                weights += fitted.effects("detail", *np.unique(answers.detail[in_group]))
        return weights

    def _ratio(self, scope: Scope, a: int, b: int | None = None) -> Ratio | None:
        """Return the PSE of a group, or the gap from it to another, as a ratio."""
        fitted = self._fitted
        weights = [self._weights(group, scope) for group in (a, b) if group is not None]
        known = [each for each in weights if each is not None]
        if fitted is None or len(known) < len(weights):
            return None
        centre = 0.0 if len(known) > 1 else fitted.model.centre
        combination = known[-1] - (known[0] if len(known) > 1 else 0.0)
        over = fitted.prompts if scope == "these" else fitted.cues
        ratio = fitted.ratio(combination, over)
        ratio = replace(ratio, estimate=ratio.estimate + centre)
        if scope == "these":
            return ratio
        # Nobody knows other cues and wordings better than these.
        these = self._ratio("these", a, b)
        if these is None or these.reach <= ratio.reach:
            return ratio
        return replace(these, estimate=ratio.estimate)

    @property
    def _has_gap(self) -> bool:
        """Whether the gap is between PSEs, and not the PSE of a difference."""
        return len(self.sides) > 1

    @property
    def pse(self) -> Floats:
        """Level at which each group has yes as often as no, lapses and position aside, (G,)."""
        ratios = [self._ratio("population", group) for group in range(len(self.sides))]
        return np.array([np.nan if ratio is None else ratio.estimate for ratio in ratios])

    def pse_interval(self, level: float = 0.95, scope: Scope = "population") -> Floats:
        """Return the interval of each PSE, shape (G, 2).

        A group with one kind of answer has a one-sided bound instead, of the same level: see
        `biaslab.stats.decisions.answers.sign_bound`.
        """
        check_level(level)
        intervals = np.full((len(self.sides), 2), np.nan)
        for group, side in enumerate(self.sides):
            ratio = self._ratio(scope, group)
            if ratio is not None:
                intervals[group] = ratio.interval(level)
            elif side == "below":
                intervals[group] = -np.inf, sign_bound(self.answers, group, side, level)
            elif side == "above":
                intervals[group] = sign_bound(self.answers, group, side, level), np.inf
        return intervals

    def gap(self, a: int = 0, b: int = 1, scope: Scope = "population") -> float:
        """Return the PSE of group `b` less that of `a`; which of two: the PSE of the difference."""
        ratio = self._ratio(scope, a, b if self._has_gap else None)
        return np.nan if ratio is None else ratio.estimate

    def gap_interval(
        self, level: float = 0.95, scope: Scope = "population", a: int = 0, b: int = 1
    ) -> tuple[float, float]:
        """Return Fieller's interval of the gap.

        Where a group has one kind of answer, the gap is bounded by the one-sided bounds of the two
        PSEs, each of half the error.
        """
        check_level(level)
        ratio = self._ratio(scope, a, b if self._has_gap else None)
        if ratio is not None:
            return ratio.interval(level)
        if not self._has_gap:
            low, high = self.pse_interval(level, scope)[a]
            return float(low), float(high)
        intervals = self.pse_interval((1 + level) / 2, scope)
        return float(intervals[b, 0] - intervals[a, 1]), float(intervals[b, 1] - intervals[a, 0])

    def gap_variance(self, scope: Scope = "population", a: int = 0, b: int = 1) -> float:
        """Return the variance of the gap's estimate; NaN where there is none."""
        ratio = self._ratio(scope, a, b if self._has_gap else None)
        return np.nan if ratio is None else ratio.variance / ratio.slope**2

    def gap_information(self, share: float, a: int = 0, b: int = 1) -> float:
        """Return the information about the gap, as a share of that after all planned questions.

        The part of the variance that answers leave falls with their number, what cues and wordings
        add stays: so the information is above the share of the questions.

        Parameters
        ----------
        share : float
            Of the planned questions, in (0, 1].

        Returns
        -------
        float
            In (0, 1]; `share` where there is no gap.
        """
        whole = self.gap_variance("population", a, b)
        if not whole > 0:
            return share
        of_answers = min(self.gap_variance("these", a, b), whole)
        return float(1 - of_answers / whole * (1 - share))

    def cue_pses(self, level: float = 0.95) -> Floats:
        """Return PSE, low and high end for each cue, (C, 3): shrunken toward its group's.

        A which-of-two PSE is that of the difference with this cue for one of the candidates. NaN
        for a cue without answers.
        """
        answers = self.answers
        others = answers.cue[:0] if answers.other_cue is None else answers.other_cue
        count = max(int(answers.cue.max(initial=-1)), int(others.max(initial=-1))) + 1
        pses = np.full((count, 3), np.nan)
        for cue in np.unique(answers.cue):
            group = int(answers.group[np.argmax(answers.cue == cue)])
            pses[cue] = self._shifted(group, level, ("cue", int(cue)))
        for cue in np.unique(others):
            pses[cue] = self._shifted(0, level, ("other_cue", int(cue)))
        return pses

    def _shifted(self, group: int, level: float, *effects: tuple[str, int]) -> Floats:
        weights = self._weights(group, "population")
        if self._fitted is None or weights is None:
            return np.full(3, np.nan)
        for name, number in effects:
            weights = weights + self._fitted.effects(name, number)
        ratio, centre = self._fitted.ratio(weights), self._fitted.model.centre
        return np.array([ratio.estimate, *ratio.interval(level)]) + centre
