"""Raw responses of a two-alternative task: four records, each of which reads its own.

What a subject answers depends on what it is. Embeddings have switch points (`SwitchPoints`), black
boxes may have curves of their own (`OwnCurves`), models answer with probabilities (`Graded`), and
other subjects choose trial by trial (`Chosen`). A `TwoAFCResult` holds one of these records and
leaves to it whatever differs between them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.errors import QueryError, ResultFormatError
from biaslab.probes.psychometrics.cued_result import CuedResult
from biaslab.probes.psychometrics.curves import Estimates, per_pair, pooled
from biaslab.probes.psychometrics.fit_check import FitCheck, check_switch_points
from biaslab.probes.psychometrics.graded import (
    graded_per_pair,
    graded_pooled,
    switch_points_of_answers,
)
from biaslab.probes.psychometrics.graded_estimates import GradedEstimates, answered, per_item
from biaslab.probes.psychometrics.options import family_of
from biaslab.probes.psychometrics.perception import EXACT, Perception, blurred_step
from biaslab.probes.psychometrics.switch_points import (
    chosen_per_pair,
    chosen_pooled,
    empirical_per_pair,
    empirical_pooled,
)
from biaslab.probes.psychometrics.trial_estimates import (
    TrialEstimates,
    check_trials,
    trial_estimates,
)
from biaslab.probes.psychometrics.trials import Trials
from biaslab.records.record import Record

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Points = NDArray[np.floating[Any]]
Where = int | slice
_MOST_LEVELS = 100_000
_COSINES = ("cos_item_cue_1", "cos_item_cue_2", "cos_cues")


@dataclass(frozen=True, kw_only=True)
class Raw(Record, ABC):
    """Responses of B observers about n items between K cue pairs.

    Attributes
    ----------
    switch : ndarray, shape (B, n, K)
        Switch points alpha*, in units of alpha (share of cue 2): any real number. NaN where an
        observer never switched, or has no answer about the item.
    """

    kind: ClassVar[str]
    alone: ClassVar[str] = "none"
    """What varies with one observer and no sample of cue pairs."""

    switch: Points

    @property
    @abstractmethod
    def stimuli(self) -> Floats:
        """The stimulus levels, shape (L,)."""

    @abstractmethod
    def estimates(self, of: CuedResult, *, pool: bool) -> Estimates:
        """Estimate per item, of each pair, (n, K), or pooled over several, (n,)."""

    @abstractmethod
    def check(self, of: CuedResult, estimates: Any, pair: int | None) -> FitCheck | None:
        """Check the curves of all items under one pair, or of those pooled (None)."""

    @abstractmethod
    def responses(self, alphas: ArrayLike | None = None, which: Where = slice(None)) -> Floats:
        """Return P(cue 2) of some items at every stimulus, (B, n, K, L)."""

    @property
    def balance(self) -> Points:
        """Each observer's 50/50 stimulus, (B, n, K)."""
        return self.switch

    @property
    def noise(self) -> float | Floats:
        """SD of one observer's curve."""
        return 0.0

    @cached_property
    def answered(self) -> NDArray[np.bool_]:
        """Which observers answered about which items, (B, n)."""
        return np.ones(self.switch.shape[:2], dtype=bool)

    @property
    def beyond(self) -> NDArray[np.bool_]:
        """Which switch points lie outside [0, 1], (B, n, K)."""
        return ~((self.switch >= 0) & (self.switch <= 1)) & self.answered[..., None]

    def at_even(self, estimates: Any) -> tuple[Floats, Floats] | None:
        """Return shares that answer cue 1 to an even blend with intervals; None without any."""
        del estimates
        return None

    def placed(self, i: int) -> Floats:
        """Return 50/50 stimuli of an item, (B, K), with an infinity where answers never switch."""
        return np.asarray(self.balance[:, i], dtype=float)

    def of_item(self, i: int) -> dict[str, Points]:
        """Return what else is known of an item's B K observers and pairs, by its name."""
        del i
        return {}

    def probabilities(self) -> Floats:
        """Return P(cue 2) of each observer at the stimuli, (B, n, K, L).

        Raises
        ------
        QueryError
            Of answers trial by trial.
        """
        return self.responses()

    def trial_by_trial(self) -> Trials:
        """Return the trials.

        Raises
        ------
        QueryError
            If there are none.
        """
        raise QueryError(
            "This result has no trials: its subject did not answer trial by trial. Read its"
            " estimates with to_frame()."
        )

    def moved(self, change: Callable[[Points], Points]) -> Self:
        """Return the same responses with other switch points.

        Raises
        ------
        QueryError
            If they follow from the answers.
        """
        del change
        raise QueryError(
            f"These answers are {self.kind}: their PSE is that of the mean answer and has no"
            " difference for each observer. Choose reference='even'."
        )

    def frame(self, of: CuedResult) -> pd.DataFrame:
        """Return one row per item, pair and observer with its switch point."""
        import pandas as pd

        b, n, k = self.switch.shape
        observers, items, pairs = np.meshgrid(
            np.arange(1, b + 1), np.arange(n), np.arange(k), indexing="ij"
        )
        return pd.DataFrame(
            {
                "item": np.array(of.items)[items.ravel()],
                "cue_1": np.array([p[0] for p in of.pairs])[pairs.ravel()],
                "cue_2": np.array([p[1] for p in of.pairs])[pairs.ravel()],
                "observer": observers.ravel(),
                "switch_point": self.switch.ravel(),
            }
        )


@dataclass(frozen=True, kw_only=True)
class SwitchPoints(Raw):
    """Switch points of observers that answer with a step, such as the replicates of an embedding.

    Attributes
    ----------
    similarities : ndarray of shape (3, B, n, K), or None
        cos(item, cue 1), cos(item, cue 2), cos(cue 1, cue 2); stored for small queries.
    rates : ndarray, shape (2, n, K), or None
        Mean guess and lapse rates of observers' own curves; None where all are 0.
    perception : Perception
        The observer's noise and prior.
    levels : int
        Number of stimuli from 0 to 1 of `responses`.
    """

    kind: ClassVar[str] = "switch points"

    similarities: Points | None = None
    rates: Floats | None = None
    perception: Perception = EXACT
    levels: int = 21

    @property
    def stimuli(self) -> Floats:
        """So many evenly spaced ones."""
        if self.levels > _MOST_LEVELS:  # as a damaged file may say
            raise ResultFormatError(f"This result has {self.levels:,} stimuli: it is damaged.")
        return np.linspace(0, 1, self.levels)

    @cached_property
    def balance(self) -> Points:
        """The switch point, moved by the observer's prior."""
        return self.perception.balance(self.switch)

    @property
    def noise(self) -> float | Floats:
        """Perceptual noise."""
        return self.perception.curve_sd

    def estimates(self, of: CuedResult, *, pool: bool) -> Estimates:
        """Those of the distribution of the switch points."""
        fit, x, noise = of.fit, self.balance, self.noise
        pairs = fit.pairs_as, of.weights, of.crossing
        if fit.is_empirical and pool:
            return empirical_pooled(x, noise, fit.jnd, of.level, *pairs)
        if fit.is_empirical:
            return empirical_per_pair(x, noise, fit.jnd, of.level)
        how = x, noise, family_of(fit.family), fit.jnd, of.level
        fitted = pooled(*how, *pairs, self.rates) if pool else per_pair(*how, self.rates)
        # The empirical curve has no asymptotes.
        if fit.family != "auto" or self.rates is not None:
            return fitted
        if pool:
            return chosen_pooled(fitted, x, noise, fit.jnd, *pairs)
        return chosen_per_pair(fitted, x, noise, fit.jnd)

    def check(self, of: CuedResult, estimates: Any, pair: int | None) -> FitCheck | None:
        """Against the mean answers; not of empirical curves, which are these."""
        if of.fit.is_empirical:
            return None
        own = estimates.is_empirical if pair is None else estimates.is_empirical[:, pair]
        at = slice(None) if pair is None else slice(pair, pair + 1)
        noise, rates, weights = self.noise, self.rates, of.weights[at]
        check = check_switch_points(
            self._observed[:, :, at],
            self.stimuli,
            self.balance[:, :, at],
            noise if np.ndim(noise) == 0 else np.asarray(noise)[:, at],
            family_of(of.fit.family),
            of.level,
            of.fit.pairs_as,
            weights / weights.sum(),
            of.crossing,
            None if rates is None else rates[:, :, at],
        )
        return check.without(own) if own.any() else check

    @property
    def _observed(self) -> Floats:
        return self.responses()

    def responses(self, alphas: ArrayLike | None = None, which: Where = slice(None)) -> Floats:
        """Return the observers' curves: a step, or what noise makes of it."""
        at = self.stimuli if alphas is None else np.asarray(alphas, dtype=float)
        balance, noise = self.balance[:, which], np.asarray(self.noise)
        noise = (noise if noise.ndim == 0 else noise[which])[..., None]
        if self.rates is None:
            return blurred_step(at - balance[..., None], noise)
        guess, lapse = self.rates[:, which, :, None]
        room = 1 - guess - lapse
        # Each observer's curve is 1/2 at its balance, between its asymptotes.
        away = at - balance[..., None] + noise * special.ndtri((0.5 - guess) / room)
        return np.asarray(guess + room * blurred_step(away, noise))

    def moved(self, change: Callable[[Points], Points]) -> Self:
        """Return the same responses with other switch points."""
        return replace(self, switch=change(self.switch))

    def of_item(self, i: int) -> dict[str, Points]:
        """Return its cosines, if they were stored."""
        if self.similarities is None:
            return {}
        return dict(zip(_COSINES, self.similarities[:, :, i].reshape(3, -1), strict=True))

    def frame(self, of: CuedResult) -> pd.DataFrame:
        """Add the cosines."""
        frame = super().frame(of)
        if self.similarities is not None:
            frame[list(_COSINES)] = self.similarities.reshape(3, -1).T
        return frame


@dataclass(frozen=True, kw_only=True)
class OwnCurves(SwitchPoints):
    """Switch points of a black box, whose observers have curves of their own.

    Attributes
    ----------
    own_noise : ndarray, shape (n, K)
        SD of an observer's own curve, from observer to observer.
    own_answers : ndarray, shape (B, n, K, L), or None
        P(cue 2) that observers answered at the `stimuli`; None where all answers are steps, which
        the switch points tell.
    """

    kind: ClassVar[str] = "own curves"

    own_noise: Floats
    own_answers: Floats | None = None

    @property
    def noise(self) -> float | Floats:
        """Perceptual noise on top of the observers' own, (n, K)."""
        return np.hypot(self.own_noise, self.perception.curve_sd)

    @property
    def _observed(self) -> Floats:
        return self.responses() if self.own_answers is None else self.own_answers


@dataclass(frozen=True, kw_only=True)
class Graded(Raw):
    """Probabilities with which observers answer.

    PSE and JND are those of the mean answers, see `biaslab.probes.psychometrics.graded`. A switch
    point that is infinite is of an observer that answers everything alike.

    Attributes
    ----------
    answers : ndarray, shape (B, n, K, L)
        P(cue 2) at the `stimuli`. NaN where an item has no such observer, as photographs may.
    """

    kind: ClassVar[str] = "graded"

    answers: Floats

    @classmethod
    def of(cls, answers: Floats) -> Self:
        """Return the record of answers to evenly spaced stimuli."""
        stimuli = np.linspace(0, 1, answers.shape[-1])
        return cls(switch=switch_points_of_answers(answers, stimuli), answers=answers)

    @property
    def stimuli(self) -> Floats:
        """As many evenly spaced ones as there are answers."""
        return np.linspace(0, 1, self.answers.shape[-1])

    @cached_property
    def answered(self) -> NDArray[np.bool_]:
        """Which observers have answers about which items."""
        return answered(self.answers)

    def at_even(self, estimates: Any) -> tuple[Floats, Floats]:
        """Return shares that answer cue 1 to an even blend, with intervals."""
        return 1 - estimates.neutral, 1 - estimates.neutral_interval[..., ::-1]

    def placed(self, i: int) -> Floats:
        """Return switch points of an item, with an infinity on the side of the mean answer."""
        side = np.where(self.answers[:, i].mean(axis=-1) < 0.5, np.inf, -np.inf)
        points = super().placed(i)
        return np.where(np.isnan(points), side, points)

    def of_item(self, i: int) -> dict[str, Points]:
        """Return the answers about it, (B K, L)."""
        return {"answers": self.answers[:, i].reshape(-1, self.answers.shape[-1])}

    def estimates(self, of: CuedResult, *, pool: bool) -> GradedEstimates:
        """Those of the mean answers."""
        fit, pairs = of.fit, (of.fit.pairs_as, of.weights, of.crossing)
        how = self.stimuli, family_of(fit.family), fit.jnd, of.level

        def estimate(answers: Floats) -> GradedEstimates:
            if pool:
                return graded_pooled(answers, *how, *pairs, fit.lapses)
            return graded_per_pair(answers, *how, fit.lapses)

        return per_item(self.answers, estimate)

    def check(self, of: CuedResult, estimates: Any, pair: int | None) -> FitCheck:
        """Against the mean answers."""
        del of
        check: FitCheck = estimates.check
        return check if pair is None else check.one((slice(None), pair))

    def responses(self, alphas: ArrayLike | None = None, which: Where = slice(None)) -> Floats:
        """Return the answers; between stimuli by straight lines."""
        answers = self.answers[:, which]
        return answers if alphas is None else _between(answers, self.stimuli, alphas)

    def frame(self, of: CuedResult) -> pd.DataFrame:
        """Return one row per stimulus, with P(cue 2)."""
        frame = super().frame(of)
        if of.observer_names:
            names = np.array(of.observer_names)
            frame[of.observer.removesuffix("s")] = names[frame["observer"] - 1]
        count = len(self.stimuli)
        frame = frame.loc[frame.index.repeat(count)].reset_index(drop=True)
        frame["alpha"] = np.tile(self.stimuli, self.switch.size)
        frame["p_cue_2"] = self.answers.ravel()
        # An item's missing observers are no responses.
        return frame[frame["p_cue_2"].notna()].reset_index(drop=True)


@dataclass(frozen=True, kw_only=True)
class Chosen(Raw):
    """Choices trial by trial, which have no switch points (NaN).

    PSE and JND are those of `biaslab.probes.psychometrics.trial_estimates`.

    Attributes
    ----------
    trials : Trials
    """

    kind: ClassVar[str] = "chosen"
    alone: ClassVar[str] = "trials"

    trials: Trials

    @classmethod
    def of(cls, trials: Trials, items: int, pairs: int) -> Self:
        """Return the record of trials about so many items and pairs."""
        return cls(switch=np.full((len(trials.observers), items, pairs), np.nan), trials=trials)

    @property
    def stimuli(self) -> Floats:
        """Those that were shown."""
        return np.unique(self.trials.alpha)

    @cached_property
    def _shares(self) -> Floats:
        """Shares of trials, (B, n, K, L)."""
        return self.trials.shares()

    @cached_property
    def answered(self) -> NDArray[np.bool_]:
        """Which observers have trials about which items."""
        return np.asarray(np.isfinite(self._shares).any(axis=(2, 3)))

    @property
    def beyond(self) -> NDArray[np.bool_]:
        """None: there are no switch points."""
        return np.zeros(self.switch.shape, dtype=bool)

    def estimates(self, of: CuedResult, *, pool: bool) -> TrialEstimates:
        """Those of hierarchical models."""
        weights = of.weights if pool else None
        return trial_estimates(self.trials, of.items, of.pairs, of.fit, of.level, weights)

    def check(self, of: CuedResult, estimates: Any, pair: int | None) -> FitCheck:
        """Against the shares of trials."""
        fits = estimates.fits if pair is None else estimates.fits[:, pair]
        return check_trials(fits, len(self.switch), self.stimuli, of.level)

    def responses(self, alphas: ArrayLike | None = None, which: Where = slice(None)) -> Floats:
        """Return shares of trials, NaN where there are none; between stimuli by straight lines."""
        shares = self._shares[:, which]
        return shares if alphas is None else _between(shares, self.stimuli, alphas)

    def probabilities(self) -> Floats:
        """Refuse: shares of a few trials are none.

        Raises
        ------
        QueryError
            Always.
        """
        raise QueryError(
            "Answers trial by trial are no probabilities of each observer. Effects of crossed"
            " groups need a subject that answers with some, such as a language model."
        )

    def trial_by_trial(self) -> Trials:
        """Return the trials."""
        return self.trials

    def frame(self, of: CuedResult) -> pd.DataFrame:
        """Return one row per question, with its counts."""
        del of
        return self.trials.to_frame()


AnyRaw = SwitchPoints | OwnCurves | Graded | Chosen


def _between(answers: Floats, stimuli: Floats, alphas: ArrayLike) -> Floats:
    """Interpolate answers (..., L) linearly; NaN outside [0, 1]."""
    at = np.asarray(alphas, dtype=float)
    after = np.clip(np.searchsorted(stimuli, at), 1, len(stimuli) - 1)
    part = (at - stimuli[after - 1]) / (stimuli[after] - stimuli[after - 1])
    interpolated = answers[..., after - 1] * (1 - part) + answers[..., after] * part
    return np.where((at >= 0) & (at <= 1), interpolated, np.nan)


def upgraded(content: dict[str, Any]) -> dict[str, Any]:
    """Return the stored fields of a result before version 3, which held all kinds side by side."""
    content = dict(content)
    optional = ("similarities", "own_noise", "own_rates", "own_answers", "answers", "trials")
    stored = {name: content.pop(name, None) for name in ("switch", *optional)}
    stored = {k: v for k, v in stored.items() if v is not None and 0 not in v.get("shape", ())}
    of_steps = {name: content.pop(name) for name in ("perception", "levels") if name in content}
    kinds: dict[str, Any] = {"trials": Chosen, "answers": Graded, "own_noise": OwnCurves}
    kind = next((kinds[name] for name in kinds if name in stored), SwitchPoints)
    if "own_rates" in stored:
        stored["rates"] = stored.pop("own_rates")
    names = {field.name for field in fields(kind)}
    raw = {name: value for name, value in (stored | of_steps).items() if name in names}
    return {**content, "raw": {"$type": kind.__name__, **raw}}
