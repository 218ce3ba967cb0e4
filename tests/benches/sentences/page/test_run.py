"""From nothing to a result, by keys; stopped, failed, begun again; two on a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from harness.sentences import FEW, RUN_MS, TINY, TRUTH, Host, NotebookHost, Sentences
from harness.three_steps import try_a_closed_step, try_a_test_that_is_stopped


@pytest.mark.both_hosts
def test_from_nothing_to_a_result_by_keys_alone(host: Host) -> None:
    view = host.show()
    view.part("step-1").focus()
    seen = view.tab_to("onward")
    assert {"predefined", f"model-{TRUTH}", "pairing-group"} <= set(seen)
    view.page.keyboard.press("Enter")
    expect(view.root).to_have_attribute("data-step", "2")
    expect(view.part("pair").first).to_be_visible(timeout=RUN_MS)
    expect(view.part("step-2")).to_be_focused()
    seen = view.tab_to("onward")
    assert {"templates", "write-open", "own", "import", "search-pairs", "pairs"} <= set(seen)
    assert seen.count("pairs") == 1, "the table is one Tab stop"
    view.opened(3).page.keyboard.press("Enter")
    expect(view.root).to_have_attribute("data-step", "3")
    expect(view.part("step-3")).to_be_focused()
    view.tab_to("test")
    view.page.keyboard.press("Enter")
    view.ended()
    seen = view.tab_to("squares")
    assert {"outcome-all", "search", "order"} <= set(seen)
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        view.page.keyboard.press(key)
    view.settle()
    assert view.shown().pair != ""
    label = view.part("square-now").get_attribute("aria-label") or ""
    assert "log-odds" in label or "tie" in label
    view.page.keyboard.press("Tab")
    assert view.shown().pair != "", "what is held stays"


def test_a_closed_step_says_why(host: Host) -> None:
    view = host.show(lists=FEW["lists"][:2])
    try_a_closed_step(view)
    host.set(view, **FEW)
    view.settle().made()
    expect(view.part("step-1")).to_have_attribute("data-state", "done")


def test_start_again_keeps_the_lists_without_a_reload(host: Host) -> None:
    view = host.show().made().tested()
    view.page.evaluate("window.notReloaded = true")
    view.part("start-again").click()
    expect(view.root).to_have_attribute("data-step", "1")
    view.settle()
    host.holds("lists", FEW["lists"])
    expect(view.part("word-list")).to_have_count(4)
    view.made().go(3)
    assert view.page.evaluate("window.notReloaded") is True


def test_a_model_is_added_to_the_same_sentences(host: Host) -> None:
    view = host.show(models=[TRUTH]).made().tested()
    assert set(view.shown().scores) == {TRUTH}
    before = view.shown().scores[TRUTH]
    view.part("add-model").click()
    view.part(f"add-{TINY}").click()
    expect(view.squares(TINY)).to_be_visible(timeout=RUN_MS)
    view.ended(2).filled()
    shown = view.shown()
    assert set(shown.scores) == {TRUTH, TINY}
    assert shown.scores[TRUTH] == before


@pytest.mark.parametrize("host_name", ["jupyterlab"], indirect=True)
def test_squares_fill_while_it_runs_and_stop_keeps_them(host: Host) -> None:
    assert isinstance(host, NotebookHost)
    host.run(
        "import threading\n"
        "gate = threading.Event()\n"
        "class Gated(type(truth)):\n"
        "    name, seen, content_hash = 'gated', 0, None\n"
        "    def _score(self, pair):\n"
        "        self.seen += 1\n"
        "        if self.seen > 64: gate.wait()\n"
        "        return super()._score(pair)\n"
        "gated = Gated(0.7, {}, attribute_sd=0, frame_sd=0, ties=0, failures=0, size=1, seed=1)"
    )
    host.show_cell("bench = SentenceBench(gated); bench")
    view = Sentences.on(host.page).settle()
    view.made().go(3)
    try_a_test_that_is_stopped(host, view)


@pytest.mark.parametrize("host_name", ["jupyterlab"], indirect=True)
def test_a_model_that_cannot_be_read_is_told_and_stops_no_other(
    host: Host, model: Path, tmp_path: Path
) -> None:
    assert isinstance(host, NotebookHost)
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in model.iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    host.show_cell(f"bench = SentenceBench([truth, {str(broken)!r}]); bench")
    view = Sentences.on(host.page).settle()
    host.set(view, **{**FEW, "models": [TRUTH, "broken"]})
    view.settle().made().go(3)
    view.part("test").click()
    view.ended()
    expect(view.part("model-message")).to_contain_text("broken")
    expect(view.part("retry")).to_be_visible()
    assert view.shown().scores[TRUTH]["share"] is not None


@pytest.mark.parametrize("host_name", ["jupyterlab"], indirect=True)
def test_two_benches_on_a_page_do_not_disturb_each_other(host: Host) -> None:
    assert isinstance(host, NotebookHost)
    host.show_cell(
        "bench = SentenceBench(truth)\nsecond = SentenceBench(tiny)\n"
        f"for one in (bench, second): one.lists, one.spec = {FEW['lists']!r}, ''\n"
        "widgets.VBox([bench, second])"
    )
    one, two = Sentences.on(host.page, 0).settle(), Sentences.on(host.page, 1).settle()
    one.made().tested()
    expect(two.root).to_have_attribute("data-step", "1")
    two.made().tested()
    assert set(one.shown().scores) == {TRUTH}
    assert set(two.shown().scores) == {TINY}
    one.point(TRUTH)
    assert two.shown().pair == ""
