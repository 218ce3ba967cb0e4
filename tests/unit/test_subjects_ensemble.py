"""Ensembles: in memory, and in the folder that training writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from biaslab.errors import EmbeddingFileError, SubjectError, UnknownTermError
from biaslab.subjects import EmbeddingEnsemble, load
from biaslab.subjects.embedding.ensemble import (
    replicate_path,
    write_manifest,
    write_replicate,
    write_vocabulary,
)

WORDS = ["the", "nurse", "teacher", "software", "engineer", "rare", "New_York"]
B, D = 5, 8
CUBE = np.random.default_rng(0).normal(size=(B, len(WORDS), D)).astype(np.float32)
CUBE[1:3, WORDS.index("rare")] = 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "boot"
    path.mkdir()
    write_vocabulary(path, WORDS)
    for b in range(B):
        write_replicate(path, b, CUBE[b])
    write_manifest(path, {"replicates": B, "method": "skip-gram", "corpus": {"tokens": 1234}})
    return path


def test_folder_gives_what_training_wrote(folder: Path) -> None:
    ensemble = load(folder)
    assert isinstance(ensemble, EmbeddingEnsemble)
    assert (ensemble.name, ensemble.kind) == ("boot", "ensemble")
    assert (ensemble.n_replicates, ensemble.dim, list(ensemble.words)) == (B, D, WORDS)
    assert ensemble.notes == ()
    assert "1,234" in ensemble.about
    assert all(isinstance(rows, np.memmap) for rows in ensemble._replicates)
    terms = ["nurse", "the", "nurse"]
    got = ensemble.vectors(terms)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, CUBE[:, [1, 0, 1]], atol=0.02)


def test_dequantised_rows_are_rows_times_scale(folder: Path) -> None:
    ensemble = load(folder)
    assert ensemble._scales is not None
    rows = np.stack([np.asarray(r) for r in ensemble._replicates]).astype(np.float32)
    expected = rows * np.stack(ensemble._scales)[..., None]
    np.testing.assert_array_equal(ensemble._gather(np.arange(len(WORDS))), expected)


def test_word_that_some_replicates_never_saw(folder: Path) -> None:
    for ensemble in (load(folder), EmbeddingEnsemble(WORDS, CUBE)):
        unknown = ensemble.resolve(["nurse", "rare", "rare nurse"]).unknown
        assert [(u.term, u.reason) for u in unknown] == [
            ("rare", "missing from 2 of 5 replicates"),
            ("rare nurse", "missing from 2 of 5 replicates"),
        ]
        with pytest.raises(UnknownTermError, match="missing from 2 of 5 replicates"):
            ensemble.vectors(["nurse", "rare"])
        assert "rare" not in ensemble.suggest("rarr")
        assert "rare" in ensemble.replicate(0)
        assert "rare" not in ensemble.replicate(1)


def test_nan_in_one_replicate_of_a_float_ensemble() -> None:
    cube = CUBE.copy()
    cube[3, 1, 2] = np.nan
    unknown = EmbeddingEnsemble(WORDS, cube).resolve(["nurse"]).unknown
    assert unknown[0].reason == "its vector holds NaN or infinity in 1 of 5 replicates"


def test_phrases_in_every_replicate() -> None:
    ensemble = EmbeddingEnsemble(WORDS, CUBE)
    expected = CUBE[:, [WORDS.index("software"), WORDS.index("engineer")]].mean(axis=1)
    got = ensemble.vectors(["the", "software engineer", "new york"])
    np.testing.assert_allclose(got[:, 1], expected, rtol=1e-5)
    np.testing.assert_array_equal(got[:, 0], CUBE[:, 0])
    np.testing.assert_array_equal(got[:, 2], CUBE[:, WORDS.index("New_York")])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_types_in_memory(dtype: type[np.floating]) -> None:
    ensemble = EmbeddingEnsemble(WORDS, CUBE.astype(dtype))
    np.testing.assert_allclose(ensemble.vectors(["nurse"])[:, 0], CUBE[:, 1], rtol=2e-3, atol=1e-3)


def test_replicate_is_an_embedding_of_its_own(folder: Path) -> None:
    ensemble = load(folder)
    one = ensemble.replicate(3)
    assert one.n_replicates == 1
    np.testing.assert_array_equal(one.vectors(["nurse"])[0], ensemble.vectors(["nurse"])[3])
    assert one.content_hash != ensemble.replicate(2).content_hash
    for outside in (-1, B):
        with pytest.raises(SubjectError, match="replicates 0 to 4"):
            ensemble.replicate(outside)


def test_many_and_few_terms_agree(folder: Path) -> None:
    ensemble = load(folder)
    known = [w for w in WORDS if w != "rare"]
    many = ensemble.vectors(known * 30)
    few = ensemble.vectors(known)
    again = ensemble.vectors(known)
    np.testing.assert_array_equal(many[:, : len(known)], few)
    np.testing.assert_array_equal(again, few)


def test_what_is_handed_out_can_be_changed_without_harm(folder: Path) -> None:
    ensemble = load(folder)
    ensemble.vectors(["nurse"])[:] = 7
    np.testing.assert_allclose(ensemble.vectors(["nurse"])[:, 0], CUBE[:, 1], atol=0.02)


def test_live_terms_are_forgotten_in_time() -> None:
    words = [f"w{i}" for i in range(3000)]
    vectors = np.random.default_rng(0).normal(size=(2, 3000, 4)).astype(np.float32)
    ensemble = EmbeddingEnsemble(words, vectors)
    for start in range(0, 3000, 50):
        got = ensemble.vectors(words[start : start + 50])
        np.testing.assert_array_equal(got, vectors[:, start : start + 50])
    assert len(ensemble._live) <= 1024


def test_fewer_replicates_than_promised_are_usable_with_a_note(folder: Path) -> None:
    replicate_path(folder, 2).unlink()
    ensemble = load(folder)
    assert ensemble.n_replicates == 4
    assert "4 of 5 replicates are there" in ensemble.notes[0]
    np.testing.assert_allclose(ensemble.vectors(["nurse"])[2, 0], CUBE[3, 1], atol=0.02)


def test_training_that_still_runs_is_usable_with_a_note(folder: Path) -> None:
    (folder / "ensemble.json").rename(folder / "recipe.json")
    recipe = json.loads((folder / "recipe.json").read_text()) | {"replicates": 32}
    (folder / "recipe.json").write_text(json.dumps(recipe))
    (folder / "replicate-05.partial").write_bytes(b"half")
    ensemble = load(folder)
    assert ensemble.n_replicates == 5
    assert "5 of 32 replicates are there" in ensemble.notes[0]


def test_damaged_replicate(folder: Path) -> None:
    path = replicate_path(folder, 4)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(EmbeddingFileError, match=r"replicate-04\.safetensors is cut off"):
        load(folder)
    ensemble = load(folder, skip_bad=True)
    assert ensemble.n_replicates == 4
    assert any("replicate-04.safetensors is cut off" in note for note in ensemble.notes)
    for b in range(4):
        replicate_path(folder, b).write_bytes(b"")
    with pytest.raises(EmbeddingFileError, match="no usable replicate"):
        load(folder, skip_bad=True)


def test_replicate_of_another_vocabulary_or_size(folder: Path) -> None:
    write_replicate(folder, 1, CUBE[1, :-1])
    with pytest.raises(EmbeddingFileError, match="6 rows and 6 scales, the vocabulary 7 words"):
        load(folder)
    write_replicate(folder, 1, CUBE[1, :, :-1])
    with pytest.raises(EmbeddingFileError, match=r"replicate-01\.safetensors has rows of 7 num"):
        load(folder)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("ensemble.json", "{", "damaged"),
        ("ensemble.json", "[1]", "not a manifest"),
        ("ensemble.json", '{"format": "other"}', "not the manifest of an ensemble"),
        ("ensemble.json", '{"format": "biaslab-ensemble", "version": 99}', "Upgrade biaslab"),
        ("vocabulary.txt", None, "has no vocabulary.txt"),
    ],
)
def test_damaged_folder(folder: Path, file: str, content: str | None, message: str) -> None:
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content)
    with pytest.raises(EmbeddingFileError, match=message):
        load(folder)


def test_manifest_without_replicates(folder: Path) -> None:
    for b in range(B):
        replicate_path(folder, b).unlink()
    with pytest.raises(EmbeddingFileError, match="holds no replicate-NN"):
        load(folder)


def test_options_of_a_folder(folder: Path) -> None:
    limited = load(folder, limit=3, name="mine", letter_case="exact")
    assert (list(limited.words), limited.name, limited.letter_case) == (WORDS[:3], "mine", "exact")
    assert load(folder, dtype="int8").n_replicates == B
    with pytest.raises(SubjectError, match="keeps the int8 rows"):
        load(folder, dtype="float16")
    with pytest.raises(SubjectError, match=r"replicate\(0\)"):
        load(folder, kind="embedding")


def test_hash_tells_ensembles_apart(folder: Path) -> None:
    first = load(folder).content_hash
    assert load(folder).content_hash == first
    write_replicate(folder, 2, CUBE[2] * 1.5)
    assert load(folder).content_hash != first


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(SubjectError, match="do not match"):
        EmbeddingEnsemble(WORDS, [CUBE[0], CUBE[1, :-1]])
    with pytest.raises(SubjectError, match="at least one replicate"):
        EmbeddingEnsemble(WORDS, [])
    with pytest.raises(SubjectError, match="scale"):
        EmbeddingEnsemble(WORDS, CUBE, scale=np.ones((B, 2)))
