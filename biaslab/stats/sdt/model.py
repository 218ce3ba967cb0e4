"""Gaussian models of signal detection: what answers to noise and signal say of sensitivity.

Evidence is normal: of noise with mean 0 and standard deviation 1, of signal with mean m and
standard deviation s. Answers are ordered categories between cuts; those above one cut, the
criterion, are a yes. With hit rate H, false-alarm rate F, z the inverse of the normal
distribution function, and r = 1 / s the slope of the zROC (Macmillan and Creelman 2005, chapters
1 to 3):

    d_a = sqrt(2 / (1 + r^2)) (z(H) - r z(F))
    c_a = -sqrt(2) r / (sqrt(1 + r^2) (1 + r)) (z(H) + z(F))
    A_z = normal distribution function of d_a / sqrt(2)

With equal spreads, s = 1, these are d' = z(H) - z(F) and c = -(z(H) + z(F)) / 2.

Rates of 0 or 1 have no z. The default is Bayes with a weak prior, Beta(3/4, 3/4) of either rate:
the estimate is the median of the posterior, and the interval its middle. With 25, 50 and 100
answers of each kind, 95 % intervals of d' and c cover 93.1 to 96.9 % for every d' from 0 to 3 and
c from 0 to 1, by enumeration; with Jeffreys' prior, Beta(1/2, 1/2), 92.5 to 97.7 %. Of K grades the
prior is half an answer to noise and half a one to signal, spread evenly over the grades, and flat
in m, the cuts and log s where evidence is measured in the geometric mean of both standard
deviations: so noise and signal can be swapped. The slope alone is estimated by maximum likelihood,
with the intervals of its profile, as where d' is high its posterior follows the prior.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Correction = Literal["weak prior", "jeffreys", "log-linear", "1/(2N)"]
Spreads = Literal["equal", "unequal"]
MEASURES: Final = ("d_prime", "criterion", "z_hits", "z_false_alarms", "log_slope")
"""Numbers of a fit, all on scales without ends."""
_STEPS: Final = 100
_NEAR: Final = 1e-9
_OF_GRADES: Final = 0.5
"""Answers to noise, and to signal, that the prior of grades is worth."""
_TINY: Final = 1e-300
_PRIOR: Final[Mapping[str, float]] = {"weak prior": 0.75, "jeffreys": 0.5}
"""Both parameters of the beta distribution."""
_HEAVY: Final = 5
"""Degrees of freedom of the distribution that draws are proposed from."""
_FIRST: Final = 1_000
"""Draws by which the proposal of all others is found."""
_MOST: Final = 0.05
"""Largest weight of one of them."""
_FAR: Final = 3.5
"""Signed roots of the likelihood ratio at the ends of a profile."""
_WIDEST: Final = 3.0
"""Largest distance of its ends from the best fit, where the likelihood hardly falls."""


class FitTest(NamedTuple):
    """A likelihood-ratio test of a model against a wider one; NaN without degrees of freedom."""

    statistic: float
    df: int

    @property
    def p(self) -> float:
        """Of chi-square."""
        return float(special.chdtrc(self.df, self.statistic)) if self.df else math.nan


@dataclass(frozen=True)
class Detection:
    """Sensitivity and criterion of one observer.

    Attributes
    ----------
    values : mapping of str to float
        Posterior median of each of `MEASURES`; the most likely slope.
    draws : mapping of str to ndarray, shape (D,)
        Equally weighted draws of their posterior, of the slope from its confidence distribution.
    influence : mapping of str to ndarray, shape (2, K)
        How much one more answer to noise, or to signal, in each category moves a number, less
        the mean over the answers of its kind.
    cuts : ndarray, shape (K - 1,)
        Of the evidence, midway between noise and signal at 0, in standard deviations of noise.
    sd : float
        Standard deviation of the signal's evidence.
    extreme : bool
        Whether no answer, or every answer, to noise or to signal was a yes.
    unequal : FitTest
        Of equal against unequal spreads.
    shares : FitTest
        Of equal spreads against the shares as they are.
    """

    values: Mapping[str, float]
    draws: Mapping[str, Floats]
    influence: Mapping[str, Floats]
    cuts: Floats
    sd: float
    extreme: bool
    unequal: FitTest
    shares: FitTest


def detect(
    counts: Floats,
    own: int = 0,
    *,
    spreads: Spreads = "equal",
    correction: Correction = "weak prior",
    draws: int = 20_000,
    rng: np.random.Generator,
) -> Detection:
    """Estimate sensitivity and criterion from counts of answers.

    Parameters
    ----------
    counts : ndarray, shape (2, K)
        Answers to noise and to signal in K ordered categories, K >= 2; each kind has some. They
        may be sums of probabilities.
    own : int
        The cut above which answers are a yes, from 0 to K - 2.
    spreads : {"equal", "unequal"}
        Unequal ones take at least 3 categories.
    correction : {"weak prior", "jeffreys", "log-linear", "1/(2N)"}
        Of yes or no: the weak prior; Jeffreys' prior; half an answer added to every cell (Hautus
        1995); or rates of 0 and 1 replaced by 1 / (2N) and 1 - 1 / (2N). The latter two have normal
        intervals by the variance of Gourevitch and Galanter (1967).
    draws : int
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If counts and options do not fit together.
    """
    counts = np.asarray(counts, dtype=np.float64)
    categories = counts.shape[1]
    if counts.ndim != 2 or len(counts) != 2 or categories < 2 or (counts.sum(axis=1) <= 0).any():
        raise ValueError("Counts are of noise and signal, some of each, in two or more categories.")
    if not 0 <= own < categories - 1:
        raise ValueError(f"own is {own}; {categories} categories have cuts 0 to {categories - 2}.")
    if spreads == "unequal" and categories < 3:
        raise ValueError("Unequal spreads take at least 3 categories.")
    if correction != "weak prior" and categories > 2:
        raise ValueError(f"The correction {correction} is of yes or no, not of grades.")
    rates = counts[:, own + 1 :].sum(axis=1) / counts.sum(axis=1)
    extreme = bool(((rates <= 0) | (rates >= 1)).any())
    equal = _fit(counts)
    tests = FitTest(math.nan, 0), FitTest(math.nan, 0)
    chosen = equal
    if categories > 2:
        wide = _fit(counts, log_sd=None)
        weights = _weights(counts)
        saturated = float(special.xlogy(weights, weights / weights.sum(axis=1)[:, None]).sum())
        tests = (
            FitTest(max(2 * (wide.score - equal.score), 0.0), 1),
            FitTest(max(2 * (saturated - equal.score), 0.0), categories - 2),
        )
        chosen = wide if spreads == "unequal" else equal
        drawn = _measures(_posterior(chosen, counts, draws, rng), own)
        if spreads == "unequal":
            drawn["log_slope"] = -_drawn_log_sd(wide, counts, draws, rng)
    else:
        drawn = _of_rates(*_drawn_z(counts, correction, draws, rng))
    values = {name: float(np.median(drawn[name])) for name in MEASURES}
    cuts = chosen.at[2:] - chosen.at[0] / 2
    return Detection(
        values=values,
        draws=drawn,
        influence=_influence(chosen, counts, own),
        cuts=cuts if categories > 2 else np.array([values["criterion"]]),
        sd=math.exp(chosen.at[1]),
        extreme=extreme,
        unequal=tests[0],
        shares=tests[1],
    )


class _Fit(NamedTuple):
    """Parameters m, log s and the cuts, whose log-likelihood is highest, and their information."""

    at: Floats
    score: float
    information: Floats
    free: NDArray[np.bool_]


def _weights(counts: Floats) -> Floats:
    """Return counts and the prior's answers."""
    return np.asarray(counts + _OF_GRADES / counts.shape[1])


def _shares(at: Floats) -> Floats:
    """Return the probability of each category of noise and signal, (..., 2, K)."""
    mean, log_sd, cuts = at[..., :1], at[..., 1:2], at[..., 2:]
    below = special.ndtr(np.stack([cuts, (cuts - mean) * np.exp(-log_sd)], axis=-2))
    ends = (*below.shape[:-1], 1)
    return np.asarray(np.diff(np.concatenate([np.zeros(ends), below, np.ones(ends)], axis=-1)))


def _slopes(at: Floats) -> Floats:
    """Return the derivatives of the categories' probabilities, (P, 2, K)."""
    mean, sd, cuts = at[0], math.exp(at[1]), at[2:]
    z = (cuts - mean) / sd
    of_noise, of_signal = (np.exp(-0.5 * v**2) / math.sqrt(2 * math.pi) for v in (cuts, z))
    below = np.zeros((len(at), 2, len(cuts) + 2))
    below[0, 1, 1:-1] = -of_signal / sd
    below[1, 1, 1:-1] = -of_signal * z
    for j in range(len(cuts)):
        below[2 + j, 0, 1 + j], below[2 + j, 1, 1 + j] = of_noise[j], of_signal[j] / sd
    return np.diff(below)


def _fit(counts: Floats, *, log_sd: float | None = 0.0, start: Floats | None = None) -> _Fit:
    """Maximise the likelihood with the prior's answers by Fisher's scoring.

    - `log_sd`: of the signal; None to find it too.
    - `start`: parameters to begin at.
    """
    weights = _weights(counts)
    totals = weights.sum(axis=1)
    below = np.cumsum(weights, axis=1)[:, :-1] / totals[:, None]
    z = special.ndtri(below)
    at = np.concatenate([[float(np.mean(z[0] - z[1])), 0.0], z[0]])
    at[2:] = (z[0] + z[1] + at[0]) / 2
    at = at if start is None else start.copy()
    free = np.ones(len(at), dtype=bool)
    if log_sd is not None:
        free[1], at[1] = False, log_sd

    def score(where: Floats) -> float:
        if (np.diff(where[2:]) <= 0).any():
            return -math.inf
        return float((weights * np.log(np.maximum(_shares(where), _TINY))).sum())

    best = score(at)
    for _ in range(_STEPS):
        shares, slopes = np.maximum(_shares(at), _TINY), _slopes(at)[free]
        gradient = (slopes * weights / shares).sum(axis=(1, 2))
        information = np.einsum("ajk,bjk,jk->ab", slopes, slopes, totals[:, None] / shares)
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        size = 1.0
        while size > _NEAR:
            there = at.copy()
            there[free] += size * step
            reached = score(there)
            if reached >= best:
                break
            size /= 2
        else:
            break
        is_over = reached - best < _NEAR * (1 + abs(best))
        at, best = there, reached
        if is_over:
            break
    return _Fit(at, best, information, free)


def _of_rates(
    z_hits: Floats, z_false_alarms: Floats, log_slope: Floats | float = 0.0
) -> dict[str, Floats]:
    """Return the numbers of hit and false-alarm rates, given as z."""
    slope = np.exp(log_slope)
    spread = np.sqrt(2 / (1 + slope**2))
    return {
        "d_prime": spread * (z_hits - slope * z_false_alarms),
        "criterion": -spread * slope / (1 + slope) * (z_hits + z_false_alarms),
        "z_hits": z_hits,
        "z_false_alarms": z_false_alarms,
        "log_slope": np.broadcast_to(log_slope, np.shape(z_hits)),
    }


def _measures(at: Floats, own: int) -> dict[str, Floats]:
    mean, log_sd, cut = at[..., 0], at[..., 1], at[..., 2 + own]
    return _of_rates((mean - cut) * np.exp(-log_sd), -cut, -log_sd)


def _drawn_z(
    counts: Floats, correction: Correction, draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw z of the hit rate and of the false-alarm rate from yes or no."""
    drawn = []
    for no, yes in counts[::-1]:
        # Evenly spread, in random order: each rate is drawn without error.
        even = (rng.permutation(draws) + 0.5) / draws
        if prior := _PRIOR.get(correction):
            upper = yes > no  # the tail that is nearer to its end, for precision
            tail = special.betaincinv(min(yes, no) + prior, max(yes, no) + prior, even)
            drawn.append(-special.ndtri(tail) if upper else special.ndtri(tail))
            continue
        total = no + yes
        rate = (yes + 0.5) / (total + 1)
        if correction == "1/(2N)":
            rate = min(max(yes / total, 0.5 / total), 1 - 0.5 / total)
        z = float(special.ndtri(rate))
        error = math.sqrt(rate * (1 - rate) / total * 2 * math.pi) * math.exp(z**2 / 2)
        drawn.append(z + error * special.ndtri(even))
    return drawn[0], drawn[1]


def _posterior(fit: _Fit, counts: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draw parameters by importance: proposed with heavy tails, then resampled.

    The cuts are drawn as the first one and the logarithms of the steps between them. The first
    rounds, around the best fit, find the centre and the covariance of the last one's proposals.
    """
    steps, free, categories = np.diff(fit.at[2:]), fit.free, counts.shape[1]
    change = np.eye(len(fit.at))  # of parameters by steps' logarithms
    change[3:, 2] = 1.0
    for j, step in enumerate(steps):
        change[3 + j :, 3 + j] = step
    change = change[np.ix_(free, free)]
    centre = np.concatenate([fit.at[:3], np.log(steps)])
    covariance = np.linalg.inv(change.T @ fit.information @ change)
    dims = len(covariance)
    for count in (_FIRST, _FIRST, draws):
        normal = rng.standard_normal((count, dims))
        normal *= np.sqrt(_HEAVY / rng.chisquare(_HEAVY, count))[:, None]
        around = np.tile(centre, (count, 1))
        around[:, free] += normal @ np.linalg.cholesky(covariance).T
        cuts = around[:, 2:3] + np.cumsum(
            np.concatenate([np.zeros((count, 1)), np.exp(around[:, 3:])], axis=1), axis=1
        )
        at = np.concatenate([around[:, :2], cuts], axis=1)
        log_weight = (_weights(counts) * np.log(np.maximum(_shares(at), _TINY))).sum(axis=(1, 2))
        log_weight += around[:, 3:].sum(axis=1) - categories / 2 * around[:, 1]
        log_weight += (_HEAVY + dims) / 2 * np.log1p((normal**2).sum(axis=1) / _HEAVY)
        weight = np.exp(log_weight - log_weight.max())
        share = np.minimum(weight / weight.sum(), _MOST)
        share /= share.sum()
        centre[free] = share @ around[:, free]
        apart = around[:, free] - centre[free]
        covariance = (apart.T * share) @ apart + covariance * dims * (share @ share)
    ends = np.cumsum(weight) / weight.sum()
    chosen = np.searchsorted(ends, (np.arange(draws) + 0.5) / draws)
    return np.asarray(at[rng.permutation(chosen.clip(0, draws - 1))])


def _drawn_log_sd(best: _Fit, counts: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draw the signal's log standard deviation from the signed roots of its profile likelihood."""
    places, roots = [best.at[1]], [0.0]
    step = min(math.sqrt(np.linalg.inv(best.information)[1, 1]), 0.25)
    for sign in (-1, 1):
        fit, root, place = best, 0.0, float(best.at[1])
        while abs(root) < _FAR and abs(place - best.at[1]) < _WIDEST:
            place += sign * step
            fit = _fit(counts, log_sd=place, start=fit.at)
            root = sign * math.sqrt(max(2 * (best.score - fit.score), 0.0))
            places.append(place)
            roots.append(root)
    order = np.argsort(places)
    even = special.ndtri((rng.permutation(draws) + 0.5) / draws)
    rising = np.maximum.accumulate(np.array(roots)[order])
    return np.asarray(np.interp(even, rising, np.array(places)[order]))


def _influence(fit: _Fit, counts: Floats, own: int) -> dict[str, Floats]:
    """Return how much an answer in each category moves each number."""
    shares, slopes = np.maximum(_shares(fit.at), _TINY), _slopes(fit.at)[fit.free]
    moves = np.einsum("ab,bjk->ajk", np.linalg.inv(fit.information), slopes / shares)
    moved: dict[str, Floats] = {name: np.zeros_like(counts) for name in MEASURES}
    for place, parameter in enumerate(np.flatnonzero(fit.free)):
        step = np.zeros(len(fit.at))
        step[parameter] = 1e-5
        up, down = _measures(fit.at + step, own), _measures(fit.at - step, own)
        for name in MEASURES:
            moved[name] += float(up[name] - down[name]) / 2e-5 * moves[place]
    own_shares = counts / counts.sum(axis=1)[:, None]
    return {
        name: value - (value * own_shares).sum(axis=1)[:, None] for name, value in moved.items()
    }
