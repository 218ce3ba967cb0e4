"""Labelled reviews: the Large Movie Review data as folders or as tab-separated files."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import CorpusError
from biaslab.subjects.review_words import review_words
from biaslab.training.readers import read_lines

Part = Literal["train", "test", "unlabelled"]
PARTS: tuple[Part, ...] = ("train", "test", "unlabelled")
LABELS = ("negative", "positive")
_LABEL_NAMES = {
    "neg": 0, "negative": 0, "0": 0, "pos": 1, "positive": 1, "1": 1, "unsup": -1, "": -1,
}  # fmt: skip
_FILE_NAME = re.compile(r"\d+_(\d+)\.txt")
_TABLE = re.compile(r"(train|test|unsup)\.tsv(\.gz|\.bz2|\.xz)?")
#: Stars of ten that the labels stand for: at most 4 is negative, at least 7 is positive.
_MOST_NEGATIVE, _LEAST_POSITIVE = 4, 7


@dataclass(frozen=True)
class Review:
    """One review.

    Attributes
    ----------
    part : {"train", "test", "unlabelled"}
        What it is for.
    label : int
        Place in `LABELS`; -1 where there is none.
    stars : int or None
        Of ten.
    text : str
        As written.
    """

    part: Part
    label: int
    stars: int | None
    text: str


@dataclass(frozen=True, eq=False)
class EncodedReviews:
    """Reviews as rows of a vocabulary; the text itself is not kept.

    Attributes
    ----------
    words : tuple of str
        Every word of the reviews, in the order in which they came.
    rows : ndarray of int32, shape (N,)
        Words of all reviews, one after the other.
    starts : ndarray of int64, shape (n + 1,)
        Review i has ``rows[starts[i]:starts[i + 1]]``.
    labels : ndarray of int8, shape (n,)
        As of `Review`.
    parts : ndarray of int8, shape (n,)
        Place in `PARTS`.
    contradicted : int
        Reviews whose stars do not go with their label.
    """

    words: tuple[str, ...]
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]
    labels: NDArray[np.int8]
    parts: NDArray[np.int8]
    contradicted: int

    def of(self, part: Part) -> NDArray[np.int64]:
        """Numbers of the reviews of a part."""
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
    if source.is_file():
        yield from _table(source, "train")
        return
    if not source.is_dir():
        raise CorpusError(
            f"There are no reviews at {source}. Give the folder of the Large Movie Review data, or"
            " a tab-separated file."
        )
    if tables := sorted(p for p in source.iterdir() if _TABLE.fullmatch(p.name)):
        found = [p.name.partition(".")[0] for p in tables]
        if twice := sorted({name for name in found if found.count(name) > 1}):
            raise CorpusError(
                f"{source} has {twice[0]}.tsv plain and compressed. Remove one of them."
            )
        for path, name in zip(tables, found, strict=True):
            yield from _table(path, _part(name))
        return
    folders = [source / name for name in ("train", "test") if (source / name).is_dir()]
    for folder in folders or [source]:
        part: Part = "test" if folder.name == "test" and folders else "train"
        for name in ("neg", "pos", "unsup"):
            if (folder / name).is_dir():
                yield from _texts(folder / name, "unlabelled" if name == "unsup" else part)


def encode_reviews(source: Path) -> EncodedReviews:
    """Read reviews and number their words; raises as `read_reviews`, and when there are none.

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
        labels.append(review.label)
        parts.append(PARTS.index(review.part))
        if review.stars is not None and review.label >= 0:
            far = review.stars > _MOST_NEGATIVE, review.stars < _LEAST_POSITIVE
            contradicted += far[review.label]
    encoded = EncodedReviews(
        tuple(index),
        np.frombuffer(rows, dtype=np.int32) if rows else np.empty(0, dtype=np.int32),
        np.frombuffer(starts, dtype=np.int64),
        np.frombuffer(labels, dtype=np.int8) if labels else np.empty(0, dtype=np.int8),
        np.frombuffer(parts, dtype=np.int8) if parts else np.empty(0, dtype=np.int8),
        contradicted,
    )
    found = encoded.labels[encoded.of("train")]
    if not len(found):
        raise CorpusError(
            f"{source} holds no labelled reviews to train on. The Large Movie Review folder has"
            " train/pos and train/neg; a table needs a line per review."
        )
    if len(set(found.tolist())) < 2:
        raise CorpusError(
            f"All {len(found):,} training reviews of {source} are {LABELS[found[0]]}. A classifier"
            " needs both kinds: add the others."
        )
    return encoded


def _part(name: str) -> Part:
    return "unlabelled" if name == "unsup" else "test" if name == "test" else "train"


def _texts(folder: Path, part: Part) -> Iterator[Review]:
    label = _LABEL_NAMES[folder.name]
    # By number: names sort otherwise on some systems.
    files = sorted(
        (p for p in folder.iterdir() if p.suffix == ".txt" and not p.name.startswith(".")),
        key=lambda p: (len(p.name.partition("_")[0]), p.name),
    )
    for path in files:
        named = _FILE_NAME.fullmatch(path.name)
        stars = int(named[1]) if named else None
        yield Review(part, label, stars or None, " ".join(read_lines(path)))


def _table(path: Path, part: Part) -> Iterator[Review]:
    lines = enumerate(read_lines(path), 1)
    header = next(lines, (1, ""))[1].rstrip("\r\n").split("\t")
    if missing := [name for name in ("label", "text") if name not in header]:
        raise CorpusError(
            f"{path}, line 1: no column {' and no column '.join(missing)}, but"
            f" {', '.join(header)!r}. The first line names the columns, separated by tabs: label,"
            " text and perhaps stars."
        )
    label_at, text_at = header.index("label"), header.index("text")
    stars_at = header.index("stars") if "stars" in header else None
    for number, line in lines:
        if not line.strip():
            continue
        fields = line.rstrip("\r\n").split("\t")
        if len(fields) != len(header):
            raise CorpusError(
                f"{path}, line {number}: {len(fields)} fields, where the first line names"
                f" {len(header)}. Give a review in one line, without tabs or line breaks in it."
            )
        given = fields[label_at].strip().lower()
        label = _LABEL_NAMES.get(given)
        if label is None or (label < 0 and part != "unlabelled"):
            raise CorpusError(
                f"{path}, line {number}: the label {fields[label_at]!r} is neither pos nor neg."
                " Correct it, or put reviews without label into unsup.tsv beside it."
            )
        stars = fields[stars_at].strip() if stars_at is not None else ""
        if stars and not stars.isdecimal():
            raise CorpusError(
                f"{path}, line {number}: {stars!r} is no number of stars. Correct it, or leave the"
                " column stars out."
            )
        yield Review(part, label, int(stars) if stars else None, fields[text_at])
