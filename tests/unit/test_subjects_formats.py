"""Every format in every compression gives back what was written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.errors import SubjectError
from biaslab.subjects import EmbeddingEnsemble, WordEmbedding, load
from biaslab.subjects.formats.detect import Format, sniff
from harness.embedding_files import (
    COMPRESS,
    fasttext_vec,
    glove_text,
    word2vec_binary,
    word2vec_text,
    write,
)

WORDS = ["the", "nurse", "naïve", "日本", "<b>bold</b>", "New_York", "3", "1999", "...", "#"]
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 7)).astype(np.float32)

WRITERS: dict[str, Callable[..., bytes]] = {
    "glove.txt": glove_text,
    "word2vec.txt": word2vec_text,
    "fasttext.vec": fasttext_vec,
    "word2vec.bin": word2vec_binary,
}


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("name", WRITERS)
def test_text_and_binary_files_in_each_compression(name: str, suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / (name + suffix), WRITERS[name](WORDS, VECTORS))
    embedding = load(path)
    assert isinstance(embedding, WordEmbedding)
    assert list(embedding.words) == WORDS
    np.testing.assert_array_equal(embedding.vectors(WORDS)[0], VECTORS)
    assert embedding.notes == ()
    assert embedding.name == name.split(".")[0]


@pytest.mark.parametrize("name", WRITERS)
def test_format_is_told_from_content_whatever_the_suffix(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / "vectors.dat", WRITERS[name](WORDS, VECTORS))
    expected = Format.WORD2VEC_BINARY if name.endswith(".bin") else Format.TEXT
    assert sniff(path) is expected
    compressed = tmp_path / "vectors.model"
    compressed.write_bytes(COMPRESS[".xz"](WRITERS[name](WORDS, VECTORS)))
    assert list(load(compressed).words) == WORDS


def test_binary_without_line_breaks(tmp_path: Path) -> None:
    path = write(tmp_path / "g.bin", word2vec_binary(WORDS, VECTORS, end=b""))
    np.testing.assert_array_equal(load(path).vectors(WORDS)[0], VECTORS)


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_npz(stored: bool, dtype: type[np.floating], tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    save = np.savez if stored else np.savez_compressed
    save(path, words=np.array(WORDS), vectors=VECTORS.astype(dtype))
    embedding = load(path)
    expected = VECTORS.astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(embedding.vectors(WORDS)[0], expected)
    assert isinstance(embedding._replicates[0], np.memmap) == stored
    assert list(load(path, limit=3).words) == WORDS[:3]
    np.testing.assert_array_equal(load(path, limit=3).vectors(["nurse"])[0, 0], expected[1])


def test_npz_of_bytes_words_column_order_and_scale(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    words = np.array([w.encode() for w in WORDS])
    rows = np.asfortranarray(np.rint(VECTORS * 30).astype(np.int8))
    scale = np.linspace(1, 2, len(WORDS)).astype(np.float32)
    np.savez(path, words=words, vectors=rows, scale=scale)
    expected = rows * scale[:, None]
    np.testing.assert_allclose(load(path).vectors(WORDS)[0], expected, rtol=1e-6)
    np.savez_compressed(path, words=words, vectors=rows, scale=scale)
    np.testing.assert_allclose(load(path).vectors(WORDS)[0], expected, rtol=1e-6)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_of_three_dimensions_is_an_ensemble(save: Callable[..., None], tmp_path: Path) -> None:
    path = tmp_path / "many.npz"
    cube = np.random.default_rng(1).normal(size=(4, len(WORDS), 5)).astype(np.float32)
    save(path, words=np.array(WORDS), vectors=cube)
    ensemble = load(path, kind="ensemble")
    assert isinstance(ensemble, EmbeddingEnsemble)
    assert ensemble.n_replicates == 4
    np.testing.assert_array_equal(ensemble.vectors(WORDS), cube)


def test_safetensors_from_elsewhere_with_vocabulary_beside(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    path = tmp_path / "v.safetensors"
    save_file({"emb": VECTORS.astype(np.float16)}, path)
    (tmp_path / "vocabulary.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    embedding = load(path)
    assert isinstance(embedding._replicates[0], np.memmap)
    np.testing.assert_array_equal(
        embedding.vectors(WORDS)[0], VECTORS.astype(np.float16).astype(np.float32)
    )


def test_safetensors_bfloat16(tmp_path: Path) -> None:
    import json

    exact = np.rint(VECTORS * 8) / 8 + 0.5  # few bits, so that bfloat16 holds them
    bits = (exact.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    header = json.dumps(
        {
            "__metadata__": {"words": json.dumps(WORDS)},
            "vectors": {
                "dtype": "BF16",
                "shape": list(VECTORS.shape),
                "data_offsets": [0, len(bits)],
            },
        }
    ).encode()
    path = tmp_path / "b.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bits)
    np.testing.assert_array_equal(load(path).vectors(["nurse"])[0, 0], exact[1])


@pytest.mark.parametrize("dtype", [None, "float16", "int8"])
def test_saved_embedding_is_mapped_and_hashes_alike(dtype: str | None, tmp_path: Path) -> None:
    source = write(tmp_path / "glove.txt", glove_text(WORDS, VECTORS))
    embedding = load(source, dtype=dtype)
    assert isinstance(embedding, WordEmbedding)
    again = load(embedding.save(tmp_path / "saved.safetensors"))
    assert isinstance(again._replicates[0], np.memmap)
    assert again.content_hash == embedding.content_hash
    np.testing.assert_array_equal(again.vectors(WORDS), embedding.vectors(WORDS))


def test_content_hash_does_not_depend_on_the_format(tmp_path: Path) -> None:
    hashes = {
        load(write(tmp_path / name, writer(WORDS, VECTORS))).content_hash
        for name, writer in WRITERS.items()
    }
    assert len(hashes) == 1
    changed = VECTORS.copy()
    changed[3, 2] += 1
    assert load(write(tmp_path / "c.txt", glove_text(WORDS, changed))).content_hash not in hashes
    other = ["The", *WORDS[1:]]
    assert load(write(tmp_path / "w.txt", glove_text(other, VECTORS))).content_hash not in hashes


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 2e-3), ("int8", 0.02)])
def test_smaller_types_keep_the_vectors(
    name: str, dtype: str, tolerance: float, tmp_path: Path
) -> None:
    embedding = load(write(tmp_path / name, WRITERS[name](WORDS, VECTORS)), dtype=dtype)
    assert embedding.dtype == np.dtype(dtype)
    np.testing.assert_allclose(embedding.vectors(WORDS)[0], VECTORS, atol=tolerance)


def test_mapped_file_in_another_type(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    np.savez(path, words=np.array(WORDS), vectors=VECTORS)
    embedding = load(path, dtype="int8")
    assert embedding.dtype == np.int8
    np.testing.assert_allclose(embedding.vectors(WORDS)[0], VECTORS, atol=0.02)


def test_int8_file_as_float(tmp_path: Path) -> None:
    small = WordEmbedding(
        WORDS, np.full((len(WORDS), 3), 2, dtype=np.int8), scale=np.full(len(WORDS), 0.5)
    )
    path = small.save(tmp_path / "i.safetensors")
    assert load(path, dtype="float32").dtype == np.float32
    np.testing.assert_array_equal(load(path, dtype="float32").vectors(["the"]), np.ones((1, 1, 3)))


@pytest.mark.parametrize("dtype", ["complex64", "float64", "words"])
def test_other_types_are_refused(dtype: str, tmp_path: Path) -> None:
    path = write(tmp_path / "g.txt", glove_text(WORDS, VECTORS))
    with pytest.raises(SubjectError, match="choose one of float32, float16, int8"):
        load(path, dtype=dtype)


@pytest.mark.parametrize("name", WRITERS)
def test_limit_reads_the_first_words(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, WRITERS[name](WORDS, VECTORS))
    assert list(load(path, limit=4).words) == WORDS[:4]
    assert list(load(path, limit=99).words) == WORDS
    with pytest.raises(SubjectError, match="at least 1"):
        load(path, limit=0)


def test_tabs_carriage_returns_blank_lines_and_byte_order_mark(tmp_path: Path) -> None:
    text = "\ufeffthe\t1 2  3\r\n\r\nnurse 4 5 6\r\n\n"
    path = write(tmp_path / "g.txt", text.encode())
    embedding = load(path)
    assert list(embedding.words) == ["the", "nurse"]
    np.testing.assert_array_equal(embedding.vectors(["the", "nurse"])[0], [[1, 2, 3], [4, 5, 6]])


def test_line_separators_of_unicode_stay_inside_words(tmp_path: Path) -> None:
    words = ["a\u2028b", "c\x85d", "e\u00a0f"]
    for name, writer in WRITERS.items():
        path = write(tmp_path / name, writer(words, VECTORS[:3]))
        assert list(load(path).words) == words


def test_blocks_smaller_than_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from biaslab.subjects.formats import reading as stream

    words = [f"word{i}" for i in range(300)]
    vectors = np.random.default_rng(2).normal(size=(300, 6)).astype(np.float32)
    for size in (64, 1000):
        monkeypatch.setattr(stream.Stream.read, "__defaults__", (size,))
        monkeypatch.setattr(stream.Stream.blocks, "__defaults__", (size,))
        for name, writer in WRITERS.items():
            path = write(tmp_path / f"{name}.gz", writer(words, vectors))
            embedding = load(path)
            assert list(embedding.words) == words
            np.testing.assert_array_equal(embedding.vectors(words)[0], vectors)


def test_progress_is_told_and_can_stop_the_reading(tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    path = write(tmp_path / "g.txt", glove_text(WORDS, VECTORS))
    load(path, on_progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(WORDS), len(WORDS))

    class Stop(Exception):
        pass

    def stop(done: int, total: int | None) -> None:
        raise Stop

    with pytest.raises(Stop):
        load(path, on_progress=stop)


_word = st.text(
    st.characters(blacklist_categories=["Cs", "Cc", "Zs"]), min_size=1, max_size=8
).filter(lambda w: not w.isspace())


@given(
    rows=st.dictionaries(
        _word,
        st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3),
        min_size=2,
        max_size=12,
    ),
    name=st.sampled_from(sorted(WRITERS)),
    suffix=st.sampled_from(sorted(COMPRESS)),
)
def test_any_words_survive_any_format(
    rows: dict[str, list[float]], name: str, suffix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    words, vectors = list(rows), np.array(list(rows.values()), dtype=np.float32)
    path = write(tmp_path_factory.mktemp("any") / (name + suffix), WRITERS[name](words, vectors))
    embedding = load(path, letter_case="exact")
    assert list(embedding.words) == words
    np.testing.assert_array_equal(embedding._gather(np.arange(len(words)))[0], vectors)
