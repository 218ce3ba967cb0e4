"""Words of labelled reviews: as numbers, and as vectors trained without the labels."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import CorpusError, MissingExtraError, TrainingError
from biaslab.subjects.classifier.sentiment import review_words
from biaslab.subjects.text_files import Part, Review, ReviewTable, find_reviews
from biaslab_train.settings import SentimentSettings

PARTS: tuple[Part, ...] = ("train", "test", "unlabelled")
LABELS = ("negative", "positive")
_BY_NUMBER = {"0": "negative", "1": "positive"}
#: Stars of ten of the labels: at most 4 is negative, at least 7 is positive.
_MOST_NEGATIVE, _LEAST_POSITIVE = 4, 7


@dataclass(frozen=True, eq=False)
class EncodedReviews:
    """Reviews as rows of a vocabulary, without the text.

    - `words`: every word of the reviews, by first occurrence.
    - `rows`, ndarray of int32, shape (N,): words of all reviews, one after the other.
    - `starts`, ndarray of int64, shape (n + 1,): review i has ``rows[starts[i]:starts[i + 1]]``.
    - `labels`, ndarray of int8, shape (n,): index in `LABELS`; -1 if there is none.
    - `parts`, ndarray of int8, shape (n,): place in `PARTS`.
    - `contradicted`: reviews whose stars contradict their label.
    """

    words: tuple[str, ...]
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]
    labels: NDArray[np.int8]
    parts: NDArray[np.int8]
    contradicted: int

    def of(self, part: Part) -> NDArray[np.int64]:
        """Return numbers of the reviews of a part."""
        return np.flatnonzero(self.parts == PARTS.index(part))


def read_reviews(source: Path) -> Iterator[Review]:
    """Yield the reviews of a source, in an order that does not depend on the system.

    - `source`: the unpacked Large Movie Review folder (``train/pos/0_9.txt`` ..., also ``neg``,
      ``unsup`` and ``test``), such a folder's ``train`` alone, a folder with ``train.tsv`` (also
      .gz, .bz2, .xz) and perhaps ``test.tsv`` and ``unsup.tsv``, or one such file, whose reviews
      are all for training. A table has a first line with the names of its columns: ``label`` (pos
      or neg) and ``text``, perhaps ``stars``.
    - Raises `CorpusError` when there are no reviews, or one is malformed: names the file and the
      line.
    """
    tables, folders = find_reviews(source)
    if source.is_dir():
        tables = tuple(table for table in tables if table.part)
    for table in tables:
        yield from _labelled(table)
    if tables:
        return
    split = [
        folder for folder in folders if folder.path.parent in (source / "train", source / "test")
    ]
    plain = [folder for folder in folders if folder.path.parent == source]
    for folder in sorted(split or plain, key=lambda folder: folder.within.startswith("test/")):
        for review in folder.read():
            yield replace(review, part=review.part or "train")


def encode_reviews(source: Path) -> EncodedReviews:
    """Read reviews and number their words; raise as `read_reviews`.

    Raises `CorpusError` as of `read_reviews`, and when no review is labelled for training, or all
    have one label.
    """
    index: dict[str, int] = {}
    rows, starts = array("i"), array("q", [0])
    labels, parts = array("b"), array("b")
    contradicted = 0
    for review in read_reviews(source):
        rows.extend(index.setdefault(word, len(index)) for word in review_words(review.text))
        starts.append(len(rows))
        label = LABELS.index(review.label) if review.label else -1
        labels.append(label)
        parts.append(PARTS.index(review.part))
        if review.stars is not None and label >= 0:
            far = review.stars > _MOST_NEGATIVE, review.stars < _LEAST_POSITIVE
            contradicted += far[label]
    encoded = EncodedReviews(
        tuple(index),
        np.frombuffer(rows, dtype=np.int32) if rows else np.empty(0, dtype=np.int32),
        np.frombuffer(starts, dtype=np.int64),
        np.frombuffer(labels, dtype=np.int8) if labels else np.empty(0, dtype=np.int8),
        np.frombuffer(parts, dtype=np.int8) if parts else np.empty(0, dtype=np.int8),
        contradicted,
    )
    train_labels = encoded.labels[encoded.of("train")]
    if not len(train_labels):
        raise CorpusError(
            f"{source} contains no labelled reviews to train on. The Large Movie Review folder has"
            " train/pos and train/neg; a table has one line per review."
        )
    if len(set(train_labels.tolist())) < 2:
        raise CorpusError(
            f"All {len(train_labels):,} training reviews of {source} are {LABELS[train_labels[0]]}."
            " A classifier needs both kinds. Add the other kind."
        )
    return encoded


def _labelled(table: ReviewTable) -> Iterator[Review]:
    for review in table.read("label"):
        part = review.part or "train"
        label = _BY_NUMBER.get(review.label, review.label)
        if label not in LABELS and (label or part != "unlabelled"):
            raise CorpusError(
                f"{table.path}, line {review.line}: the label {review.label!r} is neither pos nor "
                "neg. Correct it, or move unlabelled reviews to unsup.tsv beside it."
            )
        yield replace(review, part=part, label=label)


def reviews_for_vectors(reviews: EncodedReviews, settings: SentimentSettings) -> NDArray[np.int64]:
    """Return numbers of the reviews whose text the vectors are trained on."""
    parts = {"labelled": ("train",), "unlabelled": ("train", "unlabelled")}
    selected = parts.get(settings.text, ("train", "unlabelled", "test"))
    return np.sort(np.concatenate([reviews.of(part) for part in selected]))  # type: ignore[arg-type]


def choose_vocabulary(
    reviews: EncodedReviews, which: NDArray[np.integer], settings: SentimentSettings
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the vocabulary, most frequent first, and counts in the selected reviews.

    Raises `TrainingError` when no word occurs often enough.
    """
    chosen = np.zeros(len(reviews.labels), dtype=bool)
    chosen[which] = True
    of_chosen = np.repeat(chosen, np.diff(reviews.starts))
    counts = np.bincount(reviews.rows[of_chosen], minlength=len(reviews.words)).astype(np.int64)
    frequent = np.flatnonzero(counts >= settings.min_count)
    if not len(frequent):
        raise TrainingError(
            f"No word occurs {settings.min_count} times in the {len(which):,} reviews. Give more"
            " reviews, or a lower --min-count."
        )
    # Ties in the order of the alphabet, which no shuffling of the data changes.
    ranked = sorted(frequent.tolist(), key=lambda row: (-counts[row], reviews.words[row]))
    ranked = ranked[: settings.max_words]
    return [reviews.words[row] for row in ranked], counts[ranked]


def skip_gram_vectors(
    reviews: EncodedReviews,
    which: NDArray[np.integer],
    vocabulary: Sequence[str],
    counts: NDArray[np.int64],
    settings: SentimentSettings,
    scratch: Path,
    on_epoch: Callable[[int], None] = lambda _: None,
) -> NDArray[np.float32]:
    """Train skip-gram vectors by gensim, one review a sentence: (V, d).

    - `reviews`, `which`: the text is that of the chosen reviews.
    - `vocabulary`, `counts`: as `choose_vocabulary` gives them.
    - `settings`: reviews to train on.
    - `scratch`: folder for the text as gensim reads it; it is removed afterwards.
    - `on_epoch`: called with the number of passes done.
    - Raises `MissingExtraError` when gensim is not installed.
    """
    try:
        from gensim.models import Word2Vec
        from gensim.models.callbacks import CallbackAny2Vec
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "Skip-gram vectors need gensim: pip install 'biaslab[train]'."
        ) from error

    class Epochs(CallbackAny2Vec):  # type: ignore[misc]
        done = 0

        def on_epoch_end(self, _model: Any) -> None:
            self.done += 1
            on_epoch(self.done)

    known = set(vocabulary)
    text = scratch / "reviews.txt"
    try:
        with text.open("w", encoding="utf-8") as file:
            for i in which:
                rows = reviews.rows[reviews.starts[i] : reviews.starts[i + 1]]
                words = (reviews.words[row] for row in rows)
                file.write(" ".join(word for word in words if word in known) + "\n")
        model = Word2Vec(
            sg=1, workers=1, seed=settings.seed, vector_size=settings.vector_size,
            window=settings.window, negative=settings.negative, sample=settings.sample,
            min_count=1,
        )  # fmt: skip
        model.build_vocab_from_freq(
            dict(zip(vocabulary, counts.tolist(), strict=True)), corpus_count=len(which)
        )
        model.train(
            corpus_file=str(text),
            total_words=int(counts.sum()),
            epochs=settings.skip_gram_epochs,
            callbacks=[Epochs()],
        )
    finally:
        text.unlink(missing_ok=True)
    places = [model.wv.key_to_index[word] for word in vocabulary]
    vectors: NDArray[np.float32] = model.wv.vectors[places].astype(np.float32)
    return vectors
