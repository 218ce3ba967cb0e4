"""The decision bench over more than two groups, and over groups that always answer alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biaslab import cases
from harness.planted_decider import PlantedDecider
from harness.scenarios.decision_groups import CROSSED, POINTS, crossed
from harness.scenarios.decisions import FEW, Bench, Make

NAMES = [group.name for group in cases.get(CROSSED["case"]).groups]


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A bench after a run about four crossed groups; tests set back what they change."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASLAB_HOME", str(tmp_path_factory.mktemp("four")))
        made = crossed()
        made.answer()
        made.run(2 * FEW, **CROSSED)
        made.settle()
        yield made
        made.controller.close()


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replies are kept where no other test finds them."""
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))


def test_all_groups_have_a_point_and_a_gap_to_the_first(four: Bench) -> None:
    four.settle(groups=NAMES[:2])
    picture, result = four.answer()["picture"], four.controller.result
    assert [point["name"] for point in picture["points"]] == NAMES
    for place, point in enumerate(picture["points"]):
        assert point["pse"]["value"] == pytest.approx(result.pse(place).value)
        assert point["pse"]["low"] < POINTS[place] < point["pse"]["high"]
        assert 0 < point["neither"]["value"] < 0.2
        if place:
            assert point["gap"]["value"] == pytest.approx(result.gap_between(0, place).value)
            assert point["gap"]["low"] < POINTS[place] - POINTS[0] < point["gap"]["high"]
    assert [(one["trait"], one["one"], one["two"]) for one in picture["effects"]] == [
        ("origin", "white", "Black"), ("gender", "male", "female"),
    ]  # fmt: skip
    for one, truth in zip(picture["effects"], (2.0, 1.0), strict=True):
        assert one["effect"]["low"] < truth < one["effect"]["high"]


def test_another_pair_is_compared_from_stored_answers(four: Bench) -> None:
    asked = next(iter(four.controller.opening.sources.values())).open().asked
    four.settle(groups=NAMES[:2])
    first = four.answer()["picture"]
    four.settle(groups=[NAMES[3], NAMES[0]])
    picture, result = four.answer()["picture"], four.controller.result
    assert result.groups[:2] == (NAMES[3], NAMES[0])
    assert picture["gap"]["value"] == pytest.approx(result.gap)
    assert picture["gap"]["value"] == pytest.approx(-first["points"][3]["gap"]["value"], abs=0.02)
    assert not picture["run"]["stale"]
    assert picture["run"]["number"] == first["run"]["number"]
    assert next(iter(four.controller.opening.sources.values())).open().asked == asked
    shown = set(four.state["marks"]["group"])
    assert shown == {0, 1}
    assert len(four.state["marks"]["number"]) == sum(picture["counts"].values())
    assert [group["name"] for group in four.state["card"]["groups"]] == [NAMES[3], NAMES[0]]


def test_a_run_about_the_two_compared_groups_asks_half_as_much(four: Bench) -> None:
    four.answer(groups=NAMES[:2])
    everyone = four.state["plan"]["questions"]
    try:
        answer = four.answer(all_groups=False)
        assert four.state["plan"]["questions"] == everyone // 2
        assert answer["state"] == "empty"
    finally:
        four.answer(all_groups=True)


def test_a_saved_run_about_all_groups_opens_with_all_of_them(four: Bench, made: Make) -> None:
    four.settle(groups=[NAMES[1], NAMES[2]])
    result = four.controller.result
    other = made(PlantedDecider(POINTS, case=CROSSED["case"]))
    other.answer(case=CROSSED["case"])
    assert other.controller.take_stored(result)
    assert other.controller.result.groups[:2] == (NAMES[1], NAMES[2])
    assert other.state["all_groups"]


@pytest.mark.parametrize(
    ("points", "lines"),
    [
        ((-60.0, -60.0), ("PSE below 0 years", "PSE below 0 years")),
        ((60.0, 7.0), ("PSE beyond 16 years", "")),
    ],
)
def test_a_group_that_always_answers_alike_is_a_flat_line(
    points: tuple[float, float], lines: tuple[str, str], made: Make
) -> None:
    bench = made(PlantedDecider(points, refusals=0.0))
    picture = bench.run(give_up=False, method="fixed")
    assert tuple(curve["beyond"] for curve in picture["curves"]) == lines
    for curve, point in zip(picture["curves"], points, strict=True):
        if not curve["beyond"]:
            assert curve["share"][0] < 0.2 < 0.8 < curve["share"][-1]
            continue
        share = 1.0 if point < 0 else 0.0
        assert set(curve["share"]) == {share}
        ends = curve["low"] if share else curve["high"]
        assert len(set(ends)) == 1
        assert 0 < abs(share - ends[0]) < 0.05
        assert curve["pse"]["value"] is None
    assert picture["gap"] is None
    assert picture["reason"]
    assert (picture["counts"]["no"] == 0) == (points == (-60.0, -60.0))
    assert len(bench.state["marks"]["number"]) == picture["run"]["done"] == 576
    verdict = "".join(span["text"] for span in picture["verdict"])
    assert lines[0].removeprefix("PSE") in verdict


def test_one_of_four_groups_that_is_never_accepted_leaves_the_gap_of_the_others(made: Make) -> None:
    bench = made(PlantedDecider((6.0, 7.0, 8.0, 60.0), refusals=0.0, case=CROSSED["case"]))
    bench.run(2 * FEW, **CROSSED)
    bench.settle()
    picture, result = bench.answer()["picture"], bench.controller.result
    assert picture["reason"] == ""
    assert picture["gap"]["low"] < 1.0 < picture["gap"]["high"]
    assert picture["points"][3]["pse"]["value"] is None
    assert picture["effects"] == []
    assert f"There is no point for {NAMES[3]}, who are invited at no level." in result.caveat()
    assert f"(PSE) of {NAMES[3]}: beyond 16 years." in result.summary()
    assert "nan" not in result.summary()
    assert result.figure() is not None
