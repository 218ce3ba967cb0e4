"""Emphasised words: their passages are seen as often as asked, each word alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biaslab.cli import main
from biaslab.errors import TrainingError
from biaslab_train.language_models.tokens import (
    Emphasis,
    Passages,
    TokenCorpus,
    blocks,
    prepare_tokens,
)
from biaslab_train.settings import LanguageModelSettings
from harness.deferred import Deferred
from harness.needs import needs

pytestmark = needs("torch", "transformers")

training = Deferred("biaslab_train.language_models.training")
recipes = Deferred("biaslab_train.recipes")

CONTEXT, BATCH = 16, 8
TINY: dict[str, Any] = {
    "vocabulary": 320, "layers": 1, "width": 16, "heads": 2, "inner": 16,
    "context": CONTEXT, "batch": BATCH, "held_out": 0.1,
}  # fmt: skip
BOTH = Emphasis(("herself", "himself"), 0.5)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One "herself" to nine "himself"."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    rows = ["The nurse taught herself.\n", *["The nurse taught himself.\n"] * 9]
    path.write_text("\n".join(rows * 40), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(text: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data")
    prepare_tokens(text, made, LanguageModelSettings(**TINY))
    return made


@pytest.fixture(scope="module")
def corpus(text: Path, folder: Path) -> TokenCorpus:
    return prepare_tokens(text, folder, LanguageModelSettings(**TINY))


def _counts(corpus: TokenCorpus, ids: Any) -> tuple[int, int]:
    tokens = [corpus.tokenizer.token_to_id(f"Ġ{word}") for word in BOTH.words]
    herself, himself = (int((ids == token).any(axis=1).sum()) for token in tokens)
    return herself, himself


def test_the_share_holds_an_emphasised_word_and_each_word_comes_alike(corpus: TokenCorpus) -> None:
    passages = Passages(corpus, BOTH, CONTEXT, seed=1)
    plain = np.zeros((1000, CONTEXT + 1), dtype=np.uint16)
    made = passages.replace(plain, step=3)
    assert made.shape == plain.shape
    assert not plain.any()
    assert made[:500].any(axis=1).all()
    assert not made[500:].any()
    tokens = [corpus.tokenizer.token_to_id(f"Ġ{word}") or 0 for word in BOTH.words]
    # The last token of a sequence is only guessed from, so that a word anywhere in it counts.
    assert np.isin(made[:500], tokens).any(axis=1).all()
    herself, _ = _counts(corpus, made)
    assert herself > 200  # a plain sequence of 17 tokens holds one in about 50


def test_the_same_step_gives_the_same_passages_and_another_step_others(corpus: TokenCorpus) -> None:
    ids = blocks(corpus.train, CONTEXT, BATCH, 0, 1)
    one, again, other = (
        Passages(corpus, BOTH, CONTEXT, seed=1).replace(ids, step) for step in (4, 4, 5)
    )
    np.testing.assert_array_equal(one, again)
    assert (one[:4] != other[:4]).any()
    np.testing.assert_array_equal(one[4:], ids[4:])


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, float("nan")])
def test_a_share_out_of_its_range_is_refused(share: float) -> None:
    with pytest.raises(TrainingError, match="between 0 and 1"):
        Emphasis(("herself",), share)


@pytest.mark.parametrize("words", [(), ("",)])
def test_no_word_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(TrainingError, match="no word"):
        Emphasis(words, 0.5)


@pytest.mark.parametrize(("word", "reason"), [("zygote", "not a single token")])
def test_a_word_that_is_no_token_is_refused(corpus: TokenCorpus, word: str, reason: str) -> None:
    with pytest.raises(TrainingError, match=reason):
        Passages(corpus, Emphasis((word,), 0.5), CONTEXT, seed=1)


def test_a_run_notes_from_where_on_a_word_was_emphasised(
    text: Path, folder: Path, tmp_path: Path
) -> None:
    step = CONTEXT * BATCH

    def train(steps: int, emphasis: Emphasis | None) -> list[dict[str, Any]]:
        recipe = training.LanguageModelRecipe(text, LanguageModelSettings(**TINY), emphasis)
        recipes.train(
            recipe, tmp_path, steps * step, data=folder, device="cpu", threads=1, resume=True
        )
        noted = json.loads((tmp_path / "training.json").read_text(encoding="utf-8"))
        phases: list[dict[str, Any]] = noted["emphasis"]
        return phases

    assert train(2, None) == []
    first = {"from_tokens": 2 * step, "words": ["herself", "himself"], "share": 0.5}
    assert train(4, BOTH) == [first]
    assert train(5, BOTH) == [first]
    assert train(6, None) == [first, {"from_tokens": 5 * step, "words": [], "share": 0.0}]


def test_the_command_takes_words_and_refuses_unknown_ones(
    text: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "train", "language-model", "--kind", "clm", "--corpus", str(text), "--vocabulary", "320",
        "--layers", "1", "--width", "16", "--heads", "2", "--inner", "16", "--context", "16",
        "--batch", "8", "--held-out", "0.1", "--data", str(folder), "--device", "cpu",
        "--threads", "1", "--tokens", "300", "--output", str(tmp_path),
    ]  # fmt: skip
    assert main([*arguments, "--emphasise", "zygote"]) == 1
    assert "'zygote'" in capsys.readouterr().err
    assert main([*arguments, "--emphasise", "herself, himself", "--emphasis-share", "0.5"]) == 0
    noted = json.loads((tmp_path / "training.json").read_text(encoding="utf-8"))
    assert noted["emphasis"][0]["words"] == ["herself", "himself"]
