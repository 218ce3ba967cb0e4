"""The bundled sentiment classifier: small, light to open, as good as its card says."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import biaslab as bl
from biaslab.subjects.classifier.sentiment import review_words
from biaslab.subjects.opening.load import BUNDLED, bundled_names

NAME = "imdb-sentiment"
FOLDER = BUNDLED / NAME


@pytest.fixture(scope="module")
def classifier() -> bl.subjects.SentimentClassifier:
    return bl.load("imdb-sentiment")


def test_it_is_bundled_as_a_classifier_of_at_most_5_mb() -> None:
    assert NAME in bundled_names("classifier")
    assert NAME not in bundled_names("ensemble")
    assert {p.name for p in FOLDER.iterdir()} == {
        "README.md", "classifier.json", "network.safetensors", "vocabulary.txt",
        "words.safetensors",
    }  # fmt: skip
    assert sum(p.stat().st_size for p in FOLDER.iterdir()) <= 5_000_000


def test_its_vocabulary_is_single_words_and_no_text() -> None:
    words = (FOLDER / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    assert len(words) == len(set(words)) > 20_000
    assert all(review_words(word) == [word] for word in words)
    assert max(map(len, words)) < 40
    # By frequency and then by alphabet: nothing of the order in which reviews had them is left.
    assert words[:3] == ["the", "and", "a"]


def test_opening_it_loads_no_torch() -> None:
    code = (
        "import sys, biaslab as bl; c = bl.load('imdb-sentiment'); c.stimulus(['a fine film']);"
        "print([m for m in ('torch', 'gensim', 'transformers', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_it_tells_praise_from_blame(classifier: bl.subjects.SentimentClassifier) -> None:
    p = classifier.probability([
        "A wonderful, moving film. I loved every minute of it.",
        "Boring and badly acted. The worst two hours of my life.",
    ])  # fmt: skip
    assert classifier.labels == ("negative", "positive")
    assert p[0, 1] > 0.9
    assert p[1, 1] < 0.1


def test_it_passes_what_the_paper_reports(classifier: bl.subjects.SentimentClassifier) -> None:
    quality = classifier.recipe["quality"]
    assert quality["cross_validated_random"]["auc"]["value"] > 0.953
    held_out = quality["held_out"]
    assert held_out["auc"]["value"] > 0.945
    assert held_out["auc_before_rounding"] == pytest.approx(held_out["auc"]["value"], abs=1e-3)
    assert sum(each["n"] for each in held_out["calibration"]) == 25_000


def test_the_card_has_the_figures_of_the_manifest() -> None:
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    quality = json.loads((FOLDER / "classifier.json").read_text())["recipe"]["quality"]
    for found in quality.values():
        area = found["auc"]
        assert f"{area['value']:.4f} ({area['low']:.4f} to {area['high']:.4f})" in card
    for each in quality["held_out"]["calibration"]:
        assert f"| {each['probability']:.3f} | {each['share']:.3f} |" in card


def test_its_words_and_moments_lie_in_one_space(
    classifier: bl.subjects.SentimentClassifier,
) -> None:
    assert classifier.stimuli is not None
    assert classifier.stimuli.n == 25_000
    assert np.linalg.eigvalsh(classifier.stimuli.covariance).min() > 0
    for word in ("good", "she", "he", "uncle", "aunt"):
        assert word in classifier.words
    vector = classifier.words.vectors(["good"])[0]
    np.testing.assert_allclose(classifier.stimulus(["Good!"]), vector)
    assert len(bl.load(NAME, kind="embedding")) == len(classifier.words)
