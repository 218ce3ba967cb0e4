"""Sensitivity and criterion by group: what is read, what is found, and what is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import AnswersError, BiaslabError, ObserverError, QueryError, WrongSubjectError
from harness import recorded_files
from harness.heavy import pd
from harness.needs import needs

EQUAL = {"Emily": 1.5, "Lakisha": 1.5}
HIGHER = {"Emily": 0.0, "Lakisha": 0.6}
SAME = {"Emily": 0.0, "Lakisha": 0.0}


def _table(**options: Any) -> Any:
    return bl.observers.detector(EQUAL, HIGHER, **{"trials": 600, "seed": 2, **options})


def _columns(**options: Any) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in _table(**{"trials": 40, **options}).items()}


def _file(path: Path, table: Any, names: dict[str, str]) -> Path:
    """Write columns of a table under other names."""
    rows = list(zip(*(table[name] for name in names), strict=True))
    return recorded_files.write(path, list(names.values()), rows)


def test_a_planted_criterion_is_no_difference_of_sensitivity() -> None:
    found = bl.sensitivity(_table())
    assert [one.name for one in found.groups] == ["Emily", "Lakisha"]
    assert 0.6 in found.differences[0].criterion.interval
    assert 0.0 in found.differences[0].d_prime.interval
    assert (found.sees(), found.asks()) == ("alike", "more")
    assert found.verdict()[0].startswith("It sees both groups equally well: sensitivity d′ is 1.")
    assert found.verdict()[1].startswith("But it asks more of Lakisha 1, Lakisha 2, Lakisha 3 and")
    assert found.verdict()[1].endswith(").")


def test_a_planted_sensitivity_is_no_difference_of_the_criterion() -> None:
    table = bl.observers.detector({"Emily": 2.0, "Lakisha": 0.8}, SAME, trials=1000, seed=4)
    found = bl.sensitivity(table)
    assert (found.sees(), found.asks()) == ("less", "alike")
    assert -1.2 in found.differences[0].d_prime.interval
    assert "sees Lakisha 1, Lakisha 2, Lakisha 3 and Lakisha 4 less well" in found.verdict()[0]
    assert "asks the same of both groups" in found.verdict()[1]


def test_a_group_can_be_seen_less_well_and_asked_more() -> None:
    table = bl.observers.detector({"Emily": 2.0, "Lakisha": 0.8}, HIGHER, trials=600, names=1)
    found = bl.sensitivity(table)
    assert (found.sees(), found.asks()) == ("less", "more")
    assert "It sees Lakisha less well" in found.verdict()[0]
    assert found.verdict()[1].startswith("It also asks more of them: its criterion for them is 0.")


def test_who_answers_at_random_sees_no_group() -> None:
    blind = {"Emily": 0.0, "Lakisha": 0.0}
    found = bl.sensitivity(bl.observers.detector(blind, SAME, trials=600))
    assert found.verdict()[0].startswith("It sees in neither group who qualifies: sensitivity d′")


def test_questions_about_both_groups_pair_their_answers(tmp_path: Path) -> None:
    rows = [(group, f"case {n}", n % 2, "yes" if (n % 2 if n % 7 else 0) else "no", job)
            for n in range(60) for group, job in (("women", "aid"), ("men", "clerk"))]  # fmt: skip
    header = ["group", "question", "truth", "answer", "job"]
    found = bl.sensitivity(recorded_files.write(tmp_path / "a.csv", header, rows))
    assert found.over == "questions"
    assert "for other questions like these; 120 answers" in found.caveat()
    assert found.notes[-1] == "Answers of 2 cases are taken together."
    assert found.differences[0].d_prime.value == pytest.approx(0, abs=0.05)


def test_few_answers_leave_both_open() -> None:
    found = bl.sensitivity(_table(trials=20))
    assert (found.sees(), found.asks()) != ("alike", "alike")
    few = bl.sensitivity(_table(trials=8))
    assert few.too_few == ("Emily", "Lakisha")
    assert few.verdict()[0] == "No verdict: Emily and Lakisha have fewer than 10 answers of a kind."


def test_a_single_answer_of_a_kind_has_wide_intervals_and_no_verdict() -> None:
    table = {
        "group": ["a", "a", "b", "b", "b"],
        "truth": [1, 0, 1, 0, 0],
        "answer": [1, 0, 0, 1, 0],
    }
    found = bl.sensitivity(table)
    assert found.too_few == ("a", "b")
    assert found.groups[0].empirical_area == 1.0
    assert np.isnan(found.groups[0].empirical_interval.low)
    low, high = found.groups[0].d_prime.interval.low, found.groups[0].d_prime.interval.high
    assert low < 0 < high < np.inf
    assert bl.Result.from_json(found.to_json()) == found


def test_three_groups_are_compared_with_the_first() -> None:
    three = {"a": 1.5, "b": 1.5, "c": 0.6}
    found = bl.sensitivity(bl.observers.detector(three, dict.fromkeys(three, 0.0), names=5))
    assert [one.reference for one in found.differences] == ["a", "a"]
    assert "sees c less well" in found.verdict()[0]
    assert "(t over 5, 5 and 5 names)" in found.caveat()
    assert "of the 2 differences are not adjusted" in found.caveat()


def test_extreme_cells_are_finite_and_named() -> None:
    table = _columns(names=1)
    table["answer"] = np.maximum(table["truth"], table["answer"]).tolist()
    found = bl.sensitivity(table)
    assert all(one.is_extreme for one in found.groups)
    assert np.isfinite(found.to_frame().select_dtypes("number").iloc[0]).all()
    assert "so a weak prior tells how far from 0 or 100 % its rate is" in found.caveat()
    other = bl.sensitivity(table, correction="log-linear")
    assert other.groups[0].hits.value == pytest.approx(40.5 / 41, abs=1e-6)
    assert "the log-linear correction tells" in other.caveat()


def test_the_other_group_first_flips_the_differences() -> None:
    names = ("Emily", "Lakisha")
    one, two = (bl.sensitivity(_table(), groups=order) for order in (names, names[::-1]))
    for name in ("d_prime", "criterion", "hits", "false_alarms"):
        a, b = (getattr(each.differences[0], name) for each in (one, two))
        assert a.value == pytest.approx(-b.value, abs=0.01)
        assert a.interval.low == pytest.approx(-b.interval.high, abs=0.02)


def test_grades_have_a_roc_and_a_slope() -> None:
    table = bl.observers.detector(EQUAL, HIGHER, cuts=(-1, -0.5, 0, 0.5, 1), sd=1.6, trials=1500)
    found = bl.sensitivity(table, spreads="unequal")
    assert found.answering == "grades"
    own = [cut.label for cut in found.groups[0].cuts if cut.is_own]
    assert own == ["3 or more"]
    assert all(1 / 1.6 in one.slope.interval for one in found.groups)
    assert bl.sensitivity(table).unequal.rejects(0.95)
    assert "Equal spreads do not describe the grades" in bl.sensitivity(table).caveat()
    at = np.array([cut.false_alarms for cut in found.groups[0].cuts])
    hits = [cut.hits for cut in found.groups[0].cuts]
    assert found.groups[0].roc(at) == pytest.approx(hits, abs=0.03)


def test_grades_in_words_have_the_order_that_is_given() -> None:
    table = _columns(cuts=(-0.5, 0.5), names=1)
    words = dict(enumerate(("decline", "perhaps", "invite")))
    in_words = table | {"answer": [words[one] for one in table["answer"]]}
    with pytest.raises(AnswersError, match="words without an order"):
        bl.sensitivity(in_words)
    found = bl.sensitivity(in_words, grades=tuple(words.values()))
    assert found.groups[0].d_prime == bl.sensitivity(table).groups[0].d_prime
    assert found.outcome == "given invite or more"
    with pytest.raises(AnswersError, match="does not list: 'perhaps'"):
        bl.sensitivity(in_words, grades=("decline", "invite"))


def test_scores_are_cut_where_probabilities_are_even() -> None:
    rng = np.random.default_rng(4)
    truth = np.tile([0, 1], 300)
    score = 1 / (1 + np.exp(-rng.normal(1.5 * (truth - 0.5))))
    table = {"group": ["a", "b"] * 150 + ["b", "a"] * 150, "truth": truth, "score": score}
    found = bl.sensitivity(table)
    assert found.answering == "scores"
    own = next(cut for cut in found.groups[0].cuts if cut.is_own)
    assert own.label == "0.5 or more"
    assert len(found.groups[0].cuts) == 5
    assert found.groups[0].empirical_area == pytest.approx(found.groups[0].area.value, abs=0.03)
    assert bl.sensitivity(pd.DataFrame(table)).groups == found.groups


def test_recorded_answers_with_names_and_refusals(tmp_path: Path) -> None:
    table = _columns(trials=60)
    table["answer"] = ["yes" if one else "no" for one in table["answer"]]
    table["answer"][:3] = ["I cannot help with that request."] * 2 + [""]
    names = {"group": "group", "cue": "name", "truth": "qualified", "answer": "answer"}
    path = _file(tmp_path / "a.csv", table, names)
    found = bl.sensitivity(path)
    assert dict(found.set_aside) == {"empty": 1, "refused": 2}
    assert found.over == "names"
    assert found.truth == "qualified is 1"
    assert len(found.groups[0].cues) == 4
    assert found.trials.row[0] == 4
    assert "3 not used (1 empty, 2 refused)" in found.caveat()
    assert bl.sensitivity(bl.replay(path), truth="qualified").groups == found.groups


def test_levels_stand_for_the_truth(tmp_path: Path) -> None:
    table = _columns()
    table["years"] = [2 + 8 * one for one in table["truth"]]
    names = {"group": "group", "cue": "name", "years": "years", "answer": "answer"}
    found = bl.sensitivity(_file(tmp_path / "a.csv", table, names))
    assert found.truth == "years is 6 or more"
    with pytest.raises(AnswersError, match="lies on one side of 11"):
        bl.sensitivity(tmp_path / "a.csv", qualified=11)


def test_decisions_have_hits_and_false_alarms() -> None:
    who = bl.observers.decider(gap=3.0, jnd=2.0, family="normal", refusal=(0.0, 0.1))
    asked = bl.decisions(who, method="fixed", keep=False)
    found = bl.sensitivity(asked)
    assert (found.truth, found.outcome) == ("8 years or more", "invited")
    assert found.asks() == "more"
    assert found.over == "names"
    assert dict(found.set_aside)["refused"] == asked.counts()["refused"]
    assert any("middle of the case’s range" in note for note in found.notes)
    assert not bl.sensitivity(asked, qualified=5).notes
    (followed,) = bl.sensitivity(replace(asked, method="adaptive"), qualified=5).notes
    assert "Levels followed the answers" in followed
    with pytest.raises(QueryError, match=r"one side of 40 years: levels go from 0 to 16"):
        bl.sensitivity(asked, qualified=40)
    with pytest.raises(QueryError, match="choose the level with qualified="):
        bl.sensitivity(asked, truth="level")
    pair = replace(asked, form="which of two")
    with pytest.raises(QueryError, match="no group has hits and false alarms"):
        bl.sensitivity(pair)


def test_pse_and_jnd_tell_d_prime_and_criterion_of_two_levels() -> None:
    pse, jnd, low, high = 9.0, 3.0, 6.0, 10.0
    who = bl.observers.decider(pse=pse, gap=2.0, jnd=jnd, family="normal")
    asked = bl.decisions(who, method="fixed", keep=False, levels=[low, 8.0, high], trials=4000)
    frame = asked.raw_frame().query("level != 8")
    table = {"group": frame["group"], "truth": frame["level"] == high, "answer": frame["answer"]}
    columns = {name: column.tolist() for name, column in table.items()}
    found = bl.sensitivity(columns, groups=asked.groups)
    for group, point in zip(found.groups, (pse, pse + 2.0), strict=True):
        assert 0.6745 * (high - low) / jnd in group.d_prime.interval
        assert 0.6745 * (point - (low + high) / 2) / jnd in group.criterion.interval


@pytest.mark.validate
@needs("torch", "transformers")
def test_the_gap_of_clerk_lm_is_one_of_the_criterion() -> None:
    found = bl.sensitivity(bl.decisions("clerk-lm", keep=False))
    assert (found.sees(), found.asks()) == ("alike", "more")
    assert any("Answers are probabilities" in note for note in found.notes)


def test_the_ends_of_psychometric_trials_are_noise_and_signal() -> None:
    who = bl.observers.binomial({"nurse": 0.6, "clerk": 0.4}, jnd=0.4, observers=4, seed=1)
    asked = bl.two_afc(
        who.choosing(seed=1), ["nurse", "clerk"], ("female", "male"), trials=200, observers=4,
        levels=5,
    )  # fmt: skip
    found = bl.sensitivity(asked.trials)
    assert [one.name for one in found.groups] == ["nurse", "clerk"]
    assert (found.truth, found.outcome) == ("100 % male or more", "answered male")
    assert found.over == "observers"
    assert found.sees() == "alike"
    assert found.asks() == "less"
    assert len(bl.sensitivity(asked.trials, qualified=0.5).trials) > 2 * len(found.trials)
    with pytest.raises(QueryError, match="lies on one side of 2"):
        bl.sensitivity(asked.trials, qualified=2)


@needs("torch")
def test_a_classifier_has_a_roc_for_each_group() -> None:
    good = ("a wonderful film", "great and moving", "the best acting", "funny", "a bad start")
    bad = ("a terrible film", "boring and awful", "the worst acting", "dull", "a good idea wasted")
    texts = [f"{name} : {text}" for name in ("Emily", "Lakisha") for text in (*good, *bad) * 4]
    table = {"text": [*texts, "qzxv"], "group": ["Emily"] * 40 + ["Lakisha"] * 41,
             "label": [*(["positive"] * 5 + ["negative"] * 5) * 8, "negative"]}  # fmt: skip
    found = bl.sensitivity("imdb-sentiment", texts=table)
    assert found.truth == "label is positive"
    assert found.subject == "imdb-sentiment"
    assert dict(found.set_aside) == {"without a known word": 1}
    assert all(one.empirical_area > 0.6 for one in found.groups)
    with pytest.raises(AnswersError, match="no column of texts"):
        bl.sensitivity("imdb-sentiment", texts={"group": ["a"]})
    with pytest.raises(WrongSubjectError, match="needs a classifier"):
        bl.sensitivity("wiki-bootstraps", texts=table)


def _without(name: str) -> dict[str, list[Any]]:
    return {key: column for key, column in _columns().items() if key != name}


@pytest.mark.parametrize(
    ("make", "options", "why"),
    [
        (lambda: _columns() | {"group": ["a"] * 160}, {}, "has one group, a. A comparison"),
        (lambda: _without("truth"), {}, r"no column for truth\. Its columns are"),
        (lambda: _columns() | {"truth": [1] * 160}, {}, "truth never varies in the table"),
        (lambda: _columns() | {"truth": ["so", "not"] * 80}, {}, "neither a yes nor a no"),
        (lambda: _columns() | {"answer": [1] * 160}, {}, "All answers of the table are 1"),
        (lambda: _columns() | {"answer": [1] * 3}, {}, "differ in length"),
        (_columns, {"groups": ["Emily", "Anna"]}, "has no group Anna: it has Emily and Lakisha"),
        (_columns, {"spreads": "unequal"}, "a single cut"),
        (lambda: _columns(cuts=(0, 1)), {"correction": "1/(2N)"}, "these are grades"),
        (lambda: _columns(cuts=(0, 1)), {"cut": 7}, "lies on one side"),
        (_columns, {"signal": "qualified"}, "never is in the table: its values are '0' and '1'"),
        (_columns, {"margins": (0.5, 0)}, "two numbers above 0"),
        (lambda: _columns() | {"truth": [0] * 80 + [0, 1] * 40}, {}, "Emily has no answer about"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_what_to_do(
    make: Callable[[], Any], options: dict[str, Any], why: str
) -> None:
    with pytest.raises(BiaslabError, match=why):
        bl.sensitivity(make(), **options)


def test_a_truth_in_words_takes_the_one_that_is_signal() -> None:
    table = _columns()
    table["truth"] = ["hired" if one else "declined" for one in table["truth"]]
    found = bl.sensitivity(table, signal="hired")
    assert found.truth == "truth is hired"
    assert found.groups == bl.sensitivity(_columns()).groups


def test_what_holds_no_answers_is_refused() -> None:
    with pytest.raises(WrongSubjectError, match="needs answers; this is"):
        bl.sensitivity(bl.load("wiki-bootstraps"))  # type: ignore[arg-type]


def test_two_runs_are_compared_by_their_differences() -> None:
    one, two = bl.sensitivity(_table()), bl.sensitivity(bl.observers.detector(EQUAL, SAME))
    compared = bl.compare(one, two)
    total = compared.totals[0]
    assert total.name == "criterion c of Lakisha less Emily"
    assert total.difference == pytest.approx(-0.6, abs=0.4)
    other = bl.sensitivity(_columns(), groups=("Lakisha", "Emily"))
    with pytest.raises(QueryError, match="about the same groups, in the same order"):
        bl.compare(one, other)


def test_the_command_reads_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"group": "group", "truth": "hired", "answer": "answer"}
    path = _file(tmp_path / "a.csv", _table(), names)
    drawn = tmp_path / "roc.svg"
    assert main(["sensitivity", str(path), "--truth", "hired", "--svg", str(drawn)]) == 0
    assert "It sees both groups equally well" in capsys.readouterr().out
    assert "zROC" in drawn.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options",
    [{"cuts": (1, 0)}, {"cuts": ()}, {"sd": 0}, {"names": 0}, {"name_sd": -1}, {"trials": 1}],
)
def test_a_detector_refuses_what_it_cannot_simulate(options: dict[str, Any]) -> None:
    with pytest.raises(ObserverError):
        _table(**options)
