"""The page of a bench shows its frame while the bench's scripts are still on their way."""

from __future__ import annotations

import pytest
from playwright.sync_api import FloatRect, Locator, Page, Route, expect

from biaslab_widgets.benches import BENCHES
from harness.served_app import ServedApp

SCRIPTS = "**/*bokeh*.js*"
PX = 3
"""By so much a line may move when the bench takes the place of its frame."""


def box(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found is not None
    return found


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


@pytest.mark.parametrize("bench", [entry.slug for entry in BENCHES])
def test_the_frame_stands_before_the_scripts_and_nothing_moves_when_the_bench_comes(
    app: ServedApp, page: Page, bench: str
) -> None:
    held = Held(page)
    page.goto(f"{app.url}/{bench}", wait_until="commit")
    frame = page.locator(".frame")
    expect(frame).to_be_visible()
    expect(frame).to_have_attribute("aria-busy", "true")
    question = page.locator("h1")
    expect(question).to_have_count(1)
    # A line's place depends on how wide the words beside it are.
    page.evaluate("document.fonts.load('600 14px Inter').then(() => document.fonts.ready)")
    asked, before, whole = question.inner_text(), box(question), box(frame)
    expect(page.get_by_test_id("bench")).to_have_count(0)
    held.let_go()
    shown = page.locator("article h1")
    expect(shown).to_contain_text(asked)
    expect(frame).to_have_count(0)
    after, card = box(shown), box(page.locator("article").first)
    assert abs(after["y"] - before["y"]) <= PX
    assert abs(after["x"] - before["x"]) <= PX
    assert (card["x"], card["y"], card["width"]) == (whole["x"], whole["y"], whole["width"])


@pytest.mark.parametrize("bench", [entry.slug for entry in BENCHES])
def test_on_a_phone_the_question_stays_where_it_is(app: ServedApp, page: Page, bench: str) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    held = Held(page)
    page.goto(f"{app.url}/{bench}", wait_until="commit")
    frame = page.locator(".frame")
    before = box(frame.get_by_role("heading", level=1))
    held.let_go()
    expect(page.get_by_test_id("bench")).not_to_have_attribute("data-state", "loading")
    expect(frame).to_have_count(0)
    assert abs(before["y"] - box(page.locator("article h1"))["y"]) <= PX


def test_on_a_phone_and_in_the_dark_the_frame_fits(app: ServedApp, page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 400, "height": 800})
    held = Held(page)
    page.goto(f"{app.url}/psychometric?word=engineer", wait_until="commit")
    frame = page.locator(".frame")
    expect(frame.get_by_role("heading", level=1)).to_contain_text("“engineer”")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert frame.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(21, 24, 28)"
    head = box(frame.locator("header"))
    held.let_go()
    expect(frame).to_have_count(0)
    assert abs(head["height"] - box(page.locator("article header").first)["height"]) <= PX


def test_a_page_whose_scripts_never_come_keeps_its_navigation(app: ServedApp, page: Page) -> None:
    Held(page)
    page.goto(f"{app.url}/rating", wait_until="commit")
    expect(page.locator(".frame")).to_be_visible()
    page.get_by_role("link", name="Sentences", exact=True).click()
    expect(page).to_have_url(f"{app.url}/sentences")
    expect(page.locator(".frame")).to_contain_text("Which version of a sentence")
