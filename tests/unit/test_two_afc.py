"""bl.two_afc: recovers known truth, obeys its invariants, says what it left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import QueryError, SubjectError, UnknownTermError
from biaslab.probes.psychometrics import CuePairs

PAIRS = [("female", "male"), ("she", "he")]


def _ensemble(seed: int = 0, replicates: int = 8) -> bl.EmbeddingEnsemble:
    rng = np.random.default_rng(seed)
    words = ["female", "male", "she", "he", "nurse", "engineer", "teacher", "movie"]
    centre = rng.standard_normal((len(words), 20))
    vectors = centre + 0.3 * rng.standard_normal((replicates, len(words), 20))
    return bl.EmbeddingEnsemble(words, vectors.astype(np.float32), name="random")


def test_recovers_the_truth_of_a_simulated_subject() -> None:
    subject = bl.observers.embedding(
        pse={"nurse": 0.65, "engineer": 0.4}, jnd=0.03, replicates=4000, seed=2
    )
    result = bl.two_afc(subject, ["nurse", "engineer"], ("female", "male"))
    np.testing.assert_allclose(result.pse, [0.65, 0.4], atol=0.003)
    np.testing.assert_allclose(result.jnd, 0.03, rtol=0.05)
    assert result.pooled.lean.tolist() == [1, -1]


def test_pse_and_jnd_together_sort_items_by_their_planted_class() -> None:
    truth = {
        "sharp": (0.2, 0.01), "blurred": (0.8, 0.05), "none": (0.5, 0.01),
        "typical": (0.2, 0.02), "hidden": (0.55, 0.05),
    }  # fmt: skip
    subject = bl.observers.embedding(
        {word: pse for word, (pse, _) in truth.items()},
        {word: jnd for word, (_, jnd) in truth.items()},
        replicates=128,
        seed=3,
    )
    result = bl.two_afc(subject, list(truth), ("female", "male"))
    found = result.lean_classes()
    # The lean of "typical" is clear, but its JND is that of the median item.
    assert found.classes == ("sharp lean", "blurred lean", "no lean", "cannot say", "cannot say")
    assert result.to_frame()["lean_class"].tolist() == list(found.classes)
    assert "1 sharp lean (sharp), 1 blurred lean (blurred)" in result.summary()
    stated = result.lean_classes(limit=0.1)
    assert stated.items_of("sharp lean") == ("sharp", "blurred", "typical")
    assert result.lean_classes(limit=0.1, margin=0.01).counts["no lean"] == 0
    alone = bl.two_afc(subject, ["sharp"], ("female", "male"))
    assert alone.lean_classes().classes == ("cannot say",)
    with pytest.raises(QueryError, match="above 0"):
        result.lean_classes(limit=0)


@given(st.integers(0, 500))
@settings(max_examples=25, deadline=None)
def test_swapping_the_cues_mirrors_the_axis(seed: int) -> None:
    subject = _ensemble(seed)
    swapped = [(two, one) for one, two in PAIRS]
    # From 50 to 75 % a skewed curve rises otherwise than from 50 to 25 %: eq. 6 takes both sides.
    a, b = (bl.two_afc(subject, ["nurse", "movie"], pairs, jnd="eq6") for pairs in (PAIRS, swapped))
    assert a.pooled.is_empirical.tolist() == b.pooled.is_empirical.tolist()
    np.testing.assert_allclose(a.switch, 1 - b.switch, atol=2e-5)
    np.testing.assert_allclose(a.pse, 1 - b.pse, atol=2e-5)
    np.testing.assert_allclose(a.jnd, b.jnd, atol=2e-5)
    np.testing.assert_allclose(a.pooled.corpus, 1 - b.pooled.corpus[:, ::-1], atol=2e-5)


@given(st.permutations(["nurse", "engineer", "teacher", "movie"]), st.permutations(PAIRS))
@settings(max_examples=20, deadline=None)
def test_the_order_of_items_and_pairs_changes_nothing(
    items: list[str], pairs: list[tuple[str, str]]
) -> None:
    subject = _ensemble(3)
    reference = bl.two_afc(subject, sorted(items), PAIRS)
    result = bl.two_afc(subject, items, pairs)
    for item in items:
        there, here = reference.index(item), result.index(item)
        assert result.pse[here] == pytest.approx(reference.pse[there], abs=1e-5)
        np.testing.assert_allclose(
            result.pooled.corpus[here], reference.pooled.corpus[there], atol=1e-4
        )


def test_lengths_of_word_vectors_do_not_matter_under_eq8() -> None:
    subject = _ensemble(1)
    words = list(subject.words)
    stretched = np.stack([subject.vectors([w])[:, 0] * (i + 1) for i, w in enumerate(words)], 1)
    other = bl.EmbeddingEnsemble(words, stretched)
    a, b = (bl.two_afc(s, ["nurse"], PAIRS) for s in (subject, other))
    np.testing.assert_allclose(a.switch, b.switch, atol=1e-5)


def test_responses_are_steps_at_the_switch_points() -> None:
    result = bl.two_afc(_ensemble(), ["nurse"], PAIRS)
    alphas = np.linspace(-0.5, 1.5, 101)
    expected = alphas >= result.switch[:, 0, :, None]
    np.testing.assert_array_equal(result.responses(alphas, item="nurse"), expected)


def test_the_two_intervals_differ_and_only_one_shrinks_with_replicates() -> None:
    widths = {}
    for b in (16, 256):
        subject = bl.observers.embedding(pse={"nurse": 0.6}, jnd=0.05, replicates=b, seed=4)
        pooled = bl.two_afc(subject, ["nurse"], ("female", "male")).pooled
        widths[b] = (np.ptp(pooled.corpus[0]), np.ptp(pooled.monte_carlo[0]))
    assert widths[256][1] < 0.5 * widths[16][1]
    assert widths[256][0] > 0.6 * widths[16][0]


def test_pairs_as_a_sample_widen_the_interval() -> None:
    subject = _ensemble(5)
    fixed, sample = (
        bl.two_afc(subject, ["nurse"], CuePairs(PAIRS, pairs_as=how)).pooled.corpus[0]
        for how in ("fixed", "resampled")
    )
    assert np.ptp(sample) > np.ptp(fixed)


def test_switch_points_outside_the_axis_are_counted_and_not_clipped() -> None:
    subject = bl.observers.embedding(pse={"nurse": 1.2}, jnd=0.02, replicates=16, seed=1)
    result = bl.two_afc(subject, ["nurse"], ("female", "male"))
    assert result.pse[0] > 1
    assert result.outside("nurse") == 16
    assert "outside" in " ".join(result.verdict("nurse"))


def test_one_embedding_has_no_corpus_interval_and_says_so() -> None:
    single = _ensemble().replicate(0)
    result = bl.two_afc(single, ["nurse"], PAIRS[0])
    assert np.isnan(result.pooled.corpus).all()
    assert np.isnan(result.jnd).all()
    assert "one embedding" in result.to_frame()["reason"][0]
    assert "One embedding has no corpus interval" in result.caveat("nurse")
    over_pairs = bl.two_afc(single, ["nurse"], PAIRS)
    assert np.isfinite(over_pairs.pooled.corpus).all()
    assert over_pairs.corpus_kind == "cue pairs"
    noisy = bl.two_afc(single, ["nurse"], PAIRS[0], perception=0.1)
    assert noisy.jnd[0] == pytest.approx(0.06745, abs=1e-4)


def test_noise_widens_the_curve_and_leaves_the_pse() -> None:
    subject = _ensemble(2)
    exact, noisy = (bl.two_afc(subject, ["nurse"], PAIRS[0], perception=n) for n in (0.0, 0.2))
    assert noisy.pse[0] == pytest.approx(exact.pse[0])
    sigma = exact.jnd[0] / 0.67449
    assert noisy.jnd[0] == pytest.approx(0.67449 * np.hypot(sigma, 0.2), rel=1e-4)


@pytest.mark.parametrize("curve", ["normal", "logistic", "gumbel"])
@pytest.mark.parametrize("jnd", ["quartile", "eq6", "sd"])
def test_every_curve_and_convention_works_with_and_without_noise(curve: str, jnd: str) -> None:
    for noise in (0.0, 0.1):
        for pairs in (PAIRS, PAIRS[:1]):
            result = bl.two_afc(
                _ensemble(), ["nurse"], pairs, family=curve, jnd=jnd, perception=noise
            )
            low, high = result.pooled.jnd_interval[0]
            assert 0 < low < result.jnd[0] < high
            share, below, above = result.psi("nurse", [0.2, 0.5, 0.8])
            assert (below <= share).all()
            assert (share <= above).all()


def test_a_spec_with_items_can_be_asked_about() -> None:
    result = bl.two_afc(_ensemble(), bl.specs.get("occupations"), PAIRS)
    assert set(result.items) == {"nurse", "engineer", "teacher"}
    assert len(result.dropped) == 57


def test_cue_prior_weighs_the_pairs() -> None:
    subject = _ensemble(6)
    result = bl.two_afc(subject, ["nurse"], CuePairs(PAIRS, prior=[3, 1]))
    by_pair = result.by_pair.pse[0]
    assert result.pse[0] == pytest.approx(0.75 * by_pair[0] + 0.25 * by_pair[1])
    with pytest.raises(ValueError, match="prior needs one positive"):
        bl.two_afc(subject, ["nurse"], CuePairs(PAIRS, prior=[1, -1]))


def test_what_is_left_out_is_listed_with_its_reason() -> None:
    result = bl.two_afc(_ensemble(), ["nurse", "nurse", "enginer"], [*PAIRS, ("he", "he")])
    assert result.items == ("nurse",)
    assert result.pairs == tuple(PAIRS)
    reasons = {d.term: d for d in result.dropped}
    assert "more than once" in reasons["nurse"].reason
    assert reasons["enginer"].suggestions[0] == "engineer"
    assert "same vector" in reasons["he / he"].reason


def test_cues_of_one_vector_make_no_pair_and_pairs_of_one_vector_count_once() -> None:
    rows = {"nurse": [0.6, 0.8], "she": [0, 1], "her": [0, 1], "he": [1, 0], "him": [1, 0.1]}
    subject = bl.load(rows)
    pairs = [("she", "he"), ("her", "him"), ("her", "he"), ("she", "her")]
    for result in (
        bl.two_afc(subject, ["nurse"], pairs),
        bl.occupations(subject, ["nurse"], dict(zip("ab", zip(*pairs, strict=True), strict=True))),
    ):
        reasons = {d.term: d.reason for d in result.dropped}
        assert set(reasons) == {"her / he", "she / her"}
        assert reasons["her / he"].startswith("has the same vectors as 'she / he'")
        assert reasons["she / her"].startswith("both cues have the same vector")
    with pytest.raises(QueryError, match="'she / her' both cues have the same vector"):
        bl.two_afc(subject, ["nurse"], [("she", "her")])


@pytest.mark.parametrize(
    ("items", "cues", "says"),
    [
        ([], PAIRS, "empty"),
        (["  "], PAIRS, "empty"),
        (["nurze"], PAIRS, "nurse"),
        (["nurse"], [], "empty"),
        (["nurse"], [("he", "he")], "same vector"),
        (["nurse"], [("hee", "she")], "he"),
        (["nurse"], [("a", "b", "c")], "two cues"),
        (["nurse"], [("she", " ")], "empty"),
        (["<b>nurse</b>"], PAIRS, "nurse"),
        (["occupations"], PAIRS, r"bl\.specs\.get\('occupations'\)\.items"),
    ],
)
def test_a_query_that_leaves_nothing_says_what_to_do(
    items: list[str], cues: list[tuple[str, str]], says: str
) -> None:
    with pytest.raises(QueryError, match=says):
        bl.two_afc(_ensemble(), items, cues)


def test_asking_a_result_for_an_item_it_lacks_says_so() -> None:
    with pytest.raises(UnknownTermError, match="not among"):
        bl.two_afc(_ensemble(), ["nurse"], PAIRS).verdict("movie")


def test_the_frame_holds_the_numbers_of_the_estimates() -> None:
    result = bl.two_afc(_ensemble(), ["nurse", "movie"], PAIRS)
    frame = result.to_frame()
    assert len(frame) == 2 * 2 + 2
    pooled = frame[frame["pooled"]].set_index("item")
    assert pooled.loc["movie", "pse"] == result.pse[result.index("movie")]
    assert len(result.raw_frame()) == 8 * 2 * 2


def _black_box(item: object, cue_1: object, cue_2: object, alpha: np.ndarray, observer: np.ndarray):  # type: ignore[no-untyped-def]
    return (alpha >= 0.55 + 0.02 * observer) * np.ones(np.shape(item))


def test_any_callable_is_a_subject() -> None:
    result = bl.two_afc(_black_box, ["nurse"], PAIRS, observers=8, levels=101)
    expected = 0.55 + 0.02 * np.arange(8)
    np.testing.assert_allclose(result.switch[:, 0, 0], expected, atol=0.0051)
    assert result.observer == "observers"


def test_a_graded_callable_is_fitted() -> None:
    def graded(_item, _one, _two, alpha, _observer):  # type: ignore[no-untyped-def]
        return 1 / (1 + np.exp(-(alpha - 0.6) / 0.05))

    result = bl.two_afc(graded, ["nurse"], PAIRS[0], family="logistic", observers=2)
    assert result.pse[0] == pytest.approx(0.6, abs=1e-3)
    assert result.raw.own_noise[0, 0] == pytest.approx(0.05 * np.pi / np.sqrt(3), rel=0.01)


@pytest.mark.parametrize(
    ("answer", "says"), [(lambda *_: 1.5, "from 0 to 1"), (lambda *_: np.ones(7), "shape")]
)
def test_a_callable_that_answers_nonsense_is_told(answer: object, says: str) -> None:
    with pytest.raises(SubjectError, match=says):
        bl.two_afc(answer, ["nurse"], PAIRS)  # type: ignore[arg-type]
