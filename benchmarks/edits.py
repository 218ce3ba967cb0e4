"""Edits of a word list in both hosts, from the hand to the frame that paints the answer."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page

from benchmarks.browser import SIZE, open_browser
from benchmarks.findings import Figure, milliseconds
from benchmarks.hosts import in_lab, served
from benchmarks.timing import late

SUBJECT = "wiki-bootstraps"
EDITS, WARM_UP = 30, 4
GOAL_MS = 50.0
ANSWER_MS = 60_000
_READY = "[data-state=ready]:not([data-waiting])"
_RECORD = """bench => {
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

NOTE = f"{EDITS} edits each after {WARM_UP} that do not count; a window of {SIZE[0]} x {SIZE[1]}."

Options = dict[str, Any]


@dataclass(frozen=True)
class Bench:
    """A bench with a list of words.

    Attributes
    ----------
    name : str
        Of its class in notebooks.
    page : str
        Of the served app.
    extra : str
        The word that is added and taken out.
    unfold : callable
        Brings the list onto the screen.
    answered : str
        Selector of the bench where it has answered.
    """

    name: str
    page: str
    extra: str
    unfold: Callable[[Page], None] = lambda _: None
    answered: str = _READY


def compared(
    bench: Bench, everything: Options, little: Options, reference: str
) -> tuple[Figure, ...]:
    """Edit in both hosts with everything to ask and with next to nothing.

    Parameters
    ----------
    bench : Bench
    everything, little : dict
        Options of the bench.
    reference : str
        What the little is.
    """
    figures = []
    with open_browser() as browser:
        for host, opened in (("JupyterLab", _in_lab), ("served app", _served)):
            steps, least = [_edited(browser, opened, bench, o) for o in (everything, little)]
            for name, pick in (("median", statistics.median), ("95th percentile", late)):
                value, other = pick(steps), pick(least)
                figures.append(
                    milliseconds(f"{host}: painted, {name}", value, reference, other, GOAL_MS)
                )
    return tuple(figures)


def _in_lab(browser: Browser, bench: Bench, options: Options) -> Any:
    cell = f"from biaslab_widgets import {bench.name}\n{bench.name}({SUBJECT!r}, **{options!r})"
    return in_lab(browser, cell)


def _served(browser: Browser, bench: Bench, options: Options) -> Any:
    before = f"""
from biaslab_widgets.app import benches
made = benches.{bench.name}Panel
benches.{bench.name}Panel = lambda shared, **more: made(shared, **{{**more, **{options!r}}})
"""
    return served(browser, bench.page, before)


def _edited(
    browser: Browser,
    opened: Callable[[Browser, Bench, Options], Any],
    bench: Bench,
    options: Options,
) -> list[float]:
    """Milliseconds to the painted answer: add a word and undo it, again and again."""
    with opened(browser, bench, options) as page:
        root = page.get_by_test_id("bench")
        answered = root.and_(page.locator(bench.answered))
        answered.wait_for(timeout=ANSWER_MS)
        root.evaluate(_RECORD)
        bench.unfold(page)
        field, undo = page.get_by_test_id("add-word").first, page.get_by_test_id("undo")
        for done in range(WARM_UP + EDITS):
            if done % 2 == 0:
                field.fill(bench.extra)
            page.evaluate("window.edited.armed = true")
            if done % 2 == 0:
                field.press("Enter")
            else:
                undo.click()
            page.wait_for_function(
                "n => window.edited.steps.length > n", arg=done, timeout=ANSWER_MS
            )
            answered.wait_for(timeout=ANSWER_MS)
        return [float(step["painted"]) for step in page.evaluate("window.edited.steps")[WARM_UP:]]
