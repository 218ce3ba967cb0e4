"""The posterior bench by hand, by keys, and what is taken along."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest
from playwright.sync_api import expect

from biaslab.probes.posterior import PosteriorOverview
from biaslab.results import Result
from harness.heavy import pd
from harness.looks import THEMES, set_theme
from harness.posterior import AppHost, Host, Posterior

OVERFLOWING = """root => {
    const outer = root.getBoundingClientRect();
    return [...root.querySelectorAll("*")].filter(element => {
        if (element.closest(".visually-hidden, .whole-figure")) return false;
        const box = element.getBoundingClientRect();
        return box.width > 0 && (box.right > outer.right + 1 || box.left < outer.left - 1);
    }).map(element => `${element.tagName}.${element.getAttribute("class")}`);
}"""
_FOCUSED = """root => root.getRootNode().activeElement?.dataset.testid ?? ''"""
_INK = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let painted = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) painted++;
    return painted;
}"""


@pytest.mark.both_hosts
def test_everything_is_reached_by_keys(host: Host) -> None:
    view = host.show()
    view.part("subject").focus()
    seen: list[str] = []
    for _ in range(40):
        view.page.keyboard.press("Tab")
        seen.append(view.root.evaluate(_FOCUSED))
        if seen[-1] == "run":
            break
    assert seen[-1] == "run", seen
    view.page.keyboard.press("Enter")
    view.ended()
    for _ in range(40):
        view.page.keyboard.press("Tab")
        seen.append(view.root.evaluate(_FOCUSED))
        if seen[-1] == "words":
            break
    assert {"traced-lines", "trace-plot", "dimensions", "plane", "word", "words"} <= set(seen)
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        view.page.keyboard.press(key)
    word = view.shown().words[1][0]
    view.settle()
    host.holds("word", word)
    expect(view.part("word-card")).to_contain_text(word)
    view.page.keyboard.press("Escape")
    view.settle()
    host.holds("word", "")
    view.part("trace-plot").first.focus()
    for key in ("Home", "ArrowDown", "ArrowRight"):
        view.page.keyboard.press(key)
    expect(view.part("trace-readout")).to_contain_text("chain 2, warm-up 2")


def test_the_cloud_is_painted_and_a_click_on_a_word_picks_it(host: Host) -> None:
    view = host.finished()
    assert view.part("cloud").evaluate(_INK) > 500
    assert sum(view.shown().draws) > 0
    dot = view.part("plane-word").first
    word = dot.get_attribute("data-word")
    dot.click(force=True)
    view.settle()
    host.holds("word", word)
    expect(view.part("picked-ring")).to_be_attached()


def test_what_is_taken_along_is_the_run_on_the_screen(host: Host) -> None:
    view = host.finished()
    shown = view.shown()
    name, content = view.export("export-json")
    assert name.endswith(".json")
    result = Result.from_json(content.decode())
    assert isinstance(result, PosteriorOverview)
    assert result.of("positive").n_draws == 100
    tables = {
        table: pd.read_csv(io.BytesIO(view.export("export-csv", f"csv-{table}")[1]))
        for table in ("words", "diagnostics", "groups", "draws")
    }
    assert len(tables["draws"]) == 8 * 100
    assert set(tables["diagnostics"]["label"]) == {"positive", "negative"}
    assert shown.words[0][0] in tables["words"].to_string()
    name, content = view.export("export-svg")
    assert name == "posterior-imdb-sentiment-positive.svg"
    text = content.decode()
    assert ET.fromstring(text).tag.endswith("svg")
    assert "What does the classifier imagine" in text
    assert shown.words[0][0] in text
    assert text.count("h0") > 500 or "data:image/png" in text, "the draws are in it"
    assert view.export("export-png")[1].startswith(b"\x89PNG")
    view.part("save-run").click()
    expect(view.part("notice")).to_contain_text("Saved")


@pytest.mark.both_hosts
def test_dark_follows_the_host_and_the_canvas_with_it(host: Host) -> None:
    view = host.finished()
    pixel = """canvas => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let sum = 0;
        for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) sum += data[i] + data[i + 2];
        return sum;
    }"""
    before = view.part("cloud").evaluate(pixel)
    for theme in THEMES:
        set_theme(host, theme)
        expect(view.root).to_have_attribute("data-theme", theme)
        same = view.part("cloud").evaluate(pixel) == before
        assert same == (theme == "light")


def test_pointing_tells_chain_draw_and_value_in_lines_and_in_rows_of_colour(host: Host) -> None:
    view = host.finished()
    host.forget()
    plot = view.part("trace-plot").first
    plot.hover(position={"x": 200, "y": 30})
    expect(view.part("trace-readout")).to_contain_text("logit of p(positive | s)")
    expect(view.part("marked")).to_have_count(3)
    view.part("traced-all").check(force=True)
    expect(view.root.locator("canvas.heat")).to_have_count(6)
    assert all(canvas.evaluate(_INK) > 0 for canvas in view.root.locator("canvas.heat").all())
    plot.hover(position={"x": 60, "y": 58})
    expect(view.part("trace-readout")).to_contain_text("chain 8, block")


@pytest.mark.parametrize("host_name", ["app"], indirect=True)
def test_at_400_pixels_everything_stacks_and_numbers_stay(host: Host) -> None:
    assert isinstance(host, AppHost)
    host.page.set_viewport_size({"width": 400, "height": 900})
    view = host.show()
    assert view.root.evaluate(OVERFLOWING) == []
    view.run()
    assert view.root.evaluate(OVERFLOWING) == []
    _stacked(view)
    for card in ("engine", "edit-groups", "export-csv"):
        view.part(card).click()
        expect(view.part(f"{card}-card")).to_be_visible()
        assert view.root.evaluate(OVERFLOWING) == [], card
        view.page.keyboard.press("Escape")
    view.part("listed-table").check(force=True)
    expect(view.part("word-table")).to_be_visible()
    assert view.root.evaluate(OVERFLOWING) == []
    for name in ("rhat", "ess-bulk", "ess-tail", "mcse"):
        expect(view.part(name).first).to_be_visible()


def _stacked(view: Posterior) -> None:
    plane, words = view.part("plane").bounding_box(), view.part("words").bounding_box()
    assert plane is not None
    assert words is not None
    assert words["y"] > plane["y"] + plane["height"]
