"""Files that a person brings: an embedding as text, and the folder of a language model."""

from __future__ import annotations

from pathlib import Path

import biaslab as bl
from harness import embedding_files, tiny_language_models
from harness.heavy import torch


def write_embedding(path: Path) -> Path:
    """Write one of the bundled embeddings as word2vec text, as if a person had trained it."""
    embedding = bl.load("wiki-bootstraps").replicate(0)
    words = list(embedding.words)
    path.write_bytes(embedding_files.word2vec_text(words, embedding.vectors(words)[0]))
    return path


def write_language_model(folder: Path) -> Path:
    """Write a tiny causal language model, as ``save_pretrained`` of transformers leaves it."""
    torch.manual_seed(1)
    model, tokenizer = tiny_language_models.CAUSAL["gpt2"]()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
