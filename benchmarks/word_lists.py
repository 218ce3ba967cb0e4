"""One edit of a word list of 5,000 words.

The served app's page of word lists, in real Chromium, over the bundled subject; half of the words
are unknown to it. In a box of chips that shows the middle of the list, a word is removed (Delete)
or moved by one place (Alt and an arrow). The clock runs from where the page takes the key to the
beginning of the animation frame that paints the list without the word; and to the frame that paints
Python's marks of the new list (the component's event `biaslab:painted`). Frames are 16.7 ms apart.
Each edit waits for the answer to the one before. The reference is the same on a list of 50 words.
Pasting takes as many words as the editor holds; the clock starts at the page's `paste` event.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, expect

import biaslab as bl
from benchmarks.browser import open_browser, open_page
from benchmarks.findings import Figure, Findings
from benchmarks.timing import in_turns, milliseconds
from biaslab_widgets.core.word_list_records import WordList
from biaslab_widgets.core.word_lists import LIMIT
from biaslab_widgets.core.word_marks import marks_of

from harness.served_app import ServedApp  # isort: skip  (found through benchmarks.browser)

WORDS, FEW = 5_000, 50
STEPS, NOT_COUNTED = 100, 10
GOAL_MS = 33.4  # two frames of 60 Hz
RECORD = """bench => {
    const record = window.edited = { open: null, steps: [] };
    const begin = () => {
        record.open = { start: performance.now(), before: Number(bench.dataset.generation) };
    };
    addEventListener('keydown', begin, true);
    addEventListener('paste', begin, true);
    new MutationObserver(() => {
        const step = record.open;
        if (!step || step.drawn !== undefined) return;
        step.drawn = performance.now() - step.start;
        requestAnimationFrame(() => { step.painted = performance.now() - step.start; });
    }).observe(bench.querySelector('.lists'), { subtree: true, childList: true, attributes: true });
    document.addEventListener('biaslab:painted', event => {
        const step = record.open;
        if (!step || event.detail.generation <= step.before) return;
        record.open = null;
        step.answered = event.detail.time - step.start;
        record.steps.push(step);
    });
}"""
SET = """lists => {
    for (const model of Bokeh.documents[0]._all_models.values())
        if (model.data?.attributes && 'lists' in model.data.attributes)
            model.data.setv({ lists, generation: model.data.attributes.generation + 1 });
}"""


@dataclass(frozen=True)
class Step:
    """Milliseconds from the key until the page paints the edit, and Python's marks of it."""

    painted: float
    answered: float


def measure() -> Findings:
    """Edit long and short lists, in turns, and paste."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ServedApp(Path(folder)) as app,
        open_browser() as browser,
    ):
        few = _edits(browser, app.url, FEW)
        many = _edits(browser, app.url, WORDS)
        nodes, pasted = _paste(browser, app.url)
    python = in_turns({"marks": lambda: marks_of(SUBJECT, [_list(WORDS)])}, 11)["marks"]
    drawn = _lines("painted", [s.painted for s in many], [s.painted for s in few], GOAL_MS)
    marked = _lines("Python's marks", [s.answered for s in many], [s.answered for s in few])
    paste = f"{LIMIT:,} words pasted"
    return Findings(
        (
            *drawn,
            *marked,
            Figure(f"Python's part of it: marks of {WORDS:,} words", milliseconds(python)),
            Figure(f"{paste}: painted", f"{pasted.painted:.0f} ms"),
            Figure(f"{paste}: Python's marks painted", f"{pasted.answered:.0f} ms"),
            Figure(
                f"{paste}: elements in the editor", f"{nodes:,}", "at most 3,000", nodes <= 3000
            ),
        ),
        (f"{STEPS} edits each after {NOT_COUNTED} that do not count; a window of 1280 x 1000.",),
    )


SUBJECT = bl.load("wiki-bootstraps")


def _terms(count: int) -> list[str]:
    """Words of which every second one is unknown to the subject."""
    known = SUBJECT.words
    return [
        known[i % len(known)] if i % 2 else f"{known[i % len(known)]}q{i}" for i in range(count)
    ]


def _list(count: int) -> WordList:
    return {"name": "words", "terms": _terms(count)}


def _show(page: Page, url: str, count: int) -> None:
    page.goto(f"{url}/word-lists")
    bench = page.get_by_test_id("bench")
    expect(bench).to_have_attribute("data-state", "ready", timeout=60_000)
    page.evaluate(SET, [_list(count)])
    expect(page.get_by_test_id("chips")).to_have_attribute(
        "aria-label", f"words, {count} terms", timeout=60_000
    )
    _settle(page)
    bench.evaluate(RECORD)


def _settle(page: Page) -> None:
    expect(page.get_by_test_id("bench")).not_to_have_attribute("data-waiting", "", timeout=60_000)


def _edits(browser: Browser, url: str, count: int) -> list[Step]:
    with open_page(browser) as page:
        _show(page, url, count)
        box = page.get_by_test_id("chips")
        box.focus()
        for key in ["ArrowRight"] * 10 + ["PageDown"] * (count // 250):
            page.keyboard.press(key)
        page.evaluate("() => { window.edited.open = null; window.edited.steps.length = 0; }")
        keys = ("Delete", "Alt+ArrowRight", "Alt+ArrowLeft", "Control+z")
        for step in range(STEPS + NOT_COUNTED):
            page.keyboard.press(keys[step % len(keys)])
            page.wait_for_function("n => window.edited.steps.length > n", arg=step)
        steps: list[dict[str, float]] = page.evaluate("window.edited.steps")
        return [Step(s["painted"], s["answered"]) for s in steps[NOT_COUNTED:]]


def _paste(browser: Browser, url: str) -> tuple[int, Step]:
    with open_page(browser) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        _show(page, url, 0)
        text = "\n".join(_terms(LIMIT))
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        page.get_by_test_id("add-word").focus()
        page.keyboard.press("Control+v")
        page.wait_for_function("() => window.edited.steps.length > 0", timeout=60_000)
        step = page.evaluate("window.edited.steps[0]")
        nodes = page.get_by_test_id("bench").evaluate("e => e.querySelectorAll('*').length")
        return nodes, Step(step["painted"], step["answered"])


def _lines(
    what: str, many: Sequence[float], few: Sequence[float], goal: float | None = None
) -> list[Figure]:
    lines = []
    for name, share in (("median", 50), ("95th percentile", 95)):
        value, short = (float(np.percentile(times, share)) for times in (many, few))
        met = None if goal is None else value <= goal
        lines.append(
            Figure(
                f"one edit of {WORDS:,} words: {what}, {name}",
                f"{value:.1f} ms",
                "" if goal is None else f"at most {goal:.0f} ms, two frames",
                met,
                f"{FEW} words {short:.1f} ms",
                f"{value / short:.2f}x",
            )
        )
    return lines
