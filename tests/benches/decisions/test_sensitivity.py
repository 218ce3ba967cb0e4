"""The decision bench's view of sensitivity: the same answers, read by signal detection."""

from __future__ import annotations

import json

import pytest

import biaslab as bl
from biaslab.probes.decisions import DecisionsResult
from biaslab.probes.sensitivity import SensitivityResult
from biaslab.store import Store
from harness.scenarios.decisions import Bench, Make

pytestmark = pytest.mark.usefixtures("own_home")


def read(bench: Bench, qualified: float = 6.0) -> SensitivityResult:
    """The probe's own reading of the answers on the screen."""
    return bl.sensitivity(bench.controller.result, qualified=qualified)


def test_numbers_and_words_are_those_of_the_probe(done: Bench) -> None:
    shown = done.answer(reading="sensitivity", qualified=6.0)["picture"]["sensitivity"]
    result = read(done)
    (difference,) = result.differences
    assert "".join(span["text"] for span in shown["verdict"]) == result.headline
    for name, of in (("d", difference.d_prime), ("c", difference.criterion)):
        ends = [shown[name][end] for end in ("value", "low", "high")]
        assert ends == [of.value, of.interval.low, of.interval.high]
    for one, group in zip(shown["groups"], result.groups, strict=True):
        assert one["hits"]["value"] == group.hits.value
        assert one["false_alarms"]["value"] == group.false_alarms.value
        assert [cue["name"] for cue in one["cues"]] == [cue.name for cue in group.cues]
    done.answer(reading="gap")


def test_a_threshold_and_margins_read_the_same_answers_anew(done: Bench) -> None:
    asked = next(iter(done.controller.opening.sources.values())).open().asked
    first = done.answer(reading="sensitivity", qualified=6.0)["picture"]
    other = done.answer(qualified=9.0, alike_c=2.0)["picture"]
    assert other["sensitivity"]["c"]["value"] == read(done, 9.0).differences[0].criterion.value
    assert other["sensitivity"]["c"]["value"] != first["sensitivity"]["c"]["value"]
    assert other["sensitivity"]["c"]["margin"] == 2.0
    assert other["gap"] == first["gap"]
    assert next(iter(done.controller.opening.sources.values())).open().asked == asked
    done.answer(reading="gap", qualified=6.0, alike_c=0.25)


def test_without_qualified_and_others_a_sentence_stands_there_and_the_gap_stays(
    done: Bench,
) -> None:
    picture = done.answer(reading="sensitivity", qualified=0.0)["picture"]
    said = "".join(span["text"] for span in picture["sensitivity"]["verdict"])
    assert "one side of 0 years" in said
    assert "qualified=" not in said
    assert picture["sensitivity"]["groups"] == []
    assert picture["gap"] is not None
    assert not done.reply("json")["ok"]
    done.answer(reading="gap", qualified=6.0)


def test_files_code_and_steps_are_those_of_the_view(done: Bench) -> None:
    done.answer(reading="sensitivity", qualified=6.0)
    assert json.loads(done.reply("json")["content"])["schema"] == SensitivityResult.schema
    assert "bl.sensitivity(" in done.reply("code")["content"]
    assert len(done.reply("csv", what="estimates")["content"].splitlines()) == 1 + 3
    steps = done.reply("how")["how"]["steps"]
    assert any(
        f"{read(done).groups[0].d_prime.value:.3f}" in n for s in steps for n in s["numbers"]
    )
    run = done.reply("save")["message"].removeprefix("Saved as run ").rstrip(".")
    done.answer(reading="gap")
    assert isinstance(Store().open(run), DecisionsResult)
    assert Store().run(run).inputs["reading"] == "sensitivity"


def test_a_trial_counts_as_a_hit_or_as_what_it_is(done: Bench) -> None:
    trials = done.controller.result.trials
    found = {}
    for row in range(40):
        done.answer(reading="sensitivity", qualified=6.0, trial=row + 1)
        if trials.answered[row]:
            key = bool(trials.level[row] >= 6), bool(trials.yes[row] >= 0.5)
            found[key] = done.state["detail"]["counts_as"]
    assert found == {
        (True, True): "qualified: a hit",
        (True, False): "qualified: a miss",
        (False, True): "not qualified: a false alarm",
        (False, False): "not qualified: a correct rejection",
    }
    done.answer(reading="gap", trial=0)


def test_levels_that_followed_the_answers_are_said_to_differ(made: Make) -> None:
    bench = made()
    bench.run(120, method="adaptive", reading="sensitivity", qualified=6.0)
    assert "Levels followed the answers" in bench.answer()["picture"]["sensitivity"]["caveat"]
