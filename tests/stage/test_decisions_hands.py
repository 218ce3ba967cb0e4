"""The decision bench under the hand: what is dragged, and what moves by itself."""

from __future__ import annotations

from harness.server import wait_until
from harness.stage import Stage, state_of
from harness.story import eventually

_MOVING = """root => root.getRootNode().getAnimations()
    .filter(one => root.contains(one.effect.target) && one.playState === "running").length"""


def test_the_level_is_dragged_with_guide_and_text(stage: Stage) -> None:
    view = stage.mount("decisions", "done", x=8)
    view.drag(view.part("x-handle"), 90, 0)

    def all_follow() -> None:
        moved = view.input("x")
        assert moved > 9
        assert view.part("x-handle").get_attribute("aria-valuenow") == f"{moved:g}"
        assert view.part("x-chip").text_content() == f"{moved:g} years"
        assert f"{moved:g} years" in (view.part("case-card").text_content() or "")

    eventually(all_follow)  # on its way, the level is at other places
    stage.page.mouse.up()


def test_a_name_is_dragged_out_and_comes_back_by_a_press(stage: Stage) -> None:
    view = stage.mount("decisions", "done")
    chip = view.part("cue-Todd")
    view.drag(chip, 150, 110)
    stage.page.mouse.up()
    view.holds("without_cues", ["Todd"])
    chip.click()
    view.holds("without_cues", [])


def test_the_edge_of_the_band_sets_the_margin(stage: Stage) -> None:
    view = stage.mount("decisions", "done")
    before = view.input("alike")
    view.drag(view.part("margin-edge"), 160, 0)
    stage.page.mouse.up()

    def both_are_wider() -> None:
        assert view.input("alike") > before + 1
        assert view.part("margin").input_value() == f"{view.input('alike'):g}"

    eventually(both_are_wider)


def test_nothing_moves_by_itself_with_reduced_motion(stage: Stage) -> None:
    answer = state_of("decisions", "done")["answer"]
    answer["picture"]["run"]["running"] = True
    view = stage.mount("decisions", "done", answer=answer)
    wait_until(lambda: view.root.evaluate(_MOVING) > 0, "something that moves while it asks")
    stage.still()
    wait_until(lambda: view.root.evaluate(_MOVING) == 0, "rest")
