from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl

ROWS = """\
she 0.1 0.9
he 0.9 0.1
. . . 0.5 0.5
at name@domain.com 0.3 0.2
my name 1 2
"""


@pytest.mark.parametrize("header", ["", "5 2\n"], ids=["GloVe", "word2vec"])
def test_words_with_spaces_are_read(header: str, home: Path) -> None:
    (home / "vectors.txt").write_text(header + ROWS)
    embedding = bl.load("vectors.txt")
    assert list(embedding.words) == ["she", "he", ". . .", "at name@domain.com", "my name"]
    assert embedding["my name"].tolist() == [1, 2]
