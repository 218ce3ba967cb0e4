r"""Expected information of the next answer about psychometric curves.

With posterior mass :math:`m` over states :math:`\theta`, and h the entropy of a yes-no answer, an
answer at level x is expected to reduce the entropy of the posterior by

.. math:: I(x) = h(\sum_\theta m_\theta \Psi_\theta(x)) - \sum_\theta m_\theta h(\Psi_\theta(x))

nats. The level with the least expected entropy (Watson 2017, QUEST+, eqs. 3 to 5; Kontsevich and
Tyler 1999) is the one with the most expected information. States are all points of a grid, or
PSEs and scales with the rates integrated out, as in the psi-marginal method (Prins 2013):
then :math:`\Psi_\theta` is the mean over the rates given PSE and scale.

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

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.curve_grid import Rows
from biaslab.stats.grid_posterior import GridPosterior
from biaslab.stats.sigmoids import Floats

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
        place = np.clip((self._grid.away(levels) - _NODES[0]) / _STEP, 0, len(_NODES) - 1.001)
        before = place.astype(np.intp)
        part = place - before
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
