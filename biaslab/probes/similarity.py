"""Agreement of cosines with human judgements of word similarity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import instance, listed
from biaslab.errors import QueryError
from biaslab.files.tables import lines_of, read_text, with_points
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.record import Record
from biaslab.records.result import Dropped, Interval, Result
from biaslab.stats.correlation import correlate, difference_interval
from biaslab.stats.quantiles import t_quantile
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Judgements",
    "SetAgreement",
    "WordSimilarityResult",
    "read_judgements",
    "word_similarity",
]

_EXAMPLE = "['wordsim353.tsv']"
_SETS = "Pass the path of a file, or Judgements."
FEWEST_PAIRS = 4
"""An interval divides by n - 3."""


@dataclass(frozen=True)
class Judgements(Record):
    """A set of word pairs with human judgements of similarity.

    Attributes
    ----------
    name : str
        The set.
    one, two : tuple of str
        First and second word of each pair.
    scores : ndarray, shape (n,)
        Judged similarity in any unit; higher is more similar.
    """

    name: str
    one: tuple[str, ...]
    two: tuple[str, ...]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.one)


@dataclass(frozen=True)
class SetAgreement(Record):
    """Agreement with one set.

    Attributes
    ----------
    name : str
        The set.
    pairs, known : int
        Pairs of the set, and pairs with two known words, which count.
    spearman : ndarray, shape (B,)
        Rank correlation of cosine and judgement in each replicate.
    mean : float
        Mean over the replicates.
    sd : float
        Spread over the replicates; NaN with one.
    over_pairs : Interval
        Of the mean, if other pairs had been judged; Bonett and Wright (2000).
    over_corpora : Interval
        Interval of the correlation of one more replicate (Student's t); NaN with one.
    """

    name: str
    pairs: int
    known: int
    spearman: NDArray[np.float64]
    mean: float
    sd: float
    over_pairs: Interval
    over_corpora: Interval


@dataclass(frozen=True, kw_only=True)
class WordSimilarityResult(Result):
    """Agreement of a subject with sets of judged pairs; `sets` has one entry each."""

    schema: ClassVar[str] = "word-similarity/1"
    sets: tuple[SetAgreement, ...]

    @property
    def mean(self) -> float:
        """Mean over the sets of their mean correlations."""
        return float(np.mean([agreement.mean for agreement in self.sets]))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set."""
        import pandas as pd

        return pd.DataFrame(
            {
                "set": agreement.name,
                "pairs": agreement.pairs,
                "known": agreement.known,
                "replicates": len(agreement.spearman),
                "spearman": agreement.mean,
                "sd": agreement.sd,
                "pairs_low": agreement.over_pairs.low,
                "pairs_high": agreement.over_pairs.high,
                "corpus_low": agreement.over_corpora.low,
                "corpus_high": agreement.over_corpora.high,
            }
            for agreement in self.sets
        )

    def raw_frame(self) -> pd.DataFrame:
        """One row per set and replicate: set, replicate, spearman."""
        import pandas as pd

        rows = [(one.name, b, r) for one in self.sets for b, r in enumerate(one.spearman.tolist())]
        return pd.DataFrame(rows, columns=["set", "replicate", "spearman"])


def read_judgements(path: Path) -> Judgements:
    """Read a set of judged pairs: word, word, score per line.

    Fields are separated by tabs, semicolons or commas. Empty lines, lines that begin with ``#``
    and a first line of column names are passed over.

    Raises
    ------
    QueryError
        When the file cannot be read, contains no pairs, or a line has another form.
    """
    text = read_text(path, QueryError)
    rows: list[tuple[str, str, float]] = []
    for number, line in enumerate(lines_of(text), start=1):
        if line.startswith("#") or not line.strip():
            continue
        mark = next((m for m in "\t;," if m in line), None)
        fields = [field.strip() for field in line.split(mark) if field.strip()]
        try:
            word_1, word_2, score = fields[0], fields[1], float(with_points(fields[2]))
        except (IndexError, ValueError) as error:
            if not rows and len(fields) >= 3:
                continue  # column names
            raise QueryError(
                f"{path}, line {number} is {line[:60]!r}. Each line must be: word, tab, word, tab,"
                " score, such as tiger, cat, 7.35."
            ) from error
        if not math.isfinite(score):
            raise QueryError(f"{path}, line {number} has the score {fields[2]}. Write a number.")
        rows.append((word_1, word_2, score))
    if not rows:
        raise QueryError(
            f"{path} contains no rated pairs. Each line must be: word, tab, word, tab, score."
        )
    return Judgements(
        path.stem,
        tuple(row[0] for row in rows),
        tuple(row[1] for row in rows),
        np.array([row[2] for row in rows]),
    )


def sets_of(
    judgements: Judgements | Path | str | Sequence[Judgements | Path | str],
) -> list[Judgements]:
    """Return sets of judged pairs, read where they are files."""
    one_set = isinstance(judgements, Judgements | Path | str)
    sources = (judgements,) if one_set else listed(judgements, "judgements", _EXAMPLE)
    return [
        judged
        if isinstance(judged, Judgements)
        else read_judgements(Path(instance(judged, (str, Path), "A set of judgements", _SETS)))
        for judged in sources
    ]


@recorded
def word_similarity(
    subject: EmbeddingSubject | Named,
    judgements: Judgements | Path | str | Sequence[Judgements | Path | str],
    *,
    level: float = 0.95,
) -> WordSimilarityResult:
    """Correlate the ranks of cosines with human judgements, per replicate.

    Parameters
    ----------
    subject : EmbeddingSubject
        An embedding or an ensemble of B replicates.
    judgements : Judgements, path, or a sequence of them
        Sets of judged pairs; a file is read by `read_judgements`.
    level : float
        Of the intervals, in (0, 1).

    Returns
    -------
    WordSimilarityResult
        Words that the subject does not know are in ``dropped``, and their pairs left out.

    Raises
    ------
    QueryError
        When a set cannot be read, or fewer than 4 of its pairs are known.
    """
    subject = opened(subject, WORD_VECTORS, "bl.probes.similarity.word_similarity")
    sets = sets_of(judgements)
    if not sets:
        raise QueryError("No set of rated pairs was given. Name at least one file.")
    request = {"sets": [judged.name for judged in sets], "level": level}
    dropped: list[Dropped] = []
    agreements: list[SetAgreement] = []
    with measured(probe="word_similarity", subject=subject, parameters=request) as run:
        for judged in sets:
            agreement, lost = _agreement(subject, judged, level)
            agreements.append(agreement)
            dropped += lost
    return WordSimilarityResult(
        provenance=run.provenance, dropped=tuple(dropped), sets=tuple(agreements)
    )


def similarity_change(
    before: EmbeddingSubject, after: EmbeddingSubject, judged: Judgements, level: float
) -> tuple[float, float, Interval]:
    """Return the mean rank correlation before and after, and the interval of its change.

    Both subjects have the same words; the interval is paired over the word pairs (Zou 2007), of
    cosines averaged over replicates.
    """
    cosines, scores, _ = zip(*(_cosines(each, judged) for each in (before, after)), strict=True)
    one, two = (correlate(own.mean(axis=0), scores[0], "spearman", level=level) for own in cosines)
    low, high = map(float, difference_interval(two, one, signed=True)[1])
    means = (float(_rank_correlation(own, scores[0]).mean()) for own in cosines)
    return next(means), next(means), Interval(low, high, level, "pairs")


def _cosines(
    subject: EmbeddingSubject, judged: Judgements
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Dropped]]:
    """Return cosines (B, n) and scores (n,) of the pairs that a subject knows, and lost words."""
    terms = list(dict.fromkeys([*judged.one, *judged.two]))
    resolution = subject.resolve(terms, suggest=False)
    lost = [Dropped(each.term, judged.name, each.reason) for each in resolution.unknown]
    # Two spellings of one word are fine here: only words without a vector are missing.
    missing = {term for term in terms if term not in resolution.known and term not in subject}
    known_pairs = [
        k
        for k, (first, second) in enumerate(zip(judged.one, judged.two, strict=True))
        if first not in missing and second not in missing
    ]
    if len(known_pairs) < FEWEST_PAIRS:
        raise QueryError(
            f"{getattr(subject, 'name', 'The subject')} knows both words of {len(known_pairs)} of "
            f"{len(judged)} pairs of {judged.name}; at least {FEWEST_PAIRS} are needed. Use a set"
            " in the subject's language, or a subject with a larger vocabulary.",
            tuple(lost),
        )
    known = [term for term in terms if term not in missing]
    row_of = {term: k for k, term in enumerate(known)}
    vectors = subject.vectors(known).astype(np.float64)
    units = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    first = units[:, [row_of[judged.one[k]] for k in known_pairs]]
    second = units[:, [row_of[judged.two[k]] for k in known_pairs]]
    # Rounded, so that a repeated pair is a tie in any order of summation.
    cosines = np.round(np.einsum("bnd,bnd->bn", first, second), 9)
    return cosines, judged.scores[known_pairs], lost


def _agreement(
    subject: EmbeddingSubject, judged: Judgements, level: float
) -> tuple[SetAgreement, list[Dropped]]:
    cosines, scores, lost = _cosines(subject, judged)
    spearman = _rank_correlation(cosines, scores)
    mean, replicates = float(spearman.mean()), len(spearman)
    sd = float(spearman.std(ddof=1)) if replicates > 1 else math.nan
    reach = math.nan
    if replicates > 1:
        quantile = float(t_quantile(replicates - 1, (1 + level) / 2))
        reach = quantile * sd * math.sqrt(1 + 1 / replicates)
    agreement = SetAgreement(
        judged.name,
        len(judged),
        len(scores),
        spearman,
        mean,
        sd,
        _over_pairs(mean, len(scores), level),
        Interval(mean - reach, mean + reach, level, "corpus"),
    )
    return agreement, lost


def _rank_correlation(
    cosines: NDArray[np.floating], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return Spearman's correlation of each row with the scores, shape (B, n) -> (B,)."""
    from scipy.stats import rankdata

    ranks_1 = rankdata(cosines, axis=1)
    ranks_2 = rankdata(scores)
    ranks_1 -= ranks_1.mean(axis=1, keepdims=True)
    ranks_2 -= ranks_2.mean()
    with np.errstate(invalid="ignore"):
        correlation = ranks_1 @ ranks_2 / np.sqrt((ranks_1**2).sum(axis=1) * (ranks_2**2).sum())
    return np.asarray(correlation)


def _over_pairs(r: float, pairs: int, level: float) -> Interval:
    """Return the interval of a Spearman correlation: Bonett and Wright (2000)."""
    z = math.atanh(min(max(r, -1 + 1e-12), 1 - 1e-12)) if math.isfinite(r) else math.nan
    from scipy.special import ndtri

    quantile = float(ndtri((1 + level) / 2))
    half = quantile * math.sqrt((1 + r**2 / 2) / (pairs - 3))
    return Interval(math.tanh(z - half), math.tanh(z + half), level, "pairs")
