"""The page of a bench shows its frame while the bench's scripts are still on their way."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from biaslab_widgets.benches import BENCHES
from harness.served_app import ServedApp

SCRIPTS = "**/*bokeh*.js*"
LIMIT = 0.1
"""Of what moves by itself, as Chromium counts it: more disturbs people."""
SHIFTS = """
window.shifted = 0;
new PerformanceObserver(list => {
    for (const { value } of list.getEntries()) window.shifted += value;
}).observe({ type: "layout-shift" });
"""
DRAWN = "new Promise(end => requestAnimationFrame(() => requestAnimationFrame(() => end(true))))"


class Held:
    """Requests for the scripts, held back until they are let go."""

    def __init__(self, page: Page) -> None:
        self._routes: list[Route] = []
        self._open = False
        page.route(SCRIPTS, self._take)

    def _take(self, route: Route) -> None:
        if self._open:
            route.continue_()
        else:
            self._routes.append(route)

    def let_go(self) -> None:
        """Answer those that wait, and all that follow."""
        self._open = True
        for route in self._routes:
            route.continue_()


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize(
    "bench",
    [
        pytest.param(one.slug, marks=[] if one.slug == "decisions" else [pytest.mark.validate])
        for one in BENCHES
    ],
)
def test_the_frame_stands_before_the_scripts_and_the_bench_comes_in_its_place(
    app: ServedApp, page: Page, bench: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    held = Held(page)
    page.goto(f"{app.url}/{bench}", wait_until="commit")
    frame = page.locator(".frame")
    expect(frame).to_have_attribute("aria-busy", "true")
    question = page.locator("h1")
    expect(question).to_have_count(1)
    asked = question.inner_text()
    # A line's place depends on how wide the words beside it are.
    page.evaluate("document.fonts.load('600 14px Inter').then(() => document.fonts.ready)")
    expect(page.get_by_test_id("bench")).to_have_count(0)
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(SHIFTS)
    held.let_go()
    expect(page.locator("article h1")).to_contain_text(asked)
    expect(frame).to_have_count(0)
    page.evaluate(DRAWN)
    shifted = page.evaluate("shifted")
    assert shifted < LIMIT


def test_a_page_whose_scripts_never_come_keeps_its_navigation(app: ServedApp, page: Page) -> None:
    Held(page)
    page.goto(f"{app.url}/rating", wait_until="commit")
    expect(page.locator(".frame")).to_be_visible()
    page.get_by_role("link", name="Sentences", exact=True).click()
    expect(page).to_have_url(f"{app.url}/sentences")
    expect(page.locator(".frame")).to_contain_text("Which version of a sentence")
