"""Tables of token vectors: words are means of tokens, and what does not fit is refused."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import biaslab as bl
from biaslab.errors import SubjectError
from biaslab.subjects.embedding.token_vectors import TokenEmbedding
from harness import tiny_gguf
from harness.needs import needs

pytestmark = needs("tokenizers")

TOKENS = ["[UNK]", "the", "she", "he", "nurse", "##s", "hair", "##dresser", "doctor", "42", "s"]
VECTORS = np.random.default_rng(3).normal(size=(len(TOKENS), 6)).astype(np.float32)


def word_pieces(path: Path, **vocabulary: int) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    known = vocabulary or {token: number for number, token in enumerate(TOKENS)}
    tokenizer = Tokenizer(models.WordPiece(known, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=8)  # as in files of sentence-transformers
    tokenizer.enable_truncation(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(path))


def static(folder: Path, *, config: dict[str, Any] | None = None, **tensors: Any) -> Path:
    """Write a folder of model2vec."""
    word_pieces(folder / "tokenizer.json")
    save_file({"embeddings": VECTORS, **tensors}, folder / "model.safetensors")
    values = {"model_type": "model2vec", "architectures": ["StaticModel"], **(config or {})}
    (folder / "config.json").write_text(json.dumps(values))
    return folder


def test_a_word_is_the_mean_of_its_tokens(tmp_path: Path) -> None:
    subject = bl.load(static(tmp_path / "tiny"))
    assert isinstance(subject, TokenEmbedding)
    assert (subject.name, subject.kind) == ("tiny", "embedding")
    pooled = VECTORS[[6, 7]].mean(axis=0)
    np.testing.assert_allclose(subject["hairdresser"], pooled, rtol=1e-6)
    np.testing.assert_array_equal(subject["Nurse"], VECTORS[4])
    assert list(subject.words) == ["the", "she", "he", "nurse", "hair", "doctor", "s"]
    assert "7 of 11 tokens are whole words" in subject.about
    assert {word for word, _ in subject.nearest("nurses")} < set(subject.words)
    resolution = subject.resolve(["nurse", "Nurse", "hairdresser", "Ω", " "])
    assert resolution.read_as == {"nurse": ("nurse",), "hairdresser": ("hair", "##dresser")}
    assert resolution.duplicates == ("Nurse",)
    assert [one.term for one in resolution.unknown] == ["Ω", " "]


def test_means_are_weighted_mapped_and_normalised_as_the_library_does(tmp_path: Path) -> None:
    mapping = np.arange(len(TOKENS))[::-1].copy()
    weights = np.linspace(0.5, 2, len(TOKENS))
    folder = static(tmp_path, config={"normalize": True}, mapping=mapping, weights=weights)
    subject = bl.load(folder)
    pooled = (VECTORS[mapping[[4, 5]]] * weights[[4, 5], None]).mean(axis=0)
    np.testing.assert_allclose(subject["nurses"], pooled / np.linalg.norm(pooled), rtol=1e-5)
    terms = ["nurses", "doctor"]
    axis = np.eye(6, dtype=np.float32)[None, :, :1]
    cosines = subject.vectors(terms)[0, :, :1]
    np.testing.assert_allclose(subject.project(terms, axis)[0], cosines, rtol=1e-5)
    assert subject.content_hash != bl.load(static(tmp_path / "other")).content_hash


def test_results_name_the_words_of_several_tokens(tmp_path: Path) -> None:
    subject = bl.load(static(tmp_path))
    cues = [("she", "he")]
    result = bl.two_afc(subject, ["hairdresser", "nurse", "nurses"], cues)
    said = "2 terms of several tokens: hairdresser (hair + ##dresser), nurses (nurse + ##s)."
    assert result.summary().endswith(said)
    assert said in result.report()
    assert "several tokens" not in bl.two_afc(subject, ["nurse"], cues).summary()


def test_files_of_wordllama_open_by_folder_and_by_file(tmp_path: Path) -> None:
    word_pieces(tmp_path / "tokenizers" / "tiny_tokenizer_config.json")
    weights = tmp_path / "weights" / "tiny_6.safetensors"
    weights.parent.mkdir()
    save_file({"embedding.weight": VECTORS.astype(np.float16)}, weights)
    by_folder, by_file = bl.load(tmp_path, name="mine"), bl.load(weights, dtype="int8")
    assert (by_folder.name, by_file.name) == ("mine", "tiny_6")
    assert (by_folder.dtype, by_file.dtype) == (np.float16, np.int8)
    np.testing.assert_allclose(by_folder["nurses"], by_file["nurses"], atol=0.03)
    info = bl.subjects.inspect(weights)
    assert (info.kind, info.dimensions, info.format) == ("embedding", 6, "vectors of 11 tokens")
    save_file({"embedding.weight": VECTORS[:, :3]}, weights.with_name("tiny_3.safetensors"))
    with pytest.raises(SubjectError, match=r"several tables: tiny_3.*, tiny_6"):
        bl.load(tmp_path)


def language_model(folder: Path, table: str = "model.embed_tokens.weight") -> Path:
    """Write a language model's folder whose tokens begin with a space within a text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=60, show_progress=False)
    tokenizer.train_from_iterator(["the nurse and the doctor"] * 9, trainer)
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    rows = tokenizer.get_vocab_size() + 5  # models pad their tables
    vectors = np.random.default_rng(1).normal(size=(rows, 4)).astype(np.float32)
    tensors = {table: vectors, "lm_head.weight": vectors[:, :2], "model.norm.weight": vectors[0]}
    save_file(tensors, folder / "model.safetensors")
    values = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}
    (folder / "config.json").write_text(json.dumps(values))
    return folder


@pytest.mark.usefixtures("own_home")
def test_a_language_model_gives_its_input_embeddings(tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    folder = language_model(tmp_path / "lm")
    subject = bl.load(folder, kind="embedding")
    row = Tokenizer.from_file(str(folder / "tokenizer.json")).token_to_id("Ġnurse")
    assert subject.resolve(["nurse"]).read_as == {"nurse": ("nurse",)}
    np.testing.assert_array_equal(subject["nurse"], subject._replicates[0][row])
    assert isinstance(subject._replicates[0], np.memmap)
    bl.subjects.add(folder, "input", kind="embedding")
    assert bl.load("input").content_hash == subject.content_hash
    assert bl.subjects.inspect("input").dimensions == 4


@needs("gguf", "transformers")
@pytest.mark.usefixtures("own_home")
def test_a_gguf_file_gives_its_input_embeddings(tmp_path: Path) -> None:
    import gguf

    path = tiny_gguf.write(tmp_path / "tiny.gguf")
    subject = bl.load(path, kind="embedding")
    tokens = subject.resolve(["she", "hex"]).read_as
    assert (tokens["she"], len(tokens["hex"])) == (("she",), 2)
    [table] = [one for one in gguf.GGUFReader(path).tensors if one.name == "token_embd.weight"]
    rows = gguf.dequantize(table.data, table.tensor_type)
    assert subject["she"].tolist() in rows.tolist()
    bl.subjects.add(path, "input", kind="embedding")
    assert bl.load("input").content_hash == subject.content_hash
    assert "GGUF (Q4_1)" in bl.subjects.inspect("input").summary()


def test_it_travels_and_is_saved_with_its_words(tmp_path: Path) -> None:
    subject = bl.load(static(tmp_path / "tiny"))
    assert pickle.loads(pickle.dumps(subject)) is subject
    copy = object.__new__(TokenEmbedding)
    copy._restore(pickle.loads(pickle.dumps(subject._content())))
    np.testing.assert_array_equal(copy["nurses"], subject["nurses"])
    saved = bl.load(subject.save(tmp_path / "words.npz"))
    assert list(saved.words) == list(subject.words)
    np.testing.assert_array_equal(saved["nurse"], subject["nurse"])


def refused(path: Path, says: str, **options: Any) -> None:
    with pytest.raises(SubjectError, match=says):
        bl.load(path, **options)


def test_what_does_not_fit_together_says_so(tmp_path: Path) -> None:
    refused(static(tmp_path / "a"), "leave out limit", limit=3)
    with pytest.raises(SubjectError, match="Download a/b, and give its path"):
        bl.load("hf:a/b", kind="embedding")
    refused(static(tmp_path / "b", mapping=np.array([0, 99])), "parts that do not fit")
    refused(static(tmp_path / "c", weights=np.ones(3)), "3 .*tokens: they are not of one model")
    damaged = static(tmp_path / "d")
    (damaged / "tokenizer.json").write_text('{"version": ')
    refused(damaged, "tokenizer.json is no tokenizer, or damaged")
    (damaged / "tokenizer.json").unlink()
    refused(damaged, "table of tokens without a tokenizer")
    (damaged / "vocabulary.txt").write_text("\n".join(TOKENS))
    assert list(bl.load(damaged / "model.safetensors").words) == TOKENS  # of words after all
    broken = static(tmp_path / "e")
    (broken / "config.json").write_text("{")
    refused(broken, "config.json of e is damaged")
    refused(language_model(tmp_path / "f", "wpe.weight"), "no table of input", kind="embedding")
    without = language_model(tmp_path / "g")
    (without / "tokenizer.json").unlink()
    refused(without, "has no tokenizer", kind="embedding")


@pytest.mark.real
@pytest.mark.parametrize("name", ["wordllama", "minilm"])
def test_real_tables_give_the_mean_of_the_tokens(
    name: str, real_model: Callable[[str], Path]
) -> None:
    from safetensors import safe_open
    from tokenizers import Tokenizer

    folder = real_model(name)
    file, tokens, table = {
        "wordllama": (
            "weights/l2_supercat_256.safetensors",
            "tokenizers/l2_supercat_tokenizer_config.json",
            "embedding.weight",
        ),
        "minilm": ("model.safetensors", "tokenizer.json", "embeddings.word_embeddings.weight"),
    }[name]
    with safe_open(folder / file, framework="numpy") as tensors:
        vectors = tensors.get_tensor(table).astype(np.float32)
    tokenizer = Tokenizer.from_file(str(folder / tokens))
    tokenizer.no_padding()
    subject = bl.load(folder, kind="embedding")
    for word in bl.specs.get("occupations").items:
        ids = tokenizer.encode(word, add_special_tokens=False).ids
        np.testing.assert_allclose(subject[word], vectors[ids].mean(axis=0), atol=1e-6)
