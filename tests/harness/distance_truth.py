"""Distances of known truth, simulated from each distance model, and what its intervals cover."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.distance_contrasts import contrast_draws
from biaslab.probes.association.exact_engine import Model, fit
from biaslab.probes.association.lists import CONNECTIONS
from biaslab.probes.association.priors import Priors
from biaslab.stats.crossed_layout import Layout
from biaslab.stats.hpdi import hpdi

Floats = NDArray[np.float64]
LEVEL = 0.89
EFFECTS = np.array([-0.15, -0.10, -0.07, -0.03])
SIGMA = {"crossed": 0.118, "pooled": 0.183, "per-word": 0.18}


@dataclass(frozen=True)
class Design:
    """Words of a table, and the spreads of the crossed truth."""

    name: str
    groups: int
    words: int
    stereotypes: tuple[int, ...]
    controls: tuple[int, int]
    word: float = 0.03
    slope: float = 0.08
    attribute: float = 0.137
    pairing: float = 0.03

    def layout(self) -> Layout:
        """The table's layout, every protected word by every attribute word."""
        groups = np.repeat(np.arange(self.groups), self.words)
        own = np.repeat(np.arange(self.groups), self.stereotypes)
        lists = np.where(own[None, :] == groups[:, None], 0, 1)
        controls = np.repeat([2, 3], self.controls)
        connection = np.hstack([lists, np.tile(controls, (len(groups), 1))]).astype(np.int8)
        return Layout.of(connection, groups, len(CONNECTIONS))

    @property
    def connections(self) -> tuple[str, ...]:
        """Connection types that have distances."""
        return CONNECTIONS if sum(self.controls) else CONNECTIONS[:2]


RELIGION = Design("15 x 280 words", 3, 5, (4, 3, 4), (27, 242))
WEAT = Design("16 x 16 words, no controls", 2, 8, (8, 8), (0, 0))


def simulate(
    design: Design, layout: Layout, truth: Model, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Distances, shape (I, J), and the true contrasts with ``associated``."""
    i, j = layout.connection.shape
    normal = rng.standard_normal
    place = layout.connection
    if truth == "crossed":
        cells = 1 + EFFECTS + design.word * normal((i, 1)) + design.slope * normal((i, 4))
        true = EFFECTS
    elif truth == "pooled":
        cells = 1 + EFFECTS + 0.05 * normal((i, 1))
        true = EFFECTS
    else:
        cells = 1 + EFFECTS + 0.05 * normal((i, 1)) + 0.08 * normal((i, 4))
        true = cells.mean(axis=0)
    distance = np.take_along_axis(cells, place.astype(np.intp), axis=1)
    distance = distance + SIGMA[truth] * normal((i, j))
    if truth == "crossed":
        distance += design.attribute * normal(j)
        group = layout.group_of_class[layout.class_of]
        varies = np.ptp(place, axis=0) > 0
        distance += design.pairing * normal((layout.n_groups, j))[group] * varies
    return distance, (true - true[0])[1 : len(design.connections)]


def coverage(
    design: Design,
    truth: Model,
    model: Model,
    simulations: int,
    *,
    draws: int = 1000,
    seed: int = 1,
) -> Floats:
    """Share of intervals that hold the true contrast with ``associated``, one per other type."""
    rng = np.random.default_rng([seed, design.words, len(truth), len(model)])
    layout, priors = design.layout(), Priors()
    first = len(design.connections) - 1
    held = np.zeros((simulations, first))
    start = None
    for s in range(simulations):
        distance, true = simulate(design, layout, truth, rng)
        found = fit(
            layout,
            distance,
            model,
            priors,
            draws,
            rng,
            start=start,
            cells=model == "per-word",
        )
        start = found.mode
        drawn = contrast_draws(found.draws, model, design.connections)[:, :first]
        ends = hpdi(drawn, LEVEL)
        held[s] = (ends[:, 0] <= true) & (true <= ends[:, 1])
    return np.asarray(held.mean(axis=0))
