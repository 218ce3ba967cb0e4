"""Benches on a real screen: Chromium, both hosts, a clock in the page, and a mouse that drags."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright

import chromium
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.watched_page import WatchedPage, launch

SIZE = (1280, 1000)
WINDOW = "a window of {} x {}".format(*SIZE)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A headless Chromium that reaches 127.0.0.1 only."""
    executable = chromium.find()
    if executable is None:
        raise SystemExit("No Chromium found. `make bench` installs one.")
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        launch(playwright, executable) as browser,
    ):
        os.environ["BIASLAB_HOME"] = folder  # what is measured is nobody's to keep
        yield browser


@contextmanager
def open_page(browser: Browser) -> Iterator[Page]:
    """A page with an empty cache; what goes wrong in it fails the measurement."""
    width, height = SIZE
    watched = WatchedPage(browser, viewport={"width": width, "height": height})
    try:
        yield watched.page
        if problems := watched.problems():
            raise SystemExit("The page had problems:\n" + "\n".join(problems))
    finally:
        watched.close()


@dataclass(frozen=True)
class Shown:
    """A bench that is shown.

    - `bench`: its folder, which is its address in the served app, too.
    - `name`: of its class.
    - `arguments`: with which it is made, as Python text.
    - `before`: Python text that is run first.
    """

    bench: str
    name: str
    arguments: str
    before: str = ""

    def with_options(self, **options: object) -> Shown:
        """The same bench with more arguments."""
        return replace(self, arguments=f"{self.arguments}, **{options!r}")


HOSTS = ("JupyterLab", "served app")


@contextmanager
def opened(
    browser: Browser, host: str, shown: Shown, arguments: Sequence[str] = ()
) -> Iterator[Page]:
    """A page of a fresh host that shows the bench.

    - `host`: one of `HOSTS`.
    - `arguments`: of JupyterLab's command.
    """
    with tempfile.TemporaryDirectory() as folder:
        if host == "JupyterLab":
            cell = f"""{shown.before}
from biaslab_widgets import {shown.name}
bench = {shown.name}({shown.arguments})
bench"""
            with JupyterLab(Path(folder), arguments) as lab, open_page(browser) as page:
                lab.open(page, lab.write_notebook("bench.ipynb", [cell]))
                lab.run_all(page)
                yield page
        else:
            app = ServedApp(Path(folder))
            code = app.command.index("-c") + 1
            app.command[code] = f"""{shown.before}
from biaslab_widgets.benches.{shown.bench}.widget import {shown.name}
{shown.name}.on_page = classmethod(lambda made, shared: made({shown.arguments}))
{app.command[code]}"""
            with app, open_page(browser) as page:
                page.goto(f"{app.url}/{shown.bench}")
                yield page


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

    - `painted`: the animation frame that paints the answer, or the new state, begins.
    - `answered`: python's answer stands in the document.
    - `local`, `drawn`: the first change that the page draws by itself, and the frame that paints
      it.
    - `frame`: the next animation frame after the event.
    """

    painted: float
    answered: float = math.nan
    local: float = math.nan
    drawn: float = math.nan
    frame: float = math.nan


class Clock:
    """The clock of one bench.

    - `bench`: outermost element.
    - `drawn`: selector of the part in which a change counts that the page draws by itself; by
      default the whole bench.
    """

    def __init__(self, bench: Locator, drawn: str = "") -> None:
        self.bench, self.page = bench, bench.page
        bench.evaluate(_CLOCK, drawn)

    def arm(self, event: str = "", state: str = "") -> None:
        """Start with the next event of a kind; stop with the answer to it, or at a state.

        - `event`: ``keydown``, ``click``, ``pointermove`` or ``paste``; empty where a script starts
          it.
        - `state`: JavaScript function of the bench: a text once the state is on the screen as a
          whole, and null until then.
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


TURN = 24
"""Steps from one end of the way to the other."""
PIXELS = 6


@dataclass(frozen=True)
class Dragged:
    """A drag: the move that brings the handle to where it begins, and the steps that count."""

    first: Step
    steps: list[Step]


def drag(
    clock: Clock,
    handle: Locator,
    steps: int,
    warm_up: int = 10,
    *,
    rise: float = 0.0,
    state: str = "",
    pixels: float = PIXELS,
) -> Dragged:
    """Drag a handle to and fro in steps of a few pixels, each waiting for the last one's answer.

    - `handle`: what is dragged, or a slider.
    - `steps`, `warm_up`: steps that count, and steps before them.
    - `rise`: pixels above its place at which it is dragged.
    - `state`: what ends a step where none is answered; see `Clock.arm`.
    - `pixels`: of a step; a handle that snaps to levels moves only by whole ones.
    """
    mouse = clock.page.mouse
    x, y = centre(handle)
    mouse.move(x, y)
    mouse.down()
    settled(clock.page)
    left = x - pixels * TURN / 2
    taken = []
    for done in range(1 + warm_up + steps):
        place = TURN - abs(done % (2 * TURN) - TURN)
        clock.arm("pointermove", state)
        mouse.move(left + pixels * place, y - rise)
        taken.append(clock.stopped())
    mouse.up()
    return Dragged(taken[0], taken[1 + warm_up :])


def centre(part: Locator) -> tuple[float, float]:
    """Middle of a part that is brought onto the screen, pixels."""
    part.scroll_into_view_if_needed()
    box = part.bounding_box()
    assert box is not None, "what is to be dragged is not on the screen"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
