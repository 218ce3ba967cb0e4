"""Result of a two-alternative forced choice task over items and cue pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.probes.crossed_groups import CrossedGroups, Factors, crossed_cues
from biaslab.probes.leaning import FEWEST, NO_LEAN, LeanClasses, lean_classes
from biaslab.probes.letter_bias import LetterBias
from biaslab.probes.psychometrics.answers import AnyRaw, upgraded
from biaslab.probes.psychometrics.cued_result import CuedResult, fit_of_before
from biaslab.probes.psychometrics.curves import Estimates
from biaslab.probes.psychometrics.fit_check import FitCheck, residual_frame
from biaslab.probes.psychometrics.options import Shape, family_of
from biaslab.probes.psychometrics.trials import Trials
from biaslab.records.kinds import words_of
from biaslab.stats.pooling import PartialPooling, partial_pooling
from biaslab.stats.significance import Adjust, holm

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TwoAFCResult(CuedResult):
    """PSE and JND of every item under every cue pair, and pooled over pairs.

    All estimates are computed from the raw responses on demand.

    Attributes
    ----------
    raw : SwitchPoints, OwnCurves, Graded or Chosen
        The raw responses of the B observers: which of these records it is, depends on the subject.
    scoring : str
        How an answer comes about: an option of `biaslab.two_afc`, or the subject's own way.
    ends : (str, str) or None
        Content of a stimulus at alpha 0 and 1, if it is not the cues: "woman" and "man" of a
        drawn portrait, whatever the cues.
    letters : LetterBias or None
        Of a chat model that is shown pictures: the effect of the options' order, which is no part
        of PSE and JND.
    """

    schema: ClassVar[str] = "two-afc/3"

    raw: AnyRaw
    scoring: str
    ends: tuple[str, str] | None = None
    letters: LetterBias | None = None

    @classmethod
    def upgrade(cls, content: dict[str, Any], version: int) -> dict[str, Any]:
        """Name the options, and pick the record of the raw responses; trials are of version 2."""
        del version
        return upgraded(fit_of_before(content))

    @property
    def switch(self) -> NDArray[np.floating[Any]]:
        """Switch points alpha*, in units of alpha (share of cue 2), shape (B, n, K)."""
        return self.raw.switch

    @property
    def answers(self) -> Floats:
        """P(cue 2) of each observer at the `stimuli`, shape (B, n, K, L)."""
        return self.raw.responses()

    @property
    def trials(self) -> Trials:
        """The answers of a subject that chose trial by trial.

        Raises
        ------
        QueryError
            Of any other subject.
        """
        return self.raw.trial_by_trial()

    @property
    def n_observers(self) -> int:
        """Number B of observers."""
        return len(self.raw.switch)

    @property
    def balance(self) -> NDArray[np.floating[Any]]:
        """Each observer's 50/50 stimulus, (B, n, K): the switch point, moved by its prior."""
        return self.raw.balance

    @property
    def noise(self) -> float | Floats:
        """SD of one observer's curve: perceptual noise, or a black box's own, (n, K)."""
        return self.raw.noise

    @property
    def stimuli(self) -> Floats:
        """The stimulus levels, shape (L,)."""
        return self.raw.stimuli

    @cached_property
    def by_pair(self) -> Estimates:
        """Estimates per item and pair: arrays of shape (n, K)."""
        return self.raw.estimates(self, pool=False)

    @cached_property
    def pooled(self) -> Estimates:
        """Estimates per item, pooled over pairs: arrays of shape (n,)."""
        if len(self.pairs) == 1:
            return self.by_pair.one((slice(None), 0))
        return self.raw.estimates(self, pool=True)

    @cached_property
    def fit_check(self) -> FitCheck | None:
        """How well the pooled curves describe the answers, per item: arrays of shape (n, ...).

        None for ``family="empirical"``, and NaN where ``auto`` came to it: such a curve is the
        answers themselves.
        """
        return self.raw.check(self, self.pooled, None)

    def family(self, item: str) -> Shape:
        """Return the family of an item's pooled curve: what ``auto`` came to."""
        if self.pooled.is_empirical[self.index(item)]:
            return "empirical"
        return family_of(self.fit.family) if self.fit.family == "auto" else self.fit.family

    def _checks(self) -> list[FitCheck]:
        """Check the curves of each pair; none if all are empirical by choice."""
        each = (self.raw.check(self, self.by_pair, k) for k in range(len(self.pairs)))
        return [check for check in each if check is not None]

    @property
    def describes(self) -> NDArray[np.bool_]:
        """Whether the pooled curve describes an item's answers, shape (n,).

        It does not where it misses the mean answers by more than 2 points (root mean square over
        the stimuli) and by more than other observers would explain.
        """
        check = self.fit_check
        return np.ones(len(self.items), dtype=bool) if check is None else check.describes

    @property
    def of_means(self) -> TwoAFCResult:
        """The same, without a choice of the curve: all PSEs are means of switch points.

        Items and results are compared so. A change of means is that of the switch points; a median
        beside a mean would be a change that is none.
        """
        return replace(self, fit=self.fit.without_points)

    @property
    def pse(self) -> Floats:
        """Pooled PSE per item, shape (n,)."""
        return self.pooled.pse

    @property
    def jnd(self) -> Floats:
        """Pooled JND per item, shape (n,)."""
        return self.pooled.jnd

    @property
    def corpus_kind(self) -> str:
        """Sources of variation in the corpus interval of the pooled estimates."""
        return self._interval_over(sampled=len(self.pairs) > 1)

    def _interval_over(self, *, sampled: bool) -> str:
        """Sources of variation in an interval, of estimates of one pair or of several."""
        sampled &= self.fit.pairs_as == "resampled"
        if self.n_observers == 1:
            return "cue pairs" if sampled else self.raw.alone
        over = "corpora" if self.observer == "replicates" else self.observer
        return f"resampled {over} and cue pairs" if sampled else f"resampled {over}"

    def responses(self, alphas: ArrayLike | None = None, item: str | None = None) -> Floats:
        """Return P(cue 2) at every stimulus, shape (B, n, K, L) or (B, K, L) of an item.

        Parameters
        ----------
        alphas : array_like, shape (L,), optional
            Stimuli; default `stimuli`.
        item : str, optional
            One item only.

        Notes
        -----
        Graded answers and shares of trials are interpolated linearly between stimuli, and are NaN
        outside [0, 1]; shares are NaN where there are no trials.
        """
        return self.raw.responses(alphas, slice(None) if item is None else self.index(item))

    def psi(
        self, item: str, alphas: ArrayLike, pair: int | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return an item's fitted curve at ``alphas`` with its pointwise band.

        The band is the envelope of the curves within the intervals of PSE and spread, and speaks of
        the fit to these observers (Monte Carlo).
        """
        estimates = self.pooled if pair is None else self.by_pair
        where: Any = self.index(item) if pair is None else (self.index(item), pair)
        return estimates.band(where, np.asarray(alphas, dtype=float))

    def outside(self, item: str) -> int:
        """Number of switch points of an item that lie outside [0, 1]."""
        return int(self.raw.beyond[:, self.index(item)].sum())

    def switches_of(self, item: str) -> NDArray[np.floating[Any]]:
        """Return switch points of the observers that answered about an item, shape (b, K)."""
        i = self.index(item)
        return np.asarray(self.switch[self.raw.answered[:, i], i])

    def most_switch(self, item: str) -> tuple[float, float] | None:
        """Return the range of stimuli in which nine in ten of an item's observers switch.

        It covers all of fewer than ten observers. An end is infinite for observers that always
        answer alike. None for one observer, or if too many switch more than once or
        back.
        """
        points = self.switches_of(item).ravel()
        sure = np.sort(points[~np.isnan(points)])
        left_out = int(0.05 * len(points))
        if len(sure) < 2 or len(sure) < 0.9 * len(points):
            return None
        return float(sure[left_out]), float(sure[len(sure) - 1 - left_out])

    def partial_pooling(self) -> PartialPooling:
        """Draw the items' PSEs toward their common mean, each as far as it is uncertain.

        The best guesses of many items at once, where each was asked little: the mean square error
        is smaller than of the PSEs themselves. An item's error is taken from its interval, as
        normal and independent of the other items' (observers that lean alike on all items are not
        allowed for), and its population of items as normal.

        Returns
        -------
        PartialPooling
            ``estimates`` and ``intervals`` in the order of `items` (NaN without a PSE or an
            interval), ``mean`` and ``sd`` of the population of items.

        Raises
        ------
        ValueError
            With fewer than three PSEs that have an interval.
        """
        half = (self.pooled.corpus[:, 1] - self.pooled.corpus[:, 0]) / 2
        errors = half / float(special.ndtri((1 + self.level) / 2))
        return partial_pooling(self.pooled.pse, errors, self.level)

    def leans(self, adjust: Adjust = "none") -> NDArray[np.int8]:
        """Return each item's lean, (n,): 1 to cue 1, -1 to cue 2, 0 no clear lean.

        Parameters
        ----------
        adjust : str
            ``none``: each item by itself; ``holm``: adjusted for the number of items. At level
            0.95 the chance that any of the leans is none is then at most 5 %.

        Raises
        ------
        ValueError
            When `adjust` is neither.
        """
        lean = np.asarray(self.pooled.lean)
        if adjust == "none":
            return lean
        if adjust != "holm":
            raise ValueError(f"adjust is {adjust!r}; choose 'none' or 'holm'.")
        significant = np.nan_to_num(holm(self.pooled.p_value), nan=1.0) < 1 - self.level
        return np.where(significant, lean, 0).astype(np.int8)

    def lean_classes(
        self, limit: float | None = None, *, margin: float = NO_LEAN, adjust: Adjust = "holm"
    ) -> LeanClasses:
        """Read PSE and JND together: sharp lean, blurred lean, no lean, or cannot say.

        A clear lean is sharp if the interval of its JND lies below the limit, and blurred if it
        lies above. No lean: the interval of the PSE lies within `margin` of 1/2. Anything else
        cannot be decided.

        Parameters
        ----------
        limit : float, optional
            JND between sharp and blurred, in units of alpha and in the JND's convention; default
            the median JND of the items, of which there must be three.
        margin : float
            In units of alpha.
        adjust : str
            As of `leans`.

        Raises
        ------
        QueryError
            When the limit or margin is not above 0.
        """
        pooled = self.pooled
        intervals = pooled.corpus, pooled.jnd_interval
        return lean_classes(self.items, pooled.jnd, intervals, self.leans(adjust), limit, margin)

    def crossed_groups(
        self, factors: Factors, *, signs: Mapping[str, float] | None = None
    ) -> CrossedGroups:
        """Estimate main effects and interactions of cues of crossed groups.

        An answer's lean is how often it is cue 1, averaged over all stimuli, less 50 %: in points,
        for an observer without lapses the distance of the PSE from 50 % of the axis. It is taken
        as the difference of two groups. The cues are taken as the complete set.

        Parameters
        ----------
        factors : mapping of str to mapping of str to sequence of str
            For each factor its levels with their cues, as `biaslab.frames.FrameSet.factors`.
        signs : mapping of str to float, optional
            Factor of each item's effects, such as `biaslab.frames.FrameSet.signs`; items that are
            not named are left out.

        Returns
        -------
        CrossedGroups
            Effects with intervals over other items and observers, and each item's effect drawn
            toward that of all (partial pooling).

        Raises
        ------
        QueryError
            When a cue has no level or several, the pairs do not connect all groups, or the
            observers are corpora.
        ValueError
            With fewer than three items, or two observers.
        """
        return crossed_cues(
            self.raw.probabilities(), self.stimuli, self.items, self.pairs, factors, signs,
            observers=self.observer, level=self.level,
        )  # fmt: skip

    def caveat(self, item: str | None = None) -> str:
        """Return what limits the finding: the interval, dropped words."""
        return super().caveat() if item is None else str(words_of(self).caveat_of(self, item))

    def to_frame(self) -> pd.DataFrame:
        """Return tidy estimates: one row per item and pair, and pooled over pairs.

        Columns: item, cue_1, cue_2, pooled (such rows name all cues), pse, pse_low,
        pse_high, interval (what these two range over), monte_carlo_low, monte_carlo_high, jnd,
        jnd_low, jnd_high, lean (1 toward cue 1, -1 toward cue 2, 0 no clear lean), lean_class (of
        three items or more, pooled: see `lean_classes`), n_observers, outside (switch points
        outside [0, 1]), reason (why a number is missing). With ``family="auto"`` also the family
        that each curve has. Of all curves but
        the empirical one also: misfit (root mean square of mean answers less the curve) and
        misfit_p (chance of as large a one if the curve is right; NaN of too few observers).

        Of graded answers also: share_at_half (mean answer to the even blend), slope (mean answer
        at alpha 1 less that at 0), guess and lapse (the curve's asymptotes), each with _low and
        _high; without_switch (observers without a switch point).

        Of trials, which have no switch points, also: share_at_half, own_jnd, pse_sd, order_effect
        and dispersion, each with _low and _high; guess, lapse, n_trials and n_cannot_say.
        """
        import pandas as pd

        beyond, check = self.raw.beyond, self.fit_check
        rows = [self._rows(self.by_pair, beyond.sum(axis=0), self.pairs, self._checks())]
        if len(self.pairs) > 1:
            outside, checks = beyond.sum(axis=(0, 2)), [] if check is None else [check]
            rows.append(self._rows(self.pooled, outside, (self._all_cues,), checks, pooled=True))
        if len(self.items) >= FEWEST:
            rows[-1]["lean_class"] = self.lean_classes().classes
        return pd.concat([pd.DataFrame(r) for r in rows], ignore_index=True)

    @property
    def _all_cues(self) -> tuple[str, ...]:
        """Cues 1 and cues 2 of all pairs, each joined."""
        return tuple(" / ".join(dict.fromkeys(cues)) for cues in zip(*self.pairs, strict=True))

    def _rows(
        self,
        estimates: Estimates,
        outside: NDArray[np.int_],
        pairs: Sequence[tuple[str, ...]],
        checks: Sequence[FitCheck],
        *,
        pooled: bool = False,
    ) -> dict[str, Any]:
        n, k = len(self.items), len(pairs)
        misfit = {}
        if checks:
            misfit["misfit"] = np.stack([check.misfit for check in checks], axis=1)
            misfit["misfit_p"] = np.stack([check.p_value for check in checks], axis=1)
        flat = estimates.columns(misfit)
        return {
            "item": np.repeat(self.items, k),
            "cue_1": np.tile([p[0] for p in pairs], n),
            "cue_2": np.tile([p[1] for p in pairs], n),
            "pooled": pooled,
            **{name: np.asarray(values).reshape(n * k) for name, values in flat.items()},
            "interval": self._interval_over(sampled=pooled),
            **self._families(estimates),
            "n_observers": np.repeat(self.raw.answered.sum(axis=0), k),
            "outside": outside.reshape(n * k),
            "reason": estimates.reasons.reshape(n * k),
        }

    def _families(self, estimates: Estimates) -> dict[str, Any]:
        if self.fit.family != "auto":
            return {}
        return {"family": np.where(estimates.is_empirical, "empirical", "normal").ravel()}

    def residuals(self) -> pd.DataFrame:
        """Return where curves miss the answers: one row per item, pair and stimulus, and pooled.

        Columns: item, cue_1, cue_2, pooled (such rows name all cues), alpha, mean (answer), curve,
        residual (mean less curve), expected_low, expected_high (where a right curve's residual
        lies at one stimulus with probability `level`), predicted_low, predicted_high (where the
        mean answer of as many new observers, and new sampled pairs, lies with that probability if
        the curve is right). See `biaslab.probes.psychometrics.fit_check.FitCheck`.

        Raises
        ------
        ValueError
            For the empirical curve, which is the answers themselves.
        """
        pooled = self.fit_check
        if pooled is None:
            raise ValueError(
                "The empirical curve is the answers themselves and has no residuals. Choose a curve"
                " of another family, such as family='normal'."
            )
        several = (self._all_cues, pooled) if len(self.pairs) > 1 else None
        return residual_frame(self.items, self.pairs, self._checks(), several)

    def raw_frame(self) -> pd.DataFrame:
        """Return the raw responses: one row per item, pair and observer with its switch point.

        Of graded answers one row per stimulus, with P(cue 2). Of trials one row per question, with
        its counts: the columns of `biaslab.probes.psychometrics.Trials`.
        """
        return self.raw.frame(self)
