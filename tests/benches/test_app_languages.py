"""The language of the frames is chosen on the page, and words and cues follow."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from harness.needs import needs
from harness.served_app import ServedApp

pytestmark = needs("torch", "transformers")
ASKED_MS = 60_000


def test_cues_follow_the_language_and_the_address_keeps_it(app: ServedApp, page: Page) -> None:
    page.goto(f"{app.url}/psychometric?subject=wiki-clm")
    language = page.get_by_test_id("language-select")
    expect(language).to_have_value("en", timeout=ASKED_MS)
    language.select_option("de")
    heading = page.get_by_role("heading", name="nurse")
    expect(heading).to_contain_text("sie and er", timeout=ASKED_MS)
    expect(page.get_by_test_id("design-select")).to_have_value("neutral")
    expect(page.get_by_test_id("bench")).to_have_attribute("data-state", "ready", timeout=ASKED_MS)
    page.reload()
    expect(language).to_have_value("de", timeout=ASKED_MS)
    expect(heading).to_contain_text("sie and er", timeout=ASKED_MS)
    language.select_option("tr")
    expect(page.get_by_test_id("design-select")).to_have_count(0)
    language.select_option("en")
    expect(heading).to_contain_text("female and male", timeout=ASKED_MS)
