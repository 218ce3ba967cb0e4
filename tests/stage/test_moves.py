"""Nothing moves by itself while answers come, as Chromium counts it: "layout-shift" entries."""

from __future__ import annotations

import pytest

from harness.stage import NARROW, WIDE, Stage, scenarios

LIMIT = 0.02
"""Of one change: a sentence that grows by a line, say. From 0.1 on people are disturbed."""
ASKED = {"debiased": 0.21}
"""Of a change that a person asks for, which the browser does not count right after their input: the
chosen panel takes the place of another, which goes below, and the verdict tells of it."""
RUNS = {
    "psychometric": ["nurse", "unknown word", "no word", "nurse", "noise"],
    "association": ["religions", "no lists", "religions", "word added", "debiased"],
    "posterior": ["empty", "warm-up", "sampling", "stopped", "done"],
    "occupations": ["two groups", "no outside table", "two groups", "comparison"],
    "sentences": ["untested", "tested", *(n for n in scenarios("sentences") if ":" in n)],
    "images": ["untested", "tested", "looked at male scientist 3", "alpha 0.41", "scientist"],
    "rating": ["untested", "running", "Spanish", "Esperanto", "80/20", "power"],
    "decisions": ["done", "bad text", "left out", "wide margin", "left out"],
}
"""States in the order in which they come, or may come."""


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("bench", list(RUNS))
def test_nothing_moves_while_answers_come(stage: Stage, bench: str, width: int) -> None:
    stage.width(width)
    first, *others = RUNS[bench]
    view = stage.mount(bench, first)
    moved = []
    for scenario in others:
        stage.page.evaluate("stage.shifts()")
        view.step_to(scenario)
        shift = stage.page.evaluate("stage.shifts()")
        if shift["value"] >= ASKED.get(scenario, LIMIT):
            moved.append((scenario, shift))
    assert moved == []


def test_what_moves_is_seen(stage: Stage) -> None:
    stage.mount("word_lists", "one list")
    stage.page.evaluate("stage.shifts()")
    stage.page.evaluate("document.querySelector('main').style.paddingTop = '200px'")
    stage.page.evaluate("stage.drawn()")
    assert stage.page.evaluate("stage.shifts()")["value"] > LIMIT
