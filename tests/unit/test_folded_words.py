"""Vectors from changed counts: those of the changed row itself, and of the text without it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from biaslab.probes.trace import ppmi
from biaslab.probes.trace.block_counts import block_starts, count_blocks
from biaslab.probes.trace.corpus import excerpt, passages_with, read_lines
from biaslab.probes.trace.counted import PPMISettings
from biaslab.probes.trace.ppmi import Dimensions, dimensions_of, vectors_without
from biaslab.probes.trace.traced_word import FoldedWord
from harness.block_texts import counted_by_hand, encoded_lines, random_lines, resampled

WORDS, CONTEXTS, WINDOW = 25, 60, 4
SETTINGS = PPMISettings(vector_size=5, window=WINDOW, contexts=CONTEXTS, blocks=10)


@given(seed=st.integers(0, 1000))
def test_a_part_taken_away_gives_the_vector_of_the_rest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = rng.poisson(0.4, (6, 30))
    whole = parts.sum(axis=0) + rng.poisson(0.5, 30)
    fixed = Dimensions(
        rng.standard_normal((30, 4)),
        np.log(rng.dirichlet(np.ones(30))),
        np.empty((0, 4), np.float32),
    )
    folded = FoldedWord(whole.astype(float), fixed)
    # A negative count is added.
    changes = np.concatenate([parts, -parts])
    found = folded.without(sparse.csr_array(changes))
    for change, vector in zip(changes, found, strict=True):
        rest = whole - change
        expected = FoldedWord(rest.astype(float), fixed).vector if rest.any() else np.zeros(4)
        np.testing.assert_allclose(vector, expected, atol=1e-9)


def test_counts_of_a_word_are_those_by_hand(tmp_path: Path) -> None:
    lines = random_lines(np.random.default_rng(1), CONTEXTS)
    encoded = encoded_lines(tmp_path / "text", lines, WORDS)
    counts = count_blocks(encoded, CONTEXTS, WINDOW, 10)
    first = block_starts(encoded.read_lengths(), 10)
    by_hand = [
        counted_by_hand(lines[begin:end], WORDS, CONTEXTS, WINDOW) for begin, end in pairwise(first)
    ]
    for word in (0, 7, WORDS - 1):
        expected = np.array([matrix[word] for matrix in by_hand])
        np.testing.assert_array_equal(counts.of_word(word).toarray(), expected)
        passages = passages_with(encoded, [word])
        assert passages.lines.tolist() == [i for i, line in enumerate(lines) if word in line]
        for other in (word, 3):
            found = passages.counts_of(other, CONTEXTS, WINDOW).toarray()
            for line, row in zip(passages.lines, found, strict=True):
                whole = counted_by_hand([lines[line]], WORDS, CONTEXTS, WINDOW)
                np.testing.assert_array_equal(row, whole[other])


@pytest.mark.parametrize("what", ["passages", "blocks"])
def test_what_is_left_out_is_the_text_without_it(what: str, tmp_path: Path) -> None:
    lines = random_lines(np.random.default_rng(2), CONTEXTS)
    encoded = encoded_lines(tmp_path / "text", lines, WORDS)
    counts = count_blocks(encoded, CONTEXTS, WINDOW, 10)
    if what == "passages":
        removed = passages_with(encoded, [4]).chosen(np.array([5, 1]))
        rest = [line for i, line in enumerate(lines) if i not in removed.lines.tolist()]
        found = vectors_without(counts, SETTINGS, 1, removed)
    else:
        times = np.ones(10, int)
        times[[2, 6]] = 0
        rest = resampled(lines, times, block_starts(encoded.read_lengths(), 10))
        found = vectors_without(counts, SETTINGS, 1, np.array([2, 6]))
    matrix = counted_by_hand(rest, WORDS, CONTEXTS, WINDOW).astype(np.float32)
    ppmi.associate(matrix)
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    expected = left[:, :5] * values[:5] ** SETTINGS.power
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-3)


def test_the_dimensions_fold_every_word_to_its_vector(tmp_path: Path) -> None:
    encoded = encoded_lines(
        tmp_path / "text", random_lines(np.random.default_rng(3), CONTEXTS), WORDS
    )
    counts = count_blocks(encoded, CONTEXTS, WINDOW, 10)
    fixed = dimensions_of(counts, SETTINGS, 1)
    for word in range(WORDS):
        row = np.asarray(counts.of_word(word).sum(axis=0), float)
        np.testing.assert_allclose(FoldedWord(row, fixed).vector, fixed.vectors[word], atol=2e-3)
    again = dimensions_of(counts, SETTINGS, 1)
    np.testing.assert_array_equal(again.basis, fixed.basis)


def test_excerpts_show_the_word(tmp_path: Path) -> None:
    words = ["a"] * 50 + ["nurse"] + ["b"] * 50
    assert excerpt(words, ["clerk", "nurse"], 2) == "… a a nurse b b …"
    assert excerpt(["nurse", "b", "nurse", "c"], ["nurse", "b"], 2) == "nurse b nurse c"
    twice = ["nurse", *["b"] * 9, "nurse", "c"]
    assert excerpt(twice, ["nurse"], 1) == "nurse b … b nurse c"
    (tmp_path / "text").write_text("zero\none\ntwo three\n")
    assert read_lines(tmp_path / "text", np.array([2, 0])) == {0: ["zero"], 2: ["two", "three"]}
