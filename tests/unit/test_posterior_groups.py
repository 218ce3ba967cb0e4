"""Which of two groups' names lies closer to a posterior."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import biaslab as bl
from biaslab.errors import ArgumentError, QueryError, SpecError
from biaslab.probes.posterior.word_distances import WordDistances
from biaslab.records.provenance import Provenance
from harness.posteriors import embedding, of_draws

Floats = NDArray[np.float64]


def table(values: Floats, batches: Floats | None = None) -> WordDistances:
    """Distances outright; batches of draws that all agree by default."""
    held = np.repeat(values[:, None], 32, axis=1) if batches is None else batches
    return WordDistances(
        label="positive",
        distance="angular",
        centre="origin",
        level=0.95,
        terms=tuple(f"w{i}" for i in range(len(values))),
        mean=held.mean(axis=1),
        mcse=held.std(axis=1, ddof=1) / np.sqrt(held.shape[1]),
        df=held.shape[1] - 1,
        draws=1000,
        used=1000,
        batches=held,
        weights=np.full(held.shape[1], 1 / held.shape[1]),
        provenance=Provenance(probe="posterior_distances", subject="simulated"),
    )


def groups(n_1: int, n_2: int) -> dict[str, list[str]]:
    return {
        "female": [f"w{i}" for i in range(n_1)],
        "male": [f"w{i}" for i in range(n_1, n_1 + n_2)],
    }


@given(
    seed=st.integers(0, 9999), n_1=st.integers(2, 6), n_2=st.integers(2, 6), gap=st.floats(-1, 1)
)
@settings(max_examples=40, deadline=None)
def test_swapped_groups_flip_the_sign_and_nothing_else(
    seed: int, n_1: int, n_2: int, gap: float
) -> None:
    values = np.random.default_rng(seed).normal(0.5, 0.01, n_1 + n_2)
    values[:n_1] += 0.02 * gap
    one = bl.posterior.groups(table(values), groups(n_1, n_2))
    two = bl.posterior.groups(table(values), groups(n_1, n_2), names=("male", "female"))
    assert two.difference == pytest.approx(-one.difference, abs=1e-15)
    assert (two.interval.low, two.interval.high) == pytest.approx(
        (-one.interval.high, -one.interval.low)
    )
    assert two.effect_size == pytest.approx(-one.effect_size)
    assert two.p == one.p
    assert two.closer == one.closer


@given(seed=st.integers(0, 9999))
@settings(max_examples=20, deadline=None)
def test_the_order_of_names_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = table(rng.normal(0.5, 0.01, 9))
    asked = groups(4, 5)
    mixed = {g: rng.permutation(held).tolist() for g, held in asked.items()}
    one, two = bl.posterior.groups(found, asked), bl.posterior.groups(found, mixed)
    assert two.difference == pytest.approx(one.difference)
    assert two.effect_size == pytest.approx(one.effect_size)
    assert two.p == one.p


def test_the_permutation_test_of_few_names_looks_at_every_split() -> None:
    values = np.random.default_rng(4).normal(0.5, 0.01, 9)
    values[:4] += 0.015
    found = bl.posterior.groups(table(values), groups(4, 5))
    splits = [list(s) for s in combinations(range(9), 4)]
    observed = values[:4].mean() - values[4:].mean()
    reached = sum(
        abs(values[s].mean() - np.delete(values, s).mean()) >= abs(observed) - 1e-12 for s in splits
    )
    assert found.test.exact
    assert found.p == pytest.approx(reached / len(splits))


def test_the_interval_of_the_effect_size_by_hand() -> None:
    values = np.array([0.1, 0.2, 0.3, 0.3, 0.4, 0.5])
    found = bl.posterior.groups(table(values), groups(3, 3))
    assert found.effect_size == pytest.approx(-2)
    # Its error is 1: the root of 6 / 9 + 2**2 / 12, after Hedges and Olkin (1985).
    ends = found.effect_size_interval
    assert (ends.low, ends.high) == pytest.approx((-2 - 1.959964, -2 + 1.959964))


def test_the_interval_over_names_covers_the_true_difference() -> None:
    rng, runs, covered = np.random.default_rng(11), 400, 0
    for _ in range(runs):
        values = np.concatenate([rng.normal(0.51, 0.004, 8), rng.normal(0.5, 0.012, 14)])
        # The draws move all names of a group together.
        common = rng.normal(0, 0.02, (2, 32))
        held = values[:, None] + np.repeat(common, (8, 14), axis=0)
        found = bl.posterior.groups(
            table(values, held), groups(8, 14), permutations=1, exact_up_to=0
        )
        covered += 0.01 in found.interval
    assert 0.92 < covered / runs < 0.98


def test_draws_that_move_names_together_widen_the_interval() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(0.5, 0.01, 12)
    quiet = bl.posterior.groups(table(values), groups(6, 6))
    common = rng.normal(0, 0.1, 32)
    moved = values[:, None] + np.where(np.arange(12)[:, None] < 6, common - common.mean(), 0.0)
    loud = bl.posterior.groups(table(values, moved), groups(6, 6))
    assert loud.difference == pytest.approx(quiet.difference)
    assert loud.interval.high - loud.interval.low > quiet.interval.high - quiet.interval.low
    assert quiet.monte_carlo.high - quiet.monte_carlo.low == pytest.approx(0, abs=1e-12)


def test_the_closer_group_is_named() -> None:
    words = embedding(dim=8)
    towards = words.vectors(["w0", "w1", "w2", "w3"])[0].mean(axis=0)
    draws = 3 * towards + np.random.default_rng(1).standard_normal((40, 50, 8))
    asked = {"near": ["w0", "w1", "w2", "w3"], "far": [f"w{i}" for i in range(4, 40)]}
    found = bl.posterior.groups(of_draws(draws), asked, words=words)
    assert found.closer == "near"
    assert found.difference < 0
    assert found.headline.startswith("Near names lie closer to “positive” than far names")
    assert found.interval.kind == "names"
    assert bl.Result.from_json(found.to_json()) == found
    assert found.to_frame()["term"].tolist()[:3] == ["", "", ""]
    assert list(found.figure().left[0].major_label_overrides.values()) == ["near, 4", "far, 36"]


def test_a_group_that_is_called_names_is_not_called_so_twice() -> None:
    words = embedding(dim=8)
    towards = words.vectors(["w0", "w1", "w2", "w3"])[0].mean(axis=0)
    draws = 3 * towards + np.random.default_rng(1).standard_normal((40, 50, 8))
    asked = {"female names": ["w0", "w1", "w2", "w3"], "Names": [f"w{i}" for i in range(4, 40)]}
    found = bl.posterior.groups(of_draws(draws), asked, words=words)
    assert found.headline.startswith("Female names lie closer to “positive” than Names, by ")


def test_names_of_both_groups_and_unknown_ones_are_dropped_and_told() -> None:
    asked = {"a": ["w1", "w2", "w3", "nobody"], "b": ["w3", "w4", "w5"]}
    draws = np.random.default_rng(1).standard_normal((8, 50, 6))
    found = bl.posterior.groups(of_draws(draws), asked, words=embedding())
    assert {d.term: d.reason for d in found.dropped} == {
        "w3": "is in both groups",
        "nobody": "not in the vocabulary",
    }
    assert [g.terms for g in found.groups] == [("w1", "w2"), ("w4", "w5")]
    assert "nobody" in found.summary()


def test_a_table_and_the_draws_give_the_same() -> None:
    draws = of_draws(np.random.default_rng(1).standard_normal((8, 50, 6)))
    asked = {"a": ["w1", "w2"], "b": ["w4", "w5"]}
    measured = bl.posterior.distances(draws, embedding())
    one = bl.posterior.groups(draws, asked, words=embedding())
    two = bl.posterior.groups(measured, asked)
    assert one.difference == pytest.approx(two.difference, abs=1e-12)
    assert one.interval.low == pytest.approx(two.interval.low, abs=1e-12)


def test_one_name_has_no_spread_and_says_so() -> None:
    found = bl.posterior.groups(table(np.array([0.4, 0.5, 0.6])), groups(1, 2))
    assert np.isnan(found.effect_size)
    assert "one known name" in found.reason
    assert found.reason in found.summary()
    assert not found.excludes_null


@pytest.mark.parametrize(
    ("asked", "more", "message"),
    [
        ({"a": ["w0"]}, {}, "Two groups"),
        ({"a": ["w0"], "b": ["w1"]}, {"names": ("a", "c")}, "Two groups"),
        ({"a": ["w0"], "b": ["nobody"]}, {}, "No name of the group 'b'"),
    ],
)
def test_what_cannot_be_compared_says_what_to_do(
    asked: Any, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(QueryError, match=message):
        bl.posterior.groups(table(np.array([0.4, 0.5, 0.6])), asked, **more)


def test_a_group_that_is_text_is_no_list() -> None:
    with pytest.raises(ArgumentError, match=r"groups\['a'\] is a single string: pass a list"):
        bl.posterior.groups(table(np.array([0.4, 0.5, 0.6])), {"a": "w0", "b": ["w1"]})


def test_draws_without_words_and_unknown_specs_are_refused() -> None:
    draws = of_draws(np.random.default_rng(1).standard_normal((8, 50, 6)))
    with pytest.raises(QueryError, match="pass words="):
        bl.posterior.groups(draws, {"a": ["w0"], "b": ["w1"]})
    with pytest.raises(SpecError):
        bl.posterior.groups(draws, "no-such-spec", words=embedding())
    big = table(np.linspace(0.4, 0.6, 6), np.zeros((6, 32)))
    without = WordDistances(**{**big.__dict__, "batches": np.zeros((6, 0))})
    with pytest.raises(QueryError, match="Pass the posterior itself"):
        bl.posterior.groups(without, groups(3, 3))
