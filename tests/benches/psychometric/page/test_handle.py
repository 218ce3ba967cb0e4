"""The stimulus handle: under the hand everything moves in one frame, and Python follows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from harness.psychometric import counts_at, differences
from harness.psychometric_hosts import Host

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


def test_a_drag_moves_handle_guide_and_counts_in_the_same_frame(host: Host) -> None:
    bench = host.bench()
    result = host.result(bench)
    before = bench.generation()
    x, y = bench.handle_centre()
    bench.root.evaluate(RECORD_FRAMES)
    mouse = host.page.mouse
    mouse.move(x + 3, y)  # taken off its middle, it does not jump
    mouse.down()
    mouse.move(x + 3 + 150, y + 40, steps=12)
    mouse.move(x + 3 + 90, y, steps=6)
    mouse.up()
    host.page.evaluate(TWO_FRAMES)
    frames = host.page.evaluate("const seen = window.frames_seen; window.frames_seen = null; seen")

    alphas = {frame["alpha"] for frame in frames}
    assert len(alphas) >= 3
    for frame in frames:
        assert frame["handle"] == pytest.approx(frame["guide"], abs=0.01)
        assert frame["alpha"] == frame["spoken"]
        assert tuple(frame["counts"]) == counts_at(result, frame["alpha"])
    assert abs(bench.handle_centre()[0] - (x + 90)) < 1
    shown = bench.shown()
    assert shown.alpha == frames[-1]["alpha"] > 0.5
    assert differences(shown, host.result(bench, alpha=shown.alpha)) == {}
    assert bench.generation() == before, "no answer is asked for"


def test_escape_during_a_drag_brings_the_handle_back(host: Host) -> None:
    bench = host.bench()
    x, y = bench.handle_centre()
    host.page.mouse.move(x, y)
    host.page.mouse.down()
    host.page.mouse.move(x - 120, y, steps=4)
    assert bench.shown().alpha < 0.5
    host.page.keyboard.press("Escape")
    assert bench.shown().alpha == 0.5
    host.page.mouse.move(x - 60, y)
    assert bench.shown().alpha == 0.5
    host.page.mouse.up()
    bench.settle()
    host.result(bench, alpha=0.5)


def test_a_press_on_the_axis_brings_the_handle_there(host: Host) -> None:
    bench = host.bench()
    x, y = bench.handle_centre()
    host.page.mouse.click(x - 200, y)
    bench.settle()
    assert abs(bench.handle_centre()[0] - (x - 200)) < 1
    shown = bench.shown()
    assert shown.alpha < 0.5
    host.result(bench, alpha=shown.alpha)


def test_keys_move_the_handle_and_tell_what_is_answered(host: Host) -> None:
    bench = host.bench()
    result = host.result(bench)
    handle = bench.part("alpha-handle")
    handle.focus()
    pse = round(float(result.pse[0]), 4)
    steps = [
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
    ]
    for key, alpha in steps:
        handle.press(key)
        shown = bench.shown()
        assert (key, shown.alpha, shown.counts) == (key, alpha, counts_at(result, alpha))
        expect(handle).to_have_attribute("aria-valuenow", str(alpha))
        spoken = handle.get_attribute("aria-valuetext") or ""
        (cue_1, cue_2), (first, second) = result.pairs[0], shown.counts
        assert f"{second:g} of 32 answer {cue_2}, {first:g} answer {cue_1}" in spoken
    assert handle.get_attribute("aria-valuemin") == "0"
    assert handle.get_attribute("aria-valuemax") == "1"
    assert handle.evaluate("e => e === e.getRootNode().activeElement")
    bench.settle()
    host.result(bench, alpha=0.5)


def test_up_and_down_on_the_handle_step_through_the_words(host: Host) -> None:
    bench = host.bench()
    handle = bench.part("alpha-handle")
    handle.focus()
    words = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        handle.press(key)
        bench.settle()
        words.append(bench.part("word-input").input_value())
        assert differences(bench.shown(), host.result(bench, word=words[-1])) == {}
    assert all(one != other for one, other in pairwise(["nurse", *words]))
    assert words[0] == words[2]
    assert handle.evaluate("e => e === e.getRootNode().activeElement")
