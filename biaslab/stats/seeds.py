"""One number from what a person may give as ``rng``."""

from __future__ import annotations

import numpy as np


def seed_number(rng: int | np.random.Generator) -> int:
    """The seed itself, or a number drawn from a generator.

    Parameters
    ----------
    rng : int or numpy.random.Generator

    Raises
    ------
    ValueError
        If it is a number below 0, or neither.
    """
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if not isinstance(rng, int | np.integer) or rng < 0:
        raise ValueError(
            f"rng is {rng!r}; use a whole number of at least 0, or a numpy.random.Generator."
        )
    return int(rng)
