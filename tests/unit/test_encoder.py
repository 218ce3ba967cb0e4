"""Encoders: the vector of a word in its context, of a sentence, and their use by probes."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import (
    MissingExtraError,
    QueryError,
    SubjectError,
    UnknownSubjectError,
    UnknownTermError,
)
from biaslab.subjects import load_shared
from biaslab.subjects.pretrained.facts import device_text
from harness import tiny_encoders
from harness.heavy import torch

BUILDERS = pytest.mark.parametrize("build", [tiny_encoders.bert, tiny_encoders.gpt])
Build = Callable[[], tuple[Any, Any]]
TERMS = ["nurse", "engineer", "she", "career nurse", "family"]


@pytest.fixture
def encoder() -> bl.subjects.Encoder:
    return bl.subjects.Encoder(*tiny_encoders.bert(), name="tiny")


def _states(encoder: bl.subjects.Encoder, text: str, layer: int = -1) -> tuple[list[str], Any]:
    """Tokens and hidden states of one text alone, by the model itself."""
    encoded = encoder.tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        out = encoder.model(input_ids=encoded["input_ids"], output_hidden_states=True)
    tokens = encoder.tokenizer.convert_ids_to_tokens(encoded["input_ids"][0].tolist())
    return tokens, out.hidden_states[layer][0].numpy()


def _tokens_within(tokens: list[str], text: str, start: int, end: int) -> list[int]:
    """Tokens that overlap a part of the text, found by walking through it piece by piece."""
    at, inside = 0, []
    for i, token in enumerate(tokens):
        piece = token.replace("Ġ", " ").removeprefix("##").strip()
        if not piece or token in ("[CLS]", "[SEP]"):
            continue
        first = text.index(piece, at)
        at = first + len(piece)
        if first < end and at > start:
            inside.append(i)
    return inside


@BUILDERS
def test_a_words_vector_is_the_mean_of_its_tokens_in_its_context(build: Build) -> None:
    encoder = bl.subjects.Encoder(*build(), contexts=["this is {} and", "{} is here"])
    found = encoder.vectors(TERMS)
    assert found.shape == (2, len(TERMS), 16)
    for c, before in enumerate(["this is ", ""]):
        for i, term in enumerate(TERMS):
            text = encoder.contexts[c].replace("{}", term)
            tokens, states = _states(encoder, text)
            inside = _tokens_within(tokens, text, len(before), len(before) + len(term))
            np.testing.assert_allclose(found[c, i], states[inside].mean(axis=0), atol=2e-6)


@BUILDERS
def test_a_vector_does_not_depend_on_what_it_is_asked_with(build: Build) -> None:
    parts = build()
    many = bl.subjects.Encoder(*parts, contexts=["{}", "this is {} here and there"])
    one = bl.subjects.Encoder(*parts, contexts=["{}", "this is {} here and there"])
    together = many.vectors(TERMS)
    for i, term in enumerate(TERMS):
        np.testing.assert_allclose(one.vectors([term])[:, 0], together[:, i], atol=2e-6)


def test_poolings_and_layers_take_what_they_say(encoder: bl.subjects.Encoder) -> None:
    text = "she is a nurse"
    tokens, states = _states(encoder, text)
    assert tokens[0] == "[CLS]"
    assert tokens[-1] == "[SEP]"
    of = {p: encoder.under(pooling=p).sentences([text])[0] for p in ("term", "mean", "cls", "last")}
    np.testing.assert_allclose(of["cls"], states[0], atol=2e-6)
    np.testing.assert_allclose(of["last"], states[-1], atol=2e-6)
    np.testing.assert_allclose(of["mean"], states[1:-1].mean(axis=0), atol=2e-6)
    np.testing.assert_allclose(of["term"], of["mean"], atol=2e-6)
    _, first = _states(encoder, text, layer=0)
    lower = encoder.under(layer=0, pooling="mean").sentences([text])[0]
    np.testing.assert_allclose(lower, first[1:-1].mean(axis=0), atol=2e-6)


def test_of_an_encoder_and_decoder_the_encoder_is_asked() -> None:
    transformers: Any = importlib.import_module("transformers")
    _, tokenizer = tiny_encoders.bert()
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2,
        pad_token_id=0, decoder_start_token_id=0,
    )  # fmt: skip
    model = transformers.T5Model(config).eval()
    found = bl.subjects.Encoder(model, tokenizer, pooling="mean").sentences(["she is here"])[0]
    encoded = tokenizer("she is here", return_tensors="pt")
    with torch.no_grad():
        states = model.encoder(input_ids=encoded["input_ids"]).last_hidden_state[0].numpy()
    np.testing.assert_allclose(found, states[1:-1].mean(axis=0), atol=2e-6)


def test_what_was_encoded_is_remembered(encoder: bl.subjects.Encoder) -> None:
    calls = []
    encoder.model.register_forward_hook(lambda *_: calls.append(1))
    before = encoder.vectors(TERMS)
    assert len(calls) == 1
    np.testing.assert_array_equal(encoder.vectors(TERMS[::-1]), before[:, ::-1])
    assert len(calls) == 1


def test_probes_take_an_encoder_with_contexts_as_observers() -> None:
    encoder = bl.subjects.Encoder(
        *tiny_encoders.bert(), contexts=["this is {}", "{} is here", "that is {}"], name="tiny"
    )
    targets = {"care": ["nurse", "family"], "work": ["engineer", "career"]}
    attributes = {"female": ["she", "woman"], "male": ["he", "man"]}
    found = bl.weat(encoder, targets=targets, attributes=attributes)
    assert found.n_replicates == 3
    assert found.provenance.device == "cpu"
    units = [encoder.vectors(w).astype(float) for w in (["nurse", "family"], ["she", "woman"])]
    x, a = (u / np.linalg.norm(u, axis=2, keepdims=True) for u in units)
    np.testing.assert_allclose(found.cosines[:, :2, :2], x @ a.transpose(0, 2, 1), atol=1e-6)
    alone = bl.weat(encoder.replicate(1), targets=targets, attributes=attributes)
    np.testing.assert_allclose(alone.cosines[0], found.cosines[1], atol=1e-6)
    assert np.isfinite(bl.mac(encoder, targets=targets, attributes=attributes).mac)
    switch = bl.two_afc(encoder, ["nurse"], [("she", "he")]).switch
    assert switch.shape[0] == 3
    with pytest.raises(QueryError, match="is an encoder"):
        bl.debias(encoder, "gender-pairs")


def test_terms_without_known_characters_are_unknown(encoder: bl.subjects.Encoder) -> None:
    found = encoder.resolve(["nurse", "", "東", "nurse", "東"])
    assert found.known == ("nurse",)
    assert [(u.term, u.reason) for u in found.unknown] == [
        ("", "empty"),
        ("東", "made of characters that the tokenizer does not know"),
    ]
    assert found.duplicates == ("nurse", "東")
    assert "nurse" in encoder
    assert "東" not in encoder
    with pytest.raises(UnknownTermError, match="cannot encode '東'"):
        encoder.vectors(["東"])


def test_a_folder_is_opened_and_known_again(tmp_path: Path, encoder: bl.subjects.Encoder) -> None:
    folder = tmp_path / "model"
    encoder.model.save_pretrained(folder)
    encoder.tokenizer.save_pretrained(folder)
    again = bl.load(folder, kind="encoder")
    assert isinstance(again, bl.subjects.Encoder)
    np.testing.assert_allclose(again.vectors(TERMS), encoder.vectors(TERMS), atol=1e-6)
    assert again.content_hash == encoder.content_hash
    assert again.content_hash != again.under(["{} is"]).content_hash
    assert again.name == "model"
    assert again.about.endswith(device_text(again.device))
    shared = load_shared(folder, kind="encoder")
    assert load_shared(folder, kind="encoder") is shared
    (folder / "model.safetensors").unlink()
    with pytest.raises(SubjectError, match=r"(?s)cannot be opened.*safetensors"):
        bl.load(folder, kind="encoder")


def test_other_weights_have_another_hash() -> None:
    one, two = (bl.subjects.Encoder(*tiny_encoders.bert(seed)) for seed in (0, 1))
    assert one.content_hash != two.content_hash


def test_what_cannot_be_opened_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownSubjectError, match=r"no config\.json"):
        bl.load(tmp_path, kind="encoder")
    with pytest.raises(UnknownSubjectError, match="hf:NAME"):
        bl.load("hf:", kind="encoder")
    with pytest.raises(UnknownSubjectError, match="kind='encoder'"):
        bl.load("hf:nobody/nothing")
    only = "only encoders, classifiers, language and vision-language models run"
    with pytest.raises(SubjectError, match=only):
        bl.load("wiki-bootstraps", device="cpu")
    find = importlib.util.find_spec
    without = lambda name, *a: None if name == "transformers" else find(name, *a)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(MissingExtraError, match=r"biaslab\[lm\]"):
        bl.load("hf:bert-base-cased", kind="encoder")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"contexts": ["no place"]}, "one {}"),
        ({"contexts": ["{} and {}"]}, "one {}"),
        ({"contexts": []}, "list of texts"),
        ({"contexts": "{}"}, "list of texts"),
        ({"pooling": "sum"}, "choose one of"),
        ({"layer": 9}, "layers 0 to 2"),
    ],
)
def test_wrong_options_say_what_is_right(options: dict[str, Any], text: str) -> None:
    with pytest.raises(SubjectError, match=text):
        bl.subjects.Encoder(*tiny_encoders.bert(), **options)


def test_too_long_a_text_is_no_silent_cut(encoder: bl.subjects.Encoder) -> None:
    with pytest.raises(QueryError, match="reads up to 40"):
        encoder.sentences(["she is a nurse " * 20])
    encoder.tokenizer.model_max_length = 12
    with pytest.raises(QueryError, match="reads up to 12"):
        encoder.sentences(["she is a nurse " * 5])
