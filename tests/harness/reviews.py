"""Invented reviews whose sentiment hangs on a few words, as folders and as tables."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

GOOD = ("wonderful", "moving", "brilliant", "warm", "clever", "charming")
BAD = ("awful", "boring", "clumsy", "cold", "stupid", "tedious")
PLAIN = (
    "film", "story", "actor", "scene", "camera", "music", "script", "plot", "role", "director",
    "minute", "night", "house", "town", "ending", "dialogue",
)  # fmt: skip


def write_reviews(count: int, seed: int, clear: float = 0.8) -> list[tuple[str, int, str]]:
    """``count`` reviews of each label: label name, stars and text.

    ``clear`` is the share of a review's feeling words that fit its label.
    """
    rng = np.random.default_rng(seed)
    out = []
    for label, own, other in (("neg", BAD, GOOD), ("pos", GOOD, BAD)):
        for _ in range(count):
            feeling = [str(rng.choice(own if rng.random() < clear else other)) for _ in range(5)]
            words = [*feeling, *(str(w) for w in rng.choice(PLAIN, size=15))]
            rng.shuffle(words)
            stars = int(rng.integers(7, 11) if label == "pos" else rng.integers(1, 5))
            out.append((label, stars, " ".join(words).capitalize() + "."))
    return out


def as_table(path: Path, reviews: list[tuple[str, int, str]]) -> Path:
    """Write a table with id, label, stars and text; compressed if the name says so."""
    lines = ["id\tlabel\tstars\ttext"]
    lines += [f"{label}_{i}\t{label}\t{s}\t{text}" for i, (label, s, text) in enumerate(reviews)]
    data = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def as_folder(folder: Path, reviews: list[tuple[str, int, str]]) -> Path:
    """Write one file per review, as the Large Movie Review data has them."""
    for i, (label, stars, text) in enumerate(reviews):
        place = folder / label
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{i}_{0 if label == 'unsup' else stars}.txt").write_text(text, encoding="utf-8")
    return folder
