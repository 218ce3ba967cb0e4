"""Files that a person brings: an embedding as text."""

from __future__ import annotations

from pathlib import Path

import biaslab as bl
from harness import embedding_files


def write_embedding(path: Path) -> Path:
    """Write one of the bundled embeddings as word2vec text, as if a person had trained it."""
    embedding = bl.load("wiki-bootstraps").replicate(0)
    words = list(embedding.words)
    path.write_bytes(embedding_files.word2vec_text(words, embedding.vectors(words)[0]))
    return path
