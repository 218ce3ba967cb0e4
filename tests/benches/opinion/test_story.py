"""The opinion bench in JupyterLab and in the app: one visit, from an example to a saved run."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from harness import recorded_files
from harness.opinion import AppHost, Host, NotebookHost, Opinion
from harness.story import (
    colours,
    drawing,
    hosts,
    saved,
    says,
    still_says,
    table,
    themes_are_those_of_the_host,
)

host = hosts(NotebookHost, AppHost, lab_at_night=True)


def test_story(host: Host, tmp_path: Path) -> None:
    view = host.show().settle()
    rankings_without_a_clear_difference_fold_on_a_phone(host, view)
    rows_are_read_by_keys(view)
    a_sentence_is_copied(host, view)
    a_file_that_cannot_be_judged_leaves_the_result(view, tmp_path)
    a_file_and_its_roles_are_read(host, view, tmp_path)
    result = host.result()
    says(view, " ".join(result.verdict()))
    assert len(table(view, "estimates")) == len(result.to_frame())
    assert "men" in drawing(view)
    assert colours(view) > 10
    themes_are_those_of_the_host(host, view)
    a_saved_run_opens_without_its_file_beside_it(host, view)


def rankings_without_a_clear_difference_fold_on_a_phone(host: Host, view: Opinion) -> None:
    if not isinstance(host, AppHost):
        return
    view.page.set_viewport_size({"width": 400, "height": 1000})
    expect(view.part("forest-row")).to_have_count(8)
    view.part("unclear").click()
    expect(view.part("forest-row")).to_have_count(32)
    view.page.set_viewport_size(host.viewport)


def rows_are_read_by_keys(view: Opinion) -> None:
    view.root.get_by_role("listbox").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        view.page.keyboard.press(key)
    expect(view.part("readout")).to_contain_text("Asian women Model A, nurse: first in")
    view.part("tab-men and women").press("Space")
    expect(view.part("forest-row")).to_have_count(8)


def a_sentence_is_copied(host: Host, view: Opinion) -> None:
    sentence = view.part("may").first
    sentence.get_by_role("button").click()
    copied = host.page.evaluate("navigator.clipboard.readText()")
    expect(sentence).to_contain_text(copied)


def a_file_that_cannot_be_judged_leaves_the_result(view: Opinion, folder: Path) -> None:
    before = view.part("forest-row").first.text_content() or ""
    path = recorded_files.write(folder / "none.csv", ["colour", "size"], [("red", 1)] * 5)
    view.part("open-file").set_input_files(path)
    view.settle("error")
    expect(view.part("message-text")).to_contain_text("colour, size")
    expect(view.part("column")).to_have_count(2)
    expect(view.part("forest-row").first).to_have_text(before)


def a_file_and_its_roles_are_read(host: Host, view: Opinion, folder: Path) -> None:
    path = recorded_files.asked(folder / "asked.csv", 60, 0.8)
    view.part("open-file").set_input_files(path)
    view.settle()
    expect(view.part("rows")).to_contain_text("120 used")
    view.part("role-item").select_option("cluster")
    host.holds("roles", [{"column": "item", "role": "cluster"}])
    view.settle()
    view.part("alike").fill("20")
    view.part("alike").press("Enter")
    host.holds("alike", 0.2)
    view.settle()


def a_saved_run_opens_without_its_file_beside_it(host: Host, view: Opinion) -> None:
    before, run = view.said(), saved(view)
    with host.beside(view, run) as second:
        second.settle()
        still_says(second, before)
        second.part("alike").fill("10")
        second.part("alike").press("Enter")
        second.settle("error")
        expect(second.part("message-text")).to_contain_text("Open the file again")
        still_says(view, before)
