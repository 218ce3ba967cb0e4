"""The floors of language models, measured where the right answer is known."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from biaslab.errors import TrainingError
from biaslab_train.language_models.quality import (
    Bigram,
    Figure,
    Quality,
    fit_bigram,
    measure,
    reflexive_agreement,
    reflexive_sentences,
)
from biaslab_train.language_models.tokenizer import SPECIAL
from biaslab_train.language_models.tokens import TokenCorpus, prepare_tokens
from biaslab_train.settings import LanguageModelSettings
from harness.corpora import write_reflexives
from harness.deferred import Deferred
from harness.heavy import torch
from harness.needs import needs

pytestmark = needs("torch", "transformers")

training = Deferred("biaslab_train.language_models.training")
recipes = Deferred("biaslab_train.recipes")

KINDS = pytest.mark.parametrize("kind", ["clm", "mlm"])


def _settings(kind: str) -> LanguageModelSettings:
    return LanguageModelSettings(
        kind=kind, vocabulary=320, layers=2, width=32, heads=2, inner=32, context=32, batch=16,
        held_out=0.3,
    )  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reflexives(tmp_path_factory.mktemp("corpus") / "corpus.txt", 400, "was")


@pytest.fixture(scope="module")
def tokens(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> TokenCorpus:
    return prepare_tokens(corpus, tmp_path_factory.mktemp("data"), _settings("clm"))


@pytest.fixture(scope="module")
def bigram(tokens: TokenCorpus) -> Bigram:
    return fit_bigram(tokens.train, tokens.tokenizer.get_vocab_size(), tokens.begin)


class Grammarian:
    """A model that knows only which reflexive belongs to which pronoun, or that it is turned."""

    def __init__(self, tokens: TokenCorpus, right: float = 1.0) -> None:
        self.size = tokens.tokenizer.get_vocab_size()
        self.words = {
            w: tokens.tokenizer.token_to_id(f"Ġ{w}") for w in ("she", "he", "herself", "himself")
        }
        self.right = right

    def __call__(self, input_ids: Any) -> Any:
        logits = torch.zeros(*input_ids.shape, self.size)
        for row, ids in enumerate(input_ids.tolist()):
            own, other = (
                ("herself", "himself") if self.words["she"] in ids else ("himself", "herself")
            )
            logits[row, :, self.words[own]] = 1 + self.right
            logits[row, :, self.words[other]] = 1 - self.right
        return SimpleNamespace(logits=logits)


@KINDS
@pytest.mark.parametrize(("right", "expected"), [(1.0, True), (-1.0, False), (0.0, False)])
def test_reflexives_are_judged_by_the_pronoun(
    kind: str, right: float, expected: bool, tokens: TokenCorpus
) -> None:
    sentences = reflexive_sentences(12, seed=1)
    agrees = reflexive_agreement(Grammarian(tokens, right), tokens, kind, sentences)
    assert agrees.tolist() == [expected] * 12


@KINDS
def test_the_word_is_judged_at_its_own_place(kind: str, tokens: TokenCorpus) -> None:
    seen: list[list[int]] = []

    class Watched(Grammarian):
        def __call__(self, input_ids: Any) -> Any:
            seen.append(input_ids[0].tolist())
            out = super().__call__(input_ids)
            # Anywhere else but at the asked place the preference is turned.
            place = len(seen[-1]) - 1 if kind == "clm" else seen[-1].index(SPECIAL.index("<mask>"))
            keep = out.logits[:, place].clone()
            out.logits *= -1
            out.logits[:, place] = keep
            return out

    sentence = "{pronoun} was a nurse and taught {reflexive}."
    assert reflexive_agreement(Watched(tokens), tokens, kind, [sentence]).tolist() == [True]
    read = [tokens.tokenizer.decode(ids, skip_special_tokens=False) for ids in seen]
    ends = "" if kind == "clm" else "<mask>.</s>"
    assert read == [f"<s> {p} was a nurse and taught{ends}" for p in ("she", "he")]


def test_the_pairs_are_different_seeded_and_grammatical() -> None:
    sentences = reflexive_sentences(200, seed=1)
    assert len(set(sentences)) == 200
    assert sentences == reflexive_sentences(200, seed=1)
    assert sentences != reflexive_sentences(200, seed=2)
    text = " ".join(sentences)
    assert " a accountant" not in text
    assert "{verb}" not in text
    assert "{occupation}" not in text
    assert all("{pronoun}" in s and " {reflexive}" in s for s in sentences)


@pytest.mark.validate
@KINDS
def test_a_model_that_uses_its_context_beats_the_bigram(
    kind: str, corpus: Path, tokens: TokenCorpus, bigram: Bigram, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    recipe = training.LanguageModelRecipe(corpus, _settings(kind))
    recipes.train(recipe, tmp_path / "m", 350 * 16 * 32, data=data, device="cpu", threads=1)
    quality = measure(tmp_path / "m", tokens, bigram)
    # "herself" or "himself" is one binary choice a sentence that the bigram cannot make.
    assert quality.kind == kind
    if kind == "clm":
        # The last part of the stream, shorter than a context, is left out.
        assert 0 <= tokens.recipe["articles"]["held_out"] - quality.articles <= 2
        assert quality.model < quality.baseline
        assert quality.comparison.high < 1
        assert quality.comparison.value == pytest.approx(quality.model / quality.baseline)
    else:
        assert quality.model > quality.baseline
        assert quality.comparison.value == pytest.approx(quality.model - quality.baseline)
    assert quality.comparison.low < quality.comparison.value < quality.comparison.high


@KINDS
def test_an_untrained_model_does_not_pass(
    kind: str, corpus: Path, tokens: TokenCorpus, bigram: Bigram, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("biaslab_train.language_models.quality.PAIRS", 20)
    recipe = training.LanguageModelRecipe(corpus, _settings(kind))
    recipes.train(recipe, tmp_path / "m", 1, data=tmp_path / "data", device="cpu", threads=1)
    quality = measure(tmp_path / "m", tokens, bigram, most=2_000)
    assert len(quality.failures) >= 1
    assert "bigram" in quality.failures[0]
    if kind == "clm":
        # It spreads its guesses evenly over the vocabulary.
        size = tokens.tokenizer.get_vocab_size()
        assert quality.model == pytest.approx(size, rel=0.1)


def test_floors_are_told_in_words() -> None:
    figure = Figure(0.81, 0.8, 0.82)
    reflexives = Figure(0.7, 0.6, 0.8)
    clm = Quality("clm", 10, 2, 81.0, 100.0, figure, reflexives, 200)
    assert len(clm.failures) == 2
    assert "0.810" in clm.failures[0]
    good = Figure(0.9, 0.85, 0.95)
    mlm = Quality("mlm", 10, 2, 0.3, 0.2, Figure(0.1, 0.09, 0.11), good, 200)
    assert mlm.failures == []


def test_a_folder_without_a_model_and_another_corpus_are_refused(
    corpus: Path, tokens: TokenCorpus, bigram: Bigram, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match="contains no model"):
        measure(tmp_path, tokens, bigram)
    other = tmp_path / "other.txt"
    other.write_text(corpus.read_text(encoding="utf-8").replace("nurse", "baker"), encoding="utf-8")
    recipe = training.LanguageModelRecipe(other, _settings("clm"))
    recipes.train(recipe, tmp_path / "m", 1, data=tmp_path / "data", device="cpu", threads=1)
    with pytest.raises(TrainingError, match="another corpus"):
        measure(tmp_path / "m", tokens, bigram)
