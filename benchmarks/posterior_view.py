"""The posterior bench in real Chromium: the first picture of a run, and a cloud of 128,000 draws.

In the served app, over the bundled classifier. First, 64 chains of 1,000 draws are asked for: the
clock runs from the press of Run to the animation frame that paints the first trace (the component's
event `biaslab:painted`); the run is stopped then. Second, 64,000 draws of each label are handed to
a bench whose run has ended, as Python hands them: from there to the frame that shows them. Third,
the pointer moves over that cloud, once in each frame: how long frames are, beside those of the same
bench with next to no draws.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, expect

from benchmarks.findings import Figure, Findings, Goal, judged, spread, under
from benchmarks.screen import WINDOW, open_browser, open_page
from biaslab_widgets.benches.posterior.parts import packed
from harness.served_app import ServedApp

RUNS, FRAMES, HANDED = 5, 180, 9
DRAWS, FEW = 64_000, 100
FRAME = Goal("at most 20.8 ms", lambda took: took <= 1000 / 60 * 1.25)
WAIT_MS = 180_000

_DATA = """() => {
    for (const model of Bokeh.documents[0]._all_models.values())
        if (model.data?.attributes && "shown_dimensions" in model.data.attributes)
            return model.data;
}"""
_FIRST = """root => new Promise(done => {
    const button = root.querySelector("[data-testid=run]");
    let pressed = 0;
    root.addEventListener("biaslab:painted", event => {
        if (pressed && root.querySelector("[data-testid=chain]"))
            done((event.detail.time - pressed) / 1000);
    });
    pressed = performance.now();
    button.click();
})"""
_HAND = f"""([clouds, plane, shown]) => new Promise((done, fail) => {{
    const data = ({_DATA})();
    const n = JSON.parse(data.attributes.outputs).n + 1;
    const outputs = `{{"n":${{n}},"changed":{{"clouds":[${{clouds}}]}}}}`;
    const before = performance.now();
    data.setv({{ outputs }});
    requestAnimationFrame(() => requestAnimationFrame(now =>
        plane.dataset.points === shown ? done(now - before) : fail(plane.dataset.points)));
}})"""
_HOVER = """([plane, frames]) => new Promise(done => {
    const { left, top, width, height } = plane.getBoundingClientRect();
    const times = [];
    const step = now => {
        times.push(now);
        if (times.length > frames) return done(times.slice(1).map((t, i) => t - times[i]));
        const turn = times.length / 20;
        plane.dispatchEvent(new PointerEvent("pointermove", {
            clientX: left + width * (0.5 + 0.4 * Math.cos(turn)),
            clientY: top + height * (0.5 + 0.4 * Math.sin(turn)),
            bubbles: true,
        }));
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""


def measure() -> Findings:
    """First pictures, then a large cloud and a small one."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ServedApp(Path(folder)) as app,
        open_browser() as browser,
    ):
        url = f"{app.url}/posterior?seed=0"  # without the run that it opens with
        firsts = [_first_picture(browser, url) for _ in range(RUNS + 1)][1:]
        with open_page(browser) as page:
            _finished(page, url)
            handed = [_handed(page, DRAWS, seed) for seed in range(HANDED)]
            large = _hovered(page)
            _handed(page, FEW, 0)
            small = _hovered(page)
    first, slowest = statistics.median(firsts), max(firsts)
    note = (
        f"{RUNS} runs after one that does not count, each in a fresh page; {FRAMES} frames; "
        f"{WINDOW}."
    )
    return Findings(
        (
            Figure(
                "Run to the first trace on the screen",
                f"{first:.2f} s",
                *judged(under(1, "s"), first),
                f"slowest {slowest:.2f} s",
            ),
            Figure(
                f"{2 * DRAWS:,} draws handed over, to the frame that shows them",
                f"{statistics.median(handed):.0f} ms",
                reference=f"slowest {max(handed):.0f} ms",
            ),
            *spread("a frame while the pointer moves over them", large, f"{2 * FEW} draws", small,
                    FRAME),
        ),
        (note,),
    )  # fmt: skip


def _first_picture(browser: Browser, url: str) -> float:
    with open_page(browser) as page:
        page.goto(url)
        bench = page.get_by_test_id("bench")
        expect(page.get_by_test_id("run")).to_be_enabled(timeout=WAIT_MS)
        seconds: float = bench.evaluate(_FIRST)
        page.get_by_test_id("run").click()
        expect(page.get_by_test_id("run")).to_contain_text("Run", timeout=WAIT_MS)
        return seconds


def _finished(page: Page, url: str) -> None:
    """A short run, to its end."""
    page.goto(url)
    expect(page.get_by_test_id("run")).to_be_enabled(timeout=WAIT_MS)
    page.evaluate(
        f"""() => {{
            const data = ({_DATA})();
            const generation = data.attributes.generation + 1;
            data.setv({{ chains: 8, draws: 100, generation }});
        }}"""
    )
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("run")).to_have_text("Run again", timeout=WAIT_MS)


def _handed(page: Page, draws: int, seed: int) -> float:
    random = np.random.default_rng(seed)
    axes = page.evaluate(f"() => JSON.parse(({_DATA})().attributes.clouds.json).axes")
    clouds: dict[str, Any] = {
        "run": 1,
        "version": 1_000 + seed,
        "axes": axes,
        "clouds": [
            {"label": label, "points": packed(0.05 * random.standard_normal((draws, 2)))}
            for label in ("negative", "positive")
        ],
    }
    plane = page.get_by_test_id("plane").element_handle()
    milliseconds: float = page.evaluate(_HAND, [json.dumps(clouds), plane, f"{draws} {draws}"])
    return milliseconds


def _hovered(page: Page) -> list[float]:
    plane = page.get_by_test_id("plane")
    plane.scroll_into_view_if_needed()
    times: list[float] = page.evaluate(_HOVER, [plane.element_handle(), FRAMES])
    return times
