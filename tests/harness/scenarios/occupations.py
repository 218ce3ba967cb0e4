"""Scenarios of the occupations bench: simulated observers that follow the labour statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

import biaslab as bl
from biaslab.probes.occupations import outside_tables
from biaslab_widgets.benches.occupations.bench import FIRST_TABLE, OccupationsController
from biaslab_widgets.benches.psychometric.fields import GENDER_PAIRS
from biaslab_widgets.core.subjects.sources import sources
from harness.driven import Driven
from harness.recording import Scenarios

WOMEN = next(table for table in outside_tables() if table.name == FIRST_TABLE)
WORDS = list(bl.specs.get("occupations").items[::2])
UNKNOWN = "electrician"
RELIGIONS = [
    {"name": "Jewish", "terms": ["judaism", "synagogue", "rabbi"]},
    {"name": "Christian", "terms": ["christianity", "church", "priest"]},
    {"name": "Muslim", "terms": ["islam", "mosque", "imam"]},
]
HTML = "<img src=x onerror=alert(1)>"
MARKED_UP = [{"name": HTML, "terms": ["a", "b"]}, {"name": "<b>two</b>", "terms": ["c", "d"]}]
HOSTILE_WORDS = [HTML, "אחות", "nurse"]


def observers() -> bl.EmbeddingEnsemble:
    """An ensemble in which an occupation needs the more maleness the more women work in it."""
    pse = {word: 0.5 + 0.004 * (WOMEN.values[word] - 50) for word in WORDS}
    cues = [(one, two) for one, two in GENDER_PAIRS]
    return bl.observers.embedding(pse, 0.05, cues=cues, seed=1)


def of_other_words() -> bl.EmbeddingEnsemble:
    """An ensemble that knows the words of the other groups, without any bias meant."""
    cues = [term for group in (*RELIGIONS, *MARKED_UP) for term in group["terms"]]
    words = list(dict.fromkeys([*cues, *WORDS, *HOSTILE_WORDS]))
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(len(words), 20)) + 0.5 * rng.normal(size=(16, len(words), 20))
    return bl.EmbeddingEnsemble(words, vectors.astype(np.float32), name="other words")


class Bench(Driven):
    """The controller of the app's page, where a word opens at an address."""

    def __init__(self) -> None:
        known = observers()
        one = bl.WordEmbedding(known.words, known.vectors(known.words)[0], name="one embedding")
        super().__init__(
            lambda emit: OccupationsController(
                sources([known, one, of_other_words()]), emit, [*WORDS, UNKNOWN]
            )
        )
        self.controller.state["psychometric"] = "psychometric"


def record() -> Scenarios:
    """Two groups with and without an outside table, three groups, one embedding, and HTML."""
    bench = Bench()
    told: Scenarios = {}

    def keep(scenario: str, **inputs: Any) -> None:
        bench.answer(**inputs)
        told[scenario] = bench.state

    try:
        keep("two groups")
        keep("no words", words=[])
        keep("comparison", words=[*WORDS, UNKNOWN], beside="comparison")
        keep("no outside table", beside="scatter", outside="")
        keep("one embedding", outside=FIRST_TABLE, pairing="sets", subject="one embedding")
        bench.answer(words=WORDS, groups=RELIGIONS, pairing="matched", subject="other words")
        keep("three groups", contrast=-1)
        keep("HTML in words", words=HOSTILE_WORDS, groups=MARKED_UP, contrast=0)
    finally:
        bench.controller.close()
    return told
