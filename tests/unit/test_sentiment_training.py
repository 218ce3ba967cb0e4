"""``biaslab train sentiment``: learns what is there, leaks nothing, continues, repeats itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import CorpusError, TrainingError
from biaslab.stats.classification import auc
from biaslab_train.settings import RECIPES, sentiment_settings
from harness.deferred import Deferred
from harness.heavy import stats
from harness.needs import needs
from harness.reviews import as_table, write_reviews

pytestmark = needs("gensim")

sentiment = Deferred("biaslab_train.sentiment.training")

SMALL = sentiment_settings(
    vector_size=8, negative=3, sample=1e-2, skip_gram_epochs=2, min_count=2, hidden=4, epochs=12,
    batch=32, word_dropout=0.2, dropout=0.1, folds=3, vector_rate=0.02, rate=0.02, held_out=0.1,
)  # fmt: skip
TEST = write_reviews(150, seed=2)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    as_table(folder / "train.tsv.gz", write_reviews(150, seed=1))
    as_table(folder / "test.tsv", TEST)
    return folder


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sentiment.train_sentiment(data, tmp_path_factory.mktemp("out") / "tiny", SMALL)


def _bayes_auc() -> float:
    """Of the best score there is: how many of the five feeling words are good ones."""
    counts = np.arange(6)
    high, low = stats.binom.pmf(counts, 5, 0.8), stats.binom.pmf(counts, 5, 0.2)
    pairs = high[:, None] * low
    return float(np.tril(pairs, -1).sum() + 0.5 * np.trace(pairs))


def test_it_comes_as_near_to_the_truth_as_reviews_allow(trained: Path) -> None:
    quality = bl.load(trained, kind="classifier").recipe["quality"]
    best = _bayes_auc()
    # A fold's network has seen 180 reviews, the last one 270.
    short = {"held_out": 0.03, "cross_validated_random": 0.06, "cross_validated_blocks": 0.06}
    for name, most in short.items():
        found = quality[name]["auc"]
        assert best - most < found["value"] < best + 0.02, name
        assert found["low"] < found["value"] < found["high"]


def test_the_figures_are_those_of_the_stored_classifier(trained: Path) -> None:
    classifier = bl.load(trained, kind="classifier")
    assert isinstance(classifier, bl.subjects.SentimentClassifier)
    positive = np.array([label == "pos" for label, _, _ in TEST])
    p = classifier.probability([text for _, _, text in TEST])[:, 1]
    found = classifier.recipe["quality"]["held_out"]
    assert auc(positive, p).value == pytest.approx(found["auc"]["value"], abs=1e-6)
    assert ((p > 0.5) == positive).mean() == pytest.approx(found["accuracy"])
    loss = -np.log(np.where(positive, p, 1 - p)).mean()
    assert loss == pytest.approx(found["log_loss"], abs=1e-5)
    assert found["auc_before_rounding"] == pytest.approx(found["auc"]["value"], abs=0.002)
    card = (trained / "README.md").read_text()
    assert f"{found['auc']['value']:.4f} ({found['auc']['low']:.4f} to" in card


def test_stimuli_are_the_training_reviews(trained: Path) -> None:
    classifier = bl.load(trained, kind="classifier")
    assert isinstance(classifier, bl.subjects.SentimentClassifier)
    points = classifier.stimulus([text for _, _, text in write_reviews(150, seed=1)])
    assert classifier.stimuli is not None
    np.testing.assert_allclose(classifier.stimuli.mean, points.mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(classifier.stimuli.covariance, np.cov(points.T), atol=1e-5)
    assert classifier.stimuli.n == 300


def test_no_review_is_in_what_is_written(trained: Path) -> None:
    assert {p.name for p in trained.iterdir()} == {
        "README.md", "classifier.json", "network.safetensors", "vocabulary.txt",
        "words.safetensors",
    }  # fmt: skip
    words = (trained / "vocabulary.txt").read_text().split("\n")
    assert all(" " not in word for word in words)
    everything = b"".join(p.read_bytes() for p in trained.iterdir()).lower()
    for _, _, text in write_reviews(150, seed=1):
        assert " ".join(text.lower().split()[:3]).encode() not in everything


def test_labels_without_meaning_give_an_area_of_a_half(tmp_path: Path) -> None:
    # Labels drawn at random: what is above a half in cross-validation could only have leaked.
    rng = np.random.default_rng(5)
    texts = [text for _, _, text in write_reviews(150, seed=1, clear=0.5)]
    rng.shuffle(texts)
    drawn = [("pos" if i % 2 else "neg", 5, text) for i, text in enumerate(texts)]
    out = sentiment.train_sentiment(as_table(tmp_path / "own.tsv", drawn), tmp_path / "out", SMALL)
    found = bl.load(out, kind="classifier").recipe["quality"]
    for kind in ("random", "blocks"):
        area = found[f"cross_validated_{kind}"]["auc"]
        assert area["low"] < 0.5 < area["high"], kind
    assert "held_out" not in found
    assert "There were no test reviews" in (out / "README.md").read_text()


def test_another_seed_gives_another_network(data: Path, trained: Path, tmp_path: Path) -> None:
    other = sentiment.train_sentiment(data, tmp_path / "other", replace(SMALL, seed=2))
    assert (other / "network.safetensors").read_bytes() != (
        trained / "network.safetensors"
    ).read_bytes()


def test_training_leaves_the_global_generators_alone(data: Path, tmp_path: Path) -> None:
    import torch

    torch.manual_seed(7)
    np.random.seed(7)  # noqa: NPY002
    before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    threads = torch.get_num_threads()
    sentiment.train_sentiment(data, tmp_path / "out", replace(SMALL, folds=2, epochs=1))
    assert torch.equal(torch.get_rng_state(), before[0])
    np.testing.assert_array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002
    assert torch.get_num_threads() == threads


def test_a_killed_training_goes_on_where_it_was_to_the_same_bytes(
    data: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "tiny"

    def kill(progress: sentiment.SentimentProgress) -> None:
        if "blocks" in progress.message:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sentiment.train_sentiment(data, out, SMALL, on_progress=kill)
    with pytest.raises(bl.errors.UnknownSubjectError, match="no ensemble"):
        bl.load(out)
    with pytest.raises(TrainingError, match="an interrupted run with other"):
        sentiment.train_sentiment(data, out, replace(SMALL, seed=9))
    fits: list[int] = []
    fit = sentiment.fit_network

    def counted(*arguments: Any, **options: Any) -> Any:
        fits.append(1)
        return fit(*arguments, **options)

    def never(*arguments: Any) -> Any:
        raise AssertionError("the vectors were kept")

    monkeypatch.setattr("biaslab_train.sentiment.training.fit_network", counted)
    monkeypatch.setattr("biaslab_train.sentiment.training.skip_gram_vectors", never)
    # A kept file that a crash has damaged is made again.
    (out / "work" / "random-1").write_bytes(b"\0" * 4)
    sentiment.train_sentiment(data, out, SMALL)
    assert len(fits) == 1 + SMALL.folds + 1
    for path in trained.iterdir():
        assert (out / path.name).read_bytes() == path.read_bytes(), path.name
    assert sentiment.train_sentiment(data, out, SMALL) == out  # nothing is left to do
    assert len(fits) == 1 + SMALL.folds + 1
    with pytest.raises(TrainingError, match="trained with other data or settings"):
        sentiment.train_sentiment(data, out, replace(SMALL, seed=9))


def test_the_papers_recipe_leaves_the_vectors_as_skip_gram_made_them(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = sentiment_settings(
        "paper", vector_size=8, min_count=2, skip_gram_epochs=2, folds=2, epochs=5, batch=32
    )
    assert not settings.tuned
    assert (settings.window, settings.negative, settings.sample) == (5, 5, 1e-3)
    made: list[Any] = []
    vectors = sentiment.skip_gram_vectors

    def seen(*arguments: Any) -> Any:
        made.append(vectors(*arguments))
        return made[0]

    monkeypatch.setattr("biaslab_train.sentiment.training.skip_gram_vectors", seen)
    found = bl.load(sentiment.train_sentiment(data, tmp_path / "out", settings), kind="classifier")
    assert found.words is not None
    stored = found.words.vectors(list(found.words.words))[0]
    np.testing.assert_allclose(stored, made[0], atol=np.abs(made[0]).max() / 127)
    assert "then left as they are" in (tmp_path / "out" / "README.md").read_text()


def test_unknown_words_reviews_without_any_and_the_test_text(data: Path, tmp_path: Path) -> None:
    odd = [*write_reviews(30, seed=1), ("pos", 8, "12345"), ("neg", 5, "zzz")]
    as_table(tmp_path / "train.tsv", odd)
    as_table(tmp_path / "test.tsv", [("pos", 8, "onlyhere onlyhere film"), ("pos", 8, "film"),
                                     ("neg", 2, "story"), ("neg", 2, "plot")])  # fmt: skip
    quick = replace(SMALL, epochs=1, folds=2)
    found = bl.load(sentiment.train_sentiment(tmp_path, tmp_path / "a", quick), kind="classifier")
    assert found.recipe["reviews"]["without_known_words"] == 2
    assert found.recipe["reviews"]["stars_against_label"] == 1
    assert found.words is not None
    assert "onlyhere" not in found.words.words  # the test reviews give no words,
    whole = replace(quick, text="all")
    told = bl.load(sentiment.train_sentiment(tmp_path, tmp_path / "b", whole), kind="classifier")
    assert told.words is not None
    assert "onlyhere" in told.words.words  # unless their text was asked for


def test_folds_hold_both_labels_and_blocks_hold_neighbours() -> None:
    labels = np.repeat([0.0, 1.0], [50, 30])
    for folds in (
        sentiment.random_folds(labels, 4, np.random.default_rng(0)),
        sentiment.block_folds(labels, 4),
    ):
        for k in range(4):
            assert 12 <= (folds[labels == 0] == k).sum() <= 13
            assert 7 <= (folds[labels == 1] == k).sum() <= 8
    blocks = sentiment.block_folds(labels, 4)
    assert (np.diff(blocks[:50]) >= 0).all()
    assert (np.diff(blocks[50:]) >= 0).all()


def test_too_few_reviews_and_rare_words_are_told(tmp_path: Path) -> None:
    few = as_table(tmp_path / "few.tsv", write_reviews(3, seed=1))
    with pytest.raises(TrainingError, match=r"3 training reviews .* fewer --folds"):
        sentiment.train_sentiment(few, tmp_path / "a", SMALL)
    with pytest.raises(TrainingError, match="No word occurs 900 times"):
        sentiment.train_sentiment(few, tmp_path / "b", replace(SMALL, min_count=900))
    with pytest.raises(CorpusError, match="negative"):
        sentiment.train_sentiment(
            as_table(tmp_path / "one.tsv", [("neg", 1, "a film")] * 9), tmp_path / "c", SMALL
        )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--recipe", "magic"], "no recipe 'magic'. Choose one of joint, skip-gram, paper"),
        (["--text", "some"], "choose one of labelled, unlabelled, all"),
        (["--folds", "1"], "is 1. Use 2 or more"),
        (["--epochs", "0"], "is 0. Use 1 or more"),
        (["--seed", "-1"], "is -1. Use 0 or more"),
        (["--data", "no-such-folder"], "no reviews at no-such-folder"),
        (["--device", "cuda:99"], "cuda:99"),
    ],
)
def test_wrong_options_are_told_in_one_line(
    options: list[str], says: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["train", "sentiment", "--data", str(data), "--output", str(out), *options]
    assert main(command) == 1
    error = capsys.readouterr().err
    assert error.startswith("biaslab: ")
    assert says in error
    assert not out.exists()


def test_the_command_tells_the_figures(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["train", "sentiment", "--data", str(data), "--output", str(out)]
    command += ["--recipe", "skip-gram", "--dimensions", "6", "--folds", "2", "--epochs", "3"]
    assert main(command) == 0
    told = capsys.readouterr().out
    manifest = json.loads((out / "classifier.json").read_text())
    area = manifest["recipe"]["quality"]["held_out"]["auc"]["value"]
    assert f"held out: AUC {area:.4f}" in told
    assert "Finished" in told
    assert manifest["recipe"]["settings"]["vector_size"] == 6


def test_recipes_are_known_by_their_names() -> None:
    assert {name: recipe.recipe for name, recipe in RECIPES.items()} == {n: n for n in RECIPES}
    assert sentiment_settings().tuned
    with pytest.raises(TrainingError, match="no setting 'speed'"):
        sentiment_settings(speed=3)
