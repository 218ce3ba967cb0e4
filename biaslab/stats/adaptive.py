"""Adaptive placement: choose the levels at which psychometric curves are asked next.

>>> import numpy as np
>>> placement = Placement(1, np.linspace(0, 1, 21), width=0.2)
>>> level = placement.next_levels()
>>> float(level[0, 0])
0.5
>>> placement.update([0], level, cue_2=[[1]])

A batch is chosen as a whole: see `biaslab.stats.information.best_levels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import PsychometricError
from biaslab.stats.curve_grid import CurveGrid, CurvePrior, PseOf, RateSetting, Rows
from biaslab.stats.grid_estimates import GridEstimates, estimates
from biaslab.stats.grid_posterior import GridPosterior, chunks
from biaslab.stats.information import Entropy, MeanCurves, best_levels, information
from biaslab.stats.jnd import Convention
from biaslab.stats.levels import check_level
from biaslab.stats.sigmoids import Floats, get_sigmoid

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
        Convention of the JND, see `biaslab.stats.jnd`.
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
