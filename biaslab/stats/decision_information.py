"""Expected information of the answer to a question, of two answers or three.

As `biaslab.stats.information`, whose formula it is; what follows from the level is a sum over the
ranges of indecision, so that rates are integrated out without a table of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from biaslab.stats.decision_posterior import DecisionPosterior
from biaslab.stats.sigmoids import Floats

Criterion = Literal["variance", "pse", "marginal", "joint"]

_TINY: Final = 1e-300
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
