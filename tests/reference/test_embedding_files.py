"""The readers on real files, against a plain reading with numpy and csv."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from biaslab.subjects import load

PAIRS = [("she", "he"), ("woman", "man"), ("nurse", "doctor"), ("family", "career"),
         ("brother", "sister"), ("mother", "father")]  # fmt: skip


def plain(path: Path) -> dict[str, NDArray[np.float64]]:
    """Words and vectors without any code of the project."""
    if path.suffix == ".npz":
        with np.load(path) as archive:
            rows = zip(archive["words"].tolist(), archive["vectors"], strict=True)
            return {word: row.astype(np.float64) for word, row in rows}
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter=" ", quoting=csv.QUOTE_NONE))
    start = 1 if len(lines[0]) == 2 else 0
    return {line[0]: np.array([float(x) for x in line[1:] if x]) for line in lines[start:]}


@pytest.mark.parametrize(
    ("name", "size"), [("googlenews_8000x300.npz", 8000), ("googlenews-weat-347x300.txt", 347)]
)
def test_real_files(name: str, size: int, shared_data: Path) -> None:
    path = shared_data / "embeddings" / name
    expected = plain(path)
    embedding = load(path, letter_case="exact")
    assert (len(embedding), embedding.dim) == (size, 300)
    assert list(embedding.words) == list(expected)
    assert embedding.notes == ()
    np.testing.assert_allclose(
        embedding.vectors(list(expected))[0], np.stack(list(expected.values())), rtol=1e-6
    )
    compared = 0
    for a, b in PAIRS:
        if a not in expected or b not in expected:
            continue
        compared += 1
        x, y = embedding.vectors([a, b])[0]
        cosine = x @ y / np.linalg.norm(x) / np.linalg.norm(y)
        u, v = expected[a], expected[b]
        assert cosine == pytest.approx(u @ v / np.linalg.norm(u) / np.linalg.norm(v), abs=1e-6)
    assert compared >= 3


def test_the_two_files_agree_where_they_overlap(shared_data: Path) -> None:
    """Both come from the same vectors, one rounded to decimals."""
    folder = shared_data / "embeddings"
    big = load(folder / "googlenews_8000x300.npz", letter_case="exact")
    small = load(folder / "googlenews-weat-347x300.txt", letter_case="exact")
    common = list(big.resolve(list(small.words)).known)
    assert len(common) > 100
    a, b = (subject.vectors(common)[0].astype(np.float64) for subject in (big, small))
    cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert cosines.min() > 0.999


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 1e-3), ("int8", 0.01)])
def test_smaller_types_keep_real_cosines(dtype: str, tolerance: float, shared_data: Path) -> None:
    path = shared_data / "embeddings" / "googlenews_8000x300.npz"
    words = list(load(path).words)[:1000]

    def cosines(kind: str | None) -> NDArray[np.float32]:
        rows = load(path, dtype=kind).vectors(words)[0]
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows @ rows.T)

    assert np.abs(cosines(dtype) - cosines(None)).max() < tolerance
