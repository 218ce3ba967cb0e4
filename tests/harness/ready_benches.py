"""A controller of each bench over a small subject that is known, before and after a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import biaslab as bl
from biaslab.images import drawn_images
from biaslab.probes.images.simulated_vision import vision
from biaslab_widgets.benches.association.bench import AssociationController
from biaslab_widgets.benches.decisions.bench import DecisionController
from biaslab_widgets.benches.decisions.subjects import decider_sources
from biaslab_widgets.benches.occupations.bench import OccupationsController
from biaslab_widgets.benches.opinion.bench import OpinionController
from biaslab_widgets.benches.opinion.files import answer_sources
from biaslab_widgets.benches.posterior.bench import PosteriorController
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.word_lists.bench import WordListController
from biaslab_widgets.core.subjects.sources import classifier_sources, sources
from harness import image_controller, rating_controller, sentence_controller
from harness.driven import Driven
from harness.emitted import PAIRS, PSE, observers

LISTS = [
    {"name": "female", "terms": ["she", "woman"], "kind": "groups"},
    {"name": "male", "terms": ["he", "man"], "kind": "groups"},
    {"name": "arts", "terms": ["dance", "poetry"], "kind": "attributes", "of": ["female"]},
    {"name": "science", "terms": ["physics", "science"], "kind": "attributes", "of": ["male"]},
]
GROUPS = {"female": [a for a, _ in PAIRS], "male": [b for _, b in PAIRS]}


def images() -> image_controller.Bench:
    """An image bench with three drawn portraits of each term."""
    model = vision(image_controller.RATES, lists=image_controller.CONCEPTS, seed=1)
    drawn = drawn_images(image_controller.TERMS, per_term=3)
    return image_controller.Bench(model, image_controller.LISTS, drawn)


NEW: dict[str, Callable[[], Any]] = {
    "association": lambda: Driven(
        lambda e: AssociationController(sources(bl.load("wiki-bootstraps")), e, LISTS)
    ),
    "decisions": lambda: Driven(
        lambda e: DecisionController(decider_sources(bl.observers.decider(pse=6, gap=2.0)), e)
    ),
    "images": images,
    "occupations": lambda: Driven(
        lambda e: OccupationsController(sources(observers()), e, list(PSE), GROUPS)
    ),
    "opinion": lambda: Driven(lambda e: OpinionController(answer_sources(), e)),
    "posterior": lambda: Driven(
        lambda e: PosteriorController(classifier_sources(bl.load("imdb-sentiment")), e, LISTS[:2])
    ),
    "psychometric": lambda: Driven(lambda e: PsychometricController(sources(observers()), e)),
    "rating": rating_controller.Bench,
    "sentences": sentence_controller.Bench,
    "word_lists": lambda: Driven(lambda e: WordListController(sources(observers()), e)),
}
"""Benches by name, which have not been asked anything."""


def with_result(name: str, **inputs: Any) -> Any:
    """A bench that has a result after these inputs; the smallest run where one is needed."""
    bench = NEW[name]()
    controller: Any = bench.controller
    match name:
        case "images" | "sentences":
            bench.tested(**inputs)
        case "rating":
            bench.rated(service="simulated translator", texts=8)
            bench.answer(**inputs)
        case "decisions":
            controller.change({"method": "fixed", **inputs})
            controller.start(120).wait()
        case "posterior":
            controller.change({"engine": "exact", "chains": 8, "draws": 50, **inputs})
            controller.start().wait()
        case "psychometric":
            controller.change({"word": next(iter(PSE)), **inputs})
        case _:
            controller.change(inputs)
    return bench
