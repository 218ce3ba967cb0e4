"""Coverage of the distance models' nominal 89 % intervals of contrasts.

Tables are simulated from each model with known truth and refitted by the exact engine; the share
of simulations is counted in which the interval holds the truth, by contrast with *associated*.
Two sizes: that of the religion data of "A Bayesian method of cosine-based word2vec bias estimation"
(3 groups of 5 words, 11 stereotypes, 27 human and 242 neutral controls) with its spreads, and
WEAT's (2 groups of 8 words, 8 + 8 stereotypes, no controls).
Then the paper's model where the crossed one is true: what taking distances as independent costs.
Last the spreads of the authors' other tables, where stereotypes, human and neutral words differ:
what one SD for all kinds of words costs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.findings import Figure, Findings, judged, within
from biaslab.probes.association.distance_parameters import Model
from harness.distance_truth import GENDER, RACE, RACE_REDDIT, RELIGION, WEAT, Design, coverage

Floats = NDArray[np.float64]
SIMULATIONS, DRAWS = 2_000, 2_000
GOAL = within(0.87, 0.91)
MODELS: tuple[Model, ...] = ("pooled", "per-word", "crossed")
INDEPENDENT: tuple[Model, ...] = ("pooled", "per-word")
OF_KINDS: tuple[Model, ...] = ("crossed", "crossed-equal")


def measure() -> Findings:
    """Simulate every model's own truth, and the crossed truth for the paper's model."""
    figures = []
    for design in (RELIGION, WEAT):
        for model in MODELS:
            shares = coverage(design, model, model, SIMULATIONS, draws=DRAWS)
            figures.append(_figure(f"{model}, its own truth, {design.name}", design, shares, True))
        for model in INDEPENDENT:
            shares = coverage(design, "crossed", model, SIMULATIONS, draws=DRAWS, seed=2)
            figures.append(
                _figure(f"{model} where crossed is true, {design.name}", design, shares, False)
            )
    for design in (GENDER, RACE, RACE_REDDIT):
        for fitted in OF_KINDS:
            shares = coverage(design, "crossed", fitted, SIMULATIONS, draws=DRAWS, seed=3)
            goal = fitted == "crossed"
            figures.append(_figure(f"{fitted}, {design.name}", design, shares, goal))
    return Findings(
        tuple(figures),
        ("The paper's two models cover far less than they say where attribute words differ.",),
    )


def _figure(name: str, design: Design, shares: Floats, goal: bool) -> Figure:
    words = ", ".join(
        f"{of} − associated {share:.1%}"
        for of, share in zip(design.connections[1:], shares, strict=True)
    )
    return Figure(name, words, *judged(GOAL if goal else None, *shares))
