r"""The likelihood of decisions: lapses, a share that position alone decides, and indecision.

With z of a question, a fraction :math:`\lambda_y + \lambda_n` of the answers is yes or no whatever
the stimulus, a fraction :math:`|\beta|` takes the option that is listed first
(:math:`\beta > 0`) or second (:math:`\beta < 0`), and the rest follows the curve:

.. math:: P(\text{yes}) = \lambda_y + |\beta| f + \rho F(z - \tau), \quad
          P(\text{neither}) = \rho (F(z + \tau) - F(z - \tau)), \quad
          \rho = 1 - \lambda_y - \lambda_n - |\beta|,

with f = 1 where yes has the preferred position. Groups may have lapses of their own. The subject
is undecided where its impression is within :math:`\pm\tau`: the indecision model of García-Pérez
and Alcalá-Quintana (2017), "The indecision model of psychophysical performance in
dual-presentation tasks", Frontiers in Psychology 8:1142. F is symmetrical.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.row_likelihood import Settings
from biaslab.stats.sigmoids import Floats, Sigmoid

_TINY: Final = 1e-300


@dataclass(frozen=True)
class DecisionSettings(Settings):
    """Settings of decisions; `guess` and `lapse` are not used, since groups have their own.

    Attributes
    ----------
    yes, no : tuple of float, length G
        Lapses of each group: shares of its answers that are yes, or no, whatever the level.
    sensitivity : tuple of float, length G
        How much steeper the curve of each group is than that of all.
    position : float
        Share of the answers by position alone, in [0, 1).
    prefers_first : bool
        Whether these take the option that is listed first.
    indecision : float
        Half the width of the range of indecision on the scale of z, at least 0.
    """

    yes: tuple[float, ...] = (0.0,)
    no: tuple[float, ...] = (0.0,)
    sensitivity: tuple[float, ...] = (1.0,)
    position: float = 0.0
    prefers_first: bool = True
    indecision: float = 0.0

    @property
    def least_room(self) -> float:
        """Share of the answers that follow the quality, in the group with the fewest."""
        lapses = [yes + no for yes, no in zip(self.yes, self.no, strict=True)]
        return 1 - self.position - max(lapses)


@dataclass(frozen=True)
class Categories:
    """Probabilities of K answers to R questions, with derivatives by z.

    Attributes
    ----------
    p, slope, bend : ndarray, shape (K, R)
        Probability, and its first and second derivative.
    core : ndarray, shape (K, R)
        Probability of those answers that follow the quality.
    room : ndarray, shape (R,)
        Share of the answers that do.
    favoured : ndarray, shape (K, R)
        1 for the answer that has the preferred position.
    by_indecision, slope_by_indecision : ndarray, shape (K, R)
        Derivatives of p and of its slope by the indecision; 0 where there are two answers.
    """

    p: Floats
    slope: Floats
    bend: Floats
    core: Floats
    room: Floats
    favoured: Floats
    by_indecision: Floats
    slope_by_indecision: Floats


@dataclass(frozen=True)
class DecisionLikelihood:
    """Counts of yes, no and, with a range of indecision, neither.

    Attributes
    ----------
    sigmoid : Sigmoid
        F, symmetrical.
    counts : ndarray, shape (2, R) or (3, R)
        Answers yes, no, and neither.
    is_first : ndarray of bool, shape (R,)
        Whether yes is listed first.
    group : ndarray of int, shape (R,)
    weight : float
        Of each answer: 1 over the dispersion.
    """

    sigmoid: Sigmoid
    counts: Floats
    is_first: NDArray[np.bool_]
    group: NDArray[np.intp]
    weight: float = 1.0

    @cached_property
    def total(self) -> Floats:
        """Answers of each row, weighted, shape (R,)."""
        return np.asarray(self.weight * self.counts.sum(axis=0))

    def probabilities(self, z: Floats, settings: DecisionSettings) -> Floats:
        """Return the probability of each answer, shape (K, R)."""
        core, extra, room = self._parts(z, settings)
        return np.maximum(extra + room * core, _TINY)

    def loglik(self, z: Floats, settings: DecisionSettings) -> Floats:
        """Return the log-likelihood, shape (R,)."""
        logs = self.counts * np.log(self.probabilities(z, settings))
        return np.asarray(self.weight * logs.sum(axis=0))

    def slopes(self, z: Floats, settings: DecisionSettings) -> tuple[Floats, Floats, Floats]:
        """Return first and second derivative by z and the expected information, each (R,)."""
        core, extra, room = self._parts(z, settings)
        p = np.maximum(extra + room * core, _TINY)
        slope, bend = self._derivatives(z, core, room, settings.indecision)
        ratio = slope / p
        share = self.counts / p
        first = (share * slope).sum(axis=0)
        second = (share * (bend - ratio * slope)).sum(axis=0)
        expected = self.total * (ratio * slope).sum(axis=0)
        return self.weight * first, self.weight * second, expected

    def categories(self, z: Floats, settings: DecisionSettings) -> Categories:
        """Return the probabilities with what their derivatives follow from."""
        core, extra, room = self._parts(z, settings)
        slope, bend = self._derivatives(z, core, room, settings.indecision)
        by, slope_by = np.zeros((2, *core.shape))
        if len(core) > 2:
            by = np.stack([-slope[0], slope[1], slope[0] - slope[1]])
            slope_by = np.stack([-bend[0], bend[1], bend[0] - bend[1]])
        p = np.maximum(extra + room * core, _TINY)
        return Categories(p, slope, bend, core, room, self._favoured(settings), by, slope_by)

    def _parts(self, z: Floats, settings: DecisionSettings) -> tuple[Floats, Floats, Floats]:
        """Return the curve's part of each answer, what comes on top, and the room, (R,)."""
        share = settings.position
        yes, no = np.array(settings.yes)[self.group], np.array(settings.no)[self.group]
        extra = np.zeros(self.counts.shape)
        extra[0], extra[1] = yes, no
        if share:
            extra += share * self._favoured(settings)
        room = 1 - yes - no - share
        core = np.empty(self.counts.shape)
        if len(core) == 2:
            core[0], core[1] = self.sigmoid.tails(z)
            return core, extra, room
        tau = settings.indecision
        low, high = self.sigmoid.tails(z - tau), self.sigmoid.tails(z + tau)
        core[0], core[1] = low[0], high[1]
        core[2] = np.where(z > 0, low[1] - high[1], high[0] - low[0])
        return core, extra, room

    def _derivatives(
        self, z: Floats, core: Floats, room: Floats, tau: float
    ) -> tuple[Floats, Floats]:
        """Return first and second derivative of the probabilities by z, (K, R)."""
        slope, bend = np.empty(core.shape), np.empty(core.shape)
        if len(core) == 2:
            slope[0], bend[0] = room * self.sigmoid.pdf(z), room * self.sigmoid.pdf_slope(z)
            slope[1], bend[1] = -slope[0], -bend[0]
            return slope, bend
        slope[0], slope[1] = room * self.sigmoid.pdf(z - tau), -room * self.sigmoid.pdf(z + tau)
        bend[0] = room * self.sigmoid.pdf_slope(z - tau)
        bend[1] = -room * self.sigmoid.pdf_slope(z + tau)
        slope[2], bend[2] = -slope[0] - slope[1], -bend[0] - bend[1]
        return slope, bend

    def _favoured(self, settings: DecisionSettings) -> Floats:
        """Return which answer has the preferred position, shape (K, R)."""
        return self._first if settings.prefers_first else self._second

    @cached_property
    def _first(self) -> Floats:
        """Which answer is listed first, shape (K, R)."""
        return self._listed(self.is_first)

    @cached_property
    def _second(self) -> Floats:
        return self._listed(~self.is_first)

    def _listed(self, yes: NDArray[np.bool_]) -> Floats:
        found = np.zeros(self.counts.shape)
        found[0], found[1] = yes, ~yes
        return found
