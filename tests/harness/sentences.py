"""The sentence bench as a person sees it, and its two hosts behind one face."""

from __future__ import annotations

from typing import Any, ClassVar

from playwright.sync_api import expect

from biaslab.probes.sentences.stereotype_result import StereotypeScore
from harness.bench_hosts import AppBench, NotebookBench
from harness.three_steps import RUN_MS, ThreeStepsHost, ThreeStepsPage

TRUTH = "simulated"
_GATED = """
import threading
from biaslab_widgets import SentenceBench
truth = bl.observers.scorer(0.7, ties=0.3, seed=5)
gate = threading.Event()
class Gated(type(truth)):
    name, content_hash = 'gated', None
    def stream(self, lm, pairs, *, context):
        for number, pair in enumerate(pairs):
            if number == 3:
                gate.wait()
            context.checkpoint()
            yield number, self._score(pair)
gated = Gated(0.7, {}, attribute_sd=0, frame_sd=0, ties=0, failures=0, size=1, seed=1)
"""
LISTS: list[dict[str, Any]] = [
    {"name": "men", "terms": ["man", "he"], "kind": "groups"},
    {"name": "women", "terms": ["woman", "she"], "kind": "groups"},
    {"name": "math", "terms": ["algebra", "geometry"], "kind": "attributes", "of": ["men"]},
    {"name": "arts", "terms": ["poetry", "dance"], "kind": "attributes", "of": ["women"]},
]
FEW: dict[str, Any] = {"lists": LISTS, "spec": "", "models": [TRUTH], "per_attribute": 2}
"""A test that is soon over."""


class Sentences(ThreeStepsPage):
    """One sentence bench on a page."""

    def made(self) -> Sentences:
        """Go to the second step, and wait until there are pairs."""
        self.go(2)
        expect(self.part("pair").first).to_be_visible(timeout=RUN_MS)
        return self

    def point(self, model: str, *keys: str) -> Sentences:
        """Lead the keys through a model's squares, and wait for the words of the pair."""
        self.lead(model, *keys)
        self.settle()
        expect(self.part("word-difference").first).to_be_attached(timeout=RUN_MS)
        self.waited(
            "root => root.dataset.pair === root.querySelector('[data-testid=dock]').dataset.worded"
        )
        return self

    def texts(self) -> list[list[str]]:
        """Both versions of the pairs that are drawn in the table."""
        found: list[list[str]] = self.root.evaluate(
            """root => [...root.querySelectorAll('[data-testid="pair"]')].map(row =>
                ["stereotyped", "against"].map(side =>
                    row.querySelector(`[data-testid="${side}"]`).textContent))"""
        )
        return found


class Host(ThreeStepsHost[Sentences, StereotypeScore]):
    """A page that shows the sentence bench over a simulated scorer and another model."""

    few = FEW
    bench_page = Sentences
    result_type = StereotypeScore
    other: ClassVar[str]
    """A model that the bench offers beside `TRUTH`."""


class NotebookHost(NotebookBench[Sentences, StereotypeScore], Host):
    """JupyterLab with a sentence bench; the other model waits at a ``gate`` after three pairs."""

    setup = _GATED
    made = "SentenceBench([truth, gated])"
    other = "gated"


class AppHost(AppBench[Sentences, StereotypeScore], Host):
    """The app's page of sentences."""

    path = "/sentences?seed=0"
    own_input = "detail_model"
    other = "wiki-mlm"
