"""What the posterior bench knows of a run while it goes on."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.posterior import (
    Diagnostics,
    LiveDraws,
    PosteriorOverview,
    PosteriorResult,
    diagnose,
)
from biaslab.stats.chains import FEWEST, summarise

Singles = NDArray[np.float32]
LOOK_S = 0.5
"""Seconds between two diagnoses of all draws so far."""
PATH = 12
"""Places at which R-hat is shown as the draws came in."""


@dataclass(frozen=True)
class Settings:
    """What a run was started with; two runs with the same are the same."""

    subject: str
    prior: str
    width: float
    engine: str
    chains: int
    draws: int
    seed: int


@dataclass(eq=False)
class Series:
    """Draws of one label so far."""

    chains: int = 0
    warm: list[tuple[Singles, Singles]] = field(default_factory=list)
    kept: list[tuple[Singles, Singles]] = field(default_factory=list)
    points: list[Singles] = field(default_factory=list)
    latest: LiveDraws | None = None

    def add(self, live: LiveDraws) -> None:
        """Take what is new."""
        self.chains = live.chains
        if live.stage == "warm-up":
            self.warm.append((live.logit, live.square))
        else:
            self.kept.append((live.logit, live.square))
            self.points.append(live.points)
        self.latest = live


@dataclass(frozen=True, eq=False)
class Drawn:
    """Draws of one label, of a run that goes on or has ended.

    Attributes
    ----------
    warmup : ndarray, shape (2, chains, w)
        Logit and |s|² of the warm-up.
    values : ndarray, shape (2, chains, n)
        The same of the draws kept.
    points : ndarray, shape (chains, n, d)
    diagnostics : Diagnostics or None
        None while there are too few draws.
    """

    label: str
    warmup: Singles
    values: Singles
    points: Singles
    diagnostics: Diagnostics | None
    acceptance: float
    divergences: int

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
        """R-hat of the first so many draws, at up to `PATH` places."""
        values = self.quantity(name)[1]
        if self.n < 4 * FEWEST:
            return [], []
        ends = np.unique(np.linspace(4 * FEWEST, self.n, PATH).round().astype(int))
        found = [summarise(values[:, :end], 1).rhat for end in ends]
        pairs = [(int(e), float(r)) for e, r in zip(ends, found, strict=True) if np.isfinite(r)]
        return [e for e, _ in pairs], [r for _, r in pairs]


class LiveRun:
    """A run that goes on: fed by the sampler's thread, looked at by the live worker.

    Parameters
    ----------
    number : int
        Counts runs of a bench.
    settings : Settings
    labels : tuple of str
        In the order in which they are drawn.
    dim : int
    """

    def __init__(self, number: int, settings: Settings, labels: tuple[str, ...], dim: int) -> None:
        self.number, self.settings, self.labels, self.dim = number, settings, labels, dim
        self.start: PosteriorOverview | None = None
        self.oracles: Mapping[str, PosteriorResult] = {}
        self.plane: tuple[object, NDArray[np.float64], NDArray[np.float64]] | None = None
        self.began = time.perf_counter()
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._series = {label: Series() for label in labels}
        self._current = labels[0]
        self._looked: dict[str, tuple[int, float, Diagnostics | None]] = {}

    def add(self, label: str, live: LiveDraws) -> None:
        """Take a label's new draws, in the sampler's thread."""
        with self._lock:
            self._series[label].add(live)
            self._current = label

    @property
    def seconds(self) -> float:
        """Since it was started."""
        return time.perf_counter() - self.began

    @property
    def current(self) -> str:
        """The label that is being drawn."""
        return self._current

    def progress(self) -> tuple[str, int, int]:
        """What it is doing, and how many steps of how many are done, over all labels."""
        with self._lock:
            latest = [self._series[label].latest for label in self.labels]
        steps = [0 if one is None else one.done for one in latest]
        total = max((one.total for one in latest if one is not None), default=0)
        doing = self._series[self._current].latest
        if doing is None:
            return "preparing", 0, 0
        if all(total and done >= total for done in steps):
            return "reading", sum(steps), total * len(self.labels)
        return doing.stage, sum(steps), total * len(self.labels)

    def drawn(self, label: str) -> Drawn:
        """What there is of a label; diagnosed anew at most every `LOOK_S` seconds."""
        with self._lock:
            series = self._series[label]
            warm, kept, points = list(series.warm), list(series.kept), list(series.points)
            latest, chains = series.latest, max(series.chains, 1)
        values = _joined(kept, chains)
        made = Drawn(
            label,
            _joined(warm, chains),
            values,
            np.concatenate(points, axis=1) if points else np.empty((chains, 0, self.dim), "f4"),
            None,
            math.nan if latest is None else latest.acceptance,
            0 if latest is None else latest.divergences,
        )
        found = self._diagnosed(made)
        return Drawn(**{**vars(made), "diagnostics": found})

    def _diagnosed(self, made: Drawn) -> Diagnostics | None:
        n, now = made.n, time.perf_counter()
        seen, when, found = self._looked.get(made.label, (0, -math.inf, None))
        if n >= FEWEST and n != seen and now - when > LOOK_S:
            found = diagnose(made.points, made.values[0], made.values[1], quick=True)
            self._looked[made.label] = (n, time.perf_counter(), found)
        return found


def _joined(parts: list[tuple[Singles, Singles]], chains: int) -> Singles:
    if not parts:
        return np.empty((2, chains, 0), np.float32)
    return np.stack([np.concatenate([p[i] for p in parts], axis=1) for i in (0, 1)])
