"""The bigram model that language models have to beat: a probability model, and the right one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab_train.language_models.quality import Bigram, fit_bigram

BEGIN = 0


def _table(model: Bigram) -> np.ndarray:
    """P(w|v) as a dense table, row v."""
    return model.observed.toarray() + model.backoff[:, None] * model.lower


@given(st.lists(st.integers(0, 6), min_size=2, max_size=80))
def test_the_probabilities_after_every_token_sum_to_one(tokens: list[int]) -> None:
    table = _table(fit_bigram(np.array(tokens), 7, BEGIN))
    np.testing.assert_allclose(table.sum(1), 1, atol=1e-12)
    assert (table[:, 1:] > 0).all()


def test_probabilities_are_those_worked_out_by_hand() -> None:
    # Pairs: (1,2) three times, (2,1) twice, (1,3) once, (3,1) once. Two pairs of count 1 and one
    # of count 2: the discount is 2 / (2 + 2 * 1) = 1/2. 1 follows two tokens, 2 and 3 one each:
    # the lower order's discount is 2 / (2 + 2 * 1) = 1/2 as well, over four kinds of pairs.
    model = fit_bigram(np.array([1, 2, 1, 2, 1, 3, 1, 2]), 4, BEGIN)
    spared = 0.5 * 3 / 4
    lower = np.array([0, 1.5, 0.5, 0.5]) / 4 + spared * np.array([0, 1, 1, 1]) / 3
    np.testing.assert_allclose(model.lower, lower)
    left_over = 0.5 * 2 / 4
    table = _table(model)
    assert table[1, 2] == pytest.approx(2.5 / 4 + left_over * lower[2])
    assert table[1, 3] == pytest.approx(0.5 / 4 + left_over * lower[3])
    assert table[1, 1] == pytest.approx(left_over * lower[1])


def test_a_known_chain_is_recovered() -> None:
    rng = np.random.default_rng(3)
    chain = rng.dirichlet(np.full(5, 0.7), size=5)
    tokens = [1]
    for _ in range(40_000):
        tokens.append(int(rng.choice(5, p=chain[tokens[-1] - 1])) + 1)
    table = _table(fit_bigram(np.array(tokens), 6, BEGIN))[1:, 1:]
    visits = np.bincount(tokens, minlength=6)[1:, None]
    error = np.sqrt(chain * (1 - chain) / visits)
    assert (np.abs(table - chain) < 5 * error + 1 / visits).all()


def test_begin_is_never_predicted() -> None:
    table = _table(fit_bigram(np.array([0, 1, 2, 0, 1, 3, 0, 2, 3]), 4, BEGIN))
    assert (table[:, BEGIN] == 0).all()


def test_log_probabilities_are_those_of_the_table() -> None:
    tokens = np.random.default_rng(4).integers(1, 9, 500)
    model = fit_bigram(tokens, 9, BEGIN)
    expected = np.log(_table(model)[tokens[:-1], tokens[1:]])
    np.testing.assert_allclose(model.log_probability(tokens[:-1], tokens[1:]), expected)


def test_the_token_between_two_is_the_most_probable_one() -> None:
    tokens = np.random.default_rng(5).integers(1, 9, 400)
    model = fit_bigram(tokens, 9, BEGIN)
    table = _table(model)
    before, after = np.array([1, 2, 5, 8]), np.array([3, 2, 7, 1])
    expected = [(table[v] * table[:, u]).argmax() for v, u in zip(before, after, strict=True)]
    assert model.between(before, after).tolist() == expected
    without = model.between(before, after, excluded=expected)
    assert not set(without.tolist()) & {int(w) for w in expected}
