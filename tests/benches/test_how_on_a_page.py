"""How this works, in the browser: opened and read by keyboard; the steps follow the bench."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from harness.bench_page import BenchPage
from harness.served_app import ServedApp
from harness.server import wait_until


def test_the_steps_open_by_keyboard_follow_the_bench_and_explain_terms(
    app: ServedApp, page: Page
) -> None:
    page.goto(f"{app.url}/psychometric?word=nurse")
    bench = BenchPage.on(page).settle()
    button, about, tip = bench.part("how-open"), bench.part("how-about"), bench.part("tip")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(about).to_contain_text("“nurse”")

    # The number is that of the picture.
    read = bench.part("how-step").filter(has_text="Read off the PSE")
    label = bench.part("pse-label")
    expect(read).to_contain_text(re.compile(r"[\d.]+\s%"))
    found = re.search(r"([\d.]+)\s%", read.inner_text())
    assert found is not None
    expect(label).to_contain_text(f"{float(found[1]):.0f} %")

    # A term is explained above everything else, under the focus and under the pointer.
    page.keyboard.press("Tab")
    term = bench.part("how").locator('[data-term="PSE"]').first
    expect(term).to_be_focused()
    expect(tip).to_contain_text("both answers are equally likely")
    expect(term).to_have_attribute("aria-describedby", tip.get_attribute("id") or "")

    def fits() -> bool:
        box = tip.bounding_box()
        return box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 1280

    wait_until(fits, "A tip inside the page")
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    expect(term).to_be_focused()
    term.hover()
    expect(tip).to_be_visible()
    tip.hover()
    expect(tip).to_be_visible()
    bench.part("question").hover()
    page.keyboard.press("Tab")
    expect(tip).to_contain_text("75 %")

    # The steps follow the handle and the word, and close again.
    bench.part("alpha-handle").focus()
    page.keyboard.press("Home")
    expect(bench.part("how-step").first).to_contain_text("α is 0.00")
    page.keyboard.press("ArrowDown")
    expect(about).not_to_contain_text("“nurse”")
    button.focus()
    page.keyboard.press("Space")
    expect(bench.part("how-panel")).to_have_count(0)
    expect(button).to_be_focused()
