"""Estimates of graded answers, also where items were answered by different observers.

With photographs a nurse and a plumber may have portraits of their own, and not as many: each is
then estimated from the portraits that answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.probes.psychometrics.curves import OF_ALL, Estimates, ends
from biaslab.probes.psychometrics.fit_check import FitCheck

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class GradedEstimates(Estimates):
    """PSE and JND of mean answers, with intervals, in the shape of the curves.

    ``corpus`` is the interval of the PSE over resampled observers (and cue pairs, where these are
    a sample); an end is infinite where the axis ends before it. There is no other interval of the
    PSE: ``monte_carlo`` is NaN.

    Attributes
    ----------
    alphas : ndarray, shape (L,)
        Stimuli of the task.
    mean, half : ndarray, shape (..., L)
        Mean answer, and half the width of its interval.
    neutral : ndarray
        Mean P(cue 2) at alpha 1/2; defined with or without a PSE.
    neutral_interval : ndarray
    neutral_p : ndarray
        Two-sided p-value of `neutral` being 1/2.
    slope : ndarray
        Mean P(cue 2) at alpha 1 less that at alpha 0: how far the answers follow the blend.
    slope_interval : ndarray
    guess, lapse : ndarray
        Asymptotes of the curve: its share of cue-2 answers far below the stimuli, and of cue-1
        answers far above them.
    guess_interval, lapse_interval : ndarray
        Of the jackknife over observers (and pairs), cut off at 0 and 0.45; NaN where they are not
        fitted or there is one observer.
    check : FitCheck
        How well the curves describe the answers.
    without_switch : ndarray of int
        How many observers (and pairs) do not cross 1/2 upwards, once, between 0 and 1.
    """

    alphas: Floats
    mean: Floats
    half: Floats
    neutral: Floats
    neutral_interval: Floats
    neutral_p: Floats
    slope: Floats
    slope_interval: Floats
    guess: Floats
    lapse: Floats
    guess_interval: Floats
    lapse_interval: Floats
    check: FitCheck
    without_switch: NDArray[np.int64]

    @property
    def lean(self) -> NDArray[np.int8]:
        """1: an even blend is answered with cue 1 more often; -1: cue 2; 0: no clear lean."""
        toward_1 = self.neutral_interval[..., 1] < 0.5
        toward_2 = self.neutral_interval[..., 0] > 0.5
        return toward_1.astype(np.int8) - toward_2.astype(np.int8)

    @property
    def p_value(self) -> Floats:
        """Two-sided p-value of no bias: of the mean answer to an even blend being 1/2."""
        return self.neutral_p

    @property
    def lean_is_known(self) -> NDArray[np.bool_]:
        """Whether the answer to an even blend, which tells the lean, has an interval."""
        return np.asarray(np.isfinite(self.neutral_interval).all(axis=-1))

    def asymptotes(self, where: Any) -> tuple[float, float]:
        """Return guess and lapse rate of a curve."""
        return float(self.guess[where]), float(self.lapse[where])

    def columns(self, misfit: Mapping[str, Floats]) -> dict[str, NDArray[Any]]:
        """Add what only graded answers have."""
        return {
            **super().columns({}),
            "share_at_half": self.neutral,
            **ends("share_at_half", self.neutral_interval),
            "slope": self.slope,
            **ends("slope", self.slope_interval),
            "without_switch": self.without_switch,
            "guess": self.guess,
            **ends("guess", self.guess_interval),
            "lapse": self.lapse,
            **ends("lapse", self.lapse_interval),
            **misfit,
        }

    @property
    def reasons(self) -> NDArray[np.str_]:
        """Reason for each missing number, per curve; empty if none is missing."""
        reason = np.asarray(self.curves.fit.reason)
        alone = np.isnan(self.neutral_interval[..., 0]) & (reason == "")
        return np.where(alone, "one observer and one cue pair: no interval", reason)

    def band(self, where: Any, alphas: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Return curve and interval of the mean answer at ``alphas``."""
        at = np.asarray(alphas, dtype=float)
        mean, half = self.mean[where], self.half[where]
        share = self.curves.one(where).share(at)
        if not np.isfinite(share).all():  # no curve: use the mean answers
            share = np.interp(at, self.alphas, mean)
        if not np.isfinite(half).all():
            return share, share, share
        inside = (at >= self.alphas[0]) & (at <= self.alphas[-1])
        low, high = (
            np.where(inside, np.clip(np.interp(at, self.alphas, mean + s * half), 0, 1), share)
            for s in (-1, 1)
        )
        return share, low, high


def answered(answers: Floats) -> NDArray[np.bool_]:
    """Return which observers answered about which items, shape (B, n).

    - `answers`, ndarray, shape (B, n, K, L): NaN where an observer has no answer.
    """
    return np.asarray(np.isfinite(answers).all(axis=(2, 3)))


def per_item(answers: Floats, estimate: Callable[[Floats], GradedEstimates]) -> GradedEstimates:
    """Estimate all items: at once if all observers answered about all of them.

    - `answers`, ndarray, shape (B, n, K, L): NaN where an observer has no answer about an item;
      each item has some.
    - `estimate`: from answers without NaN.
    """
    there = answered(answers)
    if there.all():
        return estimate(answers)
    groups: dict[bytes, list[int]] = {}
    for i in range(there.shape[1]):
        groups.setdefault(there[:, i].tobytes(), []).append(i)
    places = [np.array(items) for items in groups.values()]
    parts = [estimate(answers[there[:, at[0]]][:, at]) for at in places]
    return _joined(parts).one(np.argsort(np.concatenate(places)))


def _joined(parts: list[GradedEstimates]) -> GradedEstimates:
    """The curves of all parts, one after the other."""
    first = parts[0]
    each = [part.curves for part in parts]
    fits = [curves.fit for curves in each]
    fit = replace(
        fits[0],
        replicates=max(one.replicates for one in fits),
        **{name: _values(fits, name) for name in ("location", "scale", "reason")},
    )
    rates = {name: _values(each, name) for name in ("guess", "lapse")}
    alone = (*OF_ALL, "curves", "check")
    return replace(
        first,
        curves=replace(first.curves, fit=fit, **rates),
        check=first.check.joined([part.check for part in parts[1:]]),
        **{f.name: _values(parts, f.name) for f in fields(first) if f.name not in alone},
    )


def _values(parts: Sequence[object], name: str) -> Any:
    return np.concatenate([np.asarray(getattr(part, name)) for part in parts])
