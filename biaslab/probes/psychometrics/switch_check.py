"""How well curves of switch points describe the answers of the observers that switch there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.curves import PairsAs, mean_parts, pooled_curves
from biaslab.probes.psychometrics.fit_check import FitCheck, check_fit
from biaslab.stats.crossed.effects import Crossing, Part
from biaslab.stats.curves.replicates import Family

Floats = NDArray[np.float64]
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
