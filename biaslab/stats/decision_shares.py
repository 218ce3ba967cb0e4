"""Sensitivity and shares of yes that follow from fitted decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from biaslab.stats.decision_gap import FittedGap
from biaslab.stats.jnd import Convention, check_convention
from biaslab.stats.levels import check_level
from biaslab.stats.quantiles import chi2_quantile, t_quantile
from biaslab.stats.sigmoids import Floats


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
        found = self._shares(at, group)
        if found is None:
            return np.full((3, len(at)), np.nan)
        share, rows = found
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
