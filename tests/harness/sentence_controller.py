"""A sentence bench's controller, driven as a front end does, without a host."""

from __future__ import annotations

from typing import Any

import biaslab as bl
from biaslab.probes.sentences.simulated_scorer import SimulatedScorer
from biaslab_widgets.benches.sentences.bench import SentenceController
from biaslab_widgets.benches.sentences.subjects import model_sources
from harness.driven import Driven

LISTS = [
    {"name": "male", "kind": "groups", "terms": ["man", "brother", "boy"]},
    {"name": "female", "kind": "groups", "terms": ["woman", "sister", "girl"]},
    {"name": "math", "kind": "attributes", "terms": ["algebra", "geometry"], "of": ["male"]},
    {"name": "arts", "kind": "attributes", "terms": ["poetry", "dance"], "of": ["female"]},
]


class Named(SimulatedScorer):
    """A simulated scorer with a name of its own, so that several stand side by side."""

    def __init__(self, name: str, rate: float = 0.7, **options: Any) -> None:
        made = bl.observers.scorer(rate, **options)
        self.__dict__.update(made.__dict__)
        self.name = name


class Bench(Driven):
    """A controller, and what it has emitted.

    Parameters
    ----------
    models
        As of the bench; by default one simulated scorer.
    spec
        As of the bench; by default two small groups and four attributes.
    sentences
        As of the bench.
    """

    def __init__(self, models: Any = None, spec: Any = LISTS, sentences: Any = None) -> None:
        given = bl.observers.scorer(0.7) if models is None else models
        super().__init__(
            lambda emit: SentenceController(model_sources(given), emit, spec, sentences)
        )

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """The pairs on the screen."""
        found: list[dict[str, Any]] = self.state["sentences"]["pairs"]
        return found

    @property
    def rejected(self) -> list[dict[str, Any]]:
        """What is not used."""
        found: list[dict[str, Any]] = self.state["sentences"]["rejected"]
        return found

    def tested(self, **values: Any) -> dict[str, Any]:
        """The picture once everything was tested."""
        self.answer(**{"step": 3, **values})
        self.controller.test().wait()
        number = self.controller._tests.count
        return self.until(lambda p: p["run"]["number"] == number and not p["run"]["running"])
