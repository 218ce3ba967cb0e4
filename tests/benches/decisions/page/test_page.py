"""The decision bench on a page: a run, the hand, the keys, and what is taken along."""

from __future__ import annotations

import io
import re

import pytest
from playwright.sync_api import expect

from harness.decision_hosts import RUN_MS, Host
from harness.heavy import pd
from harness.looks import THEMES, set_theme

_OVERFLOWING = """root => {
    const outer = root.getBoundingClientRect();
    return [...root.querySelectorAll("*")].filter(element => {
        if (element.closest(".visually-hidden, .legend")) return false;
        const box = element.getBoundingClientRect();
        return box.width > 0 && (box.right > outer.right + 1 || box.left < outer.left - 1);
    }).map(element => `${element.tagName}.${element.getAttribute("class")}`);
}"""
_HEIGHT = "root => root.getBoundingClientRect().height"


@pytest.mark.both_hosts
def test_the_numbers_on_the_screen_are_those_of_the_result(host: Host) -> None:
    view = host.finished()
    result = host.result(view)
    ends = result.gap_interval()
    assert view.gap() == pytest.approx((result.gap, ends.low, ends.high))
    assert view.trials() == len(result.trials)
    expect(view.part("verdict")).to_have_text(result.headline)
    for place in (0, 1):
        shown = view.part(f"pse-{place + 1}").get_attribute("data-value")
        assert float(shown or "nan") == pytest.approx(result.pse(place).value)


@pytest.mark.both_hosts
def test_the_keys_move_the_level_and_change_the_text(host: Host) -> None:
    view = host.finished()
    handle = view.part("x-handle")
    handle.focus()
    before = view.x()
    view.page.keyboard.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuenow", f"{before + 0.5:g}")
    view.page.keyboard.press("Shift+ArrowLeft")
    expect(handle).to_have_attribute("aria-valuenow", f"{before - 2:g}")
    expect(view.part("case-card")).to_contain_text(f"{before - 2:g} years")
    view.page.keyboard.press("n")
    expect(view.part("cue-Ebony")).to_have_attribute("aria-pressed", "true")
    view.page.keyboard.press("w")
    expect(view.part("wording-2")).to_have_attribute("aria-pressed", "true")
    view.page.keyboard.press("t")
    view.page.keyboard.press("ArrowRight")
    expect(view.part("dock-title")).to_contain_text("of 576")
    view.page.keyboard.press("Escape")


def test_a_drag_of_the_level_moves_handle_guide_and_text(host: Host) -> None:
    view = host.finished()
    view.part("x-handle").scroll_into_view_if_needed()
    box = view.part("x-handle").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = view.x()
    view.page.mouse.move(x, y)
    view.page.mouse.down()
    view.page.mouse.move(x + 90, y, steps=4)
    moved = view.x()
    assert moved > before + 1
    expect(view.part("x-chip")).to_have_text(f"{moved:g} years")
    view.page.mouse.up()


def test_a_name_that_is_dragged_out_is_refitted_without(host: Host) -> None:
    view = host.finished()
    gap, count = view.gap()[0], view.trials()
    chip = view.part("cue-Todd")
    chip.scroll_into_view_if_needed()
    box = chip.bounding_box()
    assert box is not None
    view.page.mouse.move(box["x"] + 10, box["y"] + 10)
    view.page.mouse.down()
    view.page.mouse.move(box["x"] + 160, box["y"] + 120, steps=4)
    view.page.mouse.up()
    expect(view.part("trials")).to_have_attribute("data-count", str(count - 72))
    view.settle()
    assert view.gap()[0] != pytest.approx(gap)
    assert "Todd" in (chip.get_attribute("aria-label") or "")
    chip.click()
    expect(view.part("trials")).to_have_attribute("data-count", str(count))
    view.settle()
    assert view.gap()[0] == pytest.approx(gap)


def test_the_edge_of_the_band_changes_the_margin_and_the_verdict(host: Host) -> None:
    view = host.finished()
    edge = view.part("margin-edge")
    edge.scroll_into_view_if_needed()
    before = view.part("verdict").inner_text()
    box = edge.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 10
    view.page.mouse.move(x, y)
    view.page.mouse.down()
    view.page.mouse.move(x + 160, y, steps=4)
    view.page.mouse.up()
    view.settle()
    assert float(view.part("margin").input_value()) > 2
    assert view.part("verdict").inner_text() != before
    view.part("margin").fill("0.5")
    view.settle()


def test_a_mark_shows_its_trial_and_a_click_holds_it(host: Host) -> None:
    view = host.finished()
    view.part("trial-next").click()
    prompt = view.part("dock-prompt")
    expect(prompt).to_contain_text("Answer with one word")
    title = view.part("dock-title").inner_text()
    view.part("trial-next").click()
    expect(view.part("dock-title")).not_to_have_text(title)
    expect(view.part("dock-reply")).not_to_be_empty()


def test_nothing_moves_while_a_run_goes_on(host: Host) -> None:
    view = host.show()
    before = view.root.evaluate(_HEIGHT)
    view.run()
    assert view.root.evaluate(_HEIGHT) == pytest.approx(before, abs=30)


def test_which_of_two_asks_about_both(host: Host) -> None:
    view = host.show(form="which of two")
    expect(view.part("case-card")).to_contain_text("Candidate B")
    view.run()
    expect(view.part("curve-2")).to_have_count(0)
    assert view.gap()[1] < 2 < view.gap()[2]


def test_an_edited_case_is_used_and_an_error_names_the_field(host: Host) -> None:
    view = host.show()
    view.part("edit-case").click()
    field = view.part("case-text")
    text = field.input_value()
    field.fill(text.replace("step = 0.5", "step = 0"))
    view.part("use-case").click()
    expect(view.part("case-problem")).to_contain_text("quality.step")
    field.fill(text.replace("Lakisha", "Nadia"))
    view.part("use-case").click()
    expect(view.part("cue-Nadia")).to_be_visible()
    expect(view.part("case-problem")).to_have_count(0)


@pytest.mark.both_hosts
def test_tables_and_a_saved_run_are_those_on_the_screen(host: Host) -> None:
    view = host.finished()
    name, content = view.export("export-csv", "csv-trials")
    assert name == "decisions-hire-by-name.csv"
    assert len(pd.read_csv(io.BytesIO(content))) == view.trials()
    name, content = view.export("export-svg")
    assert b"gap" in content
    view.part("save-run").click()
    expect(view.part("notice")).to_contain_text("Saved as run", timeout=RUN_MS)


@pytest.mark.both_hosts
def test_themes_and_a_narrow_page_leave_nothing_outside(host: Host) -> None:
    view = host.finished()
    for theme in THEMES:
        set_theme(host, theme)
        expect(view.root).to_have_attribute("data-theme", theme)
        assert view.root.evaluate(_OVERFLOWING) == []
    if host.name != "app":  # a notebook's margins leave no room for a bench there
        return
    size = host.page.viewport_size
    try:
        host.page.set_viewport_size({"width": 400, "height": 900})
        expect(view.root).to_have_class(re.compile("narrow"))
        assert view.root.evaluate(_OVERFLOWING) == []
    finally:
        if size is not None:
            host.page.set_viewport_size(size)
