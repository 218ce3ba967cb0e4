"""Sentence encoders: opened from a folder, asked in frames, equal to the library and to truth."""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import MissingExtraError, QueryError, SubjectError
from biaslab.probes.psychometrics.kinds import FRAMES
from biaslab.subjects import SentenceEncoder
from biaslab.subjects.encoder import sentence as sentence_encoder_files
from harness import tiny_encoders, tiny_sentence_encoders
from harness.needs import needs

pytestmark = needs("sentence_transformers")

WORDS = {
    "she": [1.0, 0.0, 0.0], "he": [0.0, 1.0, 0.0], "nurse": [0.8, 0.5, 0.2],
    "pilot": [0.3, 0.9, 0.1], "this": [0.1, 0.1, 0.9], "is": [0.0, 0.0, 0.4],
}  # fmt: skip
PAIR = ("she", "he")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_sentence_encoders.folder(tmp_path_factory.mktemp("encoder"))


def _open(folder: Path) -> SentenceEncoder:
    encoder = bl.load(folder, kind="encoder")
    assert isinstance(encoder, SentenceEncoder)
    return encoder


def _of_words() -> SentenceEncoder:
    return SentenceEncoder(tiny_sentence_encoders.of_words(WORDS), name="words")


def test_a_folder_gives_the_librarys_own_vectors(stored: Path) -> None:
    from sentence_transformers import SentenceTransformer

    texts = ["the nurse is here", "she is a person", "home"]
    encoder = _open(stored)
    expected = SentenceTransformer(str(stored), device="cpu", local_files_only=True).encode(texts)
    np.testing.assert_allclose(encoder.sentences(texts), expected, atol=1e-6)
    assert encoder.dim == 8
    assert "sentence encoder" in encoder.about


def test_a_folder_says_itself_that_it_is_an_encoder(stored: Path) -> None:
    assert isinstance(bl.load(stored), SentenceEncoder)


def test_vectors_of_words_are_those_of_their_sentences(stored: Path) -> None:
    encoder = _open(stored).under(["this is {}", "{} is here"])
    found = encoder.vectors(["nurse", "he"])
    assert found.shape == (2, 2, 8)
    np.testing.assert_allclose(found[1, 0], encoder.sentences(["nurse is here"])[0], atol=1e-6)


def test_the_identity_changes_with_the_model_and_its_prompt(stored: Path, tmp_path: Path) -> None:
    first, again = (_open(stored) for _ in range(2))
    assert first.content_hash == again.content_hash
    assert first.under(["this is {}"]).content_hash != first.content_hash
    prompted = tiny_sentence_encoders.folder(tmp_path, prompt="the ")
    assert _open(prompted).content_hash != first.content_hash


def test_large_weights_are_identified_by_the_files_of_all_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    folder = tiny_sentence_encoders.folder(tmp_path)
    small = _open(folder)
    assert small.model_facts.identity == "values"
    in_memory = SentenceEncoder(small.model, contexts=small.contexts)
    assert in_memory.content_hash == small.content_hash
    identity: Any = importlib.import_module("biaslab.subjects.pretrained.files")
    monkeypatch.setattr(identity, "VALUES_UP_TO", 0)
    monkeypatch.setattr(
        identity, "hash_weights", lambda *args, **options: pytest.fail("weights were copied")
    )
    first = _open(folder).content_hash
    assert first != small.content_hash
    assert _open(folder).under(["this is {}"]).model_facts.identity == "files"
    for weights in (folder / "model.safetensors", folder / "2_Dense" / "model.safetensors"):
        whole = weights.read_bytes()
        weights.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        assert _open(folder).content_hash != first
        weights.write_bytes(whole)
    assert _open(folder).content_hash == first


def test_weights_in_another_format_are_identified_by_their_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    folder = tiny_sentence_encoders.folder(tmp_path)
    dense = folder / "2_Dense"
    encoder: Any = _open(folder)
    torch.save(encoder.model[2].state_dict(), dense / "pytorch_model.bin")
    (dense / "model.safetensors").unlink()
    identity: Any = importlib.import_module("biaslab.subjects.pretrained.files")
    monkeypatch.setattr(identity, "VALUES_UP_TO", 0)
    assert _open(folder).model_facts.identity == "values"


def test_a_frame_that_is_the_word_alone_gives_the_result_of_its_embedding() -> None:
    of_embedding = bl.two_afc(bl.load(WORDS), ["nurse", "pilot"], PAIR)
    of_encoder = bl.two_afc(_of_words(), ["nurse", "pilot"], PAIR, observers=["{}"])
    np.testing.assert_allclose(of_encoder.switch, of_embedding.switch, atol=1e-6)
    assert of_encoder.observer == "frames"
    assert of_encoder.observer_names == ("{}",)


def test_swapped_cues_turn_every_frame_round() -> None:
    given = bl.two_afc(_of_words(), ["nurse", "pilot"], PAIR)
    swapped = bl.two_afc(_of_words(), ["nurse", "pilot"], PAIR[::-1])
    assert given.switch.shape == (len(FRAMES), 2, 1)
    np.testing.assert_allclose(swapped.switch, 1 - given.switch, atol=1e-5)


def test_an_encoder_of_words_takes_frames_too() -> None:
    encoder = bl.subjects.Encoder(*tiny_encoders.bert(), name="tiny")
    frames = ["this is {} here", "that is {}"]
    result = bl.two_afc(encoder, ["engineer"], [("woman", "man")], observers=frames)
    assert result.observer_names == tuple(frames)
    own = encoder.encode(["this is an engineer here"], [(11, 19)])
    asked = bl.two_afc(encoder.under(["this is an {} here"]), ["engineer"], [("woman", "man")])
    assert np.isfinite(own).all()
    assert asked.observer == "contexts"


@pytest.mark.parametrize(
    ("observers", "reason"),
    [
        (["no place"], "needs one {}"),
        (["{} and {}"], "needs one {}"),
        (["this is {}", "this is {}"], "twice"),
        ([], "no frame"),
        (99, "1 to"),
    ],
)
def test_frames_that_cannot_be_used_are_refused(observers: Any, reason: str) -> None:
    with pytest.raises(QueryError, match=reason):
        bl.two_afc(_of_words(), ["nurse"], PAIR, observers=observers)


def test_a_text_that_would_be_cut_is_an_error(stored: Path) -> None:
    with pytest.raises(QueryError, match="Shorten it"):
        _open(stored).sentences(["nurse " * 60])


def test_an_activation_with_code_of_its_own_is_refused(tmp_path: Path) -> None:
    stored = tiny_sentence_encoders.folder(tmp_path)
    config = next(stored.glob("*Dense/config.json"))
    settings = json.loads(config.read_text())
    config.write_text(json.dumps(settings | {"activation_function": "mine.Wave"}))
    with pytest.raises(SubjectError, match=r"mine\.Wave"):
        bl.load(stored, kind="encoder")


def test_missing_weights_are_named(tmp_path: Path) -> None:
    stored = tiny_sentence_encoders.folder(tmp_path)
    (stored / "model.safetensors").unlink()
    with pytest.raises(SubjectError, match=r"cannot be opened: it has no weights"):
        bl.load(stored, kind="encoder")


def test_damaged_files_are_named_before_they_are_read(tmp_path: Path) -> None:
    stored = tiny_sentence_encoders.folder(tmp_path)
    weights = stored / "model.safetensors"
    whole = weights.read_bytes()
    for content in (whole[: len(whole) // 2], b""):
        weights.write_bytes(content)
        with pytest.raises(SubjectError, match=r"is cut off.*Download it again"):
            bl.load(stored, kind="encoder")
    weights.write_bytes(whole)
    config = (stored / "config.json").read_text()
    code = json.dumps(json.loads(config) | {"model_type": "own", "auto_map": {"AutoModel": "c.M"}})
    for content, reason in ((code, r"biaslab runs no code"), ("{", r"is damaged")):
        (stored / "config.json").write_text(content)
        with pytest.raises(SubjectError, match=reason):
            bl.load(stored, kind="encoder")
    (stored / "config.json").write_text(config)
    for path in (*stored.glob("tokenizer.json"), *stored.glob("vocab*")):
        path.unlink()
    with pytest.raises(SubjectError, match=r"has no tokenizer.*save_pretrained"):
        bl.load(stored, kind="encoder")


def test_a_tokenizer_without_padding_gives_the_same_vectors(stored: Path, tmp_path: Path) -> None:
    plain = shutil.copytree(stored, tmp_path / "plain")
    settings = json.loads((plain / "tokenizer_config.json").read_text())
    del settings["pad_token"]
    (plain / "tokenizer_config.json").write_text(json.dumps(settings))
    texts = ["nurse", "A man is here."]
    np.testing.assert_allclose(_open(plain).sentences(texts), _open(stored).sentences(texts))


def test_the_missing_package_is_named(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_encoder_files, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"biaslab\[encoders\]"):
        bl.load(stored, kind="encoder")


def test_seat_uses_the_models_own_pooling(stored: Path) -> None:
    encoder = _open(stored)
    targets = {"x": ["nurse", "home"], "y": ["engineer", "career"]}
    attributes = {"a": ["she", "woman"], "b": ["he", "man"]}
    result = bl.association.seat(encoder, targets=targets, attributes=attributes, resamples=50)
    assert result.pooling == "own"
    with pytest.raises(SubjectError, match="pooling of its own"):
        bl.association.seat(encoder, targets=targets, attributes=attributes, pooling="cls")
