"""From the move of a hand to the redrawn curve, in both hosts: a round trip through Python.

The perceptual-noise slider is dragged with the mouse in a real Chromium; each move refits the curve
in Python. The clock runs from when the page handles the move until the new curve stands in the page
and until the frame that shows it.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.figure import Figure

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

import chromium  # noqa: E402  (tools/ and tests/ are no packages)

from harness.jupyter_lab import JupyterLab  # noqa: E402
from harness.served_app import ServedApp  # noqa: E402
from harness.watched_page import WatchedPage, launch  # noqa: E402

WARM_UP = 10
MOVES = 60
P95_MS = 50.0
NAGLE = ["--ServerApp.jpserver_extensions={'biaslab_widgets.nodelay': False}"]
CELL = """
from biaslab_widgets import PsychometricBench
bench = PsychometricBench("wiki-bootstraps", word="nurse")
bench
"""
RECORD = """slider => {
    const samples = window.redraws = [];
    let moved = null;
    slider.addEventListener('input', () => { moved ??= performance.now(); }, true);
    new MutationObserver(records => {
        if (moved === null || !records.some(r => r.target.classList.contains('curve'))) return;
        const start = moved;
        const drawn = performance.now() - start;
        moved = null;
        requestAnimationFrame(() => samples.push([drawn, performance.now() - start]));
    }).observe(slider.getRootNode(), { subtree: true, attributes: true, attributeFilter: ['d'] });
}"""

Samples = list[tuple[float, float]]


def drag(page: Page) -> Samples:
    """Drag the slider to and fro; milliseconds to the new curve and to its frame, per move."""
    page.get_by_test_id("verdict").wait_for(timeout=60_000)
    slider = page.get_by_test_id("noise")
    slider.scroll_into_view_if_needed()
    slider.evaluate(RECORD)
    box = slider.bounding_box()
    assert box is not None
    steps = [0.2 + 0.6 * abs(1 - (i % 40) / 20) for i in range(WARM_UP + MOVES)]
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.5, middle)
    page.mouse.down()
    page.wait_for_function("window.redraws.length === 1")
    for done, step in enumerate(steps, start=2):
        page.mouse.move(box["x"] + box["width"] * step, middle)
        page.wait_for_function("n => window.redraws.length === n", arg=done)
    page.mouse.up()
    samples = page.evaluate("window.redraws")
    return [(drawn, painted) for drawn, painted in samples[-MOVES:]]


@contextmanager
def _page(browser: Browser) -> Iterator[Page]:
    watched = WatchedPage(browser, trace=False, viewport={"width": 1280, "height": 1000})
    try:
        yield watched.page
    finally:
        watched.close()


def in_lab(browser: Browser, arguments: Sequence[str] = ()) -> Samples:
    """Measure in JupyterLab."""
    with (
        tempfile.TemporaryDirectory() as folder,
        JupyterLab(Path(folder), arguments) as lab,
        _page(browser) as page,
    ):
        lab.open(page, lab.write_notebook("drag.ipynb", [CELL]))
        lab.run_all(page)
        return drag(page)


def served(browser: Browser) -> Samples:
    """Measure in the served app."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ServedApp(Path(folder)) as app,
        _page(browser) as page,
    ):
        page.goto(app.url)
        return drag(page)


def figures() -> list[Figure]:
    """Measure both hosts, and JupyterLab without the server extension to show what it brings."""
    executable = chromium.find()
    assert executable is not None, "make bench installs a Chromium"
    with sync_playwright() as playwright, launch(playwright, executable) as browser:
        return [
            *_lines("JupyterLab", in_lab(browser), 20.0),
            *_lines("the served app", served(browser), 30.0),
            *_lines("JupyterLab, with Nagle's algorithm left on", in_lab(browser, NAGLE)),
        ]


def _lines(host: str, samples: Samples, target: float | None = None) -> Iterator[Figure]:
    drawn = [d for d, _ in samples]
    frames = [p for _, p in samples]
    how = f"{MOVES} moves, Chromium, 1280 x 1000"
    median, late = statistics.median(drawn), statistics.quantiles(drawn, n=20)[-1]
    yield _line(f"drag to redraw in {host}, median", median, target, how)
    yield _line(f"drag to redraw in {host}, 95th percentile", late, target and P95_MS, how)
    yield _line(f"drag to next frame in {host}, median", statistics.median(frames), None, how)


def _line(what: str, value: float, target: float | None, how: str) -> Figure:
    wanted = "" if target is None else f"at most {target:.0f} ms"
    return Figure(what, f"{value:.1f} ms", wanted, None if target is None else value <= target, how)
