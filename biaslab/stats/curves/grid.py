"""Grids of psychometric curves: PSE, scale, guess rate and lapse rate.

A grid has the same number of points for each of C curves, and each curve has axes of its own, so
that a grid can follow its curve's posterior.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import PsychometricError
from biaslab.stats.curves.curve_fit import HIGHEST_RATE
from biaslab.stats.curves.sigmoids import Floats, Sigmoid, get_sigmoid

Rows = NDArray[np.intp]
RateSetting = Literal["free", "equal", "none"]
PseOf = Literal["psi", "core"]
"""A PSE is where the whole curve is 1/2, or where it is without guesses and lapses."""

_CELLS: Final = (49, 15, 7, 7)
"""Points of PSE, log scale, guess and lapse rate."""
_ARRAYS: Final = ("pse", "scale", "guess", "lapse", "log_prior", "shift")


@dataclass(frozen=True)
class CurveGrid:
    """Points of C curves' parameters.

    Attributes
    ----------
    sigmoid : Sigmoid
        Family, on a linear axis.
    pse : ndarray, shape (C, M)
    scale : ndarray, shape (C, S)
        Above 0.
    guess, lapse : ndarray, shape (C, R)
        Combinations of the two rates.
    log_prior : ndarray, shape (C, R)
        Log prior weight of each combination; all PSEs and scales weigh the same.
    shift : ndarray, shape (C, R) or (C, 1)
        Where on the standard sigmoid the PSE lies: at its median where the PSE is that of F.
    """

    sigmoid: Sigmoid
    pse: Floats
    scale: Floats
    guess: Floats
    lapse: Floats
    log_prior: Floats
    shift: Floats

    @classmethod
    def of_points(
        cls,
        pse: ArrayLike,
        scale: ArrayLike,
        guess: ArrayLike = 0.0,
        lapse: ArrayLike = 0.0,
        *,
        family: str = "normal",
        of: PseOf = "core",
    ) -> CurveGrid:
        """Return the grid of one curve with all combinations of these points, equally likely.

        Parameters
        ----------
        pse, scale, guess, lapse : array_like, shape (n,)
            Each ascending; scales above 0, rates in [0, 1).
        family : str
            See `biaslab.stats.curves.sigmoids`.
        of : str
            Whether the PSE is that of the whole curve or of F.

        Raises
        ------
        PsychometricError
            If a point is out of range.
        """
        axes = [np.atleast_1d(np.asarray(a, dtype=float)) for a in (pse, scale, guess, lapse)]
        if not (axes[1] > 0).all():
            raise PsychometricError("a scale of the grid is 0 or less: give scales above 0")
        guesses, lapses = np.array(list(product(*axes[2:]))).T
        if min(guesses.min(), lapses.min()) < 0 or (guesses + lapses).max() >= 1:
            raise PsychometricError(
                "guess and lapse rates of the grid must be 0 or more, and together below 1"
            )
        if of == "psi" and max(guesses.max(), lapses.max()) >= 0.5:
            raise PsychometricError(
                "a curve with a guess or lapse rate of 1/2 never crosses 1/2: give lower rates"
            )
        return cls.made(
            get_sigmoid(family), axes[0][None], axes[1][None], guesses[None], lapses[None],
            np.zeros((1, len(guesses))), of,
        )  # fmt: skip

    @classmethod
    def made(
        cls,
        sigmoid: Sigmoid,
        pse: Floats,
        scale: Floats,
        guess: Floats,
        lapse: Floats,
        log_prior: Floats,
        of: PseOf,
    ) -> CurveGrid:
        """Return a grid of points of this shape: see the attributes."""
        if of == "core":
            shift = np.full((len(pse), 1), sigmoid.median)
        else:
            shift = np.asarray(sigmoid.ppf((0.5 - guess) / (1 - guess - lapse)))
        return cls(sigmoid, pse, scale, guess, lapse, log_prior, shift)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of PSEs, scales and combinations of rates."""
        return self.pse.shape[1], self.scale.shape[1], self.guess.shape[1]

    @property
    def size(self) -> int:
        """Number of points."""
        return int(np.prod(self.shape))

    def repeat(self, curves: int) -> CurveGrid:
        """Return the grid of one curve for many."""
        return self._each(lambda values: np.repeat(values, curves, axis=0))

    def take(self, rows: Rows | slice) -> CurveGrid:
        """Return the grids of some curves."""
        return self._each(lambda values: values[rows])

    def put(self, rows: Rows, other: CurveGrid) -> None:
        """Replace the grids of some curves in place."""
        for name in _ARRAYS:
            getattr(self, name)[rows] = getattr(other, name)

    def _each(self, change: Callable[[Floats], Floats]) -> CurveGrid:
        return CurveGrid(self.sigmoid, *(change(getattr(self, name)) for name in _ARRAYS))

    def away(self, levels: Floats) -> Floats:
        """Return how many scales levels, (C, X), are from the PSEs: shape (C, M, S, X)."""
        distance = levels[:, None, None, :] - self.pse[:, :, None, None]
        return distance / self.scale[:, None, :, None]

    def share(self, levels: Floats) -> Floats:
        """Return P(cue 2) at levels of shape (C, X), a row per curve: shape (C, M, S, R, X)."""
        core = self.sigmoid.cdf(self.away(levels)[..., None, :] + _last(self.shift))
        guess, lapse = _last(self.guess), _last(self.lapse)
        return np.asarray(guess + (1 - guess - lapse) * core)


def _last(rates: Floats) -> Floats:
    """Values per combination of rates, shaped for (C, M, S, R, X)."""
    return rates[:, None, None, :, None]


@dataclass(frozen=True)
class CurvePrior:
    """Prior of a curve: flat in PSE and log scale, Beta(1, `rate_prior`) in free rates.

    Attributes
    ----------
    sigmoid : Sigmoid
        Family, on a linear axis.
    low, high : ndarray, shape (4,)
        Bounds of PSE, log scale, guess rate and lapse rate; a fixed rate has equal bounds.
    of : str
        Whether the PSE is that of the whole curve or of F.
    equal : bool
        Whether the lapse rate is the guess rate.
    rate_prior : float
        At least 1; 1 is flat.
    """

    sigmoid: Sigmoid
    low: Floats
    high: Floats
    of: PseOf = "psi"
    equal: bool = False
    rate_prior: float = 1.0

    @classmethod
    def over(
        cls,
        levels: Floats,
        family: str = "normal",
        rates: RateSetting = "free",
        rate_prior: float = 1.0,
        of: PseOf = "psi",
    ) -> CurvePrior:
        """Return the prior of `biaslab.stats.intervals`, for ascending levels.

        The PSE is within the levels' range, extended by half of it on either side; the scale from
        a tenth of the smallest step to twice the range.

        Raises
        ------
        PsychometricError
            If there are fewer than two levels, or the prior of the rates is below 1.
        """
        if levels.size < 2 or not (np.diff(levels) > 0).all():
            raise PsychometricError("a prior needs two or more levels, in ascending order")
        if not rate_prior >= 1:
            raise PsychometricError(f"rate_prior is {rate_prior}: it must be 1 or more")
        span = levels[-1] - levels[0]
        highest = 0.0 if rates == "none" else HIGHEST_RATE
        low = [levels[0] - span / 2, np.log(np.diff(levels).min() / 10), 0.0, 0.0]
        high = [levels[-1] + span / 2, np.log(2 * span), highest, highest]
        sigmoid = get_sigmoid(family)
        equal = rates == "equal"
        return cls(sigmoid, np.array(low), np.array(high), of, equal, float(rate_prior))

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """Number of points of each parameter; 1 of a fixed one."""
        m, s, g, h = (n if self.high[i] > self.low[i] else 1 for i, n in enumerate(_CELLS))
        return m, s, g, 1 if self.equal else h

    def grid(self, low: Floats, high: Floats) -> CurveGrid:
        """Return the grid of cells' centres within bounds of shape (C, 4)."""
        pse, log_scale, guess, lapse = (
            low[:, i, None] + (np.arange(n) + 0.5) / n * (high - low)[:, i, None]
            for i, n in enumerate(self.cells)
        )
        if self.equal:
            lapse, log_density = guess, np.log1p(-guess)
        else:
            g, h = self.cells[2:]
            guess, lapse = np.repeat(guess, h, axis=1), np.tile(lapse, (1, g))
            log_density = np.log1p(-guess) + np.log1p(-lapse)
        log_prior = (self.rate_prior - 1) * log_density
        return CurveGrid.made(
            self.sigmoid, pse, np.exp(log_scale), guess, lapse, log_prior, self.of
        )
