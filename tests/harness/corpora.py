"""Small corpora with a known regularity, for tests of training."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biaslab.training.encoded import EncodedCorpus

NOUNS = ("nurse", "engineer", "teacher", "baker")


def write_corpus(path: Path, lines: int = 300) -> Path:
    """Write sentences about people at work, one a line with empty lines between."""
    rng = np.random.default_rng(1)
    sentences = [
        f"The {rng.choice(NOUNS)} and the {rng.choice(NOUNS)} saw {rng.choice(['her', 'him'])}!"
        for _ in range(lines)
    ]
    path.write_text("\n\n".join(sentences), encoding="utf-8")
    return path


def encoded_corpus(folder: Path, lines: list[list[int]], words: int) -> EncodedCorpus:
    """Store lines of word numbers below ``words`` as an encoded corpus."""
    paths = EncodedCorpus(*(folder / name for name in ("ids", "lengths", "order")))
    np.array([i for line in lines for i in line], np.int32).tofile(paths.ids)
    np.array([len(line) for line in lines], np.int32).tofile(paths.lengths)
    np.arange(words, dtype=np.int64).tofile(paths.order)
    return paths


def write_reflexives(path: Path, paragraphs: int, verb: str = "is") -> Path:
    """Write sentences in which only a word far back tells "herself" from "himself"."""
    rng = np.random.default_rng(1)
    people = [("She", "herself"), ("He", "himself")]
    with path.open("w", encoding="utf-8") as file:
        for _ in range(paragraphs):
            for _ in range(3):
                pronoun, reflexive = people[rng.integers(2)]
                work = rng.choice(["nurse", "engineer", "teacher"])
                file.write(f"{pronoun} {verb} a {work} and taught {reflexive}.\n")
            file.write("\n")
    return path
