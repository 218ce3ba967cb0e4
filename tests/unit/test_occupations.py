"""bl.occupations: recovers known truth, obeys its invariants, says what it left out."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import biaslab as bl
from biaslab.errors import QueryError, SpecError
from biaslab.probes.occupations.leans import lean_counts
from biaslab.records.result import Result
from biaslab.reports.chart import Points
from biaslab.reports.occupations.chart import chart

WORDS = ["nurse", "engineer", "teacher", "lawyer", "clerk", "cook", "pilot", "judge"]
CUES = {"female": ("she", "woman", "girl"), "male": ("he", "man", "boy")}


def _ensemble(seed: int = 0, replicates: int = 6) -> bl.EmbeddingEnsemble:
    rng = np.random.default_rng(seed)
    words = [*WORDS, *CUES["female"], *CUES["male"]]
    centre = rng.standard_normal((len(words), 20))
    vectors = centre + 0.3 * rng.standard_normal((replicates, len(words), 20))
    return bl.EmbeddingEnsemble(words, vectors.astype(np.float32), name="random")


def _table(
    values: dict[str, float], of: str = "male", unit: str = "percent"
) -> bl.probes.occupations.OutsideTable:
    return bl.probes.occupations.OutsideTable(
        "t", "Men in the occupation", unit, "here", values, of
    )


def _men(seed: int = 1) -> bl.probes.occupations.OutsideTable:
    rng = np.random.default_rng(seed)
    return _table({word: float(v) for word, v in zip(WORDS, 100 * rng.random(8), strict=True)})


def test_the_jnd_correlates_with_the_pse_where_that_is_planted() -> None:
    pse = {f"job{i}": 0.3 + 0.02 * i for i in range(20)}
    subjects = [
        bl.observers.embedding(pse, jnd, replicates=64, seed=1)
        for jnd in ({word: x / 5 for word, x in pse.items()}, 0.1)
    ]
    groups = {"female": ["female"], "male": ["male"]}
    grows, level = (bl.occupations(s, list(pse), groups).pse_with_jnd() for s in subjects)
    assert grows.n == 20
    assert grows.pearson_interval.low > 0.7
    assert level.pearson_interval.low < 0 < level.pearson_interval.high


@pytest.mark.parametrize("slope", [-0.004, 0.004])
def test_a_subject_whose_pse_is_a_line_of_the_table_correlates_exactly(slope: float) -> None:
    men = {f"job{i}": 5.0 + 9 * i for i in range(10)}
    subject = bl.observers.embedding(
        pse={word: 0.5 + slope * (x - 50) for word, x in men.items()}, jnd=0.0, replicates=3, seed=1
    )
    found = bl.occupations(
        subject, list(men), {"female": ["female"], "male": ["male"]}, outside=_table(men)
    ).agreement()
    sign = np.sign(slope)
    assert found.pearson == pytest.approx(sign, abs=1e-6)
    assert found.spearman == pytest.approx(sign)
    assert found.line is not None
    assert found.line.slope == pytest.approx(slope, rel=1e-4)
    assert found.line.intercept == pytest.approx(0.5 - 50 * slope, abs=1e-4)


def test_known_pse_and_jnd_are_recovered_and_counted() -> None:
    subject = bl.observers.embedding(
        pse={"nurse": 0.8, "engineer": 0.2, "teacher": 0.5}, jnd=0.02, replicates=2000, seed=3
    )
    groups = {"female": ["female"], "male": ["male"]}
    result = bl.occupations(subject, ["nurse", "engineer", "teacher"], groups, outside=None)
    np.testing.assert_allclose(result.contrasts[0].pse, [0.8, 0.2, 0.5], atol=0.003)
    np.testing.assert_allclose(result.contrasts[0].jnd, 0.02, rtol=0.05)
    assert result.lean_counts() == (1, 1, 1, 0)
    assert result.headline == (
        "1 of 3 occupations lean female, 1 lean male, 1 show no clear lean; 9 points or "
        "more would show."
    )


def test_words_chart_and_headline_follow_the_correction() -> None:
    pse = {f"word{i}": 0.5 + 0.005 * i for i in range(30)}
    subject = bl.observers.embedding(pse=pse, jnd=0.02, replicates=200, seed=3)
    groups = {"female": ["female"], "male": ["male"]}
    result = bl.occupations(subject, list(pse), groups, outside=None)
    plain, strict = (lean_counts(result.contrasts[0], adjust) for adjust in ("none", "holm"))
    assert plain.group_1 > strict.group_1 > 0
    assert result.headline == (
        f"{strict.group_1} of 30 words lean female, 0 lean male, {strict.undecided} show no "
        "clear lean; 12 points or more would show in half of them. "
        f"Corrected for 30 words (Holm); uncorrected, {plain.group_1} "
        f"female and {plain.group_2} male."
    )
    for adjust, counts in (("none", plain), ("holm", strict)):
        drawn = chart(result, adjust=adjust)
        points = [m for m in drawn.panels[0][0].marks if isinstance(m, Points) and m.data]
        assert [list(one.shape).count("circle") for one in points] == [counts.group_1]
        assert drawn.title.startswith(f"{counts.group_1} of 30 words lean female")


@pytest.mark.parametrize("scoring", ["eq8", "mixture"])
def test_matched_pairs_and_combinations_are_those_of_two_afc(scoring: str) -> None:
    subject = _ensemble()
    asked = {
        "matched": list(zip(CUES["female"], CUES["male"], strict=True)),
        "all": list(product(CUES["female"], CUES["male"])),
    }
    for pairing, pairs in asked.items():
        result = bl.occupations(
            subject,
            WORDS,
            CUES,
            pairing=pairing,
            scoring=scoring,  # type: ignore[arg-type]
        )
        reference = bl.two_afc(subject, WORDS, pairs, scoring=scoring)  # type: ignore[arg-type]
        found = result.contrasts[0]
        assert list(found.pairs) == pairs
        np.testing.assert_allclose(found.switch, reference.switch, atol=2e-5)
        np.testing.assert_allclose(found.pooled.corpus, reference.pooled.corpus, atol=1e-4)


def test_a_cue_set_is_the_mean_of_its_vectors() -> None:
    subject = _ensemble()
    found = bl.occupations(subject, WORDS, CUES, pairing="sets").contrasts[0]
    assert found.pairs == (("female", "male"),)
    phrases = [(" ".join(CUES["female"]), " ".join(CUES["male"]))]
    reference = bl.two_afc(subject, WORDS, phrases)
    np.testing.assert_allclose(found.switch, reference.switch, atol=2e-5)


@settings(max_examples=10)
@given(st.integers(0, 300), st.sampled_from(["matched", "all", "sets"]))
def test_swapping_the_groups_mirrors_everything(seed: int, pairing: str) -> None:
    subject, table = _ensemble(seed), _men(seed)
    one = bl.occupations(subject, WORDS, CUES, pairing=pairing, outside=table)  # type: ignore[arg-type]
    turned = dict(reversed(CUES.items()))
    two = bl.occupations(subject, WORDS, turned, pairing=pairing, outside=table)  # type: ignore[arg-type]
    np.testing.assert_allclose(one.contrasts[0].pse, 1 - two.contrasts[0].pse, atol=1e-4)
    np.testing.assert_array_equal(one.leans(), -two.leans())
    np.testing.assert_allclose(one.association(), -two.association(), atol=1e-4)
    # The axis turns with the groups: the share of group 2 is shown.
    a, b = one.agreement(), two.agreement()
    np.testing.assert_allclose(a.x, 100 - b.x)
    assert a.pearson == pytest.approx(b.pearson, abs=1e-4)
    assert (a.x_label, b.x_label) == ("men in the occupation, %", "women in the occupation, %")


@settings(max_examples=8)
@given(st.permutations(WORDS), st.permutations([0, 1, 2]), st.floats(0.01, 0.9))
def test_order_and_the_tables_unit_change_nothing_and_its_sense_the_sign(
    words: list[str], order: list[int], scale: float
) -> None:
    subject, table = _ensemble(2), _men(2)
    one = bl.occupations(subject, WORDS, CUES, outside=table)
    cues = {name: [cues[i] for i in order] for name, cues in CUES.items()}
    smaller = _table({w: scale * v for w, v in table.values.items()}, unit="")
    two = bl.occupations(subject, words, cues, outside=smaller)
    turned = _table({w: 100 - v for w, v in table.values.items()}, unit="")
    three = bl.occupations(subject, words, cues, outside=turned)
    for word in WORDS:
        here, there = two.words.index(word), one.words.index(word)
        assert two.contrasts[0].pse[here] == pytest.approx(one.contrasts[0].pse[there], abs=1e-5)
    assert len(repr(one.agreement())) < 200
    assert f"Pearson {one.agreement().pearson:.2f}" in repr(one.agreement())
    assert two.agreement().pearson == pytest.approx(one.agreement().pearson, abs=1e-4)
    assert two.agreement().spearman == pytest.approx(one.agreement().spearman, abs=1e-6)
    assert three.agreement().pearson == pytest.approx(-one.agreement().pearson, abs=1e-4)


def test_jnd_is_held_against_the_spread_of_shares_only() -> None:
    table = _men()
    result = bl.occupations(_ensemble(), WORDS, CUES, outside=table)
    found = result.agreement("jnd")
    share = np.array([table.values[w] for w in found.words]) / 100
    np.testing.assert_allclose(found.x, np.sqrt(share * (1 - share)))
    np.testing.assert_allclose(found.y, result.contrasts[0].jnd)
    dollars = _table(dict(table.values), unit="dollars")
    other = bl.occupations(_ensemble(), WORDS, CUES, outside=dollars)
    with pytest.raises(QueryError, match="not contain shares"):
        other.agreement("jnd")
    assert np.isfinite(other.agreement("pse").pearson)


def test_words_without_an_outside_number_are_listed() -> None:
    table = _table({w: float(10 * i) for i, w in enumerate(WORDS[:5])})
    found = bl.occupations(_ensemble(), WORDS, CUES, outside=table).agreement()
    assert found.n == 5
    assert [d.term for d in found.excluded] == WORDS[5:]
    assert "no value" in found.excluded[0].reason


def test_a_correlation_that_cannot_be_has_a_reason() -> None:
    few = bl.occupations(_ensemble(), WORDS[:3], CUES, outside=_men())
    assert "3 points" in few.agreement().reason
    assert "3 points" in few.headline
    alike = bl.occupations(_ensemble(), WORDS, CUES, outside=_table(dict.fromkeys(WORDS, 40.0)))
    assert "equal" in alike.agreement().reason
    assert alike.agreement().line is None
    with pytest.raises(QueryError, match="outside"):
        bl.occupations(_ensemble(), WORDS, CUES, outside=None).agreement()


def test_a_fresh_corpus_widens_the_interval_and_one_embedding_has_none() -> None:
    result = bl.occupations(_ensemble(), WORDS, CUES, outside=_men())
    narrow = result.agreement().pearson_interval
    wide = result.agreement(over="words and corpora").pearson_interval
    assert wide.low < narrow.low < narrow.high < wide.high
    assert "words and corpora" in wide.kind
    single = bl.occupations(_ensemble().replicate(0), WORDS, CUES, outside=_men())
    with pytest.raises(QueryError, match="A single embedding"):
        single.agreement(over="words and corpora")


def test_words_that_share_a_vector_are_one_word(tmp_path: Path) -> None:
    one = _ensemble().replicate(0)
    rows = one.vectors(one.words)[0].copy()
    rows[1:4] = rows[0]
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(one.words, rows, strict=True)]
    (tmp_path / "pruned.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pruned = bl.load(tmp_path / "pruned.txt")
    assert "3 have the vector of another one: the vocabulary was pruned" in pruned.notes[0]
    result = bl.occupations(pruned, WORDS, CUES)
    assert result.words == (WORDS[0], *WORDS[4:])
    assert "3 of 8 occupations left out, 3 because another one has the same" in result.caveat()


def test_what_is_unknown_or_listed_twice_is_told() -> None:
    groups = {"female": ["she", "woman", "hers"], "male": ["he", "man", "his"]}
    words = ["nurse", "nurse", "Nurse", "<b>clerk</b>", "ممرضة", "cook"]
    result = bl.occupations(_ensemble(), words, groups)
    assert result.words == ("nurse", "cook")
    dropped = {(d.term, d.role) for d in result.dropped}
    assert dropped >= {("nurse", "item"), ("Nurse", "item"), ("<b>clerk</b>", "item")}
    assert {("hers", "cue"), ("his", "cue")} <= dropped
    assert result.contrasts[0].pairs == (("she", "he"), ("woman", "man"))
    assert "left out" in result.caveat()


@pytest.mark.parametrize(
    ("words", "groups", "pairing", "told"),
    [
        ([], CUES, "matched", "empty"),
        (["", "  "], CUES, "matched", "empty"),
        (["astronaut"], CUES, "matched", "No word is left"),
        (WORDS, {"female": ["she"]}, "matched", "at least two groups"),
        (WORDS, {"female": [], "male": ["he"]}, "matched", "empty"),
        (WORDS, {"female": ["shee"], "male": ["he"]}, "matched", "No cue of 'female'"),
        (WORDS, {"female": ["she", "woman"], "male": ["he"]}, "matched", "pairing='all'"),
        (WORDS, {"a": ["she"], "b": ["she"]}, "matched", "same vector"),
        (WORDS, ["she", "he"], "matched", "named lists"),
        ("gender-pairs", CUES, "matched", "no items"),
    ],
)
def test_what_cannot_be_asked_says_what_to_do(
    words: object, groups: object, pairing: str, told: str
) -> None:
    with pytest.raises(QueryError, match=told):
        bl.occupations(_ensemble(), words, groups, pairing=pairing)  # type: ignore[arg-type]


def test_unknown_options_are_refused() -> None:
    with pytest.raises(SpecError):
        bl.occupations(_ensemble(), "occupatons", CUES)
    with pytest.raises(ValueError, match="'matched', 'all' or 'sets'"):
        bl.occupations(_ensemble(), WORDS, CUES, pairing="each")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="eq8"):
        bl.occupations(_ensemble(), WORDS, CUES, scoring="eq9")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="level"):
        bl.occupations(_ensemble(), WORDS, CUES, level=95)


def test_a_word_in_both_lists_makes_no_pair_with_itself() -> None:
    groups = {"female": ["she", "woman", "girl", "clerk"], "male": ["he", "man", "boy", "clerk"]}
    found = bl.occupations(_ensemble(), WORDS, groups, pairing="all").contrasts[0]
    assert len(found.pairs) == 15
    assert ("clerk", "clerk") not in found.pairs
    assert found.crossing is not None
    assert found.crossing.missing == 1
    assert any(d.role == "cue pair" for d in found.dropped)


def test_specs_give_groups_their_names() -> None:
    from biaslab.probes.occupations.questions import resolve_groups

    assert list(resolve_groups("gender-pairs")[0]) == ["female", "male"]
    assert list(resolve_groups("love-hate")[0]) == ["love", "hate"]
    persons, name = resolve_groups("eec-persons")
    assert (list(persons), name) == (["female", "male"], "eec-persons")
    assert persons["female"][0] == "she"
    assert len(resolve_groups("manzini-religion")[0]) == 3


def test_the_default_table_fits_the_groups() -> None:
    jobs = {"nurse": 0.7, "engineer": 0.3, "teacher": 0.6, "lawyer": 0.45}
    subject = bl.observers.embedding(jobs, replicates=4, seed=1, cues=[("female", "male")])
    women = bl.occupations(subject, list(jobs), {"female": ["female"], "male": ["male"]})
    assert women.outside is not None
    assert women.outside.name == "occupations/percent-female-bls"
    feelings = bl.observers.embedding(jobs, replicates=4, seed=1, cues=[("love", "hate")])
    assert bl.occupations(feelings, list(jobs), "love-hate").outside is None
    three = list(jobs)[:3]
    assert bl.occupations(subject, three, {"female": ["female"], "male": ["male"]}).outside is None


def test_holm_leans_are_among_the_plain_ones() -> None:
    jobs = {f"job{i}": 0.5 + 0.01 * i for i in range(20)}
    subject = bl.observers.embedding(jobs, jnd=0.02, replicates=16, seed=4)
    result = bl.occupations(subject, list(jobs), {"female": ["female"], "male": ["male"]})
    plain, strict = result.leans(), result.leans(adjust="holm")
    assert 0 < (strict != 0).sum() < (plain != 0).sum()
    assert (plain[strict != 0] == strict[strict != 0]).all()
    assert "Holm" in result.summary()
    p = result.contrasts[0].pooled.p_value
    np.testing.assert_array_equal(p < 0.05, plain != 0)


def test_its_table_holds_its_numbers() -> None:
    result = bl.occupations(_ensemble(), WORDS, CUES, pairing="all", outside=_men())
    assert Result.from_json(result.to_json()) == result
    assert result.agreement() is result.agreement()
    frame = result.to_frame()
    assert list(frame["word"]) == WORDS
    assert frame["pse"].tolist() == result.contrasts[0].pse.tolist()
    assert set(frame["n_pairs"]) == {9}
    assert tuple(frame["lean_class"]) == result.contrasts[0].lean_classes().classes


def test_a_black_box_is_asked_too() -> None:
    truth = bl.observers.binomial({"nurse": 0.7, "engineer": 0.3}, jnd=0.05, observers=8, seed=1)
    groups = {"female": ["she", "woman"], "male": ["he", "man"]}
    result = bl.occupations(truth.respond, ["nurse", "engineer"], groups, observers=8)
    np.testing.assert_allclose(result.contrasts[0].pse, [0.7, 0.3], atol=0.01)
    assert Result.from_json(result.to_json()) == result
    with pytest.raises(QueryError, match="cue set"):
        bl.occupations(truth.respond, ["nurse"], groups, pairing="sets")
    with pytest.raises(QueryError, match="vectors"):
        result.association()


def test_one_embedding_and_one_pair_say_that_nothing_is_sure() -> None:
    result = bl.occupations(
        _ensemble().replicate(0), WORDS, {"female": ["she"], "male": ["he"]}, outside=None
    )
    assert result.lean_counts().unknown == len(WORDS)
    assert "no interval" in result.headline
    assert result.summary()
    assert result.to_svg().startswith("<svg")


def test_pictures_are_drawn_with_words_escaped(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = ["<script>alert(1)</script>", "a&b", "ممرضة", "plain", "she", "he"]
    subject = bl.EmbeddingEnsemble(words, rng.standard_normal((4, 6, 12)).astype(np.float32))
    result = bl.occupations(subject, words[:4], {"female": ["she"], "male": ["he"]})
    result.to_svg(tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "a&amp;b" in text
    assert "neutral 50 %" in text
    from biaslab.reports.occupations.chart import chart
    from biaslab.reports.svg import paint

    assert "JND" in paint(chart(result, measure="jnd"))


def test_the_bokeh_figure_holds_the_points_and_the_table() -> None:
    from bokeh.models import GlyphRenderer

    result = bl.occupations(_ensemble(), WORDS, CUES, outside=_men())
    layout = result.figure()
    sources = [r.data_source.data for r in layout.select({"type": GlyphRenderer})]
    drawn = next(s for s in sources if "word" in s and "pse" in s)
    order = [result.words.index(w) for w in drawn["word"]]
    np.testing.assert_allclose(drawn["pse"], 100 * result.contrasts[0].pse[order])
    scattered = next(s for s in sources if "word" in s and "pse" not in s)
    np.testing.assert_allclose(scattered["x"], result.agreement().x)
    three = bl.occupations(_ensemble(), WORDS, {"a": ["she"], "b": ["he"], "c": ["boy"]})
    assert three.figure() is not None


def test_words_lean_toward_a_group_that_is_called_by_a_noun() -> None:
    groups = {name: bl.specs.get("manzini-religion").groups[name] for name in ("Judaism", "Islam")}
    verdict = bl.occupations("wiki-bootstraps", ["nurse", "priest", "soldier"], groups).verdict()[0]
    assert "toward Judaism" in verdict
    assert "lean Judaism" not in verdict
