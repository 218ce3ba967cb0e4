"""WEAT over embeddings and ensembles: invariants, intervals, bad input, words."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import QueryError, SpecError
from biaslab.probes.association.effect_size import effect_size
from biaslab.probes.association.weat import WeatResult
from biaslab.records.result import Result

pytestmark = pytest.mark.numeric

X, Y = ["x1", "x2", "x3", "x4"], ["y1", "y2", "y3", "y4"]
A, B = ["a1", "a2", "a3"], ["b1", "b2", "b3"]
WORDS = [*X, *Y, *A, *B]


def lists(**changed: Any) -> dict[str, Any]:
    return {"targets": {"X": X, "Y": Y}, "attributes": {"A": A, "B": B}, **changed}


def subject(seed: int = 0, replicates: int = 1, lean: float = 1.0) -> Any:
    """Random vectors in which X leans to A and Y to B."""
    rng = np.random.default_rng(seed)
    axis = np.zeros(12)
    axis[0] = lean
    sign = np.repeat([1, -1, 1, -1], [4, 4, 3, 3])
    vectors = rng.normal(size=(len(WORDS), 12)) + sign[:, None] * axis
    drawn = vectors + 0.3 * rng.normal(size=(replicates, *vectors.shape))
    if replicates == 1:
        return bl.WordEmbedding(WORDS, drawn[0].astype(np.float32), name="made")
    return bl.EmbeddingEnsemble(WORDS, drawn.astype(np.float32), name="made")


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_swapped_groups_and_swapped_attributes_flip_the_sign(seed: int) -> None:
    of = subject(seed)
    there = bl.weat(of, **lists(), resamples=10)
    targets = bl.weat(of, **lists(targets={"Y": Y, "X": X}), alternative="less", resamples=10)
    attributes = bl.weat(of, **lists(attributes={"B": B, "A": A}), alternative="less", resamples=10)
    for swapped in (targets, attributes):
        assert swapped.statistic == pytest.approx(-there.statistic, abs=1e-12)
        assert swapped.effect_size == pytest.approx(-there.effect_size, abs=1e-12)
        assert swapped.test.fraction == there.test.fraction
    both = bl.weat(of, **lists(targets={"Y": Y, "X": X}, attributes={"B": B, "A": A}), resamples=10)
    assert both.effect_size == pytest.approx(there.effect_size, abs=1e-12)


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_the_order_of_words_changes_nothing(seed: int, shuffle: Any) -> None:
    of = subject(seed)
    mixed = [shuffle.sample(words, len(words)) for words in (X, Y, A, B)]
    there = bl.weat(of, **lists(), alternative="two-sided", resamples=10)
    here = bl.weat(
        of,
        targets={"X": mixed[0], "Y": mixed[1]},
        attributes={"A": mixed[2], "B": mixed[3]},
        alternative="two-sided",
        resamples=10,
    )
    assert here.effect_size == pytest.approx(there.effect_size, abs=1e-12)
    assert here.test.fraction == there.test.fraction
    assert abs(here.effect_size) <= here.ceiling


@given(st.integers(2, 12), st.integers(2, 12), st.sampled_from([0, 1]))
def test_the_ceiling_is_reached_by_alike_words_and_not_passed(n: int, m: int, ddof: int) -> None:
    top = bl.association.ceiling(n, m, ddof)
    best = np.repeat([1.0, -1.0], [n, m])
    assert effect_size(best, n, ddof) == pytest.approx(top)
    drawn = effect_size(np.random.default_rng(n * m).normal(size=(200, n + m)), n, ddof)
    assert np.abs(drawn).max() <= top * (1 + 1e-12)


def test_associations_are_differences_of_mean_cosines() -> None:
    of = subject()
    found = bl.weat(of, **lists())
    unit = of.vectors(WORDS)[0].astype(float)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    expected = unit[:8] @ unit[8:11].mean(axis=0) - unit[:8] @ unit[11:].mean(axis=0)
    np.testing.assert_allclose(found.association[0], expected, atol=1e-12)
    assert found.statistic == pytest.approx(expected[:4].mean() - expected[4:].mean())
    assert found.statistic_sum == pytest.approx(4 * found.statistic)


def test_an_ensemble_is_its_replicates() -> None:
    of = subject(replicates=6)
    found = bl.weat(of, **lists())
    alone = [bl.weat(of.replicate(b), **lists()) for b in range(6)]
    np.testing.assert_allclose(found.effect_size_by_replicate, [r.effect_size for r in alone])
    assert found.effect_size == pytest.approx(np.mean([r.effect_size for r in alone]))
    assert found.p_by_replicate.tolist() == [r.p for r in alone]
    assert [i.kind for i in found.effect_size_intervals] == ["words", "corpus", "words and corpora"]
    words, corpus, both = found.statistic_intervals
    assert found.statistic in words and found.statistic in corpus and found.statistic in both  # noqa: PT018
    assert both.high - both.low > 0.9 * (words.high - words.low)
    part = bl.weat(of, **lists(), replicates=2)
    assert part.n_replicates == 2
    np.testing.assert_allclose(part.effect_size_by_replicate, [r.effect_size for r in alone[:2]])


def test_one_target_list_is_the_single_category_test() -> None:
    """With one word: WEFAT, whose spread is that of the word's cosines to all attributes."""
    of = subject(3)
    found = bl.weat(of, targets={"X": ["x1"]}, attributes={"A": A, "B": B})
    cosines = found.cosines[0, 0]
    expected = (cosines[:3].mean() - cosines[3:].mean()) / cosines.std(ddof=1)
    assert found.single
    assert (
        found.effect_size == pytest.approx(expected) == pytest.approx(found.word_effect_size[0, 0])
    )
    assert found.partitions == 20
    assert found.ceiling == bl.association.ceiling(3, 3)
    several = bl.weat(of, targets={"X": X}, attributes={"A": A, "B": B})
    mean = several.cosines[0].mean(axis=0)
    assert several.statistic == pytest.approx(mean[:3].mean() - mean[3:].mean())
    assert "The words of X stand nearer to A than to B" in several.headline or (
        "X stand nearer" in several.headline
    )


def test_a_group_of_one_word_has_no_effect_size_and_says_why() -> None:
    found = bl.weat(subject(), **lists(targets={"X": ["x1"], "Y": Y}))
    assert np.isnan(found.effect_size)
    assert "“X” has one known word, but an effect size needs at least two" in found.summary()
    assert np.isnan(found.interval().low)
    assert np.isfinite(found.statistic)
    assert found.test.partitions == 5


def test_an_attribute_list_of_one_word_leaves_no_interval_over_words() -> None:
    found = bl.weat(subject(replicates=3), **lists(attributes={"A": A, "B": B[:1]}))
    words, corpus, both = found.effect_size_intervals
    assert np.isfinite(found.effect_size)
    assert np.isnan([words.low, both.low]).all()
    assert np.isfinite(corpus.low)
    assert "No interval over words: “B” has one known word" in found.caveat()
    assert bl.weat(subject(), **lists()).interval_reason == ""


def test_the_interval_of_an_effect_size_includes_it() -> None:
    """Also where single cosines are most of the spread, which endless lists would not have."""
    for seed in range(20):
        found = bl.weat(subject(seed), **lists(), resamples=300)
        assert found.effect_size in found.interval()
        assert found.statistic in found.interval("statistic")


def test_constant_vectors_have_no_spread() -> None:
    lengths = 2.0 ** np.arange(len(WORDS))[:, None]
    alike = bl.WordEmbedding(WORDS, np.float32(lengths * np.ones(5)))
    found = bl.weat(alike, **lists())
    assert np.isnan(found.effect_size)
    assert "all associations are equal" in found.headline
    assert found.test.fraction == (70, 70)
    assert found == Result.from_json(found.to_json())


def test_words_of_one_vector_count_once() -> None:
    rows = subject().vectors(WORDS)[0].copy()
    rows[[WORDS.index(x) for x in X[1:3]]] = rows[WORDS.index(X[0])]
    result = bl.weat(bl.WordEmbedding(WORDS, rows), **lists())
    without = bl.weat(subject(), **lists(targets={"X": [X[0], *X[3:]], "Y": Y}))
    assert [(one.term, one.role) for one in result.dropped] == [(x, "groups.X") for x in X[1:3]]
    for dropped in result.dropped:
        assert dropped.reason == f"has the same vector as {X[0]!r}, so that both count once"
    assert result.effect_size == without.effect_size


def test_unknown_words_are_dropped_and_told_with_near_ones() -> None:
    found = bl.weat(subject(), **lists(targets={"X": [*X, "x22", "x1"], "Y": Y}))
    assert {(d.term, d.role) for d in found.dropped} == {("x22", "groups.X"), ("x1", "groups.X")}
    near = next(d for d in found.dropped if d.term == "x22")
    assert "x2" in near.suggestions
    assert found.words == (*X, *Y)
    assert "2 words dropped" in found.caveat()
    assert "x22" in found.summary()


def test_a_list_that_is_all_unknown_is_an_error_with_the_words() -> None:
    with pytest.raises(QueryError, match=r"no word of the group 'Y'.*'q1'") as caught:
        bl.weat(subject(), **lists(targets={"X": X, "Y": ["q1", "q2"]}))
    assert [d.term for d in caught.value.dropped] == ["q1", "q2"]


@pytest.mark.parametrize(
    "changed", [{"targets": {"X": X, "Y": []}}, {"attributes": {"A": A, "B": []}}]
)
def test_an_empty_list_is_an_error(changed: dict[str, Any]) -> None:
    with pytest.raises(QueryError, match=r"is empty\. Add words, or leave it out"):
        bl.weat(subject(), **lists(**changed))


def test_overlapping_lists_are_kept_and_told() -> None:
    found = bl.weat(subject(), **lists(targets={"X": [*X, "a1"], "Y": [*Y, "x1"]}))
    assert len(found.words) == 10
    assert "groups.X and groups.Y share: x1" in found.caveat()
    assert "groups.X and attributes.A share: a1" in found.caveat()


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"targets": {"X": X, "Y": Y, "Z": A}}, QueryError, "compares two groups; got 3"),
        ({"attributes": {"A": A}}, QueryError, "compares two attribute lists; got 1"),
        ({"targets": {}}, QueryError, "There is no group"),
        ({"targets": {"X": "x1", "Y": Y}}, TypeError, "is a single string: pass a list"),
        ({"ddof": 2}, ValueError, "choose 1"),
        ({"alternative": "other"}, ValueError, "two-sided"),
        ({"level": 1.0}, ValueError, "between 0 and 1"),
        ({"resamples": 0}, ValueError, "use at least 1"),
        ({"replicates": 2}, QueryError, "has 1: use 1 to 1"),
    ],
)
def test_bad_questions_are_told(
    changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bl.weat(subject(), **lists(**changed))


def test_a_spec_of_three_groups_is_cut_to_two() -> None:
    of = bl.load("wiki-bootstraps")
    with pytest.raises(QueryError, match=r"groups=\('Judaism', 'Christianity'\)"):
        bl.weat(of, "manzini-religion")
    with pytest.raises(SpecError, match="no group 'Hinduism'"):
        bl.weat(of, "manzini-religion", groups=["Judaism", "Hinduism"])
    found = bl.weat(of, "manzini-religion", groups=["Islam", "Christianity"], replicates=2)
    groups, attributes = found.names[:2], found.names[2:]
    assert groups == ("Islam", "Christianity")
    assert attributes == ("stereotypes about Christians", "stereotypes about Muslims")
    chosen = bl.weat(
        of,
        "manzini-religion",
        groups=["Islam", "Christianity"],
        attributes=["stereotypes about Muslims", "stereotypes about Christians"],
        replicates=2,
    )
    assert chosen.effect_size == pytest.approx(-found.effect_size)


def test_the_result_stores_exports_and_explains_itself() -> None:
    found = bl.weat(subject(replicates=3), **lists())
    assert found == Result.from_json(found.to_json())
    frame = found.to_frame()
    assert frame.word.tolist() == ["", *X, *Y]
    assert frame.loc[0, "effect_size"] == found.effect_size
    assert frame.loc[0, "effect_size_words_low"] == found.interval().low
    assert frame.loc[0, "endless_words_high"] == found.interval("endless").high
    assert frame.loc[1:, "association"].tolist() == found.association.mean(axis=0).tolist()
    text = found.summary()
    assert "of at most 1.87, between" in text
    assert f"{found.exceed} of 70 splits" in text
    roles = {role for _, role in found.verdict_spans()}
    assert {"group1", "group2", "strong"} <= roles
    with pytest.raises(KeyError):
        found.interval(kind="pairs")


def test_a_test_in_the_other_direction_says_that_it_did_not_look() -> None:
    found = bl.weat(subject(lean=2.0), **lists(), alternative="less")
    assert "was not tested, as the test looks in the other direction" in found.headline
    assert found.p == 1


def test_seeds_make_results_repeatable() -> None:
    of = subject()
    one, same = (bl.weat(of, **lists(), rng=5) for _ in range(2))
    assert one.effect_size_intervals == same.effect_size_intervals
    other = bl.weat(of, **lists(), rng=np.random.default_rng(5))
    assert other.effect_size_intervals == one.effect_size_intervals
    assert bl.weat(of, **lists(), rng=6).statistic_intervals != one.statistic_intervals


def test_intervals_end_where_the_effect_size_can() -> None:
    """Student's t would put the next corpus beyond the ceiling of 2 + 2 words."""
    few = {"targets": {"X": X[:2], "Y": Y[:2]}, "attributes": {"A": A, "B": B}}
    found = bl.weat(subject(replicates=5, lean=3.0), **few)
    assert found.effect_size > 1.5
    for interval in found.effect_size_intervals:
        assert interval.high <= found.ceiling
    by_hand = found.effect_size_by_replicate
    assert by_hand.mean() + 3 * by_hand.std(ddof=1) > found.ceiling


def test_results_travel_between_processes() -> None:
    found = bl.weat(subject(replicates=2), **lists())
    assert found.effect_size == pickle.loads(pickle.dumps(found)).effect_size
    assert pickle.loads(pickle.dumps(found)) == found


def test_short_lists_say_that_no_p_could_tell() -> None:
    few = {"targets": {"X": X[:2], "Y": Y[:2]}, "attributes": {"A": A, "B": B}}
    one = bl.weat(subject(lean=3.0), **few)
    assert one.p == pytest.approx(1 / 6)
    assert "no p below 0.167" in one.caveat()
    two = bl.weat(subject(lean=3.0), **few, alternative="two-sided")
    assert two.p == pytest.approx(1 / 3)
    assert "no p below 0.333" in two.caveat()
    assert "no p below" not in bl.weat(subject(), **lists()).caveat()


def test_a_small_p_with_an_interval_over_zero_says_so() -> None:
    """The split of these words matters, and other words could still give nothing."""
    found = bl.weat(bl.load("wiki-bootstraps"), "weat-5")
    assert found.p < 0.01
    assert 0 in found.interval("statistic", "words and corpora")
    assert "but with other words like these there may be none" in found.headline
    assert all(d.role.startswith(("groups", "attributes")) for d in found.dropped)
    sure = bl.weat(bl.load("wiki-bootstraps"), "weat-6")
    assert "may be none" not in sure.headline


def test_a_black_box_has_no_vectors() -> None:
    with pytest.raises(QueryError, match="needs word vectors; this is a function"):
        bl.weat(lambda *_: 0.5, **lists())  # type: ignore[arg-type]


def equalised(seed: int, noise: float) -> Any:
    """Vectors in which every word of A is as near to all targets as its partner in B."""
    rng = np.random.default_rng(seed)
    targets = rng.normal(size=(8, 12))
    targets[:, 0] = 0
    pairs = rng.normal(size=(3, 12))
    pairs[:, 0] = 1
    turned = pairs * np.where(np.arange(12) == 0, -1, 1)
    vectors = np.concatenate([targets, pairs, turned])
    vectors += noise * rng.standard_normal(vectors.shape)
    return bl.WordEmbedding(WORDS, vectors.astype(np.float32), name="equalised")


@pytest.mark.parametrize("groups", [{"X": X, "Y": Y}, {"X": X}])
def test_associations_that_are_rounding_have_no_size_and_no_direction(
    groups: dict[str, list[str]],
) -> None:
    for seed in range(10):
        of = equalised(seed, noise=2e-8)
        found = bl.weat(of, **lists(targets=groups), resamples=50)
        assert (found.association == 0).all()
        if len(groups) == 2:
            assert found.p == 1
            assert np.isnan(found.effect_size)
            assert "all associations are equal" in found.reason
    # What is larger than rounding stays.
    assert np.isfinite(bl.weat(equalised(0, 1e-3), **lists(), resamples=50).effect_size)


def test_a_p_value_of_just_one_less_the_level_is_told() -> None:
    """1 - 0.9 is below 0.1 in double precision; 2 of 20 splits are not more than 10 %."""
    of = subject(lean=4.0)
    three = {"X": X[:3], "Y": Y[:3]}
    found = bl.weat(of, **lists(targets=three), alternative="two-sided", level=0.9, resamples=10)
    assert found.test.fraction == (2, 20)
    assert "not clear" not in found.headline


def test_a_file_of_before_is_read_with_the_interval_of_both_truths() -> None:
    found = bl.weat(subject(lean=2.0), **lists())
    content = json.loads(found.to_json())
    former = json.dumps(content).replace('"weat/2"', '"weat/1"')
    again = Result.from_json(former)
    assert isinstance(again, WeatResult)
    assert again.effect_size_intervals == found.effect_size_intervals
    assert again.endless_intervals == ()
    assert "for lists as long as these or endless." in again.headline
    assert "for lists as long as these." in found.headline


def test_people_stand_beside_a_published_test_and_no_other() -> None:
    spec = bl.specs.get("weat-8")
    words = [w.lower() for t in (*spec.groups.values(), *spec.attributes.values()) for w in t]
    vectors = np.random.default_rng(1).normal(size=(len(words) - 1, 20)).astype(np.float32)
    of = bl.WordEmbedding(words[1:], vectors, name="made")  # without "science"
    assert "people in the implicit association test (IAT) d = 1.47" in bl.weat(of, spec).caveat()
    turned = bl.weat(of, spec, attributes=["female terms", "male terms"], resamples=10)
    assert "d = −1.47" in turned.caveat()
    shorter = {**spec.groups, "arts": spec.groups["arts"][1:]}
    assert "people" not in bl.weat(of, spec, targets=shorter, resamples=10).caveat()
