"""What a subject is, before it is loaded: every kind of file and folder, and what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import EmbeddingFileError, PickleRefusedError, SubjectError
from biaslab.records.kinds import entries, imported
from biaslab.subjects.formats.detect import read_embedding_header
from biaslab.subjects.opening.needs import questions_for
from harness import embedding_files, tiny_language_models, tiny_vision_language
from harness.heavy import torch
from harness.tiny_encoders import bert as tiny_encoder

WORDS = ["she", "he", "nurse", "engineer"]
VECTORS = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
MAKERS = {
    "GloVe text": embedding_files.glove_text,
    "word2vec text": embedding_files.word2vec_text,
    "word2vec binary": embedding_files.word2vec_binary,
}


def asked(kind: str) -> set[str]:
    return {fit.name for fit in questions_for(kind) if fit.fits}


@pytest.mark.parametrize("ending", [".bin", ".bin.gz"])
@pytest.mark.parametrize("name", MAKERS)
def test_files_of_word_vectors_are_named_by_their_beginning(
    tmp_path: Path, name: str, ending: str
) -> None:
    path = embedding_files.write(tmp_path / f"mine{ending}", MAKERS[name](WORDS, VECTORS))
    info = bl.subjects.inspect(path)
    assert (info.name, info.kind, info.words, info.dimensions) == ("mine", "embedding", 4, 3)
    assert info.format == name + (", gzip" if ending.endswith("gz") else "")
    assert info.bytes == path.stat().st_size
    assert len(bl.load(path)) == info.words


@pytest.mark.parametrize("ending", [".npz", ".safetensors"])
def test_files_that_biaslab_wrote_are_named_by_their_header(tmp_path: Path, ending: str) -> None:
    embedding = bl.load(dict(zip(WORDS, VECTORS, strict=True)))
    path = embedding.save(tmp_path / f"mine{ending}")
    info = bl.subjects.inspect(str(path))
    assert (info.kind, info.words, info.dimensions, info.dtype) == ("embedding", 4, 3, "float32")
    assert info.format == ending[1:]


def test_a_long_file_without_a_header_is_estimated_in_time(tmp_path: Path) -> None:
    row = b"word" + b" 0.125" * 50 + b"\n"
    path = tmp_path / "long.txt"
    path.write_bytes(row * 200_000)
    header = read_embedding_header(path, patience=0.0)
    assert not header.counts_exactly
    assert header.words == pytest.approx(200_000, rel=0.02)
    assert read_embedding_header(path, patience=60).words == 200_000


@pytest.mark.parametrize("make", ["bert", "gpt2"])
def test_language_models_are_named_by_their_configuration(tmp_path: Path, make: str) -> None:
    model, tokenizer = getattr(tiny_language_models, make)()
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path)
    info = bl.subjects.inspect(tmp_path)
    assert info.kind == {"bert": "mlm", "gpt2": "clm"}[make]
    assert info.parameters == sum(p.numel() for p in model.parameters())
    fits = {"psychometric", "sentences"} | ({"decisions"} if make == "gpt2" else set())
    assert {fit.name for fit in info.questions if fit.fits} == fits
    assert next(f.reason for f in info.questions if f.name == "images") == (
        "needs a vision-language model"
    )


def test_encoders_and_vision_language_models_are_named(tmp_path: Path) -> None:
    for name, parts in (("encoder", tiny_encoder()), ("vlm", tiny_vision_language.clip())):
        for part in parts:
            part.save_pretrained(tmp_path / name)
        info = bl.subjects.inspect(tmp_path / name)
        assert info.kind == name
        assert info.parameters == sum(p.numel() for p in parts[0].parameters())
    assert asked("encoder") == {"psychometric", "occupations", "association"}


def test_a_classifier_has_its_labels(tmp_path: Path) -> None:
    model, tokenizer = tiny_encoder()
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {
        "architectures": ["BertForSequenceClassification"],
        "id2label": {"0": "no", "1": "yes"},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    info = bl.subjects.inspect(tmp_path)
    assert (info.kind, info.labels) == ("classifier", ("no", "yes"))
    assert asked(info.kind) == {"posterior", "decisions"}


def test_bundled_subjects_are_inspected_without_loading_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("weights were read")

    monkeypatch.setattr(np, "memmap", refuse)
    monkeypatch.setattr(torch.nn.Module, "__init__", refuse)
    for name in bl.subjects.bundled_names():
        info = bl.subjects.inspect(name)
        assert info.bytes > 1e5
        assert asked(info.kind)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no config.json"),
        ({"notes.txt": "x"}, "no config.json.*notes.txt"),
        ({"config.json": "{"}, "damaged"),
        ({"config.json": '{"architectures": ["T5Stack"]}'}, "does not open .T5Stack"),
        ({"config.json": '{"architectures": ["BertForMaskedLM"]}'}, "no tokenizer"),
        ({"config.json": '{"architectures": ["BertForMaskedLM"]}', "vocab.txt": "a"}, "no weights"),
        (
            {
                "config.json": '{"architectures": ["BertForMaskedLM"]}',
                "vocab.txt": "a",
                "pytorch_model.bin": "x",
            },
            "only in pytorch_model.bin",
        ),
    ],
)
def test_what_a_folder_lacks(tmp_path: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(SubjectError, match=message):
        bl.subjects.inspect(tmp_path)


def test_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    for name, content, error in (
        ("page.txt", b"<html><body>Not found</body></html>", EmbeddingFileError),
        ("empty.txt", b"", EmbeddingFileError),
        ("short.bin", b"1000 300\nword " + b"\x01" * 40, EmbeddingFileError),
        ("mine.kv", b"\x80\x04\x95abc", PickleRefusedError),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(error, match=name):
            bl.subjects.inspect(path)
    with pytest.raises(SubjectError, match="no file or folder"):
        bl.subjects.inspect(tmp_path / "nothing")
    with pytest.raises(SubjectError, match="hub is off"):
        bl.subjects.inspect("hf:nobody/nothing-at-all")


def test_open_subjects_and_functions_are_described() -> None:
    embedding = bl.load(dict(zip(WORDS, VECTORS, strict=True)), name="mine")
    info = bl.subjects.inspect(embedding)
    assert (info.name, info.words, info.dimensions) == ("mine", 4, 3)

    def triage(text: str) -> str:
        return text

    assert bl.subjects.inspect(triage).kind == "function"
    assert asked("function") == {"rating", "decisions"}
    assert asked("vlm") == {"posterior", "images"}


def test_every_kind_of_question_has_a_need_with_kinds() -> None:
    for entry in filter(lambda entry: entry.probe, entries()):
        assert not entry.need or imported(entry.need).kinds
        module, _, function = entry.probe.removeprefix("bl.").rpartition(".")
        assert callable(getattr(getattr(bl, module) if module else bl, function))


@pytest.mark.parametrize("name", ["wiki-bootstraps", "wiki-clm", "imdb-sentiment"])
def test_memory_is_that_of_arrays_and_parameters(name: str) -> None:
    subject = bl.load(name)
    if name == "wiki-clm":
        expected = sum(p.nbytes for p in subject.model.parameters())
    else:
        expected = bl.subjects.inspect(name).bytes
    assert bl.subjects.memory_of(subject) == pytest.approx(expected, rel=0.1)
