"""Scenarios of the sentence bench: two simulated scorers on pairs of three attributes."""

from __future__ import annotations

from typing import Any

from harness.recording import Scenarios, Versions
from harness.sentence_controller import Bench, Named

LISTS = [
    {"name": "male", "kind": "groups", "terms": ["man", "he"]},
    {"name": "female", "kind": "groups", "terms": ["woman", "she"]},
    {"name": "math", "kind": "attributes", "terms": ["algebra", "geometry"], "of": ["male"]},
    {"name": "arts", "kind": "attributes", "terms": ["poetry"], "of": ["female"]},
]
MODELS = ["masked", "causal"]
EACH = 4


def record() -> Scenarios:
    """Before and after a test, each pair of geometry taken apart, and pairs rejected."""
    bench = Bench(
        [
            Named("masked", 0.7, ties=0.1, size=2.0, seed=1),
            Named("causal", 0.6, failures=0.1, size=2.0, seed=2),
            Named("another"),
        ],
        LISTS,
    )
    try:
        return _record(bench)
    finally:
        bench.controller.close()


def _record(bench: Bench) -> Scenarios:
    told: Scenarios = {}
    versions = Versions(bench.state["sentences"]["version"])

    def keep(scenario: str, **inputs: Any) -> None:
        bench.answer(**inputs)
        told[scenario] = versions.renumbered(bench.state, "sentences")

    bench.answer(step=2, per_attribute=EACH, models=MODELS)
    keep("untested", step=3)
    bench.tested()
    keep("tested")
    for pair in bench.pairs:
        if pair["attribute"] == "geometry":
            keep(f"word by word: {pair['id']}", pair=pair["id"])
    keep("no model", step=1, pair="", models=[])
    first, *others = [pair["id"] for pair in bench.pairs[:3]]
    bench.reply("reject", pairs=[first])
    keep("one rejected", step=2, models=MODELS)
    bench.reply("reject", pairs=others)
    keep("three rejected")
    return {"tested": told.pop("tested"), **told}
