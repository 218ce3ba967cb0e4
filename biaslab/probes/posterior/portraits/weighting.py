"""Exact weighting: portraits of the prior, each weighted by p(word | portrait)^k.

The weighted mean of independent portraits needs no chain and cannot miss a mode, so it tells
whether a surprising figure comes from the sampler or from the model (self-normalised importance
sampling). It becomes imprecise where few portraits have all the weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.posterior.portraits.space import Floats
from biaslab.records.result import Interval

LEVEL = 0.95
Z95 = 1.959963984540054


@dataclass(frozen=True)
class Weighted:
    """Weighted means of independent portraits.

    - `mean`, `error`: shape (Q,), and their standard errors.
    - `size`: effective number of portraits.
    """

    mean: Floats
    error: Floats
    size: float


def weighted(
    values: NDArray[np.floating], log_p: Floats, times: float, *, is_all: bool = False
) -> Weighted:
    """Return means of values, shape (N, Q), under weights p^k.

    - `log_p`: shape (N,); minus infinity for no weight.
    - `times`: the exponent k; 0 weighs all portraits alike.
    - `is_all`: whether these are all portraits there can be, so that the means have no error.
    """
    x = np.asarray(values, dtype=np.float64).reshape(len(log_p), -1)
    logs = times * log_p if times else np.zeros(len(log_p))
    w = np.exp(logs - logs.max())
    w /= w.sum()
    mean = w @ x
    # Delta method: the variance of a ratio of two means.
    error = np.zeros(x.shape[1]) if is_all else np.sqrt((w**2) @ (x - mean) ** 2)
    return Weighted(mean, error, float(1 / (w @ w)))


def share_interval(share: float, error: float) -> Interval:
    """Return a 95 % Monte Carlo interval of a share, from its logit where it can be taken."""
    if not error > 0 or not 0 < share < 1:
        return Interval(share, share, LEVEL, "Monte Carlo")
    middle, half = math.log(share / (1 - share)), Z95 * error / (share * (1 - share))
    low, high = (1 / (1 + math.exp(-x)) for x in (middle - half, middle + half))
    return Interval(low, high, LEVEL, "Monte Carlo")
