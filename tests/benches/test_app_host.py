"""The served app comes up, and its page asks no other machine for anything."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from harness.served_app import ServedApp


def test_the_first_page_leads_to_a_bench_with_a_verdict(app: ServedApp, page: Page) -> None:
    page.goto(app.url)
    page.get_by_role("link", name="At which blend").click()
    expect(page.get_by_test_id("verdict")).to_be_visible(timeout=30_000)
    page.get_by_role("link", name="biaslab", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("biaslab measures social bias")
