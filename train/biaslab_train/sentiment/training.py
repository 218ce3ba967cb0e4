"""Training of a sentiment classifier on labelled reviews, its folds and its quality.

After Liang and Acuna (2020), section 4.3.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import CorpusError, TrainingError, WriteError
from biaslab.files.atomic import write_atomically
from biaslab.stats.classification import (
    Auc,
    auc,
    calibration,
    cross_validated_auc,
    expected_calibration_error,
)
from biaslab.subjects.classifier.base import CONSTANT_NOTE, StimulusMoments
from biaslab.subjects.classifier.sentiment import (
    SentimentClassifier,
    is_classifier_folder,
    mean_rows,
    read_sentiment,
)
from biaslab.subjects.embedding.ensemble import quantise
from biaslab.subjects.embedding.word_embedding import WordEmbedding
from biaslab_train.cards import sentiment_card
from biaslab_train.embeddings.glove import usable_device
from biaslab_train.sentiment.network import Documents, Fitted, fit_network
from biaslab_train.sentiment.reviews import (
    LABELS,
    EncodedReviews,
    choose_vocabulary,
    encode_reviews,
    reviews_for_vectors,
    skip_gram_vectors,
)
from biaslab_train.settings import SentimentSettings


def random_folds(
    labels: NDArray[np.floating], folds: int, random: np.random.Generator
) -> NDArray[np.int64]:
    """Return folds drawn at random within each label, shape (n,)."""
    out = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        rows = random.permutation(np.flatnonzero(labels == label))
        out[rows] = np.arange(len(rows)) % folds
    return out


def block_folds(labels: NDArray[np.floating], folds: int) -> NDArray[np.int64]:
    """Return folds of neighbours within each label, shape (n,).

    The Large Movie Review data has the reviews of one film next to each other: thus those of one
    film and label share a fold, as no film is in both its training and its test reviews.
    """
    out = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        out[rows] = np.arange(len(rows)) * folds // len(rows)
    return out


def cross_validated_quality(
    labels: NDArray[np.floating], logits: NDArray[np.float64], folds: NDArray[np.integer]
) -> dict[str, Any]:
    """Return quality of out-of-fold log odds, by the folds' mean AUC."""
    return {
        "folds": len(np.unique(folds)),
        "auc": _auc(cross_validated_auc(labels > 0, logits, folds)),
        **_of_probabilities(labels, logits),
    }


def held_out_quality(labels: NDArray[np.floating], logits: NDArray[np.float64]) -> dict[str, Any]:
    """Return quality on held-out reviews."""
    return {"auc": _auc(auc(labels > 0, logits)), **_of_probabilities(labels, logits)}


def _auc(auc: Auc) -> dict[str, Any]:
    return {key: None if value != value else value for key, value in asdict(auc).items()}


def _of_probabilities(labels: NDArray[np.floating], logits: NDArray[np.float64]) -> dict[str, Any]:
    positive = labels > 0
    curve = calibration(positive, special.expit(logits))
    signed = np.where(positive, logits, -logits)
    return {
        "accuracy": float(((logits > 0) == positive).mean()),
        "log_loss": float(-special.log_expit(signed).mean()),
        "calibration_error": expected_calibration_error(curve),
        "calibration": [asdict(each) for each in curve],
    }


_DEFAULT = SentimentSettings()
_LIBRARIES = ("gensim", "numpy", "torch")
_WORK = "work"
#: Range of log odds that counts as constant.
_CONSTANT = 1e-6


@dataclass(frozen=True)
class SentimentProgress:
    """State of a training: ``done`` of ``total`` steps, and the current step."""

    done: int
    total: int
    message: str


def train_sentiment(
    source: str | Path,
    folder: str | Path,
    settings: SentimentSettings = _DEFAULT,
    *,
    device: str = "cpu",
    on_progress: Callable[[SentimentProgress], None] = lambda _: None,
) -> Path:
    """Train a classifier, measure it, and write it with its model card.

    An interrupted training continues when the call is repeated: the word vectors and every
    finished fold are stored under ``work`` in the folder until the end.

    - `source`: reviews: see `biaslab_train.sentiment.reviews.read_reviews`.
    - `folder`: output folder; `biaslab.load` opens it.
    - `settings`: a recipe: see `biaslab_train.settings.RECIPES`.
    - `device`: device of the network.
    - `on_progress`: called with a `SentimentProgress`.
    - Returns: the folder.
    - Raises `CorpusError` when the reviews cannot be read, or there are none of a label;
      `TrainingError` when the folder contains another classifier, or there are too few reviews;
      `MissingExtraError` when gensim is not installed; `WriteError` when the folder cannot be
      written.
    """
    usable_device(device)
    target = Path(folder)
    reviews = encode_reviews(Path(source))
    key = _key(reviews, settings)
    if is_classifier_folder(target):
        if read_sentiment(target).recipe.get("key") == key:
            return target
        raise TrainingError(
            f"{target} contains a classifier that was trained with other data or settings. Choose"
            " another --output, or remove it."
        )
    work = _Work(target / _WORK, key)
    training = _Training(reviews, settings, work, device, on_progress)
    classifier = training.run()
    classifier.recipe["key"] = key
    classifier.save(target)
    size = sum(path.stat().st_size for path in target.iterdir() if path.is_file())
    write_atomically(target / "README.md", sentiment_card(target.name, classifier, size))
    shutil.rmtree(work.folder)
    return target


class _Training:
    """The steps of one training."""

    def __init__(
        self,
        reviews: EncodedReviews,
        settings: SentimentSettings,
        work: _Work,
        device: str,
        on_progress: Callable[[SentimentProgress], None],
    ) -> None:
        self.reviews, self.settings, self.work, self.device = reviews, settings, work, device
        self.on_progress = on_progress
        self.done = 0
        self.total = settings.skip_gram_epochs + 2 * settings.folds + 1

    def run(self) -> SentimentClassifier:
        """Run the whole training."""
        reviews, s = self.reviews, self.settings
        text = reviews_for_vectors(reviews, s)
        vocabulary, counts = choose_vocabulary(reviews, text, s)
        vectors = self._vectors(text, vocabulary, counts)
        documents, numbers = _documents(reviews, vocabulary)
        train = np.flatnonzero(np.isin(numbers, reviews.of("train")))
        test = np.flatnonzero(np.isin(numbers, reviews.of("test")))
        wordless = int((reviews.labels >= 0).sum()) - len(documents)
        few = min(int((documents.labels[train] == label).sum()) for label in (0, 1))
        if few < 2 * s.folds:
            raise TrainingError(
                f"The smaller label has {few} training reviews with known words: {s.folds} folds"
                f" need at least {2 * s.folds}. Give more reviews, or fewer --folds."
            )
        labels = documents.labels[train]
        folds = {
            "random": random_folds(labels, s.folds, np.random.default_rng([s.seed, 1])),
            "blocks": block_folds(labels, s.folds),
        }
        quality: dict[str, Any] = {
            f"cross_validated_{kind}": cross_validated_quality(
                labels, self._out_of_fold(kind, documents, train, vectors, fold), fold
            )
            for kind, fold in folds.items()
        }
        self._report("training on all labelled reviews")
        fitted = fit_network(documents, train, vectors, s, s.seed, device=self.device)
        rows, scale = quantise(fitted.vectors)
        stored = Fitted(rows * scale.astype(np.float32)[:, None], fitted.layers, fitted.epoch)
        if len(test):
            truth = documents.labels[test]
            exact = held_out_quality(truth, fitted.logits(documents, test))
            quality["held_out"] = held_out_quality(truth, stored.logits(documents, test))
            quality["held_out"]["auc_before_rounding"] = exact["auc"]["value"]
        recipe = {
            "settings": asdict(s),
            "reviews": {
                "labelled": len(train), "test": len(test),
                "unlabelled": len(reviews.of("unlabelled")), "text_of_vectors": len(text),
                "words_of_vectors": int(counts.sum()), "without_known_words": wordless,
                "stars_against_label": reviews.contradicted,
            },
            "best_epoch": fitted.epoch,
            "versions": {name: version(name) for name in _LIBRARIES},
            "quality": quality,
        }  # fmt: skip
        self.done = self.total
        self._report("done")
        return self._classifier(vocabulary, rows, scale, stored, documents, train, recipe)

    def _vectors(
        self, text: NDArray[np.int64], vocabulary: list[str], counts: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        self._report("training word vectors")
        vectors = self.work.read("vectors")
        if vectors is None:

            def tell(epoch: int) -> None:
                self.done = epoch
                self._report("training word vectors")

            vectors = skip_gram_vectors(
                self.reviews, text, vocabulary, counts, self.settings, self.work.folder, tell
            )
            self.work.write("vectors", vectors)
        self.done = self.settings.skip_gram_epochs
        return vectors.astype(np.float32)

    def _out_of_fold(
        self,
        kind: str,
        documents: Documents,
        train: NDArray[np.int64],
        vectors: NDArray[np.float32],
        folds: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Log odds of each training review by the network that did not see it."""
        logits = np.empty(len(train))
        for k in range(self.settings.folds):
            self._report(f"cross-validation ({kind}), fold {k + 1} of {self.settings.folds}")
            out = folds == k
            held_out_logits = self.work.read(f"{kind}-{k}")
            if held_out_logits is None:
                fitted = fit_network(
                    documents, train[~out], vectors, self.settings, self.settings.seed + k,
                    device=self.device,
                )  # fmt: skip
                held_out_logits = fitted.logits(documents, train[out])
                self.work.write(f"{kind}-{k}", held_out_logits)
            logits[out] = held_out_logits
            self.done += 1
        return logits

    def _classifier(
        self,
        vocabulary: list[str],
        rows: NDArray[np.int8],
        scale: NDArray[np.float16],
        stored: Fitted,
        documents: Documents,
        train: NDArray[np.int64],
        recipe: dict[str, Any],
    ) -> SentimentClassifier:
        points = mean_rows(stored.vectors, documents.row_lists(train))
        notes = []
        if float(np.ptp(stored.logits(documents, train))) < _CONSTANT:
            notes.append(f"{CONSTANT_NOTE} for all {len(train):,} training reviews.")
        held_out = recipe["quality"].get("held_out")
        about = f"sentiment of reviews, trained on {len(train):,}"
        if held_out:
            about += (
                f"; AUC {held_out['auc']['value']:.3f} on {len(documents) - len(train):,} others"
            )
        return SentimentClassifier(
            WordEmbedding(vocabulary, rows, scale=scale.astype(np.float32), letter_case="lower"),
            stored.layers,
            labels=LABELS,
            stimuli=StimulusMoments.of(points),
            about=about,
            notes=notes,
            recipe=recipe,
        )

    def _report(self, message: str) -> None:
        self.on_progress(SentimentProgress(self.done, self.total, message))


class _Work:
    """Intermediate results of a training in a folder of its own."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(f"The folder {folder} cannot be made: {error.strerror}.") from error
        marker = folder / "training.txt"
        if not marker.exists():
            write_atomically(marker, key)
        elif marker.read_text(encoding="utf-8") != key:
            raise TrainingError(
                f"{folder} contains an interrupted run with other reviews, settings or versions."
                " Repeat its command, remove the folder, or choose another --output."
            )

    def read(self, name: str) -> NDArray[np.generic] | None:
        """Return the array stored under a name; None if it is missing or damaged."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            array: NDArray[np.generic] = load((self.folder / name).read_bytes())["kept"]
        except (OSError, SafetensorError, KeyError):
            return None
        return array

    def write(self, name: str, values: NDArray[np.generic]) -> None:
        """Keep an array, whole or not at all."""
        from safetensors.numpy import save

        write_atomically(self.folder / name, save({"kept": np.ascontiguousarray(values)}))


def _documents(
    reviews: EncodedReviews, vocabulary: list[str]
) -> tuple[Documents, NDArray[np.int64]]:
    """Return labelled reviews with a known word, as rows, and their numbers."""
    index = {word: row for row, word in enumerate(vocabulary)}
    row_of = np.array([index.get(word, -1) for word in reviews.words], dtype=np.int64)
    numbers, parts = [], []
    for i in np.flatnonzero(reviews.labels >= 0).tolist():
        rows = row_of[reviews.rows[reviews.starts[i] : reviews.starts[i + 1]]]
        if len(rows := rows[rows >= 0]):
            numbers.append(i)
            parts.append(rows)
    if not parts:
        raise CorpusError(
            "No labelled review contains a word of the vocabulary. Give longer reviews."
        )
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    labels = reviews.labels[numbers].astype(np.float32)
    return Documents(np.concatenate(parts), starts, labels), np.array(numbers, dtype=np.int64)


def _key(reviews: EncodedReviews, settings: SentimentSettings) -> str:
    """Return a hash of a training: reviews, settings and versions."""
    digest = hashlib.sha256("\n".join(reviews.words).encode())
    for numbers in (reviews.rows, reviews.starts, reviews.labels, reviews.parts):
        digest.update(numbers.tobytes())
    about = {"settings": asdict(settings), "versions": [version(name) for name in _LIBRARIES]}
    digest.update(json.dumps(about, sort_keys=True).encode())
    return digest.hexdigest()
