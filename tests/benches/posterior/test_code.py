"""Code copied from the posterior bench makes the result on the screen."""

from __future__ import annotations

import pytest

import biaslab as bl
from biaslab_widgets.benches.posterior.bench import PosteriorController
from biaslab_widgets.core.sources import classifier_sources
from harness.copied_code import copied, result_of
from harness.emitted import Emitted
from harness.needs import needs

pytestmark = needs("torch", "pyro")

LISTS = [
    {"name": "female", "terms": ["she", "woman"], "kind": "groups"},
    {"name": "male", "terms": ["he", "man"], "kind": "groups"},
]


@pytest.fixture
def bench() -> PosteriorController:
    made = PosteriorController(classifier_sources(bl.load("imdb-sentiment")), Emitted(), LISTS)
    made.change({"engine": "exact", "chains": 8, "draws": 50})
    made.start().wait()
    return made


def test_the_code_makes_the_result_on_the_screen(bench: PosteriorController) -> None:
    code = copied(bench)
    assert "hook" not in code
    assert result_of(code) == bench.result
