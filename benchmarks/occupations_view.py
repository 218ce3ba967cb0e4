"""An edit of the occupations view to its redraw in real Chromium.

60 known words, all 8 x 8 combinations of the gender cues, 32 replicates: 122,880 switch points,
3,840 points on the screen. A word is added with Enter, and taken out again with the button Undo;
Python asks the whole probe anew. The clock runs from the key press or click to the beginning of the
animation frame that paints the answer (the component's event `biaslab:painted`).

The reference is the edit of a bench that shows one word under one cue pair: what transport and
frames take, whatever is asked.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

import biaslab as bl
from benchmarks.browser import SIZE, open_browser, open_page
from benchmarks.findings import Figure, Findings

from harness.jupyter_lab import JupyterLab  # isort: skip  (found through benchmarks.browser)
from harness.served_app import ServedApp  # isort: skip

EDITS, WARM_UP = 30, 4
WORDS = 60
GOAL_MS = 50.0
ANSWER_MS = 30_000
RECORD = """bench => {
    const record = window.edited = { armed: false, open: null, steps: [] };
    const begin = event => {
        if (!record.armed || (event.type === 'keydown' && event.key !== 'Enter')) return;
        record.armed = false;
        record.open = { start: performance.now(), before: Number(bench.dataset.generation) };
    };
    addEventListener('keydown', begin, true);
    addEventListener('click', begin, true);
    document.addEventListener('biaslab:painted', event => {
        const step = record.open;
        if (!step || event.detail.generation <= step.before) return;
        record.open = null;
        record.steps.push({
            answered: event.detail.committed - step.start,
            painted: event.detail.time - step.start,
        });
    });
}"""


def measure() -> Findings:
    """Edit in both hosts, with everything and with next to nothing to ask."""
    subject = bl.load("wiki-bootstraps")
    assert isinstance(subject, bl.EmbeddingEnsemble)
    asked = list(subject.resolve(bl.specs.get("occupations").items).known)
    known = [*asked, *(w for w in subject.words[2000:] if w not in asked)][: WORDS + 1]
    words, extra = known[:-1], known[-1]
    everything: dict[str, object] = {"words": words, "pairing": "all"}
    one_pair = {"female": ["female"], "male": ["male"]}
    little: dict[str, object] = {"words": words[:1], "groups": one_pair}
    with open_browser() as browser:
        found = {
            "JupyterLab": [in_lab(browser, o, extra) for o in (everything, little)],
            "served app": [served(browser, o, extra) for o in (everything, little)],
        }
    figures = []
    for host, (steps, reference) in found.items():
        for name, pick in (("median", statistics.median), ("95th percentile", _late)):
            value, other = (pick([s["painted"] for s in part]) for part in (steps, reference))
            figures.append(
                Figure(
                    f"{host}: painted, {name}",
                    f"{value:.1f} ms",
                    f"at most {GOAL_MS:.0f} ms",
                    value <= GOAL_MS,
                    f"one word, one pair {other:.1f} ms",
                    f"{value / other:.2f}x",
                )
            )
    width, height = SIZE
    note = f"{EDITS} edits each after {WARM_UP} that do not count; a window of {width} x {height}."
    return Findings(tuple(figures), (note,))


def in_lab(browser: Browser, options: dict[str, object], extra: str) -> list[dict[str, float]]:
    """Edit in JupyterLab."""
    cell = (
        "from biaslab_widgets import OccupationsBench\n"
        f"OccupationsBench('wiki-bootstraps', **{options!r})"
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        JupyterLab(Path(folder)) as lab,
        open_page(browser) as page,
    ):
        lab.open(page, lab.write_notebook("edit.ipynb", [cell]))
        lab.run_all(page)
        return edit(page, extra)


def served(browser: Browser, options: dict[str, object], extra: str) -> list[dict[str, float]]:
    """Edit in the served app."""
    before = f"""
from biaslab_widgets.app import benches
made = benches.OccupationsBenchPanel
benches.OccupationsBenchPanel = lambda shared, **more: made(shared, **{options!r}, **more)
"""
    with tempfile.TemporaryDirectory() as folder:
        app = ServedApp(Path(folder))
        code = app.command.index("-c") + 1
        app.command[code] = before + app.command[code]
        with app, open_page(browser) as page:
            page.goto(f"{app.url}/occupations")
            return edit(page, extra)


def edit(page: Page, extra: str) -> list[dict[str, float]]:
    """Add a word and undo it, again and again, each time waiting for the answer."""
    bench = page.get_by_test_id("bench")
    ready = page.locator("[data-state=ready]:not([data-waiting]), [data-state=cannot-say]")
    bench.and_(ready).wait_for(timeout=2 * ANSWER_MS)
    bench.evaluate(RECORD)
    field, undo = page.get_by_test_id("add-word"), page.get_by_test_id("undo")
    for done in range(WARM_UP + EDITS):
        if done % 2 == 0:
            field.fill(extra)
        page.evaluate("window.edited.armed = true")
        if done % 2 == 0:
            field.press("Enter")
        else:
            undo.click()
        page.wait_for_function("n => window.edited.steps.length > n", arg=done, timeout=ANSWER_MS)
        bench.and_(ready).wait_for(timeout=ANSWER_MS)
    steps: list[dict[str, float]] = page.evaluate("window.edited.steps")[WARM_UP:]
    return steps


def _late(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]
