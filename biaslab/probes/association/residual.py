"""``bl.association.residual``: what is left of a bias after debiasing (Gonen and Goldberg 2019)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.association.draws import CORPUS, WORDS, of_draws, within
from biaslab.probes.association.lists import Floats, SpecSource, n_replicates, units
from biaslab.probes.association.weat import WeatResult, weat
from biaslab.probes.debias import Debiasing
from biaslab.probes.defining_sets import DefiningSets, defining_sets, sets_of_spec
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result
from biaslab.specs import Spec, get
from biaslab.specs.checks import alike
from biaslab.stats.clustered_mean import clustered_mean
from biaslab.stats.correlation import correlate
from biaslab.stats.reproducibility import order
from biaslab.stats.significance import check_level
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.debiasing import bias_subspace
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened
from biaslab.threads.leaving import leave_if_cancelled

if TYPE_CHECKING:
    import pandas as pd

BEFORE, AFTER, PLACEBO = "before", "after", "random direction"
CLUSTERS, CLASSIFIER, NEIGHBOURS = "clusters", "classifier", "neighbours"
_FEWEST = 20
"""Words of each class that a classifier needs."""
_FOLDS = 5
_SHUFFLES = 40
"""Random labels behind the level of chance."""
_RESTARTS = 5
_ITERATIONS = 50
_BLOCK = 20
"""Words in a neighbourhood, on average: nearby words count together in an interval."""
_ITEMS = 500
"""Words whose neighbours are counted."""


@dataclass(frozen=True)
class ResidualRow(Record):
    """One measure of one subject.

    Attributes
    ----------
    measure : str
        ``clusters``, ``classifier``: share of words in the right class; ``neighbours``:
        correlation; or ``WEAT``: difference of means.
    stage : str
        ``before``, ``after``, or ``random direction``: as many random directions taken out.
    by_replicate : ndarray, shape (B,)
    intervals : tuple of Interval
        ``words``; of an ensemble also ``corpus``.
    chance : float
        The mean with shuffled labels; 0 of the others.
    chance_limit : float
        97.5 % of shuffled labels are below this; 0 of the others.
    """

    measure: str
    stage: str
    by_replicate: Floats
    intervals: tuple[Interval, ...]
    chance: float = 0.0
    chance_limit: float = 0.0

    @property
    def value(self) -> float:
        """The mean over replicates."""
        return float(self.by_replicate.mean())

    @property
    def above_chance(self) -> bool:
        """Whether every interval is above chance, and the value above shuffled labels."""
        ends = [interval.low for interval in self.intervals]
        return min(ends) > self.chance and self.value > self.chance_limit


@dataclass(frozen=True, kw_only=True)
class ResidualBias(Result):
    """Traces of the classes of a bias in other words, before and after debiasing.

    Attributes
    ----------
    before, after : str
        Names of the subjects.
    classes : tuple of str
        The k classes.
    words : tuple of str
        The words nearest to each class before, class by class.
    labels : ndarray of int, shape (n,)
        Their classes.
    lean : ndarray, shape (n,)
        Their cosine to their own class's direction before, a mean over replicates.
    correct : ndarray, shape (n,)
        Share of replicates in which the classifier names a word's class after debiasing, when
        trained on other words.
    neighbours : int
        Neighbours counted.
    rows : tuple of ResidualRow
    """

    schema: ClassVar[str] = "residual-bias/1"

    before: str
    after: str
    classes: tuple[str, ...]
    words: tuple[str, ...]
    labels: NDArray[np.int64]
    lean: Floats
    correct: Floats
    neighbours: int
    rows: tuple[ResidualRow, ...]

    def row(self, measure: str, stage: str = AFTER) -> ResidualRow:
        """Return the row of a measure.

        Raises
        ------
        KeyError
            When there is none, such as of WEAT without lists for it.
        """
        return {(row.measure, row.stage): row for row in self.rows}[measure, stage]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per measure and stage: value, sd (over replicates), ends, chance."""
        import pandas as pd

        return pd.DataFrame(
            {
                "measure": row.measure,
                "stage": row.stage,
                "value": row.value,
                "sd": row.by_replicate.std(ddof=1) if len(row.by_replicate) > 1 else math.nan,
                **{f"{i.kind}_{end}": getattr(i, end) for i in row.intervals for end in _ENDS},
                "chance": row.chance,
                "chance_limit": row.chance_limit,
            }
            for row in self.rows
        )

    def raw_frame(self) -> pd.DataFrame:
        """One row per word: word, class, lean, correct."""
        import pandas as pd

        classes = [self.classes[label] for label in self.labels]
        columns = {"word": self.words, "class": classes, "lean": self.lean}
        return pd.DataFrame(columns | {"correct": self.correct})


_ENDS = ("low", "high")


@recorded
def residual(
    after: EmbeddingSubject | Named,
    before: EmbeddingSubject | Named | None = None,
    spec: Spec | str | None = None,
    *,
    defining: Sequence[Sequence[str]] | None = None,
    words: int = 500,
    neighbours: int = 100,
    vocabulary: int = 20_000,
    weat_spec: SpecSource | None = None,
    level: float = 0.95,
    replicates: int | None = 4,
    rng: int | np.random.Generator = 0,
) -> ResidualBias:
    r"""Ask whether the classes of a bias can still be predicted after debiasing.

    The words nearest to each class *before* debiasing are taken, without those that define the
    bias. Then, before, after, and with as many random directions taken out (a placebo):

    - *clusters*: they are put into k clusters (k-means); the share of words whose cluster is their
      class.
    - *classifier*: a classifier learns the classes from four fifths of the words and names those
      of the rest (ridge regression with a Gaussian kernel, in five folds).
    - *neighbours*: of other words, the correlation of their lean before with the share of each
      class among their nearest neighbours.
    - *WEAT*: the difference of means of lists of your choice.

    Parameters
    ----------
    after : EmbeddingSubject, or name of one
        A result of `biaslab.debias`, or any other subject together with `before`.
    before : EmbeddingSubject, or name of one, optional
        By default the parent of `after`.
    spec : Spec or str, optional
        Source of the defining sets, as of `biaslab.debias`; by default those of `after`.
    defining : sequence of sequence of str, optional
        Defining sets, each of one word per class.
    words : int
        Words of each class; fewer if the vocabulary has not enough. The source has 500.
    neighbours : int
        Nearest neighbours counted; the source has 100.
    vocabulary : int
        How many of the subject's words are candidates, from the first.
    weat_spec : Spec, AssociationLists, name or path of a spec, optional
        Lists of WEAT, preferably others than those of the debiasing.
    level : float
        Of the intervals, in (0, 1).
    replicates : int, optional
        How many of an ensemble's replicates, from the first; None for all.
    rng : int or numpy.random.Generator

    Returns
    -------
    ResidualBias
        Intervals over ``words`` count words of one neighbourhood together. Chance is what
        shuffled labels give.

    Raises
    ------
    QueryError
        When the bias is not defined, the subjects share too few words, or `before` is missing.

    References
    ----------
    Gonen and Goldberg (2019), "Lipstick on a Pig: Debiasing Methods Cover up Systematic Gender
    Biases in Word Embeddings But do not Remove Them", NAACL-HLT, 609-614, arXiv:1903.03862. The
    classifier is a least-squares support vector machine (Suykens and Vandewalle 1999,
    doi:10.1023/A:1018628609742) where the source has one with hinge loss.
    """
    after = opened(after, WORD_VECTORS, "bl.association.residual")
    done = getattr(after, "derivation", None)
    if before is None:
        if not isinstance(done, Debiasing):
            raise QueryError(
                f"{after.name!r} is no result of bl.debias in this session, so it does not know"
                " its parent. Give before=, and a spec or defining sets."
            )
        before = after.parent  # type: ignore[attr-defined]
    assert before is not None  # noqa: S101
    parent: EmbeddingSubject = opened(before, WORD_VECTORS, "bl.association.residual")
    check_level(level)
    if min(words, neighbours, vocabulary) < 1:
        raise ValueError("words, neighbours and vocabulary must be at least 1.")
    pair = None
    if spec is None and defining is None and isinstance(done, Debiasing):
        made = done.provenance.parameters
        spec, pair = made.get("spec"), made.get("groups")
        defining = done.defining if made.get("defining") or spec is None else None
    source = None if spec is None else get(spec, pair)
    parameters = {
        "before": parent.name, "spec": None if source is None else source.name,
        "defining": defining, "words": words, "neighbours": neighbours, "vocabulary": vocabulary,
        "level": level, "replicates": replicates,
    }  # fmt: skip
    with measured(
        probe="residual",
        subject=after,
        spec_hash=None if source is None else source.content_hash,
        seed=rng,
        parameters=parameters,
    ) as run:
        sets = defining_sets(parent, source, defining)
        requested = sets_of_spec(source)[0] if source and defining is None else defining or ()
        classes, directions = _directions(sets, max(map(len, requested)), source)
        b = min(parent.n_replicates, after.n_replicates)
        b = min(b, n_replicates(parent, None if replicates is None else min(replicates, b)))
        directions = directions[:b]
        pool = _candidates(parent, after, sets, source, done, vocabulary)
        setting = _Setting(parent, pool, directions, words, level, np.random.default_rng(rng))
        vectors = {BEFORE: units(parent.vectors(pool)[:b]), AFTER: units(after.vectors(pool)[:b])}
        noise: Floats = setting.rng.standard_normal((b, parent.dim, directions.shape[2]))
        basis = np.linalg.qr(noise)[0]
        basis = basis[..., : max(directions.shape[2] - 1, 1)]
        whole = vectors[BEFORE]
        vectors[PLACEBO] = units(whole - (whole @ basis) @ basis.transpose(0, 2, 1))
        rows: list[ResidualRow] = []
        correct = np.zeros(0)
        for stage, of_stage in vectors.items():
            clustered, _ = setting.shares(of_stage, CLUSTERS, stage)
            classified, named = setting.shares(of_stage, CLASSIFIER, stage)
            rows += [clustered, classified, setting.correlation(of_stage, neighbours, stage)]
            correct = named if stage == AFTER else correct
        if weat_spec is not None:
            for stage, subject in ((BEFORE, parent), (AFTER, after)):
                rows.append(_weat_row(weat(subject, weat_spec, level=level, replicates=b), stage))
    return ResidualBias(
        before=parent.name,
        after=after.name,
        classes=classes,
        words=tuple(pool[i] for i in setting.chosen),
        labels=setting.labels,
        lean=setting.lean[setting.chosen, setting.labels],
        correct=correct,
        neighbours=neighbours,
        rows=tuple(rows),
        dropped=sets.dropped,
        provenance=run.provenance,
    )


def _weat_row(found: WeatResult, stage: str) -> ResidualRow:
    intervals = tuple(i for i in found.statistic_intervals if i.kind in (WORDS, CORPUS))
    return ResidualRow("WEAT", stage, found.statistic_by_replicate, intervals)


def _directions(sets: DefiningSets, k: int, source: Spec | None) -> tuple[tuple[str, ...], Floats]:
    """Return the classes, and a unit vector toward each in the bias subspace, (B, d, k)."""
    if sets.by_group:
        classes, whole = sets.sets[0], list(sets.vectors)
    else:  # of a set with unknown words nobody knows which class is missing
        known = zip(sets.sets, sets.vectors, strict=True)
        complete = [(words, vectors) for words, vectors in known if len(words) == k]
        if not complete:
            raise QueryError(
                f"No defining set has all its {k} words in the vocabulary. Give sets of known words"
                " with defining=.",
                sets.dropped,
            )
        classes, whole = complete[0][0], [vectors for _, vectors in complete]
        groups = {} if source is None else source.groups
        if len(groups) == k and all(map(tuple.__contains__, groups.values(), classes)):
            classes = tuple(groups)
    centres = np.mean([each - each.mean(axis=1, keepdims=True) for each in whole], axis=0)
    basis = bias_subspace(sets.vectors).basis
    return classes, units((centres @ basis) @ basis.transpose(0, 2, 1)).transpose(0, 2, 1)


def _candidates(
    before: EmbeddingSubject,
    after: EmbeddingSubject,
    sets: DefiningSets,
    source: Spec | None,
    done: object,
    vocabulary: int,
) -> list[str]:
    """Return words that both subjects know, without those that define the bias."""
    defining = [word for each in sets.sets for word in each]
    if source is not None:
        lists = (*source.groups.values(), *source.cue_pairs)
        defining += [word for each in lists for word in each]
    if isinstance(done, Debiasing):
        defining += [*done.specific, *(word for each in done.equalized for word in each)]
    taken = {alike(word) for word in defining}
    pool: dict[str, str] = {}
    for word in before._words_by_row[:vocabulary]:
        if word.isalpha() and len(word) > 1 and alike(word) not in taken:
            pool.setdefault(alike(word), word)
    known = before.resolve(list(pool.values()), suggest=False).known
    return list(after.resolve(known, suggest=False).known)


class _Setting:
    """Words, their labels and their neighbourhoods, the same for every stage."""

    def __init__(
        self,
        before: EmbeddingSubject,
        pool: list[str],
        directions: Floats,
        words: int,
        level: float,
        rng: np.random.Generator,
    ) -> None:
        self.level, self.rng = level, rng
        k = directions.shape[2]
        self.lean = before.project(pool, directions).mean(axis=0, dtype=np.float64)
        self._class = self.lean.argmax(axis=1)
        words = min(words, len(pool) // (2 * k), int(np.bincount(self._class, minlength=k).min()))
        if words < _FEWEST:
            raise QueryError(
                f"{before.name!r} has {len(pool):,} other words, of which some class is nearest to"
                f" fewer than {_FEWEST}. Choose a subject with a larger vocabulary."
            )
        of_class = []
        for c in range(k):
            own = np.flatnonzero(self._class == c)
            of_class.append(own[order(self.lean[own, c], descending=True)[:words]])
        self.chosen = np.concatenate(of_class)
        self.labels = np.repeat(np.arange(k), words)
        n = len(self.chosen)
        self._shuffled = np.array([rng.permutation(self.labels) for _ in range(_SHUFFLES)])
        self._fold = rng.permutation(np.arange(n) % _FOLDS)
        near = units(before.vectors([pool[i] for i in self.chosen])[0])
        self._blocks = _k_means(near, max(n // _BLOCK, 2), rng)
        others = np.setdiff1d(np.arange(len(pool)), self.chosen)
        self._items = np.sort(rng.permutation(others)[:_ITEMS])

    def shares(self, vectors: Floats, measure: str, stage: str) -> tuple[ResidualRow, Floats]:
        """Return the share of words in their class, and each word's own over replicates."""
        k, answers = int(self.labels.max()) + 1, []
        every = np.concatenate([self.labels[None], self._shuffled])
        for one in vectors[:, self.chosen]:
            leave_if_cancelled()
            if measure == CLUSTERS:
                found = _k_means(one, k, self.rng)
                answers.append(np.array([_matched(found, labels, k) for labels in every]))
            else:
                answers.append(_classified(one, every, self._fold, k) == every)
        right = np.array(answers, dtype=np.float64)  # (B, 1 + shuffles, n)
        of_word = right[:, 0].mean(axis=0)
        by_chance = right[:, 1:].mean(axis=(0, 2))
        limits = clustered_mean(of_word, self._blocks, weighting="items", share=True).share_limits(
            self.level
        )
        return (
            ResidualRow(
                measure,
                stage,
                right[:, 0].mean(axis=1),
                self._intervals(right[:, 0].mean(axis=1), *limits),
                float(by_chance.mean()),
                float(np.quantile(by_chance, 0.975)),
            ),
            of_word,
        )

    def correlation(self, vectors: Floats, neighbours: int, stage: str) -> ResidualRow:
        """Return the correlation of words' lean with the classes of their neighbours."""
        k = self.lean.shape[1]
        is_class = np.eye(k)[self._class]
        neighbours = min(neighbours, len(self._class) - 1)
        lean = self.lean[self._items].T[: 1 if k == 2 else k]
        found = []
        for one in vectors:
            cosines = one[self._items] @ one.T
            cosines[np.arange(len(self._items)), self._items] = -np.inf
            near = np.argpartition(-cosines, neighbours, axis=1)[:, :neighbours]
            share = is_class[near].mean(axis=1).T[: len(lean)]
            # Words with the same share of neighbours have no correlation.
            got = correlate(lean, share, level=self.level)
            found.append(np.concatenate([got.r[:, None], got.interval], axis=1).mean(axis=0))
        r, low, high = np.nan_to_num(np.array(found)).T
        limits = float(low.mean()), float(high.mean())
        return ResidualRow(NEIGHBOURS, stage, r, self._intervals(r, *limits, least=-1.0))

    def _intervals(
        self, by_replicate: Floats, low: float, high: float, least: float = 0.0
    ) -> tuple[Interval, ...]:
        over = Interval(low, high, self.level, WORDS)
        if len(by_replicate) == 1:
            return (over,)
        return within((over, of_draws(by_replicate, None, None, self.level)[1]), least, 1.0)


def _matched(found: NDArray[np.int64], labels: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """Return which words are in the cluster of their class, by the best match of both."""
    table = np.zeros((k, k), dtype=np.int64)
    np.add.at(table, (found, labels), 1)
    best = max(permutations(range(k)), key=lambda to: sum(table[i, to[i]] for i in range(k)))
    return np.asarray(np.array(best)[found] == labels)


def _classified(
    vectors: Floats, labels: NDArray[np.int64], fold: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """Return the class of each word from a classifier of the other folds, for rows of labels."""
    cosines = vectors @ vectors.T
    distant = 1 - cosines
    kernel = np.exp(-distant / np.median(distant))
    targets = np.eye(k)[labels].transpose(1, 0, 2)  # (n, rows, k)
    named = np.zeros(labels.shape, dtype=np.int64)
    for held in range(_FOLDS):
        test, train = fold == held, fold != held
        mean = targets[train].mean(axis=0)
        fitted = np.linalg.solve(
            kernel[np.ix_(train, train)] + np.eye(int(train.sum())),
            (targets[train] - mean).reshape(int(train.sum()), -1),
        )
        scores = (kernel[np.ix_(test, train)] @ fitted).reshape(-1, len(labels), k) + mean
        named[:, test] = scores.argmax(axis=2).T
    return named


def _k_means(points: Floats, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the clusters of Lloyd's algorithm with the least squares of some starts."""
    best, least = np.zeros(len(points), dtype=np.int64), math.inf
    squares = (points**2).sum(axis=1)
    for _ in range(_RESTARTS):
        centres = points[rng.integers(len(points))][None]
        for _ in range(k - 1):  # k-means++
            far = _squares(points, squares, centres).min(axis=1)
            centres = np.vstack([centres, points[rng.choice(len(points), p=far / far.sum())]])
        nearest = np.full(len(points), -1)
        for _ in range(_ITERATIONS):
            distances = _squares(points, squares, centres)
            now = distances.argmin(axis=1)
            if (now == nearest).all():
                break
            nearest = now
            for c in np.unique(nearest):
                centres[c] = points[nearest == c].mean(axis=0)
        if (total := float(distances.min(axis=1).sum())) < least:
            best, least = nearest, total
    return best


def _squares(points: Floats, squares: Floats, centres: Floats) -> Floats:
    between = squares[:, None] - 2 * points @ centres.T + (centres**2).sum(axis=1)
    return np.asarray(np.maximum(between, 0))
