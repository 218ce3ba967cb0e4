"""One model opened in two ways: the shift is paired, and named after how it was opened."""

from __future__ import annotations

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import ArgumentError
from biaslab.probes.comparison import compare_loadings

ITEMS, PAIR = ["nurse", "engineer"], [("she", "he")]


def test_half_precision_shifts_a_pse_by_little_and_says_by_how_much() -> None:
    shift = compare_loadings(
        "wiki-mlm", bl.two_afc, ITEMS, PAIR, second={"dtype": "bfloat16"}, observers=3, levels=7
    )
    assert shift.names == ("wiki-mlm", "wiki-mlm, dtype=bfloat16")
    assert shift.paired
    assert shift.labels == tuple(ITEMS)
    assert 0 < np.abs(shift.change).max() < 0.05
    full = bl.two_afc(bl.load("wiki-mlm"), ITEMS, PAIR, observers=3, levels=7)
    np.testing.assert_allclose(shift.values[:, 0], full.pooled.pse, atol=1e-6)


def test_the_ways_swapped_turn_the_change_round() -> None:
    ways = {"dtype": "float32"}, {"dtype": "bfloat16"}
    there, back = (
        compare_loadings(
            "wiki-clm", bl.two_afc, ITEMS, PAIR, first=a, second=b, observers=2, levels=7
        )
        for a, b in (ways, ways[::-1])
    )
    np.testing.assert_allclose(there.change, -back.change, atol=1e-9)


def test_two_equal_ways_are_refused_before_anything_is_opened() -> None:
    with pytest.raises(ArgumentError, match="two different ways"):
        compare_loadings("no such model", bl.two_afc, ITEMS, PAIR, second={})
