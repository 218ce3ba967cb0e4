"""The sentence bench's controller: three steps, the test of several models, and what it shows."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import threading
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import QueryError, SubjectError
from biaslab.probes.sentences.pairs import SentencePair
from biaslab.records.result import Result
from biaslab.store import Store
from biaslab_widgets.benches.sentences import subjects as chosen
from biaslab_widgets.benches.sentences.detail import ratio
from biaslab_widgets.benches.sentences.run import ScoreCache
from biaslab_widgets.benches.sentences.view import verdict_of
from harness import tiny_language_models
from harness.emitted import Gate
from harness.heavy import torch
from harness.sentence_controller import LISTS, Bench, Named
from harness.sentence_pairs import FakeModel, TextScorer, pairs

pytestmark = pytest.mark.usefixtures("own_home")


FEW = {"per_attribute": 3}
"""12 pairs: models look at every token of every sentence."""


@pytest.fixture(scope="module")
def masked() -> bl.subjects.LanguageModel:
    torch.manual_seed(1)
    return bl.subjects.LanguageModel.of(*tiny_language_models.bert(), kind="mlm", name="tiny-mlm")


@pytest.fixture(scope="module")
def causal() -> bl.subjects.LanguageModel:
    torch.manual_seed(2)
    return bl.subjects.LanguageModel.of(*tiny_language_models.gpt2(), kind="clm", name="tiny-clm")


class Counted(Named):
    """Counts the pairs that it was asked for; stops where it is told to."""

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.asked: list[SentencePair] = []
        self.gate: Gate | None = None
        self.error: Exception | None = None

    def score(self, lm: object, pairs: Any, **options: Any) -> Any:
        if self.error is not None:
            raise self.error
        self.asked += pairs
        if self.gate is not None:
            self.gate.pass_through()
        return super().score(lm, pairs, **options)


class OneByOne(Counted):
    """Hands out pairs one by one, as scorers of language models do."""

    def stream(self, lm: object, pairs: Any, *, context: Any = None, **options: Any) -> Any:
        for number, pair in enumerate(pairs):
            context.checkpoint()
            yield number, self.score(lm, [pair])[0]


def states(answer: dict[str, Any]) -> list[str]:
    return [step["state"] for step in answer["steps"]]


def test_each_step_opens_when_the_one_before_is_adequate() -> None:
    bench = Bench()
    assert states(bench.answer()) == ["done", "open", "closed"]
    second = bench.answer(step=2)
    assert states(second) == ["done", "done", "open"]
    assert len(bench.pairs) == 48
    assert second["steps"][1]["note"] == "48 pairs kept"
    assert second["picture"] is None


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ([], "The test compares two groups"),
        (LISTS[:1], "The test compares two groups"),
        ([LISTS[0], {**LISTS[1], "terms": []}, *LISTS[2:]], "“female” has no term"),
        (LISTS[:2], "no attribute list"),
        ([*LISTS[:2], {**LISTS[2], "terms": []}], "“math” is empty"),
        ([*LISTS[:2], {**LISTS[2], "of": []}], "which group it is the stereotype of"),
        ([*LISTS[:2], {**LISTS[2], "of": ["male", "female"]}], "just one of “male” and “female”"),
    ],
)
def test_a_closed_step_says_what_is_missing(lists: Any, told: str) -> None:
    answer = Bench().answer(lists=lists, step=2)
    assert states(answer) == ["open", "closed", "closed"]
    assert told in answer["steps"][1]["why"]
    assert answer["state"] == "empty"
    assert told in answer["message"]["text"]


def test_an_empty_attribute_list_beside_a_full_one_is_left_out_and_said() -> None:
    answer = Bench().answer(lists=[*LISTS[:3], {**LISTS[3], "terms": []}], step=2)
    assert states(answer)[:2] == ["done", "done"]
    assert "arts empty and left out" in answer["steps"][0]["note"]


def test_without_a_model_the_third_step_says_so() -> None:
    bench = Bench()
    answer = bench.answer(step=3, models=[])
    assert states(answer) == ["done", "done", "closed"]
    assert "No model is chosen" in answer["steps"][2]["why"]
    assert not bench.reply("test")["ok"]


def test_a_test_without_sentences_is_refused_with_what_is_missing() -> None:
    bench = Bench()
    bench.answer(step=2)
    bench.reply("clear")
    with pytest.raises(QueryError, match="There are no sentences yet"):
        bench.controller.test()
    bench.answer(lists=LISTS[:2])
    with pytest.raises(QueryError, match="no attribute list"):
        bench.controller.test()


def test_what_is_no_list_is_told_and_nothing_is_lost() -> None:
    bench = Bench()
    bench.answer(step=2)
    answer = bench.answer(lists=[{"name": "male"}])
    assert answer["state"] == "error"
    assert len(bench.pairs) == 48
    assert bench.answer(lists=LISTS)["state"] == "ready"


def test_pairs_may_have_equal_weight(masked: bl.subjects.LanguageModel) -> None:
    bench = Bench([masked])
    bench.tested(**FEW)
    alike = bench.controller.result
    assert alike.weighting == "attributes"
    bench.answer(weighting="pairs")
    by_pair = bench.controller.result
    assert by_pair.share == alike.micro.share
    assert bench.state["answer"]["picture"]["models"][0]["overall"]["share"] == pytest.approx(
        by_pair.share, abs=1e-5
    )


def test_the_numbers_on_the_screen_are_those_of_the_results(
    masked: bl.subjects.LanguageModel, causal: bl.subjects.LanguageModel
) -> None:
    bench = Bench([masked, causal])
    picture = bench.tested(**FEW)
    results = bench.controller.results
    assert list(results) == ["tiny-mlm", "tiny-clm"]
    for model, row in zip((masked, causal), picture["models"], strict=True):
        result = results[model.name]
        shown = row["overall"]
        assert shown["share"] == pytest.approx(result.share, abs=1e-5)
        assert shown["low"] == pytest.approx(result.interval.low, abs=1e-5)
        assert shown["high"] == pytest.approx(result.interval.high, abs=1e-5)
        assert (shown["wins"], shown["losses"]) == (result.overall.wins, result.overall.losses)
        column = picture["models"].index(row)
        for place, one in zip(picture["attributes"], result.attributes, strict=True):
            assert place["name"] == one.name
            assert place["shares"][column]["wins"] == one.wins
            if math.isfinite(one.interval.low):
                assert place["shares"][column]["low"] == pytest.approx(one.interval.low, abs=1e-5)


def test_results_of_a_test_that_has_just_ended_have_all_resamples(
    masked: bl.subjects.LanguageModel,
) -> None:
    bench = Bench([masked])
    bench.answer(step=3, **FEW)
    bench.controller.test().wait()
    own = bench.controller.results[masked.name]
    pairs = bench.controller.pairs
    words = bench.controller.materials.words(bench.controller.snapshot())
    again = bl.stereotype_score(masked, words.spec, pairs, groups=words.groups)
    assert own.interval == again.interval


def test_the_squares_are_the_pairs_log_odds(masked: bl.subjects.LanguageModel) -> None:
    bench = Bench(masked)
    bench.tested(**FEW)
    scores, result = bench.state["scores"], bench.controller.result
    assert scores["sentences"] == bench.state["sentences"]["version"]
    assert scores["models"][0]["log_odds"] == pytest.approx(result.log_odds.tolist(), abs=1e-4)
    letters = {"stereotyped": "s", "against": "a", "tie": "t", "failed": "f"}
    assert scores["models"][0]["outcomes"] == "".join(letters[o] for o in result.outcomes)
    assert [pair["id"] for pair in bench.pairs] == [pair.id for pair in result.pairs]


def test_several_models_are_compared_on_the_same_sentences() -> None:
    bench = Bench([Named("for", 0.8), Named("against", 0.2)], "biastest-math-arts")
    picture = bench.tested()
    said = "".join(span["text"] for span in picture["verdict"])
    assert said.startswith("for finds the stereotyped version more probable")
    assert "For against, it is" in said
    assert [span["role"] for span in picture["verdict"] if span["role"] in ("with", "against")] == [
        "with",
        "against",
    ]
    assert "prefers the stereotyped version more often than against" in picture["comparisons"][0]
    assert [model["overall"]["lean"] for model in picture["models"]] == [1, -1]
    assert [row["group"] for row in picture["lists"]] == [0, 1]
    assert picture["groups"] == ("male terms", "female terms")


def test_the_headline_has_the_pull_of_every_model() -> None:
    men = TextScorer(lambda text: 1.0 if " man " in text else 0.0)
    one = bl.stereotype_score(FakeModel(), sentences=pairs(), scorer=men, keep=False)
    said = "".join(span["text"] for span in verdict_of([one, one]))
    assert " The model hardly listens: both halves pull toward male: its version" in said
    assert said.endswith(
        ": no clear bias overall; both halves pull toward male (100 and 100 %, together 100 %, "
        "61 to 100 %), a clear pull."
    )


def test_a_persons_own_model_is_offered_and_not_ticked(monkeypatch: pytest.MonkeyPatch) -> None:
    both: dict[str, Any] = {"wiki-mlm": object(), "mine": object()}
    monkeypatch.setattr(chosen, "own_subject", lambda name: name == "mine" or None)
    assert chosen.first_choice(both) == ["wiki-mlm"]
    assert chosen.first_choice({"mine": object()}) == ["mine"]  # type: ignore[dict-item]


def test_a_model_that_prefers_neither_version_leans_to_neither() -> None:
    model = Bench(Named("even", 0.5)).tested()["models"][0]
    assert model["overall"]["low"] < 0.5 < model["overall"]["high"]
    assert model["overall"]["lean"] == 0


def test_the_time_of_scoring_is_that_of_all_tests() -> None:
    cache = ScoreCache()
    cache.spend(("model", "scorer"), 2.0)
    cache.spend(("model", "scorer"), 0.5)
    assert cache.seconds(("model", "scorer")) == 2.5
    assert cache.seconds(("another", "scorer")) == 0


def test_ties_and_failures_are_counted_apart_and_named() -> None:
    bench = Bench(bl.observers.scorer(0.7, ties=0.2, failures=0.2))
    picture = bench.tested()
    row = picture["models"][0]["overall"]
    assert row["ties"] > 0
    assert row["failures"] == len(picture["failures"]) > 0
    assert row["wins"] + row["losses"] + row["ties"] + row["failures"] == 48
    assert picture["failures"][0]["reason"] == "This simulated pair was chosen to fail."
    assert re.search(r"(No ties|ties? counts? for neither version); ", picture["caveat"])


def test_a_model_that_cannot_be_opened_is_told_and_the_others_go_on() -> None:
    bench = Bench([Named("works"), "no/such/model"])
    bench.answer(models=["no/such/model", "works"])
    picture = bench.tested()
    first, second = picture["models"]
    assert (first["state"], second["state"]) == ("failed", "done")
    assert "no/such/model" in first["message"]
    assert second["scored"] == 48
    assert "".join(span["text"] for span in picture["verdict"]).startswith("works finds")
    assert list(bench.controller.results) == ["works"]


def test_a_model_that_fails_in_the_middle_is_told_and_the_others_go_on() -> None:
    broken = Counted("broken")
    broken.error = SubjectError("Its weights are damaged. Download it again.")
    odd = Counted("odd")
    odd.error = RuntimeError("unforeseen")
    bench = Bench([broken, odd, Named("works")])
    picture = bench.tested()
    assert [model["state"] for model in picture["models"]] == ["failed", "failed", "done"]
    assert picture["models"][0]["message"] == "Its weights are damaged. Download it again."
    assert "unforeseen" in picture["models"][1]["message"]
    broken.error = odd.error = None
    assert bench.reply("retry")["ok"]
    again = bench.until(lambda p: p["run"]["number"] == 2 and not p["run"]["running"])
    assert [model["state"] for model in again["models"]] == ["done"] * 3


def test_where_no_model_can_be_tested_the_answer_is_an_error_with_a_way_on() -> None:
    bench = Bench("no/such/model")
    bench.answer(step=3)
    bench.controller.test().wait()
    bench.until(lambda p: not p["run"]["running"])
    answer = bench.answer()
    assert answer["state"] == "error"
    assert "no/such/model" in answer["message"]["text"]
    assert answer["message"]["actions"][0]["command"] == "test"
    assert len(bench.pairs) == 48
    with pytest.raises(QueryError, match="no/such/model"):
        _ = bench.controller.results


def test_an_unknown_model_is_told() -> None:
    bench = Bench([Named("works")])
    picture = bench.tested(models=["works", "gone"])
    assert [model["state"] for model in picture["models"]] == ["done", "failed"]
    assert "no model “gone”" in picture["models"][1]["message"]


def test_stopping_keeps_what_is_scored_and_the_next_test_goes_on_there() -> None:
    slow = OneByOne("slow")
    slow.gate = Gate()
    bench = Bench(slow)
    bench.answer(step=3)
    job = bench.controller.test()
    assert slow.gate.entered.wait(30)
    assert bench.reply("stop")["ok"]
    slow.gate.open()
    job.wait()
    picture = bench.until(lambda p: not p["run"]["running"])
    assert picture["models"][0]["state"] == "stopped"
    assert picture["run"]["untested"] == 47
    assert not picture["run"]["stale"]
    assert bench.state["scores"]["models"][0]["outcomes"].count("-") == 47
    assert bench.controller.result.unscored == 47
    assert bench.controller.is_incomplete(bench.controller.result)
    slow.gate = None
    assert bench.tested()["models"][0]["scored"] == 48
    assert len(slow.asked) == 48  # the first was not asked again


def test_squares_fill_while_a_test_goes_on() -> None:
    slow = OneByOne("slow")
    bench = Bench([Named("quick"), slow])
    slow.gate = Gate()
    bench.answer(step=3)
    bench.controller.test()
    assert slow.gate.entered.wait(30)
    picture = bench.until(lambda p: p["models"][0]["state"] == "done" and p["run"]["running"])
    assert picture["models"][1]["state"] == "scoring"
    assert picture["models"][0]["overall"]["wins"] > 0
    with pytest.raises(QueryError, match="is running"):
        _ = bench.controller.results
    assert "already running" in bench.refused("test")
    slow.gate.open()
    bench.until(lambda p: not p["run"]["running"])


def test_what_is_edited_while_a_test_goes_on_is_scored_too() -> None:
    slow = OneByOne("slow")
    slow.gate = Gate()
    bench = Bench(slow)
    bench.answer(step=3)
    job = bench.controller.test()
    assert slow.gate.entered.wait(30)
    pair = bench.pairs[5]["id"]
    text = "The man wrote a long letter about algebra."
    assert bench.reply("edit", pair=pair, version="stereotyped", text=text)["ok"]
    slow.gate.open()
    job.wait()
    picture = bench.until(lambda p: not p["run"]["running"])
    assert picture["run"]["untested"] == 0
    assert text in {asked.stereotyped for asked in slow.asked}


def test_an_edit_scores_one_pair_only_and_follows_at_once() -> None:
    one, two = Counted("one"), Counted("two")
    bench = Bench([one, two])
    before = bench.tested()
    one.asked.clear()
    two.asked.clear()
    row = bench.pairs[7]
    text = "My brother was afraid of geometry."
    reply = bench.reply("edit", pair=row["id"], version="stereotyped", text=text)
    assert reply["ok"], reply
    assert [asked.stereotyped for asked in one.asked] == [text]
    assert [asked.stereotyped for asked in two.asked] == [text]
    now = bench.pairs[7]
    assert (now["id"], now["stereotyped"], now["edited"]) == (row["id"], text, True)
    assert now["against"] == "My sister was afraid of geometry."
    picture = bench.state["answer"]["picture"]
    assert picture["run"]["untested"] == 0
    assert not picture["run"]["stale"]
    assert picture["run"]["number"] == before["run"]["number"]
    spec = bench.controller.materials.words(bench.controller.snapshot()).spec
    for model in (one, two):
        asked = bl.stereotype_score(model, spec, bench.controller.pairs)
        assert bench.controller.results[model.name].overall == asked.overall
        assert bench.controller.results[model.name].attributes == asked.attributes


def test_only_the_attribute_of_an_edit_is_computed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    bench.tested()
    from biaslab.probes.sentences.stereotype_shares import ScoredPairs

    drawn: list[str] = []
    plain = ScoredPairs._part

    def noted(self: Any, mask: Any, name: str, part_of: str) -> Any:
        drawn.append(name)
        return plain(self, mask, name, part_of)

    monkeypatch.setattr(ScoredPairs, "_part", noted)
    row = bench.pairs[0]
    text = "The boy talked about algebra all day."
    assert bench.reply("edit", pair=row["id"], version="stereotyped", text=text)["ok"]
    assert set(drawn) <= {"all pairs", row["attribute"], row["list"]}
    drawn.clear()
    bench.answer(pair=row["id"])
    assert drawn == []


def test_new_sentences_make_the_results_stale_until_they_are_tested() -> None:
    scorer = Counted("one")
    bench = Bench(scorer)
    bench.tested()
    scorer.asked.clear()
    assert bench.reply("add", text="The man hid the book on algebra under his coat.")["ok"]
    picture = bench.answer()["picture"]
    assert picture["run"]["stale"]
    assert picture["run"]["untested"] == 1
    assert picture["models"][0]["overall"]["wins"] > 0
    assert bench.tested()["run"]["untested"] == 0
    assert len(scorer.asked) == 1


def test_another_scorer_has_scores_of_its_own(masked: bl.subjects.LanguageModel) -> None:
    bench = Bench(masked)
    pll = bench.tested(**FEW)["models"][0]
    other = bench.answer(scorer_mlm="crows-pairs")["picture"]
    assert other["run"]["stale"]
    assert other["models"][0]["scorer"] == "crows-pairs"
    assert other["models"][0]["overall"]["share"] is None
    assert bench.tested(**FEW)["models"][0]["formula"].startswith("CPS")
    back = bench.answer(scorer_mlm="pll")["picture"]["models"][0]
    assert back["overall"] == pll["overall"]


def test_a_scorer_that_there_is_none_of_is_told(masked: bl.subjects.LanguageModel) -> None:
    picture = Bench(masked).tested(scorer_mlm="log-likelihood")
    assert picture["models"][0]["state"] == "failed"
    assert "no scorer “log-likelihood” for a masked model" in picture["models"][0]["message"]


def test_word_by_word_the_differences_add_up_to_the_log_odds(
    masked: bl.subjects.LanguageModel, causal: bl.subjects.LanguageModel
) -> None:
    bench = Bench([masked, causal])
    bench.tested(**FEW)
    for number in (0, 4, 10):
        pair = bench.pairs[number]
        bench.answer(pair=pair["id"])
        detail = bench.state["detail"]
        assert detail["pair"] == pair["id"]
        for column, model in enumerate(detail["models"]):
            adds = [word["values"][column] for word in detail["words"]]
            assert sum(a[0] or 0 for a in adds) == pytest.approx(model["log_score"], abs=1e-3)
            assert sum(a[2] or 0 for a in adds) == pytest.approx(model["log_odds"], abs=1e-3)
        terms = [word for word in detail["words"] if word["role"] == "term"]
        assert terms[0]["first"].startswith(pair["stereotyped"][slice(*pair["terms"][0])])
        assert terms[0]["second"].startswith(pair["against"][slice(*pair["terms"][1])])
        assert any(word["role"] == "attribute" for word in detail["words"])
    assert bench.state["detail"]["place"] == f"{pair['attribute']}, pair 2 of 3"


def test_what_agrees_with_the_term_is_told_from_what_else_has_changed() -> None:
    bench = Bench()
    bench.reply("add", text="The man loved his algebra.")
    pair = bench.pairs[-1]
    bench.reply("edit", pair=pair["id"], version="against", repair=False,
                text="The woman hated her algebra.")  # fmt: skip
    bench.answer(pair=pair["id"], step=2)
    roles = {word["first"]: word["role"] for word in bench.state["detail"]["words"]}
    assert roles == {
        "The": "same", "man": "term", "loved": "changed", "his": "agrees",
        "algebra": "attribute", ".": "same",
    }  # fmt: skip
    assert "It differs in more than the term" in bench.state["detail"]["remark"]


def test_no_pair_means_no_detail() -> None:
    bench = Bench()
    bench.answer(step=2, pair="nobody")
    assert bench.state["detail"]["pair"] == ""


@pytest.mark.parametrize(
    ("odds", "unit", "scorer", "outcome", "said"),
    [
        (math.log(5.5), "nats", "pll", "s", "5.5 times as probable"),
        (-math.log(150), "nats", "pll", "a",
         "150 times as probable: the version against the stereotype"),
        (20.0, "nats", "pll", "s", "more than 1,000 times as probable"),
        (0.2, "nats", "unmasked", "s", "1.2 times as probable, per token"),
        (0.00001, "nats", "pll", "t", "equally probable"),
        (3.0, "logits", "group-term-logit", "s", ""),
    ],
)  # fmt: skip
def test_a_ratio_is_said_where_there_is_one(
    odds: float, unit: str, scorer: str, outcome: str, said: str
) -> None:
    assert ratio(odds, unit, scorer, outcome) == said


def test_outputs_come_only_when_they_change() -> None:
    bench = Bench()
    bench.tested()
    bench.answer(pair=bench.pairs[0]["id"])
    bench.answer()
    seen = len(bench.emitted.log)
    bench.answer(pair=bench.pairs[1]["id"])
    new = {name for outputs in bench.emitted.log[seen:] for name in outputs}
    assert new == {"answer", "detail"}


def test_results_are_taken_along(masked: bl.subjects.LanguageModel) -> None:
    bench = Bench([masked, Named("simulated")])
    bench.tested(**FEW)
    sentences = list(csv.DictReader(io.StringIO(bench.reply("csv")["content"])))
    assert len(sentences) == 24
    assert {row["model"] for row in sentences} == {"tiny-mlm", "simulated"}
    shares = bench.reply("csv", what="shares")
    assert shares["filename"].endswith("-shares.csv")
    rows = csv.DictReader(io.StringIO(shares["content"]))
    whole = [row for row in rows if row["of"] == "attributes alike"]
    assert float(whole[0]["share"]) == bench.controller.result.share
    words = list(csv.DictReader(io.StringIO(bench.reply("csv", what="contributions")["content"])))
    first = [w for w in words if (w["model"], w["id"]) == ("tiny-mlm", bench.pairs[0]["id"])]
    total = sum(float(w["difference"] or 0) for w in first)
    assert total == pytest.approx(bench.controller.result.log_odds[0], abs=1e-3)
    made = json.loads(bench.reply("json")["content"])
    again = Result.from_dict(made["results"]["tiny-mlm"])
    assert again == bench.controller.result
    assert not bench.reply("csv", what="nothing")["ok"]


def test_a_run_is_saved_for_each_model() -> None:
    bench = Bench([Named("one"), Named("two", 0.4)])
    bench.tested()
    assert bench.reply("save", label="pilot")["ok"]
    runs = Store().runs()
    assert set(runs["subject"]) == {"one", "two"}
    assert set(runs["label"]) == {"pilot"}


def test_starting_again_keeps_words_and_sentences_and_shows_no_result() -> None:
    scorer = Counted("one")
    bench = Bench(scorer)
    bench.tested()
    assert bench.reply("start-again")["ok"]
    state = bench.state
    assert (state["step"], state["pair"]) == (1, "")
    assert state["answer"]["picture"] is None
    assert state["scores"]["models"] == []
    assert state["lists"] == LISTS
    assert len(bench.pairs) == 48
    scorer.asked.clear()
    assert bench.tested()["models"][0]["scored"] == 48
    assert scorer.asked == []


def test_a_stored_score_is_shown_again_with_its_pairs() -> None:
    bench, other = Bench(), Bench(sentences=[])
    bench.tested()
    result = bench.controller.result
    assert other.controller.take_stored(result)
    assert other.answer(step=3)["picture"]["models"][0]["scored"] == len(result.pairs)
    assert other.controller.result.scores == result.scores
    stranger = Bench(Named("another"))
    assert not stranger.controller.take_stored(result)


def test_two_benches_share_a_model_and_nothing_else(masked: bl.subjects.LanguageModel) -> None:
    one, two = Bench(masked), Bench(masked)
    one.tested(**FEW)
    two.answer(step=2)
    assert two.state["answer"]["picture"] is None
    assert one.reply("clear")["ok"]
    assert one.pairs == []
    assert len(two.pairs) == 48
    assert two.reply("edit", pair=two.pairs[0]["id"], version="stereotyped",
                     text="The man spoke of algebra.")["ok"]  # fmt: skip
    assert len(one.rejected) == 12


def test_commands_of_two_threads_leave_a_whole_set() -> None:
    bench = Bench()
    bench.answer(step=2)
    held = bench.controller

    def reject() -> None:
        for row in list(bench.pairs[:10]):
            held.change({"command": {"id": 0, "name": "", "args": {}}})
            held.commands["reject"]({"pairs": [row["id"]]})

    threads = [threading.Thread(target=reject) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answer = bench.answer()
    assert answer["state"] == "ready"
    assert len(bench.pairs) + len(bench.rejected) == 48


def test_a_hub_that_cannot_be_reached_is_told() -> None:

    bench = Bench([Named("works")])
    assert bench.reply("add-model", name="hf:nobody/nothing-at-all", kind="mlm")["ok"]
    assert bench.state["models"] == ["works", "hf:nobody/nothing-at-all"]
    picture = bench.tested()
    assert [model["state"] for model in picture["models"]] == ["done", "failed"]
    assert "nobody/nothing-at-all" in picture["models"][1]["message"]
    assert not bench.reply("add-model", name="", kind="mlm")["ok"]
    assert not bench.reply("add-model", name="hf:x", kind="")["ok"]
