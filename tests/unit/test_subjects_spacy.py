"""Pipelines of spaCy: their words, rows that words share, and damage."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgpack
import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import EmbeddingFileError, SubjectError, UnknownSubjectError
from harness.needs import needs

KEYS = {
    "she": 6740321247510922449,
    "he": 1655312771067108281,
    "nurse": 17163531286057167424,
    "nurses": 11165371476608078691,
    "engineer": 2945926927285067412,
    "engineers": 13288879277224453604,
    "physician": 18264865859954084501,
    "schoolgirl": 5311236974443085091,
    "hairdresser": 6480537329214314589,
    "bookkeeper's": 3226124559738126816,
    "she/her": 5727651045349801014,
    "père": 7868908576196234494,
    "ä": 6726766970128105741,
    "mathematician": 9980659278633429932,
    "anaesthesiologist": 18272871551340382240,
    "firefighterfirefighter": 3961405150367133203,
    "agent": 401,
}
"""Words of 1 to 22 bytes with the keys that spaCy 3.8 gives them."""
SHARED = {"nurses": "nurse", "schoolgirl": "nurse", "she/her": "she"}
OWN = [word for word in KEYS if word not in SHARED]
TABLE = np.random.default_rng(5).normal(size=(len(OWN), 4)).astype(np.float32)
ROWS = {KEYS[word]: OWN.index(SHARED.get(word, word)) for word in [*OWN, *SHARED]}


def pipeline(folder: Path, **files: Any) -> Path:
    """Write what a pipeline keeps of its vocabulary; `files` replace or remove parts of it."""
    vocab = folder / "vocab"
    vocab.mkdir(parents=True)
    (folder / "meta.json").write_text('{"lang": "en", "name": "tiny_md", "version": "3.8.0"}')
    with (vocab / "vectors").open("wb") as file:
        np.save(file, files.pop("table", TABLE))
    parts = {
        "strings.json": json.dumps(sorted(KEYS)).encode(),
        "key2row": msgpack.packb({**ROWS, 394: 0}),  # MONEY, a label
        "vectors.cfg": b'{"mode": "default"}',
    }
    for name, content in (parts | files).items():
        if content is not None:
            (vocab / name).write_bytes(content)
    return folder


def test_words_have_the_vectors_that_spacy_gives_them(tmp_path: Path) -> None:
    vectors = bl.load(pipeline(tmp_path / "model"))
    assert vectors.name == "en_tiny_md"
    assert set(vectors.words) == set(KEYS)
    for word in KEYS:
        np.testing.assert_array_equal(vectors[word], TABLE[OWN.index(SHARED.get(word, word))])
    assert vectors.about.endswith("17 words share 14 vectors; without 1 labels of grammar")
    result = bl.two_afc(vectors, ["nurse"], [("she", "he")])
    assert "the vocabulary of this pipeline was pruned" in result.summary()
    assert "the vocabulary of this pipeline was pruned" in result.report()
    small = bl.load(tmp_path / "model", dtype="int8", limit=16)
    np.testing.assert_allclose(small["nurses"], vectors["nurse"], atol=0.03)
    assert "schoolgirl" in small
    assert "she/her" not in small


def test_words_of_one_row_are_named(tmp_path: Path) -> None:
    vectors = bl.load(pipeline(tmp_path))
    resolution = vectors.resolve(["nurse", "nurses", "he"])
    assert resolution.known == ("nurse", "he")
    assert "same vector as 'nurse'" in resolution.unknown[0].reason
    near = [word for word, _ in vectors.nearest("nurse", 40)]
    assert near[0] == "nurses"
    assert len(near) == len(OWN)  # "schoolgirl" is not listed beside "nurses"


def test_a_pipeline_in_memory_gives_the_same(tmp_path: Path) -> None:
    named = {key: word for word, key in KEYS.items()}
    vectors = SimpleNamespace(key2row=ROWS, data=TABLE, mode="default")
    nlp = SimpleNamespace(
        vocab=SimpleNamespace(strings=named, vectors=vectors), meta={"lang": "en", "name": "x"}
    )
    subject = bl.load(nlp)  # type: ignore[call-overload]
    assert subject.name == "en_x"
    assert subject.content_hash == bl.load(pipeline(tmp_path)).content_hash


@pytest.mark.usefixtures("own_home")
def test_an_installed_pipeline_opens_by_its_name_and_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "en_tiny_md"
    pipeline(package / "en_tiny_md-3.8.0")
    (package / "__init__.py").write_text("raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(tmp_path)
    assert len(bl.load("spacy:en_tiny_md")) == len(KEYS)
    info = bl.subjects.inspect("spacy:en_tiny_md")
    assert (info.name, info.kind, info.words, info.dimensions) == ("en_tiny_md", "embedding", 18, 4)
    bl.subjects.add("spacy:en_tiny_md", "mine")
    assert len(bl.load("mine")) == bl.subjects.inspect("mine").words - 1
    assert "en_tiny_md" not in sys.modules
    for name in ("en_other_md", "os.path"):
        with pytest.raises(UnknownSubjectError, match="no pipeline of spaCy named"):
            bl.load(f"spacy:{name}")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"table": np.zeros((0, 0), np.float32)}, "tiny_md has no word vectors.*_md"),
        ({"vectors.cfg": b'{"mode": "floret"}'}, "floret vectors"),
        ({"key2row": None}, "key2row of the pipeline is absent"),
        ({"key2row": msgpack.packb(ROWS)[:40]}, "key2row of the pipeline is .* damaged"),
        ({"key2row": msgpack.packb({1: 99})}, "rows beyond the 14"),
        ({"key2row": msgpack.packb([1, 2])}, "key2row of the pipeline is .* damaged"),
        ({"strings.json": b'["she", '}, "strings.json of the pipeline is .* damaged"),
        ({"strings.json": b"[1]"}, "no list of words"),
        ({"strings.json": b'["other"]', "key2row": msgpack.packb({1: 0})}, "No word of en_tiny_md"),
        ({"vectors.cfg": b"[]"}, "no object"),
        ({"table": np.array(["x"])}, "vectors of the pipeline is .* damaged"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, files: dict[str, Any], says: str) -> None:
    folder = pipeline(tmp_path, **files)
    with pytest.raises(SubjectError, match=says):
        bl.load(folder)


def test_a_table_of_words_that_is_empty_is_not_counted(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, key2row=b"")
    with pytest.raises(EmbeddingFileError, match="key2row of the pipeline"):
        bl.subjects.inspect(folder)


def test_a_table_that_is_cut_off_is_no_table(tmp_path: Path) -> None:
    path = pipeline(tmp_path) / "vocab" / "vectors"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(EmbeddingFileError, match="vectors of the pipeline"):
        bl.load(tmp_path)


@pytest.mark.real
@needs("spacy")
def test_a_real_pipeline_is_read_as_spacy_reads_it(real_model: Callable[[str], Path]) -> None:
    from spacy.vocab import Vocab

    folder = real_model("spacy-en-md")
    vocab = Vocab().from_disk(folder / "vocab", exclude=["lookups"])
    spelt = {vocab.strings[key]: row for key, row in vocab.vectors.key2row.items()}
    vectors = bl.load(folder)
    rows = vectors._replicates[0]._places  # type: ignore[attr-defined]
    assert {**spelt, **dict(zip(vectors.words, rows.tolist(), strict=True))} == spelt
    left_out = set(spelt) - set(vectors.words)
    assert len(left_out) == 72
    assert {"NOUN", "dobj"} < left_out
