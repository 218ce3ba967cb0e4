"""A trace of the bundled ensemble on its real corpus: passages pull as they do when left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab_train.embeddings.corpus import count_for
from harness.needs import needs

pytestmark = [pytest.mark.validate, needs("gensim")]


def test_predicted_pulls_are_those_of_really_leaving_passages_out(
    shared_data: Path, tmp_path: Path
) -> None:
    corpus = shared_data / "corpora" / "enwiki-2015-sample.txt.xz"
    if not corpus.exists():
        pytest.skip("the corpus of wiki-bootstraps is not here")
    counts = count_for("wiki-bootstraps", corpus, tmp_path / "counts")
    found = bl.trace("wiki-bootstraps", "electrician", ("she", "he"), counts, leave_out=10)
    assert len(found.lines) == 43
    assert len(found.checks) == 4
    for one in found.checks:
        np.testing.assert_allclose(one.predicted, one.measured, rtol=0.15)
    assert found.together_1.pull == pytest.approx(0.14, abs=0.01)
    assert found.together_2.pull == pytest.approx(-0.11, abs=0.01)
