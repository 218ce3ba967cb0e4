"""Small sentence encoders in the format of sentence-transformers, with no training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import tiny_encoders
from harness.tiny_parts import whole_words


def folder(at: Path, *, pooling: str = "mean", prompt: str = "") -> Path:
    """Store a transformer with a pooling, a dense layer and unit length; return its folder."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Dense, Normalize, Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    body, tokenizer = tiny_encoders.bert()
    parts = at / "parts"
    body.save_pretrained(parts)
    tokenizer.save_pretrained(parts)
    modules = [
        Transformer(str(parts)), Pooling(16, pooling_mode=pooling), Dense(16, 8), Normalize(),
    ]  # fmt: skip
    model = SentenceTransformer(
        modules=modules, device="cpu", prompts={"query": prompt}, default_prompt_name="query"
    )
    model.save_pretrained(str(at / "sentence-encoder"), create_model_card=False)
    return at / "sentence-encoder"


def of_words(vectors: Mapping[str, Sequence[float]]) -> Any:
    """Return a model whose vector of a text is the mean of the vectors of its known words."""
    import numpy as np
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    tokenizer = whole_words(["[UNK]", *vectors], "[UNK]")
    first = np.zeros((1, len(next(iter(vectors.values())))))
    weights = np.concatenate([first, np.array(list(vectors.values()))]).astype(np.float32)
    return SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_weights=weights)], device="cpu"
    )
