"""Distances of known truth, simulated from each distance model, and what its intervals cover."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.distance_parameters import Model, Priors, contrast_draws
from biaslab.probes.association.distances import DistanceTable
from biaslab.probes.association.exact_engine import fit
from biaslab.probes.association.lists import CONNECTIONS, KIND_OF
from biaslab.stats.chains import hpdi
from biaslab.stats.crossed.layout import Layout, Moments

Floats = NDArray[np.float64]
LEVEL = 0.89
EFFECTS = np.array([-0.15, -0.10, -0.07, -0.03])
SIGMA = {"pooled": 0.183, "per-word": 0.18}
ByKind = tuple[float, float, float]


@dataclass(frozen=True)
class Design:
    """Words of a table, and the spreads of the crossed truth.

    Those of attribute words and of single distances are by kind: stereotypes, human and neutral
    words.
    """

    name: str
    groups: int
    words: int
    stereotypes: tuple[int, ...]
    controls: tuple[int, int]
    word: float = 0.03
    slope: float = 0.08
    attribute: ByKind = (0.137, 0.137, 0.137)
    pairing: float = 0.03
    sigma: ByKind = (0.118, 0.118, 0.118)

    def layout(self) -> Layout:
        """The table's layout, every protected word by every attribute word."""
        groups = np.repeat(np.arange(self.groups), self.words)
        own = np.repeat(np.arange(self.groups), self.stereotypes)
        lists = np.where(own[None, :] == groups[:, None], 0, 1)
        controls = np.repeat([2, 3], self.controls)
        connection = np.hstack([lists, np.tile(controls, (len(groups), 1))]).astype(np.int8)
        return Layout.of(connection, groups, KIND_OF)

    @property
    def connections(self) -> tuple[str, ...]:
        """Connection types that have distances."""
        return CONNECTIONS if sum(self.controls) else CONNECTIONS[:2]


RELIGION = Design("15 x 280 words", 3, 5, (4, 3, 4), (27, 242))
WEAT = Design("16 x 16 words, no controls", 2, 8, (8, 8), (0, 0))
_LISTS = (3, 5, (5, 5, 5), (27, 150))
GENDER = Design(
    "15 x 192 words, spreads of gender on GoogleNews",
    *_LISTS,
    word=0.024,
    slope=0.034,
    attribute=(0.075, 0.034, 0.045),
    sigma=(0.046, 0.046, 0.046),
)
RACE = Design(
    "15 x 192 words, spreads of race on GoogleNews",
    *_LISTS,
    word=0.03,
    slope=0.04,
    attribute=(0.085, 0.024, 0.072),
    sigma=(0.055, 0.045, 0.06),
)
RACE_REDDIT = Design(
    "15 x 192 words, spreads of race on Reddit",
    *_LISTS,
    word=0.03,
    slope=0.08,
    attribute=(0.173, 0.057, 0.133),
    sigma=(0.118, 0.1, 0.13),
)


def small_table(seed: int = 1) -> DistanceTable:
    """Two groups of three words, two stereotypes each, four neutral words; one pair is missing."""
    rng = np.random.default_rng(seed)
    of = np.repeat([0, 1], 3)
    own = np.repeat([0, 1], 2)
    lists = np.where(own[None] == of[:, None], 0, 1)
    connection = np.hstack([lists, np.full((6, 4), 3)]).astype(np.int8)
    cells = 1 - 0.3 * (connection == 0) - 0.1 * (connection == 1)
    distance = cells + 0.1 * rng.standard_normal(8) + 0.1 * rng.standard_normal((1, 6, 8))
    connection[0, 7], distance[0, 0, 7] = -1, np.nan
    return DistanceTable(
        words=tuple(f"w{i}" for i in range(6)),
        groups=tuple("ab"[g] for g in of),
        attributes=tuple(f"x{j}" for j in range(8)),
        lists=("a", "a", "b", "b", *("neutral",) * 4),
        connection=connection,
        distance=distance,
    )


def simulate(
    design: Design, layout: Layout, truth: Model, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Distances, shape (I, J), and the true contrasts with ``associated``."""
    i, j = layout.connection.shape
    normal = rng.standard_normal
    place = layout.connection
    crossed = truth not in SIGMA
    if crossed:
        cells = 1 + EFFECTS + design.word * normal((i, 1)) + design.slope * normal((i, 4))
        true = EFFECTS
    elif truth == "pooled":
        cells = 1 + EFFECTS + 0.05 * normal((i, 1))
        true = EFFECTS
    else:
        cells = 1 + EFFECTS + 0.05 * normal((i, 1)) + 0.08 * normal((i, 4))
        true = cells.mean(axis=0)
    distance = np.take_along_axis(cells, place.astype(np.intp), axis=1)
    kinds = layout.kind_of[place]
    sigma = np.array(design.sigma)[kinds] if crossed else SIGMA[truth]
    distance = distance + sigma * normal((i, j))
    if crossed:
        distance += np.array(design.attribute)[kinds.min(axis=0)] * normal(j)
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
    # All models meet the same data, however they draw.
    data = np.random.default_rng([seed, design.words, len(truth)])
    layout, priors = design.layout(), Priors()
    first = len(design.connections) - 1
    held = np.zeros((simulations, first))
    start = None
    for s in range(simulations):
        distance, true = simulate(design, layout, truth, data)
        found = fit(
            layout,
            Moments.of(layout, distance - priors.word_mean),
            model,
            priors,
            draws,
            (seed, design.words, len(truth), len(model), s),
            start=start,
        )
        start = found.mode
        drawn = contrast_draws(found.draws, model, design.connections)[:, :first]
        ends = hpdi(drawn, LEVEL)
        held[s] = (ends[:, 0] <= true) & (true <= ends[:, 1])
    return np.asarray(held.mean(axis=0))
