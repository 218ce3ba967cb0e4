"""A drag of the level in the decision bench to its redraw in real Chromium.

A stored run of 5,000 trials is on the screen, each of them a mark. The mouse drags the handle from
level to level of the axis: handle, guide, shares of both groups, impact ratio and the text of the
case follow. The page redraws them by itself, and Python is not asked. Each step waits for the end
of the one before. The clock runs from where the page takes the `pointermove` to the animation frame
that finds handle and text at their new level, mostly the same frame, as Chromium hands out pointer
moves at its beginning. Layout and raster come after it and are not counted.

The reference is the same drag with 40 trials: what frames take, whatever is on the screen.
"""

from __future__ import annotations

from playwright.sync_api import Browser

from benchmarks.decisions import TRIALS
from benchmarks.findings import Figure, Findings, at_most, spread
from benchmarks.screen import (
    HOSTS,
    WINDOW,
    Clock,
    Shown,
    centre,
    drag,
    open_browser,
    opened,
    settled,
)
from harness.decision_hosts import Decisions

STEPS, WARM_UP, LITTLE = 100, 10, 40
GOAL = at_most(50, "ms")
AT_LEVEL = """bench => {
    const part = name => bench.querySelector(`[data-testid="${name}"]`);
    const level = part("x-handle").getAttribute("aria-valuenow");
    return Number.parseFloat(part("x-chip").textContent) === Number(level) ? level : null;
}"""
"""The level at the handle, once the text of the case says the same."""
_STORED = """
from benchmarks.decisions import simulated
from biaslab_widgets.benches.decisions.widget import DecisionBench as Shown

def show_stored(bench, *arguments, begin=Shown.__init__, **options):
    begin(bench, *arguments, **options)
    assert bench.controller.take_stored(simulated("yes or no", {count}))

Shown.__init__ = show_stored
"""


def measure() -> Findings:
    """Drag in both hosts, with 5,000 trials on the screen and with 40."""
    figures: list[Figure] = []
    with open_browser() as browser:
        for host in HOSTS:
            many, few = (_dragged(browser, host, count) for count in (TRIALS, LITTLE))
            figures += spread(
                f"{host}, {TRIALS:,} trials: painted", many, f"{LITTLE} trials", few, GOAL
            )
    note = f"{STEPS} steps after {WARM_UP} that do not count; {WINDOW}, without a graphics card."
    return Findings(tuple(figures), (note,))


def _dragged(browser: Browser, host: str, count: int) -> list[float]:
    """Milliseconds of each step of a drag from level to level."""
    before = _STORED.format(count=count)
    shown = Shown("decisions", "DecisionBench", "'simulated decider'", before)
    with opened(browser, host, shown) as page:
        view = Decisions.on(page)
        settled(page)
        settled(page, "[data-settled]")
        assert view.trials() == count, f"{view.trials()} of {count} marks are on the screen"
        steps = drag(
            Clock(view.root), view.part("x-handle"), STEPS, WARM_UP, state=AT_LEVEL,
            pixels=_between_levels(view),
        ).steps  # fmt: skip
    return [step.painted for step in steps]


def _between_levels(view: Decisions) -> float:
    """Pixels from one level of the axis to the next; leaves the handle in the middle."""
    handle, mouse = view.part("x-handle"), view.page.mouse
    ends = []
    for key in ("Home", "End"):
        handle.press(key)
        ends.append((view.x(), centre(handle)))
    (low, (left, height)), (high, (right, _)) = ends
    mouse.click((left + right) / 2, height)
    handle.press("ArrowLeft")
    step = (low + high) / 2 - view.x()
    handle.press("ArrowRight")
    assert step > 0, "the handle does not move by a level"
    return (right - left) * step / (high - low)
