"""The posterior bench from nothing to a saved run, in both hosts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from biaslab.probes.posterior import PosteriorOverview
from harness.posterior import FEW, MANY, RUN_MS, AppHost, Host, NotebookHost, Posterior
from harness.story import (
    colours,
    drawing,
    eventually,
    hosts,
    saved,
    table,
    themes_are_those_of_the_host,
)

host = hosts(NotebookHost, AppHost, lab_at_night=True)
_LIGHT = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) sum += data[i] + data[i + 2];
    return sum;
}"""


def test_story(host: Host) -> None:
    view = host.show()
    by_keys_to_a_result(host, view)
    result = host.result()
    eventually(lambda: numbers_are_those_of(view, result, "positive"))
    files_are_those_of(view, result)
    the_other_label_is_drawn_already(view, result)
    euclidean = another_distance_is_read_from_the_same_draws(host, view)
    the_cloud_turns_dark_and_light_with_the_host(host, view)
    reopened_beside_it(host, view, euclidean)
    stopped_with_its_draws(host, view)


def by_keys_to_a_result(host: Host, view: Posterior) -> None:
    expect(view.part("message-text")).to_contain_text("8 chains draw 100 stimuli s each")
    expect(view.part("export-json")).to_be_disabled()
    view.part("subject").focus()
    view.tab_to("run")
    view.page.keyboard.press("Enter")
    view.ended()
    seen = view.tab_to("words")
    assert {"traced-lines", "trace-plot", "dimensions", "plane", "word"} <= set(seen)
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        view.page.keyboard.press(key)
    word = view.part("word-mark").nth(1).get_attribute("data-word")
    host.holds("word", word)
    expect(view.part("word-card")).to_contain_text(word or "no word")
    view.page.keyboard.press("Escape")
    host.holds("word", "")


def numbers_are_those_of(view: Posterior, result: PosteriorOverview, label: str) -> None:
    """The words and the groups are those of a label, in the result's distance."""
    distances, groups = result.reading.lexicon[label].distances, result.reading.groups[label]
    listed = [*distances.closest(6), *distances.most_distant(6)]
    marks = view.part("word-mark").evaluate_all(
        "marks => marks.map(({ dataset: d }) => [d.word, Number(d.distance)])"
    )
    assert marks == [[one.term, pytest.approx(one.distance)] for one in listed]
    shown = view.root.locator("[data-difference]").get_attribute("data-difference")
    assert float(shown or "nan") == pytest.approx(groups.difference)


def files_are_those_of(view: Posterior, result: PosteriorOverview) -> None:
    assert view.exported_result(PosteriorOverview) == result
    positive = result.of("positive")
    draws = table(view, "draws")
    assert draws["logit"].tolist() == pytest.approx(positive.raw_frame()["logit"].tolist())
    assert len(draws) == FEW["chains"] * FEW["draws"]
    diagnostics = table(view, "diagnostics")
    assert set(diagnostics["label"]) == {"positive", "negative"}
    assert diagnostics["rhat"].tolist() == pytest.approx(result.to_frame()["rhat"].tolist())
    closest = result.reading.lexicon["positive"].distances.closest(1)[0]
    words = table(view, "words")
    assert (words["term"][0], words["distance"][0]) == (
        closest.term,
        pytest.approx(closest.distance),
    )
    groups = table(view, "groups")
    of = {group.name for group in result.reading.groups["positive"].groups}
    assert set(groups["group"]) >= of
    text = drawing(view)
    assert "What does the classifier imagine" in text
    assert closest.term in text
    assert colours(view) > 1000, "the draws are in it"


def the_other_label_is_drawn_already(view: Posterior, result: PosteriorOverview) -> None:
    view.part("label-negative").check(force=True)
    eventually(lambda: numbers_are_those_of(view, result, "negative"))
    view.part("label-positive").check(force=True)
    eventually(lambda: numbers_are_those_of(view, result, "positive"))
    expect(view.root).to_have_attribute("data-run", "1")


def another_distance_is_read_from_the_same_draws(host: Host, view: Posterior) -> PosteriorOverview:
    view.part("distance").select_option("euclidean")
    expect(view.part("interval-label")).to_contain_text("|w − s|")
    view.settle()
    result = host.result()
    assert result.reading.distance == "euclidean"
    eventually(lambda: numbers_are_those_of(view, result, "positive"))
    expect(view.root).to_have_attribute("data-run", "1")
    return result


def the_cloud_turns_dark_and_light_with_the_host(host: Host, view: Posterior) -> None:
    cloud = view.part("cloud")
    light = cloud.evaluate(_LIGHT)
    assert light > 0

    def painted(theme: str) -> None:
        # once: it is tried again until the theme is painted
        assert (cloud.evaluate(_LIGHT) == light) == (theme == "light")

    themes_are_those_of_the_host(host, view, painted, by_command=True)


def reopened_beside_it(host: Host, view: Posterior, result: PosteriorOverview) -> None:
    with host.beside(view, saved(view)) as other:
        eventually(lambda: numbers_are_those_of(other, result, "positive"))
        other.part("label-negative").check(force=True)
        eventually(lambda: numbers_are_those_of(other, result, "negative"))
        eventually(lambda: numbers_are_those_of(view, result, "positive"))


def stopped_with_its_draws(host: Host, view: Posterior) -> None:
    host.set(view, **MANY)
    expect(view.part("stale")).to_be_visible()
    old = view.part("rhat").first.inner_text()
    view.part("run").click()
    expect(view.part("run")).to_have_text("Stop, keep draws", timeout=RUN_MS)
    expect(view.part("run-status")).to_contain_text("sampling", timeout=RUN_MS)
    expect(view.part("rhat").first).not_to_have_text(re.compile(f"^(–|{old})$"), timeout=RUN_MS)
    expect(view.part("export-json")).to_be_disabled()
    view.part("run").click()
    view.ended()
    expect(view.part("run-status")).to_contain_text("stopped early")
    kept = host.result().of("positive")
    assert kept.partial
    assert 0 < kept.n_draws < MANY["draws"]
    expect(view.part("run-status")).to_contain_text(f"{kept.n_draws:,} draws a chain")
