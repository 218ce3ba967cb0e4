"""Counts of blocks: any weighted sum of them is the counts of the resampled text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biaslab.probes.trace.block_counts import block_starts, count_blocks
from harness.block_texts import counted_by_hand, encoded_lines, random_lines, resampled


@pytest.mark.parametrize("memory", [1e3, 1e5, 1e9])
def test_weighted_blocks_are_the_counts_of_the_resampled_text(
    memory: float, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    lines = random_lines(rng, contexts=90)
    encoded = encoded_lines(tmp_path / "text", lines, words=30)
    counted = count_blocks(encoded, 90, 5, 16, memory)
    times = rng.poisson(1.0, counted.blocks)
    first = block_starts(encoded.read_lengths(), 16)
    expected = counted_by_hand(resampled(lines, times, first), 30, 90, 5)
    found = counted.weighted(times, tmp_path / "matrix", memory)
    np.testing.assert_array_equal(found, expected)


def test_a_text_is_counted_once(tmp_path: Path) -> None:
    encoded = encoded_lines(tmp_path / "text", random_lines(np.random.default_rng(2), 40), words=20)
    first = count_blocks(encoded, 40, 3, 8)
    encoded.ids.write_bytes(b"")
    again = count_blocks(encoded, 40, 3, 8)
    np.testing.assert_array_equal(again.starts, first.starts)
    np.testing.assert_array_equal(again.block, first.block)


@settings(deadline=None)
@given(lengths=st.lists(st.integers(0, 50), max_size=60), blocks=st.integers(1, 70))
def test_blocks_are_stretches_of_all_lines(lengths: list[int], blocks: int) -> None:
    first = block_starts(np.array(lengths, np.int32), blocks)
    assert first[0] == 0
    assert first[-1] == len(lengths)
    assert (np.diff(first) > 0).all()
    assert len(first) - 1 <= max(blocks, 1)
    sizes = np.add.reduceat(lengths, first[:-1]) if lengths else np.array([0])
    assert sizes.max() <= sum(lengths) / blocks + max(lengths, default=0)
