"""Opening the folder of a sentiment classifier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from biaslab.errors import EmbeddingFileError
from biaslab.subjects.classifier import StimulusMoments
from biaslab.subjects.embedding import WordEmbedding
from biaslab.subjects.formats.rows import ReadOptions
from biaslab.subjects.formats.safetensors_file import map_tensor, read_header, read_safetensors
from biaslab.subjects.sentiment import Layer, SentimentClassifier
from biaslab.subjects.sentiment_folder import FORMAT, FORMAT_VERSION, MANIFEST, NETWORK, WORDS


def read_sentiment(
    folder: Path,
    *,
    name: str | None = None,
    about: str | None = None,
    device: str | None = None,
) -> SentimentClassifier:
    """Open a classifier; its word vectors stay memory-mapped int8 rows.

    Raises
    ------
    EmbeddingFileError
        When a file is missing or damaged, or does not fit the others.
    """
    manifest = _manifest(folder)
    for file in (WORDS, NETWORK, "vocabulary.txt"):
        if not (folder / file).is_file():
            raise _error(folder, f"{folder.name} lacks {file}. Copy it from where it was made")
    raw = read_safetensors(folder / WORDS, ReadOptions())
    if isinstance(raw.vectors, list) or isinstance(raw.scale, list):
        raise _error(folder, f"{WORDS} holds several embeddings. Train the classifier again")
    shown = name or folder.name
    words = WordEmbedding(
        raw.words, raw.vectors, scale=raw.scale, name=shown, case="lower",
        about=f"words of the classifier {shown}",
    )  # fmt: skip
    network = folder / NETWORK
    tensors, _ = read_header(network)
    arrays = {key: np.array(map_tensor(network, tensor)) for key, tensor in tensors.items()}
    layers: list[Layer] = []
    while f"weights_{len(layers)}" in arrays:
        i = len(layers)
        if f"biases_{i}" not in arrays:
            raise _error(network, f"{NETWORK} has weights_{i} without biases_{i}. Train it again")
        layers.append((arrays[f"weights_{i}"], arrays[f"biases_{i}"]))
    moments = None
    if "stimuli_mean" in arrays and "stimuli_covariance" in arrays:
        mean, covariance = arrays["stimuli_mean"], arrays["stimuli_covariance"]
        moments = StimulusMoments(mean, covariance, int(manifest.get("stimuli", 0)))
    return SentimentClassifier(
        words,
        layers,
        labels=tuple(manifest["labels"]),
        stimuli=moments,
        name=shown,
        about=str(manifest.get("about", "")) if about is None else about,
        notes=tuple(manifest.get("notes", ())),
        device=device or "cpu",
        recipe=manifest.get("recipe"),
    )


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _error(path, f"{path.name} is damaged ({error}). Restore it") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _error(
            path, f"{path.name} is not the manifest of a classifier. Choose another folder"
        )
    version = manifest.get("version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise _error(
            path,
            f"{folder.name} has format version {version}, but this biaslab reads up to"
            f" {FORMAT_VERSION}. Upgrade biaslab",
        )
    if not isinstance(manifest.get("labels"), list):
        raise _error(path, f"{path.name} names no labels. Restore it")
    return manifest


def _error(path: Path, problem: str) -> EmbeddingFileError:
    return EmbeddingFileError(f"{problem}.", path=str(path))
