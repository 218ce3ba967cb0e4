"""Crossed cues: pooled intervals cover, where K independent pairs would not."""

from __future__ import annotations

import numpy as np
import pytest

import biaslab as bl
from benchmarks.occupations_coverage import crossed_shares
from biaslab.stats.crossed.effects import crossing_of, mean_squares, satterthwaite

pytestmark = pytest.mark.numeric


def _pairs(n1: int, n2: int) -> list[tuple[str, str]]:
    return [(f"a{i}", f"c{j}") for i in range(n1) for j in range(n2)]


@pytest.mark.parametrize("replicates", [1, 32])
@pytest.mark.parametrize(("n1", "n2", "missing"), [(8, 8, 0), (4, 4, 0), (8, 3, 0), (8, 8, 4)])
def test_intervals_over_crossed_cues_cover(n1: int, n2: int, missing: int, replicates: int) -> None:
    """Nominal 95 %; 1,500 words, so that chance moves a share by 0.6 points (SD)."""
    (pse, jnd), _ = crossed_shares(n1, n2, missing, replicates, 1500)
    assert 0.925 <= pse <= 0.985
    assert 0.89 <= jnd <= 0.98


def test_taking_crossed_pairs_as_independent_would_be_far_too_sure() -> None:
    _, (pse, _) = crossed_shares(8, 8, 0, 1, 1500)
    assert pse < 0.65


def test_mean_squares_are_those_of_a_table_by_hand() -> None:
    """2 x 2: rows 1, 3 and 2, 8: SS 9 for rows, 16 for columns, 4 for the interaction."""
    crossing = crossing_of(_pairs(2, 2))
    assert crossing is not None
    found = mean_squares(np.array([[1.0, 3.0, 2.0, 8.0]]), crossing)
    assert float(found.rows[0]) == pytest.approx(9)
    assert float(found.columns[0]) == pytest.approx(16)
    assert float(found.interaction[0]) == pytest.approx(4)


def test_a_missing_cell_of_an_additive_table_is_filled_without_a_trace() -> None:
    rows, columns = np.array([0.1, 0.4, 0.2]), np.array([0.0, 0.3, 0.9])
    table = rows[:, None] + columns
    keep = [1, 2, 3, 4, 5, 6, 7, 8]
    whole, part = crossing_of(_pairs(3, 3)), crossing_of([_pairs(3, 3)[i] for i in keep])
    assert whole is not None
    assert part is not None
    assert part.missing == 1
    assert part.df_interaction == whole.df_interaction - 1
    reference = mean_squares(table.reshape(1, -1), whole)
    # Rows and columns are numbered by first appearance, which changes no mean square.
    found = mean_squares(table.reshape(1, -1)[:, keep], part)
    np.testing.assert_allclose(found.rows, reference.rows)
    np.testing.assert_allclose(found.columns, reference.columns)
    np.testing.assert_allclose(found.interaction, 0, atol=1e-20)


def test_which_pairs_form_a_crossing() -> None:
    assert crossing_of(_pairs(3, 4)) is not None
    matched = [(f"a{i}", f"c{i}") for i in range(8)]
    assert crossing_of(matched) is None
    assert crossing_of(_pairs(1, 5)) is None
    assert crossing_of([*_pairs(2, 2), ("a0", "c0")]) is None


def test_the_probe_sees_the_crossing_in_its_pairs() -> None:
    rng = np.random.default_rng(2)
    words = ["a0", "a1", "a2", "c0", "c1", "c2", "nurse"]
    subject = bl.EmbeddingEnsemble(words, rng.standard_normal((4, 7, 20)).astype(np.float32))
    every = bl.two_afc(subject, ["nurse"], _pairs(3, 3))
    assert every.crossing is not None
    matched = bl.two_afc(subject, ["nurse"], [("a0", "c0"), ("a1", "c1")])
    assert matched.crossing is None
    assert "share a cue" not in matched.caveat("nurse") + every.caveat("nurse")
    fan = bl.two_afc(subject, ["nurse"], [("a0", "c0"), ("a0", "c1"), ("a0", "c2")])
    assert fan.crossing is None
    assert "share a cue" in fan.caveat("nurse")
    shuffled = bl.two_afc(subject, ["nurse"], [_pairs(3, 3)[i] for i in rng.permutation(9)])
    np.testing.assert_allclose(shuffled.pooled.corpus, every.pooled.corpus, atol=1e-5)


def test_equal_mean_squares_are_equal_in_any_unit() -> None:
    # Rows vary exactly as much as the interaction does: what is left for them is rounding.
    table = np.array([1.0, 0, 0, 0])
    crossing = crossing_of(_pairs(2, 2))
    assert crossing is not None
    for unit in np.linspace(0.1, 3, 30):
        parts = mean_squares(unit * table[None], crossing).of_mean(np.full(4, 0.25))
        of_rows, of_columns, of_cells = (float(np.squeeze(part)) for part, _ in parts)
        assert (of_rows, of_columns) == (0, 0)
        assert of_cells == pytest.approx(unit**2 / 16)


def test_a_single_variance_keeps_its_degrees_of_freedom() -> None:
    variance = np.array([0.3, 1e-200, 0.0, np.nan])
    np.testing.assert_array_equal(satterthwaite([(variance, 7.0)]), [7, 7, np.nan, np.nan])
    nothing = np.zeros(4)
    both = satterthwaite([(variance, 7.0), (nothing, 3.0)])
    np.testing.assert_allclose(both[[0, 2]], [7, np.nan])
