"""Answers that the quality does not decide: position, lapses, indecision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy import special

from biaslab.errors import PsychometricError
from biaslab.stats.decision_parameters import LEAST_RATE
from biaslab.stats.decision_shares import FittedShares
from biaslab.stats.levels import check_level
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.setting_intervals import profile_interval

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

    def order_shift(self, level: float = 0.95) -> tuple[float, float, float]:
        """Return how far the PSE moves if yes is listed first, in levels, with Fieller's interval.

        Below 0 where that makes yes more frequent: -b / s.
        """
        check_level(level)
        if self._fitted is None or not self._fitted.model.has_order:
            return np.nan, np.nan, np.nan
        ratio = self._fitted.ratio(self._fitted.shift_weights())
        return ratio.estimate, *ratio.interval(level)

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
        found = [self._rate_of(name, place) for place in self._places(name, group)]
        return float(np.mean(found)) if found else np.nan

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
