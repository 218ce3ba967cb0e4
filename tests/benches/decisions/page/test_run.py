"""A run of the decision bench: seen while it goes on, stopped, made by keys, and beside another."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from harness.decision_hosts import ENDLESS, INPUTS, RUN_MS, Decisions, Host, NotebookHost

_FOCUSED = "root => root.getRootNode().activeElement?.dataset.testid ?? ''"
_MOVING = """root => root.getRootNode().getAnimations()
    .filter(one => root.contains(one.effect.target) && one.playState === "running").length"""

_SIDEBAR = """shown => {
    const { shell } = window.jupyterapp;
    return shown ? shell.expandLeft() : shell.collapseLeft();
}"""


@pytest.mark.both_hosts
def test_stop_keeps_all_answers_and_the_run_goes_on_from_them(host: Host) -> None:
    view = host.show(**ENDLESS).begin().stop()
    kept = view.trials()
    assert kept > 0
    expect(view.part("run-status")).to_contain_text("answered and kept")
    assert len(host.result(view).trials) == kept
    expect(view.part("run")).to_contain_text("Go on")
    view.begin().stop()
    assert view.trials() >= kept


def test_nothing_moves_by_itself_with_reduced_motion(host: Host) -> None:
    host.page.emulate_media(reduced_motion="reduce")
    view = host.show(**ENDLESS).begin()
    assert view.root.evaluate(_MOVING) == 0
    host.page.emulate_media(reduced_motion="no-preference")
    host.page.wait_for_function(
        f"root => ({_MOVING})(root) > 0", arg=view.root.element_handle(), timeout=RUN_MS
    )
    view.stop()


def test_a_run_is_made_and_read_by_keys_alone(host: Host) -> None:
    view = host.show()
    view.part("subject").focus()
    seen: list[str] = []

    def tab_to(name: str) -> None:
        for _ in range(60):
            if seen and seen[-1] == name:
                return
            view.page.keyboard.press("Tab")
            seen.append(view.root.evaluate(_FOCUSED))
        raise AssertionError(f"{name} is not reached: {seen}")

    tab_to("run")
    assert {"case", "margin", "settings", "edit-case", "cue-Emily", "wording-1"} <= set(seen)
    view.page.keyboard.press("Enter")
    expect(view.root).to_have_attribute("data-run", "1", timeout=RUN_MS)
    expect(view.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
    view.settle()
    for name in ("x-handle", "margin-edge", "trials"):
        tab_to(name)
    expect(view.part("dock-title")).to_contain_text("Trial 1 of")
    view.page.keyboard.press("ArrowRight")
    expect(view.part("dock-title")).to_contain_text("Trial 2 of")
    tab_to("save-run")


@pytest.mark.parametrize("host_name", ["jupyterlab"], indirect=True)
def test_two_benches_on_a_page_do_not_disturb_each_other(host: Host) -> None:
    assert isinstance(host, NotebookHost)
    host.show_cell(
        f"bench = DecisionBench(**{INPUTS!r})\n"
        f"second = DecisionBench(**{INPUTS | ENDLESS!r})\n"
        "widgets.VBox([bench, second])"
    )
    one = Decisions.on(host.page, 0).settle("empty")
    two = Decisions.on(host.page, 1).settle("empty").begin()
    assert host.value("6 * 7") == 42, "the kernel answers while it asks"
    one.run()
    assert one.trials() == 576
    expect(two.root).to_have_attribute("data-running", "")
    two.root.evaluate("root => root.focus()")
    handle, before = one.part("x-handle"), one.x()
    handle.focus()
    host.page.keyboard.press("ArrowRight")
    assert one.x() == before + 0.5
    assert two.x() == before
    two.stop()
    assert one.trials() == 576


@pytest.mark.parametrize("host_name", ["jupyterlab"], indirect=True)
def test_in_a_notebook_of_400_pixels_nothing_runs_over_the_edge(host: Host) -> None:
    assert isinstance(host, NotebookHost)
    view = host.finished()
    host.page.set_viewport_size({"width": 400, "height": 900})
    host.page.evaluate(_SIDEBAR, False)
    expect(view.root).to_have_class(re.compile("small"))
    over = view.root.evaluate(
        """root => {
            const outer = root.getBoundingClientRect();
            return [...root.querySelectorAll("*")].filter(element => {
                if (element.closest(".visually-hidden, svg *:not(text)")) return false;
                const box = element.getBoundingClientRect();
                return box.width > 0 && box.right > outer.right + 1;
            }).map(element => `${element.tagName}.${element.getAttribute("class")}`);
        }"""
    )
    host.page.evaluate(_SIDEBAR, True)
    assert over == []
    expect(view.part("run")).to_be_visible()
