"""Squares and sentences of the sentence bench under the pointer."""

from __future__ import annotations

from playwright.sync_api import expect

from harness.sentences import Sentences
from harness.stage import WIDE, Stage


def test_the_pointer_shows_what_the_keys_show_and_a_click_holds_it(stage: Stage) -> None:
    staged = stage.mount("sentences", "tested", pair="")
    view = Sentences(staged.root).settle()
    view.lead("masked")
    expect(view.root).not_to_have_attribute("data-pair", "")
    first = view.root.get_attribute("data-pair") or ""
    view.part("search").focus()
    expect(view.root).to_have_attribute("data-pair", "")
    view.squares("masked").hover(position={"x": 5, "y": 40})
    expect(view.root).to_have_attribute("data-pair", first)
    stage.page.mouse.down()
    stage.page.mouse.up()
    stage.page.mouse.move(2, 2)
    staged.holds("pair", first)
    staged.holds("detail_model", "masked")
    expect(view.root).to_have_attribute("data-pair", first)
    view.part("next-pair").click()
    expect(view.root).not_to_have_attribute("data-pair", first)
    stage.page.keyboard.press("Escape")
    staged.holds("pair", "")
    expect(view.root).to_have_attribute("data-pair", "")


def test_sentences_are_typed_one_a_line(stage: Stage) -> None:
    staged = stage.mount("sentences", "tested", step=2)
    view = Sentences(staged.root)
    view.part("own").click()
    text = "The woman loves her poetry 😀.\nNobody is here today."
    view.part("own-text").fill(text)
    expect(view.part("own-add")).to_have_text("Add 2 sentences")
    view.part("own-add").click()
    assert staged.commanded("add") == {"text": text}


def test_the_dock_takes_what_it_needs_and_leaves_the_bottom_line_free(stage: Stage) -> None:
    """A page of 900 px, whose shell keeps a line at its end."""
    view = Sentences(stage.mount("sentences", "tested", pair="").root).settle()
    stage.width(WIDE, 900)
    stage.page.evaluate("document.documentElement.style.setProperty('--bottom-line', '37px')")
    try:
        view.squares("masked").hover(position={"x": 5, "y": 40})
        expect(view.root).not_to_have_attribute("data-pair", "")
        stage.page.evaluate("scrollTo(0, 0)")
        dock = view.part("dock")
        top, bottom, blank = dock.evaluate(
            """dock => {
              const box = dock.getBoundingClientRect();
              const inside = dock.lastElementChild.getBoundingClientRect();
              const padding = parseFloat(getComputedStyle(dock).paddingBottom);
              return [box.top, box.bottom, box.bottom - padding - inside.bottom];
            }"""
        )
        assert bottom <= 900 - 37
        assert bottom - top <= 0.3 * 900
        assert abs(blank) <= 1
    finally:
        stage.width(WIDE)
        stage.page.evaluate("document.documentElement.style.removeProperty('--bottom-line')")
