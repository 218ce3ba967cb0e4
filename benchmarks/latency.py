"""Drag to redraw in real Chromium.

The mouse drags the slider of perceptual noise, which has Python refit the curve, and the stimulus
handle, which the page redraws by itself. Each step waits for the end of the one before. The clock
runs from where the page takes the `pointermove` to the beginning of the animation frame that paints
the answer to it (the component's event `biaslab:painted`, checked by its generation number), or the
handle in its new place. Chromium hands out pointer moves at the beginning of a frame, so an answer
is painted 16.7 ms later at the earliest: the next frame of a 60 Hz screen. "Answer in the page" is
the time until the answer stands in the document, waiting for its frame.

The reference is the same without what biaslab does about it, so that Nagle's algorithm holds small
messages back: in JupyterLab its server extension is disabled, in the served app it is not called.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from playwright.sync_api import Browser

from benchmarks.findings import Figure, Findings, at_most, beside, spread
from benchmarks.screen import WINDOW, Clock, Shown, Step, drag, open_browser, opened, settled
from benchmarks.timing import median_seconds
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.core.subjects.sources import sources

STEPS, STEPS_WITHOUT, ANSWERS = 100, 40, 50
HANDLES = {"alpha-handle": "stimulus handle", "noise": "noise slider"}
STATES = {
    "alpha-handle": """bench =>
        bench.querySelector("[data-testid=alpha-handle]").getAttribute("transform")"""
}
"""What ends a step of what Python does not answer."""
MEDIAN_GOALS = {"JupyterLab": at_most(20, "ms"), "served app": at_most(30, "ms")}
LATE_GOAL = at_most(50, "ms")
BENCH = Shown("psychometric", "PsychometricBench", "'wiki-bootstraps', word='nurse'")
NO_EXTENSION = ["--ServerApp.jpserver_extensions={'biaslab_widgets.hosts.nodelay': False}"]
WITHOUT = {
    "JupyterLab": "",
    "served app": """
from biaslab_widgets.app import serve
assert serve.send_bokeh_at_once
serve.send_bokeh_at_once = lambda: None
""",
}
"""Python text that takes back what biaslab changes in a host."""

Samples = dict[str, list[Step]]


def measure() -> Findings:
    """Drag in both hosts, as they are and without what biaslab changes in them."""
    figures, local = [], []
    with open_browser() as browser:
        for host in MEDIAN_GOALS:
            steps = _dragged(browser, host, STEPS, BENCH)
            without = _dragged(
                browser, host, STEPS_WITHOUT, replace(BENCH, before=WITHOUT[host]), NO_EXTENSION
            )
            for handle in HANDLES:
                figures += _lines(host, handle, steps[handle], without[handle])
            local += [step.local <= step.frame for step in steps["alpha-handle"]]
    python = 1000 * _answer_seconds()
    figures.append(Figure("Python's part of it: the answer to a new noise", f"{python:.1f} ms"))
    return Findings(
        tuple(figures),
        (
            (
                f"{STEPS} steps each ({STEPS_WITHOUT} for the reference) after 10 that do not "
                f"count; {WINDOW}, without a graphics card."
            ),
            (
                "The page drew its own part of a move of the stimulus handle before the next frame "
                f"in {sum(local)} of {len(local)} steps."
            ),
        ),
    )


def _dragged(
    browser: Browser, host: str, steps: int, shown: Shown, arguments: Sequence[str] = ()
) -> Samples:
    with opened(browser, host, shown, arguments) as page:
        clock = Clock(settled(page))
        return {
            handle: drag(
                clock, page.get_by_test_id(handle), steps, state=STATES.get(handle, "")
            ).steps
            for handle in HANDLES
        }


def _lines(host: str, handle: str, steps: list[Step], without: list[Step]) -> list[Figure]:
    name = f"{host}, {HANDLES[handle]}"
    painted, old = ([step.painted for step in some] for some in (steps, without))
    lines = spread(f"{name}: painted", painted, "without", old, MEDIAN_GOALS[host], LATE_GOAL)
    if handle in STATES:
        local = statistics.median(step.local for step in steps)
        return [*lines, Figure(f"{name}: its own redraw, median", f"{local:.1f} ms")]
    answered, before = (statistics.median(step.answered for step in some)
                        for some in (steps, without))  # fmt: skip
    return [
        *lines,
        beside(f"{name}: answer in the page, median", answered, "without", before, None),
    ]


def _answer_seconds() -> float:
    """Median seconds in which the psychometric controller answers a new perceptual noise."""
    offered = sources("wiki-bootstraps")
    offered["wiki-bootstraps"].open()
    controller = PsychometricController(offered, lambda _: None)
    state, steps = replace(controller.snapshot(), word="nurse"), count()

    def answer() -> None:
        step = next(steps)
        outputs = controller.answer(replace(state, noise=0.01 * (1 + step % 40), generation=step))
        assert outputs["answer"]["state"] == "ready", outputs["answer"]["message"]

    return median_seconds(answer, ANSWERS, before=5)
