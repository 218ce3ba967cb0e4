"""An edit of the association bench to its redraw in real Chromium.

Three groups of five protected words against 280 attribute and control words in one embedding: 4,200
distances, each of them a tick on the screen. A word is added to a group with Enter, and taken out
again with the button Undo; Python asks the whole probe anew: distances, posterior, contrasts, MAC
and WEAT. The clock runs from the key press or click to the beginning of the animation frame that
paints the answer (the component's event `biaslab:painted`).

The reference is the edit of a bench with next to nothing to ask: two groups of two words against
two lists of two. It is what transport and frames take, whatever is asked.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

import biaslab as bl
from benchmarks.browser import SIZE, open_browser, open_page
from benchmarks.findings import Figure, Findings
from benchmarks.occupations_view import RECORD

from harness.jupyter_lab import JupyterLab  # isort: skip  (found through benchmarks.browser)
from harness.served_app import ServedApp  # isort: skip

EDITS, WARM_UP = 30, 4
SUBJECT = "wiki-bootstraps"
GROUPS, WORDS = 3, 5
LENGTHS = {"attributes": 11, "human": 27, "neutral": 242}
GOAL_MS = 50.0
ANSWER_MS = 60_000

Lists = list[dict[str, Any]]


def measure() -> Findings:
    """Edit in both hosts, with 4,200 distances and with next to none."""
    words, extra = known_words()
    everything, little = full_lists(words), short_lists(words)
    with open_browser() as browser:
        found = {
            "JupyterLab": [in_lab(browser, lists, extra) for lists in (everything, little)],
            "served app": [served(browser, lists, extra) for lists in (everything, little)],
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
                    f"16 distances {other:.1f} ms",
                    f"{value / other:.2f}x",
                )
            )
    width, height = SIZE
    note = (
        f"{EDITS} edits each after {WARM_UP} that do not count; one replicate, crossed model; a "
        f"window of {width} x {height}."
    )
    return Findings(tuple(figures), (note,))


def known_words() -> tuple[list[str], str]:
    """Words of the subject for all lists, and one more to add."""
    subject = bl.load(SUBJECT)
    assert isinstance(subject, bl.EmbeddingEnsemble)
    n = GROUPS * WORDS + sum(LENGTHS.values())
    found = [w for w in subject.words[500:] if w.isalpha()][: n + 1]
    return found[:-1], found[-1]


def full_lists(words: list[str]) -> Lists:
    """Three groups with their stereotypes, and the two controls."""
    left = iter(words)

    def take(n: int) -> list[str]:
        return [next(left) for _ in range(n)]

    names = [f"group {g + 1}" for g in range(GROUPS)]
    lists: Lists = [{"name": n, "terms": take(WORDS), "kind": "groups"} for n in names]
    lengths = [
        LENGTHS["attributes"] // GROUPS + (g < LENGTHS["attributes"] % GROUPS)
        for g in range(GROUPS)
    ]
    lists += [
        {"name": f"of {name}", "terms": take(n), "kind": "attributes", "of": [name]}
        for name, n in zip(names, lengths, strict=True)
    ]
    return lists + [
        {"name": name, "terms": take(LENGTHS[name]), "kind": "controls"}
        for name in ("human", "neutral")
    ]


def short_lists(words: list[str]) -> Lists:
    """Two groups of two words, each with a list of two."""
    return [
        {"name": "group 1", "terms": words[:2], "kind": "groups"},
        {"name": "group 2", "terms": words[2:4], "kind": "groups"},
        {"name": "of 1", "terms": words[4:6], "kind": "attributes", "of": ["group 1"]},
        {"name": "of 2", "terms": words[6:8], "kind": "attributes", "of": ["group 2"]},
    ]


def in_lab(browser: Browser, lists: Lists, extra: str) -> list[dict[str, float]]:
    """Edit in JupyterLab."""
    cell = (
        "from biaslab_widgets import AssociationBench\n"
        f"AssociationBench({SUBJECT!r}, lists={lists!r}, replicate=0)"
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        JupyterLab(Path(folder)) as lab,
        open_page(browser) as page,
    ):
        lab.open(page, lab.write_notebook("edit.ipynb", [cell]))
        lab.run_all(page)
        return edit(page, extra)


def served(browser: Browser, lists: Lists, extra: str) -> list[dict[str, float]]:
    """Edit in the served app."""
    before = f"""
from biaslab_widgets.app import benches
made = benches.AssociationBenchPanel
benches.AssociationBenchPanel = lambda shared, **more: made(shared, lists={lists!r}, **more)
"""
    with tempfile.TemporaryDirectory() as folder:
        app = ServedApp(Path(folder))
        code = app.command.index("-c") + 1
        app.command[code] = before + app.command[code]
        with app, open_page(browser) as page:
            page.goto(f"{app.url}/association")
            return edit(page, extra)


def edit(page: Page, extra: str) -> list[dict[str, float]]:
    """Add a word to the first group and undo it, again and again, each time to the answer."""
    bench = page.get_by_test_id("bench")
    ready = page.locator("[data-state=ready]:not([data-waiting])")
    bench.and_(ready).wait_for(timeout=ANSWER_MS)
    bench.evaluate(RECORD)
    page.get_by_test_id("list-groups").click()
    field, undo = page.get_by_test_id("add-word").first, page.get_by_test_id("undo")
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
