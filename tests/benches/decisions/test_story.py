"""The decision bench from nothing to a saved run, in both hosts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import biaslab as bl
from biaslab.probes.decisions import DecisionsResult
from biaslab.probes.sensitivity import SensitivityResult
from harness.decision_hosts import ENDLESS, RUN_MS, AppHost, Decisions, Host, NotebookHost
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


def test_story(host: Host) -> None:
    view = host.show()
    by_keys_to_a_result(view)
    result = host.result()
    eventually(lambda: numbers_are_those_of(view, result))
    files_are_those_of(view, result)
    the_same_answers_are_read_as_sensitivity(view, result)
    a_name_is_left_out_and_comes_back(host, view, result)
    themes_are_those_of_the_host(host, view)
    reopened_beside_it(host, view, result)
    stopped_and_gone_on(host, view)


def by_keys_to_a_result(view: Decisions) -> None:
    view.part("subject").focus()
    seen = view.tab_to("run")
    assert {"case", "margin", "settings", "edit-case", "cue-Emily", "wording-1"} <= set(seen)
    view.page.keyboard.press("Enter")
    view.ended()
    seen = view.tab_to("trials")
    assert {"x-handle", "margin-edge"} <= set(seen)
    expect(view.part("dock-title")).to_contain_text("Trial 1 of 576")
    view.page.keyboard.press("ArrowRight")
    expect(view.part("dock-title")).to_contain_text("Trial 2 of 576")
    view.tab_to("save-run")


def numbers_are_those_of(view: Decisions, result: DecisionsResult) -> None:
    ends = result.gap_interval()
    assert view.gap() == pytest.approx((result.gap, ends.low, ends.high))
    assert view.trials() == len(result.trials)
    assert view.part("verdict").inner_text() == result.headline
    for place in (0, 1):
        shown = view.part(f"pse-{place + 1}").get_attribute("data-value")
        assert float(shown or "nan") == pytest.approx(result.pse(place).value)


def files_are_those_of(view: Decisions, result: DecisionsResult) -> None:
    assert view.exported_result(DecisionsResult) == result
    trials = table(view, "trials")
    assert trials["level"].tolist() == result.trials.level.tolist()
    estimates = table(view, "estimates")
    assert estimates["value"].tolist() == pytest.approx(result.to_frame()["value"].tolist())
    text = drawing(view)
    assert result.headline in text
    assert "called Lakisha need" in text
    assert colours(view) > 100


def the_same_answers_are_read_as_sensitivity(view: Decisions, result: DecisionsResult) -> None:
    view.part("reading-gap").focus()
    view.page.keyboard.press("ArrowRight")
    expect(view.part("cut-handle")).to_be_attached(timeout=view.answer_ms)
    seen = view.tab_to("cut-handle")
    assert {"qualified", "alike-d", "alike-c", "roc-ROC"} <= set(seen)
    view.page.keyboard.press("End")
    expect(view.part("cut-handle")).to_have_attribute("aria-valuenow", "3.5")
    expect(view.part("common-1")).to_contain_text("0 % false alarms")
    for level in (8, 6):
        view.part("qualified").fill(str(level))
        view.part("qualified").press("Enter")
        read = bl.sensitivity(result, qualified=level)
        expect(view.part("verdict")).to_have_text(read.headline)
        (difference,) = read.differences
        for measure, one in (("d", difference.d_prime), ("c", difference.criterion)):
            shown = view.part(f"forest-{measure}").get_attribute("data-value")
            assert float(shown or "nan") == pytest.approx(one.value)
    assert view.exported_result(SensitivityResult).differences == read.differences
    assert read.headline in drawing(view)
    view.part("reading-sensitivity").focus()
    view.page.keyboard.press("ArrowLeft")
    view.settle()
    eventually(lambda: numbers_are_those_of(view, result))


def a_name_is_left_out_and_comes_back(host: Host, view: Decisions, result: DecisionsResult) -> None:
    count = len(result.trials)
    view.part("cue-Todd").press("Delete")
    expect(view.part("trials")).to_have_attribute("data-count", str(count - 72))
    view.settle()
    without = host.result()
    assert len(without.trials) == count - 72
    eventually(lambda: numbers_are_those_of(view, without))
    view.part("cue-Todd").click()
    expect(view.part("trials")).to_have_attribute("data-count", str(count))
    view.settle()
    eventually(lambda: numbers_are_those_of(view, result))


def reopened_beside_it(host: Host, view: Decisions, result: DecisionsResult) -> None:
    with host.beside(view, saved(view)) as other:
        eventually(lambda: numbers_are_those_of(other, result))
        other.part("margin").fill("8")
        other.part("margin").press("Enter")
        expect(other.part("verdict")).not_to_have_text(result.headline)
        eventually(lambda: numbers_are_those_of(view, result))


def stopped_and_gone_on(host: Host, view: Decisions) -> None:
    host.set(view, **ENDLESS)
    view.settle().begin().stop()
    kept = view.trials()
    assert kept > 0
    expect(view.part("run-status")).to_contain_text("answered and kept")
    assert len(host.result().trials) == kept
    expect(view.part("run")).to_contain_text("Go on")
    # That waits for more answers than were kept; a run that went on would outlive the page.
    view.begin().part("run").click()
    expect(view.root).not_to_have_attribute("data-running", "", timeout=RUN_MS)
