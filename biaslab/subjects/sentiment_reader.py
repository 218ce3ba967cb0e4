"""The folder format of a sentiment classifier: what training writes and ``bl.load`` opens.

``classifier.json`` (manifest: labels, recipe, quality), ``vocabulary.txt`` (one word a line),
``words.safetensors`` (``vectors`` int8 of shape (V, d) and ``scale`` float16 of shape (V,)) and
``network.safetensors`` (``weights_0``, ``biases_0``, ...; ``stimuli_mean`` and
``stimuli_covariance`` of the training stimuli). No pickle, and no text that it was trained on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.atomic import write_atomically
from biaslab.errors import EmbeddingFileError, WriteError
from biaslab.subjects.classifier import StimulusMoments
from biaslab.subjects.embedding import WordEmbedding
from biaslab.subjects.ensemble_folder import quantise, write_vocabulary
from biaslab.subjects.formats.rows import ReadOptions
from biaslab.subjects.formats.safetensors_file import map_tensor, read_header, read_safetensors

if TYPE_CHECKING:
    from biaslab.subjects.sentiment import Layer, SentimentClassifier

FORMAT = "biaslab-classifier"
FORMAT_VERSION = 1
MANIFEST = "classifier.json"
WORDS = "words.safetensors"
NETWORK = "network.safetensors"


def is_classifier_folder(folder: Path) -> bool:
    """Whether a folder holds a finished sentiment classifier."""
    return (folder / MANIFEST).is_file()


def write_sentiment(classifier: SentimentClassifier, folder: Path) -> Path:
    """Write a classifier; the manifest comes last, so that a folder which has one is whole.

    Raises
    ------
    WriteError
        When it cannot be written.
    """
    from safetensors.numpy import save

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    known = classifier.words.resolve(list(classifier.words.words), suggest=False).known
    rows, scale = quantise(classifier.words.vectors(known)[0])
    network: dict[str, NDArray[np.generic]] = {}
    for i, (weights, biases) in enumerate(classifier.layers):
        network |= {f"weights_{i}": weights, f"biases_{i}": biases}
    manifest = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "labels": classifier.labels,
        "dim": classifier.dim,
        "about": classifier.about,
        "notes": classifier.notes,
    }
    if (moments := classifier.stimuli) is not None:
        network["stimuli_mean"] = moments.mean.astype(np.float64)
        network["stimuli_covariance"] = moments.covariance.astype(np.float64)
        manifest["stimuli"] = moments.n
    manifest["recipe"] = classifier.recipe
    # As JSON first: what cannot be written must not leave half a classifier.
    text = json.dumps(manifest, indent=1) + "\n"
    (folder / MANIFEST).unlink(missing_ok=True)
    write_vocabulary(folder, known)
    write_atomically(folder / WORDS, save({"vectors": rows, "scale": scale}))
    write_atomically(folder / NETWORK, save(network))
    write_atomically(folder / MANIFEST, text)
    return folder


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
    from biaslab.subjects.sentiment import SentimentClassifier

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
        raise _error(path, f"{path.name} is no manifest of a classifier. Choose another folder")
    version = manifest.get("version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise _error(
            path,
            f"{folder.name} has format version {version}, and this biaslab reads up to"
            f" {FORMAT_VERSION}. Upgrade biaslab",
        )
    if not isinstance(manifest.get("labels"), list):
        raise _error(path, f"{path.name} names no labels. Restore it")
    return manifest


def _error(path: Path, problem: str) -> EmbeddingFileError:
    return EmbeddingFileError(f"{problem}.", path=str(path))
