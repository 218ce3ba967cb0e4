"""Benches of decisions that end with their test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.planted_decider import PlantedDecider
from harness.scenarios.decisions import Bench, Make


@pytest.fixture
def made() -> Iterator[Make]:
    """Make a bench that has answered once, of these deciders."""
    benches: list[Bench] = []

    def make(*deciders: PlantedDecider) -> Bench:
        benches.append(Bench(*deciders))
        benches[-1].answer()
        return benches[-1]

    yield make
    for one in benches:
        one.controller.close()


@pytest.fixture(scope="module")
def done() -> Iterator[Bench]:
    """A bench after a run at fixed levels; tests set back what they change."""
    made = Bench()
    made.answer()
    made.run(method="fixed")
    made.settle()
    yield made
    made.controller.close()
