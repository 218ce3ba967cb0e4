"""Normal numbers that are kept are those of a fresh generator, in any order of asking."""

from __future__ import annotations

import numpy as np
import pytest

from biaslab.stats.reproducibility import MOST_KEPT, normals


@pytest.mark.parametrize("sizes", [(10, 10), (10, 500), (500, 10), (5, MOST_KEPT + 1), (1, 2, 3)])
def test_numbers_are_the_first_of_their_seed(sizes: tuple[int, ...]) -> None:
    seed = (7, *sizes)
    for n in sizes:
        np.testing.assert_array_equal(normals(seed, n), np.random.default_rng(seed).normal(size=n))


def test_numbers_that_are_kept_cannot_be_written_to() -> None:
    assert not normals((3, 1), 20).flags.writeable


def test_an_edit_that_needs_a_few_more_does_not_draw_again() -> None:
    first = normals((3, 2), 800)
    assert np.shares_memory(first, normals((3, 2), 880))
