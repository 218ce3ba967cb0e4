"""Profile-likelihood intervals of the shares of answers that a quality does not decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy import special

from biaslab.stats.bounded_search import minimize
from biaslab.stats.decision_curves import FittedDecisions
from biaslab.stats.decision_search import DecisionSearch
from biaslab.stats.sigmoids import Floats

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
    place = fitted.model.names.index(name)
    estimate, best = float(fitted.point.free[place]), fitted.point.value
    wanted = float(np.sqrt(special.chdtri(1, 1 - level)))
    step = wanted * float(np.sqrt(max(fitted.spread.of_free[place, place], _LEAST)))
    low, high = float(fitted.search.low[place]), float(fitted.search.high[place])

    def side(search: DecisionSearch, inside: float, end: float) -> float:
        start, hessian = fitted.point.free, fitted.spread.hessian
        profile = _Profile(search, start, hessian, place, best, wanted)
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
            found = minimize(self._search.loss, begin, low, high, hessian=self._hessian, gain=_GAIN)
            self._at = found.x
            root = float(np.sqrt(2 * max(self._best + found.value, 0.0)))
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
