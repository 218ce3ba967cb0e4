"""The decision bench without a host: what it asks, and what it shows of the answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import biaslab as bl
from biaslab import cases
from biaslab.cases import toml_of
from biaslab.deciders import OUTCOMES, Reply
from biaslab.probes.decisions import ratio_is_known
from biaslab.store import Store
from biaslab_widgets.benches.decisions.bench import DecisionController
from biaslab_widgets.benches.decisions.case import card_of, case_of, question_of
from biaslab_widgets.benches.decisions.run import Run
from biaslab_widgets.benches.decisions.subjects import NAME, AnyCase, decider_sources, planted_gap
from biaslab_widgets.benches.decisions.trials import ShownTrials
from harness.driven import Driven
from harness.emitted import PATIENCE_S, Gate
from harness.planted_decider import PlantedDecider
from harness.scenarios.decisions import FEW, Bench, Make

pytestmark = pytest.mark.usefixtures("own_home")

FIXED: dict[str, Any] = {"method": "fixed"}


class Gated(PlantedDecider):
    """Waits at a gate before each call but the first."""

    identity = "gated decider"
    at_once = 64

    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()

    def decide(self, questions: Any, context: Any) -> Any:
        if self.asked:
            self.gate.pass_through()
        return super().decide(questions, context)


class Unmoved(PlantedDecider):
    """Says yes to everything, or refuses everything."""

    def __init__(self, outcome: Any) -> None:
        super().__init__()
        self.outcome = outcome

    def _reply(self, question: Any) -> Reply:
        return Reply(outcome=self.outcome, answer="INVITE" * (self.outcome == "answered"))


@pytest.fixture
def bench(made: Make) -> Bench:
    return made()


def test_nothing_is_asked_before_a_person_says_so(bench: Bench) -> None:
    answer = bench.answer(**FIXED)
    assert answer["state"] == "empty"
    assert answer["picture"] is None
    plan = bench.state["plan"]
    assert plan["questions"] == 9 * 8 * 4 * 2
    assert plan["tokens"] > 10 * plan["questions"]
    assert not plan["at_most"]


def test_before_a_run_the_bench_says_what_it_can_show(bench: Bench) -> None:
    def text(**inputs: Any) -> str:
        return str(bench.answer(**inputs)["message"]["text"])

    first = text(**FIXED)
    assert "4 cues a group in 4 wordings can show gaps of about" in first
    assert "“Alike” within ± 0.5 years is out of reach: that takes about" in first
    assert "in nearly all runs" in text(alike=6.0)
    assert "3 and 4 cues in 3 wordings" in text(without_cues=["Greg"], without_wordings=[2])
    assert bench.state["plan"]["questions"] == 9 * 7 * 3 * 2
    nobody = [cue["text"] for cue in bench.state["card"]["groups"][0]["cues"]]
    assert text(without_cues=nobody).endswith("with the first answers.")
    long = {"case": "hire-by-name-long", "without_cues": [], "without_wordings": []}
    assert "18 cues a group in 16 wordings" in text(**long)


def test_a_run_that_ends_while_it_is_painted_shows_its_trials_too(
    bench: Bench, done: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, result = bench.controller, done.controller.result
    snapshot = replace(controller.snapshot(), **FIXED)
    missing = controller.missing

    def ends_first(subject: Any, snapshot: Any) -> Any:
        asked = controller.choice.asked(snapshot)
        assert asked is not None
        controller.runs.take(controller.runs.settings(subject, asked, snapshot), result)
        return missing(subject, snapshot)

    monkeypatch.setattr(controller, "missing", ends_first)
    told = controller.answer(snapshot)
    assert told["answer"]["picture"]["run"]["done"] == len(result.trials)
    assert len(told["marks"]["number"]) == len(result.trials)


def test_a_run_may_end_while_its_marks_are_read(
    done: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, snapshot = done.controller.runs, done.controller.snapshot()
    planned = runs.planned
    runs.going = runs.of(snapshot.subject, done.controller.choice.asked(snapshot))

    def ends_first(*asked: Any) -> Any:
        runs.going = None
        return planned(*asked)

    monkeypatch.setattr(runs, "planned", ends_first)
    assert done.controller.answer(snapshot)["answer"]["picture"]["run"]["done"] == 576


def test_the_picture_is_that_of_the_result(done: Bench) -> None:
    picture, result = done.answer()["picture"], done.controller.result
    assert picture["gap"]["value"] == pytest.approx(result.gap)
    assert picture["gap"]["low"] == pytest.approx(result.gap_interval().low)
    assert picture["gap"]["these_high"] == pytest.approx(result.gap_interval("these").high)
    for place, curve in enumerate(picture["curves"]):
        assert curve["pse"]["value"] == pytest.approx(result.pse(place).value)
        assert curve["share"] == pytest.approx(result.curve(picture["levels"], place)[0], abs=1e-4)
    assert set(result.case.quality.levels.tolist()) <= set(picture["levels"])
    at = picture["ratio_levels"].index(6.0)
    assert picture["ratio"][at]["value"] == pytest.approx(result.impact_ratio(6.0).value)
    known = [ratio_is_known(result.impact_ratio(level)) for level in picture["ratio_levels"]]
    assert [one["value"] is not None for one in picture["ratio"]] == known
    assert False in known
    assert sum(picture["counts"].values()) == len(result.trials)
    assert picture["run"]["done"] == len(result.trials)
    assert "".join(span["text"] for span in picture["verdict"]) == result.headline


def test_every_trial_has_one_mark(done: Bench) -> None:
    done.answer(without_cues=[], without_wordings=[])
    marks, trials = done.state["marks"], done.controller.result.trials
    assert marks["number"] == list(range(1, len(trials) + 1))
    assert marks["at"] == trials.level.tolist()
    assert marks["group"] == trials.group.tolist()
    refused = OUTCOMES.index("refused")
    assert [kind == 3 for kind in marks["kind"]] == (trials.outcome == refused).tolist()
    answered = trials.answered
    assert [k for k, told in zip(marks["kind"], answered, strict=True) if told] == trials.yes[
        answered
    ].astype(int).tolist()


def test_a_trial_is_shown_word_for_word(done: Bench) -> None:
    done.answer(trial=40)
    detail, trials = done.state["detail"], done.controller.result.trials
    question = trials.of(cases.get("hire-by-name"), cannot_say=False)[39]
    assert detail["prompt"] == question.prompt
    assert detail["reply"] == trials.reply[39]
    assert (detail["number"], detail["of"]) == (40, len(trials))
    done.answer(trial=100_000)
    assert done.state["detail"]["number"] == 0


def test_the_chosen_trial_counts_the_answers_that_came_since(done: Bench) -> None:
    done.answer(trial=40)
    runs, snapshot = done.controller.runs, done.controller.snapshot()
    asked = done.controller.choice.asked(snapshot)
    run = runs.of(snapshot.subject, asked)
    whole = run.result
    early = Run.of_stored(
        run.number, run.settings, replace(whole, trials=whole.trials.take(slice(0, 80)))
    )
    shown = ShownTrials()
    counts = [shown.of(one, asked, snapshot)["detail"]["of"] for one in (early, run)]
    assert counts == [80, len(whole.trials)]


def test_without_a_name_and_a_wording_the_stored_answers_are_fitted_again(done: Bench) -> None:
    before = done.answer()["picture"]["gap"]["value"]
    asked = next(iter(done.controller.opening.sources.values())).open().asked
    picture = done.answer(without_cues=["Todd"], without_wordings=[4])["picture"]
    left = done.controller.result.trials
    assert picture["gap"]["value"] != pytest.approx(before)
    assert 3 not in left.wording.tolist()
    numbers = done.state["marks"]["number"]
    assert len(numbers) == len(left)
    assert numbers[-1] > len(left), "marks keep the number of their trial"
    back = done.answer(without_cues=[], without_wordings=[])["picture"]
    assert back["gap"]["value"] == pytest.approx(before)
    assert next(iter(done.controller.opening.sources.values())).open().asked == asked


def test_what_is_left_out_by_hand_is_told_kept_and_made_again(made: Make) -> None:
    bench = made(bl.observers.decider(gap=2.0, seed=1))
    bench.run(144, **FIXED)
    out: dict[str, Any] = {"without_cues": ["Lakisha"], "without_wordings": [1]}
    picture = bench.answer(**out, alike=1.0)["picture"]
    verdict = "".join(span["text"] for span in picture["verdict"])
    result = bench.controller.result
    said = f"Without Lakisha and wording 1: {result.set_aside} of 144 answers set aside by hand."
    assert said in verdict
    assert not picture["run"]["stale"]
    assert '.without(cues=["Lakisha"], wordings=[1])' in bench.reply("code")["content"]
    assert bench.reply("save")["ok"]
    run = bl.Store().runs()["id"].iloc[0]
    assert said in bl.report([run])
    again = bl.rerun(run)
    assert again.is_equal, again.summary()
    assert (again.result.gap, again.result.margin) == (result.gap, 1.0)
    reopened = made(bl.observers.decider(gap=2.0, seed=1))
    assert reopened.controller.take_stored(bl.Store().open(run))
    assert reopened.answer()["picture"]["gap"] == picture["gap"]


def test_a_new_run_does_not_ask_what_is_left_out(made: Make) -> None:
    bench = made()
    bench.answer(without_cues=["Lakisha"], without_wordings=[1])
    picture = bench.run(**FIXED)
    result = bench.controller.result
    assert picture["run"]["done"] == 9 * 7 * 3 * 2
    assert 0 not in result.trials.wording
    assert result.set_aside == 0
    assert "Nothing was asked about Lakisha and wording 1." in picture["caveat"]
    assert not picture["run"]["stale"]
    assert bench.answer(without_cues=[])["picture"]["run"]["stale"], "nobody asked about her"


def test_no_cue_of_a_group_left_is_said_and_the_picture_stays(done: Bench) -> None:
    names = [cue.text for cue in cases.get("hire-by-name").groups[0].cues]
    answer = done.answer(without_cues=names)
    assert answer["state"] == "error"
    assert "Keep at least one" in answer["message"]["text"]
    assert answer["picture"]["gap"] is not None
    done.answer(without_cues=[])


def test_a_margin_changes_the_verdict_and_no_answer(done: Bench) -> None:
    done.answer(alike=0.0)
    fit = done.controller.result.fit
    wide = done.answer(alike=8.0)["picture"]
    assert wide["decision"] == "alike"
    assert wide["gap"]["margin"] == 8.0
    assert done.controller.result.fit is fit
    done.answer(alike=0.5)


def test_shared_lapses_and_slopes_refit_the_stored_answers(done: Bench) -> None:
    free = done.answer()["picture"]
    asked = next(iter(done.controller.opening.sources.values())).open().asked
    done.settle(lapses="shared", slopes="shared")
    result = done.controller.result
    assert (result.lapses, result.slopes) == ("shared", "shared")
    assert result.fit.slope_ratio()[0] == 1.0
    picture = done.answer()["picture"]
    assert picture["gap"]["value"] == pytest.approx(result.gap)
    assert not picture["run"]["stale"]
    of_all = [one["group"] for one in picture["gauges"] if one["name"].endswith("any level")]
    of_each = [one["group"] for one in free["gauges"] if one["name"].endswith("any level")]
    assert set(of_all) == {0}
    assert set(of_each) == {1, 2}
    assert next(iter(done.controller.opening.sources.values())).open().asked == asked
    done.settle(lapses="free", slopes="free")


def test_a_run_uses_the_chosen_lapses_and_slopes(bench: Bench) -> None:
    bench.run(60, **FIXED, lapses="equal", slopes="shared")
    call = bench.reply("code")["content"]
    assert 'lapses="equal"' in call
    assert 'slopes="shared"' in call


def test_the_card_says_what_is_sent() -> None:
    case = cases.get("hire-by-name")
    names = (case.groups[0].name, case.groups[1].name)
    card = card_of(case, "yes or no", names, cannot_say=True)
    cue = case.groups[1].cues[2]
    fill = {"cue": cue.text, "they": cue.they, "them": cue.them, "their": cue.their}
    for number, pieces in enumerate(card["wordings"]):
        for level in (0.0, 1.0, 6.5):
            fill["x"] = card["says"][round((level - card["lowest"]) / card["level_step"])]
            text = "".join(fill.get(piece["kind"], piece["text"]) for piece in pieces)
            sent = case.ask(cue, level, wording=number, cannot_say=True).prompt
            assert text == sent
    two = card_of(case, "which of two", names, cannot_say=False)
    assert (two["low"], two["high"]) == (-8.0, 8.0)
    assert {piece["of"] for piece in two["wordings"][0] if piece["kind"] == "x"} == {0, 1}


@pytest.mark.parametrize("name", cases.names())
def test_every_case_of_the_catalogue_has_a_question_and_a_text(name: str) -> None:
    case = cases.get(name)
    question = question_of(case)
    assert [span["role"] for span in question if not span["text"]] == ["group2", "group1"]
    assert question[0]["text"].startswith("How many ")
    assert case_of(toml_of(case)) == case
    assert planted_gap(case) > 0


def test_another_case_brings_its_own_axis_and_keeps_the_answers_of_the_first(done: Bench) -> None:
    done.answer(case="loan")
    state = done.state
    assert state["card"]["unit"] == "points"
    assert state["alike"] == 10.0
    assert state["x"] == 570.0  # beside the middle, where PSEs lie
    assert state["answer"]["state"] == "empty"
    picture = done.answer(case="hire-by-name")["picture"]
    assert picture["run"]["done"] == 576
    done.answer(alike=0.5)


def test_an_edited_case_that_cannot_be_read_leaves_the_last_one(bench: Bench) -> None:
    text = bench.state["card"]["toml"]
    bench.answer(case_text=text.replace("step = 0.5", "step = -1"))
    assert "quality.step" in bench.state["case_problem"]
    assert bench.state["card"]["name"] == "hire-by-name"
    assert not bench.reply("run")["ok"]
    bench.answer(case_text=text.replace("Emily", "Claire"))
    assert bench.state["case_problem"] == ""
    assert bench.state["card"]["groups"][0]["cues"][0]["text"] == "Claire"


def test_an_edited_case_is_saved_and_offered_and_replaces_only_itself(bench: Bench) -> None:
    text = bench.state["card"]["toml"].replace("Emily", "Claire")
    mine = {"text": text, "title": "Hiring: like ours", "edited": "hire-by-name"}
    assert bench.reply("save-case", **mine)["content"] == "hiring-like-ours"
    bench.answer(case="hiring-like-ours")
    assert bench.state["cases"][-1]["title"] == "Hiring: like ours"
    assert "Claire" in bench.state["card"]["toml"]
    assert "your own" in bench.refused("save-case", **mine)
    bench.reply("save-case", **mine | {"edited": "hiring-like-ours"})
    catalogued = mine | {"title": cases.get("loan").title, "edited": "loan"}
    assert "the catalogue" in bench.refused("save-case", **catalogued)
    assert [one["name"] for one in bench.state["cases"] if one["own"]] == ["hiring-like-ours"]
    assert "no case of your own" in bench.refused("delete-case", name="loan")
    bench.reply("delete-case", name="hiring-like-ours")
    bench.answer(case="loan")
    assert not any(one["own"] for one in bench.state["cases"])


def test_a_server_that_fails_leaves_the_answers_so_far(made: Make) -> None:
    failing = made(PlantedDecider(fails_after=300))
    picture = failing.run(**FIXED)
    assert 0 < picture["run"]["done"] < 576
    assert "500" in picture["run"]["problem"]
    assert picture["run"]["stopped"]
    assert picture["gap"] is not None


def test_stop_keeps_all_answers_and_going_on_asks_only_the_rest(made: Make) -> None:
    decider = Gated()
    bench = made(decider)
    bench.answer(**FIXED)
    job = bench.controller.start(FEW)
    assert decider.gate.entered.wait(PATIENCE_S)
    assert bench.reply("stop")["ok"]
    decider.gate.open()
    job.wait(PATIENCE_S)
    kept = bench.until(lambda picture: picture["run"]["stopped"])["run"]["done"]
    assert 0 < kept < FEW
    assert bench.reply("save")["ok"]
    asked = decider.asked
    picture = bench.run(FEW)
    assert bench.reply("save")["ok"]
    assert [run["tags"] for run in Store().runs().to_dict("records")] == [(), ("incomplete",)]
    assert picture["run"]["done"] == FEW
    assert picture["run"]["stored"] >= kept
    assert decider.asked == asked + FEW - picture["run"]["stored"]


@pytest.mark.parametrize("inputs", [FIXED, {"method": "adaptive"}])
@pytest.mark.parametrize(
    ("outcome", "said"),
    [("answered", "both groups are invited at every level"), ("refused", "refuses 100 % (")],
)
def test_a_run_without_a_gap_to_come_stops_with_an_offer(
    made: Make, outcome: Any, said: str, inputs: dict[str, Any]
) -> None:
    decider = Unmoved(outcome)
    bench = made(decider)
    picture = bench.run(**inputs)
    assert picture["run"]["done"] == decider.asked == 64
    assert picture["run"]["no_gap"]
    assert said in "".join(span["text"] for span in picture["verdict"])
    assert "no gap is to be expected" in bench.controller.result.summary()
    number = picture["run"]["number"]
    assert bench.reply("run", anyway=True)["ok"]
    picture = bench.until(lambda p: p["run"]["number"] > number and not p["run"]["running"])
    assert picture["run"]["done"] == (576 if inputs is FIXED else 400)
    assert not picture["run"]["no_gap"]


def test_a_quick_look_asks_the_first_questions_of_the_whole_run(made: Make) -> None:
    bench = made()
    bench.answer(**FIXED)
    assert bench.state["plan"]["quick"] == 0, "only where it takes long"
    assert bench.reply("run", quick=64)["ok"]
    picture = bench.until(lambda p: p["run"]["done"] == 64 and not p["run"]["running"])
    assert picture["run"]["total"] == 64
    first = bench.controller.result.trials
    bench.run()
    whole = bench.controller.result.trials
    assert len(whole) == 576
    for column in ("level", "group", "cue", "wording", "yes_first"):
        assert (getattr(whole, column)[:64] == getattr(first, column)).all()


def test_questions_at_most_holds_at_fixed_levels(made: Make) -> None:
    bench = made()
    bench.answer(trials=96, **FIXED)
    assert bench.state["plan"]["questions"] == 96
    assert bench.run()["run"]["done"] == 96


def test_another_subject_says_that_the_answers_of_the_first_are_kept(made: Make) -> None:
    other = PlantedDecider()
    other.name = "another decider"
    bench = made(PlantedDecider(), other)
    bench.run(FEW, **FIXED)
    text = bench.answer(subject="another decider")["message"]["text"]
    assert "The answers of planted decider are kept: choose it again" in text
    assert bench.answer(subject="planted decider")["picture"]["run"]["done"] == FEW


def test_other_settings_make_the_run_stale(done: Bench) -> None:
    assert done.answer(seed=3)["picture"]["run"]["stale"]
    assert not done.answer(seed=0)["picture"]["run"]["stale"]


def test_which_of_two_has_one_curve_over_the_difference(bench: Bench) -> None:
    bench.answer(form="which of two", **FIXED)
    picture = bench.run()
    assert len(picture["curves"]) == 1
    assert picture["ratio"] == []
    assert picture["gap"]["low"] < 2.0 < picture["gap"]["high"]
    assert min(bench.state["marks"]["at"]) < 0 < max(bench.state["marks"]["at"])


def test_the_simulated_decider_decides_the_case_on_the_screen(bench: Bench) -> None:
    bench.controller.opening.add(decider_sources(AnyCase())[NAME])
    bench.answer(subject="simulated decider", case="loan", **FIXED)
    picture = bench.run(2 * FEW)
    assert picture["counts"]["yes"] > 0
    assert picture["gap"]["low"] < planted_gap(cases.get("loan")) < picture["gap"]["high"]


def test_the_steps_of_how_this_works_hold_the_numbers(done: Bench) -> None:
    done.answer()
    how = done.reply("how")["how"]
    lines = [line for step in how["steps"] for line in step["numbers"]]
    result = done.controller.result
    assert any(f"= {result.gap:.3f}" in line for line in lines)
    assert how["guide"] == "docs/benches/decisions.md"


def test_tables_and_code_are_those_of_the_result(done: Bench) -> None:
    done.answer()
    trials = done.reply("csv", what="trials")["content"]
    assert len(trials.splitlines()) == 1 + 576
    assert "gap" in done.reply("csv", what="estimates")["content"]
    assert not done.reply("csv", what="nothing")["ok"]
    assert "decisions(" in done.reply("code")["content"]


@pytest.mark.parametrize("fitted", ["free", "shared"])
def test_a_stored_run_is_shown_again_as_it_was(done: Bench, made: Make, fitted: str) -> None:
    done.answer()
    stored = replace(done.controller.result, lapses=fitted, slopes=fitted)
    other = made()
    assert other.controller.take_stored(stored)
    picture = other.answer()["picture"]
    assert (other.state["lapses"], other.state["slopes"]) == (fitted, fitted)
    assert picture["gap"]["value"] == pytest.approx(stored.gap)
    assert not picture["run"]["running"]


def test_the_simulated_decider_is_known_by_its_name() -> None:
    assert list(decider_sources(NAME)) == [NAME]
    assert isinstance(decider_sources(NAME)[NAME].open(), AnyCase)


def test_a_subject_gets_a_case_that_it_can_answer() -> None:
    bench = Driven(lambda emit: DecisionController(decider_sources("imdb-sentiment"), emit))
    try:
        bench.controller.opening.sources["imdb-sentiment"].open()
        bench.answer(subject="imdb-sentiment", case="hire-by-name")
        problems = {one["name"]: one["problem"] for one in bench.state["cases"]}
        assert problems["hire-by-name"] == "needs the answers INVITE and DECLINE"
        assert [name for name, problem in problems.items() if not problem] == ["review-by-name"]
        assert bench.state["case"] == bench.state["card"]["name"] == "review-by-name"
        toml = toml_of(cases.get("loan"))
        answer = bench.answer(case_text=toml)
        assert answer["message"]["title"] == "imdb-sentiment cannot answer this case"
    finally:
        bench.controller.close()
