"""``bl.posterior.nearest_reviews``: real texts nearest to a point.

Liang and Acuna (2020, section 6) call it a limit of their method that it shows no such texts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import renamed
from biaslab.errors import QueryError, SubjectError
from biaslab.jobs.context import current_context
from biaslab.probes.posterior.reading import (
    DISTANCES,
    Distance,
    Posterior,
    checked_draws,
    described,
)
from biaslab.records.calls import recorded, recorded_classmethod
from biaslab.records.provenance import measured
from biaslab.records.record import Record
from biaslab.records.result import Dropped, Result
from biaslab.stats.reproducibility import places
from biaslab.subjects.opening.needs import CLASSIFIER, Named, opened
from biaslab.subjects.text_files import Review, read_reviews

if TYPE_CHECKING:
    import pandas as pd

    from biaslab.subjects.classifier.base import Classifier

_TOGETHER = 1000
EXCERPT = 400
"""Number of characters stored of a text."""
_BREAK = "<br />"


@dataclass(frozen=True)
class ReviewSpace:
    """Real texts as stimuli of a classifier: computed once for many queries.

    Attributes
    ----------
    source : str
        Name of the file or folder.
    reviews : tuple of Review
        n texts, cut to their first `EXCERPT` characters.
    points : ndarray, shape (n, d)
        Their stimuli; float32.
    dropped : tuple of Dropped
        Texts without a word that the classifier knows.
    """

    source: str
    reviews: tuple[Review, ...]
    points: NDArray[np.float32]
    dropped: tuple[Dropped, ...]

    @classmethod
    @recorded_classmethod
    def read(
        cls, classifier: Classifier, data: str | os.PathLike[str], *, limit: int | None = None
    ) -> ReviewSpace:
        """Read reviews and place them in the classifier's space; 25,000 take some seconds.

        Parameters
        ----------
        classifier : SentimentClassifier
        data : path
            As of `biaslab.subjects.text_files.read_reviews`.
        limit : int, optional
            At most this many of the texts, the first ones.

        Raises
        ------
        QueryError
            When the classifier takes no texts, or knows no word of any.
        CorpusError
            When there is nothing to read.
        """
        if not hasattr(classifier, "stimulus"):
            raise QueryError(
                f"{getattr(classifier, 'name', 'This classifier')} cannot map a text to a point."
                " Use one that reads texts, such as bl.load('imdb-sentiment')."
            )
        context = current_context()
        source = read_reviews(Path(data))
        every = source if limit is None else islice(source, limit)
        usable: list[Review] = []
        points: list[NDArray[np.float32]] = []
        dropped: list[Dropped] = []
        while batch := list(islice(every, _TOGETHER)):
            context.checkpoint()
            known, vectors, lost = _placed(classifier, batch)
            usable += [_cut(review) for review in known]
            points.append(vectors)
            dropped += [Dropped(review.id, "review", "no word of it is known") for review in lost]
            context.report(len(usable), limit, "reading reviews")
        if not usable:
            raise QueryError(
                f"{classifier.name} knows no word of any text in {Path(data).name}. Use texts in"
                " the language of its training data.",
                tuple(dropped),
            )
        return cls(Path(data).name, tuple(usable), np.concatenate(points), tuple(dropped))


@dataclass(frozen=True)
class NearReview(Record):
    """A real text near a point.

    Attributes
    ----------
    id : str
        Its source in the data.
    label : str
        The author's label; empty without one.
    stars : int or None
        As given by the author.
    excerpt : str
        How it begins.
    distance : float
        To the point.
    probability : tuple of float
        The classifier's probability of each of its labels.
    """

    id: str
    label: str
    stars: int | None
    excerpt: str
    distance: float
    probability: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class NearestReviews(Result):
    """The real texts nearest to points.

    Attributes
    ----------
    labels : tuple of str
        Labels of the classifier.
    distance : str
        Kind of distance.
    points : tuple of str
        Name of each of the P points.
    nearest : tuple of tuple of NearReview
        For each point, the nearest first.
    middle : tuple of float
        Median distance of all texts to each point.
    n : int
        Texts that were looked at.
    source : str
        Source of the texts.
    """

    schema: ClassVar[str] = "nearest-reviews/1"

    labels: tuple[str, ...]
    distance: str
    points: tuple[str, ...]
    nearest: tuple[tuple[NearReview, ...], ...]
    middle: tuple[float, ...]
    n: int
    source: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row per text: point, rank, distance, id, label, stars, p_*, excerpt."""
        import pandas as pd

        return pd.DataFrame(
            {
                "point": name,
                "rank": rank,
                "distance": neighbour.distance,
                "id": neighbour.id,
                "label": neighbour.label,
                "stars": neighbour.stars,
                **{f"p_{k}": p for k, p in zip(self.labels, neighbour.probability, strict=True)},
                "excerpt": neighbour.excerpt,
            }
            for name, near in zip(self.points, self.nearest, strict=True)
            for rank, neighbour in enumerate(near, start=1)
        )

    def raw_frame(self) -> pd.DataFrame:
        """The same as `to_frame`: every text is an observation."""
        return self.to_frame()


@renamed(classifier="subject")
@recorded
def nearest_reviews(
    subject: Classifier | Named,
    points: Posterior | NDArray[np.floating] | Sequence[Any],
    data: ReviewSpace | str | os.PathLike[str],
    *,
    k: int = 5,
    distance: Distance = "euclidean",
    limit: int | None = None,
) -> NearestReviews:
    """Find the real texts nearest to points of the space of stimuli.

    A point of the posterior is a mean of word vectors without a text of its own; the texts near
    it are examples of such a stimulus.

    Parameters
    ----------
    subject : SentimentClassifier
        The classifier of the posterior; it maps texts to stimuli.
    points : array_like, shape (d,) or (P, d), or PosteriorResult
        Points; of a posterior the mean of its draws.
    data : path or ReviewSpace
        The user's own reviews, see `biaslab.subjects.text_files.read_reviews`; a `ReviewSpace`
        reads them once for many questions.
    k : int
        How many texts per point.
    distance : str
        ``euclidean`` (default: the classifier's answer changes with it), or as of
        `biaslab.posterior.distances`.
    limit
        As of `ReviewSpace.read`.

    Returns
    -------
    NearestReviews

    Raises
    ------
    QueryError
        When the points do not fit the classifier, or it takes no texts.
    CorpusError
        When there is nothing to read.
    """
    if distance not in DISTANCES:
        raise QueryError(f"distance is {distance!r}: choose {', '.join(DISTANCES)}.")
    if k < 1:
        raise QueryError(f"k is {k}: ask for at least 1 text.")
    classifier = opened(subject, CLASSIFIER, "bl.posterior.nearest_reviews")
    where, names, origin = _points(points, classifier.dim)
    parameters = {"posterior": origin, "points": len(where), "k": k, "distance": distance}
    with measured(probe="nearest_reviews", subject=classifier, parameters=parameters) as run:
        if isinstance(data, ReviewSpace):
            space = data
        else:
            space = ReviewSpace.read(classifier, data, limit=limit)
        if space.points.shape[1] != classifier.dim:
            raise QueryError(
                f"The reviews were placed in {space.points.shape[1]} dimensions, but"
                f" {classifier.name} has {classifier.dim}. Read them with this classifier."
            )
        table = _distances(where, space.points.astype(np.float64), distance)
        # Duplicate texts have equal distances: the first comes first.
        order = np.argsort(places(table), axis=1, kind="stable")[:, :k]
        indices = np.unique(order)
        probabilities = dict(
            zip(indices.tolist(), classifier.probabilities(space.points[indices]), strict=True)
        )
    nearest = tuple(
        tuple(_near(space.reviews[i], float(row[i]), probabilities[i]) for i in first.tolist())
        for row, first in zip(table, order, strict=True)
    )
    return NearestReviews(
        labels=tuple(classifier.labels),
        distance=distance,
        points=names,
        nearest=nearest,
        middle=tuple(float(v) for v in np.median(table, axis=1)),
        n=len(space.reviews),
        source=space.source,
        dropped=space.dropped,
        provenance=run.provenance,
    )


def _points(
    points: Posterior | NDArray[np.floating] | Sequence[Any], dim: int
) -> tuple[NDArray[np.float64], tuple[str, ...], Any]:
    origin = None
    if not isinstance(points, np.ndarray | Sequence):
        draws = checked_draws(points)
        where = draws.reshape(-1, draws.shape[2]).mean(axis=0, dtype=np.float64)[None]
        names: tuple[str, ...] = (f"the mean of the posterior of {points.label}",)
        origin = described(points)
    else:
        where = np.atleast_2d(np.asarray(points, dtype=np.float64))
        names = tuple(f"point {i + 1}" for i in range(len(where)))
    if where.ndim != 2 or where.shape[1] != dim or not len(where):
        raise QueryError(
            f"Points of shape {where.shape} do not fit the classifier's {dim} dimensions: pass (P,"
            f" {dim})."
        )
    if not np.isfinite(where).all():
        raise QueryError("Some points are not finite. Leave them out.")
    return where, names, origin


def _distances(
    where: NDArray[np.float64], points: NDArray[np.float64], distance: Distance
) -> NDArray[np.float64]:
    """Return distances (P, n)."""
    if distance == "euclidean":
        squares = (where**2).sum(1)[:, None] + (points**2).sum(1) - 2 * where @ points.T
        return np.asarray(np.sqrt(np.maximum(squares, 0)))
    lengths = np.linalg.norm(where, axis=1)[:, None] * np.linalg.norm(points, axis=1)
    if not (lengths > 0).all():
        raise QueryError(
            "A point or a text is zero, so it has no direction. Use distance='euclidean'."
        )
    cosines = np.clip(where @ points.T / lengths, -1, 1)
    if distance == "angular":
        return np.asarray(np.arccos(cosines) / np.pi)
    return np.asarray((1 - cosines) / (2 if distance == "half-cosine" else 1))


def _placed(
    classifier: Any, batch: list[Review]
) -> tuple[list[Review], NDArray[np.float32], list[Review]]:
    """Return reviews with their stimuli, and those without a known word."""
    texts = [review.text for review in batch]
    try:
        return batch, np.asarray(classifier.stimulus(texts), dtype=np.float32), []
    except SubjectError:
        # Rare, and the second pass costs as much as the first: only if needed.
        known = classifier.coverage(texts) > 0
    readable = [review for review, good in zip(batch, known, strict=True) if good]
    lost = [review for review, good in zip(batch, known, strict=True) if not good]
    vectors = classifier.stimulus([review.text for review in readable]) if readable else None
    shape = (0, classifier.dim)
    return (
        readable,
        np.asarray(np.empty(shape) if vectors is None else vectors, dtype=np.float32),
        lost,
    )


def _cut(review: Review) -> Review:
    text = " ".join(review.text.replace(_BREAK, " ").split())
    short = text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"
    return replace(review, text=short)


def _near(review: Review, distance: float, probability: NDArray[np.float64]) -> NearReview:
    return NearReview(
        review.id, review.label, review.stars, review.text, distance, tuple(map(float, probability))
    )
