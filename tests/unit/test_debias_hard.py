"""Hard debiasing: what Bolukbasi et al. (2016) and Manzini et al. (2019) promise holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import biaslab as bl
from biaslab.errors import QueryError, SubjectError
from biaslab.subjects.embedding.ensemble import quantise

V, DIM = 60, 12
WORDS = [f"w{i}" for i in range(V)]
PAIRS = [("w0", "w1"), ("w2", "w3"), ("w4", "w5")]
TRIPLES = [("w0", "w1", "w2"), ("w3", "w4", "w5"), ("w6", "w7", "w8")]


def _vectors(seed: int, b: int = 2) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.3, 4, (b, V, 1))
    return (rng.standard_normal((b, V, DIM)) * lengths).astype(np.float32)


def _ensemble(seed: int = 1, b: int = 2) -> bl.EmbeddingEnsemble:
    return bl.EmbeddingEnsemble(WORDS, _vectors(seed, b), name="toy")


def _units(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    as_float = vectors.astype(np.float64)
    return np.asarray(as_float / np.linalg.norm(as_float, axis=-1, keepdims=True))


def _by_the_book(
    vectors: NDArray[np.floating], sets: list[list[int]], r: int
) -> NDArray[np.float64]:
    """Steps 1 and 2a of Bolukbasi et al. for one matrix, word by word; all vectors unit."""
    w = _units(vectors)
    d = w.shape[1]
    covariance = np.zeros((d, d))
    for rows in sets:
        mean = w[rows].mean(axis=0)
        for row in rows:
            covariance += np.outer(w[row] - mean, w[row] - mean) / len(rows)
    basis = np.linalg.eigh(covariance)[1][:, ::-1][:, :r]

    def inside(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(sum((x @ basis[:, j]) * basis[:, j] for j in range(r)))

    out = w.copy()
    special = {row for rows in sets for row in rows}
    for i in range(len(w)):
        if i not in special:
            rest = w[i] - inside(w[i])
            out[i] = rest / np.linalg.norm(rest)
    for rows in sets:
        mean = w[rows].mean(axis=0)
        nu = mean - inside(mean)
        for row in rows:
            way = inside(w[row]) - inside(mean)
            out[row] = nu + np.sqrt(1 - nu @ nu) * way / np.linalg.norm(way)
    return out


@pytest.mark.parametrize(("sets", "r"), [(PAIRS, 1), (PAIRS, 2), (TRIPLES, 2)])
def test_it_is_the_papers_procedure_word_by_word(sets: list[tuple[str, ...]], r: int) -> None:
    subject = _ensemble()
    done = bl.debias(subject, defining=sets, components=r, unit=True)
    rows = [[WORDS.index(w) for w in each] for each in sets]
    for b in range(2):
        expected = _by_the_book(subject.vectors(WORDS)[b], rows, r)
        np.testing.assert_allclose(done.vectors(WORDS)[b], expected, atol=2e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.sampled_from([2, 3]), unit=st.booleans())
def test_neutral_words_lose_the_subspace_and_sets_are_equally_far(
    seed: int, k: int, unit: bool
) -> None:
    sets = PAIRS if k == 2 else TRIPLES
    subject = _ensemble(seed)
    done = bl.debias(subject, defining=sets, unit=unit)
    special = [w for each in sets for w in each]
    neutral = [w for w in WORDS if w not in special]
    # The subspace of the sets as they were, found here another way: by eigenvectors.
    for b in range(2):
        w = _units(subject.vectors(special)[b]).reshape(len(sets), k, DIM)
        centred = (w - w.mean(axis=1, keepdims=True)).reshape(-1, DIM)
        basis = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, : k - 1]
        vectors = done.vectors(neutral)[b].astype(float)
        assert np.abs(_units(vectors) @ basis).max() < 1e-6
        for each in sets:
            ends = done.vectors(each)[b].astype(float)
            np.testing.assert_allclose(np.linalg.norm(ends, axis=1).std(), 0, atol=1e-6)
            far = np.linalg.norm(vectors[:, None] - ends[None], axis=2)
            np.testing.assert_allclose(far, far[:, :1].repeat(k, axis=1), rtol=2e-6, atol=2e-6)
            cosines = _units(vectors) @ _units(ends).T
            np.testing.assert_allclose(np.ptp(cosines, axis=1), 0, atol=1e-6)


def test_a_neutral_word_between_an_equalised_pair_switches_in_the_middle() -> None:
    done = bl.debias(_ensemble(b=4), defining=PAIRS)
    found = bl.two_afc(done, ["w20", "w33"], PAIRS)
    np.testing.assert_allclose(found.switch, 0.5, atol=1e-6)


def test_words_between_equalised_cues_lean_nowhere_by_rounding() -> None:
    plain = bl.load("wiki-bootstraps")
    after = bl.debias(plain, "gender-pairs")
    words = ["nurse", "engineer", "doctor", "teacher", "dancer", "lawyer", "office", "music"]
    found = bl.two_afc(after, words, ("she", "he"))
    np.testing.assert_array_equal(found.pse, 0.5)
    np.testing.assert_array_equal(found.pooled.lean, 0)
    np.testing.assert_array_equal(found.pooled.p_value, 1)
    assert (bl.two_afc(plain, words, ("she", "he")).pooled.lean != 0).any()


def test_the_bundled_ensemble_answers_in_the_middle_after_debiasing() -> None:
    subject = bl.load("wiki-bootstraps")
    done = bl.debias(subject, "gender-pairs")
    before, after = (bl.two_afc(s, ["nurse", "engineer"]) for s in (subject, done))
    assert np.abs(before.switch - 0.5).max() > 0.1
    np.testing.assert_allclose(after.switch, 0.5, atol=1e-5)


def test_a_second_time_changes_nothing_for_pairs() -> None:
    once = bl.debias(_ensemble(), defining=PAIRS)
    twice = bl.debias(once, defining=PAIRS)
    np.testing.assert_allclose(twice.vectors(WORDS), once.vectors(WORDS), atol=3e-6)
    assert twice.parent is once
    assert twice.content_hash != once.content_hash


def test_a_second_time_leaves_neutral_words_for_sets_of_three() -> None:
    once = bl.debias(_ensemble(), defining=TRIPLES)
    twice = bl.debias(once, defining=TRIPLES)
    np.testing.assert_allclose(twice.vectors(WORDS[9:]), once.vectors(WORDS[9:]), atol=3e-6)


def test_lengths_stay_and_untouched_words_stay_to_the_bit() -> None:
    subject = _ensemble()
    done = bl.debias(
        subject, defining=PAIRS, equalize=[PAIRS[0]], specific=["w50", "w51"], neutral=WORDS[10:40]
    )
    touched = [*PAIRS[0], *WORDS[10:40]]
    rest = [w for w in WORDS if w not in touched]
    assert done.vectors(rest).tobytes() == subject.vectors(rest).tobytes()
    np.testing.assert_allclose(
        np.linalg.norm(done.vectors(WORDS[10:40]), axis=2),
        np.linalg.norm(subject.vectors(WORDS[10:40]), axis=2),
        rtol=1e-6,
    )
    assert done.derivation.n_neutral == 30
    assert done.derivation.specific == ("w50", "w51")


def test_quantised_rows_stay_to_the_bit_where_untouched_and_are_orthogonal_elsewhere() -> None:
    rows, scales = zip(*(quantise(v) for v in _vectors(3)), strict=True)
    subject = bl.EmbeddingEnsemble(WORDS, rows, scale=list(scales))
    done = bl.debias(subject, defining=PAIRS, equalize=[], neutral=WORDS[10:20])
    assert done.vectors(WORDS[20:]).tobytes() == subject.vectors(WORDS[20:]).tobytes()
    assert done.vectors(WORDS[:6]).tobytes() == subject.vectors(WORDS[:6]).tobytes()
    units = _units(subject.vectors(WORDS[:6])).reshape(2, 3, 2, DIM)
    for b in range(2):
        basis = np.linalg.svd(units[b, :, 0] - units[b, :, 1])[2][0]
        assert np.abs(_units(done.vectors(WORDS[10:20])[b]) @ basis).max() < 1e-6


def test_lengths_and_order_of_words_in_a_set_do_not_matter() -> None:
    subject = _ensemble()
    longer = bl.EmbeddingEnsemble(WORDS, _vectors(1) * np.float32(8), name="toy")
    one = bl.debias(subject, defining=PAIRS, unit=True)
    two = bl.debias(longer, defining=[p[::-1] for p in PAIRS[::-1]], unit=True)
    np.testing.assert_allclose(one.vectors(WORDS), two.vectors(WORDS), atol=3e-6)


def test_sets_that_share_a_word_are_joined_and_all_stay_equally_far() -> None:
    sets = [("w0", "w1", "w2"), ("w3", "w1", "w2"), ("w0", "w4", "w2")]
    done = bl.debias(_ensemble(), defining=sets)
    assert [set(each) for each in done.derivation.equalized] == [{"w0", "w1", "w2", "w3", "w4"}]
    cosines = _units(done.vectors(WORDS[5:])) @ _units(done.vectors(WORDS[:5])).transpose(0, 2, 1)
    np.testing.assert_allclose(np.ptp(cosines, axis=2), 0, atol=1e-6)


def test_groups_of_different_sizes_are_taken_by_their_means() -> None:
    spec = bl.specs.get("manzini-race")
    rng = np.random.default_rng(5)
    words = [w for words in spec.groups.values() for w in words] + WORDS
    subject = bl.WordEmbedding(words, rng.standard_normal((len(words), DIM)).astype(np.float32))
    done = bl.debias(subject, spec)
    told = done.derivation
    assert told.by_group
    assert told.defining == (("black", "caucasian", "asian"),)
    assert told.components == 2
    assert told.equalized == ()
    assert told.n_neutral == V
    means = np.stack([_units(subject.vectors(w)[0]).mean(axis=0) for w in spec.groups.values()])
    apart = means[1:] - means[0]
    assert np.abs(_units(done.vectors(WORDS)[0]) @ apart.T).max() < 1e-6
    # So the mean cosine to each group is the same, which WEAT and MAC are made of.
    cosines = [
        (_units(done.vectors(WORDS)[0]) @ _units(done.vectors(w)[0]).T).mean(axis=1)
        for w in spec.groups.values()
    ]
    np.testing.assert_allclose(np.ptp(cosines, axis=0), 0, atol=1e-6)


def test_it_remembers_its_parent_and_tells_what_was_done() -> None:
    subject = _ensemble()
    done = bl.debias(subject, defining=[*PAIRS, ("w0", "nowhere"), ("nothing", "at", "all")])
    told = done.derivation
    assert done.parent is subject
    assert done.name == "toy, hard-debiased (w0 / w1)"
    assert done.kind == "ensemble"
    assert told.parent_hash == subject.content_hash
    assert {d.term for d in told.dropped} >= {"nowhere", "nothing", "at", "all", "w0 / nowhere"}
    assert told.components == 1
    assert told.n_neutral == V - 6
    assert 0 < told.explained.min() <= told.explained.max() <= 1
    np.testing.assert_allclose(told.shares.sum(axis=1), 1)
    assert told.provenance.probe == "debias"
    assert "54 words neutralised, 3 sets equalised" in done.about
    assert done.content_hash != subject.content_hash
    assert done.content_hash == bl.debias(subject, defining=PAIRS).content_hash
    assert done.content_hash != bl.debias(subject, defining=PAIRS[:2]).content_hash


def test_a_replicate_of_a_debiased_ensemble_is_that_replicate_debiased() -> None:
    done = bl.debias(_ensemble(), defining=PAIRS)
    one = done.replicate(1)
    assert isinstance(one, bl.WordEmbedding)
    np.testing.assert_array_equal(one.vectors(WORDS)[0], done.vectors(WORDS)[1])
    alone = bl.debias(_ensemble().replicate(1), defining=PAIRS)
    np.testing.assert_allclose(one.vectors(WORDS), alone.vectors(WORDS), atol=1e-6)
    assert one.content_hash != done.content_hash


def test_projections_of_many_terms_are_those_of_the_vectors() -> None:
    words = [f"v{i}" for i in range(9000)]  # more than are changed at once
    vectors = np.random.default_rng(2).standard_normal((9000, 8)).astype(np.float32)
    done = bl.debias(bl.WordEmbedding(words, vectors), defining=[("v0", "v1"), ("v2", "v3")])
    onto = np.random.default_rng(3).standard_normal((1, 8, 3))
    expected = _units(done.vectors(words)[0]) @ onto[0]
    np.testing.assert_allclose(done.project(words, onto)[0], expected, atol=1e-5)


def test_a_word_within_the_subspace_has_nothing_left_and_is_unknown() -> None:
    vectors = _vectors(4, 1)[0]
    vectors[9] = vectors[0] / np.linalg.norm(vectors[0]) - vectors[1] / np.linalg.norm(vectors[1])
    done = bl.debias(bl.WordEmbedding(WORDS, vectors), defining=[PAIRS[0]])
    assert "w9" not in done
    assert "all zeros" in done.resolve(["w9"]).unknown[0].reason


def test_words_without_a_direction_stay_unknown() -> None:
    vectors = _vectors(4, 1)[0]
    vectors[20], vectors[21, 3] = 0, np.nan
    done = bl.debias(bl.WordEmbedding(WORDS, vectors), defining=PAIRS, unit=True)
    reasons = [u.reason for u in done.resolve(["w20", "w21"]).unknown]
    assert reasons == ["its vector is all zeros", "its vector holds NaN or infinity"]


def test_phrases_define_but_are_not_equalised() -> None:
    done = bl.debias(_ensemble(), defining=[*PAIRS, ("w7 w8", "w9")])
    told = done.derivation
    assert ("w7 w8", "w9") in told.defining
    assert len(told.equalized) == 3
    assert [d.term for d in told.dropped] == ["w7 w8"]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({}, QueryError, "Define the bias"),
        ({"defining": []}, QueryError, "No defining set is left"),
        ({"defining": [("a", "b")]}, QueryError, "No defining set is left"),
        ({"defining": ["she"]}, QueryError, "at least two words"),
        ({"defining": "she"}, QueryError, "list of word sets"),
        ({"defining": [("w1", "w1")]}, QueryError, "No defining set is left"),
        ({"defining": PAIRS, "components": 7}, SubjectError, "differ in 3 directions only"),
        ({"defining": PAIRS, "components": 0}, SubjectError, "at least one dimension"),
        ({"defining": PAIRS, "neutral": ["w0"]}, QueryError, "No neutral word is left"),
        ({"defining": PAIRS, "neutral": "spec"}, QueryError, "together with a spec"),
        ({"defining": PAIRS, "groups": ("a", "b")}, QueryError, "no spec was given"),
        ({"defining": PAIRS, "method": "mild"}, ValueError, "choose 'hard' or 'soft'"),
        ({"spec": "love-hate"}, QueryError, "No defining set is left"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(options: dict[str, object], error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        bl.debias(_ensemble(), **options)  # type: ignore[arg-type]
