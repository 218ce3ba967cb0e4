"""SEAT and CEAT against WEAT on the same sentences, against all draws, and by invariants."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.association import ceat, seat
from biaslab.records.result import Result
from harness import tiny_encoders

X, Y = ["nurse", "family", "home"], ["engineer", "career", "business"]
A, B = ["she", "woman"], ["he", "man"]
TARGETS, ATTRIBUTES = {"care": X, "work": Y}, {"female": A, "male": B}
TEMPLATES = ["this is {}", "{} is here", "that is {} and there"]


@pytest.fixture(scope="module")
def encoder() -> bl.subjects.Encoder:
    return bl.subjects.Encoder(*tiny_encoders.bert(3), name="tiny")


def _said(words: list[str]) -> list[str]:
    return [t.replace("{}", word) for word in words for t in TEMPLATES]


def test_the_papers_numbers_are_weat_with_sentences_as_words(encoder: bl.subjects.Encoder) -> None:
    found = seat(encoder, targets=TARGETS, attributes=ATTRIBUTES, templates=TEMPLATES)
    assert found.pooling == "cls"
    whole = encoder.under(["{}"], pooling="cls")
    weat = bl.weat(
        whole,
        targets={"care": _said(X), "work": _said(Y)},
        attributes={"female": _said(A), "male": _said(B)},
    )
    assert found.sentence_effect_size == pytest.approx(weat.effect_size, abs=1e-5)
    np.testing.assert_allclose(found.by_sentence.reshape(-1), weat.association[0], atol=1e-6)
    assert found.sentence_test.fraction == weat.test.fraction
    # Words as units: the same difference of means, and all 20 splits of six words.
    assert found.test.observed == pytest.approx(found.sentence_test.observed)
    assert found.test.partitions == 20


def test_each_template_alone_is_weat_in_that_context(encoder: bl.subjects.Encoder) -> None:
    found = seat(
        encoder, targets=TARGETS, attributes=ATTRIBUTES, templates=TEMPLATES, pooling="term"
    )
    weat = bl.weat(encoder.under(TEMPLATES, pooling="term"), targets=TARGETS, attributes=ATTRIBUTES)
    np.testing.assert_allclose(
        found.effect_size_by_template, weat.effect_size_by_replicate, atol=1e-5
    )
    alone = seat(
        encoder, targets=TARGETS, attributes=ATTRIBUTES, templates=TEMPLATES[:1], pooling="term"
    )
    assert alone.effect_size == pytest.approx(float(weat.effect_size_by_replicate[0]), abs=1e-5)
    assert alone.sentence_effect_size == pytest.approx(alone.effect_size)


def test_swapped_groups_turn_signs_and_shares_add_up(encoder: bl.subjects.Encoder) -> None:
    one = seat(encoder, targets=TARGETS, attributes=ATTRIBUTES, templates=TEMPLATES)
    turned = seat(
        encoder,
        targets=dict(reversed(TARGETS.items())),
        attributes=ATTRIBUTES,
        templates=TEMPLATES[::-1],
    )
    assert turned.effect_size == pytest.approx(-one.effect_size, abs=1e-6)
    assert turned.sentence_effect_size == pytest.approx(-one.sentence_effect_size, abs=1e-6)
    assert sum(one.shares.values()) == pytest.approx(1)
    assert abs(one.effect_size) <= one.ceiling


def test_a_finding_against_the_direction_tested_is_not_taken_for_none(
    encoder: bl.subjects.Encoder,
) -> None:
    one = seat(encoder, targets=TARGETS, attributes=ATTRIBUTES, templates=TEMPLATES)
    turned = seat(
        encoder, targets=TARGETS, attributes=ATTRIBUTES, templates=TEMPLATES, alternative="less"
    )
    assert one.effect_size == turned.effect_size
    against, along = (one, turned) if one.effect_size < 0 else (turned, one)
    assert "was not tested" in against.headline
    assert "was not tested" not in along.headline


def test_results_explain_and_reopen_themselves(encoder: bl.subjects.Encoder) -> None:
    for found in (
        seat(encoder, targets={**TARGETS, "care": [*X, "東"]}, attributes=ATTRIBUTES),
        ceat(encoder, targets={**TARGETS, "care": [*X, "東"]}, attributes=ATTRIBUTES, draws=50),
    ):
        assert Result.from_json(found.to_json()) == found
        assert "東" in found.summary()
        assert found.dropped[0].term == "東"
        assert found.provenance.device == "cpu"
        assert found.provenance.subject_hash is not None
        assert np.isfinite(found.to_frame()["effect_size"]).all()


def test_figures_show_the_numbers_of_the_result(encoder: bl.subjects.Encoder) -> None:
    by_template = seat(encoder, targets=TARGETS, attributes=ATTRIBUTES, templates=TEMPLATES)
    plot = by_template.figure()
    dots = next(r for r in plot.renderers if "template" in r.data_source.data)
    shown = dots.data_source.data["size"]
    np.testing.assert_allclose(shown, np.sort(by_template.effect_size_by_template)[::-1])
    assert len(plot.yaxis[0].major_label_overrides) == len(TEMPLATES)
    drawn = ceat(encoder, targets=TARGETS, attributes=ATTRIBUTES, contexts=TEMPLATES, draws=100)
    bars = [r.data_source.data["top"] for r in drawn.figure().renderers]
    assert [b.sum() for b in bars] == pytest.approx([1, 1])


def test_with_one_context_every_draw_is_weat(encoder: bl.subjects.Encoder) -> None:
    found = ceat(encoder, targets=TARGETS, attributes=ATTRIBUTES, contexts=TEMPLATES[:1], draws=20)
    weat = bl.weat(encoder.under(TEMPLATES[:1]), targets=TARGETS, attributes=ATTRIBUTES)
    np.testing.assert_allclose(found.effect_sizes, weat.effect_size, atol=1e-5)
    assert found.effect_size == pytest.approx(weat.effect_size, abs=1e-5)
    assert found.combined.tau2 == 0
    expected = 6 / 9 + found.effect_sizes**2 / 12
    np.testing.assert_allclose(found.variances, expected)


def test_draws_are_all_choices_of_contexts_alike_often(encoder: bl.subjects.Encoder) -> None:
    targets, attributes = {"x": X[:2], "y": Y[:2]}, {"a": A[:1], "b": B[:1]}
    contexts = TEMPLATES[:2]
    found = ceat(encoder, targets=targets, attributes=attributes, contexts=contexts, draws=8000)
    vectors = encoder.under(contexts).vectors([*X[:2], *Y[:2], A[0], B[0]]).astype(float)
    unit = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    sizes = []
    for choice in itertools.product((0, 1), repeat=6):
        w = np.stack([unit[c, i] for i, c in enumerate(choice)])
        s = w[:4] @ w[4] - w[:4] @ w[5]
        sizes.append((s[:2].mean() - s[2:].mean()) / s.std(ddof=1))
    near = np.abs(found.effect_sizes[:, None] - np.array(sizes)).argmin(axis=1)
    np.testing.assert_allclose(found.effect_sizes, np.array(sizes)[near], atol=1e-4)
    # 8,000 draws of 64: five standard deviations of the mean.
    reach = 5 * np.std(sizes) / np.sqrt(8000)
    assert found.effect_sizes.mean() == pytest.approx(np.mean(sizes), abs=reach)
    assert found.share_positive == pytest.approx(np.mean(np.array(sizes) > 0), abs=0.03)


def test_draws_are_repeatable_and_swapped_groups_turn_the_sign(
    encoder: bl.subjects.Encoder,
) -> None:
    options = {"attributes": ATTRIBUTES, "contexts": TEMPLATES, "draws": 4000}
    one, again = (ceat(encoder, targets=TARGETS, **options) for _ in range(2))  # type: ignore[arg-type]
    np.testing.assert_array_equal(one.effect_sizes, again.effect_sizes)
    other = ceat(encoder, targets=dict(reversed(TARGETS.items())), **options)  # type: ignore[arg-type]
    assert other.effect_size == pytest.approx(-one.effect_size, abs=0.05)
    assert other.combined.tau2 == pytest.approx(one.combined.tau2, abs=0.02)


def test_texts_count_for_the_words_that_they_hold(
    encoder: bl.subjects.Encoder, tmp_path: Path
) -> None:
    texts = [
        "the Nurse is here", "a nurse and a family", "the engineer is there", "business is there",
        "she is a woman", "he is here", "man and woman", "homeless is not home",
    ]  # fmt: skip
    found = ceat(encoder, targets=TARGETS, attributes=ATTRIBUTES, contexts=texts, draws=50)
    assert found.contexts["nurse"] == 2
    assert found.contexts["home"] == 1
    assert "career" not in found.contexts
    assert [(d.term, d.reason) for d in found.dropped] == [("career", "no context contains it")]
    file = tmp_path / "texts.txt"
    file.write_text("\n".join(texts), encoding="utf-8")
    again = ceat(encoder, targets=TARGETS, attributes=ATTRIBUTES, contexts=file, draws=50)
    np.testing.assert_array_equal(again.effect_sizes, found.effect_sizes)
    limited = ceat(
        encoder, targets=TARGETS, attributes=ATTRIBUTES, contexts=texts, draws=50, per_word=1
    )
    assert set(limited.contexts.values()) == {1}
    by_word = {w: [t.replace("{}", w) for t in TEMPLATES[:1]] for w in (*X, *Y, *A, *B)}
    mapped = ceat(encoder, targets=TARGETS, attributes=ATTRIBUTES, contexts=by_word, draws=9)
    plain = ceat(encoder, targets=TARGETS, attributes=ATTRIBUTES, contexts=TEMPLATES[:1], draws=9)
    np.testing.assert_allclose(mapped.effect_sizes, plain.effect_sizes, atol=1e-6)


def test_a_word_among_its_contexts_has_the_vector_of_its_own_tokens(
    encoder: bl.subjects.Encoder,
) -> None:
    text = "the nurse is here and the engineer is there"
    spans = [(4, 9), (26, 34)]
    assert [text[a:z] for a, z in spans] == ["nurse", "engineer"]
    found = encoder.encode([text, text], spans)
    contexts = ["the {} is here and the engineer is there", "the nurse is here and the {} is there"]
    within = encoder.under(contexts)
    expected = [within.vectors(["nurse"])[0, 0], within.vectors(["engineer"])[1, 0]]
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_what_cannot_be_asked_is_said(encoder: bl.subjects.Encoder, tmp_path: Path) -> None:
    words = bl.load("wiki-bootstraps")
    for probe in (seat, ceat):
        with pytest.raises(QueryError, match="encoder"):
            probe(words, targets=TARGETS, attributes=ATTRIBUTES)
        with pytest.raises(QueryError, match="compares two groups; got 1"):
            probe(encoder, targets={"care": X}, attributes=ATTRIBUTES)
        with pytest.raises(QueryError, match="two attribute lists; got 3"):
            probe(encoder, targets=TARGETS, attributes={**ATTRIBUTES, "none": ["home"]})
    with pytest.raises(QueryError, match="at least two known words"):
        seat(encoder, targets={"care": X[:1], "work": Y}, attributes=ATTRIBUTES)
    with pytest.raises(QueryError, match="Too few words of 'care'"):
        ceat(encoder, targets=TARGETS, attributes=ATTRIBUTES, contexts=["the nurse is here"])
    with pytest.raises(QueryError, match="cannot be read"):
        ceat(encoder, targets=TARGETS, attributes=ATTRIBUTES, contexts=tmp_path / "none.txt")
    # Of one text that holds all words, the first token's vector is the same for all of them.
    everything = " ".join([*X, *Y, *A, *B])
    with pytest.raises(QueryError, match="no spread"):
        ceat(
            encoder.under(pooling="cls"),
            targets=TARGETS,
            attributes=ATTRIBUTES,
            contexts=[everything],
        )
