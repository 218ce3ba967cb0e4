"""The served app's first paint.

Chromium opens the psychometric bench, from the start of navigation to the animation frame that
paints it with its verdict (the component's event `biaslab:painted`, in state "ready"), and to the
browser's own First Contentful Paint, which is the page's frame before the bench stands in it.
Every load is in a fresh browser context with an empty cache, unless it says otherwise. A fresh
server has started to listen and has not been asked for a page or opened a subject.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.findings import Figure, Findings, judged, under
from benchmarks.screen import open_browser, open_page
from harness.served_app import ServedApp

WARM, COLD = 9, 3
GOAL = under(2, "s")
WATCH = """
window.verdictAt = null;
document.addEventListener('biaslab:painted', event => {
    const bench = event.composedPath()[0];
    if (bench.dataset.state === 'ready') window.verdictAt ??= event.detail.time;
});
"""
PAINTS = """() => new Promise(done => {
    const look = () => window.verdictAt === null ? requestAnimationFrame(look) : done([
        performance.getEntriesByName('first-contentful-paint')[0].startTime, window.verdictAt,
    ]);
    look();
})"""


Load = tuple[float, float]
"""Seconds from the start of navigation to the browser's own paint, and to the verdict."""


def measure() -> Findings:
    """Load the page from fresh servers, and again and again from one of them."""
    with open_browser() as browser:
        cold = [_cold(browser) for _ in range(COLD)]
        with tempfile.TemporaryDirectory() as folder, ServedApp(Path(folder)) as app:
            _load(browser, app.url)
            warm = [_load(browser, app.url) for _ in range(WARM)]
            with open_page(browser) as page:
                page.add_init_script(WATCH)
                cached = [_open(page, app.url) for _ in range(WARM + 1)][1:]
    return Findings(
        (
            *_lines("running server", warm),
            *_lines("running server, browser's cache filled", cached),
            *_lines(f"fresh server, first visitor, median of {COLD}", cold),
        )
    )


def _cold(browser: Browser) -> Load:
    with tempfile.TemporaryDirectory() as folder, ServedApp(Path(folder)) as app:
        return _load(browser, app.url)


def _load(browser: Browser, url: str) -> Load:
    with open_page(browser) as page:
        page.add_init_script(WATCH)
        return _open(page, url)


def _open(page: Page, url: str) -> Load:
    page.goto(f"{url}/psychometric")
    contentful, verdict = page.evaluate(PAINTS)
    return contentful / 1000, verdict / 1000


def _lines(what: str, loads: list[Load]) -> list[Figure]:
    paints, verdicts = zip(*loads, strict=True)
    contentful, verdict = statistics.median(paints), statistics.median(verdicts)
    return [
        Figure(
            f"{what}: psychometric bench with its verdict",
            f"{verdict:.2f} s",
            *judged(GOAL, verdict),
            f"slowest {max(verdicts):.2f} s",
        ),
        Figure(f"{what}: First Contentful Paint", f"{contentful:.2f} s"),
    ]
