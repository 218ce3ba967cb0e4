"""A catalogue of ratings in a real browser, from a disk: search, composition and cards."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from biaslab.reports.rating.registry import read_cards
from biaslab.reports.rating.site import write_site
from harness.rating_cards import write_cards


def test_a_catalogue_is_searched_and_composed_on_a_phone(page: Page, tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    registry = read_cards(write_cards(tmp_path / "cards"))
    write_site(registry, tmp_path / "site")
    page.set_viewport_size({"width": 400, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.goto((tmp_path / "site" / "index.html").as_uri())

    cards = page.locator(".cards li")
    page.locator("[name=rating]").select_option("UCS")
    page.locator("[name=kind]").select_option("chain")
    expect(page.locator("#count")).to_have_text("2 of 8 shown")
    page.locator("[name=words]").fill("ALWAYS compensating")
    expect(cards.filter(visible=True)).to_contain_text(["always-he observer * compensating"])

    data = registry.data()
    place = {one["name"]: str(k) for k, one in enumerate(data["cards"])}
    services = page.locator("#chain select")
    services.nth(0).select_option(place["compensating observer"])
    services.nth(1).select_option(place["faithful observer"])
    expect(services.nth(1)).to_be_focused()
    outcome = page.locator("#outcome")
    expect(outcome).to_contain_text(data["predictions"]["UCS DSBS"]["text"])
    expect(outcome).to_contain_text("Measured: UCS, as predicted by the definitions")
    services.nth(2).press("a")  # always-he, by keyboard
    expect(outcome).to_contain_text("Predicted: BS (biased system).")
    expect(outcome).to_contain_text("Measured: BS, as predicted. The chain was rated with other")
    services.nth(0).select_option(place["erasing observer"])
    services.nth(1).select_option(place["always-he observer"])
    expect(outcome.get_by_role("row", name="Spanish")).to_contain_text("BS")
    expect(outcome).to_contain_text("Not measured")
    page.wait_for_function("document.documentElement.scrollWidth <= 400")
    expect(page.locator("body")).to_have_css("background-color", "rgb(21, 24, 28)")

    page.locator(".cards a").filter(visible=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Rating card: always-he observer * compensating observer"
    )
    page.wait_for_function("document.documentElement.scrollWidth <= 400")
