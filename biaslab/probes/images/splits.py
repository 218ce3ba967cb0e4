"""Permutation test: had the images been put into the two groups at random."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from biaslab.probes.images.design import ImageDesign
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.permutation import exceedances

_DRAWN_UP_TO = 250
"""Largest smaller group for which splits are drawn; for larger ones, the normal limit holds."""


def split_test(
    first: Floats, design: ImageDesign, permutations: int, seed: int
) -> tuple[float, str]:
    """Return how rarely random splits differ as much as the two groups do.

    Parameters
    ----------
    first : ndarray, shape (n,)
        P(the first list) of each image.
    design : ImageDesign
    permutations : int
        Number of random splits if there are too many to enumerate.
    seed : int

    Returns
    -------
    p : float
        Two-sided, of the difference of the groups' means, in (0, 1]. Not below
        1 / (permutations + 1) unless all splits were looked at.
    of : str
        The reference set, in words.
    """
    values, sides = first[design.order], design.group_of[design.order]
    lead = sides[0]  # by the terms' names: swapping the groups changes nothing
    values = np.concatenate([values[sides == lead], values[sides != lead]])
    n, n_1 = len(values), int((sides == lead).sum())
    smaller = min(n_1, n - n_1)
    if smaller > _DRAWN_UP_TO:
        centred = values - values.mean()
        sd = math.sqrt(float(centred @ centred) / (n - 1) * n / (n_1 * (n - n_1)))
        distance = abs(float(centred[:n_1].mean() - centred[n_1:].mean()))
        p = 2 * float(special.ndtr(-distance / sd)) if sd > 1e-12 else 1.0
        return max(p, 1 / (permutations + 1)), "random splits, in their normal limit"
    exceed, looked_at, exact = exceedances(
        values[None], n_1, alternative="two-sided", splits=permutations, seed=seed
    )
    if exact:
        return float(exceed[0]) / looked_at, f"all {looked_at:,} splits"
    return (float(exceed[0]) + 1) / (looked_at + 1), f"{looked_at:,} random splits"
