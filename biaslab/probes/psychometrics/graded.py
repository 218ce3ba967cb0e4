r"""PSE and JND of graded answers: of the mean psychometric curve of all observers.

An observer of a language model seldom answers with a step, and often never crosses 1/2: it
has no switch point, and a mean of switch points is undefined. The curve of Liang and Acuna (2020,
eq. 4) is defined: :math:`\Psi(\alpha)` is the mean of P(cue 2) over observers and cue pairs. The
PSE is where it crosses 1/2 (eq. 5). A model that is never sure leaves the curve between two
asymptotes, its guess and lapse rates, which are fitted too; the JND is that of the curve
between them. The PSE's interval includes every stimulus at which the mean answer
does not differ significantly from 1/2 by a t test over observers (and cue pairs). It is therefore
wide where the curve is flat, and has no end on a side where the mean answer at the end of the
stimulus axis does not differ significantly from 1/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.probes.psychometrics.curves import Curves, PairsAs, half_width, mean_parts
from biaslab.probes.psychometrics.fit_check import check_fit, jackknife_half_width
from biaslab.probes.psychometrics.graded_estimates import GradedEstimates
from biaslab.probes.psychometrics.options import Lapses, fit_options
from biaslab.stats.crossed.effects import Crossing, Part, satterthwaite
from biaslab.stats.curves.curve_fit import HIGHEST_RATE, Status
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.replicates import Family, ReplicateFit
from biaslab.stats.curves.sigmoids import get_sigmoid
from biaslab.stats.psychometric import PsychometricFit, fit
from biaslab.stats.reproducibility import snapped

Floats = NDArray[np.float64]
FLAT = "the answers do not follow the blend"
TWICE = "the mean answer crosses 50 % more than once"
REACH = 1.0
"""Extrapolation limit of a curve beyond the stimuli: a PSE further out is infinite, and a JND
wider than this is not reported."""
_EQUAL = 1e-9
"""Answers this close to one half are even: half of many shares seldom sum to just that."""
_FINEST = 401


def switch_points_of_answers(answers: Floats, alphas: Floats) -> Floats:
    """Return where each curve of answers crosses 1/2.

    - `answers`: ndarray, shape (..., L).
    - `alphas`, ndarray, shape (L,): increasing.
    - Returns ndarray, shape (...): between two stimuli by a straight line between their log-odds;
      in the middle of stimuli that are answered evenly. ``inf`` for an observer that always answers
      cue 1, ``-inf`` for cue 2, NaN for one that crosses downwards or several times, or has no
      answers (NaN).
    """
    answers = snapped(answers, 0.5, _EQUAL)
    below, above = answers < 0.5, answers > 0.5
    end = answers.shape[-1] - 1
    # The last stimulus answered with cue 1, and the first answered with cue 2.
    last = np.where(below.any(axis=-1), end - np.argmax(below[..., ::-1], axis=-1), -1)
    first = np.where(above.any(axis=-1), np.argmax(above, axis=-1), end + 1)
    with np.errstate(divide="ignore"):
        z = np.clip(special.logit(answers), -700, 700)
    low, high = (
        np.take_along_axis(z, np.clip(at, 0, end)[..., None], axis=-1)[..., 0]
        for at in (last, first)
    )
    left, right = (alphas[np.clip(at, 0, end)] for at in (last, first))
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = left + (right - left) * low / (low - high)
    # Answers that are even from one stimulus to another cross in the middle between the two.
    even = (alphas[np.clip(last + 1, 0, end)] + alphas[np.clip(first - 1, 0, end)]) / 2
    crossing = np.where(first > last + 1, even, crossing)
    crossing = np.where(last == end, np.inf, np.where(first == 0, -np.inf, crossing))
    crosses = (last < first) & (below | above).any(axis=-1) & ~np.isnan(answers).any(axis=-1)
    return np.where(crosses, crossing, np.nan)


def graded_per_pair(
    answers: Floats,
    alphas: Floats,
    family: Family,
    convention: Convention,
    level: float,
    rates: Lapses = "free",
) -> GradedEstimates:
    """Estimate PSE and JND of each item and cue pair.

    - `answers`, ndarray, shape (B, n, K, L): P(cue 2).
    - `alphas`: ndarray, shape (L,).
    """
    b = len(answers)
    gained = answers[..., -1] - answers[..., 0]
    parts: list[Part] = []
    of_gain: list[Part] = []
    if b > 1:
        parts = [(answers.var(axis=0, ddof=1) / b, float(b - 1))]
        of_gain = [(gained.var(axis=0, ddof=1) / b, float(b - 1))]
    return _estimates(
        b,
        answers.mean(axis=0),
        _jackknifed(answers, b),
        alphas,
        parts,
        (gained.mean(axis=0), of_gain),
        _without(answers, alphas).sum(axis=0),
        family,
        convention,
        level,
        rates,
    )


def graded_pooled(
    answers: Floats,
    alphas: Floats,
    family: Family,
    convention: Convention,
    level: float,
    pairs_as: PairsAs,
    weights: Floats,
    crossing: Crossing | None = None,
    rates: Lapses = "free",
) -> GradedEstimates:
    """Estimate PSE and JND of each item, pooled over cue pairs (eq. 4).

    - `answers`: ndarray, shape (B, n, K, L).
    - `weights`, ndarray, shape (K,): prior probability of each cue pair; sums to 1.
    - `crossing`: crossing of two lists of cues; None if each pair has its own cues.
    """
    b, n, k, levels = answers.shape
    if k == 1:
        by_pair = graded_per_pair(answers, alphas, family, convention, level, rates)
        return by_pair.one((slice(None), 0))
    pooled = np.einsum("bnkl,k->bnl", answers, weights)
    # Each level counts as an item in the variance of a mean over pairs.
    flat = answers.transpose(0, 1, 3, 2).reshape(b, n * levels, k)
    parts: list[Part] = [
        (variance.reshape(n, levels), np.reshape(df, (n, levels)) if np.ndim(df) else df)
        for variance, df in mean_parts(flat, weights, pairs_as, crossing)
    ]
    gained = answers[..., -1] - answers[..., 0]
    of_gain = mean_parts(gained, weights, pairs_as, crossing)
    drawn = _jackknifed(pooled, b)
    if pairs_as == "resampled":
        means = answers.mean(axis=0).transpose(1, 0, 2)
        drawn += _jackknifed(means, k, weights)
    return _estimates(
        b,
        pooled.mean(axis=0),
        drawn,
        alphas,
        parts,
        (np.einsum("bnk,k->bn", gained, weights).mean(axis=0), of_gain),
        _without(answers, alphas).sum(axis=(0, 2)),
        family,
        convention,
        level,
        rates,
    )


def _estimates(
    b: int,
    mean: Floats,
    left_out: list[tuple[Floats, int]],
    alphas: Floats,
    parts: list[Part],
    gain: tuple[Floats, list[Part]],
    without: NDArray[np.int64],
    family: Family,
    convention: Convention,
    level: float,
    rates: Lapses,
) -> GradedEstimates:
    """Estimate from mean answers (..., L), their variance, and leave-one-out means."""
    # Weights that sum to 1 up to rounding make means that are shares up to rounding.
    mean = np.clip(snapped(mean, 0.5, _EQUAL), 0, 1)
    half = half_width(parts, level) if parts else np.full(mean.shape, np.nan)
    crossing, reason = _crossing(mean, alphas)
    fitted = _fitted(mean, alphas, family, rates)
    curves = _curves(b, fitted, crossing, reason, family)
    none = np.asarray(curves.fit.reason) != ""
    # Outside the axis the curve gives the crossing; the answers give its side.
    pse = np.where(np.isinf(crossing), _beyond(curves.pse, crossing), crossing)
    corpus = _inverted(mean, half, alphas)
    corpus = np.where((none | np.isnan(half).any(axis=-1))[..., None], np.nan, corpus)
    with np.errstate(over="ignore", invalid="ignore"):
        width = np.asarray(curves.jnd(convention))
    # A step between two stimuli is too narrow to measure, and a flat curve has no JND.
    width = np.where(none | ~(width > 0) | (width > REACH), np.nan, width)
    middle, around = (at_half(x, alphas) for x in (mean, half))
    slope, slope_parts = gain
    of_slope = half_width(slope_parts, level) if slope_parts else np.full(slope.shape, np.nan)
    guess, lapse = (np.where(none, np.nan, rate) for rate in (curves.guess, curves.lapse))
    jackknife = _Jackknife.of(left_out, alphas, family, rates, fitted.fit)
    at_stimuli = _at_stimuli(curves, alphas)
    check = check_fit(alphas, mean, at_stimuli, jackknife.answers, parts, level, _degrees)
    return GradedEstimates(
        curves,
        np.where(none, np.nan, pse),
        width,
        corpus,
        np.full_like(corpus, np.nan),
        jackknife.jnd_interval(width, convention, level),
        level,
        None,
        alphas=alphas,
        mean=mean,
        half=half,
        neutral=middle,
        neutral_interval=np.clip(np.stack([middle - around, middle + around], axis=-1), 0, 1),
        neutral_p=_p_values(mean, parts, alphas),
        slope=slope,
        slope_interval=np.clip(np.stack([slope - of_slope, slope + of_slope], axis=-1), -1, 1),
        guess=guess,
        lapse=lapse,
        guess_interval=jackknife.rate_interval(guess, "guess", level),
        lapse_interval=jackknife.rate_interval(lapse, "lapse", level),
        check=check,
        without_switch=without.astype(np.int64),
    )


def _crossing(mean: Floats, alphas: Floats) -> tuple[Floats, NDArray[np.str_]]:
    """Return where mean answers cross 1/2, and why there is none."""
    pse = switch_points_of_answers(mean, alphas)
    falls = mean[..., -1] <= mean[..., 0] + _EQUAL
    reason = np.where(falls, FLAT, np.where(np.isnan(pse), TWICE, ""))
    return pse, reason


def _beyond(pse: Floats, side: Floats) -> Floats:
    """Return the curve's PSE if near and on the side of the answers; else infinity."""
    agrees = np.where(side > 0, pse > 1, pse < 0)
    return np.where(agrees & (np.abs(pse - 0.5) <= REACH + 0.5), pse, side)


def _curves(
    b: int, fitted: _Fitted, crossing: Floats, reason: NDArray[np.str_], family: Family
) -> Curves:
    """A curve through the crossing, with the slope and asymptotes that suit the answers best."""
    sigmoid = get_sigmoid(family)
    inside = np.isfinite(crossing)
    scale = np.where(fitted.good, fitted.scale, np.where(inside, 0.0, np.nan))
    with np.errstate(invalid="ignore"):
        through = sigmoid.to_axis(np.where(inside, crossing, 1.0)) - scale * sigmoid.median
    location = np.where(inside, through, fitted.location)
    why = np.where(reason != "", reason, np.where(fitted.good | inside, "", FLAT))
    bad = why != ""
    location, scale = np.where(bad, np.nan, location), np.where(bad, np.nan, scale)
    return Curves(ReplicateFit(family, b, location, scale, why), 0.0, fitted.guess, fitted.lapse)


def _at_stimuli(curves: Curves, alphas: Floats) -> Floats:
    """The curves (...) at the stimuli, shape (..., L)."""
    return np.stack([curves.share(alpha) for alpha in alphas], axis=-1)


class _Fitted(NamedTuple):
    """Curves fitted to mean answers; the location is where the curve, with its asymptotes, is 1/2.

    Arrays have the shape of the curves; `good` says where there is a slope.
    """

    fit: PsychometricFit
    location: Floats
    scale: Floats
    guess: Floats
    lapse: Floats
    good: NDArray[np.bool_]


def _fitted(
    mean: Floats,
    alphas: Floats,
    family: Family,
    rates: Lapses,
    start: PsychometricFit | None = None,
) -> _Fitted:
    sigmoid = get_sigmoid(family)
    defined = np.ones_like(alphas)
    if sigmoid.log_axis:
        defined[alphas <= 0] = 0  # no such curve has a value there
    trials = np.broadcast_to(defined, mean.shape)
    options = fit_options(rates, int(defined.sum()))
    curves = fit(alphas, mean * defined, trials, family=family, start=start, **options)
    good = np.asarray(curves.converged) & (curves.scale > 0) & np.isfinite(curves.scale)
    determined = good | (curves.status == Status.STEP)
    guess, lapse = (np.where(determined, rate, 0.0) for rate in (curves.guess, curves.lapse))
    core = (0.5 - guess) / (1 - guess - lapse)
    with np.errstate(invalid="ignore"):
        even = curves.location + curves.scale * (sigmoid.ppf(core) - sigmoid.median)
    return _Fitted(curves, even, np.asarray(curves.scale), guess, lapse, good)


def _inverted(mean: Floats, half: Floats, alphas: Floats) -> Floats:
    """Return the stimuli whose mean answer does not differ from 1/2, (..., 2)."""
    fine = np.unique(np.concatenate([alphas, np.linspace(alphas[0], alphas[-1], _FINEST)]))
    at = np.searchsorted(alphas, fine, side="right").clip(1, len(alphas) - 1)
    part = (fine - alphas[at - 1]) / (alphas[at] - alphas[at - 1])

    def between(values: Floats) -> Floats:
        return np.asarray(values[..., at - 1] * (1 - part) + values[..., at] * part)

    m, h = between(mean), between(half)
    over = np.abs(m - 0.5) - h  # positive where the difference from 1/2 is significant
    within = over <= 0
    some = within.any(axis=-1)
    last_point = len(fine) - 1
    first = np.argmax(within, axis=-1)
    last = last_point - np.argmax(within[..., ::-1], axis=-1)
    low = np.where(first == 0, -np.inf, _root(fine, over, np.maximum(first - 1, 0)))
    high = np.where(last == last_point, np.inf, _root(fine, over, np.minimum(last, last_point - 1)))
    # Nowhere: the crossing is beyond the end on the side of its answers, or between two points.
    beyond_1, beyond_0 = m[..., -1] < 0.5, m[..., 0] > 0.5
    crossing = _root(fine, m - 0.5, np.maximum(np.argmax(m >= 0.5, axis=-1), 1) - 1)
    low = np.where(some, low, np.where(beyond_1, 1.0, np.where(beyond_0, -np.inf, crossing)))
    high = np.where(some, high, np.where(beyond_1, np.inf, np.where(beyond_0, 0.0, crossing)))
    return np.stack([low, high], axis=-1)


def _root(x: Floats, values: Floats, at: NDArray[np.intp]) -> Floats:
    """Return zeros of values (..., points) between ``at`` and the next point, linearly."""
    left, right = (np.take_along_axis(values, (at + e)[..., None], axis=-1)[..., 0] for e in (0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.clip(left / (left - right), 0, 1)
    return np.asarray(x[at] + np.nan_to_num(part) * (x[at + 1] - x[at]))


def at_half(values: Floats, alphas: Floats) -> Floats:
    """Interpolate values (..., L) linearly at alpha 1/2."""
    after = int(np.clip(np.searchsorted(alphas, 0.5), 1, len(alphas) - 1))
    part = (0.5 - alphas[after - 1]) / (alphas[after] - alphas[after - 1])
    return np.asarray(values[..., after - 1] * (1 - part) + values[..., after] * part)


def _p_values(mean: Floats, parts: list[Part], alphas: Floats) -> Floats:
    """Return p-values for a mean answer of 1/2 at alpha 1/2."""
    if not parts:
        return np.full(mean.shape[:-1], np.nan)
    away = np.abs(at_half(mean, alphas) - 0.5)
    total = np.sum([variance for variance, _ in parts], axis=0)
    df = satterthwaite(parts)
    error, degrees = (at_half(x, alphas) for x in (np.sqrt(total), df))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, away / error, np.where(away > 0, np.inf, 0.0))
        return np.asarray(2 * special.stdtr(np.where(degrees > 0, degrees, 1.0), -t))


def _jackknifed(
    answers: Floats, count: int, weights: Floats | None = None
) -> list[tuple[Floats, int]]:
    """Return leave-one-out mean answers: (units, ..., L)."""
    if count < 2:
        return []
    w = np.full(count, 1 / count) if weights is None else weights
    shape = (count, *([1] * (answers.ndim - 1)))
    total = np.einsum("b...,b->...", answers, w)
    left = (total - answers * w.reshape(shape)) / (1 - w).reshape(shape)
    return [(np.clip(left, 0, 1), count)]


@dataclass(frozen=True)
class _Jackknife:
    """Curves with one unit left out, for each kind of unit: observers, and cue pairs if sampled.

    - `parts`: curves of shape (units, ...), and how many units there are; the first kind's units
      have equal weights.
    - `answers`, tuple of (ndarray, ndarray), shapes (units, ..., L): mean answers, and the curves
      at the stimuli, per kind.
    """

    parts: tuple[tuple[Curves, int], ...]
    answers: tuple[tuple[Floats, Floats], ...]

    @classmethod
    def of(
        cls,
        left_out: list[tuple[Floats, int]],
        alphas: Floats,
        family: Family,
        rates: Lapses,
        whole: PsychometricFit,
    ) -> _Jackknife:
        """Fit the mean answers (units, ..., L) that each unit leaves; `whole` is the fit to all."""
        parts, answers = [], []
        for means, count in left_out:
            fitted = _fitted(means, alphas, family, rates, whole)
            scale, guess, lapse = (
                np.where(fitted.good, values, np.nan)
                for values in (fitted.scale, fitted.guess, fitted.lapse)
            )
            none = np.full(scale.shape, "")
            replicates = ReplicateFit(family, count, fitted.location, scale, none)
            curves = Curves(replicates, 0.0, guess, lapse)
            parts.append((curves, count))
            answers.append((means, _at_stimuli(curves, alphas)))
        return cls(tuple(parts), tuple(answers))

    def jnd_interval(self, width: Floats, convention: Convention, level: float) -> Floats:
        """Of the JND, on its logarithm; NaN where a curve without one unit has none.

        What a curve over few units lacks in spread is put back by the jackknife's own estimate of
        it. And a jackknife variance of a spread is itself known badly: `_degrees`.
        """
        centre = np.log(width, where=width > 0, out=np.full(width.shape, np.nan))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = [np.log(curves.jnd(convention)) for curves, _ in self.parts]
            half = jackknife_half_width(logs, level, width.shape, _degrees)
            if logs:
                centre = centre + (self.parts[0][1] - 1) * (centre - logs[0].mean(axis=0))
            low, high = np.exp(centre - half), np.exp(centre + half)
        ends = np.stack([np.minimum(low, width), np.maximum(high, width)], axis=-1)
        return np.where(np.isfinite(ends), ends, np.nan)

    def rate_interval(self, rate: Floats, name: Literal["guess", "lapse"], level: float) -> Floats:
        """Of a guess or lapse rate."""
        rates = [np.asarray(getattr(curves, name)) for curves, _ in self.parts]
        half = jackknife_half_width(rates, level, rate.shape)
        return np.clip(np.stack([rate - half, rate + half], axis=-1), 0, HIGHEST_RATE)


def _degrees(count: int) -> float:
    """Return df of the jackknife variance of a spread over ``count`` units.

    What a unit adds to a variance has a kurtosis of 15 where units are normal, so that the variance
    of these has about 2 count / (15 - 1) degrees of freedom, not count - 1. The constant is set by
    simulation for few units (benchmarks/morph_coverage.py).
    """
    return min(count - 1.0, 1.3 + count / 7)


def _without(answers: Floats, alphas: Floats) -> NDArray[np.bool_]:
    return np.asarray(~np.isfinite(switch_points_of_answers(answers, alphas)))
