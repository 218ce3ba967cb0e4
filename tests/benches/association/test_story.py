"""The association bench in JupyterLab and in the app: one visit, from no words to a saved run."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from biaslab.probes.association import AssociationResult
from harness.association import AppHost, Association, Host, NotebookHost
from harness.story import colours, drawing, eventually, hosts, saved, themes_are_those_of_the_host

DIGITS = 1.1e-5
"""The screen's data is rounded to five decimals."""
POINT = re.compile(r"^judaism – \w+ \(.+ stereotype, different group\): distance \d\.\d{3}")
KEYS = ("associated", "different", "human", "none")
host = hosts(NotebookHost, AppHost)


def test_story(host: Host) -> None:
    view = host.show(lists=[])
    the_way_on_gives_a_result(view)
    a_point_is_read_and_held_by_keys(host, view)
    words_are_added_by_keys(host, view)
    eventually(lambda: the_screen_is(host.result(), view))
    files_hold(host.result(), view)
    themes_are_those_of_the_host(host, view)
    a_saved_run_opens_beside_it_and_neither_disturbs_the_other(host, view)


def the_way_on_gives_a_result(view: Association) -> None:
    view.settle("empty")
    view.part("message-action").first.press("Enter")
    expect(view.part("list-groups")).to_contain_text("3 groups, 15 words")
    view.settle()


def a_point_is_read_and_held_by_keys(host: Host, view: Association) -> None:
    view.part("step-1").focus()
    view.tab_to("points")
    for key in ("ArrowDown", "ArrowRight", "Space"):
        view.page.keyboard.press(key)
    expect(view.part("readout")).to_have_text(POINT)
    held = view.part("points").get_attribute("aria-activedescendant")
    word = view.root.locator(f'[id="{held}"]').get_attribute("data-word")
    host.holds("word", word)
    view.page.keyboard.press("Escape")
    host.holds("word", "")


def words_are_added_by_keys(host: Host, view: Association) -> None:
    view.part("list-groups").press("Enter")
    view.part("add-word").first.focus()
    view.page.keyboard.type("temple, zzyzx")
    view.page.keyboard.press("Enter")
    expect(view.part("list-groups")).to_contain_text("16 of 17 known")
    view.page.keyboard.press("Escape")
    expect(view.part("list-groups")).to_be_focused()
    view.settle()
    eventually(lambda: _first_list_ends_with(host, "temple", "zzyzx"))


def _first_list_ends_with(host: Host, *words: str) -> None:
    assert host.input("lists")[0]["terms"][-len(words) :] == list(words)


def the_screen_is(result: AssociationResult, view: Association) -> None:
    """All points, estimates, contrasts and WEAT are those of the result."""
    shown = view.shown()
    model, points = result.distance_model, shown.points[0]
    distances = model.table
    assert shown.verdict == " ".join(model.verdict())
    assert list(points["lanes"]) == list(distances.words)
    low, high = points["domain"]
    for i, word in enumerate(distances.words):
        for c, key in enumerate(KEYS):
            values = distances.distance.mean(axis=0)[i, distances.connection[i] == c]
            lane = points["lanes"][word][key]
            assert lane["count"] == len(values)
            # A tick stands where its distance is, to a tenth of a pixel.
            inside = values[(values >= low) & (values <= high)]
            assert lane["at"] == pytest.approx(inside, abs=0.06 * points["pixel"] + 1e-4)
            found = shown.estimates[0].get(word, {}).get(key)
            if np.isfinite(model.means[i, c]):
                numbers = [model.means[i, c], *model.intervals[i, c]]
                assert found == pytest.approx(numbers, abs=DIGITS), (word, key)
            else:
                assert found is None
    for contrast in model.headline_contrasts:
        ends = contrast.interval
        found = shown.contrasts[model.model][f"{contrast.of} {contrast.minus}"]
        assert found == pytest.approx([contrast.mean, ends.low, ends.high], abs=DIGITS)
    weat, drawn = result.weat, shown.weat[0]
    assert weat is not None
    ends = weat.effect_size_intervals[-1]
    numbers = [weat.statistic, weat.effect_size, ends.low, ends.high, weat.ceiling]
    names = ("statistic", "effect", "low", "high", "ceiling")
    assert [drawn[name] for name in names] == pytest.approx(numbers, abs=DIGITS)
    assert (drawn["exceed"], drawn["partitions"]) == (weat.exceed, weat.partitions)
    assert (drawn["exact"], drawn["p"]) == (weat.exact, pytest.approx(weat.p))


def files_hold(result: AssociationResult, view: Association) -> None:
    again = view.exported_result(AssociationResult)
    assert again.summary() == result.summary()
    name, content = view.export("export-csv")
    assert (name, content.decode()) == ("association-jew-christian-muslim.csv", again.to_csv())
    assert "temple" in drawing(view)
    assert colours(view) > 10


def a_saved_run_opens_beside_it_and_neither_disturbs_the_other(
    host: Host, view: Association
) -> None:
    before = view.shown()
    with host.beside(view, saved(view)) as again:
        eventually(lambda: _shows(again.settle(), before))
        again.part("model-pooled").press("Space")
        expect(again.root.locator('[data-testid="contrast"][data-model="pooled"]')).to_have_count(3)
        again.settle()
        eventually(lambda: _shows(view, before))


def _shows(view: Association, shown: object) -> None:
    assert view.shown() == shown
