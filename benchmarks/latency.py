"""Drag to redraw in real Chromium.

The mouse drags the stimulus handle, and the slider of perceptual noise, which has Python refit the
curve. Each step waits for the answer to the one before. The clock runs from where the page takes
the `pointermove` to the beginning of the animation frame that paints the answer to it (the
component's event `biaslab:painted`, checked by its generation number). Chromium hands out pointer
moves at the beginning of a frame, so an answer is painted 16.7 ms later at the earliest: the next
frame of a 60 Hz screen. "Answer in the page" is the time until the answer stands in the document,
waiting for its frame. The page's own redraw (handle, guide line, counts) comes first and does not
wait for Python.

The reference is the same without what biaslab does about it: in JupyterLab its server extension
disabled, so that Nagle's algorithm holds small messages back; in the served app that, and Panel's
50 ms of gathering changes.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.browser import SIZE, open_browser, open_page
from benchmarks.drag import Step, drag, watch
from benchmarks.findings import Figure, Findings, milliseconds
from benchmarks.python_answer import answer_seconds
from benchmarks.timing import late

from harness.jupyter_lab import JupyterLab  # isort: skip  (found through benchmarks.browser)
from harness.served_app import ServedApp  # isort: skip

STEPS, STEPS_WITHOUT = 100, 40
HANDLES = {"alpha-handle": "stimulus handle", "noise": "noise slider"}
MEDIAN_GOALS = {"JupyterLab": 20.0, "served app": 30.0}
LATE_GOAL = 50.0
CELL = """
from biaslab_widgets import PsychometricBench
PsychometricBench("wiki-bootstraps", word="nurse")
"""
NO_EXTENSION = ["--ServerApp.jpserver_extensions={'biaslab_widgets.hosts.nodelay': False}"]
AS_PANEL_IS = """
from biaslab_widgets.app import serve
from biaslab_widgets.hosts.panel import Bench
assert serve.send_bokeh_at_once
serve.send_bokeh_at_once = lambda: None
del Bench._debounce
"""

Samples = dict[str, list[Step]]


def measure() -> Findings:
    """Drag in both hosts, as they are and without what biaslab changes in them."""
    with open_browser() as browser:
        found = {
            "JupyterLab": (in_lab(browser, STEPS), in_lab(browser, STEPS_WITHOUT, NO_EXTENSION)),
            "served app": (served(browser, STEPS), served(browser, STEPS_WITHOUT, AS_PANEL_IS)),
        }
    figures = [
        line
        for host, (samples, without) in found.items()
        for handle in HANDLES
        for line in _lines(host, handle, samples[handle], without[handle])
    ]
    python = 1000 * answer_seconds()
    figures.append(Figure("Python's part of it: the answer to a new noise", f"{python:.1f} ms"))
    same = [s.local <= s.frame for samples, _ in found.values() for s in samples["alpha-handle"]]
    width, height = SIZE
    return Findings(
        tuple(figures),
        (
            (
                f"{STEPS} steps each ({STEPS_WITHOUT} for the reference) after 10 that do not "
                f"count; a window of {width} x {height}, without a graphics card."
            ),
            (
                "The page drew its own part of a move of the stimulus handle before the next frame "
                f"in {sum(same)} of {len(same)} steps."
            ),
        ),
    )


def in_lab(browser: Browser, steps: int, arguments: Sequence[str] = ()) -> Samples:
    """Drag in JupyterLab."""
    with (
        tempfile.TemporaryDirectory() as folder,
        JupyterLab(Path(folder), arguments) as lab,
        open_page(browser) as page,
    ):
        lab.open(page, lab.write_notebook("drag.ipynb", [CELL]))
        lab.run_all(page)
        return _both(page, steps)


def served(browser: Browser, steps: int, before: str = "") -> Samples:
    """Drag in the served app; ``before`` is run in its process first."""
    with tempfile.TemporaryDirectory() as folder:
        app = ServedApp(Path(folder))
        code = app.command.index("-c") + 1
        app.command[code] = before + app.command[code]
        with app, open_page(browser) as page:
            page.goto(app.url)
            return _both(page, steps)


def _both(page: Page, steps: int) -> Samples:
    watch(page)
    return {handle: drag(page, handle, steps).steps for handle in HANDLES}


def _lines(host: str, handle: str, steps: list[Step], without: list[Step]) -> list[Figure]:
    name = f"{host}, {HANDLES[handle]}"
    painted, old = [s.painted for s in steps], [s.painted for s in without]
    answered = statistics.median(s.answered for s in steps)
    lines = [
        _line(f"{name}: painted, median", statistics.median(painted), statistics.median(old),
              MEDIAN_GOALS[host]),
        _line(f"{name}: painted, 95th percentile", late(painted), late(old), LATE_GOAL),
        _line(f"{name}: answer in the page, median", answered,
              statistics.median(s.answered for s in without)),
    ]  # fmt: skip
    if handle == "alpha-handle":
        local = statistics.median(s.local for s in steps)
        lines.append(Figure(f"{name}: its own redraw, median", f"{local:.1f} ms"))
    return lines


def _line(what: str, value: float, without: float, goal: float | None = None) -> Figure:
    return milliseconds(what, value, "without", without, goal)
