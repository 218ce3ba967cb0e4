"""Labelled reviews to train on, each with its part, and their words as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import CorpusError
from biaslab.subjects.classifier.sentiment import review_words
from biaslab.subjects.text_files import Part, Review, ReviewTable, find_reviews

PARTS: tuple[Part, ...] = ("train", "test", "unlabelled")
LABELS = ("negative", "positive")
_BY_NUMBER = {"0": "negative", "1": "positive"}
#: Stars of ten of the labels: at most 4 is negative, at least 7 is positive.
_MOST_NEGATIVE, _LEAST_POSITIVE = 4, 7


@dataclass(frozen=True, eq=False)
class EncodedReviews:
    """Reviews as rows of a vocabulary, without the text.

    Attributes
    ----------
    words : tuple of str
        Every word of the reviews, by first occurrence.
    rows : ndarray of int32, shape (N,)
        Words of all reviews, one after the other.
    starts : ndarray of int64, shape (n + 1,)
        Review i has ``rows[starts[i]:starts[i + 1]]``.
    labels : ndarray of int8, shape (n,)
        Index in `LABELS`; -1 if there is none.
    parts : ndarray of int8, shape (n,)
        Place in `PARTS`.
    contradicted : int
        Reviews whose stars contradict their label.
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

    Parameters
    ----------
    source : Path
        The unpacked Large Movie Review folder (``train/pos/0_9.txt`` ..., also ``neg``, ``unsup``
        and ``test``), such a folder's ``train`` alone, a folder with ``train.tsv`` (also .gz, .bz2,
        .xz) and perhaps ``test.tsv`` and ``unsup.tsv``, or one such file, whose reviews are all
        for training. A table has a first line with the names of its columns: ``label`` (pos or
        neg) and ``text``, perhaps ``stars``.

    Raises
    ------
    CorpusError
        When there are no reviews, or one is malformed: names the file and the line.
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

    Raises
    ------
    CorpusError
        As of `read_reviews`, and when no review is labelled for training, or all have one label.
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
