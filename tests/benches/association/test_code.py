"""Code copied from the association bench makes what is on the screen."""

from __future__ import annotations

from typing import Any

import pytest

import biaslab as bl
from biaslab_widgets.benches.association.bench import AssociationController
from biaslab_widgets.core.sources import sources
from harness.copied_code import copied, result_of
from harness.emitted import Emitted

LISTS = [
    {"name": "female", "terms": ["she", "woman"], "kind": "groups"},
    {"name": "male", "terms": ["he", "man"], "kind": "groups"},
    {"name": "arts", "terms": ["dance", "poetry"], "kind": "attributes", "of": ["female"]},
    {"name": "science", "terms": ["physics", "science"], "kind": "attributes", "of": ["male"]},
]


@pytest.mark.parametrize(
    "values",
    [{"replicate": -1}, {"replicate": 2, "model": "pooled"}, {"shown": "simulation"}],
)
def test_the_code_makes_what_is_on_the_screen(values: dict[str, Any]) -> None:
    bench = AssociationController(sources(bl.load("wiki-bootstraps")), Emitted(), LISTS)
    bench.change(values)
    assert result_of(copied(bench)) == bench.to_take()[0]
