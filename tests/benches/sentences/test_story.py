"""The sentence bench in JupyterLab and in the app: one visit, from word lists to saved runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from biaslab.probes.sentences.exchange import read_pairs
from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab_widgets.benches.sentences.exports import table
from harness.sentences import TRUTH, AppHost, Host, NotebookHost, Sentences
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
from harness.three_steps import RUN_MS

host = hosts(NotebookHost, AppHost)


def test_story(host: Host, tmp_path: Path) -> None:
    view = host.show()
    sentences_are_made_by_keys(view)
    pairs_go_out_as_a_file_and_come_in_again(view, tmp_path)
    a_model_is_tested_by_keys(view)
    an_edit_scores_its_pair_again(view)
    themes_are_those_of_the_host(host, view)
    a_saved_run_opens_beside_it_and_neither_disturbs_the_other(host, view)
    another_model_is_added(host, view)
    eventually(lambda: the_screen_is(host.results(), view))
    files_hold(host.results(), view)


def sentences_are_made_by_keys(view: Sentences) -> None:
    view.part("step-1").focus()
    view.tab_to("onward")
    view.page.keyboard.press("Enter")
    expect(view.root).to_have_attribute("data-step", "2")
    expect(view.part("step-2")).to_be_focused()
    expect(view.part("pair").first).to_be_visible(timeout=RUN_MS)
    view.opened(3).answered()


def pairs_go_out_as_a_file_and_come_in_again(view: Sentences, folder: Path) -> None:
    before = sorted(view.texts())
    name, content = view.export("export-pairs", "pairs-json")
    file = folder / name
    file.write_bytes(content)
    assert len(read_pairs(file)) == len(before)
    view.part("clear").click()
    expect(view.part("no-pairs")).to_be_visible()
    view.part("import").set_input_files(file)
    eventually(lambda: _are(sorted(view.texts()), before))


def _are(found: object, expected: object) -> None:
    assert found == expected


def a_model_is_tested_by_keys(view: Sentences) -> None:
    view.opened(3)
    view.part("step-2").focus()
    view.tab_to("onward")
    view.page.keyboard.press("Enter")
    expect(view.root).to_have_attribute("data-step", "3")
    expect(view.part("step-3")).to_be_focused()
    view.tab_to("test")
    view.page.keyboard.press("Enter")
    view.ended().filled()


def an_edit_scores_its_pair_again(view: Sentences) -> None:
    view.point(TRUTH)
    pair = view.root.get_attribute("data-pair") or ""
    odds = view.part("here").get_attribute("data-odds") or ""
    view.squares(TRUTH).press("e")
    field = view.part("edit-stereotyped")
    expect(field).to_be_focused()
    field.fill("The man wrote three long letters about algebra to him.")
    field.press("Enter")
    expect(field).to_have_count(0)
    expect(view.squares(TRUTH)).to_be_focused()
    expect(view.part("dock")).to_contain_text("threelongletters")
    expect(view.part("here")).not_to_have_attribute("data-odds", odds)
    view.settle()
    expect(view.root).to_have_attribute("data-pair", pair)  # it is held


def a_saved_run_opens_beside_it_and_neither_disturbs_the_other(host: Host, view: Sentences) -> None:
    before = view.said()
    with host.beside(view, saved(view)) as again:
        again.go(3)
        says(again, before[-1])
        again.part("start-again").click()
        expect(again.root).to_have_attribute("data-step", "1")
        expect(again.part("word-list")).to_have_count(4)
        still_says(view, before)


def another_model_is_added(host: Host, view: Sentences) -> None:
    """In JupyterLab it waits after some pairs, is stopped there, and goes on."""
    view.part("add-model").click()
    view.part(f"add-{host.other}").click()
    expect(view.squares(host.other)).to_be_visible(timeout=RUN_MS)
    if isinstance(host, NotebookHost):
        test = view.part("test")
        eventually(lambda: _some_are_there(view, host.other))
        expect(test).to_contain_text("Stop, keep")
        expect(view.part("export-json")).to_be_disabled()
        test.click()
        host.wait_for("'work is kept' in bench.reply['message']", True)
        host.run("gate.set()")
        view.ended(2)
        expect(view.part("run-status")).to_have_text(re.compile(r"Stopped: \d+ of \d+ are kept"))
        eventually(lambda: _some_are_there(view, host.other))
        expect(test).to_have_text("Go on")
        test.click()
        view.ended(3)
    else:
        view.ended(2)
    view.filled()


def _some_are_there(view: Sentences, model: str) -> None:
    tones = view.tones(model)
    assert 0 < tones.count("-") < len(tones)


def the_screen_is(results: dict[str, StereotypeScore], view: Sentences) -> None:
    for name, result in results.items():
        assert view.score(name, "share") == pytest.approx(result.share, abs=1e-5)
        assert view.tones(name).count("t") == result.ties


def files_hold(results: dict[str, StereotypeScore], view: Sentences) -> None:
    for what in ("sentences", "shares", "contributions"):
        content = view.export("export-csv", f"csv-{what}")[1]
        assert content.decode() == table(results, what), what
    assert set(json.loads(view.export("export-json")[1])["results"]) == set(results)
    assert "algebra" in drawing(view)
    assert colours(view) > 10
