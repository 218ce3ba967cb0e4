"""project(): the products of unit vectors, whatever the storage, order and number of the terms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from biaslab import EmbeddingEnsemble
from biaslab.errors import UnknownTermError
from biaslab.subjects.embedding.ensemble import quantise
from biaslab.threads import cores as threads

B, V, DIM = 3, 900, 20
WORDS = [f"w{i}" for i in range(V)]
RNG = np.random.default_rng(7)
VECTORS = RNG.standard_normal((B, V, DIM)).astype(np.float32) * RNG.uniform(0.2, 5, (B, V, 1))
ONTO = RNG.standard_normal((B, DIM, 4)).astype(np.float32)


def _quantised() -> EmbeddingEnsemble:
    rows, scales = zip(*(quantise(v.astype(np.float32)) for v in VECTORS), strict=True)
    return EmbeddingEnsemble(WORDS, rows, scale=list(scales))


SUBJECTS = {
    "float32": EmbeddingEnsemble(WORDS, VECTORS.astype(np.float32)),
    "float64": EmbeddingEnsemble(WORDS, VECTORS),
    "float16": EmbeddingEnsemble(WORDS, VECTORS.astype(np.float16)),
    "big-endian": EmbeddingEnsemble(WORDS, VECTORS.astype(">f4")),
    "int8": _quantised(),
}
REQUESTS = {
    "whole vocabulary": WORDS,
    "backwards": WORDS[::-1],
    "every third": WORDS[::3],
    "one": ["w5"],
    "none": [],
    "phrases among words": ["w1", "w2 w3", "w4", "w899 w0 w17"],
    "other case": ["W7", "w8"],
}


def _expected(subject: EmbeddingEnsemble, terms: list[str]) -> NDArray[np.float64]:
    vectors = subject.vectors(terms).astype(float)
    return vectors / np.linalg.norm(vectors, axis=2, keepdims=True) @ ONTO.astype(float)


@pytest.mark.parametrize("stored", SUBJECTS)
@pytest.mark.parametrize("request_", REQUESTS)
def test_projections_are_those_of_the_vectors(stored: str, request_: str) -> None:
    subject, terms = SUBJECTS[stored], REQUESTS[request_]
    found = subject.project(terms, ONTO)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, _expected(subject, terms), atol=3e-6)


@given(st.lists(st.sampled_from(WORDS), max_size=400))
@settings(max_examples=25, deadline=None)
def test_any_terms_in_any_order_however_often(terms: list[str]) -> None:
    subject = SUBJECTS["float32"]
    np.testing.assert_allclose(subject.project(terms, ONTO), _expected(subject, terms), atol=3e-6)


def test_only_the_first_replicates_are_read_when_fewer_are_given() -> None:
    subject = SUBJECTS["int8"]
    np.testing.assert_array_equal(
        subject.project(WORDS[:5], ONTO[:2]), subject.project(WORDS[:5], ONTO)[:2]
    )


def test_memory_mapped_rows_are_projected_as_they_are(tmp_path: Path) -> None:
    files = [tmp_path / f"{b}.npy" for b in range(B)]
    for path, vectors in zip(files, VECTORS, strict=True):
        np.save(path, vectors.astype(np.float32))
    subject = EmbeddingEnsemble(WORDS, [np.load(path, mmap_mode="r") for path in files])
    np.testing.assert_array_equal(
        subject.project(WORDS, ONTO), SUBJECTS["float32"].project(WORDS, ONTO)
    )


@pytest.mark.parametrize("term", ["nowhere", "zero", "odd", "w1 zero"])
def test_terms_without_a_direction_are_refused_by_name(term: str) -> None:
    vectors = VECTORS[:, :3].copy()
    vectors[1, 1], vectors[2, 2, 0] = 0, np.nan
    subject = EmbeddingEnsemble(["w1", "zero", "odd"], vectors)
    with pytest.raises(UnknownTermError, match=term):
        subject.project(["w1", term], ONTO)
    reasons = {u.term: u.reason for u in subject.resolve(["zero", "odd"]).unknown}
    assert reasons == {
        "zero": "missing from 1 of 3 replicates",
        "odd": "its vector holds NaN or infinity in 1 of 3 replicates",
    }


def test_threads_change_no_bit_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = SUBJECTS["int8"].project(WORDS, ONTO)
    monkeypatch.setattr(threads, "_cores", lambda: 3)
    monkeypatch.setattr(threads, "_WORTH_A_THREAD", 1)
    np.testing.assert_array_equal(_quantised().project(WORDS, ONTO), alone)
