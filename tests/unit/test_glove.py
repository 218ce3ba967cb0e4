"""GloVe: exact counts under any memory, its loss and gradients, and what it learns."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.errors import TrainingError
from biaslab.probes.trace.corpus import PreparedCorpus, encode
from biaslab_train.embeddings import glove
from biaslab_train.embeddings.cooccurrence import Cooccurrences, Tiles, count
from biaslab_train.embeddings.corpus import prepare
from biaslab_train.embeddings.glove import GloVeSettings
from harness.corpora import encoded_corpus, train
from harness.heavy import torch
from harness.needs import needs

pytestmark = needs("torch", "gensim")


SETTINGS = GloVeSettings(vector_size=8, window=4, epochs=3)


def _prepared(tmp_path: Path, text: str) -> PreparedCorpus:
    (tmp_path / "text.txt").write_text(text)
    return prepare(tmp_path / "text.txt", tmp_path / "work")


def _matrix(found: Cooccurrences) -> np.ndarray:
    """The whole symmetric matrix, by rank."""
    rows, columns = found.tiles.ranks(np.fromfile(found.cells, np.int64))
    values = np.fromfile(found.counts, np.float32)
    matrix = np.zeros((found.tiles.words,) * 2)
    matrix[rows, columns] = values
    matrix[columns, rows] = values
    return matrix


def _by_hand(lines: list[list[int]], repeats: np.ndarray, window: int, words: int) -> np.ndarray:
    matrix: dict[tuple[int, int], float] = defaultdict(float)
    for line, times in zip(lines, repeats, strict=True):
        for i, one in enumerate(line):
            for j in range(max(0, i - window), i):
                matrix[one, line[j]] += times / (i - j)
                matrix[line[j], one] += times / (i - j)
    out = np.zeros((words, words))
    for cell, value in matrix.items():
        out[cell] = value
    return out


@pytest.mark.parametrize("memory", [1e4, 3e5, 1e9])
def test_counts_are_those_of_a_loop_whatever_the_memory(memory: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    words = 1_300  # several blocks, so several tiles
    lines = [(words * rng.random(n) ** 3).astype(int).tolist() for n in rng.integers(0, 60, 200)]
    repeats = rng.poisson(1, len(lines)).astype(np.uint8)
    found = count(encoded_corpus(tmp_path, lines, words), repeats, 6, tmp_path, memory)
    expected = _by_hand(lines, repeats, 6, words)
    np.testing.assert_allclose(_matrix(found), expected, rtol=1e-6)
    np.testing.assert_allclose(found.margins, expected.sum(axis=1), rtol=1e-6)
    cells = np.fromfile(found.cells, np.int64)
    assert (np.diff(cells) > 0).all()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"ids", "lengths", "order", "cells.bin", "counts.bin"}


def test_the_same_bytes_come_out_whatever_the_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    lines = [rng.integers(0, 50, 30).tolist() for _ in range(300)]
    outcomes = set()
    for memory in (1e4, 2e5, 1e9):
        folder = tmp_path / str(memory)
        folder.mkdir()
        found = count(encoded_corpus(folder, lines, 50), np.ones(300, np.uint8), 7, folder, memory)
        outcomes.add((found.cells.read_bytes(), found.counts.read_bytes()))
    assert len(outcomes) == 1


def test_repeats_count_as_if_the_lines_stood_there_again(tmp_path: Path) -> None:
    lines = [[0, 1, 2, 1], [2, 2, 0], [1]]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    weighted = count(
        encoded_corpus(tmp_path / "a", lines, 3), np.array([2, 0, 3], np.uint8), 3, tmp_path / "a"
    )
    copied = [lines[0], lines[0], lines[2], lines[2], lines[2]]
    there = encoded_corpus(tmp_path / "b", copied, 3)
    again = count(there, np.ones(5, np.uint8), 3, tmp_path / "b")
    np.testing.assert_array_equal(_matrix(weighted), _matrix(again))


def test_words_outside_the_vocabulary_are_passed_over(tmp_path: Path) -> None:
    corpus = _prepared(tmp_path, "A rare nurse. Nurse a!\nUnknown words only\na a nurse\n")
    encoded = encode(corpus, ["nurse", "a"], tmp_path / "work")
    assert encoded.read_order().tolist() == [1, 0]  # "a" is more frequent
    assert np.fromfile(encoded.ids, np.int32).tolist() == [0, 1, 1, 0, 0, 0, 1]
    assert encoded.read_lengths().tolist() == [4, 0, 3]
    other = encode(corpus, ["rare", "a"], tmp_path / "work")
    assert other.ids != encoded.ids


@given(words=st.integers(1, 60_000), seed=st.integers(0, 2**31))
def test_cells_are_numbered_tile_by_tile_and_back(words: int, seed: int) -> None:
    tiles = Tiles(words)
    pair = np.sort(np.random.default_rng(seed).integers(0, words, (2, 50)), axis=0)
    cells = tiles.row_part[pair[0]] + tiles.column_part[pair[1]]
    np.testing.assert_array_equal(tiles.ranks(cells), pair)
    assert np.diff(tiles.bounds).max() <= 8192
    starts = tiles.starts(np.sort(cells))
    assert starts[0] == 0
    assert starts[-1] == 50
    blocks = np.searchsorted(tiles.bounds, tiles.ranks(np.sort(cells)), side="right") - 1
    of_tile = np.repeat(np.array(tiles.pairs()), np.diff(starts), axis=0)
    np.testing.assert_array_equal(blocks.T, of_tile)


def test_dense_and_sparse_tiles_have_the_gradients_of_the_papers_loss() -> None:
    generator = torch.Generator().manual_seed(1)
    w = torch.randn(7, 5, generator=generator, dtype=torch.float64, requires_grad=True)
    c = torch.randn(9, 5, generator=generator, dtype=torch.float64, requires_grad=True)
    row, column = torch.tensor([0, 0, 3, 6, 6]), torch.tensor([1, 8, 3, 0, 8])
    logs = torch.randn(5, generator=generator, dtype=torch.float64)
    weights = torch.rand(5, generator=generator, dtype=torch.float64)
    loss = (weights * ((w[row] * c[column]).sum(1) - logs) ** 2).sum()
    loss.backward()
    loss = loss.detach()
    for kind in (glove._DenseTile, glove._SparseTile):
        tile = kind((7, 9), row, column, logs, weights)
        for there, (one, two) in ((tile, (w, c)), (tile.opposite(), (c, w))):
            found, by_one, by_two = there.gradients(one.detach(), two.detach())
            assert found == pytest.approx(float(loss))
            torch.testing.assert_close(2 * by_one, one.grad)
            torch.testing.assert_close(2 * by_two, two.grad)


def test_counts_that_two_dimensions_can_express_are_predicted(tmp_path: Path) -> None:
    """The logarithms are exactly w·w~ + b + b~ with two dimensions."""
    rng = np.random.default_rng(4)
    words = 60
    factor = rng.standard_normal((words, 2))
    logs = factor @ factor.T + rng.standard_normal(words)[:, None]
    logs = (logs + logs.T) / 2 + 3
    tiles = Tiles(words)
    rows, columns = np.triu_indices(words)
    cells = tiles.row_part[rows] + tiles.column_part[columns]
    order = np.argsort(cells)
    counts = np.exp(logs)[rows, columns].astype(np.float32)
    cells[order].tofile(tmp_path / "cells")
    counts[order].tofile(tmp_path / "counts")
    margins = np.exp(logs).sum(axis=1)
    found = Cooccurrences(tiles, tmp_path / "cells", tmp_path / "counts", margins)
    settings = GloVeSettings(vector_size=2, window=1, x_max=1.0)
    cpu = torch.device("cpu")
    torch.set_num_threads(1)
    model = glove._Model(found, settings, np.random.default_rng(1), cpu)
    tile = glove._TileReader(found, cpu).read(0)
    losses = [model.step(*tile) for _ in range(2_000)]
    predicted = (model.tables[0] @ model.tables[1].T).numpy()
    assert losses[-1] < 1e-3 * losses[0]
    np.testing.assert_allclose(predicted, logs, atol=0.1)


@pytest.mark.parametrize("share", [0.0, 2.0])
def test_dense_and_sparse_arithmetic_learn_the_same(
    share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    lines = [rng.integers(0, 40, 20).tolist() for _ in range(100)]
    found = count(encoded_corpus(tmp_path, lines, 40), np.ones(100, np.uint8), 3, tmp_path)
    usual = glove.fit(found, SETTINGS, (1, 0))
    monkeypatch.setattr(glove, "DENSE_FROM", share)
    np.testing.assert_allclose(glove.fit(found, SETTINGS, (1, 0)), usual, atol=1e-4)


@pytest.mark.parametrize(
    "wrong", [{"window": 0}, {"window": 21}, {"epochs": 0}, {"x_max": 0.0}, {"learning_rate": -1.0}]
)
def test_settings_out_of_range_are_told(wrong: dict[str, float]) -> None:
    with pytest.raises(TrainingError, match=next(iter(wrong))):
        GloVeSettings(**wrong)  # type: ignore[arg-type]


def test_divergence_is_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    lines = [rng.integers(0, 40, 20).tolist() for _ in range(100)]
    found = count(encoded_corpus(tmp_path, lines, 40), np.ones(100, np.uint8), 3, tmp_path)
    with pytest.raises(TrainingError, match="--learning-rate"):
        glove.fit(found, GloVeSettings(vector_size=8, epochs=30, learning_rate=1e20), (1, 0))


def test_a_device_that_is_not_there_is_told_before_anything_is_read(tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    for device in ("cuda", "warp-drive"):
        with pytest.raises(TrainingError, match="--device cpu"):
            train(tmp_path / "none.txt", tmp_path / "out", settings=SETTINGS, device=device)
    with pytest.raises(TrainingError, match="leave out --device"):
        train(tmp_path / "none.txt", tmp_path / "out", device="cuda")


def test_a_gpu_learns_what_a_cpu_learns(tmp_path: Path) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no GPU here")
    rng = np.random.default_rng(5)
    lines = [rng.integers(0, 40, 20).tolist() for _ in range(100)]
    found = count(encoded_corpus(tmp_path, lines, 40), np.ones(100, np.uint8), 3, tmp_path)
    here, there = (glove.fit(found, SETTINGS, (1, 0), device) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(there, here, atol=1e-3)
