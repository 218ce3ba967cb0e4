"""Loading once per process, from several threads; memory while loading; gensim names."""

from __future__ import annotations

import importlib
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biaslab.errors import EmbeddingFileError, MissingExtraError, SubjectError, UnknownSubjectError
from biaslab.subjects import EmbeddingSubject, forget_shared, load, load_shared, memory_of
from biaslab.subjects.opening import names as gensim_names
from biaslab.subjects.opening.shared import OpenSubjects
from harness.embedding_files import glove_text, word2vec_binary, word2vec_text, write

loading: Any = importlib.import_module("biaslab.subjects.opening.shared")

WORDS = [f"word{i}" for i in range(30)]
VECTORS = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    forget_shared()
    yield
    forget_shared()


def test_one_loading_for_many_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "g.txt", glove_text(WORDS, VECTORS))
    calls: list[str] = []
    all_here = threading.Barrier(8)

    def counted(source: str | Path, **options: Any) -> EmbeddingSubject:
        calls.append(str(source))
        return load(source, **options)

    monkeypatch.setattr(loading, "load", counted)

    def ask(_: int) -> EmbeddingSubject:
        all_here.wait(timeout=30)
        return load_shared(path)

    with ThreadPoolExecutor(8) as pool:
        subjects = list(pool.map(ask, range(8)))
    assert len(calls) == 1
    assert len({id(subject) for subject in subjects}) == 1


def test_different_subjects_load_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_loading = threading.Barrier(2)

    def meeting(source: str | Path, **options: Any) -> EmbeddingSubject:
        both_loading.wait(timeout=30)  # fails unless the other loading has begun too
        return load(source, **options)

    monkeypatch.setattr(loading, "load", meeting)
    paths = [write(tmp_path / f"{n}.txt", glove_text(WORDS, VECTORS)) for n in "ab"]
    with ThreadPoolExecutor(2) as pool:
        names = {subject.name for subject in pool.map(load_shared, paths)}
    assert names == {"a", "b"}


def test_options_and_changes_on_disk_make_other_subjects(tmp_path: Path) -> None:
    path = write(tmp_path / "g.txt", glove_text(WORDS, VECTORS))
    first = load_shared(path)
    assert load_shared(str(path)) is first
    assert load_shared(path, limit=3) is not first
    assert load_shared(path, name="mine").name == "mine"
    write(path, glove_text(WORDS[:-1], VECTORS[:-1]))
    assert len(load_shared(path)) == 29


def test_failure_is_not_remembered(tmp_path: Path) -> None:
    path = write(tmp_path / "g.txt", b"")
    with pytest.raises(EmbeddingFileError):
        load_shared(path)
    write(path, glove_text(WORDS, VECTORS))
    assert len(load_shared(path)) == 30


def test_open_subjects_take_at_most_their_share_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: Any = importlib.import_module("biaslab.subjects.pretrained.memory")
    paths = [write(tmp_path / f"g{i}.txt", glove_text(WORDS, VECTORS)) for i in range(3)]
    size = memory_of(load(paths[0]))
    # Half of this memory holds two subjects.
    monkeypatch.setattr(limits, "total_memory", lambda device: 5 * size)
    first, second = load_shared(paths[0]), load_shared(paths[1])
    assert load_shared(paths[0]) is first
    load_shared(paths[2])
    assert load_shared(paths[0]) is first
    assert load_shared(paths[1]) is not second
    monkeypatch.setenv("BIASLAB_MEMORY_SHARE", "1")
    assert len({id(load_shared(path)) for path in paths + paths}) == 3
    monkeypatch.setenv("BIASLAB_MEMORY_SHARE", "0.01")
    large = load_shared(paths[1], limit=20)
    assert load_shared(paths[1], limit=20) is large, "one subject stays, however large"
    monkeypatch.setenv("BIASLAB_MEMORY_SHARE", "half")
    with pytest.raises(SubjectError, match="above 0 and at most 1"):
        load_shared(paths[0])


def test_room_is_made_before_a_subject_is_opened() -> None:
    def subject(size: int) -> Any:
        words = [f"w{i}" for i in range(size)]
        return load(dict(zip(words, np.ones((size, 1)), strict=True)), dtype="float32")

    open_subjects: OpenSubjects[Any] = OpenSubjects(lambda device: 400)
    small = open_subjects.get("small", lambda: subject(50), {"cpu": 200})
    seen: list[int] = []

    def large() -> Any:
        seen.append(len(open_subjects._open))
        return subject(75)

    open_subjects.get("large", large, {"cpu": 300})
    assert seen == [0]
    assert open_subjects.get("small", lambda: "opened again", {}) != small


def test_one_subject_serves_many_threads() -> None:
    words = [f"word{i}" for i in range(3000)]
    vectors = np.random.default_rng(0).normal(size=(3000, 8)).astype(np.float32)
    from biaslab.subjects import WordEmbedding

    embedding = WordEmbedding(words, vectors)

    def ask(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        same = True
        for _ in range(60):
            rows = rng.integers(0, 3000, size=int(rng.integers(1, 64)))
            got = embedding.vectors([words[r] for r in rows])[0]
            same &= bool(np.array_equal(got, vectors[rows]))
        return same

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(ask, range(6)))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("glove.txt", "float32"),
        ("word2vec.bin", "int8"),
        ("v.npz", "float32"),
        pytest.param("word2vec.txt.gz", "int8", marks=pytest.mark.validate),
    ],
)
def test_peak_of_memory_is_far_below_twice_the_matrix(
    name: str, dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tracemalloc counts numpy's arrays and Python's objects alike."""
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(6_000)]
    vectors = rng.integers(-99, 99, size=(6_000, 100)).astype(np.float32)
    path = tmp_path / name
    if name == "v.npz":
        np.savez_compressed(path, words=np.array(words), vectors=vectors)
    else:
        writer = {"glove.txt": glove_text, "word2vec.bin": word2vec_binary}
        write(path, writer.get(name, word2vec_text)(words, vectors))
    # Blocks in proportion to the file: 4 MB of a file of gigabytes.
    npz: Any = importlib.import_module("biaslab.subjects.formats.npz")
    monkeypatch.setattr(npz, "BLOCK_ROWS", 100)
    stream: Any = importlib.import_module("biaslab.subjects.formats.reading")
    monkeypatch.setattr(stream.Stream.read, "__defaults__", (1 << 15,))
    monkeypatch.setattr(stream.Stream.blocks, "__defaults__", (1 << 15,))
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        embedding = load(path, dtype=dtype)
        kept, peak = (value - before for value in tracemalloc.get_traced_memory())
    finally:
        tracemalloc.stop()
    matrix = embedding._replicates[0]
    assert matrix.dtype == np.dtype(dtype)
    # The words and their index (some 1.2 MB here) are kept beside the matrix.
    assert kept < matrix.nbytes + 1.6e6
    assert peak < 1.25 * matrix.nbytes + 2e6
    if dtype == "float32":
        assert peak < 2 * matrix.nbytes


def test_mapped_files_take_no_memory_for_vectors(tmp_path: Path) -> None:
    words = [f"word{i}" for i in range(20_000)]
    vectors = np.random.default_rng(0).normal(size=(20_000, 200)).astype(np.float32)
    np.savez(tmp_path / "v.npz", words=np.array(words), vectors=vectors)
    size = vectors.nbytes
    del vectors
    tracemalloc.start()
    try:
        embedding = load(tmp_path / "v.npz")
        embedding.vectors(words[:100])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < size / 2


@pytest.fixture
def gensim_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "gensim-data"
    folder.mkdir()
    monkeypatch.setenv("GENSIM_DATA_DIR", str(folder))
    return folder


def test_gensim_name_that_was_downloaded_opens_offline(
    gensim_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "glove-tiny-4"
    (gensim_folder / name).mkdir()
    (gensim_folder / name / "__init__.py").write_text("raise SystemExit")
    write(gensim_folder / name / f"{name}.gz", word2vec_text(WORDS, VECTORS))

    def no_network(_: str) -> dict[str, object]:
        raise AssertionError("asked the network")

    monkeypatch.setattr(gensim_names, "_ask", no_network)
    embedding = load(f"gensim:{name}")
    assert embedding.name == f"gensim:{name}"
    np.testing.assert_array_equal(embedding.vectors(WORDS)[0], VECTORS)


def go_through(monkeypatch: pytest.MonkeyPatch, server: socket.socket) -> None:
    """Let all requests go to a server as their proxy."""
    server.bind(("127.0.0.1", 0))
    for variable in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, f"http://127.0.0.1:{server.getsockname()[1]}")
    for variable in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(variable, raising=False)


def test_gensim_offline_says_so(gensim_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gensim", reason="gensim is not installed")
    with socket.socket() as taken:
        # A port that is bound and not listening refuses at once: no network, whatever the machine.
        go_through(monkeypatch, taken)
        with pytest.raises(SubjectError, match="cannot be reached") as caught:
            load("gensim:glove-twitter-25")
    assert "Connect to the network" in str(caught.value)


def test_gensim_network_that_never_answers(
    gensim_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("gensim", reason="gensim is not installed")
    monkeypatch.setattr(gensim_names, "PATIENCE", 0.2)
    # Of gensim itself the process needs the address of its catalogue, after a second of imports.
    (tmp_path / "gensim").mkdir()
    (tmp_path / "gensim" / "__init__.py").touch()
    (tmp_path / "gensim" / "downloader.py").write_text('DATA_LIST_URL = "http://catalogue.test"')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with socket.socket() as silent:
        go_through(monkeypatch, silent)
        silent.listen()  # takes the connection and says nothing
        with pytest.raises(SubjectError, match=r"cannot be reached .*timed out"):
            load("gensim:glove-twitter-25")


def test_answers_of_gensims_catalogue(
    gensim_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("gensim", reason="gensim is not installed")
    monkeypatch.setattr(gensim_names, "_ask", lambda name: {"known": ["glove-twitter-25"]})
    with pytest.raises(UnknownSubjectError, match="It has: glove-twitter-25") as caught:
        load("gensim:glove-twiter-25")
    assert caught.value.known == ("glove-twitter-25",)
    path = write(tmp_path / "g.txt", glove_text(WORDS, VECTORS))
    monkeypatch.setattr(gensim_names, "_ask", lambda name: {"path": str(path)})
    assert len(load("gensim:any")) == 30
    monkeypatch.setattr(gensim_names, "_ask", lambda name: {"failed": "checksum"})
    with pytest.raises(SubjectError, match=r"failed \(checksum\)"):
        load("gensim:any")
    with pytest.raises(UnknownSubjectError, match="is not a valid name"):
        load("gensim:../x")


def test_without_gensim_the_install_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gensim_names.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'biaslab\[train\]'"):
        load("gensim:glove-twitter-25")
