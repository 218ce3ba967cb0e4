"""How long after a request the served app has painted, and when its verdict stands."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.figure import Figure

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

import chromium  # noqa: E402  (tools/ and tests/ are no packages)

from harness.served_app import ServedApp  # noqa: E402
from harness.watched_page import WatchedPage, launch  # noqa: E402

REPEATS = 7
TARGET_MS = 2000
PAINTED = """() => new Promise(done => new PerformanceObserver((list, observer) => {
    observer.disconnect();
    done(list.getEntries()[0].startTime);
}).observe({ type: 'paint', buffered: true }))"""


def _load(browser: Browser, url: str) -> tuple[float, float]:
    """Milliseconds from the start of navigation to the first paint and to the verdict."""
    watched = WatchedPage(browser, trace=False, viewport={"width": 1280, "height": 900})
    try:
        watched.page.goto(url)
        watched.page.get_by_test_id("verdict").wait_for(timeout=60_000)
        verdict = float(watched.page.evaluate("performance.now()"))
        return float(watched.page.evaluate(PAINTED)), verdict
    finally:
        watched.close()


def figures() -> list[Figure]:
    """Load the page in fresh browser contexts of one browser."""
    executable = chromium.find()
    assert executable is not None, "make bench installs a Chromium"
    with (
        tempfile.TemporaryDirectory() as folder,
        ServedApp(Path(folder)) as app,
        sync_playwright() as playwright,
        launch(playwright, executable) as browser,
    ):
        first, *later = [_load(browser, app.url) for _ in range(REPEATS + 1)]
    paint = statistics.median(p for p, _ in later)
    verdict = statistics.median(v for _, v in later)
    how = f"median of {REPEATS} page loads without cache"
    return [
        Figure("first paint of the app", _ms(paint), _below(), paint < TARGET_MS, how),
        Figure("verdict on screen", _ms(verdict), how=how),
        Figure("verdict on screen, first visitor of a fresh server", _ms(first[1]), how="one load"),
    ]


def _ms(value: float) -> str:
    return f"{value:.0f} ms"


def _below() -> str:
    return f"under {TARGET_MS / 1000:g} s"
