"""A clock in a page: from what a person does to the frame that paints what came of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from playwright.sync_api import Locator, Page

WAIT_MS = 120_000
ANSWERED = "[data-state=ready]:not([data-waiting])"

# The clock starts where the page takes the event, before any of its own listeners. It is read where
# the bench first changes, in the frames after that and after the event, where the new answer stands
# in the document, and in the frame that paints it. Where a state is given, it ends with the frame
# that first finds this state to be there and another one than before.
_CLOCK = """(bench, drawn) => {
    const clock = window.clock = { armed: "", open: null, step: null, heard: () => {} };
    const generation = () => Number(bench.dataset.generation);
    const stop = (step, times) => {
        clock.open = null;
        clock.step = { ...step, ...times };
        clock.heard(clock.step);
    };
    clock.arm = (event, state) => {
        clock.step = null;
        clock.state = state;
        clock.before = state?.(bench);
        clock.armed = event;
    };
    clock.start = () => {
        clock.armed = "";
        const start = performance.now();
        const step = { start, before: generation() };
        const look = () => {
            const now = clock.state(bench);
            if (now === null || now === clock.before) requestAnimationFrame(look);
            else stop(step, { painted: performance.now() - start });
        };
        requestAnimationFrame(() => { step.frame = performance.now() - start; });
        if (clock.state) requestAnimationFrame(look);
        clock.open = step;
    };
    const begin = event => {
        if (clock.armed === event.type && !["Alt", "Control"].includes(event.key)) clock.start();
    };
    for (const type of ["keydown", "click", "pointermove", "paste"])
        addEventListener(type, begin, true);
    new MutationObserver(() => {
        const step = clock.open;
        if (!step || step.local !== undefined) return;
        step.local = performance.now() - step.start;
        requestAnimationFrame(() => { step.drawn = performance.now() - step.start; });
    }).observe(drawn ? bench.querySelector(drawn) : bench,
        { subtree: true, childList: true, attributes: true, characterData: true });
    document.addEventListener("biaslab:painted", event => {
        const step = clock.open;
        if (!step || clock.state || event.detail.generation <= step.before) return;
        stop(step, {
            answered: event.detail.committed - step.start,
            painted: event.detail.time - step.start,
        });
    });
}"""
# Waits without asking for frames: drawing them would take time from Python's answer.
_STOPPED = """wait => clock.step ?? new Promise((resolve, reject) => {
    clock.heard = resolve;
    setTimeout(() => reject(new Error(`The clock has not stopped after ${wait} ms.`)), wait);
})"""


@dataclass(frozen=True)
class Step:
    """Milliseconds from the event until something happened; NaN where that was not looked for.

    Attributes
    ----------
    painted : float
        The animation frame that paints the answer, or the new state, begins.
    answered : float
        Python's answer stands in the document.
    local, drawn : float
        The first change that the page draws by itself, and the frame that paints it.
    frame : float
        The next animation frame after the event.
    """

    painted: float
    answered: float = math.nan
    local: float = math.nan
    drawn: float = math.nan
    frame: float = math.nan


class Clock:
    """The clock of one bench.

    Parameters
    ----------
    bench : Locator
        Outermost element.
    drawn : str
        Selector of the part in which a change counts that the page draws by itself; by default the
        whole bench.
    """

    def __init__(self, bench: Locator, drawn: str = "") -> None:
        self.bench, self.page = bench, bench.page
        bench.evaluate(_CLOCK, drawn)

    def arm(self, event: str = "", state: str = "") -> None:
        """Start with the next event of a kind; stop with the answer to it, or at a state.

        Parameters
        ----------
        event : str
            ``keydown``, ``click``, ``pointermove`` or ``paste``; empty where a script starts it.
        state : str
            JavaScript function of the bench: a text once the state is on the screen as a whole, and
            null until then.
        """
        self.page.evaluate(f"clock.arm({event!r}, {state or 'null'})")

    def stopped(self) -> Step:
        """Wait for the end of the step."""
        step = self.page.evaluate(_STOPPED, WAIT_MS)
        return Step(**{name: step[name] for name in Step.__annotations__ if name in step})


def settled(page: Page, answered: str = ANSWERED) -> Locator:
    """Wait until everything sent is answered; the bench, which then matches the selector."""
    bench = page.get_by_test_id("bench")
    bench.and_(page.locator(answered)).wait_for(timeout=WAIT_MS)
    return bench
