"""A bench on the stage sends to its test, and hears from it, in either host's way."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from harness.stage import HostName, Stage


@pytest.mark.parametrize("host", ["app", "notebook"])
def test_a_bench_sends_to_its_test_and_hears_from_it(stage: Stage, host: HostName) -> None:
    view = stage.mount("psychometric", "nurse", host=host)
    other = stage.mount("psychometric", "chef", host=host)
    view.part("noise").focus()
    stage.page.keyboard.press("ArrowRight")
    view.holds("generation", 1)
    view.settle()
    assert view.sent()[0].keys() == {"generation", "noise"}
    view.receive(word="chef")
    expect(view.part("word-input")).to_have_value("chef")
    view.step_to("unknown word")
    view.settle("error")
    other.settle()
    assert other.sent() == []


def test_an_answer_comes_when_the_test_gives_it(stage: Stage) -> None:
    view = stage.mount("psychometric", "nurse", answers=False)
    view.part("noise").focus()
    stage.page.keyboard.press("ArrowRight")
    expect(view.root).to_have_attribute("data-waiting", "")
    view.answer()
    view.settle()
    view.part("save-run").click()
    assert view.commanded("save") == {}
    view.reply(message="It is kept.")
    expect(view.root).to_contain_text("It is kept.")
