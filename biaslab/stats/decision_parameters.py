"""Parameters of decisions beside the coefficients: SDs, rates, indecision, sensitivities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from biaslab.stats.rate_settings import HIGHEST_RATE

Kind = Literal["sd", "yes", "no", "lapse", "position", "indecision", "sensitivity"]

LEAST_RATE: Final = 0.001
"""A rate that counts as 0. At 0 itself the information of far levels changes without bound."""
RATES: Final = ("yes", "no", "lapse", "position")
"""Kinds that are shares of the answers."""
_HIGHEST_POSITION: Final = 0.9
_SD_BOUNDS: Final = (-5.0, 3.0)
_INDECISION_BOUNDS: Final = (-8.0, 2.5)
_SENSITIVITY_BOUNDS: Final = (-2.0, 2.0)
_RARE: Final = {"yes": 9.0, "no": 9.0, "lapse": 18.0}
"""Lapses have a Beta(1, 10) density, the usual one (Schütt et al. 2016, psignifit 4)."""
_LARGE: Final = 2.0**2
"""Variance of effects on the scale of z beyond which a density falls like Cauchy's."""
_AVOID: Final = 0.25
"""Power of the density that keeps SDs from 0. At 1 that of a factor with few levels and answers is
read twice too large, and nominal 95 % intervals of the gap hold 99 %."""
SENSITIVITY_SD: Final = 0.5
"""SD of the density of a group's log sensitivity: slopes of two groups differ by a factor of 2 in a
third of the cases."""


@dataclass(frozen=True)
class Parameter:
    """One that is searched by its logarithm.

    Attributes
    ----------
    kind : str
    name : str
        Unique in a model; of an SD that of its factor.
    group : int or None
        Whose it is; None where it is that of all groups. Of a sensitivity: which contrast.
    """

    kind: Kind
    name: str
    group: int | None = None

    @property
    def is_rate(self) -> bool:
        """Whether it is a share of the answers."""
        return self.kind in RATES

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of its logarithm."""
        if self.kind == "sd":
            return _SD_BOUNDS
        if self.kind == "indecision":
            return _INDECISION_BOUNDS
        if self.kind == "sensitivity":
            return _SENSITIVITY_BOUNDS
        highest = _HIGHEST_POSITION if self.kind == "position" else HIGHEST_RATE
        return float(np.log(LEAST_RATE)), float(np.log(highest))

    def start(self, preference: float) -> float:
        """Return where a search begins that knows nothing.

        Parameters
        ----------
        preference : float
            Share of the answers for one position less that for the other.
        """
        if self.kind == "position":
            # Of answers that a share b decides by position, (1 + b) / 2 take the preferred one.
            return float(np.log(np.clip(preference, 0.02, 0.8)))
        if self.is_rate:
            return float(np.log(0.02))
        return {"indecision": -1.0, "sensitivity": 0.0}.get(self.kind, float(np.log(0.4)))

    def density(self, value: float, floor: float = 0.0) -> tuple[float, float]:
        """Return the logarithm of its density, and the derivative by the parameter's logarithm.

        Parameters
        ----------
        value : float
            The logarithm.
        floor : float
            Sampling error of an effect, on the scale of z; for an SD.
        """
        if self.kind == "sd":
            variance, least = float(np.exp(2 * value)), floor**2
            log = _AVOID * (value - float(np.log(variance + least)) / 2)
            slope = _AVOID * (1 - variance / (variance + least))
            return log - float(np.log1p(variance / _LARGE)), slope - 2 * variance / (
                variance + _LARGE
            )
        if self.kind == "sensitivity":
            return -((value / SENSITIVITY_SD) ** 2) / 2, -value / SENSITIVITY_SD**2
        if self.kind not in _RARE:
            return 0.0, 0.0
        rate, power = float(np.exp(value)), _RARE[self.kind]
        return power * float(np.log1p(-rate)), -power * rate / (1 - rate)


def contrasts(groups: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return orthonormal contrasts of groups, (G, G - 1): deviations that sum to 0."""
    columns = np.zeros((groups, groups - 1))
    for j in range(groups - 1):
        columns[: j + 1, j] = -1 / (j + 1)
        columns[j + 1, j] = 1
    return np.asarray(columns / np.linalg.norm(columns, axis=0))
