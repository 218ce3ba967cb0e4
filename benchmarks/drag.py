"""Drags a handle of a bench with the mouse, one step at a time, and times what follows."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page

# The clock starts where the page takes the move, before any of its own listeners, and is read where
# the new answer stands in the document and in the frame that paints it. Only the first move after
# `armed` counts, and only an answer to it: everything before was answered.
RECORD = """bench => {
    const record = window.dragged = { armed: false, open: null, steps: [] };
    const generation = () => Number(bench.dataset.generation);
    addEventListener('pointermove', () => {
        if (!record.armed) return;
        record.armed = false;
        const start = performance.now();
        const step = record.open = { start, before: generation() };
        requestAnimationFrame(() => { step.frame = performance.now() - start; });
    }, true);
    new MutationObserver(() => {
        if (record.open) record.open.local ??= performance.now() - record.open.start;
    }).observe(bench, { subtree: true, attributes: true, characterData: true });
    document.addEventListener('biaslab:painted', event => {
        const step = record.open;
        if (!step || event.detail.generation <= step.before) return;
        record.open = null;
        step.answered = event.detail.committed - step.start;
        step.painted = event.detail.time - step.start;
        record.steps.push(step);
    });
}"""
ANSWER_MS = 30_000
TURN = 24
"""Steps from one end of the way to the other."""
PIXELS = 6
NAMES = ("local", "frame", "answered", "painted")


@dataclass(frozen=True)
class Step:
    """Milliseconds from the move of the pointer until something happened.

    Attributes
    ----------
    local : float
        The first change that the page draws by itself.
    frame : float
        The next animation frame after the move.
    answered : float
        Python's answer to this move stands in the document.
    painted : float
        The animation frame that paints it begins.
    """

    local: float
    frame: float
    answered: float
    painted: float


def settle(page: Page) -> Locator:
    """Wait until everything sent is answered; the bench."""
    bench = page.get_by_test_id("bench")
    quiet = page.locator("[data-state=ready]:not([data-waiting])")
    bench.and_(quiet).wait_for(timeout=2 * ANSWER_MS)
    return bench


def watch(page: Page) -> None:
    """Wait for the first answer on the page, and start to record."""
    settle(page).evaluate(RECORD)


@dataclass(frozen=True)
class Dragged:
    """A drag: the move that brings the handle to where it begins, and the steps that count."""

    first: Step
    steps: list[Step]


def drag(
    page: Page, part: str | Locator, steps: int, warm_up: int = 10, rise: float = 0.0
) -> Dragged:
    """Drag a handle to and fro in steps of a few pixels, each waiting for the last one's answer.

    Parameters
    ----------
    page : Page
    part : str or Locator
        The handle, or its test id, or that of a slider.
    steps, warm_up : int
        Steps that count, and steps before them.
    rise : float
        Pixels above its place at which it is dragged.
    """
    part = page.get_by_test_id(part) if isinstance(part, str) else part
    part.scroll_into_view_if_needed()
    box = part.bounding_box()
    assert box is not None, "what is to be dragged is not on the screen"
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    settle(page)
    page.evaluate("window.dragged.steps.length = 0")
    left = x - PIXELS * TURN / 2
    for done in range(1 + warm_up + steps):
        place = TURN - abs(done % (2 * TURN) - TURN)
        page.evaluate("window.dragged.armed = true")
        page.mouse.move(left + PIXELS * place, y - rise)
        page.wait_for_function("n => window.dragged.steps.length > n", arg=done, timeout=ANSWER_MS)
    page.mouse.up()
    found = [Step(**{name: float(step[name]) for name in NAMES})
             for step in page.evaluate("window.dragged.steps")]  # fmt: skip
    return Dragged(found[0], found[1 + warm_up :])
