"""The draws of one label that the posterior bench shows, of a run that goes on or has ended."""

from __future__ import annotations

import math
from collections.abc import MutableMapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.posterior import Diagnostics, PosteriorResult
from biaslab.stats.chains import FEWEST, summarise

Singles = NDArray[np.float32]
PATH = 12
"""At most so many places at which R-hat is shown as the draws came in."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Draws of one label.

    Attributes
    ----------
    warmup : ndarray, shape (2, chains, w)
        Logit and |s|² of the warm-up.
    values : ndarray, shape (2, chains, n)
        The same of the draws kept.
    points : ndarray, shape (chains, n, d)
    diagnostics : Diagnostics or None
        None while there are too few draws.
    rhats : mapping of (str, int) to float
        R-hat of a quantity's first so many draws, once it was asked for. More draws do not change
        it: all that is drawn of a label shares one.
    """

    label: str
    warmup: Singles
    values: Singles
    points: Singles
    diagnostics: Diagnostics | None = None
    acceptance: float = math.nan
    divergences: int = 0
    rhats: MutableMapping[tuple[str, int], float] = field(default_factory=dict)

    @classmethod
    def of(cls, result: PosteriorResult) -> Drawn:
        """A result's draws."""
        return cls(
            result.label,
            np.stack([result.warmup_logit, result.warmup_square]),
            np.stack([result.logit, result.square]),
            result.draws,
            result.diagnostics,
            result.acceptance,
            result.divergences,
        )

    @property
    def n(self) -> int:
        """Draws kept of each chain."""
        return int(self.values.shape[2])

    @property
    def steps(self) -> int:
        """Steps of each chain so far, warm-up included."""
        return int(self.warmup.shape[2]) + self.n

    @property
    def chains(self) -> int:
        """Number of chains."""
        return int(self.values.shape[1])

    def quantity(self, name: str) -> tuple[Singles, Singles]:
        """Warm-up and draws of ``logit``, ``|s|²`` or ``s_17``; dimensions have no warm-up."""
        if name in ("logit", "|s|²"):
            place = 0 if name == "logit" else 1
            return self.warmup[place], self.values[place]
        one = self.points[:, :, int(name.removeprefix("s_"))]
        return np.empty((self.chains, 0), np.float32), one

    def rhat_path(self, name: str) -> tuple[list[int], list[float]]:
        """R-hat of the first so many draws, at even steps, and as it was last diagnosed."""
        step = 4 * FEWEST
        while self.n > PATH * step:  # twice as far apart: those places are known already
            step *= 2
        found = {end: self._rhat(name, end) for end in range(step, self.n + 1, step)}
        if found and self.diagnostics is not None and name in self.diagnostics.names:
            found.setdefault(self.diagnostics.draws, self.diagnostics.of(name)["rhat"])
        pairs = [(end, found[end]) for end in sorted(found) if math.isfinite(found[end])]
        return [end for end, _ in pairs], [rhat for _, rhat in pairs]

    def _rhat(self, name: str, end: int) -> float:
        if (name, end) not in self.rhats:
            values = self.quantity(name)[1][:, :end]
            self.rhats[name, end] = summarise(values, 1).rhat
        return self.rhats[name, end]
