"""The handle, the word and the raw responses of the psychometric bench under hand and keys."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from harness.psychometric import PsychometricPage
from harness.stage import Stage, StagedBench

RECORD_FRAMES = """root => {
    const part = name => root.querySelector(`[data-testid="${name}"]`);
    const handle = part("alpha-handle"), guide = root.querySelector(".guide");
    const read = () => ({
        handle: handle.transform.baseVal.consolidate().matrix.e,
        guide: Number(guide.dataset.x),
        alpha: Number(part("alpha-value").dataset.value),
        spoken: Number(handle.getAttribute("aria-valuenow")),
        counts: [1, 2].map(cue => Number(part(`count-cue-${cue}`).dataset.value)),
    });
    const frames = window.frames_seen = [];
    const tick = () => {
        frames.push(read());
        if (window.frames_seen === frames) requestAnimationFrame(tick);
    };
    tick();
}"""
TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
TINTS = [0xDCECF6, 0xFBE6D6]
"""Of the two groups, on white."""


@pytest.fixture
def staged(stage: Stage) -> StagedBench:
    """A bench asked about nurse."""
    return stage.mount("psychometric", "nurse", alpha=0.5)


@pytest.fixture
def bench(staged: StagedBench) -> PsychometricPage:
    """Its view."""
    return PsychometricPage(staged.root).settle()


def has_alpha(bench: PsychometricPage, alpha: float) -> None:
    expect(bench.part("alpha-value")).to_have_attribute("data-value", f"{alpha:g}")


def test_a_drag_moves_handle_guide_and_counts_in_the_same_frame(
    stage: Stage, staged: StagedBench, bench: PsychometricPage
) -> None:
    switches = staged.input("answer")["picture"]["rows"]["switch"]
    x, y = bench.handle_centre()
    bench.root.evaluate(RECORD_FRAMES)
    mouse = stage.page.mouse
    mouse.move(x + 3, y)  # taken off its middle, it does not jump
    mouse.down()
    mouse.move(x + 3 + 150, y + 40, steps=12)
    stage.page.evaluate(TWO_FRAMES)
    mouse.move(x + 3 + 90, y, steps=6)
    mouse.up()
    stage.page.evaluate(TWO_FRAMES)
    frames = stage.page.evaluate("const seen = window.frames_seen; window.frames_seen = null; seen")
    assert len({frame["alpha"] for frame in frames}) >= 3
    for frame in frames:
        assert frame["handle"] == pytest.approx(frame["guide"], abs=0.01)
        assert frame["alpha"] == frame["spoken"]
        second = sum(frame["alpha"] > switch for switch in switches)
        assert frame["counts"] == [len(switches) - second, second]
    assert bench.handle_centre()[0] == pytest.approx(x + 90, abs=1)
    staged.holds("alpha", frames[-1]["alpha"])
    assert all("generation" not in message for message in staged.sent()), "no answer is asked for"


def test_escape_during_a_drag_brings_the_handle_back(
    stage: Stage, staged: StagedBench, bench: PsychometricPage
) -> None:
    x, y = bench.handle_centre()
    mouse = stage.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 120, y, steps=4)
    expect(bench.part("alpha-value")).not_to_have_attribute("data-value", "0.5")
    stage.page.keyboard.press("Escape")
    has_alpha(bench, 0.5)
    mouse.move(x - 60, y)
    mouse.up()
    stage.page.evaluate(TWO_FRAMES)
    has_alpha(bench, 0.5)
    staged.holds("alpha", 0.5)


def test_a_press_on_the_axis_brings_the_handle_there(stage: Stage, bench: PsychometricPage) -> None:
    x, y = bench.handle_centre()
    stage.page.mouse.click(x - 200, y)
    expect(bench.part("alpha-value")).not_to_have_attribute("data-value", "0.5")
    assert bench.handle_centre()[0] == pytest.approx(x - 200, abs=1)


def test_keys_move_the_handle_by_small_and_large_steps_and_to_places(
    staged: StagedBench, bench: PsychometricPage
) -> None:
    handle = bench.part("alpha-handle")
    pse = round(staged.input("answer")["picture"]["pse"], 4)
    for key, alpha in (
        ("ArrowRight", 0.51),
        ("Shift+ArrowRight", 0.61),
        ("ArrowLeft", 0.6),
        ("Shift+ArrowLeft", 0.5),
        ("End", 1),
        ("ArrowRight", 1),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("n", 0.5),
        ("p", pse),
        ("Escape", 0.5),
    ):
        handle.press(key)
        expect(handle, key).to_have_attribute("aria-valuenow", f"{alpha:g}")
        has_alpha(bench, alpha)
    expect(handle).to_be_focused()


def test_up_and_down_on_the_handle_step_through_the_words(
    staged: StagedBench, bench: PsychometricPage
) -> None:
    words = staged.input("words")
    at = words.index("nurse")
    handle = bench.part("alpha-handle")
    for key, step in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)):
        handle.press(key)
        staged.holds("word", words[(at + step) % len(words)])
    expect(handle).to_be_focused()


def test_words_are_typed_stepped_and_picked_from_the_list(
    stage: Stage, staged: StagedBench, bench: PsychometricPage
) -> None:
    field = bench.part("word-input")
    field.focus()
    stage.page.keyboard.type("elec")  # the old word is selected on focus
    option = bench.root.get_by_role("option", name="electrician", exact=True)
    expect(option).to_be_visible()
    stage.page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    stage.page.keyboard.press("Enter")
    expect(field).to_have_value("electrician")
    expect(option).to_have_count(0)
    staged.holds("word", "electrician")
    stage.page.keyboard.press("ArrowDown")
    words = staged.input("words")
    staged.holds("word", words[(words.index("electrician") + 1) % len(words)])


def test_raw_responses_are_read_and_held_by_keyboard(
    stage: Stage, staged: StagedBench, bench: PsychometricPage
) -> None:
    chips, readout = bench.part("raw-chip"), bench.part("readout")
    chips.first.focus()
    stage.page.keyboard.press("ArrowRight")
    switch = staged.input("answer")["picture"]["rows"]["switch"][1]
    expect(readout).to_contain_text("Replicate 2")
    expect(readout).to_contain_text(f"{100 * switch:.1f} %")
    stage.page.keyboard.press("Enter")
    expect(chips.nth(1)).to_have_attribute("aria-selected", "true")
    bench.part("alpha-handle").focus()
    expect(readout).to_contain_text("Replicate 2")
    chips.nth(1).focus()
    stage.page.keyboard.press("Escape")
    expect(chips.nth(1)).to_have_attribute("aria-selected", "false")


def test_the_picture_is_drawn_where_the_numbers_say(
    staged: StagedBench, bench: PsychometricPage
) -> None:
    """The PSE's dot, the corpus interval's and the handle stand on one axis, at their values."""
    drawn = bench.root.evaluate(
        """root => {
            const centre = element => {
                const box = element.getBoundingClientRect();
                return box.left + box.width / 2;
            };
            const plot = root.querySelector('[data-testid="rows"]').getBoundingClientRect();
            return [".pse", ".corpus circle", ".knob"].map(selector =>
                (centre(root.querySelector(selector)) - plot.left) / plot.width);
        }"""
    )
    pse = staged.input("answer")["picture"]["pse"]
    assert drawn == pytest.approx([pse, pse, 0.5], abs=1 / 400)


def test_an_own_cue_pair_is_asked_beside_the_others(
    stage: Stage, staged: StagedBench, bench: PsychometricPage
) -> None:
    before = staged.input("pairs")
    bench.part("pair-picker").click()
    bench.part("own-cue-1").fill("her")
    bench.part("own-cue-2").fill("man")
    bench.part("own-pair-add").click()
    staged.holds("pairs", [*before, ["her", "man"]])
    bench.part(f"pair-only-{len(before)}").click()
    staged.holds("selected_pairs", [len(before)])
    stage.page.keyboard.press("Escape")
    expect(bench.part("pair-list")).to_have_count(0)
    expect(bench.part("pair-picker")).to_be_focused()


def test_escape_closes_the_card_of_words_though_the_last_undo_has_taken_the_focus(
    stage: Stage, bench: PsychometricPage
) -> None:
    bench.part("edit-words").click()
    expect(bench.part("add-word")).to_be_focused()
    words = bench.part("word-list")
    count = words.get_attribute("data-count") or ""
    bench.part("add-word").fill("clerks")
    bench.part("add-word").press("Enter")
    expect(words).not_to_have_attribute("data-count", count)
    bench.part("undo").click()
    expect(words).to_have_attribute("data-count", count)
    expect(bench.part("undo")).to_be_disabled()
    stage.page.keyboard.press("Escape")
    expect(bench.part("edit-words-card")).to_have_count(0)
    expect(bench.part("edit-words")).to_be_focused()
    bench.part("edit-words").click()
    bench.part("verdict").click()
    expect(bench.part("edit-words-card")).to_have_count(0)


def test_png_is_a_sharp_picture_of_both_groups(bench: PsychometricPage) -> None:
    name, content = bench.export("export-png")
    assert name == "psychometric-nurse.png"
    drawing = bench.root.locator(".drawing").bounding_box()
    assert drawing is not None
    image = Image.open(io.BytesIO(content)).convert("RGB")
    assert image.width >= 2 * drawing["width"]
    assert image.height >= 2 * drawing["height"]
    pixels = np.asarray(image).astype(int)
    colours = (pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]
    # Both tints together cover a good part of the plot.
    assert min((colours == tint).sum() for tint in TINTS) > 0.05 * colours.size
