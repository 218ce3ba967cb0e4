"""Language models in other languages than English: planted truth, agreement, tiny models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError, SentenceError
from biaslab.probes.psychometrics import agreement_effects
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.sentences.agreeing import frame_pairs
from biaslab.probes.sentences.exchange import read_pairs, write_pairs
from biaslab.subjects.language_model.model import LanguageModel
from harness.needs import needs
from harness.planted_language_models import planted
from harness.sentence_pairs import FakeModel, TextScorer
from harness.tiny_multilingual_models import MODELS, tiny, words_of

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

MODEL: Any = FakeModel()
GERMAN = (("sie", "er"),)


def observer(
    adds: Mapping[str, float], noise: float = 0.1, kind: Any = "clm", pairs: Any = GERMAN
) -> LanguageModel:
    """A simulated observer that reads all languages, one token a word."""
    get = bl.frames.get
    german = get("de"), get("de", "both"), get("de", "feminine"), get("de", "masculine")
    return planted(adds, noise, kind, words_of(*german, bl.frames.get("tr")), pairs)


# Known truth


@pytest.mark.parametrize("kind", ["clm", "mlm"])
@pytest.mark.parametrize(("pse", "noise"), [(0.62, 0.05), (0.31, 0.2)])
def test_a_planted_pse_in_german_is_recovered(kind: Any, pse: float, noise: float) -> None:
    lm = observer({"Krankenpflege": -pse}, noise, kind)
    frames = bl.frames.get("de")
    result = bl.two_afc(lm, ["nurse"], GERMAN, observers=frames, family="logistic")
    assert result.pse[0] == pytest.approx(pse, abs=1e-6)
    assert result.jnd[0] == pytest.approx(noise * np.log(3), rel=1e-3)
    assert result.n_observers == 12
    assert result.observer_names == frames.texts
    assert "Frames in German: the item names no gender" in " ".join(result.notes)


def test_a_planted_pse_in_turkish_is_recovered_without_pronouns() -> None:
    # The cue's own first word adds nothing, and differs in no cue.
    lm = observer({"hemşire": -0.4}, 0.1, pairs=(("kadın", "adam"),))
    result = bl.two_afc(
        lm, ["nurse"], ("kadın", "adam"), observers=bl.frames.get("tr"), family="logistic"
    )
    assert result.pse[0] == pytest.approx(0.4, abs=1e-6)


def test_agreement_is_measured_as_the_gap_between_feminine_and_masculine_forms() -> None:
    # A feminine noun asks for more of "er"; the noun leans beside its grammar by 0.1.
    lm = observer({"Krankenpflegerin": -0.8, "Krankenpfleger": -0.4}, 0.05)
    pse = {
        design: bl.two_afc(lm, ["nurse"], GERMAN, observers=bl.frames.get("de", design)).pse[0]
        for design in ("feminine", "masculine")
    }
    assert pse["feminine"] == pytest.approx(0.8, abs=1e-3)
    assert pse["masculine"] == pytest.approx(0.4, abs=1e-3)
    # With both forms neither stands for a person: an item of equal and opposite forms is even.
    even = observer({"Krankenpflegerin": -0.7, "Krankenpfleger": 0.2}, 0.05)
    both = bl.two_afc(even, ["nurse"], GERMAN, observers=bl.frames.get("de", "both"))
    assert both.pse[0] == pytest.approx(0.5, abs=1e-3)


def test_agreement_is_separated_from_the_lean_of_the_items() -> None:
    forms = {
        key: bl.frames.get("de").language.items[key] for key in ("nurse", "teacher", "plumber")
    }
    lean = {"nurse": 0.15, "teacher": 0.05, "plumber": -0.05}
    adds = {}
    for key, item in forms.items():
        adds[item.feminine[0]] = -0.5 - lean[key] - 0.1
        adds[item.masculine[0]] = -0.5 - lean[key] + 0.1
    lm = observer(adds, 0.02)
    asked = [
        bl.two_afc(lm, list(forms), GERMAN, observers=frames, replicates=4, levels=41)
        for frames in (bl.frames.get("de", "feminine"), bl.frames.get("de", "masculine"))
    ]
    found = agreement_effects(*asked)
    assert found.effect("agreement").estimate == pytest.approx(20, abs=0.5)
    assert found.effect("lean").estimate == pytest.approx(5, abs=0.5)
    np.testing.assert_allclose(found.effect("lean").item_estimates, [15, 5, -5], atol=0.5)
    assert agreement_effects(*asked[::-1]).effect("agreement").estimate == pytest.approx(-20, abs=1)
    fewer = bl.two_afc(lm, list(forms), GERMAN, observers=bl.frames.get("de"), replicates=2)
    with pytest.raises(QueryError, match="4 and 2 frames"):
        agreement_effects(asked[0], fewer)
    other = bl.two_afc(lm, list(forms), ("er", "sie"), observers=bl.frames.get("de"))
    with pytest.raises(QueryError, match="share no pair of cues"):
        agreement_effects(asked[0], other)


# Subjects of any kind of tokenizer


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("code", bl.frames.names())
def test_multilingual_models_answer_in_every_language(name: str, code: str) -> None:
    lm = tiny(name)
    frames = bl.frames.get(code)
    result = bl.two_afc(
        lm, ["nurse", "engineer"], observers=frames, levels=3, replicates=2, family="logistic"
    )
    assert result.items == ("nurse", "engineer")
    assert set(result.pairs) <= set(frames.cues)
    assert result.answers.shape == (2, 2, len(result.pairs), 3)
    assert ((result.answers > 0) & (result.answers < 1)).all()
    turned = [(second, first) for first, second in result.pairs]
    back = bl.two_afc(lm, result.items, turned, observers=frames, levels=3, replicates=2)
    np.testing.assert_allclose(back.answers, 1 - result.answers[..., ::-1], atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_multilingual_models_score_pairs_in_every_language(name: str) -> None:
    lm = tiny(name)
    for code in bl.frames.names():
        design = "agreeing" if bl.frames.get(code).language.has_gender else "neutral"
        pairs = frame_pairs(bl.frames.get(code, design))  # type: ignore[arg-type]
        some = [pair for pair in pairs if pair.attribute in {"nurse", "engineer"}][:4]
        result = bl.stereotype_score(lm, sentences=some, keep=False, resamples=100)
        assert result.failures == 0
        assert np.isfinite(result.log_odds).all()
        assert len({score.stereotyped.log_score for score in result.scores}) > 1


# Arguments


def test_frames_bring_their_items_and_cues_along() -> None:
    frames = bl.frames.get("de")
    lm = observer({"Krankenpflege": -0.6}, pairs=GERMAN)
    result = bl.two_afc(lm, observers=frames, replicates=2, levels=5)
    assert result.items == frames.items
    assert result.pairs[0] == ("sie", "er")
    assert 'bl.frames.get("de")' in result.code()


def test_items_without_forms_are_listed_with_the_reason() -> None:
    lm = tiny("xlm-roberta")
    frames = bl.frames.get("fr", "both")
    asked = ["nurse", "judge", "secretary", "plombier"]
    result = bl.two_afc(lm, asked, observers=frames, levels=5, replicates=2)
    assert result.items == ("nurse", "plombier")
    reasons = {dropped.term: dropped.reason for dropped in result.dropped}
    assert "is not among the items of the frames in French" in reasons["judge"]
    assert "use design='neutral'" in reasons["secretary"]
    with pytest.raises(QueryError, match=r"No item is left.*'judge' is not among"):
        bl.two_afc(lm, ["judge"], observers=frames, levels=5)


def test_agreeing_frames_are_refused() -> None:
    with pytest.raises(QueryError, match="which would answer the question"):
        bl.two_afc(tiny("multilingual-gpt"), observers=bl.frames.get("de", "agreeing"))


def test_a_cache_keeps_the_forms_of_one_item_from_another() -> None:
    lm = observer({"Krankenpflege": -0.6, "Maschinenbau": -0.3})
    model = FramedModel(lm, bl.frames.get("de"), first=2)
    result = bl.two_afc(model, ["nurse", "engineer"], GERMAN)
    assert model.is_known(["nurse", "engineer", "judge"], GERMAN, result.stimuli)
    np.testing.assert_allclose(result.pse, [0.6, 0.3], atol=1e-3)


# Pairs of sentences


@pytest.mark.parametrize("code", bl.frames.names())
def test_versions_of_a_pair_differ_only_in_what_is_marked(code: str) -> None:
    design = "agreeing" if bl.frames.get(code).language.has_gender else "neutral"
    for pair in frame_pairs(bl.frames.get(code, design)):  # type: ignore[arg-type]
        rests = []
        for text, term, others in zip(pair.versions, pair.terms, pair.references, strict=True):
            assert term is not None
            for start, end in sorted((term, *others), reverse=True):
                text = f"{text[:start]}_{text[end:]}"
            rests.append(text)
        assert rests[0] == rests[1]


def test_a_pair_agrees_and_its_stereotyped_version_comes_first() -> None:
    pairs = frame_pairs(bl.frames.get("de", "agreeing"))
    assert len(pairs) == 144
    nurse = next(pair for pair in pairs if pair.attribute == "nurse" and "erfahr" in pair.against)
    assert "als erfahrene Krankenpflegerin" in nurse.stereotyped
    assert "als erfahrener Krankenpfleger," in nurse.against
    assert nurse.groups == ("female", "male")
    engineer = next(pair for pair in pairs if pair.attribute == "engineer")
    assert engineer.term_texts()[0] in {"er", "dieser Mann"}
    assert {pair.frame for pair in pairs} == {f"de {i}" for i in range(1, 13)}
    # Every pair of cues meets every phrase, so that neither stands for the other.
    met = {(pair.terms[0] is not None and pair.term_texts()[0], "erfahren" in pair.stereotyped)
           for pair in pairs if pair.attribute == "nurse"}  # fmt: skip
    assert len(met) == 4


def test_pairs_in_one_gender_only_are_refused() -> None:
    with pytest.raises(SentenceError, match="'neutral', 'both' or 'agreeing'"):
        frame_pairs(bl.frames.get("de", "feminine"))
    with pytest.raises(QueryError, match="Leave out spec"):
        bl.stereotype_score(
            MODEL, "biastest-math-arts", bl.frames.get("de"), scorer=TextScorer(), keep=False
        )


def test_a_planted_stereotype_is_scored_in_spanish() -> None:
    """A scorer that prefers ella with care and él with machines, and nothing else."""
    frames = bl.frames.get("es")

    def score(text: str) -> float:
        female = " ella " in text or "esta mujer" in text
        care = any(frames.language.items[k].field in text for k, s in frames.signs.items() if s > 0)
        return -10.0 + (1.0 if female == care else 0.0)

    result = bl.stereotype_score(
        MODEL, sentences=frames, scorer=TextScorer(score), keep=False, resamples=200
    )
    assert result.share == 1
    assert result.mean_log_odds == pytest.approx(1)
    assert {share.name for share in result.attribute_lists} == {
        "female occupations", "male occupations",
    }  # fmt: skip
    crossed = result.crossed_groups
    with pytest.raises(QueryError, match="has no level of 'gender'"):
        crossed(bl.frames.get("es", cues="names").factors)


def test_a_stored_result_is_made_again_from_its_frames(tmp_path: Any) -> None:
    frames = bl.frames.get("nl")
    result = bl.two_afc("wiki-clm", ["nurse"], observers=frames, levels=3, replicates=2)
    store = bl.Store(tmp_path)
    loaded: Any = store.open(result.save(store=store))
    assert loaded == result
    again: Any = bl.rerun(loaded).result
    np.testing.assert_allclose(again.answers, result.answers, atol=1e-6)


def test_written_pairs_keep_their_frames(tmp_path: Any) -> None:
    pairs = frame_pairs(bl.frames.get("pl"))
    file = tmp_path / "pairs.json"
    write_pairs(pairs, file)
    assert read_pairs(file).pairs == pairs.pairs
