"""What is left of a bias after debiasing: truths that are known, and both methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError

PAIRS = [("she", "he"), ("woman", "man"), ("her", "him")]


def planted(kept: float, seed: int = 1, classes: int = 2) -> Any:
    """Words whose lean along the first axes also shows in five others, `kept` times as much."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((600, 24))
    vectors[:, 4:9] += kept * vectors[:, :1]
    vectors[:, 9:14] += kept * vectors[:, 1:2]
    letters = "abcdefghijklmnopqrstuvwxyz"
    made = {
        f"w{letters[i // 676]}{letters[i // 26 % 26]}{letters[i % 26]}": v
        for i, v in enumerate(vectors)
    }
    corners = np.array([[1, 0], [-1, 0]] if classes == 2 else [[1, 0], [-0.5, 0.9], [-0.5, -0.9]])
    for words in PAIRS if classes == 2 else [("a1", "b1", "c1"), ("a2", "b2", "c2")]:
        own = rng.standard_normal(24)
        for word, corner in zip(words, corners, strict=True):
            made[word] = own.copy()
            made[word][:2] = 3 * corner
    return bl.load(made, name="planted")


@pytest.mark.parametrize("method", ["hard", "soft"])
def test_a_bias_in_the_removed_direction_alone_is_gone_and_one_in_others_is_found(
    method: Any,
) -> None:
    for kept, is_left in ((0.0, False), (1.0, True)):
        # A large penalty, so that the soft method removes the direction as well.
        fair = bl.debias(planted(kept), defining=PAIRS, method=method, penalty=1e4)
        r = bl.association.residual(fair, words=140, neighbours=30)
        now = r.row("classifier")
        assert now.above_chance is is_left
        assert r.row("classifier", "before").value > 0.95
        assert r.row("classifier", "random direction").value > 0.9
        assert now.chance == pytest.approx(0.5, abs=0.02)
        assert ("not clear" in r.headline) is not is_left
        if is_left:
            assert r.row("clusters").above_chance
            assert r.row("neighbours").intervals[0].low > 0.2
        else:
            assert abs(now.value - 0.5) < 0.1
            assert r.row("neighbours").value == pytest.approx(0, abs=0.2)


def test_three_classes_and_a_parent_that_is_given() -> None:
    before = planted(1.0, classes=3)
    sets = [("a1", "b1", "c1"), ("a2", "b2", "c2")]
    fair = bl.debias(before, defining=sets)
    r = bl.association.residual(fair, words=80, neighbours=30)
    assert r.classes == ("a1", "b1", "c1")
    assert r.row("classifier").chance == pytest.approx(1 / 3, abs=0.03)
    assert r.row("classifier").above_chance
    copy = bl.load(dict(zip(fair._words_by_row, fair.vectors(fair._words_by_row)[0], strict=True)))
    with pytest.raises(QueryError, match="before="):
        bl.association.residual(copy)
    again = bl.association.residual(copy, before, defining=sets, words=80, neighbours=30)
    assert again.row("classifier").value == pytest.approx(r.row("classifier").value, abs=0.02)
