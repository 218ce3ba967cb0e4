"""One number from what a person may give as a seed."""

from __future__ import annotations

import numpy as np


def seed_number(seed: int | np.random.Generator) -> int:
    """The seed itself, or a number drawn from a generator.

    Parameters
    ----------
    seed : int or numpy.random.Generator

    Raises
    ------
    ValueError
        If it is below 0.
    """
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if seed < 0:
        raise ValueError(f"seed is {seed}; use a whole number of at least 0.")
    return int(seed)
