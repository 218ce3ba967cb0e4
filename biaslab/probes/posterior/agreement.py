"""Agreement of two ways of sampling one posterior, in Monte Carlo errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.record import Record

Floats = NDArray[np.float64]
LIMIT = 4.0
"""Limit in MCSE for equal means: 1 in 150 runs of 102 independent ones exceeds it."""


@dataclass(frozen=True)
class Agreement(Record):
    """Differences of means between two results.

    Attributes
    ----------
    names : tuple of str
        The quantities.
    differences : ndarray
        Difference of the means over its Monte Carlo standard error, shape (Q,); NaN if either
        is undefined.
    """

    names: tuple[str, ...]
    differences: Floats

    @property
    def largest(self) -> float:
        """Largest absolute difference, in MCSE; NaN if none is defined."""
        sizes = np.abs(self.differences)
        return float(np.nanmax(sizes)) if np.isfinite(sizes).any() else float("nan")

    @property
    def worst(self) -> str:
        """The quantity that differs most."""
        sizes = np.abs(self.differences)
        return self.names[int(np.nanargmax(sizes))] if np.isfinite(sizes).any() else ""

    @property
    def agrees(self) -> bool:
        """Whether all differ by at most 4 MCSE."""
        return self.largest <= LIMIT

    def __repr__(self) -> str:
        return f"<Agreement: {self.sentence()}>"

    def sentence(self) -> str:
        """Return the finding in plain words."""
        if np.isnan(self.largest):
            return "There are too few draws to compare."
        if self.agrees:
            return f"The two agree within {max(self.largest, 0.1):.1f} MCSE in all quantities."
        return f"The two disagree: the means of {self.worst} differ by {self.largest:.1f} MCSE."
