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
import time
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser

import biaslab as bl
from benchmarks.findings import Figure, Findings, Goal, at_most, beside, spread
from benchmarks.screen import HOSTS, WINDOW, Clock, Dragged, Shown, drag, open_browser, opened
from biaslab_widgets.benches.rating.bench import RatingController
from biaslab_widgets.benches.rating.services import service_sources
from harness.emitted import Emitted
from harness.rating import BLOCKS, Rating

GOAL = at_most(50, "ms")
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
    goal: Goal | None = None

    @property
    def title(self) -> str:
        """What the report calls it."""
        answers = max(self.languages, 1) * self.texts * len(BLOCKS)
        through = f"{self.languages} languages x " if self.languages else ""
        return f"{through}{self.texts:,} texts x {len(BLOCKS)} blocks ({answers:,} answers)"

    @property
    def behaviours(self) -> dict[str, str]:
        """What the simulated translator does through each language."""
        return dict(list(BEHAVIOURS.items())[: self.languages])

    @property
    def service(self) -> str:
        """Python text that makes it."""
        return (
            "import biaslab as bl\n"
            f"service = bl.observers.service('faithful', languages={self.behaviours!r})"
        )

    @property
    def inputs(self) -> dict[str, Any]:
        """Of the bench."""
        return {"texts": self.texts, "middles": list(self.behaviours), "distributions": BLOCKS}


SIZES = (Size(4, 40, GOAL), Size(8, 60, GOAL), Size(8, 1000))
LITTLE = Size(0, 10)


def measure() -> Findings:
    """In both hosts, then in Python alone."""
    figures: list[Figure] = []
    with open_browser() as browser:
        for host in HOSTS:
            little = _dragged(browser, host, LITTLE)
            for size in SIZES:
                figures += _lines(host, size, _dragged(browser, host, size), little)
        least = in_python(LITTLE)
        for size in SIZES:
            what = f"Python alone, {size.title}: rated anew and packed"
            figures += spread(what, in_python(size), "ten texts", least)
    note = (
        f"{ROUNDS} drags of {STEPS} steps, each after {WARM_UP} that do not count; {WINDOW}, "
        "without a graphics card."
    )
    return Findings(tuple(figures), (note,))


def _dragged(browser: Browser, host: str, size: Size) -> list[Dragged]:
    """Run the design, and drag its first block up and sideways, again and again."""
    shown = Shown("rating", "RatingBench", "service", size.service).with_options(**size.inputs)
    drags = []
    with opened(browser, host, shown) as page:
        view = Rating.on(page)
        view.ran()
        clock = Clock(view.root)
        for _ in range(ROUNDS):
            drags.append(drag(clock, view.part("input-point").first, STEPS, WARM_UP, rise=RISE))
            _check(view, size)
            view.part("as-run").click()
            view.settle()
    return drags


def _check(view: Rating, size: Size) -> None:
    """What was painted is rated anew: every language of it, with a share of the third value."""
    rows = list(view.settle().ratings())
    assert rows == (list(size.behaviours) or [""]), rows
    assert view.shares(0)[2] > 0, view.shares(0)
    predicted = view.part("cell").and_(view.page.locator("[data-predicted]"))
    assert predicted.evaluate_all("all => all.map(one => one.dataset.block)") == ["0"] * len(rows)


def _lines(host: str, size: Size, drags: list[Dragged], little: list[Dragged]) -> list[Figure]:
    name = f"{host}, {size.title}"
    painted, least = ([step.painted for one in some for step in one.steps]
                      for some in (drags, little))  # fmt: skip
    first, other = (max(one.first.painted for one in some) for some in (drags, little))
    return [
        *spread(f"{name}: painted", painted, "ten texts", least, size.goal),
        beside(f"{name}: first move of a drag, the slowest of {ROUNDS}", first, "ten texts", other,
               None),
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
    emitted.ended()
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
