"""PSE beside WEAT's association: against brute force, known truth and invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.occupations.agreement import ALL, MATCHED, ONE_PAIR, SETS, WEAT
from biaslab.probes.occupations.leans import difference_of_means, effect_size

CUES = {"female": ("she", "woman", "girl"), "male": ("he", "man", "boy")}


def _subject(seed: int, lean: np.ndarray, noise: float) -> tuple[bl.EmbeddingEnsemble, list[str]]:
    """Words along a direction that every female cue has more of than its male one, with noise."""
    rng = np.random.default_rng(seed)
    words = [f"job{i}" for i in range(len(lean))]
    axis = np.zeros(40)
    axis[0] = 1
    cues = []
    for sign in (1, -1):
        for pair in range(3):
            own = np.zeros(40)
            own[1 + pair] = 3
            cues.append(own + 0.5 * sign * axis)
    jobs = 0.3 * rng.standard_normal((len(lean), 40))
    jobs[:, :4] = 0
    jobs += lean[:, None] * axis
    centre = np.vstack([jobs, cues])
    vectors = centre + noise * rng.standard_normal((4, *centre.shape))
    names = words + list(CUES["female"]) + list(CUES["male"])
    return bl.EmbeddingEnsemble(names, vectors.astype(np.float32)), words


def _result(
    seed: int = 0, noise: float = 0.05, n: int = 25
) -> bl.probes.occupations.OccupationsResult:
    rng = np.random.default_rng(seed)
    lean = rng.uniform(-1, 1, n)
    subject, words = _subject(seed, lean, noise)
    share = np.clip(50 - 40 * lean + 8 * rng.standard_normal(n), 0, 100)
    values = dict(zip(words, share.tolist(), strict=True))
    table = bl.probes.occupations.OutsideTable(
        "t", "Men in the occupation", "percent", "here", values, "male"
    )
    return bl.occupations(subject, words, CUES, outside=table)


def test_wefat_is_what_its_definition_says() -> None:
    """Caliskan et al. 2017: difference of mean cosines over the SD of all, by plain loops."""
    result = _result()
    assert result.cosines is not None
    found = {
        "effect size": result.association(),
        "difference": result.association(measure="difference"),
    }
    subject, words = _subject(0, np.random.default_rng(0).uniform(-1, 1, 25), 0.05)
    for b in (0, 3):
        for i in (0, 11):
            word = subject.vectors([words[i]])[b, 0].astype(float)

            def cosine(cue: str, word: np.ndarray = word, b: int = b) -> float:
                other = subject.vectors([cue])[b, 0].astype(float)
                return float(word @ other / np.sqrt((word @ word) * (other @ other)))

            to = [[cosine(cue) for cue in cues] for cues in CUES.values()]
            gap = sum(to[0]) / 3 - sum(to[1]) / 3
            every = to[0] + to[1]
            mean = sum(every) / 6
            sd = (sum((c - mean) ** 2 for c in every) / 6) ** 0.5
            assert found["difference"][b, i] == pytest.approx(gap, abs=1e-6)
            assert found["effect size"][b, i] == pytest.approx(gap / sd, abs=1e-4)


def test_ddof_changes_the_effect_size_by_one_factor_for_all_words() -> None:
    rng = np.random.default_rng(1)
    one, two = rng.standard_normal((20, 3)), rng.standard_normal((20, 5))
    ratio = effect_size(one, two, ddof=0) / effect_size(one, two, ddof=1)
    np.testing.assert_allclose(ratio, np.sqrt(8 / 7))
    assert np.isnan(effect_size(np.ones((1, 2)), np.ones((1, 2)))).all()
    np.testing.assert_allclose(difference_of_means(one, two), -difference_of_means(two, one))


def test_with_one_pair_pse_and_the_difference_of_cosines_are_the_same_measure() -> None:
    """Eq. 8: PSE - 1/2 is the difference of cosines over 2 (1 - cos(c1, c2))."""
    result = _result()
    groups = {"female": ["she"], "male": ["he"]}
    subject, words = _subject(0, np.random.default_rng(0).uniform(-1, 1, 25), 0.05)
    one = bl.occupations(subject.replicate(0), words, groups, outside=result.outside)
    rows = {row.measure: row for row in one.comparison()}
    weat = rows["WEAT difference of means"]
    for name in (ONE_PAIR, MATCHED, ALL, SETS):
        assert rows[name].pearson == pytest.approx(weat.pearson, abs=1e-6)


def test_averaging_over_pairs_raises_a_correlation_that_noise_in_pairs_holds_down() -> None:
    result = _result(noise=0.9)
    rows = {row.measure: row for row in result.comparison()}
    assert abs(rows[MATCHED].pearson) > abs(rows[ONE_PAIR].pearson)
    assert rows[ONE_PAIR].pearson_gap > rows[MATCHED].pearson_gap
    assert (rows[ONE_PAIR].pairs, rows[MATCHED].pairs, rows[ALL].pairs, rows[SETS].pairs) == (
        1,
        3,
        9,
        1,
    )
    assert [r.measure for r in result.comparison()[-3:]] == [
        "PSE, she / he",
        "PSE, woman / man",
        "PSE, girl / boy",
    ]


def test_weat_differs_from_itself_by_nothing() -> None:
    row = next(r for r in _result().comparison() if r.measure == WEAT)
    assert (row.pearson_gap, row.pearson_gap_interval.low, row.pearson_gap_interval.high) == (
        0,
    ) * 3


@settings(max_examples=8)
@given(st.integers(0, 100))
def test_swapping_the_groups_leaves_every_size_and_gap(seed: int) -> None:
    result = _result(seed, noise=0.3)
    subject, words = _subject(seed, np.random.default_rng(seed).uniform(-1, 1, 25), 0.3)
    turned = bl.occupations(
        subject, words, dict(reversed(CUES.items())), outside=result.outside
    ).comparison()
    by_name = {row.measure: row for row in turned}
    for row in result.comparison()[:6]:
        other = by_name[row.measure]
        # PSE and axis both turn, so that the sign stays.
        assert other.pearson == pytest.approx(row.pearson, abs=1e-4)
        assert other.spearman_gap == pytest.approx(row.spearman_gap, abs=1e-3)


def test_the_verdict_answers_with_intervals() -> None:
    told = _result(noise=0.6, n=150).comparison_verdict()
    assert "150 words" in told
    assert "over 3 pairs" in told
    assert told.count("between") >= 5
    assert told.startswith("With averaging, or a cue set, there is no clear gap to WEAT")
    few = _result(n=3).comparison_verdict()
    assert "3 points" in few


def test_lists_of_unequal_length_are_compared_without_matched_pairs() -> None:
    result = _result()
    subject, words = _subject(0, np.random.default_rng(0).uniform(-1, 1, 25), 0.05)
    groups = {"female": ["she", "woman"], "male": ["he", "man", "boy"]}
    rows = bl.occupations(
        subject, words, groups, pairing="all", outside=result.outside
    ).comparison()
    names = [row.measure for row in rows]
    assert MATCHED not in names
    assert sum(name.startswith("PSE, ") and "/" in name for name in names) == 6


def test_a_black_box_cannot_be_compared() -> None:
    truth = bl.observers.binomial({"nurse": 0.7}, jnd=0.05, observers=4, seed=1)
    table = bl.probes.occupations.OutsideTable("t", "t", "percent", "here", {"nurse": 10.0}, "male")
    groups = {"female": ["she"], "male": ["he"]}
    result = bl.occupations(truth.respond, ["nurse"], groups, outside=table, observers=4)
    with pytest.raises(QueryError, match="word vectors"):
        result.comparison()
