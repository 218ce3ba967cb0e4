"""What the posterior bench knows of a run while it goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.posterior import (
    Diagnostics,
    LiveDraws,
    PosteriorOverview,
    PosteriorResult,
    diagnose,
)
from biaslab.stats.chains import FEWEST
from biaslab_widgets.benches.posterior.drawn import Drawn

LOOK_S = 0.5
"""Seconds between two diagnoses of all draws so far, or more:"""
REST = 4.0
"""so many times what the last one took, so that answers in between are quick."""


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


class Series:
    """Draws of one label so far, in arrays that have room for all of them.

    Parameters
    ----------
    first : LiveDraws
        The first that came.
    draws : int
        Of each chain in all, without the warm-up.
    dim : int
    """

    def __init__(self, first: LiveDraws, draws: int, dim: int) -> None:
        self.latest = first
        self._warmup = first.total - draws
        self._both = np.empty((2, first.chains, first.total), np.float32)
        self._points = np.empty((first.chains, draws, dim), np.float32)
        self._rhats: dict[tuple[str, int], float] = {}

    def add(self, live: LiveDraws) -> None:
        """Take what is new."""
        steps = slice(live.done - live.logit.shape[1], live.done)
        self._both[0, :, steps], self._both[1, :, steps] = live.logit, live.square
        if live.stage == "sampling":
            self._points[:, steps.start - self._warmup : live.done - self._warmup] = live.points
        self.latest = live

    def drawn(self, label: str) -> Drawn:
        """The draws so far, without a copy: the recorder never changes a recorded step."""
        live = self.latest
        warm, kept = min(live.done, self._warmup), max(live.done - self._warmup, 0)
        return Drawn(
            label,
            self._both[:, :, :warm],
            self._both[:, :, self._warmup : self._warmup + kept],
            self._points[:, :kept],
            acceptance=live.acceptance,
            divergences=live.divergences,
            rhats=self._rhats,
        )


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
        self._series: dict[str, Series] = {}
        self._current = labels[0]
        self._looked: dict[str, tuple[int, float, Diagnostics | None]] = {}

    def add(self, label: str, live: LiveDraws) -> None:
        """Take a label's new draws, in the sampler's thread."""
        with self._lock:
            if label not in self._series:
                self._series[label] = Series(live, self.settings.draws, self.dim)
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
            latest = {label: series.latest for label, series in self._series.items()}
        if not latest:
            return "preparing", 0, 0
        done, total = sum(one.done for one in latest.values()), next(iter(latest.values())).total
        every = total * len(self.labels)
        return "reading" if done >= every else latest[self._current].stage, done, every

    def drawn(self, label: str) -> dict[str, Drawn]:
        """What there is of every label; diagnosed of one, if the last look was long enough ago."""
        with self._lock:
            made = {name: self._series[name].drawn(name) for name in self._series}
        for name in self.labels:
            made.setdefault(name, _nothing(name, self.dim))
        if label in made:
            made[label] = self._diagnosed(made[label])
        return made

    def _diagnosed(self, made: Drawn) -> Drawn:
        n, began = made.n, time.perf_counter()
        seen, again, found = self._looked.get(made.label, (0, 0.0, None))
        if n >= FEWEST and n != seen and began > again:
            found = diagnose(made.points, made.values[0], made.values[1], quick=True)
            ended = time.perf_counter()
            self._looked[made.label] = n, ended + max(LOOK_S, REST * (ended - began)), found
        return replace(made, diagnostics=found)


def _nothing(label: str, dim: int) -> Drawn:
    none = np.empty((2, 1, 0), np.float32)
    return Drawn(label, none, none, np.empty((1, 0, dim), np.float32))
