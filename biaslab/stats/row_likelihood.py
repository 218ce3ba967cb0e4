r"""The likelihood of one row of answers, as a function of z: what a psychometric model maximises.

The rows of `biaslab.stats.laplace` share how z follows from coefficients and effects. How answers
follow from z is an object of this kind: counts of one answer between asymptotes
(`CurveCounts`), or decisions with asymptotes by row and a third answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from biaslab.stats.beta_binomial import BetaBinomial
from biaslab.stats.sigmoids import Floats, Sigmoid


@dataclass(frozen=True)
class Settings:
    """Parameters beside the coefficients.

    Attributes
    ----------
    sds : tuple of float
        SD on the scale of z of each factor's effects.
    slope_sd : float
        SD of the observers' log-slopes.
    dispersion : float
        Correlation between answers to one question, in [0, 1).
    guess, lapse : float
        Asymptotes.
    """

    sds: tuple[float, ...]
    slope_sd: float = 0.0
    dispersion: float = 0.0
    guess: float = 0.0
    lapse: float = 0.0


S_contra = TypeVar("S_contra", bound=Settings, contravariant=True)


class RowLikelihood(Protocol[S_contra]):
    """Log-likelihood of each of R rows as a function of its z, without constants."""

    def loglik(self, z: Floats, settings: S_contra) -> Floats:
        """Return the log-likelihood, shape (R,)."""

    def slopes(self, z: Floats, settings: S_contra) -> tuple[Floats, Floats, Floats]:
        """Return first and second derivative by z and the expected information, each (R,)."""


@dataclass(frozen=True)
class CurveCounts:
    r"""Beta-binomial counts of mean probability :math:`\gamma + (1 - \gamma - \lambda) F(z)`.

    Attributes
    ----------
    sigmoid : Sigmoid
        F.
    counts : BetaBinomial
    """

    sigmoid: Sigmoid
    counts: BetaBinomial

    def share(self, z: Floats, settings: Settings) -> tuple[Floats, Floats]:
        """Return the probability of a hit and its derivative by z, shape (R,)."""
        room = 1 - settings.guess - settings.lapse
        return settings.guess + room * self.sigmoid.cdf(z), room * self.sigmoid.pdf(z)

    def loglik(self, z: Floats, settings: Settings) -> Floats:
        """Return the log-likelihood, shape (R,)."""
        return self.counts.loglik(*self._both(z, settings), settings.dispersion)

    def slopes(self, z: Floats, settings: Settings) -> tuple[Floats, Floats, Floats]:
        """Return first and second derivative by z and the expected information, each (R,)."""
        p, q = self._both(z, settings)
        room = 1 - settings.guess - settings.lapse
        slope, bend = room * self.sigmoid.pdf(z), room * self.sigmoid.pdf_slope(z)
        first, second = self.counts.slopes(p, q, slope, bend, settings.dispersion)
        return first, second, self.counts.information(p, q, slope, settings.dispersion)

    def _both(self, z: Floats, settings: Settings) -> tuple[Floats, Floats]:
        """Return the probabilities of a hit and of a miss, each accurate where it is small."""
        room = 1 - settings.guess - settings.lapse
        p = settings.guess + room * self.sigmoid.cdf(z)
        return p, np.asarray(settings.lapse + room * self.sigmoid.sf(z))
