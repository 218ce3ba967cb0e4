"""The occupations view's controller: what it answers, refuses, and opens."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.records.result import Result
from biaslab_widgets.benches.occupations.bench import OccupationsController
from biaslab_widgets.core.subjects.sources import sources
from harness.driven import Driven
from harness.emitted import PAIRS, PSE, observers
from harness.heavy import pd

GROUPS = {"female": [a for a, _ in PAIRS], "male": [b for _, b in PAIRS]}
WORDS = list(PSE)
SHARES = "occupation,percent men\nnurse,10\nelectrician,90\nteacher,40\nlibrarian,20\n"


class Bench(Driven):
    """A controller over observers with known PSEs, and the replies to its commands."""

    def __init__(self, **options: Any) -> None:
        given = {"words": WORDS, "groups": GROUPS, "subject": observers(), **options}
        super().__init__(
            lambda emit: OccupationsController(
                sources(given["subject"]), emit, given["words"], given["groups"]
            )
        )


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_the_picture_holds_the_numbers_of_the_result(bench: Bench) -> None:
    picture = bench.answer(outside="")["picture"]
    result = bench.controller.result
    contrast = picture["contrasts"][0]
    assert picture["words"] == list(result.words) == WORDS
    pooled = result.contrasts[0].pooled
    assert contrast["pse"]["value"] == pytest.approx(list(pooled.pse), abs=1e-5)
    assert contrast["pse"]["low"] == pytest.approx(list(pooled.corpus[:, 0]), abs=1e-5)
    assert contrast["jnd"]["value"] == pytest.approx(list(pooled.jnd), abs=1e-5)
    assert contrast["pse"]["points"] == [
        pytest.approx(list(row), abs=1e-5) for row in result.contrasts[0].by_pair.pse
    ]
    assert contrast["pse"]["value"] == pytest.approx(list(PSE.values()), abs=0.05)
    assert sum(contrast["lean_counts"]) == len(WORDS)


@pytest.mark.parametrize("adjust", ["holm", "none"])
def test_marks_counts_and_verdict_have_one_correction(adjust: Any) -> None:
    pse = {f"word{i}": 0.5 + 0.005 * i for i in range(30)}
    subject = bl.observers.embedding(pse=pse, jnd=0.02, replicates=200, seed=3)
    bench = Bench(words=list(pse), groups={"a": ["female"], "b": ["male"]}, subject=subject)
    picture = bench.answer(outside="", adjust=adjust)["picture"]
    counts = bench.controller.result.lean_counts(adjust=adjust)
    [contrast] = picture["contrasts"]
    assert tuple(contrast["lean_counts"]) == counts[:3]
    assert contrast["lean"].count(1) == counts.group_1
    assert picture["verdict"][0]["text"] == f"{counts.group_1} of 30 words lean toward "


def test_the_axis_holds_the_neutral_value_and_every_pooled_one(bench: Bench) -> None:
    for name, neutral in (("pse", 0.5), ("jnd", 0.0)):
        measure = bench.answer(pairing="all")["picture"]["contrasts"][0][name]
        low, high = measure["axis"]
        assert low <= neutral <= high
        assert low <= min(measure["value"]) <= max(measure["value"]) <= high


def test_sorting_searching_and_picking_do_not_ask_anew(bench: Bench) -> None:
    bench.answer()
    before = bench.controller.result
    bench.answer(sort="word", shown="undecided", search="nu", measure="jnd", word="nurse")
    assert bench.controller.result is before


def test_combinations_and_sets_change_the_pairs(bench: Bench) -> None:
    assert len(bench.answer(pairing="all")["picture"]["contrasts"][0]["pairs"]) == 9
    sets = bench.answer(pairing="sets")["picture"]["contrasts"][0]
    assert len(sets["pairs"]) == 1
    assert sets["pair_sd"] == [None] * len(WORDS)


def test_three_groups_are_compared_two_by_two() -> None:
    groups = {"one": ["female", "woman"], "two": ["male", "man"], "three": ["she", "he"]}
    bench = Bench(groups=groups)
    picture = bench.answer(outside="", contrast=-1)["picture"]
    names = [(c["group_1"], c["group_2"]) for c in picture["contrasts"]]
    assert names == [("one", "two"), ("one", "three"), ("two", "three")]
    said = "".join(span["text"] for span in picture["verdict"])
    assert all(f"{a} or {b}:" in said for a, b in names)


def test_one_embedding_and_one_pair_cannot_say() -> None:
    bench = Bench(
        subject=observers(replicates=1, cues=PAIRS[:1]), groups={"f": ["female"], "m": ["male"]}
    )
    answer = bench.answer(outside="")
    assert answer["state"] == "cannot-say"
    assert answer["picture"]["contrasts"][0]["lean"] == [2] * len(WORDS)
    assert "nothing varies" in answer["message"]["text"]


@pytest.mark.parametrize(
    ("values", "title"),
    [
        ({"words": []}, "No words"),
        ({"words": ["  "]}, "No words"),
        ({"groups": [{"name": "female", "terms": ["she"]}]}, "no cues"),
        ({"groups": [{"name": "f", "terms": ["she"]}, {"name": "m", "terms": [""]}]}, "no cues"),
    ],
)
def test_what_is_missing_is_said_with_a_way_on(
    bench: Bench, values: dict[str, Any], title: str
) -> None:
    bench.answer()
    answer = bench.answer(**values)
    assert answer["state"] == "empty"
    assert title in answer["message"]["title"]
    action = answer["message"]["actions"][0]
    assert bench.answer(**action["set"])["state"] in ("ready", "error")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"words": ["qqqq", "zzzz"]}, "qqqq"),
        (
            {"groups": [{"name": "f", "terms": ["she", "her"]}, {"name": "m", "terms": ["he"]}]},
            "equal length",
        ),
        (
            {"groups": [{"name": "f", "terms": ["she"]}, {"name": "f", "terms": ["he"]}]},
            "used twice",
        ),
        ({"groups": [{"name": "", "terms": ["she"]}, {"name": "m", "terms": ["he"]}]}, "no name"),
        ({"outside": "no/such"}, "no outside table"),
    ],
)
def test_what_cannot_be_asked_is_told_and_the_last_picture_stays(
    bench: Bench, values: dict[str, Any], said: str
) -> None:
    before = bench.answer()["picture"]
    answer = bench.answer(**values)
    assert answer["state"] == "error"
    assert said in answer["message"]["text"]
    assert answer["picture"] == before
    with pytest.raises(QueryError):
        _ = bench.controller.result


def test_unknown_words_are_counted_and_stay_in_the_list(bench: Bench) -> None:
    answer = bench.answer(words=[*WORDS, "qqqq"])
    assert answer["state"] == "ready"
    assert [d["term"] for d in answer["dropped"]] == ["qqqq"]
    assert bench.controller.snapshot().words[-1] == "qqqq"


def test_an_own_table_is_chosen_and_agrees_with_its_numbers(bench: Bench) -> None:
    bench.answer()
    reply = bench.reply("load-table", name="shares.csv", text=SHARES)
    assert reply["ok"], reply
    assert "4 values" in reply["message"]

    def the_table_is_offered_and_chosen(state: dict[str, Any]) -> bool:
        assert state.get("outside") == "own/shares.csv"
        assert any(o["key"] == "own/shares.csv" and o["own"] for o in state["outside_options"])
        return True

    bench.emitted.until(the_table_is_offered_and_chosen)
    picture = bench.answer()["picture"]
    agreement = picture["agreement_pse"]
    expected = np.corrcoef([10, 90, 40, 20], picture["contrasts"][0]["pse"]["value"])[0, 1]
    assert agreement["pearson"]["value"] == pytest.approx(expected, abs=1e-4)
    assert agreement["y"] == pytest.approx(
        [100 * v for v in picture["contrasts"][0]["pse"]["value"]], abs=1e-3
    )
    assert agreement["pearson"]["low"] < agreement["pearson"]["value"] < 0


def test_a_table_about_other_groups_is_not_compared() -> None:
    one, two = PAIRS[-1]
    picture = Bench(groups={"north": [one], "south": [two]}).answer()["picture"]
    assert picture["agreement_pse"] is None
    assert picture["caveat"].endswith(", which counts people of other groups.")
    assert "other groups" not in Bench().answer()["picture"]["caveat"]


def test_a_table_with_wrong_columns_is_told_and_the_old_one_stays(bench: Bench) -> None:
    before = bench.answer()["picture"]["outside_label"]
    assert "column" in bench.refused("load-table", name="wrong.csv", text="a,b\nx,y\nz,w\n")
    assert bench.answer()["picture"]["outside_label"] == before


def test_files_hold_the_result(bench: Bench) -> None:
    bench.answer(outside="")
    again = Result.from_json(bench.reply("json")["content"])
    assert again.summary() == bench.controller.result.summary()
    frame = pd.read_csv(io.StringIO(bench.reply("csv")["content"]))
    assert list(frame["word"]) == WORDS
    pairs = pd.read_csv(io.StringIO(bench.reply("csv", what="pairs")["content"]))
    assert len(pairs) == len(WORDS) * len(PAIRS) + len(WORDS)


def test_a_word_is_opened_with_the_cue_pairs_of_the_screen(bench: Bench) -> None:
    asked: list[dict[str, Any]] = []

    def open_word(inputs: dict[str, Any]) -> str:
        asked.append(inputs)
        return "IPY_MODEL_1"

    bench.controller.open_word = open_word
    bench.answer(curve="logistic")
    assert bench.reply("open", word="nurse")["ok"]
    assert asked[0]["word"] == "nurse"
    assert asked[0]["pairs"] == [list(pair) for pair in PAIRS]
    assert asked[0]["curve"] == "logistic"
    assert bench.emitted.state["psychometric"] == "IPY_MODEL_1"
    assert not bench.reply("open", word="qqqq")["ok"]


def test_the_comparison_is_made_when_it_is_looked_at(bench: Bench) -> None:
    bench.reply("load-table", name="shares.csv", text=SHARES)
    assert bench.answer()["picture"]["comparison"] is None
    comparison = bench.answer(beside="comparison")["picture"]["comparison"]
    rows = bench.controller.result.comparison()
    assert [row["name"] for row in comparison["rows"]] == [row.measure for row in rows]
    for shown, row in zip(comparison["rows"], rows, strict=True):
        numbers = [*(shown["pearson"][end] for end in ("value", "low", "high")), shown["gap"]]
        interval = row.pearson_interval
        expected = [row.pearson, interval.low, interval.high, row.pearson_gap]
        assert numbers == pytest.approx(expected, abs=1e-5), row.measure
    said = "".join(span["text"] for span in comparison["verdict"])
    assert said == bench.controller.result.comparison_verdict()
    assert comparison["words"] == len(WORDS)


def test_without_a_table_the_comparison_says_what_is_missing(bench: Bench) -> None:
    comparison = bench.answer(outside="", beside="comparison")["picture"]["comparison"]
    assert comparison["rows"] == []
    assert "no outside table" in comparison["caveat"]


def test_several_alternatives_are_ranked() -> None:
    groups = {"one": ["female"], "two": ["male"], "three": ["she"]}
    ranking = Bench(groups=groups).answer(outside="")["picture"]["ranking"]
    assert [sorted(order) for order in ranking["order"]] == [[0, 1, 2]] * len(WORDS)
    assert [sum(first) for first in ranking["first"]] == pytest.approx([1] * len(WORDS))
