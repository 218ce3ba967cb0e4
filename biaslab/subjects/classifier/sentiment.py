"""Sentiment classifiers: a small network over averaged word vectors, and its folder.

The folder is read by ``bl.load``: ``classifier.json`` (manifest: labels, recipe, quality),
``vocabulary.txt`` (one word a line), ``words.safetensors`` (``vectors`` int8 of shape (V, d) and
``scale`` float16 of shape (V,)) and ``network.safetensors`` (``weights_0``, ``biases_0``, ...;
``stimuli_mean`` and ``stimuli_covariance`` of the training stimuli). No pickle, and no text that it
was trained on.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import EmbeddingFileError, SubjectError, WriteError
from biaslab.files.atomic import write_atomically
from biaslab.files.given import parse_json, read_given
from biaslab.subjects.classifier.base import Classifier, StimulusMoments
from biaslab.subjects.embedding.ensemble import quantise, write_vocabulary
from biaslab.subjects.embedding.word_embedding import WordEmbedding
from biaslab.subjects.formats.reading import ReadOptions
from biaslab.subjects.formats.safetensors_file import map_tensor, read_header, read_safetensors

if TYPE_CHECKING:
    import torch


_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def review_words(text: str) -> list[str]:
    """Split a text into words, lower-cased, without digits and symbols.

    Parameters
    ----------
    text : str
        HTML line breaks, which the Large Movie Review data has, count as spaces.

    Returns
    -------
    list of str
        In the order of the text. "don't" is one word; "well-made" is two. A lone "½", which
        stands in for half a star, stays.

    References
    ----------
    Liang and Acuna (2020), section 4.3.
    """
    plain = _BREAK.sub(" ", text).lower().replace("\u2019", "'")
    return _WORD.findall(plain)


FORMAT = "biaslab-classifier"
FORMAT_VERSION = 1
MANIFEST = "classifier.json"
WORDS = "words.safetensors"
NETWORK = "network.safetensors"


def is_classifier_folder(folder: Path) -> bool:
    """Return whether a folder holds a finished sentiment classifier."""
    return (folder / MANIFEST).is_file()


#: Weights (out, in) and biases (out,) of one layer.
Layer = tuple[NDArray[np.floating], NDArray[np.floating]]
#: Words gathered at once: 40 MB at 100 dimensions.
_WORDS_AT_ONCE = 100_000


class SentimentClassifier(Classifier):
    """p(label | s) by a multilayer perceptron; s is the mean of a text's word vectors.

    Words and texts lie in one space: the stimulus of a text of one word is that word's vector
    (Liang and Acuna 2020, sections 3.1 and 4.3).

    Parameters
    ----------
    words : WordEmbedding
        Vectors of d dimensions.
    layers : sequence of (weights, biases)
        Of shapes (out, in) and (out,), from d to K numbers; tanh between two layers.
    labels : sequence of str
        K labels in the order of the last layer's outputs.
    stimuli, name, about, notes, device
        As of `biaslab.subjects.classifier.base.Classifier`.
    recipe : mapping, optional
        Training and quality, as stored with it.

    Raises
    ------
    SubjectError
        When shapes do not fit each other, or weights are NaN or infinite.
    """

    def __init__(
        self,
        words: WordEmbedding,
        layers: Sequence[Layer],
        *,
        labels: Sequence[str] = ("negative", "positive"),
        stimuli: StimulusMoments | None = None,
        name: str = "sentiment",
        about: str = "",
        notes: Iterable[str] = (),
        device: str = "cpu",
        recipe: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            labels=labels, dim=words.dim, name=name, about=about, notes=notes, words=words,
            stimuli=stimuli, device=device,
        )  # fmt: skip
        self.layers = tuple(
            (np.asarray(w, dtype=np.float32), np.asarray(b, dtype=np.float32)) for w, b in layers
        )
        self.recipe = dict(recipe or {})
        self._check()
        self._tensors: list[tuple[torch.Tensor, torch.Tensor]] = []

    def _check(self) -> None:
        size = self.dim
        for i, (weights, biases) in enumerate(self.layers):
            if weights.ndim != 2 or weights.shape[1] != size or biases.shape != weights.shape[:1]:
                raise SubjectError(
                    f"Layer {i} of {self.name} has weights {weights.shape} and biases"
                    f" {biases.shape}; its input has {size} numbers. Weights have the shape (out,"
                    " in)."
                )
            if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
                raise SubjectError(
                    f"Layer {i} of {self.name} holds NaN or infinity. Train it again."
                )
            size = len(weights)
        if size != len(self.labels):
            raise SubjectError(
                f"{self.name} ends in {size} numbers, but has {len(self.labels)} labels."
            )

    @property
    def words(self) -> WordEmbedding:
        """The words, in the space of the stimuli."""
        assert self._words is not None  # noqa: S101  # given to __init__
        return self._words

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of words, network and labels, hexadecimal."""
        digest = hashlib.sha256(f"{self.words.content_hash}|{self.labels}".encode())
        for weights, biases in self.layers:
            digest.update(f"|{weights.shape}|".encode() + weights.tobytes() + biases.tobytes())
        return digest.hexdigest()

    def stimulus(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the stimulus of each text: the mean of its known words' vectors, (n, d).

        A word counts as often as it occurs; unknown words are left out (`coverage` says how
        many).

        Raises
        ------
        SubjectError
            When a text contains no known word.
        """
        rows = [self._rows(words) for words in self._read(texts)]
        if empty := [i for i, each in enumerate(rows) if not len(each)]:
            shown = ", ".join(f"text {i} ({texts[i][:40]!r})" for i in empty[:5])
            raise SubjectError(
                f"{self.name} knows no word in {len(empty)} of {len(rows)} texts: {shown}. Leave"
                " them out, or write them in the language of the training data."
            )
        return mean_rows(self._matrix, rows)

    def probability(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return p(label | text) for every label, shape (n, K).

        Raises
        ------
        SubjectError
            As of `stimulus`.
        """
        return self.probabilities(self.stimulus(texts))

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return each text's share of known words, shape (n,); 0 for a text without words."""
        read = self._read(texts)
        return np.array([len(self._rows(w)) / len(w) if w else 0.0 for w in read], dtype=np.float64)

    def save(self, folder: str | Path) -> Path:
        """Write it as a folder of safetensors and JSON that `biaslab.load` opens.

        The manifest comes last, as the mark of a complete folder.

        Raises
        ------
        WriteError
            When it cannot be written.
        """
        from safetensors.numpy import save

        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(f"The folder {folder} cannot be made: {error.strerror}.") from error
        known = self.words.resolve(list(self.words.words), suggest=False).known
        rows, scale = quantise(self.words.vectors(known)[0])
        network: dict[str, NDArray[np.generic]] = {}
        for i, (weights, biases) in enumerate(self.layers):
            network |= {f"weights_{i}": weights, f"biases_{i}": biases}
        manifest = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "labels": self.labels,
            "dim": self.dim,
            "about": self.about,
            "notes": self.notes,
        }
        if (moments := self.stimuli) is not None:
            network["stimuli_mean"] = moments.mean.astype(np.float64)
            network["stimuli_covariance"] = moments.covariance.astype(np.float64)
            manifest["stimuli"] = moments.n
        manifest["recipe"] = self.recipe
        # Encoded first: an error must not leave half a classifier.
        text = json.dumps(manifest, indent=1) + "\n"
        (folder / MANIFEST).unlink(missing_ok=True)
        write_vocabulary(folder, known)
        write_atomically(folder / WORDS, save({"vectors": rows, "scale": scale}))
        write_atomically(folder / NETWORK, save(network))
        write_atomically(folder / MANIFEST, text)
        return folder

    def _logits(self, points: torch.Tensor) -> torch.Tensor:
        import torch

        if not self._tensors:
            self._tensors = [
                (torch.as_tensor(w, device=self.device), torch.as_tensor(b, device=self.device))
                for w, b in self.layers
            ]
        hidden = points
        for i, (weights, biases) in enumerate(self._tensors):
            hidden = torch.nn.functional.linear(
                torch.tanh(hidden) if i else hidden, weights, biases
            )
        return hidden

    def _read(self, texts: Sequence[str]) -> list[list[str]]:
        if isinstance(texts, str):
            raise TypeError(f"Pass a list of texts: [{texts[:40]!r}], not a text.")
        return [review_words(text) for text in texts]

    def _rows(self, words: Sequence[str]) -> NDArray[np.int64]:
        index = self._index
        return np.array([index[w] for w in words if w in index], dtype=np.int64)

    @cached_property
    def _index(self) -> dict[str, int]:
        known = self.words.resolve(list(self.words.words), suggest=False).known
        return {word: row for row, word in enumerate(known)}

    @cached_property
    def _matrix(self) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self.words.vectors(list(self._index))[0]
        return vectors


def mean_rows(
    matrix: NDArray[np.float32], rows: Sequence[NDArray[np.integer]]
) -> NDArray[np.float32]:
    """Return means of selected rows: (V, d) and n lists of rows -> (n, d)."""
    out = np.empty((len(rows), matrix.shape[1]), dtype=np.float32)
    first = 0
    while first < len(rows):
        last, words = first, 0
        while last < len(rows) and (last == first or words + len(rows[last]) <= _WORDS_AT_ONCE):
            words += len(rows[last])
            last += 1
        lengths = np.array([len(each) for each in rows[first:last]])
        starts = np.concatenate([[0], np.cumsum(lengths[:-1])])
        sums = np.add.reduceat(matrix[np.concatenate(rows[first:last])], starts, axis=0)
        out[first:last] = sums / lengths[:, None]
        first = last
    return out


def read_sentiment(
    folder: Path, *, name: str | None = None, about: str | None = None, device: str | None = None
) -> SentimentClassifier:
    """Open a classifier; its word vectors stay memory-mapped int8 rows.

    Raises `EmbeddingFileError` when a file is missing or damaged, or does not fit the others.
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
        raw.words, raw.vectors, scale=raw.scale, name=shown, letter_case="lower",
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
        manifest = parse_json(read_given(path))
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
