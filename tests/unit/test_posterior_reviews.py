"""Real texts nearest to a point of the posterior, and how they are read."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import CorpusError, QueryError
from biaslab.subjects.text_files import Review, read_reviews
from harness.posteriors import Logistic, of_draws

DIM = 4
WORDS = ("good", "bad", "film", "plot")


def classifier() -> bl.subjects.SentimentClassifier:
    words = bl.WordEmbedding(WORDS, np.eye(DIM, dtype=np.float32))
    layers = [(np.array([[0, 3, 0, 0], [3, 0, 0, 0]]), np.zeros(2))]
    return bl.subjects.SentimentClassifier(words, layers)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part, label, name, text in (
        ("train", "pos", "0_9.txt", "good<br /><br />good film"),
        ("train", "neg", "1_2.txt", "bad film"),
        ("train", "unsup", "2_0.txt", "plot"),
        ("test", "pos", "3_8.txt", "good plot"),
        ("test", "neg", "4_1.txt", "?!"),
    ):
        place = tmp_path / part / label
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    (tmp_path / "README.txt").write_text("not a review")
    return tmp_path


def test_folders_tell_labels_and_stars(folder: Path) -> None:
    assert list(read_reviews(folder)) == [
        Review("test/neg/4_1.txt", "test", "negative", 1, "?!"),
        Review("test/pos/3_8.txt", "test", "positive", 8, "good plot"),
        Review("train/neg/1_2.txt", "train", "negative", 2, "bad film"),
        Review("train/pos/0_9.txt", "train", "positive", 9, "good<br /><br />good film"),
        Review("train/unsup/2_0.txt", "unlabelled", "", None, "plot"),
    ]


PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".tsv": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


@pytest.mark.parametrize("name", ["r.tsv", "r.tsv.gz", "r.tsv.bz2", "r.tsv.xz"])
def test_tables_are_read_by_their_columns(tmp_path: Path, name: str) -> None:
    data = b'label\tid\ttext\nneg\tx1\tso "bad"\n\nwarm\t\tgood\r\n'
    (tmp_path / name).write_bytes(PACKED[Path(name).suffix](data))
    expected = [
        Review(f"{name}:x1", "", "negative", None, 'so "bad"'),
        Review(f"{name}:4", "", "warm", None, "good"),
    ]
    assert list(read_reviews(tmp_path / name)) == expected
    assert list(read_reviews(tmp_path)) == expected


def test_texts_come_by_number_and_a_table_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "deep" / "pos").mkdir(parents=True)
    for number in (10, 9, 100):
        text = b"\xef\xbb\xbfgood\nfilm"
        (tmp_path / "deep" / "pos" / f"{number}_7.txt").write_bytes(text)
    (tmp_path / "deep" / "pos" / ".1_7.txt").write_text("not a review")
    found = list(read_reviews(tmp_path))
    assert [one.id for one in found] == [f"deep/pos/{n}_7.txt" for n in (9, 10, 100)]
    assert found[0] == Review("deep/pos/9_7.txt", "", "positive", 7, "good\nfilm")
    for name in ("r.tsv", "r.tsv.xz"):
        (tmp_path / name).write_bytes(PACKED[Path(name).suffix](b"text\ngood\n"))
    with pytest.raises(CorpusError, match=r"r\.tsv plain and compressed"):
        list(read_reviews(tmp_path))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("r.tsv", b"id\tlabel\n1\tpos\n", "r.tsv, line 1: no column text"),
        ("r.tsv", b"id\ttext\n1\ta\tb\n", "r.tsv, line 2: 3 fields"),
        ("r.tsv", b"text\n\xff\xfe\n", "UTF-8"),
        ("r.tsv.gz", b"not gzip", "r.tsv.gz is damaged"),
        ("r.tsv", b"text\tstars\ngood\t4.5\n", "line 2: '4.5' is not a number of stars"),
        ("notes.md", b"good film", "notes.md, line 1: no column text"),
    ],
)
def test_files_of_another_form_say_what_is_needed(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(CorpusError, match=message):
        list(read_reviews(tmp_path / name))


def test_nothing_to_read_says_what_to_give(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(CorpusError, match="Large Movie Review"):
            list(read_reviews(path))


def test_the_nearest_texts_come_first_and_those_without_words_are_told(folder: Path) -> None:
    found = bl.posterior.nearest_reviews(classifier(), np.array([1.0, 0, 0, 0]), folder, k=2)
    (near,) = found.nearest
    assert [one.id for one in near] == ["train/pos/0_9.txt", "test/pos/3_8.txt"]
    assert near[0].distance == pytest.approx(np.sqrt(2) / 3, rel=1e-5)
    assert near[0].excerpt == "good good film"
    assert near[0].stars == 9
    assert near[0].probability[1] > 0.85
    assert found.n == 4
    assert [d.term for d in found.dropped] == ["test/neg/4_1.txt"]
    assert "train/pos/0_9.txt lies nearest" in found.headline
    assert found.to_frame()["rank"].tolist() == [1, 2]
    assert found.to_frame()["p_positive"].iloc[0] == near[0].probability[1]
    assert bl.Result.from_json(found.to_json()) == found


def test_a_posterior_is_asked_at_its_mean_and_the_texts_are_read_once(folder: Path) -> None:
    space = bl.posterior.ReviewSpace.read(classifier(), folder)
    draws = np.random.default_rng(0).standard_normal((40, 50, DIM)) * 0.1
    draws[..., 1] += 1
    found = bl.posterior.nearest_reviews(
        classifier(), of_draws(draws, "negative"), space, distance="angular"
    )
    assert found.nearest[0][0].id == "train/neg/1_2.txt"
    assert "mean of the posterior of negative" in found.points[0]
    assert len(found.nearest[0]) == 4


@pytest.mark.parametrize(
    ("points", "more", "message"),
    [
        (np.zeros(3), {}, "4 dimensions"),
        (np.full(4, np.nan), {}, "not finite"),
        (np.zeros((0, 4)), {}, "do not fit"),
        (np.zeros(4), {"distance": "angular"}, "no direction"),
        (np.ones(4), {"distance": "far"}, "choose angular"),
        (np.ones(4), {"k": 0}, "at least 1 text"),
    ],
)
def test_points_that_do_not_fit_say_why(
    folder: Path, points: Any, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(QueryError, match=message):
        bl.posterior.nearest_reviews(classifier(), points, folder, **more)


def test_classifiers_that_read_no_texts_and_texts_without_known_words_are_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / "r.tsv").write_text("text\nxyz\n")
    with pytest.raises(QueryError, match="cannot map a text to a point"):
        bl.posterior.nearest_reviews(Logistic([1.0, 0, 0, 0]), np.ones(4), tmp_path)
    with pytest.raises(QueryError, match="knows no word of any text"):
        bl.posterior.nearest_reviews(classifier(), np.ones(4), tmp_path)
