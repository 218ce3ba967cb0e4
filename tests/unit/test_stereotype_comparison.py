"""Two models on the same sentences: differences of shares, and their bounds."""

from __future__ import annotations

import math

import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.sentences.pairs import SentencePair


def _pairs(number: int) -> list[SentencePair]:
    return [
        SentencePair(f"He did sum {i}.", f"She did sum {i}.", attribute=f"sum {i % 3}")
        for i in range(number)
    ]


def _score(rate: float, number: int, seed: int) -> bl.probes.sentences.StereotypeScore:
    return bl.stereotype_score(
        bl.observers.scorer(rate=rate, seed=seed), sentences=_pairs(number), keep=False
    )


@pytest.mark.parametrize("number", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_a_difference_of_shares_lies_within_what_shares_can_differ_by(
    number: int, seed: int
) -> None:
    found = _score(0.9, number, seed).compared_with(_score(0.2, number, seed + 100))
    low, high = found.interval.low, found.interval.high
    if abs(found.difference) == 1:  # every pair says the same: nothing tells how sure that is
        assert math.isnan(low)
        assert math.isnan(high)
        assert found.lean == 0
    else:
        assert -1 <= low <= found.difference <= high <= 1


def test_the_difference_is_that_of_the_shares_and_turns_round_with_the_models() -> None:
    one, two = _score(0.9, 120, 1), _score(0.3, 120, 2)
    found, back = one.compared_with(two), two.compared_with(one)
    assert found.n_pairs == 120
    assert found.difference == pytest.approx(one.share - two.share)
    assert found.lean == 1
    assert back.difference == pytest.approx(-found.difference)
    assert back.interval.low == pytest.approx(-found.interval.high, abs=1e-12)


def test_other_sentences_cannot_be_compared() -> None:
    with pytest.raises(QueryError, match="same sentences"):
        _score(0.9, 12, 1).compared_with(
            bl.stereotype_score(
                bl.observers.scorer(rate=0.5),
                sentences=[SentencePair("A man sang.", "A woman sang.")],
                keep=False,
            )
        )
