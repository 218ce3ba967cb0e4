"""PSE and JND of a subject that chooses trial by trial: of a hierarchical model over observers.

The estimates are those of `biaslab.stats.hierarchical`, an item and a cue pair (or an item over all
pairs) at a time. They are conditional on an answer: trials answered "cannot say" are counted and
left out of the curve. PSE and JND are those of the population's curve, as for any other subject
(Liang and Acuna 2020, eq. 4): the JND includes the spread of observers' PSEs; `own_jnd` does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.probes.psychometrics.curves import Curves, Estimates, ends
from biaslab.probes.psychometrics.fit_check import FitCheck
from biaslab.probes.psychometrics.options import FEWEST_LEVELS, Fit, Lapses, family_of
from biaslab.probes.psychometrics.trials import Trials
from biaslab.stats.curves.replicates import ReplicateFit
from biaslab.stats.curves.sigmoids import get_sigmoid
from biaslab.stats.mixed.hierarchical import HierarchicalFit, fit_hierarchical
from biaslab.stats.mixed.restricted_likelihood import Answers
from biaslab.stats.quantiles import t_quantile

Floats = NDArray[np.float64]

UNCLEAR: Final = "the answers do not clearly follow the blend"
UNSETTLED: Final = "the model of these trials did not converge"
NO_ANSWER: Final = "no trial was answered with a cue"
ONE_STIMULUS: Final = "all trials show one stimulus"
_CLEAR_TRIALS: Final = 6
"""So many answers that are all alike are a clear lean: by chance they are in 3 of 100 cases."""


@dataclass(frozen=True, kw_only=True)
class TrialEstimates(Estimates):
    """PSE and JND of trials, with intervals, in the shape of the curves.

    ``corpus`` is the interval of the PSE over observers, trials, and cue pairs where these are a
    sample; there is no other: ``monte_carlo`` is NaN.

    Attributes
    ----------
    family : str
        Family of the observers' curves.
    n, n_cannot_say : ndarray of int
        Trials, and how many of them were answered "cannot say".
    own_jnd, own_jnd_interval : ndarray
        JND of a typical observer's own curve; of several observers no interval with fewer than
        `biaslab.stats.mixed.hierarchical.FEWEST_FOR_OWN` trials.
    pse_sd, pse_sd_interval : ndarray
        SD of PSEs over observers; NaN with one.
    order_effect, order_interval, order_p : ndarray
        PSE where cue 1 is offered first, less that where it is second, and its two-sided p-value:
        positive where the first answer offered is preferred. NaN with one order.
    dispersion, dispersion_interval : ndarray
        Correlation of two answers to the same question by the same observer, beyond its share: 0
        for binomial answers. NaN where no question was put twice.
    guess, lapse : ndarray
        Asymptotes, alike for all observers.
    neutral, neutral_interval, neutral_p : ndarray
        Share of cue 2 at alpha 1/2, and the p-value of it being 1/2.
    observer_pse : ndarray, shape (..., B)
        Each observer's PSE, shrunken toward the population's; NaN for observers without trials.
    fits : ndarray of object
        The fitted models; None where there is none.
    """

    family: str
    n: NDArray[np.int64]
    n_cannot_say: NDArray[np.int64]
    own_jnd: Floats
    own_jnd_interval: Floats
    pse_sd: Floats
    pse_sd_interval: Floats
    order_effect: Floats
    order_interval: Floats
    order_p: Floats
    dispersion: Floats
    dispersion_interval: Floats
    guess: Floats
    lapse: Floats
    neutral: Floats
    neutral_interval: Floats
    neutral_p: Floats
    observer_pse: Floats
    fits: NDArray[np.object_]

    @property
    def lean(self) -> NDArray[np.int8]:
        """1: an even blend is answered with cue 1 more often; -1: cue 2; 0: no clear lean."""
        with np.errstate(invalid="ignore"):
            clear = self.neutral_p < 1 - self.level
        side = np.sign(0.5 - np.nan_to_num(self.neutral, nan=0.5))
        return np.where(clear, side, 0).astype(np.int8)

    @property
    def p_value(self) -> Floats:
        """Two-sided p-value of no bias: of both answers being as frequent to an even blend."""
        return self.neutral_p

    @property
    def order_is_clear(self) -> NDArray[np.bool_]:
        """Whether the order in which answers are offered matters, at the level of the intervals."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.order_p < 1 - self.level)

    @property
    def reasons(self) -> NDArray[np.str_]:
        """Reason for each missing number, per curve; empty if none is missing."""
        return np.asarray(self.curves.fit.reason)

    def asymptotes(self, where: Any) -> tuple[float, float]:
        """Return guess and lapse rate of a curve."""
        return float(self.guess[where]), float(self.lapse[where])

    def columns(self, misfit: Mapping[str, Floats]) -> dict[str, NDArray[Any]]:
        """Add what only trials have."""
        return {
            **super().columns(misfit),
            "share_at_half": self.neutral,
            **ends("share_at_half", self.neutral_interval),
            "own_jnd": self.own_jnd,
            **ends("own_jnd", self.own_jnd_interval),
            "pse_sd": self.pse_sd,
            **ends("pse_sd", self.pse_sd_interval),
            "order_effect": self.order_effect,
            **ends("order_effect", self.order_interval),
            "dispersion": self.dispersion,
            **ends("dispersion", self.dispersion_interval),
            "guess": self.guess,
            "lapse": self.lapse,
            "n_trials": self.n,
            "n_cannot_say": self.n_cannot_say,
        }

    def band(self, where: Any, alphas: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the curve at ``alphas`` and its pointwise interval; NaN where there is none."""
        fit: HierarchicalFit | None = self.fits[where]
        if fit is None:
            nothing = np.full(np.shape(alphas), np.nan)
            return nothing, nothing, nothing
        share, low, high = fit.share_interval(alphas, self.level)
        return share, low, high


@dataclass(frozen=True)
class _Options:
    """How a curve is fitted; `weights` are those of fixed pairs, and none where there is one."""

    fit: Fit
    level: float
    weights: dict[tuple[str, str], float]

    @property
    def family(self) -> str:
        return family_of(self.fit.family)

    @property
    def pairs(self) -> Literal["random", "fixed"]:
        is_sample = self.fit.pairs_as == "resampled" or not self.weights
        return "random" if is_sample else "fixed"


def trial_estimates(
    trials: Trials,
    items: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    fit: Fit,
    level: float,
    weights: Floats | None = None,
) -> TrialEstimates:
    """Estimate PSE and JND of each item and cue pair, or over all pairs.

    Sampled pairs have random effects, beside those of observers and of both together; each fixed
    pair has an intercept of its own.

    - `weights`, ndarray, shape (K,): of the pairs that are pooled: the arrays then have the shape
      (n,), else (n, K).
    """
    if weights is None:
        rows = [[_about(trials, item, pair) for pair in pairs] for item in items]
        return _estimates(trials, rows, _Options(fit, level, {}))
    options = _Options(fit, level, dict(zip(pairs, weights.tolist(), strict=True)))
    rows = [[_about(trials, item, None)] for item in items]
    return _estimates(trials, rows, options).one((slice(None), 0))


def _about(trials: Trials, item: str, pair: tuple[str, str] | None) -> NDArray[np.bool_]:
    rows = trials.item == item
    if pair is not None:
        rows = rows & (trials.cue_1 == pair[0]) & (trials.cue_2 == pair[1])
    return np.asarray(rows)


def _estimates(
    trials: Trials, rows: list[list[NDArray[np.bool_]]], options: _Options
) -> TrialEstimates:
    """Estimate from a grid of cells (n, K), each of some rows of the trials."""
    cells = [[_Cell.of(trials, mask, options) for mask in line] for line in rows]
    shape = len(cells), len(cells[0])

    def each(value: Callable[[_Cell], Any]) -> Any:
        return np.array([[value(cell) for cell in line] for line in cells])

    numbers = {
        name: np.array([[cell.numbers[name] for cell in line] for line in cells])
        for name in _NUMBERS
    }
    fits = np.empty(shape, dtype=object)
    for i, line in enumerate(cells):
        for k, cell in enumerate(line):
            fits[i, k] = cell.fit
    family: Any = options.family
    location, scale = each(lambda cell: cell.location), each(lambda cell: cell.scale)
    fit = ReplicateFit(
        family, len(trials.observers), location, scale, each(lambda cell: cell.reason)
    )
    spread = np.nan_to_num(each(lambda cell: cell.spread))
    guess, lapse = numbers["guess"], numbers["lapse"]
    curves = Curves(fit, spread, np.nan_to_num(guess), np.nan_to_num(lapse))
    return TrialEstimates(
        curves=curves,
        monte_carlo=np.full((*shape, 2), np.nan),
        level=options.level,
        family=options.family,
        n=each(lambda cell: cell.n),
        n_cannot_say=each(lambda cell: cell.n_cannot_say),
        observer_pse=each(lambda cell: cell.observer_pse),
        fits=fits,
        **numbers,
    )


_NUMBERS: Final = {
    "pse": 1, "corpus": 2, "jnd": 1, "jnd_interval": 2, "own_jnd": 1, "own_jnd_interval": 2,
    "pse_sd": 1, "pse_sd_interval": 2, "order_effect": 1, "order_interval": 2, "order_p": 1,
    "dispersion": 1, "dispersion_interval": 2, "guess": 1, "lapse": 1, "neutral": 1,
    "neutral_interval": 2, "neutral_p": 1,
}  # fmt: skip
"""Fields of `TrialEstimates`, with their size per curve."""


@dataclass(frozen=True)
class _Cell:
    """Estimates of one curve."""

    n: int
    n_cannot_say: int
    observer_pse: Floats
    reason: str
    numbers: dict[str, Any]
    fit: HierarchicalFit | None = None
    location: float = np.nan
    scale: float = np.nan
    spread: float = np.nan

    @classmethod
    def of(cls, trials: Trials, rows: NDArray[np.bool_], options: _Options) -> _Cell:
        """Fit the trials of some rows."""
        n, n_cannot_say = int(trials.n[rows].sum()), int(trials.n_cannot_say[rows].sum())
        all_observers = np.array(trials.observers)
        used = rows & (trials.decided > 0)
        if get_sigmoid(options.family).log_axis:
            used = used & (trials.alpha > 0)  # no such curve has a value at 0
        numbers: dict[str, Any] = {
            name: np.nan if size == 1 else np.full(size, np.nan) for name, size in _NUMBERS.items()
        }
        nobody = np.full(len(all_observers), np.nan)
        if reason := _missing(trials, used):
            if used.any():
                numbers |= _alike(trials.n_cue_2[used], trials.decided[used])
            return cls(n, n_cannot_say, nobody, reason, numbers)
        part = trials.take(used)
        levels = len(np.unique(part.alpha))
        fit = _fitted(part, options, options.fit.lapses if levels >= FEWEST_LEVELS else "none")
        unclear = _is_unclear(fit, options)
        if unclear and options.fit.lapses != "none":
            # Asymptotes can take up all of a curve that hardly rises, and few trials do not fix
            # them. Answers that do not follow the blend have none: that is tested without them.
            without = _fitted(part, options, "none")
            unclear = _is_unclear(without, options)
            fit = fit if fit.converged and not unclear else without
        if not fit.mode.converged:
            return cls(n, n_cannot_say, nobody, UNSETTLED, numbers)
        numbers |= _at_even(fit, options.level)
        if unclear:
            return cls(n, n_cannot_say, nobody, UNCLEAR, numbers)
        numbers |= _of_curve(fit, options)
        index = {name: i for i, name in enumerate(np.unique(part.observer).tolist())}
        own = fit.observer_pses()
        observer_pse = np.array([own[index[o]] if o in index else np.nan for o in all_observers])
        # A curve between its asymptotes is 1/2 where the PSE is.
        middle = float(fit.curve.z_quantile(0.5)) / fit.slope
        axis = fit.curve.sigmoid
        return cls(
            n, n_cannot_say, observer_pse, "", numbers, fit,
            float(axis.to_axis(fit.pse)) - middle, 1 / fit.slope, fit.curve.spread / fit.slope,
        )  # fmt: skip


def _is_unclear(fit: HierarchicalFit, options: _Options) -> bool:
    return not fit.converged or fit.slope_p > 1 - options.level


def _fitted(part: Trials, options: _Options, rates: Lapses) -> HierarchicalFit:
    _, observer = np.unique(part.observer, return_inverse=True)
    number = {pair: k for k, pair in enumerate(part.pairs)}
    cues = zip(part.cue_1.tolist(), part.cue_2.tolist(), strict=True)
    weights = np.array([options.weights.get(pair, 1.0) for pair in number])
    answers = Answers(
        part.alpha, part.n_cue_2, part.decided, observer, np.array([number[pair] for pair in cues]),
        np.where(part.cue_1_first, 0.5, -0.5),
    )  # fmt: skip
    return fit_hierarchical(
        answers,
        family=options.family,
        rates=rates,
        pairs=options.pairs,
        weights=weights / weights.sum(),
    )


def _at_even(fit: HierarchicalFit, level: float) -> dict[str, Any]:
    """Return what the answers to an even blend say, with or without a PSE."""
    share, *interval = fit.share_interval(0.5, level)
    return {"neutral": share, "neutral_interval": interval, "neutral_p": fit.p_value(0.5)}


def _of_curve(fit: HierarchicalFit, options: _Options) -> dict[str, Any]:
    """Return the estimates of a curve that rises clearly."""
    convention, level = options.fit.jnd, options.level
    *order, order_p = fit.order_interval(level)
    return {
        "pse": fit.pse,
        "corpus": fit.pse_interval(level),
        "jnd": fit.jnd(convention),
        "jnd_interval": fit.jnd_interval(convention, level),
        "own_jnd": fit.own_jnd(convention),
        "own_jnd_interval": fit.own_jnd_interval(convention, level),
        "pse_sd": fit.pse_sd,
        "pse_sd_interval": fit.pse_sd_interval(level),
        "order_effect": fit.order_effect,
        "order_interval": order,
        "order_p": order_p,
        "dispersion": fit.settings.dispersion if fit.has_dispersion else np.nan,
        "dispersion_interval": fit.dispersion_interval(level),
        "guess": fit.settings.guess,
        "lapse": fit.settings.lapse,
    }


def _missing(trials: Trials, used: NDArray[np.bool_]) -> str:
    """Why no curve can be fitted; empty where one can."""
    if not used.any():
        return NO_ANSWER
    cue_2, decided = trials.n_cue_2[used].sum(), trials.decided[used].sum()
    if cue_2 in (0, decided):
        cues = trials.pairs[0]
        names = cues[int(cue_2 > 0)] if len(trials.take(used).pairs) == 1 else "the same cue"
        return f"every answer is {names}"
    return ONE_STIMULUS if len(np.unique(trials.alpha[used])) == 1 else ""


def _alike(cue_2: NDArray[np.int64], decided: NDArray[np.int64]) -> dict[str, Any]:
    """Return what answers that are all alike, or to one stimulus, say."""
    hits, total = int(cue_2.sum()), int(decided.sum())
    if hits not in (0, total):
        return {}
    side = np.inf if hits == 0 else -np.inf
    share = 0.0 if hits == 0 else 1.0
    p = float(2 * 0.5 ** min(total, 1000)) if total >= _CLEAR_TRIALS else np.nan
    return {"pse": side, "neutral": share, "neutral_p": p}


def check_trials(
    fits: NDArray[np.object_], n_observers: int, alphas: Floats, level: float
) -> FitCheck:
    """Compare the answers to each stimulus with the curves of observers.

    - `fits`: a `HierarchicalFit` per curve, or None where there is none.
    - `n_observers`: B.
    - `alphas`, ndarray, shape (L,): all stimuli; a curve is NaN at those without answers of its
      own.
    - `level`: of the intervals, in (0, 1).
    - Returns: arrays of shape fits.shape and fits.shape + (L,). The curve is the mean of the
      observers' own; the misfit leaves out what the scatter of trials adds, and weighs stimuli by
      their trials. The predictive band is of t with B - 1 degrees of freedom, normal for one
      observer.
    """
    shape, levels = fits.shape, len(alphas)
    mean, residual, expected, predicted = np.full((4, *shape, levels), np.nan)
    misfit, p_value = np.full((2, *shape), np.nan)
    normal = float(special.ndtri((1 + level) / 2))
    of_new = float(t_quantile(n_observers - 1.0, (1 + level) / 2)) if n_observers > 1 else normal
    for where in np.ndindex(shape):
        fit = cast("HierarchicalFit | None", fits[where])
        if fit is None:
            continue
        residuals = fit.residuals()
        at = (*where, np.searchsorted(alphas, residuals.levels))
        mean[at], residual[at] = residuals.mean, residuals.residual
        expected[at] = normal * np.sqrt(np.maximum(np.diag(residuals.covariance), 0.0))
        predicted[at] = of_new * np.sqrt(residuals.predicted)
        misfit[where], p_value[where] = residuals.misfit, residuals.p_value
    return FitCheck(alphas, mean, residual, expected, predicted, misfit, p_value, level)
