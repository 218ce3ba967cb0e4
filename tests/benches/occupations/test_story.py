"""The occupations bench in JupyterLab and in the app: one visit, from no words to a saved run."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from biaslab.probes.occupations import OccupationsResult
from harness.occupations import AppHost, Host, NotebookHost, Occupations
from harness.psychometric import PsychometricPage
from harness.story import (
    colours,
    drawing,
    hosts,
    saved,
    says,
    still_says,
    themes_are_those_of_the_host,
)

ASKED = ["nurse", "engineer", "teacher", "secretary", "lawyer", "chef", "doctor"]
host = hosts(NotebookHost, AppHost)


def test_story(host: Host, tmp_path: Path) -> None:
    view = host.show(words=[])
    words_are_asked_by_keys(host, view)
    result = host.result()
    says(view, " ".join(result.verdict()))
    a_row_is_held_by_keys(host, view)
    files_hold(result, view)
    themes_are_those_of_the_host(host, view)
    a_saved_run_opens_beside_it_and_takes_a_table_of_its_own(host, view, tmp_path)
    a_word_opens_in_the_psychometric_bench(host, view)


def words_are_asked_by_keys(host: Host, view: Occupations) -> None:
    view.settle("empty")
    view.part("add-word").first.focus()
    view.page.keyboard.type(", ".join([*ASKED, "zzyzx"]))
    view.page.keyboard.press("Enter")
    expect(view.part("word-lists").first).to_contain_text("1 unknown")
    expect(view.part("rows")).to_have_attribute("data-count", str(len(ASKED)))
    view.settle()
    host.holds("words", [*ASKED, "zzyzx"])


def a_row_is_held_by_keys(host: Host, view: Occupations) -> None:
    order = view.order()
    view.part("search").focus()
    view.tab_to("rows")
    for key in ("ArrowDown", "Space"):
        view.page.keyboard.press(key)
    expect(view.part("card")).to_contain_text(order[1])
    host.holds("word", order[1])
    view.page.keyboard.press("Escape")
    host.holds("word", "")


def files_hold(result: OccupationsResult, view: Occupations) -> None:
    again = view.exported_result(OccupationsResult)
    assert again.summary() == result.summary()
    name, content = view.export("export-csv")
    assert (name, content.decode()) == ("occupations-female-male.csv", again.to_csv())
    assert "secretary" in drawing(view)
    assert colours(view) > 10


def a_saved_run_opens_beside_it_and_takes_a_table_of_its_own(
    host: Host, view: Occupations, folder: Path
) -> None:
    before = view.said()
    with host.beside(view, saved(view)) as again:
        still_says(again.settle(), before)
        mine = folder / "mine.csv"
        mine.write_text("word;men\nnurse;0\nengineer;7\nteacher;2\nlawyer;9\n", encoding="utf-8")
        again.part("own-table-file").set_input_files(mine)
        expect(again.part("outside")).to_have_value("own/mine.csv")
        expect(again.part("scatter")).to_have_attribute("data-points", "4")
        expect(again.part("excluded")).to_have_text("3 left out")
        again.settle()
        still_says(view, before)


def a_word_opens_in_the_psychometric_bench(host: Host, view: Occupations) -> None:
    word = view.order()[0]
    view.part("rows").focus()
    view.page.keyboard.press("Home")
    view.page.keyboard.press("Enter")
    inside = view.part("opened") if isinstance(host, NotebookHost) else view.page
    bench = PsychometricPage(inside.get_by_test_id("bench"))
    expect(bench.part("question")).to_contain_text(word)
    expect(bench.part("pair-count")).to_have_text("8 of 8, pooled")
    bench.settle()
