"""Result of a two-alternative forced choice task over items and cue pairs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.errors import QueryError, ResultFormatError, UnknownTermError
from biaslab.files.atomic import written
from biaslab.probes.crossed_groups import CrossedGroups, Factors, crossed_cues
from biaslab.probes.letter_bias import LetterBias
from biaslab.probes.psychometrics.curves import (
    Estimates,
    PairsAs,
    per_pair,
    pooled,
)
from biaslab.probes.psychometrics.fit_check import FitCheck, residual_frame
from biaslab.probes.psychometrics.graded import graded_per_pair, graded_pooled
from biaslab.probes.psychometrics.graded_estimates import GradedEstimates, answered, per_item
from biaslab.probes.psychometrics.options import Rates, Shape, family_of
from biaslab.probes.psychometrics.perception import Perception, blurred_step
from biaslab.probes.psychometrics.switch_points import (
    check_switch_points,
    empirical_per_pair,
    empirical_pooled,
)
from biaslab.probes.psychometrics.trial_estimates import (
    TrialEstimates,
    check_trials,
    trials_per_pair,
    trials_pooled,
)
from biaslab.probes.psychometrics.trials import Trials
from biaslab.records.kinds import words_of
from biaslab.records.result import Result
from biaslab.records.wording import Span, sentences
from biaslab.stats.crossed.effects import Crossing, crossing_of
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.pooling import PartialPooling, partial_pooling

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
_MOST_LEVELS = 100_000


@dataclass(frozen=True, kw_only=True)
class TwoAFCResult(Result):
    """PSE and JND of every item under every cue pair, and pooled over pairs.

    The raw responses are the switch points: observer b answers cue 2 from ``switch[b, i, k]`` on.
    All estimates are computed from them on demand.

    Attributes
    ----------
    items : tuple of str
        The n items (words).
    pairs : tuple of (str, str)
        The K cue pairs (cue 1, cue 2).
    switch : ndarray, shape (B, n, K)
        Switch points alpha*, in units of alpha (share of cue 2); any real number. NaN where an
        observer never switched, or has no answer about the item.
    similarities : ndarray of shape (3, B, n, K), or empty
        cos(item, cue 1), cos(item, cue 2), cos(cue 1, cue 2); stored for small queries.
    own_noise : ndarray, shape (n, K), or empty
        SD of a black-box observer's own curve; empty for embeddings, whose observers are exact.
    perception : Perception
        The observer's noise and prior.
    own_rates : ndarray, shape (2, n, K), or empty
        Mean guess and lapse rate of a black-box observer's own curve.
    own_answers : ndarray, shape (B, n, K, L), or empty
        P(cue 2) that black-box observers answered at the `stimuli`, where each has a switch point
        of its own, and not all answers are steps.
    scoring, curve, rates, jnd_convention, pairs_as : str
        The options of `biaslab.two_afc`.
    weights : ndarray, shape (K,)
        Prior probability of each pair when pooled.
    level : float
        Level of all intervals.
    observer : str
        Name of the observers, in the plural: "replicates".
    levels : int
        Number of stimulus levels of `responses`.
    answers : ndarray, shape (B, n, K, L), or empty
        P(cue 2) as a graded subject answered it at the `stimuli`. Then PSE and JND are those of
        the mean answers, and a switch point that is infinite is of an observer that answers
        everything alike; see `biaslab.probes.psychometrics.graded`. NaN where an item has no such
        observer, as photographs may.
    observer_names : tuple of str
        Names of the B observers, if they have any: the frames of a language model, portraits.
    ends : (str, str) or None
        Content of a stimulus at alpha 0 and 1, if it is not the cues: "woman" and "man" of a
        drawn portrait, whatever the cues.
    trials : Trials or None
        The answers of a subject that chose trial by trial, which has no switch points (NaN). PSE
        and JND are then those of `biaslab.probes.psychometrics.trial_estimates`.
    letters : LetterBias or None
        Of a chat model that is shown pictures: the effect of the options' order, which is no part
        of PSE and JND.
    """

    schema: ClassVar[str] = "two-afc/2"

    items: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    switch: NDArray[np.floating[Any]]
    similarities: NDArray[np.floating[Any]]
    own_noise: Floats
    perception: Perception
    scoring: str
    curve: Shape
    jnd_convention: Convention
    pairs_as: PairsAs
    weights: Floats
    level: float = 0.95
    observer: str = "replicates"
    levels: int = 21
    notes: tuple[str, ...] = field(default=())
    answers: Floats = field(default_factory=lambda: np.empty(0))
    own_rates: Floats = field(default_factory=lambda: np.empty(0))
    own_answers: Floats = field(default_factory=lambda: np.empty(0))
    rates: Rates = "none"  # as results have that were stored before there was a choice
    observer_names: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None
    trials: Trials | None = None  # since version 2
    letters: LetterBias | None = None

    @property
    def is_graded(self) -> bool:
        """Whether observers answered with probabilities rather than with a step."""
        return self.answers.size > 0

    @property
    def is_chosen(self) -> bool:
        """Whether observers chose trial by trial."""
        return self.trials is not None

    @property
    def n_observers(self) -> int:
        """Number B of observers."""
        return int(self.switch.shape[0])

    @cached_property
    def answered(self) -> NDArray[np.bool_]:
        """Which observers answered about which items, (B, n)."""
        if self.is_graded:
            return answered(self.answers)
        if self.trials is not None:
            return np.asarray(np.isfinite(self._shares).any(axis=(2, 3)))
        return np.ones(self.switch.shape[:2], dtype=bool)

    @cached_property
    def balance(self) -> NDArray[np.floating[Any]]:
        """Each observer's 50/50 stimulus, (B, n, K): the switch point, moved by its prior."""
        return self.perception.balance(self.switch)

    @cached_property
    def noise(self) -> float | Floats:
        """SD of one observer's curve: perceptual noise, or a black box's own, (n, K)."""
        if self.own_noise.size == 0:
            return self.perception.curve_sd
        return np.hypot(self.own_noise, self.perception.curve_sd)

    @cached_property
    def crossing(self) -> Crossing | None:
        """Crossing of two lists of cues; None if each pair has its own cues."""
        return crossing_of(self.pairs)

    @cached_property
    def by_pair(self) -> Estimates:
        """Estimates per item and pair: arrays of shape (n, K)."""
        if self.trials is not None:
            return trials_per_pair(
                self.trials,
                self.items,
                self.pairs,
                family_of(self.curve),
                self.jnd_convention,
                self.level,
                self.rates,
            )
        if self.is_graded:
            return per_item(
                self.answers,
                lambda answers: graded_per_pair(
                    answers,
                    self.stimuli,
                    family_of(self.curve),
                    self.jnd_convention,
                    self.level,
                    self.rates,
                ),
            )
        if self.curve == "empirical":
            return empirical_per_pair(self.balance, self.noise, self.jnd_convention, self.level)
        return per_pair(
            self.balance,
            self.noise,
            family_of(self.curve),
            self.jnd_convention,
            self.level,
            self._rates,
        )

    @cached_property
    def pooled(self) -> Estimates:
        """Estimates per item, pooled over pairs: arrays of shape (n,)."""
        if self.trials is not None:
            if len(self.pairs) == 1 and isinstance(self.by_pair, TrialEstimates):
                return self.by_pair.of_one_pair()
            return trials_pooled(
                self.trials,
                self.items,
                self.pairs,
                family_of(self.curve),
                self.jnd_convention,
                self.level,
                self.pairs_as,
                self.weights,
                self.rates,
            )
        if self.is_graded:
            return per_item(
                self.answers,
                lambda answers: graded_pooled(
                    answers,
                    self.stimuli,
                    family_of(self.curve),
                    self.jnd_convention,
                    self.level,
                    self.pairs_as,
                    self.weights,
                    self.crossing,
                    self.rates,
                ),
            )
        if self.curve == "empirical":
            return empirical_pooled(
                self.balance,
                self.noise,
                self.jnd_convention,
                self.level,
                self.pairs_as,
                self.weights,
                self.crossing,
            )
        return pooled(
            self.balance,
            self.noise,
            family_of(self.curve),
            self.jnd_convention,
            self.level,
            self.pairs_as,
            self.weights,
            self.crossing,
            self._rates,
        )

    @cached_property
    def fit_check(self) -> FitCheck | None:
        """How well the pooled curves describe the answers, per item: arrays of shape (n, ...).

        None for the empirical curve, which is the answers themselves.
        """
        pooled = self.pooled
        if isinstance(pooled, GradedEstimates):
            return pooled.check
        if isinstance(pooled, TrialEstimates):
            return check_trials(pooled.fits, self.n_observers, self.stimuli, self.level)
        if self.curve == "empirical":
            return None
        return self._check_switches(slice(None))

    @property
    def describes(self) -> NDArray[np.bool_]:
        """Whether the pooled curve describes an item's answers, shape (n,).

        It does not where it misses the mean answers by more than 2 points (root mean square over
        the stimuli) and by more than other observers would explain.
        """
        check = self.fit_check
        return np.ones(len(self.items), dtype=bool) if check is None else check.describes

    def _check_of_pair(self, k: int) -> FitCheck:
        """Check the curves of all items under one pair, shape (n, ...)."""
        by_pair = self.by_pair
        if isinstance(by_pair, GradedEstimates):
            return by_pair.check.one((slice(None), k))
        if isinstance(by_pair, TrialEstimates):
            fits = by_pair.fits[:, k]
            return check_trials(fits, self.n_observers, self.stimuli, self.level)
        return self._check_switches(slice(k, k + 1))

    def _check_switches(self, pairs: slice) -> FitCheck:
        """Check the curves of switch points, pooled over some of the pairs."""
        assert self.curve != "empirical"  # noqa: S101  # callers refuse it
        answers = self.own_answers if self.own_answers.size else self.responses()
        noise, rates = self.noise, self._rates
        weights = self.weights[pairs]
        return check_switch_points(
            answers[:, :, pairs],
            self.stimuli,
            self.balance[:, :, pairs],
            noise if np.ndim(noise) == 0 else np.asarray(noise)[:, pairs],
            family_of(self.curve),
            self.level,
            self.pairs_as,
            weights / weights.sum(),
            self.crossing,
            None if rates is None else rates[:, :, pairs],
        )

    @property
    def _rates(self) -> Floats | None:
        return self.own_rates if self.own_rates.size else None

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
        if self.n_observers == 1:
            if len(self.pairs) > 1 and self.pairs_as == "resampled":
                return "cue pairs"
            return "trials" if self.is_chosen else "none"
        over = "corpora" if self.observer == "replicates" else self.observer
        both = len(self.pairs) > 1 and self.pairs_as == "resampled"
        return f"resampled {over} and cue pairs" if both else f"resampled {over}"

    def index(self, item: str) -> int:
        """Return the position of an item.

        Raises
        ------
        UnknownTermError
            When the item is not in the result.
        """
        try:
            return self.items.index(item)
        except ValueError:
            raise UnknownTermError(
                f"{item!r} is not among the {len(self.items)} items of this result; see .dropped."
            ) from None

    def responses(self, alphas: ArrayLike | None = None, item: str | None = None) -> Floats:
        """Return P(cue 2) at every stimulus, shape (B, n, K, L) or (B, K, L) of an item.

        Parameters
        ----------
        alphas : array_like, shape (L,), optional
            Stimuli; default ``levels`` evenly spaced ones from 0 to 1.
        item : str, optional
            One item only.

        Notes
        -----
        Graded answers and shares of trials are interpolated linearly between stimuli, and are NaN
        outside [0, 1]; shares are NaN where there are no trials.
        """
        if self.trials is not None:
            shares = self._shares if item is None else self._shares[:, self.index(item)]
            return shares if alphas is None else self._between_stimuli(shares, alphas)
        if self.is_graded:
            return self._answers_at(self.stimuli if alphas is None else alphas, item)
        alphas = self.stimuli if alphas is None else np.asarray(alphas, dtype=float)
        which = slice(None) if item is None else self.index(item)
        balance, noise = self.balance[:, which], np.asarray(self.noise)
        noise = (noise if noise.ndim == 0 else noise[which])[..., None]
        if self._rates is None:
            return blurred_step(alphas - balance[..., None], noise)
        guess, lapse = self._rates[:, which, :, None]
        room = 1 - guess - lapse
        # Each observer's curve is 1/2 at its balance, between its asymptotes.
        away = alphas - balance[..., None] + noise * special.ndtri((0.5 - guess) / room)
        return np.asarray(guess + room * blurred_step(away, noise))

    def _answers_at(self, alphas: ArrayLike, item: str | None) -> Floats:
        answers = self.answers if item is None else self.answers[:, self.index(item)]
        return self._between_stimuli(answers, alphas)

    def _between_stimuli(self, answers: Floats, alphas: ArrayLike) -> Floats:
        at = np.asarray(alphas, dtype=float)
        stimuli = self.stimuli
        after = np.clip(np.searchsorted(stimuli, at), 1, len(stimuli) - 1)
        part = (at - stimuli[after - 1]) / (stimuli[after] - stimuli[after - 1])
        interpolated = answers[..., after - 1] * (1 - part) + answers[..., after] * part
        return np.where((at >= 0) & (at <= 1), interpolated, np.nan)

    @cached_property
    def _shares(self) -> Floats:
        """Shares of trials, (B, n, K, L)."""
        return np.empty(0) if self.trials is None else self.trials.shares()

    @property
    def stimuli(self) -> Floats:
        """The stimulus levels, shape (L,)."""
        if self.trials is not None:
            return np.unique(self.trials.alpha)
        if self.levels > _MOST_LEVELS:  # as a damaged file may say
            raise ResultFormatError(f"This result has {self.levels:,} stimuli: it is damaged.")
        return np.linspace(0, 1, self.levels)

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
        if self.is_chosen:
            return 0
        points = self.switches_of(item)
        return int(np.sum(~((points >= 0) & (points <= 1))))

    def switches_of(self, item: str) -> NDArray[np.floating[Any]]:
        """Return switch points of the observers that answered about an item, shape (b, K)."""
        i = self.index(item)
        return np.asarray(self.switch[self.answered[:, i], i])

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
        if self.is_chosen:
            raise QueryError(
                "Answers trial by trial are no probabilities of each observer. Effects of crossed"
                " groups need a subject that answers with some, such as a language model."
            )
        return crossed_cues(
            self.responses(),
            self.stimuli,
            self.items,
            self.pairs,
            factors,
            signs,
            observers=self.observer,
            level=self.level,
        )

    def verdict(self, item: str | None = None) -> tuple[str, ...]:
        """The finding on one item (by default on all) with its interval: a text per sentence."""
        return sentences(self.verdict_spans(item))

    def verdict_spans(self, item: str | None = None) -> tuple[Span, ...]:
        """The same words as pieces of text with the roles that a screen shows them in."""
        if item is None:
            return super().verdict_spans()
        return tuple(words_of(self).spans(self, item))

    def caveat(self, item: str | None = None) -> str:
        """Return what limits the finding: the interval, dropped words."""
        return super().caveat() if item is None else str(words_of(self).caveat_of(self, item))

    def to_frame(self) -> pd.DataFrame:
        """Return tidy estimates: one row per item and pair, and pooled over pairs.

        Columns: item, cue_1, cue_2, pooled (such rows name all cues), pse, corpus_low,
        corpus_high, monte_carlo_low, monte_carlo_high, jnd, jnd_low, jnd_high, lean (1 toward
        cue 1, -1 toward cue 2, 0 no clear lean), n_observers, outside (switch points outside
        [0, 1]), reason (why a number is missing). Of all curves but the empirical one also: misfit
        (root mean square of mean answers less the curve) and misfit_p (chance of as large a one if
        the curve is right; NaN of too few observers).

        Of graded answers also: share_at_half (mean answer to the even blend), slope (mean answer
        at alpha 1 less that at 0), guess and lapse (the curve's asymptotes), each with _low and
        _high; without_switch (observers without a switch point).

        Of trials, which have no switch points, also: share_at_half, own_jnd, pse_sd, order_effect
        and dispersion, each with _low and _high; guess, lapse, n_trials and n_cannot_say.
        """
        import pandas as pd

        inside = (self.switch >= 0) & (self.switch <= 1)
        beyond = ~inside & self.answered[..., None] & (not self.is_chosen)
        columns = {"pooled": (self.pooled, beyond.sum(axis=(0, 2)))}
        check = self.fit_check
        of_pairs = [] if check is None else [self._check_of_pair(k) for k in range(len(self.pairs))]
        rows = [self._rows(self.by_pair, beyond.sum(axis=0), self.pairs, of_pairs)]
        if len(self.pairs) > 1:
            estimates, outside = columns["pooled"]
            checks = [] if check is None else [check]
            rows.append(self._rows(estimates, outside, (self._all_cues,), checks, pooled=True))
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
        flat = {
            "pse": estimates.pse,
            "corpus_low": estimates.corpus[..., 0],
            "corpus_high": estimates.corpus[..., 1],
            "monte_carlo_low": estimates.monte_carlo[..., 0],
            "monte_carlo_high": estimates.monte_carlo[..., 1],
            "jnd": estimates.jnd,
            "jnd_low": estimates.jnd_interval[..., 0],
            "jnd_high": estimates.jnd_interval[..., 1],
            "lean": estimates.lean,
        }
        if isinstance(estimates, GradedEstimates):
            flat |= {
                "share_at_half": estimates.neutral,
                "share_at_half_low": estimates.neutral_interval[..., 0],
                "share_at_half_high": estimates.neutral_interval[..., 1],
                "slope": estimates.slope,
                "slope_low": estimates.slope_interval[..., 0],
                "slope_high": estimates.slope_interval[..., 1],
                "without_switch": estimates.without_switch,
                "guess": estimates.guess,
                "guess_low": estimates.guess_interval[..., 0],
                "guess_high": estimates.guess_interval[..., 1],
                "lapse": estimates.lapse,
                "lapse_low": estimates.lapse_interval[..., 0],
                "lapse_high": estimates.lapse_interval[..., 1],
            }
        if checks:
            flat["misfit"] = np.stack([check.misfit for check in checks], axis=1)
            flat["misfit_p"] = np.stack([check.p_value for check in checks], axis=1)
        if isinstance(estimates, TrialEstimates):
            flat |= estimates.columns()
        missing = estimates.reasons
        return {
            "item": np.repeat(self.items, k),
            "cue_1": np.tile([p[0] for p in pairs], n),
            "cue_2": np.tile([p[1] for p in pairs], n),
            "pooled": pooled,
            **{name: np.asarray(values).reshape(n * k) for name, values in flat.items()},
            "n_observers": np.repeat(self.answered.sum(axis=0), k),
            "outside": outside.reshape(n * k),
            "reason": missing.reshape(n * k),
        }

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
                " of another shape, such as curve='normal'."
            )
        checks = [self._check_of_pair(k) for k in range(len(self.pairs))]
        several = (self._all_cues, pooled) if len(self.pairs) > 1 else None
        return residual_frame(self.items, self.pairs, checks, several)

    def raw_frame(self) -> pd.DataFrame:
        """Return the raw responses: one row per item, pair and observer with its switch point.

        Of graded answers one row per stimulus, with P(cue 2). Of trials one row per question, with
        its counts: the columns of `biaslab.probes.psychometrics.Trials`.
        """
        import pandas as pd

        if self.trials is not None:
            return self.trials.to_frame()

        b, n, k = self.switch.shape
        observers, items, pairs = np.meshgrid(
            np.arange(1, b + 1), np.arange(n), np.arange(k), indexing="ij"
        )
        frame = pd.DataFrame(
            {
                "item": np.array(self.items)[items.ravel()],
                "cue_1": np.array([p[0] for p in self.pairs])[pairs.ravel()],
                "cue_2": np.array([p[1] for p in self.pairs])[pairs.ravel()],
                "observer": observers.ravel(),
                "switch_point": self.switch.ravel(),
            }
        )
        if self.similarities.size:
            for name, values in zip(
                ("cos_item_cue_1", "cos_item_cue_2", "cos_cues"), self.similarities, strict=True
            ):
                frame[name] = values.ravel()
        if self.is_graded:
            count = len(self.stimuli)
            if self.observer_names:
                name = self.observer.removesuffix("s")
                frame[name] = np.array(self.observer_names)[observers.ravel() - 1]
            frame = frame.loc[frame.index.repeat(count)].reset_index(drop=True)
            frame["alpha"] = np.tile(self.stimuli, b * n * len(self.pairs))
            frame["p_cue_2"] = self.answers.ravel()
            # An item's missing observers are no responses.
            frame = frame[frame["p_cue_2"].notna()].reset_index(drop=True)
        return frame

    def to_svg(self, path: str | os.PathLike[str] | None = None, item: str | None = None) -> str:
        """Return a chart of an item (default: of all) as SVG; write it to `path` if given.

        Raises
        ------
        WriteError
            If the file cannot be written.
        """
        return written(self._draw("svg", item), path)
