"""A run of the posterior bench: its draws, how it goes on, and what is shown of it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from biaslab.jobs.memory import Held
from biaslab.probes.posterior import (
    Diagnostics,
    LiveDraws,
    NearestReviews,
    PosteriorOverview,
    PosteriorResult,
    diagnose,
)
from biaslab.probes.posterior.overview_result import Located
from biaslab.probes.posterior.size import bytes_of_draws
from biaslab.stats.chains import FEWEST, summarise
from biaslab.subjects.classifier.base import Classifier
from biaslab_widgets.benches.posterior.fields import PriorOption

Singles = NDArray[np.float32]
PATH = 12
"""At most so many places at which R-hat is shown as the draws came in."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Draws of one label.

    - `warmup`, ndarray, shape (2, chains, w): logit and |s|² of the warm-up.
    - `values`, ndarray, shape (2, chains, n): the same of the draws kept.
    - `points`: ndarray, shape (chains, n, d): one of `every` draws.
    - `diagnostics`: None while there are too few draws.
    - `rhats`: r-hat of a quantity's first so many draws, once it was asked for. More draws do not
      change it: all that is drawn of a label shares one.
    """

    label: str
    warmup: Singles
    values: Singles
    points: Singles
    diagnostics: Diagnostics | None = None
    acceptance: float = math.nan
    divergences: int = 0
    rhats: MutableMapping[tuple[str, int], float] = field(default_factory=dict)
    every: int = 1

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
            every=result.thinned,
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
        every = self._every(name)
        step = 4 * FEWEST * every
        while self.n > PATH * step:  # twice as far apart: those places are known already
            step *= 2
        rhats = {end: self._rhat(name, end, every) for end in range(step, self.n + 1, step)}
        if rhats and self.diagnostics is not None and name in self.diagnostics.names:
            rhats.setdefault(self.diagnostics.draws, self.diagnostics.of(name)["rhat"])
        pairs = [(end, rhats[end]) for end in sorted(rhats) if math.isfinite(rhats[end])]
        return [end for end, _ in pairs], [rhat for _, rhat in pairs]

    def _every(self, name: str) -> int:
        return self.every if name.startswith("s_") else 1

    def _rhat(self, name: str, end: int, every: int) -> float:
        if (name, end) not in self.rhats:
            values = self.quantity(name)[1][:, : -(-end // every)]
            self.rhats[name, end] = summarise(values, 1).rhat
        return self.rhats[name, end]


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


LIVE_BYTES = 32 * 2**20
"""Of one label's draws that are looked at while a run goes on: of more, one of so many is kept."""


class Series:
    """Draws of one label so far, in arrays that have room for all that are kept.

    - `first`: the first that came.
    - `draws`: of each chain in all, without the warm-up.
    """

    def __init__(self, first: LiveDraws, draws: int, dim: int) -> None:
        self.latest = first
        self._warmup = first.total - draws
        self._both = np.empty((2, first.chains, first.total), np.float32)
        self._every = math.ceil(bytes_of_draws(first.chains, draws, dim) / LIVE_BYTES)
        kept = math.ceil(draws / self._every)
        self._points = np.empty((first.chains, kept, dim), np.float32)
        self._rhats: dict[tuple[str, int], float] = {}

    def add(self, live: LiveDraws) -> None:
        """Take what is new."""
        steps = slice(live.done - live.logit.shape[1], live.done)
        self._both[0, :, steps], self._both[1, :, steps] = live.logit, live.square
        if live.stage == "sampling":
            begin, every = steps.start - self._warmup, self._every
            points = live.points[:, -begin % every :: every]
            at = -(-begin // every)
            self._points[:, at : at + points.shape[1]] = points
        self.latest = live

    def drawn(self, label: str) -> Drawn:
        """The draws so far, without a copy: the recorder never changes a recorded step."""
        live = self.latest
        warm, kept = min(live.done, self._warmup), max(live.done - self._warmup, 0)
        return Drawn(
            label,
            self._both[:, :, :warm],
            self._both[:, :, self._warmup : self._warmup + kept],
            self._points[:, : -(-kept // self._every)],
            acceptance=live.acceptance,
            divergences=live.divergences,
            rhats=self._rhats,
            every=self._every,
        )


class LiveRun:
    """A run that goes on: fed by the sampler's thread, looked at by the live worker.

    - `number`: counts runs of a bench.
    - `labels`: in the order in which they are drawn.
    - `memory`: what the server holds for it, and then for its result.
    """

    def __init__(
        self, number: int, settings: Settings, labels: tuple[str, ...], dim: int, memory: Held
    ) -> None:
        self.number, self.settings, self.labels, self.dim = number, settings, labels, dim
        self.memory = memory
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

    def forget(self) -> None:
        """Let go of the draws: those of the result are shown from now on."""
        with self._lock:
            self._series.clear()

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
        seen, again, diagnosis = self._looked.get(made.label, (0, 0.0, None))
        if n >= FEWEST and n != seen and began > again:
            diagnosis = diagnose(made.points, made.values[0], made.values[1], quick=True)
            diagnosis = replace(diagnosis, draws=n)  # of dimensions, thinned ones stand for all
            ended = time.perf_counter()
            self._looked[made.label] = n, ended + max(LOOK_S, REST * (ended - began)), diagnosis
        return replace(made, diagnostics=diagnosis)


def _nothing(label: str, dim: int) -> Drawn:
    none = np.empty((2, 1, 0), np.float32)
    return Drawn(label, none, none, np.empty((1, 0, dim), np.float32))


@dataclass(frozen=True)
class Shown:
    """A run that goes on, or the last one.

    - `label`: the label shown.
    - `number`: of the run.
    - `version`: counts results, and what is read off them.
    - `run`: while it goes on.
    - `overview`: once it has ended.
    - `draws`: what there is of each label.
    - `settings`: of the run.
    - `stale`: whether the settings on the screen are others by now.
    - `located`: the picked word.
    - `word_reason`: why it is not there.
    """

    subject: Classifier
    label: str
    number: int
    version: int
    run: LiveRun | None
    overview: PosteriorOverview | None
    draws: Mapping[str, Drawn]
    settings: Settings
    stale: bool
    prior: PriorOption
    located: Located | None
    word_reason: str
    near: NearestReviews | None
    near_reason: str

    @property
    def drawn(self) -> Drawn | None:
        """What there is of the label shown."""
        return self.draws.get(self.label)

    @property
    def has_draws(self) -> bool:
        """Whether the run has ended, with draws of the label."""
        return self.overview is not None and self.label in self.overview.posteriors

    @property
    def partial(self) -> bool:
        """Whether it was stopped, or failed, before it had all draws."""
        return self.overview is not None and self.overview.partial
