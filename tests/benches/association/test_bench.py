"""The association bench's controller: what it answers, refuses, and carries out."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from biaslab.errors import QueryError
from biaslab.probes.association import CONNECTIONS
from biaslab.records.result import Result
from harness.driven import Driven
from harness.garden import driven, lists
from harness.heavy import pd


@pytest.fixture
def bench() -> Driven:
    return driven()


def test_points_posterior_and_weat_are_those_of_the_result(bench: Driven) -> None:
    picture = bench.answer()["picture"]
    result = bench.controller.result
    model, side = result.distance_model, picture["before"]
    assert [p["word"] for p in picture["protected"]] == list(model.words)
    for i, word in enumerate(model.words):
        for c, connection in enumerate(CONNECTIONS):
            expected = model.table.of(word, connection).mean(axis=0)
            assert side["distances"][i][c] == pytest.approx(list(expected), abs=1e-4)
            names = [picture["terms"][j]["term"] for j in side["terms"][i][c]]
            assert len(names) == len(expected)
    chosen = side["posteriors"][0]
    assert chosen["model"] == "crossed"
    assert chosen["words"][0][0]["value"] == pytest.approx(model.means[0, 0], abs=1e-4)
    assert chosen["words"][0][0]["low"] == pytest.approx(model.intervals[0, 0, 0], abs=1e-4)
    assert result.weat is not None
    assert side["weat"]["effect_size"] == pytest.approx(result.weat.effect_size, abs=1e-4)
    assert (side["weat"]["exceed"], side["weat"]["partitions"]) == (
        result.weat.exceed,
        result.weat.partitions,
    )
    assert sum(side["weat"]["null_counts"]) == result.weat.partitions
    assert side["mac"] == pytest.approx(result.mac.mac, abs=1e-4)
    for c, connection in enumerate(side["connections"]):
        means = [row[c] for row in side["means"]]
        expected = model.table.means().mean(axis=0)[:, c]
        assert means == pytest.approx([None if np.isnan(m) else m for m in expected], abs=1e-4)
        assert connection["mac"] == pytest.approx(
            result.mac.by_connection[CONNECTIONS[c]], abs=1e-4
        )


@pytest.mark.parametrize("model", ["crossed", "pooled", "per-word"])
def test_each_model_stands_beside_the_papers_and_the_crossed_one(bench: Driven, model: str) -> None:
    posteriors = bench.answer(model=model)["picture"]["before"]["posteriors"]
    assert posteriors[0]["model"] == model
    mean = bench.controller.result.distance_model.means[0, 0]
    assert posteriors[0]["words"][0][0]["value"] == pytest.approx(mean, abs=1e-4)
    assert {p["model"] for p in posteriors} == {model, "pooled", "crossed"}
    assert all(len(p["contrasts"]) == 3 for p in posteriors)


def test_an_edit_changes_points_posterior_and_weat(bench: Driven) -> None:
    before = bench.answer()["picture"]["before"]
    edited = lists()
    edited[2]["terms"].remove("gift")
    after = bench.answer(lists=edited)["picture"]["before"]
    assert after["total"] == before["total"] - 8
    assert after["weat"]["statistic"] != before["weat"]["statistic"]
    assert after["posteriors"][0]["words"] != before["posteriors"][0]["words"]


def test_what_is_only_looked_at_asks_nothing_anew(bench: Driven) -> None:
    bench.answer()
    before = bench.controller.result
    bench.answer(step=3, word="rose", shown="simulation", debiasing="hard")
    assert bench.controller.result is before


def test_weat_follows_its_options(bench: Driven) -> None:
    one_sided = bench.answer()["picture"]["before"]["weat"]
    asked = {"weat_groups": ["insects", "flowers"], "ddof": 0, "alternative": "two-sided"}
    two_sided = bench.answer(**asked)["picture"]["before"]["weat"]
    weat = bench.controller.result.weat
    assert weat is not None
    assert (tuple(weat.lists.groups), weat.ddof) == (("insects", "flowers"), 0)
    assert two_sided["exceed"] > one_sided["exceed"]


def test_debiasing_stands_beside(bench: Driven) -> None:
    picture = bench.answer(debiasing="hard")["picture"]
    assert picture["after_reason"] == ""
    assert "debiased" in picture["after"]["name"]
    assert picture["after"]["total"] == picture["before"]["total"]
    assert bench.answer(debiasing="none")["picture"]["after"] is None


def test_a_replicate_of_an_ensemble_or_all_together() -> None:
    bench = driven(replicates=4)
    together = bench.answer()["picture"]
    assert together["replicates"] == 4
    assert len(together["before"]["weat"]["replicates"]) == 4
    one = bench.answer(replicate=2)["picture"]
    assert one["replicates"] == 1
    assert one["before"]["distances"] != together["before"]["distances"]
    answer = bench.answer(replicate=9)
    assert answer["state"] == "error"
    assert "choose 0 to 3" in answer["message"]["text"]


def test_the_simulation_knows_its_ceiling(bench: Driven) -> None:
    values = {"means": [0, 0, 0, 0], "sd": 0.05, "words": 2, "attributes": 5}
    found = bench.answer(shown="simulation", simulation=values)["picture"]["simulation"]
    assert found["ceiling"] == pytest.approx(np.sqrt(3), abs=1e-3)
    found = bench.answer(ddof=0)["picture"]["simulation"]
    assert found["ceiling"] == pytest.approx(2, abs=1e-3)
    assert bench.answer(shown="data")["picture"]["simulation"] is None


@pytest.mark.parametrize(
    ("change", "title"),
    [
        (lambda ls: [w for w in ls if w["kind"] != "groups"], "No protected words"),
        (lambda ls: [w for w in ls if w["kind"] != "attributes"], "No attribute words"),
    ],
)
def test_what_is_missing_is_said_with_a_way_on(bench: Driven, change: Any, title: str) -> None:
    answer = bench.answer(lists=change(lists()))
    assert answer["state"] == "empty"
    assert answer["message"]["title"] == title
    assert answer["message"]["actions"][0]["set"]["lists"]


def test_without_controls_it_goes_on_and_says_so(bench: Driven) -> None:
    answer = bench.answer(lists=[w for w in lists() if w["kind"] != "controls"])
    assert answer["state"] == "ready"
    assert answer["picture"]["before"]["connections"][3]["distances"] == 0


def test_what_cannot_be_asked_is_told_and_the_last_picture_stays(bench: Driven) -> None:
    before = bench.answer()["picture"]
    unknown = lists()
    unknown[0]["terms"] = ["qqqq"]
    answer = bench.answer(lists=unknown)
    assert answer["state"] == "error"
    assert "qqqq" in answer["message"]["text"]
    assert answer["picture"] == before
    with pytest.raises(QueryError):
        _ = bench.controller.result


def test_one_group_has_no_weat_and_says_why(bench: Driven) -> None:
    one = [w for w in lists() if w["name"] != "insects"]
    side = bench.answer(lists=one)["picture"]["before"]
    assert side["weat"] is None
    assert "two groups" in side["weat_reason"]


def test_a_prior_that_is_none_is_told(bench: Driven) -> None:
    priors = {**bench.controller.snapshot().priors, "noise_scale": 0.0}
    with pytest.raises(ValueError, match=r"noise_scale is 0\.0; it lies above 0"):
        bench.controller.change({"priors": priors})


def test_files_hold_the_result(bench: Driven) -> None:
    bench.answer()
    again = Result.from_json(bench.reply("json")["content"])
    assert again.headline == bench.controller.result.headline
    frame = pd.read_csv(io.StringIO(bench.reply("csv", what="distances")["content"]))
    assert len(frame) == bench.controller.result.distance_model.table.n


def test_models_are_compared_when_that_is_asked_for(bench: Driven) -> None:
    pytest.importorskip("arviz")
    assert bench.answer()["picture"]["scores"]["state"] == "none"
    assert bench.reply("compare")["ok"]
    state = bench.emitted.until(
        lambda s: (s["answer"]["picture"] or {}).get("scores", {}).get("state") == "done"
    )
    rows = state["answer"]["picture"]["scores"]["rows"]
    assert {row["model"] for row in rows} == {"crossed", "pooled", "per-word", "crossed-equal"}
    assert rows[0]["behind"] == 0
    assert all(row["behind"] >= 0 for row in rows)
    # Another model of the same distances keeps them; other words do not.
    assert bench.answer(model="pooled")["picture"]["scores"]["state"] == "done"
    edited = lists()
    edited[2]["terms"].remove("gift")
    assert bench.answer(lists=edited)["picture"]["scores"]["state"] == "none"
