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
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

import biaslab as bl
from benchmarks.findings import Figure, Findings, Goal, judged, spread
from benchmarks.screen import WINDOW, Clock, Step, open_browser, open_page, settled
from benchmarks.timing import in_turns, milliseconds
from biaslab_widgets.core.state.records import WordList
from biaslab_widgets.core.word_lists import LIMIT
from biaslab_widgets.core.word_marks import marks_of
from harness.served_app import ServedApp

WORDS, FEW = 5_000, 50
STEPS, NOT_COUNTED = 100, 10
TWO_FRAMES = Goal("at most 33 ms, two frames", lambda value: value <= 33.4)
ELEMENTS = Goal("at most 3,000", lambda count: count <= 3_000)
SET = """lists => {
    for (const model of Bokeh.documents[0]._all_models.values())
        if (model.data?.attributes && 'lists' in model.data.attributes)
            model.data.setv({ lists, generation: model.data.attributes.generation + 1 });
}"""


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
    edit, few_words = f"one edit of {WORDS:,} words", f"{FEW} words"
    (drawn, marked), (drawn_few, marked_few) = (
        ([step.drawn for step in steps], [step.painted for step in steps]) for steps in (many, few)
    )
    paste = f"{LIMIT:,} words pasted"
    return Findings(
        (
            *spread(f"{edit}: painted", drawn, few_words, drawn_few, TWO_FRAMES),
            *spread(f"{edit}: Python's marks", marked, few_words, marked_few),
            Figure(f"Python's part of it: marks of {WORDS:,} words", milliseconds(python)),
            Figure(f"{paste}: painted", f"{pasted.drawn:.0f} ms"),
            Figure(f"{paste}: Python's marks painted", f"{pasted.painted:.0f} ms"),
            Figure(f"{paste}: elements in the editor", f"{nodes:,}", *judged(ELEMENTS, nodes)),
        ),
        (f"{STEPS} edits each after {NOT_COUNTED} that do not count; {WINDOW}.",),
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


def _show(page: Page, url: str, count: int) -> Clock:
    page.goto(f"{url}/word-lists")
    settled(page)
    page.evaluate(SET, [_list(count)])
    expect(page.get_by_test_id("chips")).to_have_attribute(
        "aria-label", f"words, {count} terms", timeout=60_000
    )
    return Clock(settled(page), drawn=".lists")


def _edits(browser: Browser, url: str, count: int) -> list[Step]:
    with open_page(browser) as page:
        clock = _show(page, url, count)
        page.get_by_test_id("chips").focus()
        for key in ["ArrowRight"] * 10 + ["PageDown"] * (count // 250):
            page.keyboard.press(key)
        keys = ("Delete", "Alt+ArrowRight", "Alt+ArrowLeft", "Control+z")
        taken = []
        for step in range(STEPS + NOT_COUNTED):
            clock.arm("keydown")
            page.keyboard.press(keys[step % len(keys)])
            taken.append(clock.stopped())
        return taken[NOT_COUNTED:]


def _paste(browser: Browser, url: str) -> tuple[int, Step]:
    with open_page(browser) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        clock = _show(page, url, 0)
        text = "\n".join(_terms(LIMIT))
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        page.get_by_test_id("add-word").focus()
        clock.arm("paste")
        page.keyboard.press("Control+v")
        step = clock.stopped()
        nodes = clock.bench.evaluate("e => e.querySelectorAll('*').length")
        return nodes, step
