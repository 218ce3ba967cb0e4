"""The pages about runs in a browser: saved in a bench, found, tagged, deleted, reopened."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from harness.served_app import ServedApp
from harness.server import wait_until


def save(page: Page, url: str, word: str) -> str:
    """Save a run of a word in the psychometric bench; returns its verdict."""
    page.goto(f"{url}/psychometric?word={word}")
    verdict = page.get_by_test_id("verdict")
    expect(verdict).to_contain_text(word)
    page.get_by_role("button", name="Save run").click()
    expect(page.get_by_test_id("notice")).to_contain_text("Saved as run")
    return verdict.inner_text()


def rows(page: Page, word: str) -> Locator:
    """The rows of a word's runs."""
    return page.locator(".row").filter(has_text=word)


def saved_runs(app: ServedApp, word: str) -> int:
    """How many runs of a word tests have left in the app."""
    return sum(word in json.dumps(run) for run in json.loads(app.ask("/api/runs"))["runs"])


def go_to_first_row(page: Page) -> None:
    """Go from the search field to the list by keys."""
    page.get_by_role("searchbox").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-run]").first).to_be_focused()


def test_two_runs_are_saved_found_tagged_deleted_brought_back_reopened_and_compared(
    app: ServedApp, page: Page
) -> None:
    before = saved_runs(app, "piano")
    verdict = save(page, app.url, "piano")
    save(page, app.url, "garden")

    # Found by a word, from the keyboard, with the state in the address.
    page.goto(f"{app.url}/runs")
    expect(rows(page, "garden").first).to_be_visible()
    search = page.get_by_role("searchbox")
    while not search.evaluate("field => field === document.activeElement"):
        page.keyboard.press("/")  # lost before the page listens
    page.keyboard.type("piano")
    expect(rows(page, "garden")).to_have_count(0)
    expect(rows(page, "piano")).to_have_count(before + 1)
    expect(page).to_have_url(re.compile(r"/runs\?search=piano$"))
    page.reload()
    expect(rows(page, "piano")).to_have_count(before + 1)
    expect(rows(page, "garden")).to_have_count(0)
    expect(page.get_by_role("searchbox")).to_have_value("piano")

    # Tagged, and found by the tag.
    go_to_first_row(page)
    page.keyboard.press(" ")
    expect(page.get_by_text("1 run selected")).to_be_visible()
    page.get_by_text("Tag", exact=True).click()
    page.get_by_label("New tag").fill("thesis")
    page.keyboard.press("Enter")
    expect(rows(page, "piano").first.locator(".tag")).to_have_text(["thesis"])
    page.get_by_label("Tag", exact=True).select_option("thesis")
    expect(page).to_have_url(re.compile(r"tag=thesis"))
    page.go_back()
    expect(page.get_by_label("Tag", exact=True)).to_have_value("")

    # Deleted by a key, and brought back from the bottom line.
    page.goto(f"{app.url}/runs?search=piano")
    expect(rows(page, "piano")).to_have_count(before + 1)
    go_to_first_row(page)
    page.keyboard.press("Delete")
    expect(rows(page, "piano")).to_have_count(before)
    expect(page.get_by_text("1 run deleted")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(rows(page, "piano")).to_have_count(before + 1)

    # Deleted on its own page: the list offers to bring it back.
    page.locator("a.finding").first.click()
    page.get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile("/runs$"))
    page.get_by_role("button", name="Undo").click()
    expect(rows(page, "piano")).to_have_count(before + 1)

    # Compared: the runs share no word, and the bar says so.
    for word in ("piano", "garden"):
        rows(page, word).first.get_by_role("checkbox").check()
    expect(page.get_by_text(re.compile("share no"))).to_be_visible()
    expect(page.get_by_role("button", name="Compare")).to_be_disabled()

    # Reopened in its bench, with the same numbers.
    page.goto(f"{app.url}/runs?search=piano")
    page.locator("a.finding").first.press("Enter")
    page.get_by_role("link", name="Open in Psychometric").click()
    expect(page.get_by_role("note")).to_contain_text("Opened from run")
    expect(page.get_by_test_id("verdict")).to_have_text(verdict, use_inner_text=True)


def test_runs_of_one_word_are_compared_and_no_page_about_them_scrolls_sideways(
    app: ServedApp, page: Page
) -> None:
    for _ in range(3):
        save(page, app.url, "desert")
    page.goto(f"{app.url}/runs")
    for place in range(2):
        rows(page, "desert").nth(place).get_by_role("checkbox").check()
    page.get_by_role("link", name="Compare").click()
    row = page.locator("tbody tr[data-row]").first
    row.focus()
    expect(page.locator(".readout")).to_contain_text("change 0")
    swap = page.get_by_role("link", name="Swap A and B")
    before = page.url
    swap.click()
    expect(page).not_to_have_url(before)
    expect(page.locator("tbody tr[data-row]").first).to_be_visible()

    # Three are followed in an order, which keys change.
    query = parse_qs(urlsplit(page.url).query)
    first, second = query["a"][0], query["b"][0]
    page.goto(f"{app.url}/runs")
    for place in range(3):
        rows(page, "desert").nth(place).get_by_role("checkbox").check()
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_text("Compare 3 runs in order")).to_be_visible()
    later = page.get_by_role("button", name=re.compile("later$"))
    later.first.press("Enter")
    expect(later.nth(1)).to_be_focused()
    followed = page.url.removeprefix(f"{app.url}/")

    page.set_viewport_size({"width": 400, "height": 800})
    shown = {
        followed: ".order li",
        f"compare?a={first}&b={second}": "tr[data-row]",
        "runs": ".row",
        f"run?id={first}": "article.run",
        f"report?runs={first}": "iframe",
    }
    for address, part in shown.items():
        page.goto(f"{app.url}/{address}")
        expect(page.locator(part).first).to_be_visible()
        wait_until(lambda: _width(page) <= 400, f"A narrow {address}")


def _width(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


def test_a_new_store_offers_three_ways_to_begin(app: ServedApp, page: Page) -> None:
    nothing = {"runs": [], "benches": [], "bytes": 0}
    page.route("**/api/runs", lambda route: route.fulfill(json=nothing))
    page.goto(f"{app.url}/runs")
    expect(page.get_by_role("main").get_by_role("link")).to_have_count(3)
