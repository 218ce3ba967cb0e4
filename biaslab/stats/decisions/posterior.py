"""The posterior of groups' PSEs on a grid, and what the next answer would tell of them.

Given the scale and the rates that groups share, their PSEs are independent: so the posterior is a
table for each group, and that of a gap a sum over scale and rates.

The expected information of an answer, one of two or of three, has the formula of
`biaslab.stats.curves.adaptive`; what follows from the level is a sum over the ranges of indecision,
so that rates are integrated out without a table of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, Literal

import numpy as np

from biaslab.stats.curves.grid import CurveGrid
from biaslab.stats.curves.sigmoids import Floats, Sigmoid

_PSES: Final = 41
_SCALES: Final = 13
_LAPSES: Final = (0.004, 0.02, 0.05, 0.12)
_POSITIONS: Final = (-0.6, -0.3, -0.1, 0.0, 0.1, 0.3, 0.6)
_INDECISION: Final = (0.0, 0.3, 0.8, 1.8)
_RARE: Final = 9.0
"""Lapses to yes and to no each have a Beta(1, 10) density."""


@dataclass(frozen=True)
class DecisionGrid:
    """Points of the parameters.

    Attributes
    ----------
    sigmoid : Sigmoid
        F, symmetrical.
    pse : ndarray, shape (G, M)
        Points of each group's PSE, evenly spaced.
    scale : ndarray, shape (S,)
    guess, lapse : ndarray, shape (R,)
        Combinations of the rates: answers yes and no whatever the level.
    position : ndarray, shape (R,)
        Share of answers by position, above 0 for the option listed first.
    indecision : ndarray, shape (R,)
        Half the range of indecision, in scales.
    log_prior : ndarray, shape (R,)
    """

    sigmoid: Sigmoid
    pse: Floats
    scale: Floats
    guess: Floats
    lapse: Floats
    position: Floats
    indecision: Floats
    log_prior: Floats

    @classmethod
    def over(
        cls, sigmoid: Sigmoid, groups: int, levels: Floats, *, orders: bool, indecision: bool
    ) -> DecisionGrid:
        """Return the grid of a prior: flat PSE and log scale, rare lapses, any position."""
        rates = np.array(list(product(
            _LAPSES, _POSITIONS if orders else (0.0,), _INDECISION if indecision else (0.0,)
        )))  # fmt: skip
        lapse, position, tau = rates.T
        span = float(np.ptp(levels))
        step = float(np.diff(levels).min())
        pse = np.linspace(levels[0] - span / 2, levels[-1] + span / 2, _PSES)
        log_scale = np.linspace(np.log(step / 4), np.log(span / 2), _SCALES)
        return cls(
            sigmoid, np.tile(pse, (groups, 1)), np.exp(log_scale), lapse, lapse, position, tau,
            2 * _RARE * np.log1p(-lapse),
        )  # fmt: skip

    @classmethod
    def of_curves(cls, grid: CurveGrid, groups: int) -> DecisionGrid:
        """Return the grid of one curve, without position and indecision, for each group."""
        zero = np.zeros(grid.guess.shape[1])
        return cls(
            grid.sigmoid, np.repeat(grid.pse, groups, axis=0), grid.scale[0], grid.guess[0],
            grid.lapse[0], zero, zero, grid.log_prior[0],
        )  # fmt: skip

    @property
    def answers(self) -> int:
        """Number of possible answers, K: yes and no, or these and neither."""
        return 3 if (self.indecision > 0).any() else 2

    def moved(self, pse: Floats, scale: Floats) -> DecisionGrid:
        """Return the grid with other points of PSE and scale."""
        return replace(self, pse=pse, scale=scale)

    def extra(self, *, first: bool) -> Floats:
        """Return what the level does not decide, with yes listed first or second: (K, R)."""
        share = self.position if first else -self.position
        yes, no = self.guess + np.maximum(share, 0), self.lapse + np.maximum(-share, 0)
        return np.stack([yes, no, np.zeros_like(yes)][: self.answers])

    @property
    def room(self) -> Floats:
        """Share of the answers that follow the level, shape (R,)."""
        return np.asarray(1 - self.guess - self.lapse - np.abs(self.position))

    def core(self, group: int, levels: Floats, indecision: float) -> Floats:
        """Return the curve's part of each answer at levels of shape (X,): (K, M, S, X)."""
        away = levels - self.pse[group][:, None, None]
        z = away / self.scale[:, None]
        if self.answers == 2:
            return np.stack(self.sigmoid.tails(z))
        yes = self.sigmoid.tails(z - indecision)[0]
        no = self.sigmoid.tails(z + indecision)[1]
        return np.stack([yes, no, np.maximum(1 - yes - no, 0.0)])

    def probabilities(self, group: int, level: float, *, first: bool) -> Floats:
        """Return the probability of each answer to a question, shape (K, M, S, R)."""
        room, extra = self.room, self.extra(first=first)
        probabilities = np.empty((self.answers, self.pse.shape[1], len(self.scale), len(room)))
        for tau in np.unique(self.indecision):
            rows = self.indecision == tau
            core = self.core(group, np.array([level]), float(tau))
            probabilities[..., rows] = extra[:, None, None, rows] + room[rows] * core
        return probabilities


_TINY: Final = 1e-300
_TAIL: Final = 5e-4
_EDGE: Final = 0.02
_SPACIOUS: Final = 0.55
_PASSES: Final = 12


class DecisionPosterior:
    """Posterior given counts of answers by group, level, order and answer.

    Parameters
    ----------
    grid : DecisionGrid
        Points of the prior.
    levels : ndarray, shape (L,)
    follows : bool
        Whether points of PSE and scale are laid anew as the posterior becomes narrow.

    Attributes
    ----------
    grid : DecisionGrid
    counts : ndarray, shape (G, L, 2, K)
        Answers so far; of the orders, yes first comes first.
    loglik : ndarray, shape (G, M, S, R)
        Log-likelihood of each group's answers at each point.
    """

    def __init__(self, grid: DecisionGrid, levels: Floats, *, follows: bool) -> None:
        self.grid, self.levels, self._follows = grid, levels, follows
        self.counts = np.zeros((len(grid.pse), len(levels), 2, grid.answers))
        self.loglik = np.zeros((len(grid.pse), grid.pse.shape[1], len(grid.scale), len(grid.room)))

    def update(self, group: int, place: int, order: int, counts: Floats) -> None:
        """Take in counts of each answer to one question."""
        self.counts[group, place, order] += counts
        self._add(group, place, order, counts)

    def settle(self) -> None:
        """Lay the grid anew where it has become too wide or too small."""
        if self._follows:
            self._follow()

    def compute(self) -> None:
        """Compute the log-likelihood of all groups from the counts."""
        grid = self.grid
        shape = (len(self.counts), grid.pse.shape[1], len(grid.scale), len(grid.room))
        self.loglik = np.zeros(shape)
        for group, place, order in np.argwhere(self.counts.sum(axis=-1) > 0):
            self._add(int(group), int(place), int(order), self.counts[group, place, order])

    def _add(self, group: int, place: int, order: int, counts: Floats) -> None:
        p = self.grid.probabilities(group, float(self.levels[place]), first=order == 0)
        for answer, count in enumerate(counts):
            if count:
                self.loglik[group] += count * np.log(np.maximum(p[answer], _TINY))

    def _evidence(self) -> tuple[Floats, Floats]:
        """Return each group's P(PSE | scale, rates), (G, M, S, R), and P(scale, rates), (S, R)."""
        top = self.loglik.max(axis=1, keepdims=True)
        weight = np.exp(self.loglik - top)
        total = weight.sum(axis=1, keepdims=True)
        shared = (np.log(total) + top)[:, 0].sum(axis=0) + self.grid.log_prior
        mass = np.exp(shared - shared.max())
        return weight / total, mass / mass.sum()

    def mass(self, group: int) -> Floats:
        """Return the posterior of PSE, scale and rates, (M, S, R)."""
        inner, shared = self._evidence()
        return np.asarray(inner[group] * shared)

    def gap_quantiles(self, at: Floats, a: int, b: int) -> Floats:
        """Return quantiles of the PSE of `b` less that of `a`; with one group of its PSE."""
        inner, shared = self._evidence()
        if len(self.counts) == 1:
            return quantiles(self.grid.pse[0], (inner[0] * shared).sum(axis=(1, 2)), at)
        one, two = (inner[g].reshape(inner.shape[1], -1) for g in (a, b))
        both = (one * shared.ravel()) @ two.T
        cells = [np.diff(self.grid.pse[g][:2])[0] for g in (a, b)]
        difference = self.grid.pse[b][None, :] - self.grid.pse[a][:, None]
        step = max(cells) / 2
        bins = np.round(difference / step).astype(np.int64)
        start = int(bins.min())
        mass = np.asarray(np.bincount((bins - start).ravel(), both.ravel()), dtype=np.float64)
        points = np.asarray(step * (start + np.arange(len(mass))), dtype=np.float64)
        return quantiles(points, mass, at)

    def _follow(self) -> None:
        """Lay the grid anew where the posterior has become narrow for it, or reached its edge."""
        for _ in range(_PASSES):
            inner, shared = self._evidence()
            pse = self.grid.pse.copy()
            changed = False
            for group in range(len(self.counts)):
                mass = (inner[group] * shared).sum(axis=(1, 2))
                ends = _wanted(pse[group], mass, self._far)
                if ends is not None:
                    pse[group] = np.linspace(*ends, pse.shape[1])
                    changed = True
            log_scale = np.log(self.grid.scale)
            ends = _wanted(log_scale, shared.sum(axis=1), self._scales)
            if ends is not None:
                log_scale = np.linspace(*ends, len(log_scale))
                changed = True
            if not changed:
                return
            self.grid = self.grid.moved(pse, np.exp(log_scale))
            self.compute()

    @property
    def _far(self) -> tuple[float, float]:
        """The widest range of a PSE: half the levels' range beyond them."""
        span = float(np.ptp(self.levels))
        return float(self.levels[0] - span / 2), float(self.levels[-1] + span / 2)

    @property
    def _scales(self) -> tuple[float, float]:
        """The widest range of a log scale."""
        step, span = float(np.diff(self.levels).min()), float(np.ptp(self.levels))
        return float(np.log(step / 4)), float(np.log(span / 2))


def _wanted(
    points: Floats, mass: Floats, limits: tuple[float, float]
) -> tuple[float, float] | None:
    """Return the range of points that suits a posterior; None where it has it."""
    step = points[1] - points[0]
    low, high = float(points[0]), float(points[-1])
    much = _EDGE * float(mass.max())
    width = high - low
    below = mass[0] > much and low > limits[0] + 1e-9
    above = mass[-1] > much and high < limits[1] - 1e-9
    reached = np.cumsum(mass)
    first = max(int(np.argmax(reached > _TAIL)) - 1, 0)
    last = min(int(np.argmax(reached >= 1 - _TAIL)) + 1, len(points) - 1)
    new_low = max(low - width / 2, limits[0]) if below else low + first * step
    new_high = min(high + width / 2, limits[1]) if above else low + last * step
    if below or above or (new_high - new_low) < _SPACIOUS * width:
        return new_low, new_high
    return None


def quantiles(points: Floats, mass: Floats, at: Floats) -> Floats:
    """Quantiles of masses spread evenly over cells around evenly spaced points."""
    step = points[1] - points[0]
    edges = np.append(points - step / 2, points[-1] + step / 2)
    reached = np.append(0.0, np.cumsum(mass))
    return np.asarray(np.interp(at, reached / reached[-1], edges))


Criterion = Literal["variance", "pse", "marginal", "joint"]

_BRANCHES: Final = 16
"""Combinations of answers that are followed while a batch is chosen."""


@dataclass(frozen=True)
class QuestionStates:
    """What answers about a group tell apart: Q states, and their answers to X questions.

    Attributes
    ----------
    mass : ndarray, shape (Q,)
    share : ndarray, shape (K, Q, X)
        P(answer) to each of X = orders x levels questions, the rest integrated out.
    entropy : ndarray, shape (Q, X)
        Of an answer, in nats.
    pse : ndarray, shape (Q,), optional
        With it a gain is the expected loss of the variance of the PSE, and else of entropy.
    """

    mass: Floats
    share: Floats
    entropy: Floats
    pse: Floats | None = None

    def gain(self, mass: Floats, weight: Floats) -> Floats:
        """Return the expected gain of each question after B branches of answers, shape (X,).

        Parameters
        ----------
        mass : ndarray, shape (B, Q)
        weight : ndarray, shape (B,)
        """
        if self.pse is not None:
            return np.asarray(weight @ self._narrowed(mass, self.pse))
        mean = np.clip(np.einsum("bq,kqx->kbx", mass, self.share), 0, 1)
        return np.asarray(weight @ (answers_entropy(mean) - mass @ self.entropy))

    def _narrowed(self, mass: Floats, pse: Floats) -> Floats:
        """Return by how much the variance of the PSE is expected to fall, shape (B, X).

        By the variance of its means after each answer.
        """
        reached = np.einsum("bq,kqx->kbx", mass, self.share)
        moved = np.einsum("bq,kqx->kbx", mass * pse, self.share)
        before = (mass @ pse)[:, None]
        return np.asarray((moved**2 / np.maximum(reached, _TINY)).sum(axis=0) - before**2)


def question_states(
    posterior: DecisionPosterior, group: int, orders: Sequence[bool], criterion: Criterion
) -> QuestionStates:
    """Return what answers about a group tell apart; see `QuestionStates`."""
    grid, mass, levels = posterior.grid, posterior.mass(group), posterior.levels
    m, s, r = mass.shape
    shape = mass.sum(axis=2)
    share = np.zeros((grid.answers, m, s, len(orders), len(levels)))
    if criterion == "joint":
        full = np.stack([
            [grid.probabilities(group, float(x), first=first) for x in levels]
            for first in orders
        ])  # fmt: skip
        joint = np.moveaxis(full, (0, 1), (-2, -1)).reshape(grid.answers, m * s * r, -1)
        return QuestionStates(mass.ravel(), joint, answers_entropy(joint))
    given = mass / np.maximum(shape, _TINY)[..., None]
    for tau in np.unique(grid.indecision):
        rows = grid.indecision == tau
        core = grid.core(group, levels, float(tau))
        room = given[..., rows] @ grid.room[rows]
        share += (room[..., None] * core)[:, :, :, None]
    for o, first in enumerate(orders):
        extra = np.moveaxis(given @ grid.extra(first=first).T, -1, 0)
        share[:, :, :, o] += extra[..., None]
    every = share.reshape(grid.answers, m, s, -1)
    if criterion in ("marginal", "variance"):
        flat = every.reshape(grid.answers, m * s, -1)
        if criterion == "marginal":
            return QuestionStates(shape.ravel(), flat, answers_entropy(flat))
        pse = np.repeat(grid.pse[group] - grid.pse[group].mean(), s)
        return QuestionStates(shape.ravel(), flat, np.zeros((0, 0)), pse)
    of_pse = shape.sum(axis=1)
    weight = shape / np.maximum(of_pse, _TINY)[:, None]
    flat = np.einsum("ms,kmsx->kmx", weight, every)
    return QuestionStates(of_pse, flat, answers_entropy(flat))


def answers_entropy(share: Floats) -> Floats:
    """Return the entropy over the first axis, in nats."""
    return np.asarray(-(share * np.log(np.maximum(share, _TINY))).sum(axis=0))


def branched(mass: Floats, weight: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Return posteriors after each answer, (K B, Q), and the probability of each."""
    after = (mass[None] * share[:, None]).reshape(-1, mass.shape[1])
    total = after.sum(axis=1)
    weight = np.tile(weight, len(share)) * total
    after = after / np.maximum(total, _TINY)[:, None]
    kept = np.argsort(-weight, kind="stable")[:_BRANCHES]
    return after[kept], weight[kept] / weight[kept].sum()
