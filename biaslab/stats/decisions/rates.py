"""Shares of answers of fitted decisions: yes at a level, and answers it does not decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from biaslab.errors import PsychometricError
from biaslab.stats.curves.jnd import Convention, check_convention
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.decisions.gap import FittedDecisions, FittedGap
from biaslab.stats.decisions.model import LEAST_RATE
from biaslab.stats.decisions.search import DecisionSearch
from biaslab.stats.mixed.bounded_search import minimize
from biaslab.stats.quantiles import chi2_quantile, t_quantile
from biaslab.stats.significance import check_level


@dataclass(frozen=True)
class FittedShares(FittedGap):
    """A `FittedGap` with its curves: JND, shares at levels, impact ratios."""

    def jnd(self, convention: Convention = "quartile") -> float:
        """JND of the population's curve, which includes the spread of cues and wordings."""
        check_convention(convention)
        return np.nan if self._fitted is None else self._fitted.curve().jnd(convention)

    def own_jnd(self, convention: Convention = "quartile") -> float:
        """JND for one cue in one wording: the sensitivity of a single curve."""
        check_convention(convention)
        if self._fitted is None:
            return np.nan
        return replace(self._fitted.curve(), spread=0.0).jnd(convention)

    def jnd_interval(
        self, level: float = 0.95, convention: Convention = "quartile"
    ) -> tuple[float, float]:
        """Return the interval of `jnd`: a scaled chi-square of its square."""
        check_level(level)
        fitted = self._fitted
        if fitted is None:
            return np.nan, np.nan
        first = np.zeros(fitted.model.curve.size)
        first[0] = -1 / fitted.x[0]
        row = fitted.row(first)
        row[fitted.model.curve.size :] += fitted.by_free(
            lambda s: np.asarray(np.log(fitted.curve(s).jnd(convention)))
        )
        variance = float(fitted.spread.variances(row)[0])
        df, width = 1 / (2 * variance), self.jnd(convention)
        if df < 1:
            return 0.0, np.inf
        low, high = (
            width * np.sqrt(df / float(chi2_quantile(df, p)))
            for p in ((1 + level) / 2, (1 - level) / 2)
        )
        return float(low), float(high)

    def share_interval(self, levels: ArrayLike, group: int = 0, level: float = 0.95) -> Floats:
        """Return a group's share of yes at levels, with its pointwise interval.

        Over cues and wordings like these and both orders; of those who answer.

        Returns
        -------
        ndarray, shape (3, L)
            Share, low and high end.
        """
        check_level(level)
        at = np.atleast_1d(np.asarray(levels, dtype=float))
        shares = self._shares(at, group)
        if shares is None:
            return np.full((3, len(at)), np.nan)
        share, rows = shares
        assert self._fitted is not None  # noqa: S101 - there are rows
        variance, df = self._fitted.spread.variances(rows / np.maximum(1 - share, 1e-12)[:, None])
        half = t_quantile(df, (1 + level) / 2) * np.sqrt(variance)
        logit = special.logit(np.clip(share, 1e-15, 1 - 1e-15))
        return np.stack([share, special.expit(logit - half), special.expit(logit + half)])

    def _shares(self, levels: Floats, group: int) -> tuple[Floats, Floats] | None:
        """Return a group's shares, and the gradients of their logarithms, (L, D + M)."""
        fitted, weights = self._fitted, self._weights(group, "population")
        place = self._place[group] if self._place else None
        if fitted is None or weights is None or place is None:
            return None
        t = (levels - fitted.model.centre) / fitted.model.unit
        z, settings, step = fitted.x[0] * t + fitted.value(weights), fitted.settings, 1e-4
        share = fitted.shares(z, fitted.shift, settings, place)
        by_z = fitted.shares(z + step, fitted.shift, settings, place)
        by_z = (by_z - fitted.shares(z - step, fitted.shift, settings, place)) / (2 * step)
        by_shift = fitted.shares(z, fitted.shift + step, settings, place)
        by_shift = (by_shift - fitted.shares(z, fitted.shift - step, settings, place)) / (2 * step)
        first = np.zeros(fitted.model.curve.size)
        first[0] = 1
        rows = by_z[:, None] * (t[:, None] * fitted.row(first) + fitted.row(weights))
        rows += by_shift[:, None] * fitted.row(fitted.shift_weights())
        rows[:, fitted.model.curve.size :] += fitted.by_free(
            lambda s: fitted.shares(z, fitted.shift, s, place)
        )
        return share, rows / np.maximum(share, 1e-12)[:, None]

    def impact_ratio(
        self, at: float, a: int = 0, b: int = 1, level: float = 0.95
    ) -> tuple[float, float, float]:
        """Return the share of yes of group `b` over that of `a` at a level, with its interval.

        By the delta method on the logarithm. The four-fifths rule of the US Uniform Guidelines on
        Employee Selection Procedures (1978) compares it with 0.8. NaN in the which-of-two form.
        """
        check_level(level)
        if not self._has_gap:
            return np.nan, np.nan, np.nan
        one, two = (self._shares(np.array([float(at)]), g) for g in (a, b))
        if self._fitted is None or one is None or two is None:
            return np.nan, np.nan, np.nan
        variance, df = self._fitted.spread.variances(two[1][0] - one[1][0])
        half = float(t_quantile(df, (1 + level) / 2)) * float(np.sqrt(variance))
        ratio = float(two[0][0] / one[0][0])
        return ratio, ratio * float(np.exp(-half)), ratio * float(np.exp(half))


_TOLERANCE: Final = 5e-3
"""Of the root of the likelihood ratio, whose limit is 1.96 for an interval of 95 %."""
_STEPS: Final = 12
_GAIN: Final = 1e-4
_LEAST: Final = 1e-4


def profile_interval(fitted: FittedDecisions, name: str, level: float) -> tuple[float, float]:
    """Return the values of a rate or the indecision that a likelihood-ratio test does not reject.

    The other parameters are at their best along the way.

    Parameters
    ----------
    fitted : FittedDecisions
    name : str
        Of the free parameter. A share of answers by position can turn to the other position:
        then the low end is below 0.
    level : float
        In (0, 1).
    """
    index = fitted.model.names.index(name)
    estimate, best = float(fitted.point.free[index]), fitted.point.value
    wanted = float(np.sqrt(special.chdtri(1, 1 - level)))
    step = wanted * float(np.sqrt(max(fitted.spread.of_free[index, index], _LEAST)))
    low, high = float(fitted.search.low[index]), float(fitted.search.high[index])

    def side(search: DecisionSearch, inside: float, end: float) -> float:
        start, hessian = fitted.point.free, fitted.spread.hessian
        profile = _Profile(search, start, hessian, index, best, wanted)
        return _crossing(profile.excess, inside, end, step)

    upper, lower = side(fitted.search, estimate, high), side(fitted.search, estimate, low)
    if name != "position" or lower > low:
        return float(np.exp(lower)), float(np.exp(upper))
    turned = side(DecisionSearch(fitted.model.turned()), low, high)
    return -float(np.exp(turned)), float(np.exp(upper))


class _Profile:
    """The root of the likelihood ratio along one parameter, the others at their best.

    Each search begins where the one before it ended, so it serves one side only.
    """

    def __init__(
        self,
        search: DecisionSearch,
        start: Floats,
        hessian: Floats,
        place: int,
        best: float,
        wanted: float,
    ) -> None:
        self._search, self._hessian, self._place = search, hessian, place
        self._best, self._wanted = best, wanted
        self._at = start
        self._known: dict[float, float] = {}

    def excess(self, value: float) -> float:
        """Return how far the root lies beyond the limit, at a value of the parameter."""
        if value not in self._known:
            low, high = self._search.low.copy(), self._search.high.copy()
            low[self._place] = high[self._place] = value
            begin = np.clip(self._at, low, high)
            point = minimize(self._search.loss, begin, low, high, hessian=self._hessian, gain=_GAIN)
            self._at = point.x
            root = float(np.sqrt(2 * max(self._best + point.value, 0.0)))
            self._known[value] = root - self._wanted
        return self._known[value]


def _crossing(excess: Callable[[float], float], inside: float, end: float, step: float) -> float:
    """Return where the excess is 0 between a value inside and an end, or the end.

    The root of a likelihood ratio is nearly linear: secants meet its limit in a few steps.
    """
    direction = float(np.sign(end - inside))
    if direction == 0:
        return end
    reach = abs(end - inside)
    near, far = 0.0, min(step, reach)
    below, above = excess(inside), excess(inside + direction * far)
    while above <= 0:
        if far >= reach:
            return end
        near, below = far, above
        far = min(2 * far, reach)
        above = excess(inside + direction * far)
    for _ in range(_STEPS):
        at = near + (far - near) * np.clip(-below / (above - below), 0.05, 0.95)
        here = excess(inside + direction * float(at))
        if abs(here) < _TOLERANCE:
            return inside + direction * float(at)
        near, below, far, above = (
            (near, below, float(at), here) if here > 0 else (float(at), here, far, above)
        )
    return inside + direction * (near + far) / 2


Rate = Literal["lapse_yes", "lapse_no", "position_share", "indecision"]
_ROUNDING: Final = 1e-6
RATES: Final[tuple[Rate, ...]] = ("lapse_yes", "lapse_no", "position_share", "indecision")


@dataclass(frozen=True)
class FittedRates(FittedShares):
    """A `FittedShares` with position, lapses and indecision."""

    @property
    def has_orders(self) -> bool:
        """Whether both orders occur, so that a preference for a position can show."""
        return self._fitted is not None and self._fitted.model.has_order

    def position(self, level: float = 0.95) -> tuple[float, float, float]:
        """Return P(the option listed first) at indifference, of those who answer, with interval."""
        check_level(level)
        fitted = self._fitted
        if fitted is None or not fitted.model.has_order:
            return np.nan, np.nan, np.nan
        share, step = fitted.first_share(fitted.shift, fitted.settings), 1e-4
        by_shift = fitted.first_share(fitted.shift + step, fitted.settings)
        by_shift = (by_shift - fitted.first_share(fitted.shift - step, fitted.settings)) / 2 / step
        row = by_shift * fitted.row(fitted.shift_weights())
        row[fitted.model.curve.size :] += fitted.by_free(
            lambda s: np.asarray(fitted.first_share(fitted.shift, s))
        )
        variance, df = fitted.spread.variances(row / (share * (1 - share)))
        half = float(t_quantile(df, (1 + level) / 2)) * float(np.sqrt(variance))
        logit = float(special.logit(share))
        return share, float(special.expit(logit - half)), float(special.expit(logit + half))

    def rate(self, name: Rate, group: int | None = None) -> float:
        """Return a share of answers that does not depend on the level, or the indecision.

        Parameters
        ----------
        name : str
            ``lapse_yes``, ``lapse_no``: answers yes and no whatever the level, in [0, 0.45];
            ``position_share``: answers by position alone, above 0 for the first option, below 0
            for the second; ``indecision``: half the width of the range of levels in which the
            subject cannot say, in units of the levels. NaN for what was not fitted.
        group : int, optional
            Whose lapses; by default the mean of all groups.
        """
        rates = [self._rate_of(name, place) for place in self._places(name, group)]
        return float(np.mean(rates)) if rates else np.nan

    def rate_interval(
        self, name: Rate, level: float = 0.95, group: int | None = None
    ) -> tuple[float, float]:
        """Return the profile-likelihood interval of a `rate`; it begins at 0 where 0 fits.

        That of a mean of groups combines theirs, by the distances of their ends from the
        estimates (Zou and Donner 2008, "Construction of confidence limits about effect measures",
        Statistics in Medicine 27:1693).
        """
        check_level(level)
        fitted, ends = self._fitted, []
        for place in self._places(name, group):
            assert fitted is not None  # noqa: S101 - there is a parameter
            known, key = fitted.profile_intervals, (fitted.model.names[place], level)
            if key not in known:
                known[key] = profile_interval(fitted, *key)
            ends.append(sorted(self._scaled(name, end) for end in known[key]))
        if not ends:
            return np.nan, np.nan
        each = np.array([self._rate_of(name, place) for place in self._places(name, group)])
        low, high = np.array(ends).T
        below, above = (float(np.linalg.norm(each - end)) / len(each) for end in (low, high))
        return float(each.mean()) - below, float(each.mean()) + above

    def slope_ratio(
        self, a: int = 0, b: int = 1, level: float = 0.95
    ) -> tuple[float, float, float]:
        """Return how much steeper the curve of group `b` is than that of `a`, with its interval.

        1 where they share their slope; NaN where a group has no curve.
        """
        check_level(level)
        fitted = self._fitted
        one, two = (self._place[g] if self._place else None for g in (a, b))
        if fitted is None or one is None or two is None:
            return np.nan, np.nan, np.nan
        row = np.zeros(len(fitted.x) + len(fitted.model.names))
        for m, parameter in enumerate(fitted.model.parameters):
            if parameter.kind == "sensitivity":
                column = fitted.model.contrasts[:, parameter.group]
                row[len(fitted.x) + m] = column[two] - column[one]
        variance, _ = fitted.spread.variances(row)
        ratio = fitted.settings.sensitivity[two] / fitted.settings.sensitivity[one]
        half = float(special.ndtri((1 + level) / 2)) * float(np.sqrt(variance))
        return ratio, ratio * float(np.exp(-half)), ratio * float(np.exp(half))

    def _places(self, name: str, group: int | None) -> list[int]:
        """Return the places of the free parameters behind a rate, one or one for each group."""
        if name not in RATES:
            raise PsychometricError(f"no rate {name!r}: choose one of {', '.join(RATES)}")
        if group is not None and not 0 <= group < len(self.sides):
            raise PsychometricError(f"no group {group}: there are {len(self.sides)}, from 0")
        if self._fitted is None:
            return []
        kinds = {"lapse_yes": ("yes", "lapse"), "lapse_no": ("no", "lapse")}.get(
            name, ("position",) if name == "position_share" else ("indecision",)
        )
        wanted = None if group is None else self._place[group]
        if group is not None and wanted is None:
            return []
        return [
            m
            for m, parameter in enumerate(self._fitted.model.parameters)
            if parameter.kind in kinds
            and (wanted is None or parameter.group is None or parameter.group == wanted)
        ]

    def _rate_of(self, name: str, place: int) -> float:
        assert self._fitted is not None  # noqa: S101 - callers have one
        return self._scaled(name, float(np.exp(self._fitted.point.free[place])))

    def _scaled(self, name: str, value: float) -> float:
        """Return a parameter as a share of answers, with its sign, or in units of the levels."""
        assert self._fitted is not None  # noqa: S101 - callers have one
        if name == "indecision":
            return value / self._fitted.slope
        if abs(value) <= LEAST_RATE * (1 + _ROUNDING):
            return 0.0
        second = name == "position_share" and not self._fitted.model.prefers_first
        return -value if second else value
