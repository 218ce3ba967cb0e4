"""Search the minimum of a smooth function of a few parameters within bounds.

BFGS with projected steps: scipy's L-BFGS-B cannot begin with a Hessian that is known, which is
what makes a refit fast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from biaslab.stats.curves.sigmoids import Floats

_STEPS: Final = 80
_HALVINGS: Final = 40
_NEAR: Final = 1e-2
"""Expected gain below which a search that is stuck has arrived for all purposes."""
_LONGEST: Final = 2.0
_FIRST: Final = 0.5
"""Longest step in any direction while the curvature is not known."""
_ENOUGH: Final = 1e-4
_DAMPED: Final = 0.2
"""Curvature along a step may fall to this share of what was expected (Powell 1978)."""


@dataclass(frozen=True)
class Minimum:
    """Where a search ended.

    Attributes
    ----------
    x : ndarray, shape (M,)
    value : float
    hessian : ndarray, shape (M, M)
        As built up along the way.
    converged : bool
    """

    x: Floats
    value: float
    hessian: Floats
    converged: bool


def minimize(
    loss: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    low: Floats,
    high: Floats,
    *,
    hessian: Floats | None = None,
    gain: float = 1e-6,
) -> Minimum:
    """Search until the next step is expected to gain less than `gain`.

    Parameters
    ----------
    loss : callable
        Returns the value and its gradient, shape (M,).
    start, low, high : ndarray, shape (M,)
    hessian : ndarray, shape (M, M), optional
        A guess.
    gain : float
    """
    x = np.clip(start, low, high)
    value, gradient = loss(x)
    curvature = _careful(gradient) if hessian is None else hessian.copy()
    fresh = hessian is None
    for _ in range(_STEPS):
        try:
            step = _step(curvature, gradient, low - x, high - x)
        except np.linalg.LinAlgError:  # a guess that says nothing of some direction
            curvature, fresh = _careful(gradient), True
            continue
        step *= min(1.0, _LONGEST / max(np.abs(step).max(), 1e-300))
        promise = -float(gradient @ step)
        if promise < gain:
            if promise >= 0:
                return Minimum(x, value, curvature, True)
            curvature = _careful(gradient)
            continue
        for _ in range(_HALVINGS):
            reached, slope = loss(x + step)
            if reached <= value + _ENOUGH * float(gradient @ step) + 1e-9:
                break
            step = step / 2
        else:
            if promise < _NEAR or fresh:
                return Minimum(x, value, curvature, promise < _NEAR)
            curvature, fresh = _careful(gradient), True
            continue
        fresh = False
        curvature = _updated(curvature, step, slope - gradient)
        x, value, gradient = np.clip(x + step, low, high), reached, slope
    return Minimum(x, value, curvature, False)


def _step(curvature: Floats, gradient: Floats, down: Floats, up: Floats) -> Floats:
    """Return Newton's step within bounds: what a bound stops goes no farther, the others follow.

    Parameters
    ----------
    curvature : ndarray, shape (M, M)
    gradient, down, up : ndarray, shape (M,)
        `down` and `up` are how far each parameter can go.
    """
    step = np.zeros(len(gradient))
    free = np.ones(len(gradient), dtype=bool)
    while free.any():
        stopped = ~free
        pull = gradient[free] + curvature[np.ix_(free, stopped)] @ step[stopped]
        step[free] = -np.linalg.solve(curvature[np.ix_(free, free)], pull)
        over = free & ((step < down) | (step > up))
        if not over.any():
            break
        step = np.clip(step, down, up)
        free &= ~over
    return step


def _careful(gradient: Floats) -> Floats:
    """Return a Hessian that knows nothing but the size of a first step, in each direction."""
    return np.diag(np.maximum(1.0, np.abs(gradient) / _FIRST))


def _updated(curvature: Floats, step: Floats, change: Floats) -> Floats:
    """Return the Hessian that agrees with the change of the gradient along a step."""
    ahead = curvature @ step
    expected, actual = float(step @ ahead), float(step @ change)
    if expected <= 0:
        return curvature
    if actual < _DAMPED * expected:
        part = (1 - _DAMPED) * expected / (expected - actual)
        change = part * change + (1 - part) * ahead
        actual = float(step @ change)
    return np.asarray(
        curvature - np.outer(ahead, ahead) / expected + np.outer(change, change) / actual
    )
