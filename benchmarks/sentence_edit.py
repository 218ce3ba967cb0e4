"""An edit of one sentence in the sentence bench to its redraw in real Chromium.

192 pairs and two models of 4.7 million parameters, masked and causal: the bundled ones, or models
of their shape and random weights where none are bundled; time does not depend on what the weights
are. All pairs are tested first. Then a version of one pair is edited in the dock and saved with
Enter: Python checks it, makes the other version anew by grammar, scores this one pair with both
models, and computes the shares and intervals that have changed, with 2,000 resamples. The clock
runs from the key press to the beginning of the animation frame that paints the new words, by which
squares and verdict have been painted too.

The reference is the same edit with 16 pairs of a simulated scorer: what checks, transport and
frames take, whatever is asked. In Python alone, without a browser, the reference is to score all
pairs and to compute all shares anew, as a bench would that remembers nothing.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

import biaslab as bl
from benchmarks.browser import SIZE, open_browser
from benchmarks.findings import Figure, Findings
from benchmarks.hosts import in_lab, served
from benchmarks.sentence_models import code_of_models
from benchmarks.timing import late
from biaslab.probes.sentences import probe
from biaslab_widgets.benches.sentences.bench import SentenceController
from biaslab_widgets.benches.sentences.models import model_sources

from harness.emitted import Emitted  # isort: skip  (found through benchmarks.browser)
from harness.sentences import Sentences  # isort: skip

SPEC = "biastest-math-arts"
EDITS, WARM_UP, ANEW = 30, 4, 3
GOAL_MS, WAIT_MS = 150.0, 120_000
LITTLE = "import biaslab as bl\nmodels = [bl.observers.scorer(0.7)]"
_RECORD = """bench => {
    const record = window.edited = { armed: false, word: "", steps: [] };
    addEventListener("keydown", event => {
        if (!record.armed || event.key !== "Enter") return;
        record.armed = false;
        const start = performance.now();
        const frame = () => {
            const words = bench.querySelector("[data-testid=dock]")?.textContent ?? "";
            if (words.includes(record.word)) record.steps.push(performance.now() - start);
            else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
    }, true);
}"""

Opened = Callable[[Browser, str, dict[str, Any]], Any]


def measure() -> Findings:
    """In both hosts, then in Python alone."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        # Scores of a measurement are nobody's to keep.
        os.environ["BIASLAB_HOME"] = str(Path(folder) / "home")
        code, said = code_of_models(Path(folder), SPEC)
        with open_browser() as browser:
            for host, opened in (("JupyterLab", _in_lab), ("served app", _served)):
                steps = _edited(browser, opened, code, {})
                least = _edited(browser, opened, LITTLE, {"per_attribute": 1})
                figures += [_painted(host, name, pick, steps, least) for name, pick in PICKS]
        remembered, anew = in_python(code)
    figures.append(
        Figure(
            "Python alone: scored and answered, median",
            f"{remembered:.1f} ms",
            reference=f"all pairs anew {anew:.0f} ms",
            ratio=f"{anew / remembered:.0f}x as fast",
        )
    )
    width, height = SIZE
    note = (
        f"{EDITS} edits each after {WARM_UP} that do not count; a window of {width} x {height}. "
        f"{said}"
    )
    return Findings(tuple(figures), (note,))


PICKS: tuple[tuple[str, Callable[[list[float]], float]], ...] = (
    ("median", statistics.median),
    ("95th percentile", late),
)


def _painted(
    host: str, name: str, pick: Callable[[list[float]], float], steps: list[float],
    least: list[float],
) -> Figure:  # fmt: skip
    value, other = pick(steps), pick(least)
    return Figure(
        f"{host}: painted, {name}",
        f"{value:.1f} ms",
        f"at most {GOAL_MS:.0f} ms",
        value <= GOAL_MS,
        f"16 pairs, simulated {other:.1f} ms",
        f"{value / other:.2f}x",
    )


def in_python(code: str) -> tuple[float, float]:
    """Median milliseconds of an edit, and of scoring and computing everything anew."""
    made: dict[str, Any] = {}
    exec(code, made)
    emitted = Emitted()
    sources = model_sources(made["models"])
    controller = SentenceController(sources, emitted, SPEC)
    controller.change({"step": 3})
    controller.test().wait()
    state = emitted.until(_has_ended)
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


def _has_ended(state: dict[str, Any]) -> bool:
    picture = state.get("answer", {}).get("picture")
    return picture is not None and not picture["run"]["running"]


def _text(word: str) -> str:
    return f"My brother talked about math on {word} of the year."


def _in_lab(browser: Browser, code: str, options: dict[str, Any]) -> AbstractContextManager[Page]:
    return in_lab(
        browser,
        f"from biaslab_widgets import SentenceBench\n{code}\n"
        f"SentenceBench(models, {SPEC!r}, **{options!r})",
    )


def _served(browser: Browser, code: str, options: dict[str, Any]) -> AbstractContextManager[Page]:
    before = f"""
{code}
from biaslab_widgets.benches.sentences.widget import SentenceBench
SentenceBench.on_page = classmethod(
    lambda made, shared, address: made(models, {SPEC!r}, **{options!r})
)
"""
    return served(browser, "sentences", before)


def _edited(browser: Browser, opened: Opened, code: str, options: dict[str, Any]) -> list[float]:
    """Milliseconds from Enter to the painted answer, of one edit after the other."""
    with opened(browser, code, options) as page:
        view = Sentences.on(page)
        view.settle()
        view.made()
        view.tested()
        view.root.evaluate(_RECORD)
        view.point(page.get_by_test_id("squares").first.get_attribute("data-name") or "", "Enter")
        for done in range(WARM_UP + EDITS):
            view.part("edit-pair").click()
            field = view.part("edit-stereotyped")
            word = f"day{done}x"
            field.fill(_text(word))
            page.evaluate("word => Object.assign(window.edited, {word, armed: true})", word)
            field.press("Enter")
            page.wait_for_function("n => window.edited.steps.length > n", arg=done, timeout=WAIT_MS)
            field.wait_for(state="detached")
        return [float(step) for step in page.evaluate("window.edited.steps")[WARM_UP:]]
