"""An edit of one sentence in the sentence bench to its redraw in real Chromium.

192 pairs and the two bundled models of 4.7 million parameters, masked and causal. All pairs are
tested first. Then a version of one pair is edited in the dock and saved with
Enter: Python checks it, makes the other version anew by grammar, scores this one pair with both
models, and computes the shares and intervals that have changed, with 2,000 resamples. The clock
runs from the key press to the beginning of the animation frame that paints the new words, by which
squares and verdict have been painted too.

The reference is the same edit with 16 pairs of a simulated scorer: what checks, transport and
frames take, whatever is asked. In Python alone, without a browser, the reference is to score all
pairs and to compute all shares anew, as a bench would that remembers nothing.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from playwright.sync_api import Browser

import biaslab as bl
from benchmarks.findings import Figure, Findings, at_most, spread
from benchmarks.screen import HOSTS, WINDOW, Clock, Shown, open_browser, opened
from biaslab.probes.sentences import probe
from biaslab_widgets.benches.sentences.bench import SentenceController
from biaslab_widgets.benches.sentences.subjects import model_sources
from harness.emitted import Emitted
from harness.sentences import Sentences

SPEC = "biastest-math-arts"
MODELS = ["wiki-mlm", "wiki-clm"]
EDITS, WARM_UP, ANEW = 30, 4, 3
GOAL = at_most(150, "ms")
SCORED = Shown("sentences", "SentenceBench", f"{MODELS!r}, {SPEC!r}")
LITTLE = Shown(
    "sentences",
    "SentenceBench",
    f"[bl.observers.scorer(0.7)], {SPEC!r}, per_attribute=1",
    "import biaslab as bl",
)

_SHOWS = """bench => {
    const dock = bench.querySelector("[data-testid=dock]");
    return dock?.textContent.includes("%s") ? "yes" : null;
}"""


def measure() -> Findings:
    """In both hosts, then in Python alone."""
    figures: list[Figure] = []
    with open_browser() as browser:
        for host in HOSTS:
            steps, least = (_edited(browser, host, shown) for shown in (SCORED, LITTLE))
            figures += spread(f"{host}: painted", steps, "16 pairs, simulated", least, GOAL)
        remembered, anew = in_python()
    figures.append(
        Figure(
            "Python alone: scored and answered, median",
            f"{remembered:.1f} ms",
            reference=f"all pairs anew {anew:.0f} ms",
            ratio=f"{anew / remembered:.0f}x as fast",
        )
    )
    note = f"{EDITS} edits each after {WARM_UP} that do not count; {WINDOW}. The bundled models."
    return Findings(tuple(figures), (note,))


def in_python() -> tuple[float, float]:
    """Median milliseconds of an edit, and of scoring and computing everything anew."""
    emitted = Emitted()
    sources = model_sources(MODELS)
    controller = SentenceController(sources, emitted, SPEC)
    controller.change({"step": 3})
    controller.test().wait()
    state = emitted.ended()
    pair = state["sentences"]["pairs"][3]["id"]
    controller.change({"pair": pair})
    remembered = []
    for number in range(1, WARM_UP + EDITS + 1):
        args = {"pair": pair, "version": "stereotyped", "text": _text(f"day {number}")}
        start = time.perf_counter()
        controller.change({"command": {"id": number, "name": "edit", "args": args}})
        emitted.until(lambda s, n=number: s.get("reply", {}).get("id") == n)  # type: ignore[misc]
        remembered.append(1000 * (time.perf_counter() - start))
    pairs, spec = controller.pairs.pairs, bl.specs.get(SPEC)
    anew = []
    for _ in range(ANEW):
        start = time.perf_counter()
        for source in sources.values():
            model: Any = source.open()
            probe.statistics(pairs, probe.scorer_of(model, None).score(model, pairs), spec=spec)
        anew.append(1000 * (time.perf_counter() - start))
    return statistics.median(remembered[WARM_UP:]), statistics.median(anew)


def _text(word: str) -> str:
    return f"My brother talked about math on {word} of the year."


def _edited(browser: Browser, host: str, shown: Shown) -> list[float]:
    """Milliseconds from Enter to the painted answer, of one edit after the other."""
    with opened(browser, host, shown) as page:
        view = Sentences.on(page)
        view.settle()
        view.made()
        view.tested()
        clock = Clock(view.root)
        view.point(page.get_by_test_id("squares").first.get_attribute("data-name") or "", "Enter")
        taken = []
        for done in range(WARM_UP + EDITS):
            view.part("edit-pair").click()
            field = view.part("edit-stereotyped")
            field.fill(_text(f"day{done}x"))
            clock.arm("keydown", _SHOWS % f"day{done}x")
            field.press("Enter")
            taken.append(clock.stopped().painted)
            field.wait_for(state="detached")
        return taken[WARM_UP:]
