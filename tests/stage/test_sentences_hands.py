"""Squares and sentences of the sentence bench under the pointer."""

from __future__ import annotations

from playwright.sync_api import expect

from harness.sentences import Sentences
from harness.stage import Stage


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
