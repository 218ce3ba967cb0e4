"""Scenarios of the word-list editor: words that an embedding knows, and that it does not."""

from __future__ import annotations

from typing import Any

import biaslab as bl
from biaslab_widgets.benches.word_lists.bench import WordListController
from biaslab_widgets.core.subjects.sources import sources
from harness.driven import Driven
from harness.emitted import observers
from harness.recording import Scenarios

GROUPS = [
    {"name": "women", "kind": "groups", "terms": ["she", "woman", "female", "she"]},
    {"name": "men", "kind": "groups", "terms": ["he", "man", "male"]},
]
ATTRIBUTES = [
    {
        "name": "care",
        "kind": "attributes",
        "terms": ["nurse", "nurze", "librarian"],
        "of": ["women"],
    },
    {"name": "craft", "kind": "attributes", "terms": ["electrician", "woman"], "of": ["men"]},
]
MANY = {"name": "many", "terms": [f"word {i}" for i in range(40)]}
HTML = "<img src=x onerror=alert(1)>"


class Bench(Driven):
    """The editor beside an ensemble and one of its embeddings."""

    def __init__(self) -> None:
        known = observers()
        one = bl.WordEmbedding(known.words, known.vectors(known.words)[0], name="one embedding")
        super().__init__(lambda emit: WordListController(sources([known, one]), emit))


def record() -> Scenarios:
    """Lists of each kind, none, many words, hostile ones, and what is no list."""
    bench = Bench()
    told: Scenarios = {}

    def keep(scenario: str, **inputs: Any) -> None:
        bench.answer(**inputs)
        told[scenario] = bench.state

    hostile = {"name": HTML, "terms": [HTML, "אחות", "nurse"]}
    try:
        keep("groups and attributes", lists=[*GROUPS, *ATTRIBUTES])
        keep("one list", lists=[{"name": "words", "terms": ["nurse", "teacher", "nurze"]}])
        keep("fixed", lists=GROUPS, fixed=True)
        keep("no lists", lists=[], fixed=False)
        keep("many words", lists=[MANY], subject="one embedding")
        keep("HTML in words", lists=[hostile])
        keep("no word list", lists=[{"name": "", "terms": ["nurse"]}])
    finally:
        bench.controller.close()
    return told
