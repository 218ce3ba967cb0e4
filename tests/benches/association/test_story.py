"""The association bench in JupyterLab and in the app: one visit, from no words to a saved run."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from biaslab.probes.association import AssociationResult
from harness.association import AppHost, Association, Host, NotebookHost
from harness.story import (
    colours,
    drawing,
    eventually,
    hosts,
    saved,
    says,
    still_says,
    themes_are_those_of_the_host,
)

POINT = re.compile(r"^judaism – \w+ \(stereotypes about .+, different group\): distance \d\.\d{3}")
host = hosts(NotebookHost, AppHost)


def test_story(host: Host) -> None:
    view = host.show(lists=[])
    the_way_on_gives_a_result(view)
    a_point_is_read_and_held_by_keys(host, view)
    words_are_added_by_keys(host, view)
    result = host.result()
    says(view, " ".join(result.distance_model.verdict()))
    files_hold(result, view)
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


def files_hold(result: AssociationResult, view: Association) -> None:
    again = view.exported_result(AssociationResult)
    assert again.summary() == result.summary()
    name, content = view.export("export-csv")
    assert (name, content.decode()) == (
        "association-Judaism-Christianity-Islam.csv",
        again.to_csv(),
    )
    assert "temple" in drawing(view)
    assert colours(view) > 10


def a_saved_run_opens_beside_it_and_neither_disturbs_the_other(
    host: Host, view: Association
) -> None:
    before = view.said()
    with host.beside(view, saved(view)) as again:
        still_says(again.settle(), before)
        again.part("model-pooled").press("Space")
        expect(again.root.locator('[data-testid="contrast"][data-model="pooled"]')).to_have_count(3)
        again.settle()
        still_says(view, before)
