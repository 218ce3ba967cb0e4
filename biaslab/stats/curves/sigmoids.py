"""Families of psychometric curves.

Every curve is ``Psi(x) = guess + (1 - guess - lapse) * F((t - location) / scale)``, where ``F`` is
one of the standard sigmoids below and ``t`` is the level ``x`` itself, or its logarithm for the
Weibull family:

=========  =====================================  ================  ================
family     F(z)                                   axis              also known as
=========  =====================================  ================  ================
logistic   1 / (1 + exp(-z))                      t = x             logit
normal     cumulative standard normal             t = x             probit
gumbel     1 - exp(-exp(z))                       t = x             complementary log-log
weibull    1 - exp(-exp(z))                       t = log x, x > 0  Weibull of shape 1/scale
t5         Student's t with 5 degrees of freedom  t = x             robit
=========  =====================================  ================  ================

``"t5"`` is one of many: any number of degrees of freedom above 2 may follow the t.

The Weibull family in ``x`` is thus the Gumbel family in ``log x``: its scale parameter (the 63 %
point) is ``exp(location)`` and its shape is ``1 / scale``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import exp, lgamma, pi, sqrt
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.errors import PsychometricError

Floats: TypeAlias = NDArray[np.float64]

_LARGEST_EXPONENT: Final = 700.0
_NORMAL_PEAK: Final = 1 / sqrt(2 * pi)


@dataclass(frozen=True)
class Sigmoid:
    """A standard distribution on the real line, and the axis on which curves use it.

    Attributes
    ----------
    name
        The family's name.
    cdf, pdf, pdf_slope
        Distribution function, density, and the derivative of the density.
    tails
        Distribution function and its complement, each accurate where it is small.
    ppf
        Inverse of `cdf`, from (0, 1).
    sd
        Standard deviation of the standard distribution.
    log_axis
        Whether levels are taken by their logarithm.
    """

    name: str
    cdf: Callable[[Floats], Floats]
    tails: Callable[[Floats], tuple[Floats, Floats]]
    pdf: Callable[[Floats], Floats]
    pdf_slope: Callable[[Floats], Floats]
    ppf: Callable[[ArrayLike], Floats]
    sd: float
    log_axis: bool = False

    def sf(self, z: Floats) -> Floats:
        """Complement of the distribution function."""
        return self.tails(z)[1]

    @property
    def median(self) -> float:
        """Position where the standard sigmoid is 1/2: 0 for the symmetric families."""
        return float(self.ppf(0.5))

    def to_axis(self, levels: ArrayLike) -> Floats:
        """Map levels to the curve's axis: unchanged, or logarithms (NaN at or below 0)."""
        x = np.asarray(levels, dtype=np.float64)
        if not self.log_axis:
            return x
        return np.log(np.where(x > 0, x, np.nan))

    def from_axis(self, positions: ArrayLike) -> Floats:
        """Invert `to_axis`."""
        t = np.asarray(positions, dtype=np.float64)
        return np.exp(t) if self.log_axis else t


def _mirrored(cdf: Callable[[Floats], Floats]) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Return the tails of a symmetric distribution, at the price of one of them."""

    def tails(z: Floats) -> tuple[Floats, Floats]:
        small = cdf(-np.abs(z))
        large, negative = 1 - small, np.less(z, 0)
        return np.where(negative, small, large), np.where(negative, large, small)

    return tails


def _logistic_lower(z: Floats) -> Floats:
    """The logistic function below 0, several times as fast as `scipy.special.expit`."""
    odds = np.exp(z)
    return np.asarray(odds / (1 + odds))


def _logistic_pdf(z: Floats) -> Floats:
    half = np.exp(-np.abs(z))
    return np.asarray(half / (1 + half) ** 2)


def _logistic_pdf_slope(z: Floats) -> Floats:
    return np.asarray(-np.tanh(z / 2) * _logistic_pdf(z))


def _normal_pdf(z: Floats) -> Floats:
    return np.asarray(_NORMAL_PEAK * np.exp(-0.5 * z * z))


def _normal_pdf_slope(z: Floats) -> Floats:
    return np.asarray(-z * _normal_pdf(z))


def _capped_exp(z: Floats) -> Floats:
    return np.exp(np.minimum(z, _LARGEST_EXPONENT))


def _gumbel_cdf(z: Floats) -> Floats:
    return np.asarray(-np.expm1(-_capped_exp(z)))


def _gumbel_tails(z: Floats) -> tuple[Floats, Floats]:
    hazard = -_capped_exp(z)
    return -np.expm1(hazard), np.exp(hazard)


def _gumbel_pdf(z: Floats) -> Floats:
    return np.asarray(np.exp(z - _capped_exp(z)))


def _gumbel_pdf_slope(z: Floats) -> Floats:
    return np.asarray(-np.expm1(np.minimum(z, _LARGEST_EXPONENT)) * _gumbel_pdf(z))


def _gumbel_ppf(p: ArrayLike) -> Floats:
    return np.asarray(np.log(-np.log1p(-np.asarray(p, dtype=np.float64))))


def _logistic_ppf(p: ArrayLike) -> Floats:
    return np.asarray(special.logit(np.asarray(p, dtype=np.float64)))


def _normal_ppf(p: ArrayLike) -> Floats:
    return np.asarray(special.ndtri(np.asarray(p, dtype=np.float64)))


def _gumbel(name: str, *, log_axis: bool) -> Sigmoid:
    spread = pi / sqrt(6)
    return Sigmoid(
        name,
        _gumbel_cdf,
        _gumbel_tails,
        _gumbel_pdf,
        _gumbel_pdf_slope,
        _gumbel_ppf,
        spread,
        log_axis,
    )


@cache
def _student(df: float) -> Sigmoid:
    def cdf(z: Floats) -> Floats:
        return np.asarray(special.stdtr(df, z))

    peak = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * pi)

    def pdf(z: Floats) -> Floats:
        return np.asarray(peak * (1 + z * z / df) ** (-(df + 1) / 2))

    return Sigmoid(
        f"t{df:g}",
        cdf,
        _mirrored(cdf),
        pdf,
        lambda z: np.asarray(-(df + 1) * z / (df + z * z) * pdf(z)),
        lambda p: np.asarray(special.stdtrit(df, np.asarray(p, dtype=np.float64))),
        sqrt(df / (df - 2)),
    )


_FAMILIES: Final = {
    sigmoid.name: sigmoid
    for sigmoid in (
        Sigmoid(
            "logistic",
            special.expit,
            _mirrored(_logistic_lower),
            _logistic_pdf,
            _logistic_pdf_slope,
            _logistic_ppf,
            pi / sqrt(3),
        ),
        Sigmoid(
            "normal",
            special.ndtr,
            _mirrored(special.ndtr),
            _normal_pdf,
            _normal_pdf_slope,
            _normal_ppf,
            1.0,
        ),
        _gumbel("gumbel", log_axis=False),
        _gumbel("weibull", log_axis=True),
    )
}

FAMILIES: Final = tuple(_FAMILIES)
_STUDENT: Final = re.compile(r"t(\d{1,3}(?:\.\d{1,3})?)")
_FEWEST_DF: Final = 2.0


def get_sigmoid(family: str) -> Sigmoid:
    """Look a family up by name.

    Parameters
    ----------
    family
        One of ``"logistic"``, ``"normal"``, ``"gumbel"``, ``"weibull"``, or Student's t with its
        degrees of freedom, above 2, such as ``"t5"``.

    Raises
    ------
    PsychometricError
        If there is no such family.
    """
    if family in _FAMILIES:
        return _FAMILIES[family]
    if student := _STUDENT.fullmatch(str(family)):
        df = float(student.group(1))
        if df > _FEWEST_DF:
            return _student(df)
        raise PsychometricError(f"{family!r} has no standard deviation: give it more than 2 df")
    known = ", ".join(FAMILIES)
    raise PsychometricError(
        f"no curve family {family!r}: choose one of {known}, or Student's t such as 't5'"
    )
