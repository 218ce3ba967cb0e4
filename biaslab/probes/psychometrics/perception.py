r"""The Bayesian observer: a noisy percept, a prior, a decision.

It follows Liang and Acuna (2020), eqs. 2-4, all of it on the stimulus axis :math:`\alpha`. The
observer sees :math:`\alpha_p \sim N(\alpha, noise^2)`, combines it with a prior on the stimulus
(eq. 2), and answers cue 2 if its estimate is beyond its switch point :math:`\alpha^*` (eq. 3).

The paper leaves open how a posterior becomes one answer. Both readings are here: ``maximise`` takes
the more probable answer, ``sample`` draws one stimulus from the posterior and answers for it, which
is the literal integral of eq. 4 over :math:`\hat s`. ``maximise`` is the default
because its curve has the stated noise as its SD; the two differ in slope, never in PSE.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
Decision = Literal["maximise", "sample"]


@dataclass(frozen=True)
class Perception:
    """A Gaussian observer, for which everything is closed-form.

    Attributes
    ----------
    noise : float
        SD of the percept around the stimulus, in units of alpha; 0 for an exact observer.
    prior_mean, prior_sd : float
        Gaussian prior on the stimulus; ``prior_sd`` infinite is flat.
    decision : str
        ``maximise`` or ``sample``, see the module.
    """

    noise: float = 0.0
    prior_mean: float = 0.5
    prior_sd: float = float("inf")
    decision: Decision = "maximise"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.noise) and self.noise >= 0):
            raise ValueError(f"Perceptual noise is {self.noise}; use an SD of 0 or more.")
        if not self.prior_sd > 0:
            raise ValueError(
                f"prior_sd is {self.prior_sd}; use a positive SD, or inf for a flat prior."
            )
        if self.decision not in ("maximise", "sample"):
            raise ValueError(f"decision is {self.decision!r}; choose 'maximise' or 'sample'.")

    @property
    def weight(self) -> float:
        """Weight of the percept against the prior in the posterior mean, in (0, 1]."""
        ratio = self.noise / self.prior_sd
        return 1 / (1 + ratio * ratio)

    @property
    def curve_sd(self) -> float:
        """SD of one observer's psychometric curve."""
        extra = 1 / self.weight if self.decision == "sample" else 0.0
        return self.noise * float(np.sqrt(1 + extra))

    def balance(self, switch: ArrayLike) -> Floats:
        """Return the stimulus with 50/50 answers, given the observer's switch point."""
        switch = np.asarray(switch)
        w = self.weight
        if w == 1:
            return switch
        return (switch - (1 - w) * self.prior_mean) / w

    def share(self, alpha: ArrayLike, switch: ArrayLike) -> Floats:
        """Return P(cue 2) at ``alpha`` for given switch points; broadcasts."""
        return blurred_step(np.asarray(alpha, dtype=float) - self.balance(switch), self.curve_sd)


EXACT = Perception()


def blurred_step(distance: Floats, sd: float | Floats) -> Floats:
    """Return the cumulative normal with SD ``sd``; for 0 a step."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.asarray(distance) / sd
    return np.where(np.isnan(z), 1.0, special.ndtr(z))


def share_by_integration(
    alpha: ArrayLike,
    switch: float,
    *,
    noise_density: Callable[[Floats, Floats], Floats],
    prior_density: Callable[[Floats], Floats],
    decision: Decision = "maximise",
    support: tuple[float, float] = (-3.0, 4.0),
    points: int = 2801,
) -> Floats:
    r"""Integrate one observer's psychometric curve, for any noise and any prior.

    Parameters
    ----------
    alpha : array_like, shape (L,)
        Stimuli.
    switch : float
        The observer's switch point.
    noise_density : callable
        :math:`p(\alpha_p \mid \alpha)` as a function of two broadcasting arrays.
    prior_density : callable
        :math:`p(\alpha)`; need not be normalised.
    decision : str
        ``maximise`` or ``sample``.
    support : (float, float)
        Range of stimuli and percepts over which is integrated.
    points : int
        Size of the trapezoidal grid.

    Returns
    -------
    ndarray, shape (L,)
        :math:`\Psi(\alpha)` of Liang and Acuna (2020), eq. 4, for given cues.
    """
    grid = np.linspace(*support, points)
    joint = noise_density(grid[:, None], grid[None, :]) * prior_density(grid)[None, :]
    evidence = np.trapezoid(joint, grid, axis=1)
    above = _ramp((grid - switch) / (grid[1] - grid[0]))
    beyond = np.trapezoid(joint * above, grid, axis=1)
    chance = np.divide(beyond, evidence, out=above.copy(), where=evidence > 0)
    answer = chance
    if decision == "maximise":
        per_cell = np.maximum(np.gradient(chance), np.finfo(float).tiny)
        answer = _ramp((chance - 0.5) / per_cell)
    percept = noise_density(grid[None, :], np.asarray(alpha, dtype=float)[:, None])
    return np.asarray(
        np.trapezoid(percept * answer, grid, axis=1) / np.trapezoid(percept, grid, axis=1)
    )


def _ramp(cells: Floats) -> Floats:
    """Return a step on a grid; the point at the step counts by its cell's part beyond it."""
    return np.clip(cells + 0.5, 0.0, 1.0)
