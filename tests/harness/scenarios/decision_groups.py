"""Scenarios of the decision bench: four groups, and a subject that always says yes."""

from __future__ import annotations

from typing import Any

from harness.planted_decider import PlantedDecider
from harness.recording import Scenarios
from harness.scenarios.decisions import FEW, Bench

CROSSED: dict[str, Any] = {"case": "hire-by-origin-and-gender", "method": "fixed"}
POINTS = (6.0, 7.0, 8.0, 9.0)
"""Years of each group of the crossed case: 2 by origin, 1 by gender."""


def crossed() -> Bench:
    """A bench over a decider of four groups that cross two traits."""
    return Bench(PlantedDecider(POINTS, case=CROSSED["case"]))


def record() -> Scenarios:
    """A run about crossed groups, and one whose answers are all alike."""
    told: Scenarios = {}
    for scenario, bench, trials, inputs in (
        ("crossed groups", crossed(), 2 * FEW, CROSSED),
        ("always yes", Bench(PlantedDecider((-60.0, -60.0), refusals=0.0)), 36,
         {"method": "fixed"}),
    ):  # fmt: skip
        try:
            bench.answer()
            bench.run(trials, **inputs)
            bench.settle()
            told[scenario] = bench.state
        finally:
            bench.controller.close()
    return told
