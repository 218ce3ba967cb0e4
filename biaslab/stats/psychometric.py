"""Fit psychometric curves to binomial responses, thousands of curves at once.

>>> fit_ = fit([0, 0.25, 0.5, 0.75, 1], [1, 3, 9, 16, 19], 20, family="normal")
>>> float(fit_.pse().round(3)), float(fit_.jnd("sd").round(3))
(0.524, 0.289)

These are for responses that are independent given the level. The answers of one ensemble of
embeddings at several levels are not (each replicate flips once); `biaslab.stats.curves.replicates`
fits those.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.errors import PsychometricError
from biaslab.stats.curves.curve_fit import (
    CurveFit,
    FreeRates,
    Start,
    Status,
    fit_curves,
    make_rates,
    per_curve,
    read_rates,
)
from biaslab.stats.curves.jnd import Convention, jnd
from biaslab.stats.curves.scoring import Rates
from biaslab.stats.curves.sigmoids import Floats, Sigmoid, get_sigmoid


@dataclass(frozen=True)
class Responses:
    """Responses of C curves at up to L distinct levels each.

    Attributes
    ----------
    levels, correct, trials
        Shape (C, L), levels ascending within a curve. Unused entries come last; they have no
        trials, and the level of the last used place.
    batch_shape
        The shape of the batch C.
    """

    levels: Floats
    correct: Floats
    trials: Floats
    batch_shape: tuple[int, ...]

    @property
    def n_levels(self) -> NDArray[np.int64]:
        """Number of distinct levels with trials, shape (C,)."""
        return np.asarray((self.trials > 0).sum(axis=-1))


def read_responses(levels: ArrayLike, correct: ArrayLike, trials: ArrayLike) -> Responses:
    """Check responses and pool those at the same level of the same curve.

    Parameters
    ----------
    levels, correct, trials
        Broadcastable to (..., L): the levels, the number of answers of the counted kind
        (fractions are allowed), and the number of trials.

    Raises
    ------
    PsychometricError
        If a value is not a finite number, a count is negative or exceeds its trials, or the
        shapes do not go together. The message names the first such place.
    """
    x, k, n = _as_floats(levels, correct, trials)
    _check(~np.isfinite(n) | (n < 0), "trials", n, "must be counts, 0 or more")
    _check(
        ~np.isfinite(k) | (k < 0), "correct", k, "must be counts, 0 or more: drop missing answers"
    )
    _check(k > n, "correct", k, "is more than the trials at its level: are the arguments swapped?")
    _check(~np.isfinite(x) & (n > 0), "level", x, "must be a finite number where there are trials")

    batch_shape, width = x.shape[:-1], x.shape[-1]
    rows = (math.prod(batch_shape), width)
    return _pool(x.reshape(rows), k.reshape(rows), n.reshape(rows), batch_shape)


def _as_floats(*arguments: ArrayLike) -> list[Floats]:
    try:
        arrays = [np.atleast_1d(np.asarray(values, dtype=np.float64)) for values in arguments]
    except (TypeError, ValueError):
        raise PsychometricError(
            "levels, correct and trials must be arrays of numbers of one length per curve: pad"
            " shorter curves with levels that have 0 trials"
        ) from None
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise PsychometricError(
            f"levels, correct and trials have shapes {shapes}, which do not broadcast: the last"
            " axis must be the levels of a curve"
        ) from None


def _check(bad: NDArray[np.bool_], what: str, values: Floats, problem: str) -> None:
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        raise PsychometricError(f"{what} at index {index} is {values[index]:g}: it {problem}")


def _pool(x: Floats, k: Floats, n: Floats, batch_shape: tuple[int, ...]) -> Responses:
    used = n > 0
    x = np.where(used, x, np.inf)
    order = np.argsort(x, axis=-1, kind="stable")
    x, k, n = (np.take_along_axis(a, order, axis=-1) for a in (x, k, n))

    fresh = np.ones(x.shape, dtype=bool)
    fresh[:, 1:] = x[:, 1:] != x[:, :-1]
    place = np.arange(len(x))[:, None], np.cumsum(fresh, axis=-1) - 1
    pooled_k, pooled_n, pooled_x = np.zeros(x.shape), np.zeros(x.shape), np.zeros(x.shape)
    np.add.at(pooled_k, place, k)
    np.add.at(pooled_n, place, n)
    pooled_x[place] = x

    widest = int((pooled_n > 0).sum(axis=-1).max(initial=0))
    k, n, x = (a[:, :widest] for a in (pooled_k, pooled_n, pooled_x))
    if widest == 0:
        k, n, x = (np.zeros((len(x), 1)) for _ in range(3))
    last = np.where(n > 0, x, -np.inf).max(axis=-1, keepdims=True)
    filler = np.where(np.isfinite(last), last, 0.0)
    return Responses(np.where(n > 0, x, filler), k, n, batch_shape)


@dataclass(frozen=True)
class PsychometricFit:
    """Fitted curves ``Psi(x) = guess + (1 - guess - lapse) F((t - location) / scale)``.

    All arrays have the batch's shape (...), which is ``()`` for a single curve; ``fit[i]`` is the
    fit of some of them.

    Attributes
    ----------
    family
        Of F, see `biaslab.stats.curves.sigmoids`.
    location, scale
        On the family's axis: in units of the level, for Weibull in units of its logarithm. If a
        fit did not converge they are the limits of the estimates (infinite if the responses do
        not rise, scale 0 for a step), or NaN; `reason` says which and why.
    guess, lapse
        Rates, in [0, 1).
    covariance
        Of location, scale, guess and lapse, shape (..., 4, 4): inverse Fisher information. Fixed
        rates, and estimated ones at 0, have variance 0; NaN if a fit did not converge.
    loglik
        Maximal log-likelihood, without its constant and with the log-density of estimated rates.
    deviance
        Twice the log-likelihood ratio against one free probability per level.
    df
        Its degrees of freedom: distinct levels less estimated parameters, at least 0.
    status
        `biaslab.stats.curves.curve_fit.Status` codes.
    free_rates
        Which rates were estimated: ``"none"``, ``"guess"``, ``"lapse"``, ``"both"``, ``"equal"``.
    rate_prior
        Second parameter of the Beta(1, .) density of an estimated rate.
    levels, correct, trials
        The responses, pooled by level and ascending, shape (..., L); unused places have no trials.
    """

    family: str
    location: Floats
    scale: Floats
    guess: Floats
    lapse: Floats
    covariance: Floats
    loglik: Floats
    deviance: Floats
    df: NDArray[np.int64]
    status: NDArray[np.int8]
    free_rates: FreeRates
    rate_prior: float
    levels: Floats
    correct: Floats
    trials: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch of curves."""
        return self.location.shape

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Whether the maximum of the likelihood exists and was reached."""
        return np.asarray(self.status == Status.CONVERGED)

    @property
    def reason(self) -> NDArray[np.str_]:
        """Why a fit did not converge, in words; empty if it did."""
        sentences = np.array([status.reason for status in Status])
        return np.asarray(sentences[self.status])

    @property
    def sigmoid(self) -> Sigmoid:
        """The family's sigmoid."""
        return get_sigmoid(self.family)

    def __getitem__(self, index: Any) -> PsychometricFit:
        if not self.shape:
            raise IndexError("this is the fit of a single curve: it has no parts")
        return self._with_arrays(lambda values: np.asarray(values[index]))

    def flat(self) -> PsychometricFit:
        """Return the same curves as a batch of shape (C,)."""
        n_batch, curves = len(self.shape), math.prod(self.shape)
        return self._with_arrays(lambda values: values.reshape(curves, *values.shape[n_batch:]))

    def _with_arrays(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> PsychometricFit:
        arrays: dict[str, Any] = {
            field.name: change(value)
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        return replace(self, **arrays)

    def threshold(self, p: ArrayLike = 0.5) -> Floats:
        """Return the level at which F, the curve without guesses and lapses, equals `p`.

        Parameters
        ----------
        p
            In (0, 1), broadcastable with the batch.
        """
        with np.errstate(invalid="ignore"):
            position = self.location + self.scale * self.sigmoid.ppf(p)
        # An infinite scale leaves the sign of the location: the curve is too flat to reach p.
        position = np.where(np.isinf(self.location) | (self.scale == 0), self.location, position)
        return np.asarray(self.sigmoid.from_axis(position))

    def pse(self, of: Literal["core", "psi"] = "core") -> Floats:
        """Compute the point of subjective equality (Liang and Acuna 2020, eq. 5).

        Parameters
        ----------
        of
            ``"core"``: where F, the curve without guesses and lapses, is 1/2. ``"psi"``: where
            Psi itself is 1/2; NaN if Psi never reaches it (a guess or lapse rate of 1/2 or
            more). The two agree if guess and lapse rates are equal.
        """
        if of == "core":
            return self.threshold(0.5)
        if of != "psi":
            raise PsychometricError(f"no PSE of {of!r}: choose 'core' or 'psi'")
        p = (0.5 - self.guess) / (1 - self.guess - self.lapse)
        return self.threshold(np.where((p > 0) & (p < 1), p, np.nan))

    def jnd(self, convention: Convention = "quartile") -> Floats:
        """Return the JND of F, in units of the level; see `biaslab.stats.curves.jnd`."""
        return jnd(self.family, self.scale, convention, self.location)

    def psi(self, x: ArrayLike) -> Floats:
        """Return fitted probabilities at levels `x`.

        Parameters
        ----------
        x
            Shape (M,) for all curves, or broadcastable to (..., M).

        Returns
        -------
        ndarray
            Shape (..., M). Curves that do not rise give their overall fraction of correct
            responses, steps give their plateaus; without any trials, NaN.
        """
        core = self._core(self.sigmoid.to_axis(x))
        guess, lapse = self.guess[..., None], self.lapse[..., None]
        level = np.isin(self.status, _WITHOUT_CURVE)[..., None]
        with np.errstate(invalid="ignore", divide="ignore"):
            overall = self.correct.sum(axis=-1) / self.trials.sum(axis=-1)
        return np.where(level, overall[..., None], guess + (1 - guess - lapse) * core)

    def predict(self) -> Floats:
        """Return fitted probabilities at the curves' own levels, shape (..., L)."""
        return self.psi(self.levels)

    def _core(self, position: Floats) -> Floats:
        location, scale = self.location[..., None], self.scale[..., None]
        # Below the axis of a logarithmic family (levels of 0 or less) the curve is at its floor.
        position = np.where(np.isnan(position) & self.sigmoid.log_axis, -np.inf, position)
        with np.errstate(invalid="ignore", divide="ignore"):
            z = (position - location) / scale
        at_step = (scale == 0) & (position == location)
        return self.sigmoid.cdf(np.where(at_step, self.sigmoid.median, z))


Seed: TypeAlias = int | np.random.Generator | None

_WITHOUT_CURVE: Final = [
    Status.EMPTY,
    Status.ONE_LEVEL,
    Status.NONE_CORRECT,
    Status.ALL_CORRECT,
    Status.NOT_RISING,
    Status.SATURATED,
]


def fit(
    levels: ArrayLike,
    correct: ArrayLike,
    trials: ArrayLike,
    *,
    family: str = "logistic",
    guess: ArrayLike | Literal["free"] = 0.0,
    lapse: ArrayLike | Literal["free", "equal"] = 0.0,
    rate_prior: float = 1.0,
    start: tuple[ArrayLike, ArrayLike] | PsychometricFit | None = None,
) -> PsychometricFit:
    """Fit psychometric curves by maximum likelihood.

    Parameters
    ----------
    levels, correct, trials
        Broadcastable to (..., L): the levels of the stimulus, how often the answer was the one
        that counts there, and of how many trials. One curve per leading index. Fractional
        responses are allowed (quasi-likelihood); a place without trials is ignored.
    family
        ``"logistic"``, ``"normal"``, ``"gumbel"`` or ``"weibull"`` (levels above 0 only).
    guess, lapse
        Rates in [0, 1), fixed, broadcastable to the batch; or ``"free"`` to estimate them, within
        [0, 0.45]. ``lapse="equal"`` holds the lapse rate equal to the guess rate.
    rate_prior
        An estimated rate carries a Beta(1, `rate_prior`) density. The default, 1, is flat: plain
        maximum likelihood, whose intervals of the JND hold also where the rates are not small.
        psignifit takes 10, which expects a rate of about 0.09 before any response is seen.
    start
        Location and scale to start from, on the family's axis, broadcastable to the batch; by
        default several starts are tried where the likelihood may have several maxima. A fit of
        curves that differ little from these, broadcastable likewise, is the only start: several
        times as fast.

    Returns
    -------
    PsychometricFit
        Curves that cannot be fitted are marked there, with the reason; they do not disturb the
        others.

    Raises
    ------
    PsychometricError
        If the responses or settings are invalid (not if a curve merely has no estimate).
    """
    sigmoid = get_sigmoid(family)
    data = read_responses(levels, correct, trials)
    if sigmoid.log_axis and (data.levels[data.trials > 0] <= 0).any():
        raise PsychometricError(
            f"a {family} curve needs levels above 0: drop or shift the others, or take gumbel"
        )
    rates, free_rates = read_rates(guess, lapse, rate_prior, data.batch_shape)
    positions = sigmoid.to_axis(np.where(data.trials.any(axis=-1, keepdims=True), data.levels, 1.0))
    if isinstance(start, PsychometricFit):
        begin: Start | None = _start_of(start, free_rates, data.batch_shape)
    else:
        begin = None if start is None else Start(*_read_start(start, data.batch_shape))
    result = fit_curves(sigmoid, positions, data.correct, data.trials, rates, begin)

    n_parameters = 2 + rates.n_free
    width = data.levels.shape[-1]
    batch = data.batch_shape
    return PsychometricFit(
        family=family,
        location=result.location.reshape(batch),
        scale=result.scale.reshape(batch),
        guess=rates.guess(result.rates).reshape(batch),
        lapse=rates.lapse(result.rates).reshape(batch),
        covariance=_full_covariance(result, rates).reshape(*batch, 4, 4),
        loglik=result.loglik.reshape(batch),
        deviance=deviance(data.correct, data.trials, result.expected).reshape(batch),
        df=np.maximum(data.n_levels - n_parameters, 0).reshape(batch),
        status=result.status.reshape(batch),
        free_rates=free_rates,
        rate_prior=float(rate_prior),
        levels=data.levels.reshape(*batch, width),
        correct=data.correct.reshape(*batch, width),
        trials=data.trials.reshape(*batch, width),
    )


def deviance(correct: Floats, trials: Floats, expected: Floats) -> Floats:
    """Return the binomial deviance, summed over the last axis."""
    return np.asarray(np.maximum(_deviances(correct, trials, expected).sum(axis=-1), 0.0))


def _deviances(correct: Floats, trials: Floats, expected: Floats) -> Floats:
    wrong = trials - correct
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = special.xlogy(correct, correct / (trials * expected))
        misses = special.xlogy(wrong, wrong / (trials * (1 - expected)))
    return np.asarray(2 * (np.where(correct > 0, hits, 0.0) + np.where(wrong > 0, misses, 0.0)))


def curve_rates(fit: PsychometricFit) -> Rates:
    """Return rates of a flat fit for the model: fixed ones at their value."""
    curves = len(fit.location)
    fixed_guess = fit.free_rates in ("none", "lapse")
    fixed_lapse = fit.free_rates in ("none", "guess")
    return make_rates(
        fit.guess if fixed_guess else np.zeros(curves),
        fit.lapse if fixed_lapse else np.zeros(curves),
        fit.free_rates,
        fit.rate_prior,
    )


def free_rate_values(fit: PsychometricFit) -> Floats:
    """Estimated rates of a flat fit, shape (C, R)."""
    columns = _free_columns(fit, fit.free_rates)
    return np.stack(columns, axis=-1) if columns else np.empty((len(fit.location), 0))


def _free_columns(fit: PsychometricFit, free: FreeRates) -> list[Floats]:
    """The rates of a fit that are free under a setting."""
    columns: dict[FreeRates, list[Floats]] = {
        "none": [],
        "guess": [fit.guess],
        "lapse": [fit.lapse],
        "both": [fit.guess, fit.lapse],
        "equal": [fit.guess],
    }
    return columns[free]


def _read_start(
    start: tuple[ArrayLike, ArrayLike], batch: tuple[int, ...]
) -> tuple[Floats, Floats]:
    location, scale = start
    return (
        per_curve("start location", location, batch),
        per_curve("start scale", scale, batch, lowest=0.0),
    )


def _start_of(fit: PsychometricFit, free: FreeRates, batch: tuple[int, ...]) -> Start:
    """The parameters of another fit; NaN where it has none, and for rates that it did not fit."""
    good = fit.converged & (fit.scale > 0)
    location, scale = (np.where(good, values, np.nan) for values in (fit.location, fit.scale))
    rates = [
        np.broadcast_to(np.where(good, values, np.nan), batch).ravel()
        for values in _free_columns(fit, free)
    ]
    at = np.broadcast_to(location, batch).ravel(), np.broadcast_to(scale, batch).ravel()
    return Start(*at, np.stack(rates, axis=-1) if rates else np.empty((len(at[0]), 0)))


def _full_covariance(result: CurveFit, rates: Rates) -> Floats:
    """Return the covariance of location, scale, guess and lapse."""
    spread = np.zeros((4, 2 + rates.n_free))
    spread[0, 0] = spread[1, 1] = 1.0
    spread[2, 2:], spread[3, 2:] = rates.guess_map, rates.lapse_map
    return np.asarray(spread @ result.covariance @ spread.T)
