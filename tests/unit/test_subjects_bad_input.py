"""Damaged files: the message names file and line and says what to do; sound words are saved."""

from __future__ import annotations

import gzip
import importlib
import io
import json
import os
import pickle
import re
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biaslab.errors import (
    EmbeddingFileError,
    PickleRefusedError,
    SubjectError,
    UnknownSubjectError,
    UnknownTermError,
)
from biaslab.subjects import WordEmbedding, load
from biaslab.subjects import load as load_subject
from biaslab.subjects.opening.load import bundled_names
from harness.embedding_files import COMPRESS, glove_text, word2vec_binary, word2vec_text, write

WORDS = [f"word{i}" for i in range(40)]
VECTORS = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32)
GLOVE = glove_text(WORDS, VECTORS)
LINES = GLOVE.split(b"\n")[:-1]


def failure(path: Path, **options: object) -> EmbeddingFileError:
    """The error of loading a file; its message always names the file."""
    with pytest.raises(EmbeddingFileError) as caught:
        load(path, **options)  # type: ignore[arg-type]
    assert path.name in str(caught.value)
    assert caught.value.path == str(path)
    return caught.value


def text_file(tmp_path: Path, lines: list[bytes], name: str = "g.txt") -> Path:
    return write(tmp_path / name, b"\n".join(lines) + b"\n")


def check_ways_on(path: Path, error: EmbeddingFileError, usable: int, kept: int) -> WordEmbedding:
    """What the error offers works: `limit=usable`, and `skip_bad=True` which keeps more."""
    assert error.usable == usable
    if usable:
        assert f"limit={usable}" in str(error)
        limited = load(path, limit=usable)
        assert len(limited) == usable
        np.testing.assert_array_equal(limited.vectors(list(limited.words))[0], VECTORS[:usable])
    assert "skip_bad=True" in str(error)
    rest = load(path, skip_bad=True)
    assert isinstance(rest, WordEmbedding)
    assert len(rest) == kept
    assert rest.notes
    for word in (WORDS[0], WORDS[10]):
        row = WORDS.index(word)
        np.testing.assert_array_equal(rest.vectors([word])[0, 0], VECTORS[row])
    return rest


@pytest.mark.parametrize("header", [True, False])
def test_truncated_in_the_middle_of_a_row(header: bool, tmp_path: Path) -> None:
    data = (word2vec_text if header else glove_text)(WORDS, VECTORS)
    cut = data.rindex(b" ", 0, len(data) - 30)
    path = write(tmp_path / "g.txt", data[:cut])
    error = failure(path)
    assert error.line == 40 + header
    assert re.search(rf"line {error.line} ends after \d of 5 numbers", str(error))
    rest = check_ways_on(path, error, usable=39, kept=39)
    assert f"line {error.line}" in rest.notes[0]


def test_truncated_inside_the_last_number_is_at_least_mentioned(tmp_path: Path) -> None:
    path = write(tmp_path / "g.txt", GLOVE[:-3])
    assert "the last number of 'word39'" in load(path).notes[0]
    assert load(path, limit=39).notes == ()


OF_WORD2VEC = word2vec_text(WORDS, VECTORS)
BINARY = word2vec_binary(WORDS, VECTORS)


@pytest.mark.parametrize(
    ("name", "content", "messages", "line", "usable", "kept"),
    [
        ("g.txt", b"\n".join(OF_WORD2VEC.split(b"\n")[:31]) + b"\n",
         ["30 of the 40 words promised", "ends after line 31"], None, 30, 30),
        ("g.txt", OF_WORD2VEC.replace(b"40 5\n", b"30 5\n"),
         ["promises 30 words, but line 32 still holds one"], None, 30, 40),
        ("g.bin", BINARY[:-30], ["word 39 of 40 is cut off"], 39, 38, 38),
        ("g.bin", BINARY.replace(b"word20 ", b"w\xffrd20 "), [], 21, 20, 39),
    ],
    ids=["rows missing", "rows too many", "binary cut off", "binary not UTF-8"],
)  # fmt: skip
def test_sound_words_of_a_damaged_file_are_read(
    name: str,
    content: bytes,
    messages: list[str],
    line: int | None,
    usable: int,
    kept: int,
    tmp_path: Path,
) -> None:
    path = write(tmp_path / name, content)
    error = failure(path)
    assert [message for message in messages if message not in str(error)] == []
    assert line in (None, error.line)
    check_ways_on(path, error, usable, kept)


MANY = [f"word{i}" for i in range(8_000)]
THEIRS = np.random.default_rng(0).normal(size=(8_000, 5)).astype(np.float32)


@cache
def whole(writer: Callable[..., bytes], suffix: str) -> bytes:
    return COMPRESS[suffix](writer(MANY, THEIRS))


@pytest.mark.parametrize("damage", ["cut", "zeros"])
@pytest.mark.parametrize("suffix", [s for s in COMPRESS if s])
@pytest.mark.parametrize("writer", [glove_text, word2vec_text, word2vec_binary])
def test_compressed_file_that_breaks_off(
    writer: Callable[..., bytes], suffix: str, damage: str, tmp_path: Path
) -> None:
    data = whole(writer, suffix)
    path = tmp_path / ("g.txt" + suffix)
    place = len(data) * 2 // 3
    path.write_bytes(data[:place] + (b"" if damage == "cut" else bytes(5000)))
    error = failure(path)
    assert error.line is not None
    assert error.usable is not None
    # A decompressor hands out a pack at a time, and what is in the broken one is lost.
    assert 1_200 < error.usable < 6_000
    assert f"limit={error.usable}" in str(error)
    sound = error.usable if damage == "cut" else error.usable - 300
    read = load(path, limit=error.usable)
    np.testing.assert_array_equal(read.vectors(MANY[:sound])[0], THEIRS[:sound])
    saved = load(path, skip_bad=True)
    assert error.usable <= len(saved)
    np.testing.assert_array_equal(saved.vectors(MANY[:sound])[0], THEIRS[:sound])
    assert saved.notes
    if damage == "cut":
        assert "cut off there" in str(error)


def test_compressed_file_that_is_damaged_at_once(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(GLOVE))
    data[20:60] = bytes(40)
    path = tmp_path / "g.txt.gz"
    path.write_bytes(bytes(data))
    assert "damaged near the beginning" in str(failure(path))


def test_binary_that_goes_on_after_the_words_promised(tmp_path: Path) -> None:
    data = word2vec_binary(WORDS, VECTORS).replace(b"40 5\n", b"30 5\n")
    path = write(tmp_path / "g.bin", data)
    error = failure(path)
    assert error.usable == 30
    assert len(load(path, limit=30)) == 30
    assert "continues" in load(path, skip_bad=True).notes[0]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b"word20 1 2 3", "line 21 ends after 3 of 5 numbers"),
        (b"word20 1 2 3 4 5 6", "line 21 has 6 numbers instead of 5"),
        (b"word20 1 2 three 4 5", "line 21 has 'three' where a number is expected"),
        (b"word20 1 2 3 4 5x", "line 21 has '5x' where a number is expected"),
        (b"word20 1 2 3-1 4 5", "line 21 has '3-1' where a number is expected"),
        (b"word20 1 2 1_0 4 5", "line 21 has '1_0' where a number is expected"),
        (b"word20 1 2 3 4 5 x", "line 21 ends in 'x' instead of a number"),
        (b"word20", "line 21 ends after 0 of 5 numbers"),
        (b" 1 2 3 4 5", "line 21 has no word before its numbers"),
        (b"w\xf6rd20 1 2 3 4 5", "line 21 is not UTF-8 (byte 0xf6"),
        (b"\x00\x01\xff\xfe", "line 21 "),
    ],
)
def test_one_bad_line(bad: bytes, message: str, tmp_path: Path) -> None:
    path = text_file(tmp_path, [*LINES[:20], bad, *LINES[21:]])
    error = failure(path)
    assert message in str(error)
    assert error.line == 21
    rest = check_ways_on(path, error, usable=20, kept=39)
    assert message in rest.notes[0]
    assert rest.notes[0].startswith("1 bad line left out")


def test_the_first_line_is_bad(tmp_path: Path) -> None:
    path = text_file(tmp_path, [b"word0 1 2", *LINES[1:]])
    error = failure(path)
    assert (error.line, error.usable) == (1, 0)
    assert "limit=0" not in str(error)
    assert len(load(path, skip_bad=True)) == 39


def test_many_bad_lines_are_counted_and_the_first_listed(tmp_path: Path) -> None:
    lines = [line if i % 2 else b"broken 1" for i, line in enumerate(LINES)]
    note = load(text_file(tmp_path, [LINES[0], LINES[1], *lines]), skip_bad=True).notes[0]
    assert note.startswith("20 bad lines left out: line 3 ends after 1 of 5 numbers; line 5")
    assert note.endswith("and 15 more.")


def test_limit_stops_before_later_bad_lines(tmp_path: Path) -> None:
    path = text_file(tmp_path, [*LINES[:20], b"broken", *LINES[20:]])
    assert list(load(path, limit=20).words) == WORDS[:20]
    skipping = load(path, limit=30, skip_bad=True)
    assert list(skipping.words) == WORDS[:30]


def test_bad_line_numbers_count_header_and_blank_lines(tmp_path: Path) -> None:
    path = text_file(tmp_path, [b"41 5", LINES[0], b"", LINES[1], b"x 1", *LINES[2:]])
    error = failure(path)
    assert (error.line, error.usable) == (5, 2)


def test_header_with_the_wrong_dimensions(tmp_path: Path) -> None:
    path = text_file(tmp_path, [b"40 300", *LINES])
    error = failure(path)
    assert "promises 300 numbers per word, the lines after it have 5" in str(error)
    rest = load(path, skip_bad=True)
    assert (len(rest), rest.dim) == (40, 5)
    assert "300" in rest.notes[0]


def test_header_that_lies_does_not_take_all_memory(tmp_path: Path) -> None:
    path = text_file(tmp_path, [b"99999999999999 5", *LINES])
    assert failure(path).usable == 40
    binary = write(
        tmp_path / "g.bin",
        word2vec_binary(WORDS, VECTORS).replace(b"40 5\n", b"99999999999999 5\n", 1),
    )
    assert failure(binary).usable == 40


@pytest.mark.parametrize("name", ["g.txt", "g.txt.gz", "g.bin", "g.npz", "g.safetensors", "g.kv"])
def test_empty_file(name: str, tmp_path: Path) -> None:
    assert "is empty" in str(failure(write(tmp_path / name, b"")))


@pytest.mark.parametrize("header", [b"9" * 5000 + b" 5", b"40 " + b"9" * 5000])
def test_a_header_of_thousands_of_digits_is_none(header: bytes, tmp_path: Path) -> None:
    assert failure(text_file(tmp_path, [header, *LINES])).line == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.random.default_rng(1).bytes(5000), "has no word vectors"),
        (b"\x00" * 5000, "binary data"),
        (b"just some prose\nwithout numbers\n", "has no word vectors"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "is a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs pull"),
        ("the 1 2 3\n".encode("utf-16"), "UTF-16"),
        (b"\xba\x16\x4f\x2f" + bytes(100), "Open the .vec file"),
        (b"\x93NUMPY" + bytes(100), "np.savez"),
        (b"3 5\n", "promises 3 words"),
        (b"PK\x03\x04" + bytes(100), "truncated or damaged"),
    ],
)
def test_other_things_than_embeddings(content: bytes, message: str, tmp_path: Path) -> None:
    assert message in str(failure(write(tmp_path / "thing.dat", content)))


def test_zip_of_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("glove.6B.50d.txt", GLOVE)
    assert "Unpack it" in str(failure(path))


def test_compressed_npz_is_to_be_unpacked(tmp_path: Path) -> None:
    np.savez(tmp_path / "v.npz", words=np.array(WORDS), vectors=VECTORS)
    path = write(tmp_path / "v.npz.gz", (tmp_path / "v.npz").read_bytes())
    assert "Unpack it" in str(failure(path))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_damaged_npz(save: Callable[..., None], tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    save(path, words=np.array(WORDS), vectors=VECTORS)
    data = bytearray(path.read_bytes())
    path.write_bytes(data[: len(data) // 2])
    assert "damaged" in str(failure(path))
    if save is np.savez_compressed:
        middle = len(data) // 2
        data[middle : middle + 60] = bytes(60)
        path.write_bytes(bytes(data))
        assert "Download it again" in str(failure(path))


def test_npz_without_the_arrays(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, vocab=np.array(WORDS), emb=VECTORS)
    message = str(failure(path))
    assert "no array words and no array vectors" in message
    assert "vocab, emb" in message
    np.savez(path, words=np.array(WORDS), vectors=np.array(["x"]))
    assert "Store numbers of shape (V, d)" in str(failure(path))


def array_file(shape: tuple[int, ...], descr: str, content: bytes = b"") -> bytes:
    """An npy file whose header promises what need not be there."""
    file = io.BytesIO()
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + content


def array_of(values: object) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(values))
    return file.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize(
    "damage",
    [
        {"words": array_file((10**9,), "<U10")},
        {"words": array_file((2**62,), "<U10")},
        {"words": array_file((-40,), "<U10")},
        {"vectors": array_file((10**9, 300), "<f4", bytes(60))},
        {"vectors": array_file((2**62, 4), "<f4", bytes(60))},
        {"vectors": array_file((-40, -5), "<f4", bytes(800))},
        {"scale": array_file((10**12,), "<f4")},
        {"scale": array_of(np.array([{}] * 40, dtype=object))},
    ],
    ids=["many words", "too many words", "fewer than no words", "many vectors",
         "too many vectors", "fewer than no vectors", "many scales", "scales that are objects"],
)  # fmt: skip
def test_npz_that_promises_more_than_it_holds(
    damage: dict[str, bytes], method: int, tmp_path: Path
) -> None:
    path = tmp_path / "v.npz"
    arrays = {"words": array_of(WORDS), "vectors": array_of(VECTORS)} | damage
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in arrays.items():
            archive.writestr(f"{name}.npy", content)
    assert "damaged" in str(failure(path))


def test_npz_with_fewer_words_than_vectors(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, words=np.array(WORDS[:30]), vectors=VECTORS)
    error = failure(path)
    assert error.usable == 30
    assert len(load(path, limit=30)) == 30


def test_damaged_safetensors(tmp_path: Path) -> None:
    path = WordEmbedding(WORDS, VECTORS).save(tmp_path / "v.safetensors")
    data = path.read_bytes()
    path.write_bytes(data[:-10])
    assert "is cut off" in str(failure(path))
    path.write_bytes(data[:40])
    assert "cut off in its header" in str(failure(path))
    path.write_bytes(data[:8] + b"{" * (len(data) - 8))
    assert "damaged header" in str(failure(path))


@pytest.mark.parametrize(
    "change",
    [
        *({"vectors": {"data_offsets": at}} for at in ([-800, 0], [-10, 800], [800, 0], [0])),
        {"vectors": {"data_offsets": [0.0, 800.0]}},
        *({"vectors": {"shape": one}} for one in ([40.0, 5], [-40, -5], [40, 4], [2**62, 4])),
        {"vectors": {"shape": "many"}},
        {"vectors": {"dtype": ["F32"]}},
        *({"__metadata__": one} for one in ([1], {"words": 5}, {"words": [["a"]]})),
    ],
    ids=str,
)
def test_safetensors_whose_header_cannot_be(change: dict[str, Any], tmp_path: Path) -> None:
    right = {"dtype": "F32", "shape": [40, 5], "data_offsets": [0, 800]}
    path = tmp_path / "v.safetensors"
    content = {"__metadata__": {"words": json.dumps(WORDS)}, "vectors": right}
    assert len(load(write(path, safetensors_file(content)))) == 40
    content |= {"vectors": right | change["vectors"]} if "vectors" in change else change
    assert "damaged header" in str(failure(write(path, safetensors_file(content))))


def test_words_and_headers_that_are_nested_too_deeply(tmp_path: Path) -> None:
    deep = "[" * 100_000
    path = tmp_path / "v.safetensors"
    right = {"dtype": "F32", "shape": [40, 5], "data_offsets": [0, 800]}
    content = {"__metadata__": {"words": deep}, "vectors": right}
    assert failure(write(path, safetensors_file(content))).usable == 1
    header = f'{{"vectors": {deep}'.encode()
    write(path, len(header).to_bytes(8, "little") + header)
    assert "damaged header" in str(failure(path))


def safetensors_file(header: dict[str, Any]) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + np.asarray(VECTORS, "<f4").tobytes()


def test_safetensors_without_words(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    path = tmp_path / "v.safetensors"
    save_file({"vectors": VECTORS}, path)
    assert "v.vocabulary.txt" in str(failure(path))
    (tmp_path / "v.vocabulary.txt").write_bytes("\n".join(WORDS[:39]).encode())
    assert failure(path).usable == 39
    assert len(load(path, limit=39)) == 39
    (tmp_path / "v.vocabulary.txt").write_bytes(b"one\ntw\xff\n")
    with pytest.raises(EmbeddingFileError, match="line 2 is not UTF-8"):
        load(path)


def test_safetensors_of_a_language_model(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    path = tmp_path / "model.safetensors"
    save_file({"a": VECTORS, "b": VECTORS}, path)
    assert "holds a, b" in str(failure(path))


class Trap:
    """Unpickling this would be seen."""

    opened: bool = False

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return (exec, ("from biaslab import errors; errors.trap = True",))


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", ["v.kv", "v.model", "v.bin", "v.txt", "v.pkl.gz"])
def test_pickles_are_refused_by_content_and_not_opened(
    protocol: int, name: str, tmp_path: Path
) -> None:
    import biaslab.errors

    path = write(tmp_path / name, pickle.dumps(Trap(), protocol=protocol))
    with pytest.raises(PickleRefusedError) as caught:
        load(path)
    assert "runs whatever code" in str(caught.value)
    assert "save_word2vec_format" in str(caught.value)
    assert not hasattr(biaslab.errors, "trap")


def test_npz_of_objects_is_a_pickle(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    np.savez(path, words=np.array(WORDS, dtype=object), vectors=VECTORS)
    with pytest.raises(PickleRefusedError, match=r"words\.astype"):
        load(path)
    assert list(load(path, trust_pickle=True).words) == WORDS


def test_trusted_gensim_files_open(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is not installed")
    vectors = models.KeyedVectors(5)
    vectors.add_vectors(WORDS, VECTORS)
    path = tmp_path / "v.kv"
    vectors.save(str(path))
    with pytest.raises(PickleRefusedError):
        load(path)
    np.testing.assert_array_equal(load(path, trust_pickle=True).vectors(WORDS)[0], VECTORS)
    assert len(load(path, trust_pickle=True, limit=7)) == 7
    (tmp_path / "d.pkl").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(EmbeddingFileError, match="cannot be opened by gensim"):
        load(tmp_path / "d.pkl", trust_pickle=True)
    models.Phrases([["a", "b"]]).save(str(tmp_path / "e.pkl"))
    with pytest.raises(EmbeddingFileError, match="a Phrases without word vectors"):
        load(tmp_path / "e.pkl", trust_pickle=True)


def test_what_gensim_writes_is_read(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is not installed")
    vectors = models.KeyedVectors(5)
    vectors.add_vectors(WORDS, VECTORS)
    for name, options in {
        "a.txt": {},
        "b.bin": {"binary": True},
        "c.txt": {"write_header": False},
    }.items():
        vectors.save_word2vec_format(str(tmp_path / name), **options)
        np.testing.assert_array_equal(load(tmp_path / name).vectors(WORDS)[0], VECTORS)


@pytest.mark.parametrize("dtype", [None, "float16", "int8"])
def test_rows_without_direction_are_unknown_with_the_reason(
    dtype: str | None, tmp_path: Path
) -> None:
    lines = [*LINES, b"zero 0 0 0 0 0", b"nan 1 2 nan 4 5", b"inf 1 2 3 -inf 5"]
    embedding = load(text_file(tmp_path, lines), dtype=dtype)
    found = embedding.resolve(["word1", "zero", "nan", "inf", "zero word1"])
    assert found.known == ("word1",)
    assert {u.term: u.reason for u in found.unknown} == {
        "zero": "its vector is all zeros",
        "nan": "its vector holds NaN or infinity",
        "inf": "its vector holds NaN or infinity",
        "zero word1": "its vector is all zeros",
    }
    with pytest.raises(UnknownTermError, match="'nan': its vector holds NaN"):
        embedding.vectors(["word1", "nan"])
    assert "zero" not in embedding
    assert "word1" in embedding


def test_markup_in_a_word_is_text(tmp_path: Path) -> None:
    word = "<img/src=x/onerror=alert(1)>"
    embedding = load(text_file(tmp_path, [LINES[0], word.encode() + b" 1 2 3 4 5"]))
    assert embedding.resolve([word]).known == (word,)
    unknown = embedding.resolve(["<script>"]).unknown[0]
    assert unknown.term == "<script>"


def test_unknown_bundled_name_offers_the_known_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "bundled" / "wiki-bootstraps"
    folder.mkdir(parents=True)
    (folder / "ensemble.json").write_text("{}")
    # The package's attribute `load` is the function of that name.
    module = importlib.import_module("biaslab.subjects.opening.load")
    monkeypatch.setattr(module, "BUNDLED", tmp_path / "bundled")
    assert bundled_names() == ("wiki-bootstraps",)
    with pytest.raises(UnknownSubjectError, match="wiki-bootstraps") as caught:
        load("wiki-bootstrap")
    assert caught.value.known == ("wiki-bootstraps",)


def test_missing_file_and_wrong_options(tmp_path: Path) -> None:
    with pytest.raises(UnknownSubjectError, match="no file or folder"):
        load(tmp_path / "nowhere.txt")
    with pytest.raises(UnknownSubjectError, match="no file or folder"):
        load("nowhere.vec")
    path = text_file(tmp_path, LINES)
    with pytest.raises(SubjectError, match="kind='telepathy'"):
        load(path, kind="telepathy")
    with pytest.raises(UnknownSubjectError, match="no model"):
        load(path, kind="mlm")
    with pytest.raises(SubjectError, match="is an embedding, not an ensemble"):
        load(path, kind="ensemble")
    with pytest.raises(SubjectError, match="case="):
        load_subject(path, letter_case="upper")  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "vectors.txt"
    os.mkfifo(pipe)
    with pytest.raises(SubjectError, match="is a pipe or a device"):
        load(pipe)


def test_a_manifest_that_is_nested_too_deeply(tmp_path: Path) -> None:
    (tmp_path / "ensemble.json").write_text('{"format": ' + "[" * 100_000)
    with pytest.raises(EmbeddingFileError, match=r"ensemble\.json is damaged"):
        load(tmp_path)


def test_folder_that_holds_no_ensemble(tmp_path: Path) -> None:
    text_file(tmp_path, LINES)
    with pytest.raises(UnknownSubjectError, match=r"It holds g\.txt"):
        load(tmp_path)


def test_words_and_vectors_that_do_not_fit() -> None:
    with pytest.raises(SubjectError, match="3 words but 40 vectors"):
        WordEmbedding(WORDS[:3], VECTORS)
    with pytest.raises(SubjectError, match="shape"):
        WordEmbedding(WORDS, VECTORS[0])
    with pytest.raises(SubjectError, match="scale"):
        WordEmbedding(WORDS, VECTORS, scale=np.ones(3))
    with pytest.raises(SubjectError, match="type"):
        WordEmbedding(WORDS, VECTORS.astype(complex))
    with pytest.raises(SubjectError, match="empty"):
        WordEmbedding([], VECTORS[:0])
    with pytest.raises(SubjectError, match="text"):
        WordEmbedding(list(range(40)), VECTORS)  # type: ignore[arg-type]
