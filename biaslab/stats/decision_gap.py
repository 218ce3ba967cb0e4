"""PSEs of groups and the gap between them, with intervals of two scopes.

``"population"`` speaks of other cues and wordings like these: their SDs are part of the
uncertainty. ``"these"`` speaks of just these cues and wordings, equally weighted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np

from biaslab.errors import PsychometricError
from biaslab.stats.decision_answers import DecisionAnswers
from biaslab.stats.decision_bounds import Side, sign_bound
from biaslab.stats.decision_curves import FittedDecisions
from biaslab.stats.fieller import Ratio
from biaslab.stats.levels import check_level
from biaslab.stats.sigmoids import Floats

Scope = Literal["population", "these"]
SCOPES: Final[tuple[Scope, ...]] = ("population", "these")


@dataclass(frozen=True)
class MarginTest:
    """One-sided p-values of a gap against a margin.

    Attributes
    ----------
    within : float
        Of a gap outside the margin: small where the groups are treated alike within it (two
        one-sided tests, Schuirmann 1987).
    below, above : float
        Of a gap not below the margin, and of one not above it: small where the gap lies beyond.
    """

    within: float
    below: float
    above: float


@dataclass(frozen=True)
class FittedGap:
    """PSEs and gaps of fitted decisions: see `biaslab.stats.decision_fit.DecisionFit`.

    Attributes
    ----------
    answers : DecisionAnswers
        Pooled.
    sides : tuple of str
        For each group ``below`` where it has yes at every level, so that its PSE lies below the
        levels, ``above`` where it never has, and otherwise nothing.
    reason : str
        Why there is no estimate; empty where there is one, of the gap and all else.
    dispersion : float
        Variance of the answers over the binomial one; fitted where they are probabilities.
    options : dict
        Of the fit, to make it again.
    """

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
            own = answers.group == place
            weights += fitted.effects("cue", *np.unique(answers.cue[own]))
            if answers.other_cue is not None:
                weights += fitted.effects("other_cue", *np.unique(answers.other_cue[own]))
            wordings = np.unique(answers.wording[own])
            weights += fitted.effects("wording", *wordings)
            cells = wordings * answers.n_groups + place
            weights += fitted.effects("wording by group", *cells)
            if answers.detail is not None:
                weights += fitted.effects("detail", *np.unique(answers.detail[own]))
        return weights

    def _ratio(self, scope: Scope, a: int, b: int) -> Ratio | None:
        """Return the gap between groups as a ratio, or the PSE of the only group."""
        one, two = self._weights(a, scope), self._weights(b if self._has_gap else a, scope)
        if self._fitted is None or one is None or two is None:
            return None
        if not self._has_gap:
            ratio = self._fitted.ratio(one)
            return replace(ratio, estimate=ratio.estimate + self._fitted.model.centre)
        return self._fitted.ratio(two - one)

    @property
    def _has_gap(self) -> bool:
        """Whether the gap is between PSEs, and not the PSE of a difference."""
        return len(self.sides) > 1

    def _pse_ratio(self, group: int, scope: Scope) -> Ratio | None:
        weights = self._weights(group, scope)
        if self._fitted is None or weights is None:
            return None
        ratio = self._fitted.ratio(weights)
        return replace(ratio, estimate=ratio.estimate + self._fitted.model.centre)

    @property
    def pse(self) -> Floats:
        """Level at which each group has yes as often as no, lapses and position aside, (G,)."""
        ratios = [self._pse_ratio(group, "population") for group in range(len(self.sides))]
        return np.array([np.nan if ratio is None else ratio.estimate for ratio in ratios])

    def pse_interval(self, level: float = 0.95, scope: Scope = "population") -> Floats:
        """Return the interval of each PSE, shape (G, 2).

        A group with one kind of answer has a one-sided bound instead, of the same level: see
        `biaslab.stats.decision_bounds.sign_bound`.
        """
        check_level(level)
        ends = np.full((len(self.sides), 2), np.nan)
        for group, side in enumerate(self.sides):
            ratio = self._pse_ratio(group, scope)
            if ratio is not None:
                ends[group] = ratio.interval(level)
            elif side == "below":
                ends[group] = -np.inf, sign_bound(self.answers, group, side, level)
            elif side == "above":
                ends[group] = sign_bound(self.answers, group, side, level), np.inf
        return ends

    def gap(self, a: int = 0, b: int = 1, scope: Scope = "population") -> float:
        """Return the PSE of group `b` less that of `a`; which of two: the PSE of the difference."""
        ratio = self._ratio(scope, a, b)
        return np.nan if ratio is None else ratio.estimate

    def gap_interval(
        self, level: float = 0.95, scope: Scope = "population", a: int = 0, b: int = 1
    ) -> tuple[float, float]:
        """Return Fieller's interval of the gap.

        Where a group has one kind of answer, the gap is bounded by the one-sided bounds of the two
        PSEs, each of half the error.
        """
        check_level(level)
        ratio = self._ratio(scope, a, b)
        if ratio is not None:
            return ratio.interval(level)
        if not self._has_gap:
            low, high = self.pse_interval(level, scope)[a]
            return float(low), float(high)
        ends = self.pse_interval((1 + level) / 2, scope)
        return float(ends[b, 0] - ends[a, 1]), float(ends[b, 1] - ends[a, 0])

    def gap_p(
        self,
        margin_low: float = 0.0,
        margin_high: float = 0.0,
        scope: Scope = "population",
        a: int = 0,
        b: int = 1,
    ) -> MarginTest:
        """Test the gap against a margin from `margin_low` to `margin_high`, both finite."""
        if not (np.isfinite(margin_low) and np.isfinite(margin_high)):
            raise PsychometricError(
                f"the margin is {margin_low} to {margin_high}: give two finite ends"
            )
        if margin_low > margin_high:
            raise PsychometricError("the margin's low end is above its high end: swap them")
        ratio = self._ratio(scope, a, b)
        if ratio is None:
            return MarginTest(np.nan, np.nan, np.nan)
        within = max(ratio.p_at_least(margin_high), ratio.p_at_most(margin_low))
        return MarginTest(within, ratio.p_at_least(margin_low), ratio.p_at_most(margin_high))

    def cue_pses(self, level: float = 0.95) -> Floats:
        """Return PSE, low and high end for each cue, (C, 3): shrunken toward its group's.

        A which-of-two PSE is that of the difference with this cue for one of the candidates. NaN
        for a cue without answers.
        """
        answers = self.answers
        others = answers.cue[:0] if answers.other_cue is None else answers.other_cue
        count = max(int(answers.cue.max(initial=-1)), int(others.max(initial=-1))) + 1
        found = np.full((count, 3), np.nan)
        for cue in np.unique(answers.cue):
            group = int(answers.group[np.argmax(answers.cue == cue)])
            found[cue] = self._shifted(group, level, ("cue", int(cue)))
        for cue in np.unique(others):
            found[cue] = self._shifted(0, level, ("other_cue", int(cue)))
        return found

    def wording_pses(self, level: float = 0.95) -> Floats:
        """Return PSE, low and high end for each wording and group, (W, G, 3): shrunken."""
        wordings, groups = int(self.answers.wording.max(initial=-1)) + 1, len(self.sides)
        found = np.full((wordings, groups, 3), np.nan)
        for wording in np.unique(self.answers.wording):
            for group, place in enumerate(self._place):
                if place is None or self._fitted is None:
                    continue
                cell = int(wording) * self._fitted.model.answers.n_groups + place
                effects = ("wording", int(wording)), ("wording by group", cell)
                found[wording, group] = self._shifted(group, level, *effects)
        return found

    def _shifted(self, group: int, level: float, *effects: tuple[str, int]) -> Floats:
        weights = self._weights(group, "population")
        if self._fitted is None or weights is None:
            return np.full(3, np.nan)
        for name, number in effects:
            weights = weights + self._fitted.effects(name, number)
        ratio, centre = self._fitted.ratio(weights), self._fitted.model.centre
        return np.array([ratio.estimate, *ratio.interval(level)]) + centre
