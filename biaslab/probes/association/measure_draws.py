r"""Draws of measures that are no mean over words, had other words like these been chosen.

Resampled words do not do for `ect` and `rnsb`: a resample has fewer different words, so that its
divergence is smaller than that of the list, and where two orders agree it agrees all the more.
"""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.cosines import Floats
from biaslab.probes.association.mean_draws import Drawn

FEWEST_RANKED = 4
"""Words of which a rank correlation has an interval."""


def rank_correlation(x_1: Floats, x_2: Floats) -> Floats:
    """Return Spearman's correlation of rows; NaN if one side is constant."""
    from scipy.stats import rankdata

    a, b = (rankdata(x, axis=-1) for x in (x_1, x_2))
    a -= a.mean(axis=-1, keepdims=True)
    b -= b.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = (a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    return np.asarray(correlation)


def correlation_draws(
    x_1: Floats, x_2: Floats, draws: int, rng: np.random.Generator
) -> Drawn | None:
    r"""Draw a rank correlation over one list of words; None of fewer than four.

    Fisher's transform of the correlation has variance :math:`(1 + r^2 / 2) / (n - 3)` (Bonett and
    Wright 2000, Psychometrika 65:23). A high correlation of few words is too low on average, so
    draws on the far side of it lie around the unbiased one instead,
    :math:`((n + 1) r - 3 \tau) / (n - 2)` with Kendall's :math:`\tau` (Hoeffding 1948, Annals of
    Mathematical Statistics 19:293). An order that agrees as a whole counts as halfway to it from
    the next best.

    Parameters
    ----------
    x_1, x_2 : ndarray, shape (B, n)
        Two values per replicate and word.
    draws : int
    rng : numpy.random.Generator
    """
    from scipy.stats import kendalltau

    n = x_1.shape[1]
    if n < FEWEST_RANKED:
        return None
    found = rank_correlation(x_1, x_2)
    tau = [kendalltau(a, b, method="asymptotic")[0] for a, b in zip(x_1, x_2, strict=True)]
    unbiased = ((n + 1) * found - 3 * np.array(tau)) / (n - 2)
    most = 1 - 6 / (n * (n * n - 1))
    low, high = np.clip(np.sort([found, unbiased], axis=0), -most, most)[..., None]
    step = rng.standard_normal(draws)
    centre = np.where(step < 0, low, high)
    error = np.sqrt((1 + centre**2 / 2) / (n - 3))
    return Drawn.resampled(np.tanh(np.arctanh(centre) + error * step), rng)


def divergence_draws(
    divergence: Floats, n: int, draws: int, rng: np.random.Generator
) -> Drawn | None:
    """Draw the divergence of n positive numbers from all being equal; None of fewer than two.

    It is about half their squared coefficient of variation, and like a variance it is drawn as its
    sum over a chi-square variable with n - 1 degrees of freedom.

    Parameters
    ----------
    divergence : ndarray, shape (B,)
        That of the list in each replicate, a mean over words.
    n : int
    draws : int
    rng : numpy.random.Generator
    """
    if n < 2:
        return None
    return Drawn.resampled(divergence[:, None] * n / rng.chisquare(n - 1, draws), rng)
