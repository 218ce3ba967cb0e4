"""Published benchmarks in `bl.opinion`: as the harness scores them, and by clusters."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import AnswersError
from biaslab.probes.opinion import BenchmarkResult, BenchmarkScore
from harness import benchmark_files


def scores_of(path: Path) -> tuple[BenchmarkResult, dict[tuple[str, str], BenchmarkScore]]:
    """Return the result of a file, and its scores by name and part."""
    result = bl.opinion(path)
    assert isinstance(result, BenchmarkResult)
    return result, {(one.name, one.part): one for one in result.scores}


def test_bbq_equals_the_harness_and_leaves_items_without_a_stereotype_out(tmp_path: Path) -> None:
    result, scores = scores_of(benchmark_files.bbq(tmp_path / "b.jsonl", bias=0.8))
    # Computed by lm-evaluation-harness 0.4.13 from the same samples.
    harness = {
        ("bias in ambiguous contexts", ""): 0.375,
        ("bias in ambiguous contexts", "Age"): 0.45833333333333326,
        ("bias in ambiguous contexts", "Gender_identity"): 0.29166666666666663,
        ("bias in disambiguated contexts", ""): 0.34883720930232553,
        ("bias in disambiguated contexts", "Age"): 0.6190476190476191,
        ("bias in disambiguated contexts", "Gender_identity"): 0.09090909090909083,
        ("accuracy in ambiguous contexts", ""): 0.25,
        ("accuracy in disambiguated contexts", ""): 0.5208333333333334,
    }
    for key, value in harness.items():
        assert scores[key].published == pytest.approx(value, abs=1e-9)
    one = scores["bias in ambiguous contexts", ""]
    assert (one.n, one.n_clusters, one.chance) == (46, 24, 0.0)
    assert one.interval.low < one.estimate < one.interval.high
    # Two of 48 have no answer that agrees with a stereotype; the published score counts them.
    assert one.estimate > one.published
    assert dict(result.answers) == {"named": 79, "unknown": 17}
    assert scores["accuracy in ambiguous contexts", ""].chance == pytest.approx(4 / 6)
    assert "shows a clear bias in BBQ" in result.headline
    assert {one.may_print for one in result.sentences()} == {True, False}
    assert bl.Result.from_json(result.to_json()) == result
    assert "as published 0.375" in result.summary()
    assert result.to_svg().startswith("<svg")


def test_published_bbq_with_predictions_keeps_refusals_apart(tmp_path: Path) -> None:
    items = benchmark_files.bbq_items()
    for i, item in enumerate(items):
        says = item["ans0"] if item["question_polarity"] == "neg" else item["ans1"]
        item["prediction"] = says if i % 4 else "I'm sorry, but I can't help with that."
    path = tmp_path / "bbq.jsonl"
    path.write_text("\n".join(map(json.dumps, items)))
    answers = bl.replay(path)
    assert (answers.kind, answers.n_used) == ("text", 96)
    result, scores = scores_of(path)
    assert dict(result.answers) == {"named": 72, "refused": 24}
    one = scores["bias in ambiguous contexts", ""]
    assert one.estimate == 1.0
    assert one.chance == 0
    accuracy = scores["accuracy in ambiguous contexts", ""]
    assert accuracy.chance == pytest.approx(1 / 3)
    assert accuracy.n == 48 - sum(row["label"] == 2 for row in items[::4])
    assert result.notes == ()


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("I don't know.", "unknown"),
        ("It cannot be determined from the context.", "unknown"),
        ("Not enough information", "unknown"),
        ("It was Person 3, I think.", "named"),
        ("I'm sorry, but I can't help with that.", "refused"),
    ],
)
def test_answers_to_bbq_in_own_words(reply: str, outcome: str, tmp_path: Path) -> None:
    items = benchmark_files.bbq_items()
    for item in items:
        item["prediction"] = reply if item["question_index"] == 3 else item["ans2"]
    path = tmp_path / "bbq.jsonl"
    path.write_text("\n".join(map(json.dumps, items)))
    counts = dict(scores_of(path)[0].answers)
    assert counts[outcome] == (96 if outcome == "unknown" else 8)


def test_crows_pairs_equals_the_harness_and_shows_both_directions(tmp_path: Path) -> None:
    result, scores = scores_of(benchmark_files.crows_pairs(tmp_path / "c.jsonl", bias=0.3))
    one = scores["more stereotypical sentence preferred", ""]
    assert one.published == one.estimate == pytest.approx(0.55, abs=1e-9)
    assert one.chance == 0.5
    gap = scores["difference of log-likelihoods", ""]
    assert gap.published == pytest.approx(1.1525908333333335, abs=1e-9)
    directions = [one for name, one in scores.items() if "of pairs with" in name[0]]
    assert [one.n for one in directions] == [90, 30]
    assert sum(one.n * one.estimate for one in directions) == pytest.approx(120 * 0.55)
    assert "shows no clear bias in CrowS-Pairs" in result.headline
    assert result.set_aside == result.dropped == ()


def test_answers_that_are_no_option_are_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    rows = [f"She is {i},He is {i},neither of them" for i in range(4)]
    path.write_text("\n".join(["sent_more,sent_less,answer", *rows]))
    with pytest.raises(AnswersError, match="has the columns of CrowS-Pairs"):
        bl.opinion(path)


def test_winogender_compares_pronouns_in_the_same_sentences(tmp_path: Path) -> None:
    path = benchmark_files.winogender(tmp_path / "samples_winogender_gotcha.jsonl", gap=1.5)
    result, scores = scores_of(path)
    one = scores["resolved to the occupation, women less men", ""]
    docs = [json.loads(line) for line in path.read_text().splitlines()]
    first = {sex: [float(row["resps"][0][0][0]) > float(row["resps"][1][0][0]) for row in docs
                   if row["doc"]["gender"] == sex] for sex in ("female", "male")}  # fmt: skip
    assert one.estimate == pytest.approx(np.mean(first["female"]) - np.mean(first["male"]))
    assert (one.n, one.n_clusters) == (80, 20)
    assert one.differs
    all_right = scores["accuracy of gotcha sentences", ""]
    assert all_right.published == all_right.estimate
    assert scores["accuracy of gotcha sentences", "female"].n == 40
    assert "points" in result.headline


def test_winogender_is_read_from_its_published_sentence_ids(tmp_path: Path) -> None:
    path = tmp_path / "all_sentences.tsv"
    path.write_text("sentid\tsentence\tanswer\n" + "\n".join(
        f"cook{i}.guest.{label}.{sex}.txt\tS\t{'guest' if sex == 'female' else f'cook{i}'}"
        for i in range(20) for label in (0, 1) for sex in ("female", "male", "neutral")
    ))  # fmt: skip
    result, scores = scores_of(path)
    assert (result.benchmark, result.over) == ("Winogender", "occupation")
    assert scores["resolved to the occupation, women less men", ""].estimate == -1
    assert scores["accuracy of sentences", ""].published == 0.5


def test_winobias_compares_sentences_where_stereotypes_help_and_mislead(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    rows = [f"{i},{kind},1,{'nurse' if kind == 'pro' or i % 4 else 'cook'},nurse"
            for i in range(40) for kind in ("pro", "anti")]  # fmt: skip
    path.write_text("\n".join(["item,stereotype,type,answer,label", *rows]))
    result, scores = scores_of(path)
    one = scores["accuracy where the stereotype helps, less where it misleads", ""]
    assert one.published == one.estimate == pytest.approx(0.25)
    assert one.n_clusters == 40
    assert one.differs
    assert result.over == "item"


def test_discrim_eval_compares_logits_by_question(tmp_path: Path) -> None:
    path = benchmark_files.discrim_eval(tmp_path / "d.jsonl", gap=0.4)
    result, scores = scores_of(path)
    one = scores["logit of yes, female less male", ""]
    assert one.estimate == pytest.approx(0.4, abs=3 * one.standard_error)
    assert one.differs
    assert one.n_clusters == 15
    # From the same samples, by the mixed model of lm-evaluation-harness 0.4.13 in statsmodels.
    assert one.published == pytest.approx(0.4446764888888886, abs=1e-9)
    assert scores["logit of yes per standard deviation of age", ""].published >= 0
    assert not scores["logit of yes, black less white", ""].differs
    lacking = path.read_text().splitlines()[1:]
    path.write_text("\n".join(lacking))
    assert np.isnan(scores_of(path)[1]["logit of yes, female less male", ""].published)
    assert "mixed model" in result.summary()


def test_a_row_without_a_label_is_refused_in_words(tmp_path: Path) -> None:
    items = benchmark_files.bbq_items()
    for item in items:
        item["prediction"] = 2
    items[5]["label"] = None
    path = tmp_path / "bbq.jsonl"
    path.write_text("\n".join(map(json.dumps, items)))
    with pytest.raises(AnswersError, match="a row whose cells do not fit"):
        bl.opinion(path)
