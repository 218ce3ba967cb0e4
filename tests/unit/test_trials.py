"""Trials: a table of questions and answers, and how two_afc collects one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError, SubjectError, TrialsError
from biaslab.jobs.context import JobContext, reporting_to
from biaslab.probes.psychometrics import OneByOne, Repeated, Trials
from harness.heavy import pd

CUES = ("female", "male")
COUNTS = "item,cue_1,cue_2,alpha,observer,cue_1_first,n,n_cue_2,n_cannot_say\n"


def _frame(**columns: Any) -> Any:
    base = {"item": ["nurse"], "cue_1": ["female"], "cue_2": ["male"], "alpha": [0.25]}
    return pd.DataFrame(base | {"n": [10], "n_cue_2": [3]} | columns)


def _choose(seed: int = 0) -> Any:
    """A subject that chooses at random along a curve around alpha = 1/2 of "male"."""
    rng = np.random.default_rng(seed)

    def respond(item: Any, cue_1: Any, cue_2: Any, alpha: Any, observer: Any) -> Any:
        share = 1 / (1 + np.exp(-(np.asarray(alpha) - 0.5) / 0.1))
        answers = (rng.random(np.shape(share)) < share).astype(float)
        return np.where(rng.random(np.shape(share)) < 0.1, np.nan, answers)

    return respond


def test_single_trials_and_counts_of_them_are_the_same_table() -> None:
    one = {"item": "nurse", "cue_1": "female", "cue_2": "male", "alpha": 0.25}
    singles = pd.DataFrame([{**one, "answer": a} for a in ("male", "", "female", 1, "0")])
    counted = Trials.from_frame(_frame(n=[5], n_cue_2=[2], n_cannot_say=[1]))
    assert Trials.from_frame(singles) == counted
    assert counted.decided.tolist() == [4]
    assert counted.observers == ("1",)
    assert counted.cue_1_first.tolist() == [True]


def test_a_csv_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "trials.csv"
    file.write_text(
        COUNTS + "null,female,male,0.25,anna,true,10,3,1\nnull,female,male,0.25,anna,no,9,4,0\n"
    )
    trials = Trials.read_csv(file)
    assert trials.items == ("null",)
    assert trials.has_both_orders
    assert trials.n_cannot_say.tolist() == [1, 0]
    trials.to_frame().to_csv(file, index=False)
    assert Trials.read_csv(file) == trials


def test_rows_with_the_cues_swapped_are_turned_round() -> None:
    frame = _frame(
        item=["nurse"] * 2, cue_1=["female", "male"], cue_2=["male", "female"], alpha=[0.3, 0.7],
        n=[10, 10], n_cue_2=[3, 6], n_cannot_say=[0, 1],
    )  # fmt: skip
    trials = Trials.from_frame(frame)
    assert trials.pairs == (CUES,)
    assert trials.alpha.tolist() == [0.3, 0.3]
    assert trials.cue_1_first.tolist() == [True, False]
    assert trials.n_cue_2.tolist() == [3, 3]
    assert trials.with_cues_swapped().with_cues_swapped() == trials


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"alpha": [1.2]}, "Row 1 of the trials: alpha is no share"),
        ({"alpha": ["much"]}, "alpha is 'much', not a number"),
        ({"n_cue_2": [11]}, "exceed n"),
        ({"n": [0], "n_cue_2": [0]}, "n is 0"),
        ({"n_cue_2": [0.5]}, "not a whole number"),
        ({"cue_2": ["female"]}, "the same word"),
        ({"item": [""]}, "is empty"),
        ({"cue_1_first": ["perhaps"]}, "Write true or false"),
    ],
)
def test_an_impossible_row_is_named(columns: dict[str, Any], says: str) -> None:
    with pytest.raises(TrialsError, match=says):
        Trials.from_frame(_frame(**columns))


def test_a_missing_column_or_answer_is_named() -> None:
    with pytest.raises(TrialsError, match="no column alpha"):
        Trials.from_frame(_frame().drop(columns="alpha"))
    with pytest.raises(TrialsError, match="an answer column"):
        Trials.from_frame(_frame().drop(columns="n"))
    with pytest.raises(TrialsError, match="the answer is 'maybe'"):
        Trials.from_frame(_frame(answer=["maybe"]).drop(columns=["n"]))
    with pytest.raises(TrialsError, match="cannot be read"):
        Trials.read_csv("no-such-file.csv")
    with pytest.raises(TrialsError, match="Pass a DataFrame"):
        Trials.from_frame([1])  # type: ignore[arg-type]


def test_a_subject_is_asked_in_both_orders() -> None:
    calls: list[tuple[Any, ...]] = []

    def first(item: Any, cue_1: Any, cue_2: Any, alpha: Any, observer: Any) -> Any:
        calls.append((cue_1, alpha))
        return 0

    result = bl.two_afc(
        OneByOne(first), ["nurse"], CUES, trials=3, levels=5, observers=["anna", "ben"]
    )
    trials = result.trials
    assert len(calls) == trials.n.sum() == 3 * 5 * 2
    assert trials.observers == ("anna", "ben")
    # The first of the two offered cues each time: cue 1 in two trials of three.
    assert trials.n_cue_2[trials.cue_1_first].sum() == 0
    assert (trials.n_cue_2 == trials.n)[~trials.cue_1_first].all()
    assert trials.n[trials.cue_1_first].tolist() == [2] * 10
    asked = {(str(cue), round(float(alpha), 12)) for cue, alpha in calls}
    assert asked == {(cue, level / 4) for cue in CUES for level in range(5)}
    given = bl.two_afc(
        OneByOne(first), ["nurse"], CUES, trials=Repeated(3, orders="given"), levels=5
    )
    assert given.trials.cue_1_first.all()


def test_collected_trials_are_a_subject() -> None:
    result = bl.two_afc(_choose(), ["nurse", "clerk"], [CUES, ("she", "he")], trials=4, levels=6)
    trials = result.trials
    assert bl.two_afc(trials).trials == trials
    assert trials.n_cannot_say.sum() > 0
    part = bl.two_afc(trials, ["clerk", "pilot"], [("male", "female"), ("a", "b")])
    assert part.items == ("clerk",)
    assert part.pairs == (("male", "female"),)
    assert {d.term for d in part.dropped} == {"pilot", "a / b"}
    whole = trials.about(["clerk"], [CUES])
    assert whole is not None
    assert part.trials == whole.with_cues_swapped()
    with pytest.raises(QueryError, match="No item is left"):
        bl.two_afc(trials, ["pilot"])


@pytest.mark.parametrize(
    ("options", "says"),
    [({"trials": 0}, "at least once"), ({"cues": [CUES, CUES[::-1]]}, "listed twice")],
)
def test_trials_that_make_no_sense_are_refused(options: dict[str, Any], says: str) -> None:
    arguments: Any = {"cues": CUES, "trials": 2} | options
    with pytest.raises(ValueError, match=says):
        bl.two_afc(_choose(), ["nurse"], **arguments)


def test_probabilities_are_refused_trial_by_trial() -> None:
    with pytest.raises(SubjectError, match="Leave out trials if the subject answers with prob"):
        bl.two_afc(bl.observers.binomial(0.6), ["item"], CUES, trials=2)
    with pytest.raises(SubjectError, match="with shape"):
        bl.two_afc(lambda *question: 1, ["item"], CUES, trials=2)
    with pytest.raises(ValueError, match="choose one of both, given"):
        Repeated(2, orders="all")  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="There are no items"):
        bl.two_afc("wiki-bootstraps")


def test_a_stop_keeps_the_items_asked_by_then() -> None:
    class Stopped(JobContext):
        should_stop = True

    with reporting_to(Stopped()):
        result = bl.two_afc(_choose(), ["nurse", "clerk"], CUES, trials=2, levels=4)
    assert result.items == ("nurse",)
    assert [d.term for d in result.dropped] == ["clerk"]
