"""Points of the association bench under the pointer."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from harness.association import Association
from harness.stage import Stage


def test_a_point_under_the_pointer_is_read_and_a_click_holds_it(stage: Stage) -> None:
    staged = stage.mount("association", "religions")
    view = Association(staged.root).settle()
    lane = view.part("points").locator(
        '[data-testid="lane"][data-word="rabbi"][data-connection="associated"]'
    )
    lane.scroll_into_view_if_needed()
    box = lane.bounding_box()
    assert box is not None
    first = (box["x"] + 1, box["y"] + box["height"] / 2)
    stage.page.mouse.move(*first)
    readout = view.part("readout")
    said = re.compile(r"^rabbi – \w+ \(Judaism stereotype, associated\): distance \d\.\d{3}")
    expect(readout).to_have_text(said)
    told = readout.inner_text()
    stage.page.mouse.click(*first)
    staged.holds("word", "rabbi")
    view.part("question").hover()
    expect(readout).to_have_text(told)
    view.part("points").press("Escape")
    staged.holds("word", "")
