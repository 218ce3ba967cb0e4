"""Scenarios of the posterior bench: a logistic observer, and words on both sides of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

import biaslab as bl
from biaslab.probes.posterior import Lexicon, LiveDraws
from biaslab.probes.posterior.portraits import run as portraits_run
from biaslab_widgets.benches.posterior.bench import PosteriorController
from biaslab_widgets.benches.posterior.run import LiveRun
from biaslab_widgets.benches.posterior.spaces import SpacesController
from biaslab_widgets.core.subjects.sources import classifier_sources, vision_language_sources
from harness.driven import Driven
from harness.emitted import PATIENCE_S, Gate
from harness.recording import Scenarios, State

WEIGHT = np.linspace(0.7, 0.07, 8)
GOOD = ["wonderful", "unforgettable", "amazing", "versatility", "cherished", "delight"]
BAD = ["dreadfully", "smother", "substandard", "lifeless", "hideously", "mess"]
UNKNOWN = ["accolade", "abysmal"]
"""Words of the lexicon that the classifier does not know."""
LISTS = [
    {"name": "female", "terms": ["mary", "anna", "emma"], "kind": "groups"},
    {"name": "male", "terms": ["john", "peter", "james"], "kind": "groups"},
]
OTHER = "zebra"
"""A word without polarity."""
LEXICON = Lexicon(
    "fourteen words",
    (*GOOD, *BAD, *UNKNOWN),
    np.repeat([1.0, -1.0, 1.0, -1.0], [len(GOOD), len(BAD), 1, 1]),
)
NONE: dict[str, Any] = {"words": []}
FEW = {"chains": 6, "draws": 100, "seed": 18}
"""So few draws can be trusted with some seeds only."""
WARMUP = 40
EVERY = 14
"""Steps between two looks at the draws."""
EARLY, LATE = 2 * EVERY, WARMUP + EVERY
"""Steps at which the first run is shown: in its warm-up, and while its chains still disagree."""


def observer() -> bl.subjects.Classifier:
    """A classifier that looks along one direction, in which good words lie.

    Its posterior has one mode, and it computes in double precision. So trajectories that begin
    apart by a rounding error come together: draws are the same on every processor.
    """
    rng = np.random.default_rng(1)
    names = [name for group in LISTS for name in group["terms"]]
    words = [*GOOD, *BAD, *names, OTHER]
    along = np.repeat([2.0, -2.0, 0.6, -0.6, 0.0], [len(GOOD), len(BAD), 3, 3, 1])
    vectors = rng.normal(size=(len(words), len(WEIGHT))) + np.outer(along, WEIGHT)
    embedding = bl.WordEmbedding(words, vectors.astype(np.float32), name="words")
    return bl.observers.classifier(WEIGHT, words=embedding, dtype="float64")


class Gated(PosteriorController):
    """A controller whose sampler waits after some steps of its first label.

    Attributes
    ----------
    gates : dict of int to Gate
        By number of steps.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.gates: dict[int, Gate] = {}

    def _take_draws(self, run: LiveRun, label: str, live: LiveDraws) -> None:
        super()._take_draws(run, label, live)
        if gate := self.gates.pop(live.done, None):
            gate.pass_through()


class Bench(Driven):
    """A controller, and what it has emitted."""

    def __init__(self) -> None:
        sources = classifier_sources(observer())
        super().__init__(lambda emit: Gated(sources, emit, LISTS, lexicon=LEXICON))


@contextmanager
def looked_at_by_steps() -> Iterator[None]:
    """Shorten the warm-up, and let the number of steps say when to look at draws, not the clock."""
    from biaslab.probes.posterior import plan, recorder

    chains, draws, _, again = plan.DEFAULTS["vectorised"]
    with (
        mock.patch.dict(plan.DEFAULTS, vectorised=(chains, draws, WARMUP, again)),
        mock.patch.object(recorder, "_EVERY", math.inf),
        mock.patch.object(recorder, "_STEPS", EVERY),
    ):
        yield


def record() -> Scenarios:
    """A run as it goes on, stopped, and whole; a word; the other label; and portraits."""
    bench = Bench()
    gates = {steps: Gate() for steps in (EARLY, LATE)}
    try:
        with looked_at_by_steps():
            return _record(bench, gates) | _record_portraits()
    finally:
        for gate in gates.values():
            gate.open()
        bench.controller.close()


def _record(bench: Bench, gates: dict[int, Gate]) -> Scenarios:
    told: Scenarios = {}
    versions: dict[int, int] = {}

    def keep(scenario: str, **inputs: Any) -> None:
        bench.answer(**inputs)
        told[scenario] = _renumbered(bench.state, versions)

    def wait_at(steps: int) -> Gate:
        assert gates[steps].entered.wait(PATIENCE_S)
        return gates[steps]

    def wait_for_the_end_of(number: int) -> None:
        bench.until(lambda p: p["run"]["number"] == number and not p["run"]["running"])

    keep("empty", **FEW)
    bench.controller.gates = dict(gates)
    bench.controller.start()
    early = wait_at(EARLY)
    keep("warm-up")
    early.open()
    late = wait_at(LATE)
    keep("sampling")
    bench.reply("stop")
    late.open()
    wait_for_the_end_of(1)
    keep("stopped")
    bench.controller.start()
    wait_for_the_end_of(2)
    keep("done")
    keep(OTHER, word=OTHER)
    keep("negative", word="", label="negative")
    return {"done": told.pop("done"), **told}


def _record_portraits() -> Scenarios:
    """Two words before a run, and after it."""
    seeing = bl.observers.vision(
        lists=(("nurse",), ("executive",)), traits={"appearance": -4.0, "age": 0.02}, image_sd=0
    )
    sources = {**classifier_sources(observer()), **vision_language_sources(seeing)}
    bench = Driven(lambda emit: SpacesController(sources, emit, LISTS))
    try:
        bench.answer()
        told = {}
        bench.answer(space="portraits", portrait_chains=4, portrait_draws=60)
        told["no portraits"] = bench.state
        with mock.patch.object(portraits_run, "PORTRAITS", 300):
            bench.controller.start()
            bench.until(
                lambda p: not p["run"]["running"] and len((p["portraits"] or NONE)["words"]) == 2
            )
        bench.answer()
        told["portraits"] = bench.state
        return {name: _renumbered(state, {}) for name, state in told.items()}
    finally:
        bench.controller.close()


def _renumbered(state: State, seen: dict[int, int]) -> State:
    """The state with versions of its traces and clouds from 1: Python also counts unseen ones."""
    found = {}
    for name in ("traces", "clouds"):
        version = state[name]["version"]
        number = seen.setdefault(version, len(seen) + 1) if version else 0
        found[name] = {**state[name], "version": number}
    return {**state, **found}
