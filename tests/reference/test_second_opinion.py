"""Second opinions on answers that were published, against their publishers' own figures."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.answers import RecordedAnswers
from biaslab.probes.opinion import ChoicesResult, WordPairsResult
from harness.heavy import pd

LABELS = {
    f"{race[0]}_{sex[0].upper()}": f"{race} {sex[1]}"
    for race in ("White", "Black", "Hispanic", "Asian")
    for sex in (("w", "women"), ("m", "men"))
}


@pytest.fixture(scope="module")
def rankings(shared_data: Path) -> Path:
    return shared_data / "answers" / "resume-rankings.jsonl.gz"


def test_counts_of_first_places_equal_the_published_table(
    rankings: Path, shared_data: Path
) -> None:
    table = pd.read_csv(shared_data / "answers" / "resume-rankings-published.csv")
    published = {(r.model, r.job, LABELS[r.demo]): (r.top, r.disparate_impact_ratio)
                 for r in table.itertuples()}  # fmt: skip
    result = bl.opinion(bl.replay(rankings, reading="first name"), labels=LABELS, permutations=99)
    assert isinstance(result, ChoicesResult)
    found = {}
    for cell in result.cells:
        top = max(one.count for one in cell.groups.shares)
        for one in cell.groups.shares:
            found[cell.model, cell.case, one.name] = (one.count, pytest.approx(one.count / top))
    assert len(published) == 64
    assert found == published


def test_one_model_ranks_by_name_in_two_of_four_jobs(rankings: Path) -> None:
    answers = bl.replay(rankings)
    result = bl.opinion(answers, labels=LABELS, permutations=4_999)
    assert isinstance(result, ChoicesResult)
    assert [(cell.model, cell.case) for cell in result.cells if cell.groups.differs] == [
        ("gpt-3.5-turbo", "HR specialist"),
        ("gpt-3.5-turbo", "financial analyst"),
    ]
    again = bl.opinion(answers.with_misspelt(), labels=LABELS, permutations=4_999)
    assert isinstance(again, ChoicesResult)
    assert [cell.groups.differs for cell in again.cells] == [
        cell.groups.differs for cell in result.cells
    ]
    below = [cell.groups.below for cell in result.cells if cell.first_place < 0.8]
    assert 0.4 < min(below) < max(below) < 0.7


def test_a_table_of_any_ranker_with_shuffled_groups_shows_nothing(rankings: Path) -> None:
    from dataclasses import replace

    answers = bl.replay(rankings).where(model="gpt-3.5-turbo", job="HR specialist")
    rng = np.random.default_rng(0)
    column = answers.roles["group"]
    shuffled = tuple(tuple(rng.permutation(one).tolist()) for one in answers.values[column])
    null: RecordedAnswers = replace(answers, values={**answers.values, column: shuffled})
    result = bl.opinion(null, permutations=999)
    assert isinstance(result, ChoicesResult)
    assert not result.cells[0].groups.differs


def test_association_scores_follow_their_authors(shared_data: Path) -> None:
    folder = shared_data / "answers"
    answers = bl.replay(folder / "iat-chained-gpt4.csv.gz", answer="iat", case="dataset",
                        leave_out=False)  # fmt: skip
    result = bl.opinion(answers, word_tests=folder / "iat-stimuli.csv")
    assert isinstance(result, WordPairsResult)
    assert not result.dropped
    # The authors published means over random resamples of each answer's words, so that a perfect
    # sorting is 0.9986 whatever its length: equal to the score but for that noise.
    published = np.array(answers.column("iat_bias"), dtype=float)
    order = np.argsort(result.row)
    assert np.corrcoef(published, result.score[order])[0, 1] > 0.999
    assert np.abs(published - result.score[order]).mean() < 0.012
    perfect = result.score > 0.99
    assert ((published > 0.99) == perfect[order]).all()


@pytest.mark.validate
@pytest.mark.parametrize("name", ["rankings", "rankings-verdict", "word-pairs"])
def test_the_page_of_findings_holds_the_published_answers(
    name: str, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, made, page = map(importlib.import_module, ("findings", "findings_answers", "replication"))
    monkeypatch.setattr(made, "ANSWERS", shared_data / "answers")
    monkeypatch.setattr(made, "IMAGES", tmp_path)
    shown = page.section(tool.PAGE.read_text(encoding="utf-8"), name)
    assert made.TABLES[name]() == shown
