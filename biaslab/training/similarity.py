"""How well an embedding's cosines agree with people's judgements of word similarity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import CorpusError
from biaslab.subjects.base import EmbeddingSubject


@dataclass(frozen=True)
class SimilarityScore:
    """Agreement with one set of judged word pairs.

    Attributes
    ----------
    name : str
        The set.
    spearman : ndarray, shape (B,)
        Rank correlation of cosine and judgement, per replicate.
    pairs, known : int
        Pairs in the set, and pairs of which the subject knows both words.
    """

    name: str
    spearman: NDArray[np.float64]
    pairs: int
    known: int


def read_judgements(path: Path) -> list[tuple[str, str, float]]:
    """Read word, word, score per line (tab-separated; other lines are comments).

    Raises
    ------
    CorpusError
        When the file holds no such line.
    """
    rows: list[tuple[str, str, float]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split("\t") if field.strip()]
        if not line.startswith("#") and len(fields) >= 3:
            rows.append((fields[0], fields[1], float(fields[2])))
    if not rows:
        raise CorpusError(
            f"{path} holds no judged pairs. Each line is: word, tab, word, tab, score."
        )
    return rows


def word_similarity(
    subject: EmbeddingSubject, judgements: Iterable[tuple[str, str, float]], name: str
) -> SimilarityScore:
    """Spearman correlation of cosines with judgements, per replicate."""
    from scipy.stats import spearmanr

    pairs = list(judgements)
    known = [p for p in pairs if p[0] in subject and p[1] in subject]
    one = subject.vectors([p[0] for p in known])
    two = subject.vectors([p[1] for p in known])
    lengths = np.linalg.norm(one, axis=2) * np.linalg.norm(two, axis=2)
    cosines = np.einsum("bnd,bnd->bn", one, two) / lengths
    human = [p[2] for p in known]
    spearman = np.array([float(spearmanr(row, human).statistic) for row in cosines])
    return SimilarityScore(name, spearman, len(pairs), len(known))
