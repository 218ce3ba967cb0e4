"""Rows and points of the occupations bench under the pointer."""

from __future__ import annotations

from playwright.sync_api import expect

from harness.occupations import Occupations
from harness.stage import Stage


def test_the_card_tells_all_and_never_covers_its_row(stage: Stage) -> None:
    view = Occupations(stage.mount("occupations").root).settle()
    order = view.order()
    for word in (order[0], order[-1]):
        view.row(word).hover()
        card = view.part("card")
        expect(card).to_contain_text(word)
        for told in ("PSE", "pairs, range", "σ over pairs", "JND", "95 %", "men in the"):
            expect(card).to_contain_text(told)
        expect(view.root.locator(".hovered-point")).to_contain_text(word)
        row, over = view.row(word).bounding_box(), card.bounding_box()
        assert row is not None
        assert over is not None
        below, above = over["y"] >= row["y"] + row["height"], over["y"] + over["height"] <= row["y"]
        assert below or above


def test_a_point_marks_the_row_of_its_word_and_a_click_holds_it(stage: Stage) -> None:
    staged = stage.mount("occupations")
    view = Occupations(staged.root).settle()
    word = view.order()[1]
    view.row(word).hover()
    ring = view.root.locator(".scatter .ring").bounding_box()
    assert ring is not None
    at = (ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
    view.part("question").hover()
    expect(view.root.locator(".row.hovered")).to_have_count(0)
    stage.page.mouse.move(*at)
    expect(view.root.locator(".row.hovered")).to_have_attribute("data-word", word)
    stage.page.mouse.click(*at)
    staged.holds("word", word)
