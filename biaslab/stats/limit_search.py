"""Searches, many at once, for the value where a profile likelihood has lost so much.

A search goes outward from an estimate until the loss is past its target, and then closes in by the
loss's slope. Quick refits may miss another maximum: where thorough ones end higher at the limit,
the search is repeated with these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.scoring import Rows
from biaslab.stats.sigmoids import Floats

# Root of twice the loss of log-likelihood at values of some curves (by their rows), and its slope;
# the last argument says whether refits begin in several places.
Loss: TypeAlias = Callable[[Floats, Rows, bool], tuple[Floats, Floats]]

_DOUBLINGS: Final = 30
_REFINEMENTS: Final = 25
_HALVE_EACH: Final = 4
# So near the target the loss is a line for all purposes: the slope gives the rest.
_CLOSE: Final = 1e-3
# The first step is so many standard errors for each of the target, the next ones so much further
# than the slope says: most searches then have the limit between two values at once. Steps grow in
# any case, as a loss that levels off would never be passed.
_FIRST_STEP: Final = 1.1
_PAST: Final = 1.1
_LEAST_GROWTH: Final = 1.2
# A loss that falls by so much with other starts was not the least.
_LESS: Final = 1e-4
_TINY: Final = 1e-100


def search_limits(loss: Loss, begin: Floats, step: Floats, end: Floats, target: Floats) -> Floats:
    """Search the nearest values where the loss reaches the target, with each step's sign.

    Refits are quick, and thorough in a second search where these end higher.
    """
    result = _outward(lambda value, rows: loss(value, rows, False), begin, step, end, target)
    rows = np.flatnonzero(np.isfinite(result))
    least, _ = loss(result[rows], rows, True)
    again = rows[least < target[rows] - _LESS]
    if again.size:
        result[again] = _outward(
            lambda value, rows: loss(value, again[rows], True),
            begin[again], step[again], end[again], target[again],
        )  # fmt: skip
    return result


def _outward(
    loss: Callable[[Floats, Rows], tuple[Floats, Floats]],
    begin: Floats,
    step: Floats,
    end: Floats,
    target: Floats,
) -> Floats:
    """Go outward, where the target is by the slope or in doubling steps, and then close in."""
    forward = np.sign(step)
    inner, outer = _Ends.at(begin), _Ends.at(begin)
    length = _FIRST_STEP * np.abs(step) * target
    result = forward * np.inf
    rows: NDArray[np.intp] = np.arange(len(begin))
    bracketed = np.zeros(len(begin), dtype=bool)
    for _ in range(_DOUBLINGS):
        ahead = outer.value[rows] + forward[rows] * length[rows]
        beyond = forward[rows] * (ahead - end[rows]) >= 0
        value = np.where(beyond, end[rows], ahead)
        outer.put(rows, value, *loss(value, rows))
        crossed = outer.loss[rows] >= target[rows]
        bracketed[rows[crossed]] = True
        rows = rows[~crossed & ~beyond]
        if not rows.size:
            break
        inner.put(rows, outer.value[rows], outer.loss[rows], outer.slope[rows])
        further = _PAST * (target[rows] - outer.loss[rows])
        rise = np.maximum(forward[rows] * outer.slope[rows], _TINY)
        length[rows] *= np.clip(further / rise / length[rows], _LEAST_GROWTH, 2)

    rows = np.flatnonzero(bracketed)
    result[rows] = _close_in(loss, rows, inner.take(rows), outer.take(rows), target[rows])
    return result


@dataclass(frozen=True)
class _Ends:
    """One end of each bracket: values, the root losses there and their slopes, shape (C,)."""

    value: Floats
    loss: Floats
    slope: Floats

    @classmethod
    def at(cls, value: Floats) -> _Ends:
        """Estimates, where nothing is lost."""
        return cls(value.copy(), np.zeros_like(value), np.zeros_like(value))

    def put(self, rows: Rows, value: Floats, loss: Floats, slope: Floats) -> None:
        """Replace some."""
        self.value[rows], self.loss[rows], self.slope[rows] = value, loss, slope

    @property
    def parts(self) -> tuple[Floats, Floats, Floats]:
        """All three."""
        return self.value, self.loss, self.slope

    def take(self, rows: Rows) -> _Ends:
        """Copy some."""
        return _Ends(self.value[rows], self.loss[rows], self.slope[rows])


def _close_in(
    loss: Callable[[Floats, Rows], tuple[Floats, Floats]],
    rows: NDArray[np.intp],
    inner: _Ends,
    outer: _Ends,
    target: Floats,
) -> Floats:
    """Close in on the crossing between two values by Newton's steps from the end nearer to it.

    A step that would leave the bracket, and every fourth one, halves the bracket instead: the loss
    may jump where another maximum takes over.
    """
    result = outer.value.copy()
    open_: NDArray[np.intp] = np.arange(len(rows))
    for refinement in range(_REFINEMENTS):
        if not open_.size:
            break
        below, above, wanted = inner.take(open_), outer.take(open_), target[open_]
        from_inner = wanted - below.loss < above.loss - wanted
        at, lost, slope = (
            np.where(from_inner, one, other)
            for one, other in zip(below.parts, above.parts, strict=True)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            value = at + (wanted - lost) / slope
        low, high = np.minimum(below.value, above.value), np.maximum(below.value, above.value)
        halve = ~((value > low) & (value < high)) | (refinement % _HALVE_EACH == _HALVE_EACH - 1)
        value = np.where(halve, (low + high) / 2, value)
        here, slope = loss(value, rows[open_])
        close = np.abs(here - wanted) <= _CLOSE
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = np.where(close, (wanted - here) / slope, 0.0)
        result[open_] = np.clip(value + np.nan_to_num(rest), low, high)
        under = here < wanted
        for side, chosen in ((inner, under), (outer, ~under)):
            side.put(open_[chosen], value[chosen], here[chosen], slope[chosen])
        open_ = open_[~close]
    return result
