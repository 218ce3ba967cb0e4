"""A drag of an input of the rating bench to its redraw in real Chromium.

A simulated translator was run through all its languages, and the point of the unbiased block is
taken in the triangle and dragged above the edge on which it lay, so that the third value gets a
share, too. With each move the stored answers are rated anew: counts of all cells, both ratings of
all languages, the probabilities, the verdict, both decision trees. Each step waits for the answer
to the one before. The clock runs from where the page takes the `pointermove` to the beginning of
the animation frame that paints the answer to it (the component's event `biaslab:painted`). Chromium
hands out pointer moves at the beginning of a frame, so an answer is painted 16.7 ms later at the
earliest. The first move of a drag is told apart: with the first of all, what became of every value
is drawn anew, since from then on the third value is compared as well.

The reference is a service that is asked ten texts directly: what transport and frames take,
whatever is rated. Python alone is from the changed shares to the text of everything that goes to
the front end, in the same designs.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser

import biaslab as bl
from benchmarks.browser import SIZE, open_browser
from benchmarks.drag import Step, drag, watch
from benchmarks.findings import Figure, Findings, milliseconds
from benchmarks.hosts import in_lab, served
from benchmarks.timing import late
from biaslab_widgets.benches.rating.bench import RatingController
from biaslab_widgets.benches.rating.services import service_sources

from harness.emitted import Emitted  # isort: skip  (found through benchmarks.browser)
from harness.rating import BLOCKS, Rating  # isort: skip

GOAL_MS = 50.0
ROUNDS, STEPS, WARM_UP = 4, 25, 4
RISE = 60.0
"""Pixels above the edge of the triangle."""
BEHAVIOURS = {
    "es": "faithful",
    "tr": "always-he",
    "eo": "compensating",
    "ca": "erasing",
    "fr": "noisy",
    "it": "always-she",
    "pt": "faithful",
    "ru": "compensating",
}


@dataclass(frozen=True)
class Size:
    """A design: so many languages, texts of a block and three blocks; with a goal or none."""

    languages: int
    texts: int
    goal: float | None = None

    @property
    def title(self) -> str:
        """What the report calls it."""
        asked = max(self.languages, 1) * self.texts * len(BLOCKS)
        through = f"{self.languages} languages x " if self.languages else ""
        return f"{through}{self.texts:,} texts x {len(BLOCKS)} blocks ({asked:,} answers)"

    @property
    def behaviours(self) -> dict[str, str]:
        """What the simulated translator does through each language."""
        return dict(list(BEHAVIOURS.items())[: self.languages])

    @property
    def inputs(self) -> dict[str, Any]:
        """Of the bench."""
        return {"texts": self.texts, "middles": list(self.behaviours), "distributions": BLOCKS}


SIZES = (Size(4, 40, GOAL_MS), Size(8, 60, GOAL_MS), Size(8, 1000))
LITTLE = Size(0, 10)


@dataclass
class Drags:
    """Drags of one design: the first move of each, and the steps that follow."""

    first: list[Step] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def measure() -> Findings:
    """In both hosts, then in Python alone."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        # What is measured is nobody's to keep.
        os.environ["BIASLAB_HOME"] = folder
        for host, opened in (("JupyterLab", _in_lab), ("served app", _served)):
            little = _dragged(browser, opened, LITTLE)
            for size in SIZES:
                figures += _lines(host, size, _dragged(browser, opened, size), little)
        least = in_python(LITTLE)
        for size in SIZES:
            figures += _python_lines(size, in_python(size), least)
    width, height = SIZE
    note = (
        f"{ROUNDS} drags of {STEPS} steps, each after {WARM_UP} that do not count; a window of "
        f"{width} x {height}, without a graphics card."
    )
    return Findings(tuple(figures), (note,))


def _in_lab(browser: Browser, size: Size) -> Any:
    cell = f"""{_made(size)}
from biaslab_widgets import RatingBench
RatingBench(service, **{size.inputs!r})"""
    return in_lab(browser, cell)


def _served(browser: Browser, size: Size) -> Any:
    before = f"""{_made(size)}
from biaslab_widgets.app import benches
made = benches.RatingBenchPanel
benches.RatingBenchPanel = lambda shared, **more: made(service, **more, **{size.inputs!r})"""
    return served(browser, "rating", before)


def _made(size: Size) -> str:
    return f"""
import biaslab as bl
service = bl.observers.service("faithful", languages={size.behaviours!r})"""


def _dragged(browser: Browser, opened: Callable[[Browser, Size], Any], size: Size) -> Drags:
    """Run the design, and drag its first block up and sideways, again and again."""
    found = Drags()
    with opened(browser, size) as page:
        view = Rating.on(page)
        view.ran()
        watch(page)
        for _ in range(ROUNDS):
            one = drag(page, view.part("input-point").first, STEPS, WARM_UP, RISE)
            found.first.append(one.first)
            found.steps += one.steps
            _check(view, size)
            view.part("as-run").click()
            view.settle()
    return found


def _check(view: Rating, size: Size) -> None:
    """What was painted is rated anew: every language of it, with a share of the third value."""
    shown = view.settle().shown()
    assert list(shown.rows) == (list(size.behaviours) or [""]), shown.rows
    assert shown.points[0][2] > 0, shown.points
    for row in shown.rows.values():
        assert [cell["predicted"] for cell in row["cells"]] == [True, False, False], row


def _lines(host: str, size: Size, drags: Drags, little: Drags) -> list[Figure]:
    painted, least = _painted(drags.steps), _painted(little.steps)
    first, first_of_little = max(_painted(drags.first)), max(_painted(little.first))
    name = f"{host}, {size.title}"
    return [
        _line(f"{name}: painted, median", statistics.median(painted), statistics.median(least),
              size.goal),
        _line(f"{name}: painted, 95th percentile", late(painted), late(least), size.goal),
        _line(f"{name}: first move of a drag, the slowest of {ROUNDS}", first, first_of_little),
    ]  # fmt: skip


def _painted(steps: list[Step]) -> list[float]:
    return [step.painted for step in steps]


def _line(what: str, value: float, other: float, goal: float | None = None) -> Figure:
    return milliseconds(what, value, "ten texts", other, goal)


def _python_lines(size: Size, taken: list[float], least: list[float]) -> list[Figure]:
    name = f"Python alone, {size.title}"
    return [
        _line(f"{name}: rated anew and packed, median", statistics.median(taken),
              statistics.median(least)),
        _line(f"{name}: rated anew and packed, 95th percentile", late(taken), late(least)),
    ]  # fmt: skip


def in_python(size: Size) -> list[float]:
    """Milliseconds of each step of a drag without a browser, from the shares to what is sent."""
    service = bl.observers.service("faithful", languages=size.behaviours)
    sources = service_sources(service)
    emitted = Emitted()
    controller = RatingController(sources, emitted)
    controller.change({"service": next(iter(sources)), "generation": 1})
    emitted.answer(1)
    controller.change({**size.inputs, "generation": 2})
    emitted.answer(2)
    controller.run().wait()
    emitted.until(_has_ended)
    taken = []
    for step in range(WARM_UP + ROUNDS * STEPS):
        third = 0.01 * (1 + step % 40)
        moved = {**BLOCKS[0], "shares": [0.5 - third, 0.5, third]}
        emitted.log.clear()
        start = time.perf_counter()
        controller.change({"distributions": [moved, *BLOCKS[1:]], "generation": 3 + step})
        emitted.answer(3 + step)
        for outputs in emitted.log:
            json.dumps(outputs)
        taken.append(1000 * (time.perf_counter() - start))
    return taken[WARM_UP:]


def _has_ended(state: dict[str, Any]) -> bool:
    picture = state.get("answer", {}).get("picture")
    return picture is not None and not picture["run"]["running"]
