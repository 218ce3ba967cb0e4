from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import biaslab as bl
from harness.heavy import torch
from harness.needs import needs

WORDS = ["she", "he", "nurse"]


def tensors(kind: Any) -> dict[str, Any]:
    weight = torch.nn.Parameter(torch.arange(6.0).reshape(3, 2).to(kind))
    return {word: weight[row] for row, word in enumerate(WORDS)}


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_tensors(kind: str) -> None:
    embedding = bl.load(tensors(getattr(torch, kind)))
    assert embedding.vectors(["nurse"]).ravel().tolist() == [4.0, 5.0]


@needs("gensim")
def test_vectors_of_gensim() -> None:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(2)
    vectors.add_vectors(WORDS, np.arange(6.0).reshape(3, 2))
    embedding = bl.load(vectors)
    assert embedding.vectors(["nurse"]).ravel().tolist() == [4.0, 5.0]
