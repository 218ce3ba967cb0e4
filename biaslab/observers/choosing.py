"""Simulated observers that choose trial by trial, with every number of the choice known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import ObserverError
from biaslab.records.calls import Reopened

Seed = int | np.random.Generator | None
Question = tuple[str, str, float, int, bool]


@dataclass(frozen=True, eq=False)
class ChoosingObservers(Reopened):
    """Observers that answer 0 (the first cue they are offered), 1 (the second) or NaN.

    Attributes
    ----------
    share : callable
        ``share(item, cue_1, cue_2, alpha, observer)``: P(cue 2), in the order of `cues`.
    cues : tuple of (str, str)
        Cue pairs, in whose orientation alpha and the PSE are.
    order_effect : float
        PSE where cue 1 is offered first, less that where it is second.
    overdispersion : float
        Correlation between an observer's answers to one question, beyond its share.
    cannot_say : float
        Share of trials without an answer.
    """

    share: Callable[..., NDArray[np.float64]]
    cues: tuple[tuple[str, str], ...]
    order_effect: float
    overdispersion: float
    cannot_say: float
    _rng: np.random.Generator
    _drawn: dict[Question, float] = field(default_factory=dict)
    """Probabilities drawn for questions: the same whenever a question is put."""

    def respond(
        self,
        item: ArrayLike,
        cue_1: ArrayLike,
        cue_2: ArrayLike,
        alpha: ArrayLike,
        observer: ArrayLike = 0,
    ) -> NDArray[np.float64]:
        """Return 0, 1 or NaN for each trial, with the arguments broadcast against each other.

        Raises
        ------
        ObserverError
            For an unknown item, observer or cue pair.
        """
        items, first, second, alphas, who = np.broadcast_arrays(
            item, cue_1, cue_2, np.asarray(alpha, dtype=np.float64), observer
        )
        swapped = self._swapped(first, second)
        position = np.where(swapped, 1 - alphas, alphas)
        shift = np.where(swapped, self.order_effect, -self.order_effect) / 2
        p = np.asarray(self.share(items, first, second, position + shift, who))
        if self.overdispersion > 0:
            p = self._dispersed(p, items, first, position, who, swapped)
        answers = (self._rng.random(p.shape) < p).astype(np.float64)
        answers = np.where(swapped, 1 - answers, answers)
        silent = self._rng.random(p.shape) < self.cannot_say
        return np.where(silent, np.nan, answers)

    __call__: Callable[..., NDArray[np.float64]] = respond

    def _swapped(self, first: NDArray[np.str_], second: NDArray[np.str_]) -> NDArray[np.bool_]:
        flat = list(zip(first.ravel().tolist(), second.ravel().tolist(), strict=True))
        known, other = set(self.cues), {(two, one) for one, two in self.cues}
        if unknown := set(flat) - known - other:
            wrong, has = " / ".join(unknown.pop()), ", ".join(" / ".join(p) for p in self.cues)
            raise ObserverError(f"{wrong}: unknown cues. The cue pairs are {has}.")
        return np.array([pair in other for pair in flat]).reshape(first.shape)

    def _dispersed(
        self,
        p: NDArray[np.float64],
        items: NDArray[np.str_],
        first: NDArray[np.str_],
        alphas: NDArray[np.float64],
        who: NDArray[np.int64],
        swapped: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Return each question's own probability, drawn from a beta distribution around p."""
        weight = (1 - self.overdispersion) / self.overdispersion
        probabilities = np.empty(p.shape)
        rows = zip(
            items.ravel().tolist(), first.ravel().tolist(), alphas.ravel().round(9).tolist(),
            who.ravel().tolist(), swapped.ravel().tolist(), strict=True,
        )  # fmt: skip
        for i, (mean, question) in enumerate(zip(p.ravel().tolist(), rows, strict=True)):
            if question not in self._drawn:
                is_sure = mean <= 0 or mean >= 1
                drawn = mean if is_sure else self._rng.beta(mean * weight, (1 - mean) * weight)
                self._drawn[question] = drawn
            probabilities.flat[i] = self._drawn[question]
        return probabilities


def choosing(
    share: Callable[..., NDArray[np.float64]],
    cues: Sequence[tuple[str, str]],
    order_effect: float,
    overdispersion: float,
    cannot_say: float,
    seed: Seed,
) -> ChoosingObservers:
    """Return checked `ChoosingObservers`.

    Raises
    ------
    ObserverError
        When a parameter is out of its range.
    """
    pairs = tuple((str(one), str(two)) for one, two in cues)
    if not pairs or len({frozenset(pair) for pair in pairs}) < len(pairs):
        raise ObserverError(f"cues={cues!r}: pass pairs, each once: cues=(('female', 'male'),).")
    if not math.isfinite(order_effect):
        raise ObserverError(f"order_effect={order_effect}: pass a number in units of alpha.")
    if not (0 <= overdispersion < 1 and 0 <= cannot_say < 1):
        raise ObserverError(
            f"overdispersion={overdispersion}, cannot_say={cannot_say}: at least 0, below 1."
        )
    rng = np.random.default_rng(seed)
    return ChoosingObservers(share, pairs, order_effect, overdispersion, cannot_say, rng)
