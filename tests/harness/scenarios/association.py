"""Scenarios of the association bench: religions in an ensemble that holds their stereotypes."""

from __future__ import annotations

from typing import Any

import numpy as np

import biaslab as bl
from biaslab_widgets.benches.association.bench import AssociationController
from biaslab_widgets.core.subjects.sources import sources
from harness.driven import Driven
from harness.recording import Scenarios

GROUPS = {
    "Judaism": ["judaism", "jew", "synagogue", "torah", "rabbi"],
    "Christianity": ["christianity", "christian", "church", "bible", "priest"],
    "Islam": ["islam", "muslim", "mosque", "quran", "imam"],
}
STEREOTYPES = {
    "Judaism": ["greedy", "cheap", "hairy"],
    "Christianity": ["judgemental", "conservative", "familial"],
    "Islam": ["violent", "terrorist", "dirty"],
}
CONTROLS = {
    "human": ["wear", "walk", "talk", "toy", "eat"],
    "neutral": ["ballpark", "dallas", "rip", "called"],
}
ADDED = "kosher"
HTML = "<img src=x onerror=alert(1)>"
HOSTILE = [HTML, "אחות"]
LISTS = [
    *({"name": n, "terms": t, "kind": "groups"} for n, t in GROUPS.items()),
    *(
        {"name": f"{n} stereotype", "terms": t, "kind": "attributes", "of": [n]}
        for n, t in STEREOTYPES.items()
    ),
    *({"name": n, "terms": t, "kind": "controls"} for n, t in CONTROLS.items()),
]
DRAWN = {"posteriors": 0.03, "posterior_axis": 0.06, "verdict": 0.03, "warning": 0.06}
"""The draws of the posterior are others on another processor; their summaries are nearly alike."""
PAPERS_FOURTH_ROW = {"means": [0.1, 0.0, 0.0, 0.1], "sd": 0.1, "words": 2, "attributes": 5}


def ensemble() -> bl.EmbeddingEnsemble:
    """Thirty-two replicates in which each religion lies toward its stereotypes."""
    rng = np.random.default_rng(1)
    toward = {name: rng.normal(size=30) for name in GROUPS}
    of = {word: name for lists in (GROUPS, STEREOTYPES) for name in lists for word in lists[name]}
    others = [word for words in CONTROLS.values() for word in words]
    words = [*of, *others, ADDED, *HOSTILE]
    centres = rng.normal(size=(len(words), 30))
    for place, word in enumerate(words):
        if word in of:
            centres[place] += 0.6 * toward[of[word]]
    vectors = centres + 0.4 * rng.normal(size=(32, *centres.shape))
    return bl.EmbeddingEnsemble(words, vectors.astype(np.float32), name="religions")


class Bench(Driven):
    """A controller, and what it has emitted."""

    def __init__(self) -> None:
        super().__init__(lambda emit: AssociationController(sources(ensemble()), emit, LISTS))


def record() -> Scenarios:
    """Three religions, debiased, of one replicate, edited, and the simulation of the paper."""
    bench = Bench()
    told: Scenarios = {}

    def keep(scenario: str, **inputs: Any) -> None:
        bench.answer(**inputs)
        told[scenario] = bench.state

    first, *others = LISTS
    hostile = {**first, "name": HTML, "terms": HOSTILE}
    few = [{**one, "terms": one["terms"][:2]} for one in others]
    islam = [one for one in LISTS if one["kind"] != "groups" or one["name"] == "Islam"]
    try:
        keep("religions")
        keep("no lists", lists=[])
        keep("debiased", lists=LISTS, debiasing="soft")
        keep("one replicate", debiasing="none", replicate=3)
        keep("simulation", replicate=-1, shown="simulation")
        keep("simulation of the fourth row", simulation=PAPERS_FOURTH_ROW)
        keep("simulation of eight words", simulation={**PAPERS_FOURTH_ROW, "words": 8})
        bench.answer(shown="data", simulation=told["religions"]["simulation"])
        keep("word added", lists=[{**first, "terms": [*GROUPS["Judaism"], ADDED]}, *others])
        keep("one group", lists=islam)
        keep("HTML in words", lists=[hostile, *few])
    finally:
        bench.controller.close()
    return told
