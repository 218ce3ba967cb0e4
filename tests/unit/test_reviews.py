"""Reviews: folders and tables give the same, and what is malformed is told with its place."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from biaslab.errors import CorpusError
from biaslab.subjects.classifier.sentiment import review_words
from biaslab_train.sentiment.reviews import encode_reviews, read_reviews
from harness.reviews import as_folder, as_table, write_reviews


def test_words_are_lower_case_letters_with_contractions_whole() -> None:
    text = "Don\u2019t!<br /><br />A WELL-made film, 10/10 (caf\u00e9's) 'so' it_is"
    assert review_words(text) == [
        "don't", "a", "well", "made", "film", "café's", "so", "it", "is",
    ]  # fmt: skip


def test_folders_and_tables_hold_the_same_reviews(tmp_path: Path) -> None:
    train, test = write_reviews(12, seed=1), write_reviews(3, seed=2)
    plain = [("unsup", 0, "a film without a label")]
    folder = tmp_path / "aclImdb"
    as_folder(folder / "train", [*train, *plain])
    as_folder(folder / "test", test)
    (folder / "train" / "pos" / ".DS_Store").write_text("not a review")
    (folder / "train" / "urls_pos.txt").write_text("not a review")
    tables = tmp_path / "tables"
    tables.mkdir()
    as_table(tables / "train.tsv.gz", train)
    as_table(tables / "test.tsv", test)
    as_table(tables / "unsup.tsv", plain)
    one, two = encode_reviews(folder), encode_reviews(tables)
    for part in ("train", "test", "unlabelled"):
        texts = [
            sorted((r.label, r.stars, r.text) for r in read_reviews(source) if r.part == part)
            for source in (folder, tables)
        ]
        assert texts[0] == texts[1]
        assert len(texts[0]) == {"train": 24, "test": 6, "unlabelled": 1}[part]
    assert sorted(one.words) == sorted(two.words)
    assert one.contradicted == 0


def test_files_come_by_number_and_a_part_can_be_read_alone(tmp_path: Path) -> None:
    as_folder(tmp_path, write_reviews(12, seed=1))
    found = [(r.part, r.label) for r in read_reviews(tmp_path)]
    assert found == [("train", "negative")] * 12 + [("train", "positive")] * 12
    numbers = [review.text for review in read_reviews(tmp_path)]
    assert numbers == [text for _, _, text in write_reviews(12, seed=1)]


def test_words_are_numbered_review_by_review(tmp_path: Path) -> None:
    path = as_table(tmp_path / "own.tsv", [("pos", 9, "One two one."), ("neg", 9, "two 3")])
    found = encode_reviews(path)
    assert found.words == ("one", "two")
    np.testing.assert_array_equal(found.rows, [0, 1, 0, 1])
    np.testing.assert_array_equal(found.starts, [0, 3, 4])
    np.testing.assert_array_equal(found.labels, [1, 0])
    assert found.contradicted == 1  # nine stars, and negative


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("label\ttext\npos\tgood\nneg\tbad\tfilm\n", "line 3: 3 fields, .* names 2"),
        ("label\ttext\npos\tgood\nneg\n", "line 3: 1 fields"),
        ("label\ttext\npos\tgood\nmeh\tbad\n", "line 3: the label 'meh' is neither"),
        ("label\ttext\npos\tgood\n\tbad\n", "line 3: the label '' is neither"),
        ("label\tstars\ttext\npos\tten\tgood\n", "line 2: 'ten' is not a number of stars"),
        ("id\ttext\n1\tgood\n", "line 1: no column label, but 'id, text'"),
        ("", "line 1: no column label and no column text"),
        ("label\ttext\n", "no labelled reviews"),
        ("label\ttext\npos\tgood\npos\tfine\n", "All 2 training reviews .* are positive"),
        ("label\ttext\npos\tgo\0od\n", "binary"),
    ],
)
def test_a_malformed_table_is_told_with_file_and_line(
    lines: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(lines)
    with pytest.raises(CorpusError, match=says) as caught:
        encode_reviews(path)
    assert "own.tsv" in str(caught.value)


def test_what_holds_no_reviews_is_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="There are no reviews at"):
        encode_reviews(tmp_path / "nothing")
    with pytest.raises(CorpusError, match="no labelled reviews to train on"):
        encode_reviews(tmp_path)
    as_table(tmp_path / "train.tsv", write_reviews(2, seed=1))
    as_table(tmp_path / "train.tsv.gz", write_reviews(2, seed=1))
    with pytest.raises(CorpusError, match="plain and compressed"):
        encode_reviews(tmp_path)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    whole = gzip.compress(b"label\ttext\npos\t" + bytes(range(65, 91)) * 50)
    (tmp_path / "train.tsv.gz").write_bytes(whole[:-20])
    with pytest.raises(CorpusError, match="damaged or truncated"):
        encode_reviews(tmp_path)
    (tmp_path / "train.tsv.gz").unlink()
    (tmp_path / "train.tsv").write_bytes(b"label\ttext\npos\tcaf\xe9\n")
    with pytest.raises(CorpusError, match="not UTF-8"):
        encode_reviews(tmp_path)
