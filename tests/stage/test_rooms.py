"""Long texts and long lists keep to their rooms."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import expect

from biaslab_widgets.benches import BENCHES, BenchEntry
from harness.stage import NARROW, WIDE, Stage, state_of

FOCUSED = """() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element.dataset.testid ?? "";
}"""
HIDDEN = "e => e.scrollHeight - e.clientHeight"


def test_a_long_explanation_is_cut_until_it_is_opened(stage: Stage) -> None:
    stage.width(NARROW)
    view = stage.mount("rating", "Esperanto")
    explanation, more = view.part("explanation"), view.part("explanation-more")
    expect(more).to_have_attribute("aria-expanded", "false")
    assert explanation.evaluate(HIDDEN) > 0
    more.click()
    expect(more).to_have_attribute("aria-expanded", "true")
    assert explanation.evaluate(HIDDEN) == 0


def test_a_thousand_texts_are_few_elements(stage: Stage) -> None:
    detail = state_of("rating", "Esperanto")["detail"]
    texts = (detail["texts"] * 1000)[:1000]
    view = stage.mount("rating", "Esperanto", detail={**detail, "texts": texts})
    expect(view.part("text-count")).to_contain_text("1,000 texts")
    assert view.part("text").count() < 60, "only what is seen is drawn"


def test_of_1_500_pairs_only_those_in_sight_are_drawn(stage: Stage) -> None:
    held = state_of("sentences", "one rejected")["sentences"]
    pairs: list[dict[str, Any]] = [
        {**held["pairs"][i % len(held["pairs"])], "id": f"{i:016x}"} for i in range(1500)
    ]
    view = stage.mount("sentences", "one rejected", sentences={**held, "pairs": pairs})
    expect(view.part("pair-count")).to_contain_text("1,500")
    assert view.part("pair").count() < 60
    view.part("pairs").focus()
    view.part("pairs").press("End")
    expect(view.root.locator(".pair-line.now")).to_be_visible()


def test_motion_that_is_not_wanted_is_left_out(stage: Stage) -> None:
    stage.still()
    view = stage.mount("association")
    view.root.evaluate(
        """root => {
            window.places = new Set();
            new MutationObserver(() => {
                const mark = root.querySelector('[data-testid="mean"]');
                if (mark) window.places.add(mark.getAttribute("d"));
            }).observe(root, { childList: true, subtree: true, attributes: true });
        }"""
    )
    view.part("step-2").click()
    expect(view.part("mean").first).to_be_visible()
    stage.page.evaluate("stage.drawn()")
    assert stage.page.evaluate("places.size") == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_still_picture_holds_all_plots(stage: Stage, theme: Any) -> None:
    stage.theme(theme)
    view = stage.mount("association")
    name, content = view.export("export-svg")
    assert name == "association-religions.svg"
    svg = content.decode()
    assert svg.count(">judaism<") == 2, "points and estimates"
    for text in ("unrelated 1.0", "different − associated", "Does each word"):
        assert text in svg
    assert view.export("export-png")[1][:8] == b"\x89PNG\r\n\x1a\n"


def test_the_tab_key_stops_once_at_each_list(stage: Stage) -> None:
    view = stage.mount("word_lists", "groups and attributes")
    view.part("subject-select").focus()
    passed: list[str] = []
    while "how-open" not in passed:
        stage.page.keyboard.press("Tab")
        passed.append(stage.page.evaluate(FOCUSED))
    assert passed.count("chips") == passed.count("add-word") == passed.count("list-menu") == 4


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_word_that_is_looked_at_moves_nothing(stage: Stage, width: int) -> None:
    stage.width(width)
    view = stage.mount("word_lists", "groups and attributes")
    view.part("chips").nth(2).focus()
    stage.page.evaluate("stage.shifts()")
    for _ in range(3):
        stage.page.keyboard.press("ArrowRight")
        stage.page.evaluate("stage.drawn()")
    assert stage.page.evaluate("stage.shifts()")["parts"] == []


@pytest.mark.parametrize("bench", BENCHES, ids=lambda one: one.name)
def test_the_frame_asks_the_question_of_the_bench(stage: Stage, bench: BenchEntry) -> None:
    view = stage.mount(bench.name)
    expect(view.root.locator("h1")).to_contain_text(
        bench.frame.question(SimpleNamespace(**state_of(bench.name)))
    )
