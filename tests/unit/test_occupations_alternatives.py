"""Several alternatives: pairwise contrasts, their ranking, and circles."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import biaslab as bl

GROUPS = {"a": ["a0"], "b": ["b0"], "c": ["c0"]}


def _subject(seed: int, replicates: int = 8) -> bl.EmbeddingEnsemble:
    rng = np.random.default_rng(seed)
    words = ["x", "y", "z", *(f"{g}{i}" for g in "abc" for i in range(2))]
    vectors = rng.standard_normal((replicates, len(words), 10))
    return bl.EmbeddingEnsemble(words, vectors.astype(np.float32))


def test_contrasts_come_in_order_and_speak_of_their_groups() -> None:
    result = bl.occupations(_subject(0), ["x", "y", "z"], GROUPS)
    assert result.combinations == ((0, 1), (0, 2), (1, 2))
    assert [result.of_contrast(i) for i in range(3)] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [c.pairs[0] for c in result.contrasts] == [("a0", "b0"), ("a0", "c0"), ("b0", "c0")]
    reference = bl.two_afc(_subject(0), ["x", "y", "z"], [("a0", "c0")])
    np.testing.assert_allclose(result.contrasts[1].pse, reference.pse, atol=1e-5)
    assert len(result.to_frame()) == 9


@given(st.integers(0, 300), st.sampled_from(["matched", "sets"]))
def test_with_one_cue_per_group_no_circle_is_possible(seed: int, pairing: Any) -> None:
    found = bl.occupations(_subject(seed), ["x", "y", "z"], GROUPS, pairing=pairing).ranking()
    np.testing.assert_allclose(found.circular, 0, atol=1e-12)
    np.testing.assert_allclose(found.first.sum(axis=1), 1)


def test_the_first_is_the_nearest_cue_of_each_replicate() -> None:
    subject = _subject(3)
    result = bl.occupations(subject, ["x", "y", "z"], GROUPS)
    assert result.cosines is not None
    nearest = result.cosines.words.argmax(axis=2)
    shares = np.stack([(nearest == g).mean(axis=0) for g in range(3)], axis=1)
    found = result.ranking()
    np.testing.assert_allclose(found.first, shares)
    assert (found.observers, found.over) == (8, "replicates")


def test_circles_are_counted() -> None:
    """A black box for which a beats b, b beats c and c beats a."""
    beats = {("a0", "b0"): 0.8, ("a0", "c0"): 0.2, ("b0", "c0"): 0.8}

    def respond(
        item: object, one: NDArray[Any], two: NDArray[Any], alpha: Any, observer: Any
    ) -> Any:
        pse = np.vectorize(lambda a, z: beats[a, z])(one, two)
        return np.broadcast_arrays((alpha >= pse).astype(float), np.asarray(observer))[0]

    result = bl.occupations(respond, ["x"], GROUPS, observers=2)
    found = result.ranking()
    np.testing.assert_allclose(found.circular, 1)
    assert "in a circle" in result.summary()
    assert result.scale().misfit[0] > 0.4


def test_one_embedding_is_ranked_over_its_matched_pairs() -> None:
    groups = {g: [f"{g}0", f"{g}1"] for g in "abc"}
    found = bl.occupations(_subject(1).replicate(0), ["x", "y"], groups).ranking()
    assert (found.observers, found.over) == (2, "cue pairs")
    assert set(found.order("x")) == {"a", "b", "c"}
    assert found.order("x")[0] == found.groups[int(found.wins[0].argmax())]


def test_one_scale_recovers_planted_shares_of_choices() -> None:
    """Observers that choose between two groups by Luce's rule at the even blend."""
    shares = {"a0": 0.5, "b0": 0.3, "c0": 0.2}

    def respond(item: object, one: NDArray[Any], two: NDArray[Any], alpha: Any, b: Any) -> Any:
        logit = np.vectorize(lambda a, z: np.log(shares[a] / shares[z]))(one, two)
        chance = np.random.default_rng(5).random((200, 1, 1, 1))
        switch = 0.5 + 0.1 * (logit - np.log(chance / (1 - chance)))
        return (alpha >= switch + 0 * np.asarray(b)).astype(float)

    scale = bl.occupations(respond, ["x"], GROUPS, observers=200).scale()
    truth = np.array([0.5, 0.3, 0.2])
    np.testing.assert_allclose(scale.share[0], truth, atol=0.06)
    assert scale.misfit[0] < 0.05
    assert (scale.interval[0, :, 0] < truth).all()
    assert (truth < scale.interval[0, :, 1]).all()
    assert scale.over == "observers"
    assert list(scale.to_frame()["group"]) == ["a", "b", "c"]
