"""The bundled sentiment classifier on the test reviews of the Large Movie Review data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.stats.classification import auc
from biaslab_train.sentiment.reviews import read_reviews


def test_the_card_tells_what_the_test_reviews_give(shared_data: Path) -> None:
    source = shared_data / "imdb" / "test.tsv.gz"
    if not source.exists():
        pytest.skip(f"{source} is not there")
    classifier = bl.load("imdb-sentiment")
    reviews = list(read_reviews(source))[::10]
    p = classifier.probability([review.text for review in reviews])[:, 1]
    positive = np.array([review.label == "positive" for review in reviews])
    found = auc(positive, p, level=0.9999)
    told = classifier.recipe["quality"]["held_out"]["auc"]["value"]
    assert found.low < told < found.high
    assert found.n == 2500
