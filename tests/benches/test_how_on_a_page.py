"""How this works, in the browser: opened and read by keyboard; the steps follow the bench."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from harness.bench_page import BenchPage
from harness.served_app import ServedApp


def _opened(app: ServedApp, page: Page, address: str) -> BenchPage:
    page.goto(f"{app.url}/{address}")
    bench = BenchPage.on(page).settle()
    button = bench.part("how-open")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(bench.part("how-about")).to_be_visible()
    return bench


@pytest.mark.parametrize(
    ("address", "told", "step"),
    [
        ("psychometric?word=nurse", "“nurse”", "Read off the PSE"),
        ("occupations?word=librarian", "“librarian”", "Correct for many words"),
    ],
)
def test_the_steps_open_by_keyboard_and_close_again(
    app: ServedApp, page: Page, address: str, told: str, step: str
) -> None:
    bench = _opened(app, page, address)
    expect(bench.part("how-about")).to_contain_text(told)
    expect(bench.part("how-step").filter(has_text=step)).to_be_visible()
    page.keyboard.press("Space")
    expect(bench.part("how-panel")).to_have_count(0)
    expect(bench.part("how-open")).to_be_focused()


def test_the_steps_state_the_number_of_the_picture(app: ServedApp, page: Page) -> None:
    bench = _opened(app, page, "psychometric?word=nurse")
    read = bench.part("how-step").filter(has_text="Read off the PSE").inner_text()
    found = re.search(r"([\d.]+)\s%", read)
    assert found is not None
    expect(bench.part("pse-label")).to_contain_text(f"{float(found[1]):.0f} %")


def test_the_steps_follow_the_word_and_the_handle(app: ServedApp, page: Page) -> None:
    bench = _opened(app, page, "psychometric?word=nurse")
    handle = bench.part("alpha-handle")
    handle.focus()
    page.keyboard.press("Home")
    expect(bench.part("how-step").first).to_contain_text("α is 0.00")
    page.keyboard.press("ArrowDown")
    expect(bench.part("how-about")).not_to_contain_text("“nurse”")


def test_a_term_is_explained_above_everything_else_and_esc_closes_it(
    app: ServedApp, page: Page
) -> None:
    bench = _opened(app, page, "psychometric?word=nurse")
    page.keyboard.press("Tab")
    term = bench.part("how").locator('[data-term="PSE"]').first
    expect(term).to_be_focused()
    tip = bench.part("tip")
    expect(tip).to_contain_text("both answers are equally likely")
    described = term.get_attribute("aria-describedby")
    assert described == tip.get_attribute("id")
    box = tip.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1280
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
