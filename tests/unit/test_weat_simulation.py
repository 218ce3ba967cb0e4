"""WEAT of drawn cosines: the ceiling, and what the truth does to the effect size."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.probes.association import PAPER_ROWS
from biaslab.records.result import Result


def test_draws_follow_the_truth() -> None:
    """Against cosines that are drawn, all of them."""
    means, sd, sizes = (0.1, 0.0, 0.02, 0.05), 0.1, (3, 4, 5, 6)
    found = bl.association.weat_simulation(means, sd, sizes, draws=40_000, rng=1)
    rng = np.random.default_rng(2)

    def mean_of(cosine: float, words: int, attributes: int) -> np.ndarray:
        return np.asarray(rng.normal(cosine, sd, (20_000, words, attributes)).mean(axis=2))

    x = mean_of(0.1, 3, 5) - mean_of(0.0, 3, 6)
    y = mean_of(0.02, 4, 5) - mean_of(0.05, 4, 6)
    drawn = (x.mean(axis=1) - y.mean(axis=1)) / np.hstack([x, y]).std(axis=1, ddof=1)
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    np.testing.assert_allclose(
        np.quantile(found.effect_size, levels), np.quantile(drawn, levels), atol=0.02
    )


def test_the_first_draw_is_the_one_shown() -> None:
    found = bl.association.weat_simulation((0.2, 0, 0, 0.2), 0.1, (3, 4, 5, 6), draws=1)
    values = found.example[:, :5].mean(axis=1) - found.example[:, 5:].mean(axis=1)
    expected = (values[:3].mean() - values[3:].mean()) / values.std(ddof=1)
    assert found.effect_size.tolist() == pytest.approx([expected])


def test_nothing_passes_the_ceiling_and_swapped_groups_flip() -> None:
    found = bl.association.weat_simulation((0.3, 0, 0, 0.3), 0.01)
    assert np.abs(found.effect_size).max() <= found.ceiling == bl.association.ceiling(2, 2)
    assert found.counts.sum() == 10_000
    assert found.edges[-1] == found.ceiling
    other = bl.association.weat_simulation((0, 0.3, 0.3, 0), 0.01)
    assert other.mean == pytest.approx(-found.mean, abs=0.01)


def test_the_papers_four_numbers_are_ordinary_in_its_own_program() -> None:
    for means, sd, printed in PAPER_ROWS:
        found = bl.association.weat_simulation(means, sd, first_words=True)
        assert found.interval.low < printed < found.interval.high
        assert np.abs(found.effect_size).max() <= found.ceiling == pytest.approx(6**0.5)
    assert "Only the first words" in found.summary()
    before = {**json.loads(found.to_json()), "schema": "weat-simulation/1"}
    del before["first_words"]
    assert Result.from_json(json.dumps(before)) == replace(found, first_words=False)


def test_small_spread_makes_large_effects_of_small_differences() -> None:
    small, large = (bl.association.weat_simulation((0.02, 0, 0, 0.02), sd) for sd in (0.01, 0.2))
    assert small.mean > 1.5 > 1 > large.mean > 0


def test_no_spread_at_all_is_told() -> None:
    found = bl.association.weat_simulation(sd=0)
    assert np.isnan(found.effect_size).all()
    assert "no spread to divide by" in found.headline
    assert np.isnan(found.interval.low)
    fixed = bl.association.weat_simulation((0.1, 0, 0, 0), sd=0)
    assert np.allclose(fixed.effect_size, fixed.ceiling)
    assert found == Result.from_json(found.to_json())


def test_the_summary_says_what_nothing_gives() -> None:
    text = bl.association.weat_simulation(ddof=0).summary()
    assert text.startswith("With no difference in means and σ = 0.05, 95 % of the effect sizes")
    assert "the ceiling is 2.00" in text
    assert "true ones end at 1" in bl.association.weat_simulation(sd=0.5).summary()
    assert len(bl.association.weat_simulation(draws=5).to_frame()) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"means": (0, 0, 0)}, "four mean cosines"),
        ({"means": (0, 0, 0, 2)}, "from -1 to 1"),
        ({"sd": -1}, "0 or more"),
        ({"sd": float("nan")}, "0 or more"),
        ({"sizes": (1, 2, 5, 5)}, "at least 2, 2, 1 and 1"),
        ({"draws": 0}, "use at least 1"),
        ({"ddof": 3}, "choose 1"),
        ({"level": 2}, "between 0 and 1"),
    ],
)
def test_bad_options_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bl.association.weat_simulation(**options)
