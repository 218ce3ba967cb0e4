"""The posterior bench under the hand: draws that are painted, words and traces pointed at."""

from __future__ import annotations

from functools import partial

from playwright.sync_api import Locator, expect

from harness.stage import Stage
from harness.story import eventually

_INK = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let painted = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) painted++;
    return painted;
}"""


def has_ink(canvas: Locator, least: int) -> None:
    assert canvas.evaluate(_INK) > least


def test_a_press_on_a_word_among_the_draws_picks_it(stage: Stage) -> None:
    view = stage.mount("posterior", "done")
    eventually(lambda: has_ink(view.part("cloud"), 500))
    dot = view.part("plane-word").first
    dot.click(force=True)
    view.holds("word", dot.get_attribute("data-word"))
    view.settle()


def test_pointing_tells_chain_draw_and_value_in_lines_and_in_rows_of_colour(stage: Stage) -> None:
    view = stage.mount("posterior", "done")
    plot = view.part("trace-plot").first
    plot.hover(position={"x": 200, "y": 30})
    expect(view.part("trace-readout")).to_contain_text("logit of p(")
    expect(view.part("marked")).to_have_count(3)
    view.part("traced-all").check(force=True)
    heat = view.root.locator("canvas.heat")
    expect(heat).to_have_count(6)
    for canvas in heat.all():
        eventually(partial(has_ink, canvas, 0))
    plot.hover(position={"x": 60, "y": 58})
    expect(view.part("trace-readout")).to_contain_text("block")
