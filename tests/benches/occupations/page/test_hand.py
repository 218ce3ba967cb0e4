"""Sorting, pointing, keys and opening a word: what a hand does with the rows."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from harness.occupations import WORDS, Host, NotebookHost, Occupations
from harness.psychometric import PsychometricPage


def test_rows_are_sorted_filtered_and_found(host: Host) -> None:
    view = host.bench()
    view.part("sort").select_option("word")
    assert view.shown().order == sorted(WORDS)
    view.part("sort").select_option("given")
    assert view.shown().order == WORDS
    for shown, lean in (("group_1", {1}), ("group_2", {-1}), ("undecided", {0, 2})):
        view.part("shown").select_option(shown)
        rows = view.shown().rows
        assert {row["lean"] for row in rows.values()} <= lean
    view.part("shown").select_option("all")
    view.part("search").fill("TE")
    found = [word for word in WORDS if "te" in word]
    expect(view.part("rows")).to_have_attribute("data-count", str(len(found)))
    assert view.shown().order == found
    view.settle()
    host.holds("search", "TE")
    view.part("search").fill("")
    expect(view.part("rows")).to_have_attribute("data-count", str(len(WORDS)))


def test_the_card_tells_all_and_never_covers_its_row(host: Host) -> None:
    view = host.bench()
    for word in (view.shown().order[0], view.shown().order[-1]):
        view.row(word).hover()
        card = view.part("card")
        expect(card).to_contain_text(word)
        for told in ("PSE", "pairs, range", "σ over pairs", "JND", "95 %", "men in the"):
            expect(card).to_contain_text(told)
        expect(view.root.locator(".hovered-point")).to_contain_text(word)
        row, over = view.row(word).bounding_box(), card.bounding_box()
        assert row is not None
        assert over is not None
        below, above = over["y"] >= row["y"] + row["height"], over["y"] + over["height"] <= row["y"]
        assert below or above


def test_the_scatter_marks_the_row_of_its_word(host: Host) -> None:
    view = host.bench()
    view.row("nurse").hover()
    ring = view.root.locator(".scatter .ring").bounding_box()
    assert ring is not None
    at = (ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
    view.part("question").hover()
    expect(view.root.locator(".row.hovered")).to_have_count(0)
    view.page.mouse.move(*at)
    expect(view.root.locator(".row.hovered")).to_have_attribute("data-word", "nurse")
    view.page.mouse.click(*at)
    view.settle()
    host.holds("word", "nurse")


@pytest.mark.both_hosts
def test_keys_alone_move_hold_and_release(host: Host) -> None:
    view = host.bench()
    order = view.shown().order
    rows = view.part("rows")
    view.part("search").focus()
    view.page.keyboard.press("Tab")
    expect(rows).to_be_focused()
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("ArrowDown")
    expect(view.part("card")).to_contain_text(order[2])
    view.page.keyboard.press("End")
    expect(view.part("card")).to_contain_text(order[-1])
    active = rows.get_attribute("aria-activedescendant")
    assert view.row(order[-1]).get_attribute("id") == active
    view.page.keyboard.press("Space")
    view.settle()
    host.holds("word", order[-1])
    expect(view.part("open-word")).to_be_visible()
    view.page.keyboard.press("Escape")
    view.settle()
    host.holds("word", "")


@pytest.mark.both_hosts
def test_a_word_opens_in_the_psychometric_bench(host: Host) -> None:
    view = host.bench()
    view.row("teacher").click()
    if isinstance(host, NotebookHost):
        view.part("open-word").click()
        bench = PsychometricPage(view.part("opened").get_by_test_id("bench")).settle()
        _is_about(bench, "teacher")
        assert host.value("bench.psychometric_bench.word") == "teacher"
        view.row("chef").locator(".name").dblclick()  # the rest may be under the card
        expect(bench.part("question")).to_contain_text("chef")
        _is_about(bench.settle(), "chef")
        bench.part("alpha-handle").focus()
        view.page.keyboard.press("End")
        bench.settle()
        host.wait_for("bench.psychometric_bench.alpha", 1)
        view.part("close-opened").click()
        expect(view.part("opened")).to_have_count(0)
        return
    address = view.part("open-word").get_attribute("href") or ""
    query = parse_qs(urlsplit(address).query)
    assert query["word"] == ["teacher"]
    assert len(query["pairs"]) == 8
    assert query["selected_pairs"] == [str(n) for n in range(8)]
    view.part("rows").focus()
    view.page.keyboard.press("Enter")
    view.page.wait_for_url(re.compile("/psychometric"))
    _is_about(PsychometricPage.on(view.page).settle(), "teacher")


def _is_about(bench: PsychometricPage, word: str) -> None:
    expect(bench.part("question")).to_contain_text(word)
    expect(bench.part("pair-count")).to_have_text("8 of 8, pooled")


@pytest.mark.parametrize("host_name", ["jupyterlab"], indirect=True)
def test_two_views_do_not_disturb_each_other(host: Host) -> None:
    assert isinstance(host, NotebookHost)
    host.show_cell(
        f"first = OccupationsBench(subject, words={WORDS[:5]!r})\n"
        f"second = OccupationsBench(subject, words={WORDS[5:]!r}, groups='love-hate')\n"
        "widgets.VBox([first, second])"
    )
    first, second = (Occupations(host.page.get_by_test_id("bench").nth(i)).settle() for i in (0, 1))
    first.part("measure-jnd").check(force=True)
    first.settle()
    assert set(first.shown().order) == set(WORDS[:5])
    assert set(second.shown().order) == set(WORDS[5:])
    host.wait_for("[first.measure, second.measure]", ["jnd", "pse"])
    host.run("second.sort = 'word'")
    expect(second.part("sort")).to_have_value("word")
    expect(first.part("sort")).to_have_value("value")
