"""``biaslab probe posterior``: what it prints and writes, and its errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import SubjectError
from biaslab.probes.posterior import overview_probe as overview
from biaslab.subjects.classifier.base import StimulusMoments
from harness.needs import needs

pytestmark = needs("pyro")


GOOD = ("wonderful", "great", "good", "fine", "lovely")
BAD = ("horrible", "awful", "bad", "poor", "ugly")
SMALL = ("--chains", "8", "--draws", "60", "--warmup", "60")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    words = (*GOOD, *BAD, "she", "woman", "he", "man", "film")
    vectors = rng.standard_normal((len(words), 4)).astype(np.float32)
    vectors[:5, 0] += 2
    vectors[5:10, 0] -= 2
    classifier = bl.subjects.SentimentClassifier(
        bl.WordEmbedding(words, vectors),
        [(np.array([[-1.0, 0, 0, 0], [1.0, 0, 0, 0]]), np.zeros(2))],
        stimuli=StimulusMoments(np.zeros(4), np.eye(4), 100),
        name="tiny",
    )
    return classifier.save(tmp_path_factory.mktemp("classifiers") / "tiny")


def test_both_labels_words_groups_and_reviews(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lexicon = tmp_path / "lexicon"
    lexicon.mkdir()
    (lexicon / "positive-words.txt").write_text("\n".join(GOOD))
    (lexicon / "negative-words.txt").write_text("\n".join(BAD))
    reviews, out = tmp_path / "r.tsv", tmp_path / "r.json"
    reviews.write_text("label\ttext\npos\twonderful film\nneg\tawful film\n")
    status = main(
        [
            *("probe", "posterior", str(folder), *SMALL, "--words", "film,nobody"),
            *("--groups", "female=she,woman;male=he,man", "--lexicon", str(lexicon)),
            *("--reviews", str(reviews), "--json", str(out), "--axes", "pca"),
        ]
    )
    printed = capsys.readouterr().out
    assert status == 0
    assert "Positive words lie closer to “positive”" in printed
    assert "Negative words lie closer to “negative”" in printed
    assert "female less male" in printed
    assert "of 15 words" in printed
    assert "nobody               not in the vocabulary" in printed
    assert "log p(w|positive) - log p(w|negative)" in printed
    assert "r.tsv:2 lies nearest to the mean of the posterior of positive" in printed
    assert json.loads(out.read_text())["schema"].startswith("posterior-overview/")


def test_one_label_alone(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "r.csv"
    arguments = ["probe", "posterior", str(folder), "--alone", "--label", "negative", *SMALL]
    assert main([*arguments, "--prior", "standard", "--csv", str(table)]) == 0
    printed = capsys.readouterr().out
    assert "N(0, I)" in printed
    assert "lexicon" not in printed.lower()
    assert "logit" in table.read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--label", "happy"], "Choose one of: negative, positive"),
        (["--alone", "--words", "film"], "--alone measures no distances"),
        (["--groups", "female=she;female=woman"], "is not a new group with its words"),
        (["--prior-width", "-1"], "prior_width"),
    ],
)
def test_what_cannot_be_done_says_what_to_do(
    folder: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", "posterior", str(folder), *SMALL, *arguments]) != 0
    assert says in capsys.readouterr().err


def test_a_failure_half_way_is_told_and_what_was_drawn_is_written(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawing = overview.sample_posterior

    def fails(classifier: Any, label: str, **options: Any) -> Any:
        if label == "negative" and options.get("engine") != "exact":
            raise SubjectError("tiny answers NaN.")
        return drawing(classifier, label, **options)

    monkeypatch.setattr(overview, "sample_posterior", fails)
    out = tmp_path / "r.json"
    arguments = [*("probe", "posterior", str(folder)), *SMALL, "--groups", "a=she;b=he"]
    assert main([*arguments, "--json", str(out), "--words", "film"]) == 1
    told = "Drawing for “negative” failed. tiny answers NaN."
    printed = capsys.readouterr()
    assert told in printed.out
    assert "Distance to 'positive'" in printed.out
    assert told in printed.err
    found = bl.Result.from_json(out)
    assert isinstance(found, overview.PosteriorOverview)
    assert list(found.posteriors) == ["positive"]
    assert found.failure == told
