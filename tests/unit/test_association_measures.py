"""RND, ECT, RIPA, RNSB, direct bias and projection: definitions, invariants, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import QueryError, SubjectError
from biaslab.records.result import Result
from biaslab.stats.classification import logistic_regression, probabilities
from harness.heavy import optimize, stats

pytestmark = pytest.mark.numeric

X, Y, A, B = (["x1", "x2", "x3"], ["y1", "y2", "y3"], ["a1", "a2", "a3", "a4"], ["b1", "b2", "b3"])
WORDS = [*X, *Y, *A, *B]
ASKED: dict[str, Any] = {"targets": {"X": X, "Y": Y}, "attributes": {"A": A, "B": B}}
TWO_GROUPS = [bl.association.rnd, bl.association.ect, bl.association.ripa]


def subject(seed: int = 0, replicates: int = 1) -> Any:
    vectors = np.random.default_rng(seed).normal(size=(replicates, len(WORDS), 6))
    if replicates == 1:
        return bl.WordEmbedding(WORDS, vectors[0].astype(np.float32), name="made")
    return bl.EmbeddingEnsemble(WORDS, vectors.astype(np.float32), name="made")


def vectors(of: Any, words: list[str]) -> np.ndarray:
    return np.asarray(of.vectors(words)[0].astype(float))


def test_definitions() -> None:
    of = subject()
    x, y, a = (vectors(of, words) for words in (X, Y, A))
    distance = [np.linalg.norm(g.mean(axis=0) - a, axis=1) for g in (x, y)]
    assert bl.association.rnd(of, **ASKED).by_list["A"] == pytest.approx(
        (distance[0] - distance[1]).mean()
    )
    near = [a @ g.mean(axis=0) / np.linalg.norm(a, axis=1) for g in (x, y)]
    assert bl.association.ect(of, **ASKED).by_list["A"] == pytest.approx(stats.spearmanr(*near)[0])
    between = (x - y) / np.linalg.norm(x - y, axis=1, keepdims=True)
    assert bl.association.ripa(of, **ASKED).by_list["A"] == pytest.approx((a @ between.T).mean())


@settings(max_examples=10)
@given(st.integers(0, 500))
def test_swapped_groups_flip_what_has_a_sign_and_leave_what_has_none(seed: int) -> None:
    of, few = subject(seed), {"resamples": 5}
    swapped = {**ASKED, "targets": {"Y": Y, "X": X}}
    for measure, sign in (
        (bl.association.rnd, -1),
        (bl.association.ripa, -1),
        (bl.association.ect, 1),
        (bl.association.rnsb, 1),
    ):
        one, other = measure(of, **ASKED, **few), measure(of, **swapped, **few)
        assert other.value == pytest.approx(sign * one.value, abs=1e-9), one.measure
    mixed = {
        "targets": {"X": X[::-1], "Y": Y[::-1]},
        "attributes": {"A": A[::-1], "B": B[1:] + B[:1]},
    }
    for measure in (*TWO_GROUPS, bl.association.rnsb):
        there, here = measure(of, **ASKED, **few), measure(of, **mixed, **few)
        assert here.value == pytest.approx(there.value, abs=1e-9), there.measure


def test_rnsb_is_zero_where_all_words_are_alike_and_grows_with_a_lean() -> None:
    of = subject()
    one_word = bl.WordEmbedding(WORDS, vectors(of, ["x1", *["x1"] * 5, *A, *B]).astype(np.float32))
    assert bl.association.rnsb(one_word, **ASKED).value == pytest.approx(0, abs=1e-12)
    found = bl.association.rnsb(of, **ASKED)
    assert found.value > 0
    assert found.values.mean() == pytest.approx(1)


@pytest.mark.parametrize("intercept", ["free", "penalised"])
def test_rnsb_is_that_of_its_intercept(intercept: str) -> None:
    """Few words: the two differ."""
    rng = np.random.default_rng(8)
    names = [f"w{i}" for i in range(36)]
    own = 0.3 * rng.standard_normal((36, 20)) + 0.1
    own[12:24, 0] += 0.4
    of = bl.WordEmbedding(names, own.astype(np.float32))
    points, labels = own[:24].astype(np.float32).astype(float), np.repeat([0.0, 1.0], 12)

    def loss(at: np.ndarray) -> float:
        score = points @ at[:-1] + at[-1]
        counted = at if intercept == "penalised" else at[:-1]
        return float(np.sum(np.logaddexp(0, score) - labels * score) + counted @ counted / 2)

    best = optimize.minimize(loss, np.zeros(21), tol=1e-12).x
    p = 1 / (1 + np.exp(-(own[24:].astype(np.float32) @ best[:-1] + best[-1])))
    expected = stats.entropy(p, np.ones(12))
    found = bl.association.rnsb(
        of,
        targets={"t": names[24:]},
        attributes={"good": names[:12], "bad": names[12:24]},
        intercept=intercept,  # type: ignore[arg-type]
        resamples=5,
    )
    assert found.value == pytest.approx(expected, rel=1e-4)
    assert found.provenance.parameters["intercept"] == intercept
    assert found.measure == "RNSB"


def test_rnsb_knows_two_intercepts() -> None:
    with pytest.raises(ValueError, match="'free' or 'penalised'"):
        bl.association.rnsb(subject(), **ASKED, intercept="none")


def test_logistic_regression_finds_the_minimum() -> None:
    rng = np.random.default_rng(4)
    points, labels = rng.normal(size=(30, 5)), (rng.random(30) < 0.4).astype(float)

    def loss(at: np.ndarray) -> float:
        score = points @ at[:5] + at[5]
        return float(np.sum(np.logaddexp(0, score) - labels * score) + at[:5] @ at[:5] / 2)

    expected = optimize.minimize(loss, np.zeros(6), tol=1e-12).x
    found = logistic_regression(points, labels)
    np.testing.assert_allclose(found.weights, expected[:5], atol=1e-4)
    assert found.intercept == pytest.approx(expected[5], abs=1e-4)
    assert probabilities(found, points).sum() == pytest.approx(labels.sum(), abs=1e-6)


def test_logistic_regression_of_parted_points_ends() -> None:
    points = np.array([[5.0, 0], [6, 1], [-5, 0], [-6, 1]]) * 50
    found = logistic_regression(points, np.array([1.0, 1, 0, 0]))
    assert np.isfinite(found.weights).all()
    assert probabilities(found, points).tolist() == pytest.approx([1, 1, 0, 0], abs=1e-2)


def test_direct_bias_and_projection_of_a_known_direction() -> None:
    axis = np.eye(4, dtype=np.float32)
    known = {
        "she": axis[1] + axis[0],
        "he": axis[1] - axis[0],
        "queen": axis[2] + 2 * axis[0],
        "king": axis[2] - 2 * axis[0],
        "nurse": 3 * axis[0] + 4 * axis[3],
        "doctor": -axis[3],
        "pilot": axis[3] - axis[0],
    }
    of = bl.WordEmbedding(list(known), np.array(list(known.values())), name="made")
    asked: dict[str, Any] = {
        "words": ["nurse", "doctor", "pilot"],
        "defining": [("she", "he"), ("queen", "king")],
    }
    signed = bl.association.projection(of, **asked)
    assert signed.values[0].tolist() == pytest.approx([0.6, 0, -np.sqrt(0.5)], abs=1e-6)
    assert "toward “she”" in signed.headline
    bias = bl.association.direct_bias(of, **asked)
    assert bias.value == pytest.approx((0.6 + 0 + np.sqrt(0.5)) / 3, abs=1e-6)
    squared = bl.association.direct_bias(of, **asked, c=2)
    assert squared.value == pytest.approx((0.36 + 0 + 0.5) / 3, abs=1e-6)
    turned = bl.association.projection(
        of, words=asked["words"], defining=[("he", "she"), ("king", "queen")]
    )
    assert turned.values[0].tolist() == pytest.approx((-signed.values[0]).tolist(), abs=1e-6)
    with pytest.raises(SubjectError, match="Ask for fewer components"):
        bl.association.direct_bias(of, **asked, components=3)
    with pytest.raises(QueryError, match="no words to measure"):
        bl.association.direct_bias(of, defining=asked["defining"])
    with pytest.raises(QueryError, match="knows none of these words"):
        bl.association.projection(of, words=["cat"], defining=asked["defining"])
    with pytest.raises(ValueError, match="c is -1"):
        bl.association.direct_bias(of, **asked, c=-1)


def test_a_specs_words_have_a_number_per_list_controls_included() -> None:
    found = bl.association.direct_bias(bl.load("wiki-bootstraps"), "manzini-gender", replicates=3)
    assert found.names == ("man stereotype", "woman stereotype", "human", "neutral")
    assert found.estimates.shape == (3, 4)
    assert all(len(each) == 3 for each in found.intervals)
    assert found.by_list["woman stereotype"] > found.by_list["neutral"]
    assert found.dropped
    assert found == Result.from_json(found.to_json())


@pytest.mark.parametrize("measure", [*TWO_GROUPS, bl.association.rnsb])
def test_ensembles_unknown_words_and_export(measure: Any) -> None:
    asked = {**ASKED, "attributes": {"A": [*A, "a77"], "B": B}}
    found = measure(subject(replicates=4), **asked)
    assert found.estimates.shape[0] == found.values.shape[0] == 4
    assert [d.term for d in found.dropped] == ["a77"]
    kinds = [i.kind for i in found.intervals[0]]
    assert kinds == ["words", "corpus", "words and corpora"]
    assert found == Result.from_json(found.to_json())
    frame = found.to_frame()
    assert len(frame) == len(found.names) + len(found.words)
    assert frame.value[0] == pytest.approx(found.estimates[:, 0].mean())
    assert found.measure in found.headline
    assert "a77" in found.summary()
    again = measure(subject(replicates=4), **asked)
    assert again.intervals == found.intervals


def test_short_lists_and_wrong_numbers_of_groups_are_told() -> None:
    of = subject()
    short = bl.association.ect(of, targets={"X": X, "Y": Y}, attributes={"A": A[:2]})
    assert np.isnan(short.value)
    assert "needs at least three known words" in short.summary()
    one = bl.association.rnd(of, targets={"X": X, "Y": Y}, attributes={"A": A[:1]})
    assert "no interval over attribute words, as there are too few" in one.summary()
    three = bl.association.ect(of, targets={"X": X, "Y": Y}, attributes={"A": A[:3]})
    assert np.isfinite(three.value)
    assert "no interval over attribute words, as there are too few" in three.summary()
    with pytest.raises(QueryError, match="compares 2 groups; got 1"):
        bl.association.rnd(of, targets={"X": X}, attributes={"A": A})
    with pytest.raises(QueryError, match="in order"):
        bl.association.ripa(of, targets={"X": X, "Y": Y[:2]}, attributes={"A": A})
    with pytest.raises(QueryError, match="learns from two attribute lists"):
        bl.association.rnsb(of, targets={"X": X}, attributes={"A": A})
    with pytest.raises(ValueError, match="use at least 1"):
        bl.association.ect(of, **ASKED, resamples=0)


def test_words_in_one_place_have_no_order() -> None:
    of = subject()
    alike = vectors(of, [*X, *Y, *[A[0]] * len(A), *B]).astype(np.float32)
    alike *= np.float32(2.0) ** np.arange(len(alike))[:, None]
    found = bl.association.ect(bl.WordEmbedding(WORDS, alike), **ASKED)
    assert np.isnan(found.by_list["A"])
    assert np.isfinite(found.by_list["B"])
    assert "A: no number, as all words have the same cosine to a group" in found.summary()


def test_ripa_drops_pairs_whole() -> None:
    of = subject()
    asked = {"targets": {"X": [*X, "x9"], "Y": [*Y, "y1"]}, "attributes": {"A": A}}
    found = bl.association.ripa(of, **asked)
    assert found.value == pytest.approx(
        bl.association.ripa(of, targets={"X": X, "Y": Y}, attributes={"A": A}).value
    )
    assert ("x9 - y1", "pair") in {(d.term, d.role) for d in found.dropped}
    alike = vectors(of, [*X, *X, *A, *B]).astype(np.float32)
    with pytest.raises(QueryError, match="no direction between them"):
        bl.association.ripa(bl.WordEmbedding(WORDS, alike), **ASKED)
