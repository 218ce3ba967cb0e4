"""The rating bench under the hand: shares that are dragged, and the way through a tree."""

from __future__ import annotations

from functools import partial

import pytest
from playwright.sync_api import expect

from harness.rating import Rating
from harness.server import wait_until
from harness.stage import Stage, StagedBench, state_of
from harness.story import eventually

_PAINTED = """edges => edges.map(edge => {
    const wide = parseFloat(getComputedStyle(edge.querySelector("path")).strokeWidth);
    return [`${edge.dataset.source} ${edge.dataset.target}`, "lit" in edge.dataset, wide > 2];
})"""


def shares(view: StagedBench, block: int) -> list[float]:
    found: list[float] = view.input("distributions")[block]["shares"]
    return found


def test_a_dragged_block_has_its_new_shares_at_once(stage: Stage) -> None:
    view = stage.mount("rating", "Spanish")
    before = shares(view, 0)
    view.drag(view.part("input-point").first, -40, -50)
    stage.page.mouse.up()
    wait_until(lambda: shares(view, 0) != before, "other shares")
    moved = shares(view, 0)
    assert sum(moved) == pytest.approx(1)
    assert moved[0] != before[0]
    assert moved[2] > before[2]
    assert Rating(view.root).shares(0) == pytest.approx(moved)


def test_escape_ends_a_drag_and_brings_the_shares_back(stage: Stage) -> None:
    view = stage.mount("rating", "Spanish")
    before = shares(view, 1)
    point = view.part("input-point").nth(1)
    shown = point.get_attribute("data-shares") or ""
    view.drag(point, 60, -60)
    expect(point).not_to_have_attribute("data-shares", shown)
    stage.page.keyboard.press("Escape")
    expect(point).to_have_attribute("data-shares", shown)
    stage.page.mouse.move(400, 400)
    stage.page.mouse.up()
    view.settle()
    expect(point).to_have_attribute("data-shares", shown)
    view.holds("distributions", view.input("distributions"))
    assert shares(view, 1) == before


def test_of_many_values_the_edges_are_dragged(stage: Stage) -> None:
    view = stage.mount("rating", "place of worship")
    before = shares(view, 0)
    view.drag(view.part("input-edge").first, 60, 0)
    stage.page.mouse.up()
    wait_until(lambda: shares(view, 0) != before, "other shares")
    assert sum(shares(view, 0)) == pytest.approx(1)
    assert shares(view, 0)[2:] == before[2:]


def test_the_way_through_a_tree_is_painted_anew_with_each_answer(stage: Stage) -> None:
    view = stage.mount("rating", "Spanish")
    for scenario in ("Spanish", "Esperanto", "Spanish"):
        view.step_to(scenario)
        eventually(partial(way_is_painted, view, scenario))


def way_is_painted(view: StagedBench, scenario: str) -> None:
    """The edges on the way are wide, and no others."""
    trees = state_of("rating", scenario)["answer"]["picture"]["finding"]["trees"]
    (tree,) = (tree for tree in trees if tree["rule"] == "corrected")
    wanted = [
        [f"{edge['source']} {edge['target']}", edge["on_path"], edge["on_path"]]
        for edge in tree["edges"]
    ]
    edges = view.part("tree-corrected").get_by_test_id("tree-edge")
    assert sorted(edges.evaluate_all(_PAINTED)) == sorted(wanted)
