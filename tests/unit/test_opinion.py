"""`bl.opinion` on made-up answers: rankings, yes or no, numbers, word pairs, and bad input."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import AnswersError
from biaslab.probes.opinion import ChoicesResult, RatesResult, WordPairsResult, association
from biaslab.probes.opinion.word_pairs import count_pairs
from biaslab.reports.chart import Points
from biaslab.reports.opinion.choices import chart
from harness.recorded_files import GROUPS, TEST, asked, paired, ranked, write


def test_a_preference_in_one_job_is_told_apart_from_places(tmp_path: Path) -> None:
    answers = bl.replay(ranked(tmp_path / "r.jsonl", models=("a", "b")))
    result = bl.opinion(answers, permutations=999)
    assert isinstance(result, ChoicesResult)
    assert [cell.groups.differs for cell in result.cells] == [True, False, False, False]
    first = result.cells[0]
    assert [one.count for one in first.groups.shares] == [
        int(((result.cell == 0) & (result.group == i)).sum()) for i in range(4)
    ]
    assert [split.name for split in first.splits] == ["groups", "Black and White", "men and women"]
    assert result.headline.startswith("a ranks by name in one of two jobs: as clerk it puts Black")
    assert "b shows no clear difference in any job." in result.headline
    assert result.over == "prompts"
    says = result.sentences()
    assert [one.may_print for one in says] == [True] * 3 + [False] * 3
    assert all(np.isfinite(one.number) and one.why for one in says)
    assert {one.what for one in result.never_asked} >= {"The same candidates twice",
                                                        "A later version"}  # fmt: skip
    assert len(result.raw_frame()) == 1_600
    assert len(result.to_frame()) == 4 * (4 + 2 + 2)
    assert bl.Result.from_json(result.to_json()) == result
    assert result.to_svg(split="men and women").startswith("<svg")
    assert "may not print" in result.summary()


def test_misspelt_names_as_meant_are_compared_in_the_same_cells(tmp_path: Path) -> None:
    path = ranked(tmp_path / "r.jsonl", 20)
    path.write_text(
        path.read_text().replace("1. Black", "1. Blcak", 1).replace("1. White", "1. Whtie", 1)
    )
    result = bl.opinion(path, permutations=199)
    assert isinstance(result, ChoicesResult)
    assert [cell.case for cell in result.cells] == [""]  # the cases have too few answers
    assert result.changed_by_misspelt == 0


def test_codes_of_groups_have_the_marks_of_their_parts(tmp_path: Path) -> None:
    path = ranked(tmp_path / "r.jsonl", 200, gain=3.0)
    for name, code in zip(GROUPS, ("W_W", "W_M", "B_W", "B_M"), strict=True):
        path.write_text(path.read_text().replace(name, code))
    result = bl.opinion(path, permutations=199)
    assert isinstance(result, ChoicesResult)
    (points,) = (one for one in chart(result).panel(0).marks if isinstance(one, Points))
    shapes = dict(zip(points.data["name"], points.shape, strict=True))
    assert {code for code, shape in shapes.items() if shape == "square"} == {"W_W", "W_M"}


def test_yes_or_no_is_compared_within_questions(tmp_path: Path) -> None:
    result = bl.opinion(asked(tmp_path / "a.csv", 300, 0.8), reference="men")
    assert isinstance(result, RatesResult)
    (one,) = result.cells[0].differences
    means = {group.name: group.mean for group in result.cells[0].groups}
    assert one.difference == pytest.approx(means["women"] - means["men"])
    assert one.differs
    assert one.interval.low > 0
    assert result.over == "item"
    assert one.ratio_interval.low < one.ratio < one.ratio_interval.high
    assert "women get" in result.headline
    assert [s.may_print for s in result.sentences()] == [True] * 3 + [False] * 3
    assert bl.Result.from_json(result.to_json()) == result
    assert result.to_svg().startswith("<svg")
    turned = bl.opinion(tmp_path / "a.csv", reference="women").cells[0].differences[0]
    assert turned.difference == pytest.approx(-one.difference)
    assert turned.interval.low == pytest.approx(-one.interval.high)


def test_alike_is_more_than_no_clear_difference(tmp_path: Path) -> None:
    many = bl.opinion(asked(tmp_path / "many.csv", 3_000, 0.0))
    few = bl.opinion(asked(tmp_path / "few.csv", 40, 0.0))
    assert "treats groups alike within 5.0 points" in many.headline
    assert "shows no clear difference" in few.headline


def test_numbers_have_means_and_no_ratio(tmp_path: Path) -> None:
    result = bl.opinion(asked(tmp_path / "n.csv", 200, 0.7, number=True), reference="men")
    assert not result.are_rates
    (one,) = result.cells[0].differences
    assert one.difference == pytest.approx(0.7, abs=0.15)
    assert np.isnan(one.ratio)
    assert "women get 0.7" in result.headline or "women get 0.6" in result.headline


@pytest.mark.parametrize(("yes", "no"), [("yes", "no"), (5, 3)])
def test_groups_that_are_always_answered_differently_differ(
    tmp_path: Path, yes: object, no: object
) -> None:
    rows = [("women", yes), ("men", no)] * 30
    result = bl.opinion(write(tmp_path / "a.csv", ["group", "answer"], rows), reference="men")
    assert isinstance(result, RatesResult)
    (one,) = result.cells[0].differences
    assert one.differs
    assert one.p == pytest.approx(2 / math.comb(60, 30))
    # Newcombe's interval of 30 of 30 less 0 of 30; numbers have none.
    ends = (0.839, 1.0) if result.are_rates else (math.nan, math.nan)
    assert (one.interval.low, one.interval.high) == pytest.approx(ends, abs=5e-4, nan_ok=True)
    assert "women get" in result.headline
    assert "nan" not in result.summary()


def test_two_answers_are_too_few_to_compare(tmp_path: Path) -> None:
    few = write(tmp_path / "few.csv", ["group", "answer"], [("women", "yes"), ("men", "no")])
    with pytest.raises(AnswersError, match="1 answer about women: too few"):
        bl.opinion(few)


def test_the_score_of_word_pairs_is_that_of_its_authors() -> None:
    # Three scores that the authors' notebook prints (Bai et al. 2025), and counts behind them.
    counts = np.array([[6, 2, 0, 8], [1, 7, 7, 1], [6, 3, 0, 7]])
    assert association(counts) == pytest.approx([0.747815, -0.750312, 0.664500], abs=5e-7)
    assert association(counts, 0.0)[0] == pytest.approx(0.75)


def test_pairs_are_read_in_lists_and_refused_with_a_reason() -> None:
    assert count_pairs("Sure!\n1. joy - Young\n* evil-old\n[agony - young]", TEST) == (1, 1, 0, 1)
    assert count_pairs("joy - middle-aged", TEST) == "no line has the form “word - group”"
    assert count_pairs("joy - child", TEST) == "“child” is no group of this test"
    assert count_pairs("hate - old", TEST) == "“hate” is no word of this test"


def test_word_pairs_have_a_score_for_each_answer(tmp_path: Path) -> None:
    path = paired(tmp_path / "w.csv")
    result = bl.opinion(bl.replay(path, leave_out=False), word_tests=TEST)
    assert isinstance(result, WordPairsResult)
    assert result.score.max() == pytest.approx(2 / 2.01 * 2 - 1)
    assert len(result.score) == 40
    assert [lost.role for lost in result.dropped] == ["row 41"]
    assert result.cells[0].differs
    assert bl.Result.from_json(result.to_json()) == result
    assert result.to_svg().startswith("<svg")
    with pytest.raises(AnswersError, match="name a CSV file"):
        bl.opinion(path)


def test_another_column_with_the_names_of_the_tests_is_pointed_out(tmp_path: Path) -> None:
    rows = [("joy - young\nevil - old", "health", name) for name in ("age", "ages") * 20]
    path = write(tmp_path / "w.csv", ["reply", "category", "test"], rows)
    tests = {"age": TEST, "ages": TEST}
    with pytest.raises(AnswersError, match=r"The column test has the names .* case='test'"):
        bl.opinion(bl.replay(path, leave_out=False), word_tests=tests)
    result = bl.opinion(bl.replay(path, leave_out=False, case="test"), word_tests=tests)
    assert isinstance(result, WordPairsResult)
    assert [cell.case for cell in result.cells] == ["age", "ages"]


def test_bad_files_are_refused_in_a_sentence(tmp_path: Path) -> None:
    one = write(tmp_path / "one.csv", ["group", "answer"], [("women", "yes"), ("women", "no")] * 9)
    with pytest.raises(AnswersError, match="single group"):
        bl.opinion(one)
    same = write(tmp_path / "same.csv", ["group", "answer"], [("a", "yes"), ("b", "yes")] * 30)
    with pytest.raises(AnswersError, match="nothing to compare"):
        bl.opinion(bl.replay(same, leave_out=False))
    rows = [(("a", "b")[i % 2], i, ("yes", "nein")[i % 3 == 0]) for i in range(30)]
    two = write(tmp_path / "two.csv", ["group", "id", "answer"], rows)
    with pytest.raises(AnswersError, match="10 others are set aside, the first because: It ans"):
        bl.opinion(two)
    none = write(tmp_path / "none.csv", ["id", "answer"], [(i, ("yes", "no")[i % 2])
                                                           for i in range(30)])  # fmt: skip
    with pytest.raises(AnswersError, match="group"):
        bl.opinion(none)
    rows = [(("a", "b")[i % 2], i, ("yes", "no")[i % 3 == 0]) for i in range(60)]
    good = write(tmp_path / "good.csv", ["group", "id", "answer"], rows)
    with pytest.raises(AnswersError, match="choose one of a, b"):
        bl.opinion(good, reference="c")
    with pytest.raises(AnswersError, match="the groups in"):
        bl.opinion(good, labels={"x": "y"})


def test_the_command_prints_the_verdict_and_writes_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, report = ranked(tmp_path / "r.jsonl", 150), tmp_path / "report.html"
    assert main(["opinion", str(path), "--permutations", "199", "--report", str(report)]) == 0
    out = capsys.readouterr().out
    assert "a ranks by name in one of two jobs" in out
    assert "You may not print:" in out
    assert "ranks by name" in report.read_text()
    assert "You may not print" in report.read_text()
