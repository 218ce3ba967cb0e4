"""Probes on recorded answers: the numbers of the run that was recorded, or what would be needed."""

from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl
from biaslab.errors import AnswersError, QueryError, WrongSubjectError
from biaslab.probes.psychometrics import Trials
from harness.heavy import pd


def written(folder: Path, rows: list[tuple[object, ...]], *columns: str) -> str:
    path = folder / "answers.csv"
    pd.DataFrame(rows, columns=list(columns)).to_csv(path, index=False)
    return str(path)


def test_decisions_of_a_recorded_run_are_those_of_the_run(tmp_path: Path) -> None:
    subject = bl.observers.decider("hire-by-name", gap=2.0, refusal=0.1, cue_sd=0.5)
    run = bl.decisions(subject, method="fixed", keep=False, progress=False)
    frame = run.raw_frame().drop(columns=["answer", "outcome", "reason", "trial"])
    frame.rename(columns={"level": "years"}).to_csv(tmp_path / "run.csv", index=False)
    record = bl.replay(tmp_path / "run.csv")
    replayed = bl.decisions(record, groups=run.groups)
    assert replayed.gap_between() == pytest.approx(run.gap_between(), abs=1e-6)
    place = run.groups.index("white-sounding names")
    assert replayed.counts(place) == run.counts(place)
    assert replayed.case.quality.unit == "years"
    assert " more years (" in replayed.verdict()[0]
    assert replayed.provenance.subject_hash == record.content_hash
    assert bl.decisions(record, groups=run.groups[::-1]).gap == pytest.approx(-run.gap, abs=1e-3)
    with pytest.raises(QueryError, match="the questions cannot be chosen: leave out method"):
        bl.decisions(record, method="fixed")


def test_a_quality_of_which_less_is_better_is_told(tmp_path: Path) -> None:
    rows = [
        (group, points, "no" if points + bonus + row % 3 > 6 else "yes", "Hire {name}?")
        for group, bonus in (("a", 0), ("b", 2))
        for points in range(11)
        for row in range(4)
    ]
    result = bl.decisions(bl.replay(written(tmp_path, rows, "group", "level", "answer", "wording")))
    assert result.case.quality.favoured_by == "less"
    assert "A yes becomes rarer with levels: less of it counts as better." in result.notes


def test_decisions_say_what_a_record_lacks(tmp_path: Path) -> None:
    rows = [("a", 1, "yes", "m"), ("b", 2, "no", "n")] * 9
    record = bl.replay(written(tmp_path, rows, "group", "level", "answer", "model"))
    with pytest.raises(QueryError, match=r"2 values of model: m and n. Take one: record.where"):
        bl.decisions(record)
    with pytest.raises(AnswersError, match="a single group"):
        bl.decisions(record.where(model="m"))
    record = bl.replay(written(tmp_path, [row[:3] for row in rows], "group", "level", "answer"))
    with pytest.raises(QueryError, match="level has 2 values"):
        bl.decisions(record)
    with pytest.raises(WrongSubjectError, match=r"bl.stereotype_score take recorded answers"):
        bl.weat(record, "weat-6")
    record = bl.replay(written(tmp_path, [row[:1] + row[2:3] for row in rows], "group", "answer"))
    with pytest.raises(AnswersError, match=r"no column for level. Name it with level=."):
        bl.decisions(record)
    rows = [("a", 1, 3.5), ("b", 2, 2.5), ("b", 3, 2.0)]
    record = bl.replay(written(tmp_path, rows, "group", "level", "answer"))
    with pytest.raises(QueryError, match=r"answers of answers\.csv are numbers"):
        bl.decisions(record)


def test_trials_that_were_recorded_are_fitted(tmp_path: Path) -> None:
    rows = [
        ("nurse", "she", "he", alpha / 10, "he" if alpha + turn > 7 else "she", turn)
        for alpha in range(11)
        for turn in range(5)
    ]
    columns = ("item", "cue_1", "cue_2", "alpha", "answer", "observer")
    path = written(tmp_path, rows, *columns)
    record = bl.replay(path, cluster="observer")
    assert bl.two_afc(record).to_frame().equals(bl.two_afc(Trials.read_csv(path)).to_frame())
    with pytest.raises(AnswersError, match="alpha is no share from 0 to 1 in every row"):
        bl.two_afc(bl.replay(written(tmp_path, [("x", 3, "yes")] * 3, "item", "alpha", "answer")))


def test_scores_of_sentences_that_were_recorded_are_counted(tmp_path: Path) -> None:
    rows = [
        (f"She {verb}s.", f"He {verb}s.", -3.0, -4.0 + number, verb)
        for number, verb in enumerate(("sing", "run", "cook", "read"))
    ]
    columns = ("stereotyped", "against", "score_stereotyped", "score_against", "attribute")
    result = bl.stereotype_score(bl.replay(written(tmp_path, rows, *columns)), resamples=100)
    assert (result.micro.wins, result.micro.ties) == (1, 1)
    record = bl.replay(written(tmp_path, [("a", 1), ("b", 2)], "group", "score"))
    with pytest.raises(AnswersError, match=r"no scores of both sentences\. It needs the columns"):
        bl.stereotype_score(record)
