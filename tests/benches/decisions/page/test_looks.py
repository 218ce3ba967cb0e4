"""Dark, narrow, four groups, alike answers: the decision bench keeps its shape."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from harness.decision_hosts import RUN_MS, AppHost, Decisions, Host
from harness.layout import LayoutTrial
from harness.looks import OVERFLOWING, faint_texts, light_again

CROSSED = "hire-by-origin-and-gender"


def four(host: Host) -> Decisions:
    """A bench after a run about four crossed groups."""
    view = host.show(case=CROSSED).run()
    expect(view.part("all-groups-table")).to_be_visible(timeout=RUN_MS)
    return view


def test_another_pair_is_chosen_by_chips_and_compared_from_the_answers(host: Host) -> None:
    view = four(host)
    gap = float(view.part("point-4").get_attribute("data-gap") or "nan")
    view.part("group-Black-sounding women's names").click()
    expect(view.part("cues-2")).to_contain_text("Aisha")
    view.settle()
    expect(view.root).to_have_attribute("data-settled", "", timeout=RUN_MS)
    assert view.gap()[0] == pytest.approx(gap, abs=0.05)
    expect(view.root).to_have_attribute("data-run", "1")
    expect(view.part("point-2")).to_contain_text("Black-sounding women's names")
    expect(view.part("effect-gender")).to_contain_text("Main effect of gender, ")


def test_all_text_is_readable_in_both_themes(host: Host) -> None:
    view = four(host)
    view.part("trial-next").click()
    with light_again(host):
        assert faint_texts(host, view) == {}


@pytest.mark.parametrize("host_name", ["app"], indirect=True)
def test_at_400_pixels_four_groups_stack_and_stay_usable(host: Host) -> None:
    assert isinstance(host, AppHost)
    host.page.set_viewport_size({"width": 400, "height": 900})
    view = four(host)
    assert view.root.evaluate(OVERFLOWING) == []
    for opener in ("settings", "export-csv"):
        view.part(opener).click()
        expect(view.part(f"{opener}-card")).to_be_visible()
        assert view.root.evaluate(OVERFLOWING) == [], opener
        view.page.keyboard.press("Escape")
    expect(view.part("effects")).to_be_visible()


@pytest.mark.validate
@pytest.mark.parametrize("host_name", ["app"], indirect=True)
def test_the_layout_holds_in_every_typeface(host: Host) -> None:
    trial = LayoutTrial(host.show())
    trial.look("before the run")
    view = four(host)
    after = LayoutTrial(view)
    after.look("four groups")
    after.look_at_cards("settings", "export-csv")
    assert trial.report() + after.report() == ""
