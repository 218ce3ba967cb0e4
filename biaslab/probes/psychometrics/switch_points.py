r"""Switch points of observers that step, in closed form, and the check of their curves.

A deterministic observer compares two scores (Liang and Acuna 2020, eqs. 3 and 8), each a similarity
of the stimulus to a cue plus a similarity of the word to that cue. It answers cue 2 from the
:math:`\alpha` on at which the second score overtakes the first, so one number holds its answers to
every stimulus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.curves import PairsAs, mean_parts, pooled_curves
from biaslab.probes.psychometrics.fit_check import FitCheck, check_fit
from biaslab.probes.psychometrics.options import Scoring
from biaslab.stats.crossed.effects import Crossing, Part
from biaslab.stats.curves.replicates import Family
from biaslab.stats.reproducibility import snapped

Floats = NDArray[np.float64]
Reals = NDArray[np.floating]

SAME_CUES = 1e-6
"""Cue pairs with 1 - cos below this count as the same direction, without a switch point."""


def switch_points(
    difference: Reals, sim_cues: Reals, norms: Sequence[Reals], scoring: Scoring
) -> Reals:
    """Return switch points under a scoring rule, named as in `biaslab.two_afc`.

    A word equally near to both cues within single precision is at the middle: after hard debiasing
    many are, and rounding would lean them all.

    Parameters
    ----------
    difference, sim_cues : ndarray
        As for `mixed_cosines`.
    norms : (ndarray, ndarray)
        Lengths of the cue vectors, which only ``mixture`` uses.

    Raises
    ------
    ValueError
        When the rule is unknown.
    """
    difference = snapped(difference)
    if scoring == "eq8":
        return mixed_cosines(difference, sim_cues)
    if scoring == "mixture":
        return true_mixture(difference, sim_cues, *norms)
    raise ValueError(f"scoring is {scoring!r}; choose 'eq8' or 'mixture'.")


def mixed_cosines(difference: Reals, sim_cues: Reals) -> Reals:
    r"""Compute the switch point under eq. 8, which mixes the cues' cosines.

    Parameters
    ----------
    difference : ndarray
        cos(word, cue 2) - cos(word, cue 1).
    sim_cues : ndarray
        cos(cue 1, cue 2), below 1; broadcasts against `difference`.

    Returns
    -------
    ndarray
        :math:`\alpha^* = \frac12 - \frac{difference}{2 (1 - sim\_cues)}`, any real number: outside
        [0, 1] the observer gives one answer to every blend.
    """
    return 0.5 - difference / (2 * (1 - sim_cues))


def true_mixture(difference: Reals, sim_cues: Reals, norm_1: Reals, norm_2: Reals) -> Reals:
    r"""Compute the switch point for the blended vector itself (eqs. 1 and 3).

    The blend :math:`(1-\alpha) c_1 + \alpha c_2` sweeps the plane of the two cues. With
    :math:`\varphi` their angle and :math:`\theta` that of the blend from cue 1, the scores'
    difference is :math:`2 \sin(\varphi/2) \sin(\theta - \varphi/2)`, which is solved for
    :math:`\theta`.

    Parameters
    ----------
    difference, sim_cues : ndarray
        As for `mixed_cosines`.
    norm_1, norm_2 : ndarray
        Lengths of the cue vectors: a longer cue dominates the blend.

    Returns
    -------
    ndarray
        The switch point; infinite when no blend on the line through both cues balances the scores.
    """
    phi = np.arccos(np.clip(sim_cues, -1, 1))
    theta = phi / 2 + np.arcsin(np.clip(-difference / (2 * np.sin(phi / 2)), -1, 1))
    share_2 = norm_1 * np.sin(theta)
    total = share_2 + norm_2 * np.sin(phi - theta)
    never = np.where(theta > phi / 2, np.inf, -np.inf)
    return np.asarray(np.divide(share_2, total, out=never, where=total > 0))


_GROUPS = 32
"""More observers than this are left out in groups of equal size."""
_EQUAL = 1e-12
"""Weights that differ by less are equal."""
_BLOCK = 64
"""Items at once: with 32 replicates and 8 pairs 4 MB."""


def check_switch_points(
    answers: Floats,
    alphas: Floats,
    balance: NDArray[np.floating],
    noise: float | Floats,
    family: Family,
    level: float,
    pairs_as: PairsAs,
    weights: Floats,
    crossing: Crossing | None = None,
    rates: Floats | None = None,
) -> FitCheck:
    """Compare mean answers with the curves of `biaslab.probes.psychometrics.curves.pooled`.

    Observers' own noise and rates are kept while others are left out.

    Parameters
    ----------
    answers : ndarray, shape (B, n, K, L)
        P(cue 2) at the stimuli; of a step 0 or 1.
    alphas : ndarray, shape (L,)
    balance, noise, family, level, pairs_as, weights, crossing, rates
        As of `biaslab.probes.psychometrics.curves.pooled`.

    Returns
    -------
    FitCheck
        Arrays of shape (n,) and (n, L). Without p-value and intervals for fewer than three
        observers, or for one and fewer than three sampled pairs.
    """
    n = answers.shape[1]
    parts = []
    for start in range(0, n, _BLOCK):
        at = slice(start, start + _BLOCK)
        of_items = noise if np.ndim(noise) == 0 else np.asarray(noise)[at]
        own = None if rates is None else rates[:, at]
        fit = _Fit(of_items, family, pairs_as, own)
        parts.append(
            _checked(answers[:, at], alphas, balance[:, at], fit, level, weights, crossing)
        )
    return parts[0].joined(parts[1:])


@dataclass(frozen=True)
class _Fit:
    """Fits curves to several sets of the same n items' switch points; as `pooled` takes them."""

    noise: float | Floats
    family: Family
    pairs_as: PairsAs
    rates: Floats | None

    def at(
        self,
        alphas: Floats,
        balance: NDArray[np.floating],
        weights: Floats,
        crossing: Crossing | None,
        pairs: NDArray[np.intp] | None = None,
    ) -> Floats:
        """Return curves at the stimuli, shape (S, n, L).

        Parameters
        ----------
        balance : ndarray, shape (B, S, n, J)
            Switch points of each set.
        weights : ndarray, shape (J,)
        pairs : ndarray of int, shape (S, J), optional
            Which of the K pairs are in each set; default all.
        """
        b, sets, n, k = balance.shape
        which = np.broadcast_to(np.arange(k), (sets, k)) if pairs is None else pairs
        noise, rates = self.noise, self.rates
        if np.ndim(noise):
            noise = np.asarray(noise)[:, which].swapaxes(0, 1).reshape(sets * n, k)
        if rates is not None:
            rates = rates[:, :, which].swapaxes(1, 2).reshape(2, sets * n, k)
        points = balance.reshape(b, sets * n, k)
        curves = pooled_curves(points, noise, self.family, self.pairs_as, weights, crossing, rates)
        return curves.one((..., None)).share(alphas).reshape(sets, n, len(alphas))


def _checked(
    answers: Floats,
    alphas: Floats,
    balance: NDArray[np.floating],
    fit: _Fit,
    level: float,
    weights: Floats,
    crossing: Crossing | None,
) -> FitCheck:
    b, n, k, levels = answers.shape
    of_observer = np.einsum("bnkl,k->bnl", answers, weights)
    mean = of_observer.mean(axis=0)
    left_out = []
    if b > 2:
        size = -(-b // _GROUPS)
        taken = np.arange(b - b % size).reshape(-1, size)
        means = (b * mean - of_observer[taken].sum(axis=1)) / (b - size)
        stays = np.ones((len(taken), b), dtype=bool)
        np.put_along_axis(stays, taken, values=False, axis=1)
        kept = np.nonzero(stays)[1].reshape(len(taken), b - size)
        left_out.append((means, fit.at(alphas, balance[kept].swapaxes(0, 1), weights, crossing)))
    if fit.pairs_as == "resampled" and k > 1 and b + k > 3:
        left_out.append(_without_pairs(answers.mean(axis=0), alphas, balance, fit, weights))
    flat = answers.transpose(0, 1, 3, 2).reshape(b, n * levels, k)
    if k == 1:
        of_mean: list[Part] = [(flat[..., 0].var(axis=0, ddof=1) / b, b - 1.0)] if b > 1 else []
    else:
        of_mean = mean_parts(flat, weights, fit.pairs_as, crossing)
    parts: list[Part] = [
        (variance.reshape(n, levels), np.reshape(df, (n, levels)) if np.ndim(df) else df)
        for variance, df in of_mean
    ]
    curve = fit.at(alphas, balance[:, None], weights, crossing)[0]
    return check_fit(alphas, mean, curve, left_out, parts, level)


def _without_pairs(
    means: Floats, alphas: Floats, balance: NDArray[np.floating], fit: _Fit, weights: Floats
) -> tuple[Floats, Floats]:
    """Mean answers without each pair, from those of the pairs (n, K, L), and their curves."""
    k = len(weights)
    kept = np.array([np.delete(np.arange(k), pair) for pair in range(k)])
    share = weights[kept] / weights[kept].sum(axis=1, keepdims=True)
    left = np.einsum("nsjl,sj->snl", means[:, kept], share)
    points = balance[:, :, kept].swapaxes(1, 2)
    if np.ptp(weights) < _EQUAL:
        return left, fit.at(alphas, points, share[0], None, kept)
    curves = [
        fit.at(alphas, points[:, [pair]], share[pair], None, kept[[pair]]) for pair in range(k)
    ]
    return left, np.concatenate(curves)
