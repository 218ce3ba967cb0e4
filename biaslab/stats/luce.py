"""One scale for several alternatives, from choices between each two of them.

Luce's choice rule (1959), which is the model of Bradley and Terry (1952): alternative a is chosen
over b with probability ``v_a / (v_a + v_b)``, and out of all with ``v_a / sum(v)``.

Where one alternative is always chosen the likelihood has no maximum. Half a choice is therefore
added to either side of each pair, as a Jeffreys prior adds to a share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.quantiles import t_quantile
from biaslab.stats.significance import check_level

Floats = NDArray[np.float64]
_MOST_STEPS = 10_000
_CLOSE = 1e-10


class LuceFit(NamedTuple):
    """Choice shares of k alternatives for n items.

    Attributes
    ----------
    share : ndarray, shape (n, k)
        How often each would be chosen out of all k; sums to 1.
    interval : ndarray, shape (n, k, 2)
        Over units: Student's, of the share's logit, by the jackknife; NaN with fewer than two. It
        reaches at least to where the units of the rarer kind would move a unanimous pair in
        Wilson's interval.
    misfit : ndarray, shape (n,)
        Largest difference between the rate of choices in a pair and what the shares imply: large
        where the alternatives beat each other in a circle.
    """

    share: Floats
    interval: Floats
    misfit: Floats


def luce(choices: Floats, level: float = 0.95) -> LuceFit:
    """Fit Luce's choice rule to rates of choices in pairs.

    Parameters
    ----------
    choices : ndarray, shape (n, k, k), (u, n, k, k) or (u, w, n, k, k)
        Rate at which a is chosen over b at ``[..., a, b]``, in [0, 1]; a pair's two rates sum to 1.
        By unit u, such as a replicate, and by a second, crossed kind of unit w, such as a cue pair.
    level : float
        Of the intervals, in (0, 1).

    Raises
    ------
    ValueError
        When the array has another shape.
    """
    check_level(level)
    if choices.ndim not in (3, 4, 5) or choices.shape[-2] != choices.shape[-1]:
        raise ValueError(f"Choices have the shape {choices.shape}; pass (units, n, k, k).")
    units = choices.shape[:-3]
    axes = tuple(range(len(units)))
    mean = choices.mean(axis=axes) if axes else choices
    count = float(np.prod(units)) if units else 1.0
    share = _shares(mean * count)
    variance, df = np.zeros(share.shape), np.inf
    for axis, number in enumerate(units):
        if number < 2:
            continue
        others = tuple(other for other in axes if other != axis)
        each = choices.mean(axis=others)
        left_out = (number * mean - each) / (number - 1)
        logits = special.logit(_shares(left_out * count * (number - 1) / number))
        spread = ((logits - logits.mean(axis=0)) ** 2).sum(axis=0) * (number - 1) / number
        variance, df = variance + spread, min(df, number - 1)
    interval = np.full((*share.shape, 2), np.nan)
    if np.isfinite(df):
        half = float(t_quantile(int(df), (1 + level) / 2)) * np.sqrt(variance)
        centre = special.logit(share)
        interval = special.expit(np.stack([centre - half, centre + half], axis=-1))
        fewest = min(number for number in units if number > 1)
        reach = float(special.ndtri((1 + level) / 2)) ** 2 * count / fewest
        for g in range(share.shape[-1]):
            for end, sure in ((0, mean[..., g, :] == 1), (1, mean[..., g, :] == 0)):
                # Where all agree, the jackknife has no spread.
                wins = mean * count
                into = wins[..., :, g] if end == 0 else wins[..., g, :]
                into += reach * sure
                moved = np.where(sure.any(axis=-1), _shares(wins)[..., g], share[..., g])
                bound = (np.minimum, np.maximum)[end]
                interval[..., g, end] = bound(interval[..., g, end], moved)
    implied = share[..., :, None] / (share[..., :, None] + share[..., None, :])
    away = np.abs(mean - implied)
    k = share.shape[-1]
    away[..., np.arange(k), np.arange(k)] = 0
    return LuceFit(share, interval, away.max(axis=(-2, -1)))


def _shares(wins: Floats) -> Floats:
    """Return choice shares (..., k) of counts of choices (..., k, k), by Hunter's (2004) steps."""
    k = wins.shape[-1]
    apart = ~np.eye(k, dtype=bool)
    counts = np.where(apart, wins + 0.5, 0)
    won, met = counts.sum(axis=-1), counts + np.swapaxes(counts, -1, -2)
    share = np.full(won.shape, 1 / k)
    for _ in range(_MOST_STEPS):
        both = share[..., :, None] + share[..., None, :]
        update = won / (met / both).sum(axis=-1)
        update /= update.sum(axis=-1, keepdims=True)
        done = np.abs(update - share).max(initial=0) < _CLOSE
        share = update
        if done:
            break
    return share
