"""The image bench under the hand: squares that are pointed at, and the blend of a morph."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from harness.images import CLIP, Images
from harness.server import wait_until
from harness.stage import Stage


def test_the_pointer_finds_the_picture_that_the_keys_find_and_a_press_holds_it(
    stage: Stage,
) -> None:
    view = stage.mount("images", "two models")
    images = Images(view.root)
    grid = images.squares(CLIP)
    images.lead(CLIP)
    expect(view.root).not_to_have_attribute("data-image", "")
    by_keys = view.root.get_attribute("data-image") or ""
    view.part("search").focus()
    expect(view.root).to_have_attribute("data-image", "")
    row, box = grid.get_by_test_id("squares-row").first.bounding_box(), grid.bounding_box()
    assert row is not None
    assert box is not None
    grid.hover(position={"x": 4, "y": row["y"] - box["y"] + 4})
    expect(view.root).to_have_attribute("data-image", by_keys)
    stage.page.mouse.down()
    stage.page.mouse.up()
    stage.page.mouse.move(2, 2)
    view.holds("image", by_keys)
    expect(view.root).to_have_attribute("data-image", by_keys)
    stage.page.keyboard.press("Escape")
    view.holds("image", "")


def test_the_knob_of_the_blend_stays_under_the_pointer(stage: Stage) -> None:
    view = stage.mount("images", "tested")
    handle = view.part("alpha-handle")
    knob = handle.locator(".knob")
    before = knob.bounding_box()
    assert before is not None
    view.drag(knob, 80, 0)
    wait_until(lambda: 0.55 < float(handle.get_attribute("data-value") or 0) < 0.75, "the blend")
    under = before["x"] + 80

    def place() -> float:
        box = knob.bounding_box()
        return -1 if box is None else box["x"]

    wait_until(lambda: bool(place() == pytest.approx(under, abs=1.5)), "the knob at the pointer")
    stage.page.mouse.up()
    view.holds("alpha", pytest.approx(float(handle.get_attribute("data-value") or 0)))
