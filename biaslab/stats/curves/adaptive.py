r"""Adaptive placement: choose the levels at which psychometric curves are asked next.

>>> import numpy as np
>>> placement = Placement(1, np.linspace(0, 1, 21), width=0.2)
>>> level = placement.next_levels()
>>> float(level[0, 0])
0.5
>>> placement.update([0], level, cue_2=[[1]])

With posterior mass :math:`m` over states :math:`\theta`, and h the entropy of a yes-no answer, an
answer at level x is expected to reduce the entropy of the posterior by

.. math:: I(x) = h(\sum_\theta m_\theta \Psi_\theta(x)) - \sum_\theta m_\theta h(\Psi_\theta(x))

nats. The level with the least expected entropy (Watson 2017, QUEST+, eqs. 3 to 5; Kontsevich and
Tyler 1999) is the one with the most expected information. States are all points of a grid, or
PSEs and scales with the rates integrated out, as in the psi-marginal method (Prins 2013):
then :math:`\Psi_\theta` is the mean over the rates given PSE and scale. A batch is chosen as a
whole: see `best_levels`.

References
----------
Kontsevich and Tyler (1999), "Bayesian adaptive estimation of psychometric slope and threshold",
Vision Research 39, doi:10.1016/S0042-6989(98)00285-5.
Prins (2013), "The psi-marginal adaptive method: How to give nuisance parameters the attention they
deserve (no more, no less)", Journal of Vision 13(7):3, doi:10.1167/13.7.3.
Watson (2017), "QUEST+: A general multidimensional Bayesian adaptive psychometric method", Journal
of Vision 17(3):10, doi:10.1167/17.3.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import PsychometricError
from biaslab.stats.curves.grid import CurveGrid, CurvePrior, PseOf, RateSetting, Rows
from biaslab.stats.curves.grid_posterior import GridEstimates, GridPosterior, chunks, estimates
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.sigmoids import Floats, get_sigmoid
from biaslab.stats.significance import check_level

Entropy = Literal["marginal", "joint"]

_BRANCHES: Final = 32
"""Combinations of answers that are followed while a batch is chosen."""
_TINY: Final = 1e-300
_STEP: Final = 0.1
_NODES: Final = np.arange(-6, 6 + _STEP / 2, _STEP)
"""Distances from the PSE, in scales, between which a mean curve is interpolated."""
_TIE: Final = 1e-9
"""Levels whose information differs by less, in nats, are equally good: the lowest is taken."""


@dataclass(frozen=True)
class States:
    """What answers tell apart: Q pairs of PSE and scale of each of A curves, and their answers.

    Attributes
    ----------
    mass : ndarray, shape (A, Q)
    share : ndarray, shape (A, Q, L)
        P(cue 2) at each level, the mean over the rates.
    entropy : ndarray, shape (A, Q, L)
        Entropy of an answer, in nats: of that mean, or the mean over the rates of their entropies.
        The first leaves the rates out of what is to be learnt, the second includes them.
    """

    mass: Floats
    share: Floats
    entropy: Floats


class MeanCurves:
    """Curves of each PSE and scale with the rates integrated out, for A curves' posteriors.

    Parameters
    ----------
    posterior : GridPosterior
    rows : ndarray of int, shape (A,)
    of : str
        ``marginal`` or ``joint``.
    """

    def __init__(self, posterior: GridPosterior, rows: Rows, of: Entropy) -> None:
        self._grid, self._of = posterior.grid.take(rows), of
        self._mass = posterior.by_shape(rows)
        self._weights = posterior.mass[rows] / np.maximum(self._mass, _TINY)[..., None]
        self._nodes = self._at_nodes() if posterior.follows else None

    @staticmethod
    def numbers(posterior: GridPosterior, levels: int) -> int:
        """Return how many numbers the states of a curve at so many levels take."""
        m, s, r = posterior.grid.shape
        if posterior.follows:
            return m * s * (6 * levels + 2 * len(_NODES) + 2 * r)
        return 3 * m * s * r * levels

    def states(self, levels: Floats) -> States:
        """Return the states, and their answers at levels of shape (A, L)."""
        share, entropy = self._exactly(levels) if self._nodes is None else self._between(levels)
        flat = (len(levels), -1, levels.shape[1])
        return States(
            self._mass.reshape(len(levels), -1), share.reshape(flat), entropy.reshape(flat)
        )

    def _exactly(self, levels: Floats) -> tuple[Floats, Floats]:
        """P(cue 2) and the entropy of an answer, (A, M, S, L)."""
        shares = self._grid.share(levels)
        share = np.einsum("cmsr,cmsrx->cmsx", self._weights, shares)
        if self._of == "marginal":
            return share, answer_entropy(share)
        return share, np.einsum("cmsr,cmsrx->cmsx", self._weights, answer_entropy(shares))

    def _between(self, levels: Floats) -> tuple[Floats, Floats]:
        """The same, on straight lines between nodes a tenth of a scale apart: much faster."""
        assert self._nodes is not None  # noqa: S101 - grids that follow have nodes
        position = np.clip((self._grid.away(levels) - _NODES[0]) / _STEP, 0, len(_NODES) - 1.001)
        before = position.astype(np.intp)
        part = position - before
        before += (np.arange(self._mass.size) * len(_NODES)).reshape(*self._mass.shape, 1)

        def between(at_nodes: Floats) -> Floats:
            left = np.take(at_nodes, before)
            return np.asarray(left + part * (np.take(at_nodes, before + 1) - left))

        shares, entropies = self._nodes
        share = between(shares)
        return share, answer_entropy(share) if entropies is None else between(entropies)

    def _at_nodes(self) -> tuple[Floats, Floats | None]:
        grid = self._grid
        guess, lapse = grid.guess[..., None], grid.lapse[..., None]
        shares = guess + (1 - guess - lapse) * grid.sigmoid.cdf(_NODES + grid.shift[..., None])
        flat = self._weights.reshape(len(shares), -1, shares.shape[1])
        if self._of == "marginal":
            return flat @ shares, None
        return flat @ shares, flat @ answer_entropy(shares)


def answer_entropy(share: Floats) -> Floats:
    """Return the entropy of a yes-no answer, in nats."""
    other = 1 - share
    # Several times as fast as scipy.special.entr, and 0 log 0 is 0.
    logs = np.log(np.maximum(share, _TINY)), np.log(np.maximum(other, _TINY))
    return np.asarray(-(share * logs[0] + other * logs[1]))


def information(states: States, mass: Floats) -> Floats:
    """Return expected information, in nats, at each level.

    Parameters
    ----------
    states : States
    mass : ndarray, shape (A, B, Q)
        B posteriors of each curve.

    Returns
    -------
    ndarray, shape (A, B, L)
    """
    return answer_entropy(np.clip(mass @ states.share, 0, 1)) - mass @ states.entropy


def best_levels(states: States, chance: Floats, count: int) -> NDArray[np.intp]:
    """Choose levels to be asked together, one after the other.

    Each next level has the most expected information once the answers at those before are in: the
    mean over their possible combinations, each with its own posterior and its probability. Of more
    than 32 combinations the most probable 32 are followed. Within a batch, answers tell PSEs and
    scales apart; the distribution of the rates given these stays.

    Parameters
    ----------
    states : States
        Of A curves.
    chance : ndarray, shape (A, L)
        Probability that a trial at each level has an answer.
    count : int
        Size of the batch.

    Returns
    -------
    ndarray of int, shape (A, count)
        Indices of levels; a level can occur more than once.
    """
    curves = np.arange(len(states.mass))
    mass, weight = states.mass[:, None], np.ones((len(curves), 1))
    chosen = np.empty((len(curves), count), dtype=np.intp)
    for i in range(count):
        gain = np.einsum("ab,abl->al", weight, information(states, mass)) * chance
        best = gain >= gain.max(axis=1, keepdims=True) - _TIE
        chosen[:, i] = np.argmax(best, axis=1)
        if i + 1 < count:
            share = states.share[curves, :, chosen[:, i]]
            mass, weight = _branched(mass, weight, share)
    return chosen


def _branched(mass: Floats, weight: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Posteriors after either answer, (A, 2 B, Q), and the probability of each."""
    mass = np.concatenate([mass * share[:, None], mass * (1 - share)[:, None]], axis=1)
    total = mass.sum(axis=-1)
    weight = np.tile(weight, 2) * total
    mass = mass / np.maximum(total, _TINY)[..., None]
    if weight.shape[1] > _BRANCHES:
        kept = np.argsort(-weight, axis=1, kind="stable")[:, :_BRANCHES]
        weight = np.take_along_axis(weight, kept, axis=1)
        mass = np.take_along_axis(mass, kept[..., None], axis=1)
    return mass, weight / weight.sum(axis=1, keepdims=True)


_SAME_LEVEL: Final = 1e-9
_MANY: Final = 40
_STRIDE: Final = 4


class Placement:
    """Levels for C curves at once, chosen by what the answers so far say about each.

    Parameters
    ----------
    curves : int
        C.
    levels : array_like, shape (L,)
        Levels that may be asked, ascending.
    family : str
        A family on a linear axis: ``normal``, ``logistic``, ``gumbel``.
    rates : str
        Guess and lapse rates: ``free``, ``equal`` or ``none`` (0).
    rate_prior : float
        Free rates carry a Beta(1, rate_prior) density in [0, 0.45]; 1, the default, is flat.
    grid : CurveGrid, optional
        A fixed grid of one curve, with its family, in place of the prior of `CurvePrior.over` and
        grids that follow the posterior.
    entropy : str
        ``marginal``: of PSE and scale, with the rates integrated out (psi-marginal);
        ``joint``: of all four parameters (QUEST+).
    width, jnd_width : float, optional
        Stop asking a curve when the interval of its PSE, and that of its JND, is at most so wide,
        in units of the level. Each that is given must be reached.
    budget : int, optional
        Stop asking a curve after so many trials, trials without an answer included.
    pse : str
        ``psi``: the PSE is where the whole curve is 1/2; ``core``: where it is without guesses and
        lapses.
    jnd : str
        Convention of the JND, see `biaslab.stats.curves.jnd`.
    level : float
        Of the intervals.

    Attributes
    ----------
    posterior : GridPosterior
        The posteriors.
    trials : ndarray of int, shape (C, L)
        Trials so far.
    """

    def __init__(
        self,
        curves: int,
        levels: ArrayLike,
        *,
        family: str = "normal",
        rates: RateSetting = "free",
        rate_prior: float = 1.0,
        grid: CurveGrid | None = None,
        entropy: Entropy = "marginal",
        width: float | None = None,
        jnd_width: float | None = None,
        budget: int | None = None,
        pse: PseOf = "psi",
        jnd: Convention = "quartile",
        level: float = 0.95,
    ) -> None:
        if get_sigmoid(family).log_axis:
            raise PsychometricError(
                f"levels cannot be placed for a {family} curve, whose axis is logarithmic: choose"
                " normal, logistic or gumbel"
            )
        check_level(level)
        for name, wanted in (("width", width), ("jnd_width", jnd_width)):
            if wanted is not None and not wanted > 0:
                raise PsychometricError(f"{name} is {wanted}: give a width above 0")
        if budget is not None and budget < 1:
            raise PsychometricError(f"the budget is {budget} trials: allow at least 1")
        self.levels = np.asarray(levels, dtype=float)
        prior = grid or CurvePrior.over(self.levels, family, rates, rate_prior, pse)
        self.posterior = GridPosterior(prior, self.levels, curves)
        self.trials = np.zeros((curves, len(self.levels)), dtype=np.int64)
        self.budget = budget
        self._entropy: Entropy = entropy
        self._widths = (width, jnd_width)
        self._options: dict[str, Any] = {"convention": jnd, "level": level}
        self._unsettled = np.zeros(curves, dtype=np.int64)
        self._narrow = np.zeros(curves, dtype=bool)

    @property
    def active(self) -> Rows:
        """Curves that are to be asked further, shape (A,)."""
        spent = self.trials.sum(axis=1)
        left = np.ones(len(spent), dtype=bool) if self.budget is None else spent < self.budget
        return np.flatnonzero(left & ~self._narrow)

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which curves have intervals as narrow as was wanted, shape (C,); none without a wish."""
        return self._narrow.copy()

    def next_levels(self, count: int = 1, curves: Sequence[int] | Rows | None = None) -> Floats:
        """Return the levels that active curves (or those given) are to be asked at next.

        Parameters
        ----------
        count : int
            Size of a batch, whose levels are asked without knowing each other's answers.
        curves : sequence of int, optional
            By default those of `active`.

        Returns
        -------
        ndarray, shape (A, count)
        """
        rows = self._rows(curves)
        chosen = np.empty((len(rows), count))
        for part in self._parts(rows):
            chosen[part] = self._best(rows[part], count)
        return chosen

    def information(self, curves: Sequence[int] | Rows | None = None) -> Floats:
        """Return the expected information of one answer at each level, in nats: (A, L)."""
        rows = self._rows(curves)
        gain = np.empty((len(rows), len(self.levels)))
        for part in self._parts(rows):
            means = MeanCurves(self.posterior, rows[part], self._entropy)
            states = means.states(np.broadcast_to(self.levels, gain[part].shape))
            gain[part] = information(states, states.mass[:, None])[:, 0]
        return gain

    def update(
        self,
        curves: Sequence[int] | Rows,
        levels: ArrayLike,
        cue_2: ArrayLike,
        n: ArrayLike = 1,
        cannot_say: ArrayLike = 0,
    ) -> None:
        """Take in answers of some curves.

        Parameters
        ----------
        curves : sequence of int, shape (A,)
            Curves, each once.
        levels : array_like, shape (A, K)
            Levels that were asked.
        cue_2 : array_like, shape (A, K)
            Number of answers for cue 2.
        n : array_like, shape (A, K)
            Number of answers; 0 leaves the posterior as it is.
        cannot_say : array_like, shape (A, K)
            Number of trials without an answer. They count as trials and say nothing about the
            curve, but a level that had some is chosen less readily.

        Raises
        ------
        PsychometricError
            If a level is not among the `levels`, or counts contradict each other.
        """
        rows = np.asarray(curves, dtype=np.intp)
        at = np.asarray(levels, dtype=float)
        places = np.clip(np.searchsorted(self.levels, at - _SAME_LEVEL), 0, len(self.levels) - 1)
        if not (np.abs(self.levels[places] - at) <= _SAME_LEVEL).all():
            raise PsychometricError("a level that was asked is not among the levels of placement")
        yes, answers, none = (
            np.broadcast_to(np.asarray(counts, dtype=float), places.shape)
            for counts in (cue_2, n, cannot_say)
        )
        if not ((yes >= 0) & (yes <= answers) & (none >= 0)).all():
            raise PsychometricError("counts must be 0 or more, with no more for cue 2 than answers")
        for k in range(places.shape[1]):
            self.posterior.update(rows, places[:, k], answers[:, k], yes[:, k])
            self.trials[rows, places[:, k]] += (answers[:, k] + none[:, k]).astype(np.int64)
        self._unsettled[rows] += answers.sum(axis=1).astype(np.int64)
        self._settle(rows)

    def estimates(self, curves: Sequence[int] | Rows | None = None) -> GridEstimates:
        """Return PSE and JND with intervals, by default of all curves."""
        rows = np.arange(len(self.trials)) if curves is None else np.asarray(curves, dtype=np.intp)
        self.posterior.settle(rows, snug=True)
        return estimates(self.posterior, rows, **self._options)

    def _settle(self, rows: Rows) -> None:
        """Let grids follow their posteriors, and find curves that are known well enough."""
        total = self.posterior.answers[rows].sum(axis=1)
        # A posterior shrinks with the root of the answers: a few more change little.
        due = rows[self._unsettled[rows] > 0.1 * total]
        self._unsettled[due] = 0
        self.posterior.settle(due)
        if self._widths != (None, None):
            self._narrow[rows] = self._is_narrow(rows)
            # A wide grid is good enough to go on with, not to stop by.
            stopping = rows[self._narrow[rows]]
            self.posterior.settle(stopping, snug=True)
            self._narrow[stopping] = self._is_narrow(stopping)

    def _is_narrow(self, rows: Rows) -> NDArray[np.bool_]:
        now = estimates(self.posterior, rows, **self._options)
        narrow = np.ones(len(rows), dtype=bool)
        for wanted, ends in zip(self._widths, (now.pse_interval, now.jnd_interval), strict=True):
            if wanted is not None:
                narrow &= np.ptp(ends, axis=1) <= wanted
        return narrow

    def _best(self, rows: Rows, count: int) -> Floats:
        """Return the best levels of some curves.

        One of many levels is sought among every fourth of them, and then beside the best of these.
        """
        means = MeanCurves(self.posterior, rows, self._entropy)
        last = len(self.levels) - 1

        def best(places: NDArray[np.intp]) -> NDArray[np.intp]:
            at = np.broadcast_to(places, (len(rows), places.shape[-1]))
            chosen = best_levels(means.states(self.levels[at]), self._chance(rows, at), count)
            return np.take_along_axis(at, chosen, axis=1)

        if count > 1 or last < _MANY:
            return self.levels[best(np.arange(last + 1))]
        coarse = best(np.unique(np.append(np.arange(0, last, _STRIDE), last)))
        return self.levels[best(np.clip(coarse + np.arange(1 - _STRIDE, _STRIDE), 0, last))]

    def _chance(self, rows: Rows, at: NDArray[np.intp]) -> Floats:
        """Chance that a trial has an answer: the rule of succession; 1 before a refusal."""
        trials = np.take_along_axis(self.trials[rows], at, axis=1)
        answers = np.take_along_axis(self.posterior.answers[rows], at, axis=1)
        return np.where(trials > answers, (answers + 1) / (trials + 2), 1.0)

    def _rows(self, curves: Sequence[int] | Rows | None) -> Rows:
        return self.active if curves is None else np.asarray(curves, dtype=np.intp)

    def _parts(self, rows: Rows) -> list[Rows]:
        return list(
            chunks(np.arange(len(rows)), MeanCurves.numbers(self.posterior, len(self.levels)))
        )
