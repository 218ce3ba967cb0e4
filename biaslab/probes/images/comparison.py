"""Two models on the same pictures: by how much their scores differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import described
from biaslab.errors import ArgumentError, QueryError
from biaslab.images import ImageRecord
from biaslab.probes.images.design import ImageDesign
from biaslab.probes.images.scores import WITHIN_GROUPS, WITHIN_TERMS
from biaslab.probes.leaning import lean
from biaslab.provenance import Provenance
from biaslab.record import Record
from biaslab.reporting import Worded
from biaslab.results import Interval
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.stratified_mean import StratifiedBootstrap


class Scored(Protocol):
    """Interface of an `ImageAssociation` for comparisons."""

    @property
    def groups(self) -> tuple[str, str]:
        """Names of the lists of image terms."""

    @property
    def group_of(self) -> NDArray[np.int64]:
        """Of each picture, 0 or 1, shape (n,)."""

    @property
    def images(self) -> tuple[ImageRecord, ...]:
        """The n pictures."""

    @property
    def scores(self) -> Floats:
        """Of each picture, shape (n,)."""

    @property
    def concepts(self) -> tuple[str, ...]:
        """The concepts of the question."""

    @property
    def templates(self) -> tuple[str, ...]:
        """The captions or questions."""

    @property
    def aggregate(self) -> str:
        """How a list's probability follows from its concepts'."""

    @property
    def level(self) -> float:
        """Of the intervals."""

    @property
    def provenance(self) -> Provenance:
        """Names the model."""


@dataclass(frozen=True)
class ImageScoreDifference(Record, Worded):
    """Difference of two models' scores over the pictures in both results.

    Attributes
    ----------
    names : (str, str)
        The models.
    scores : (float, float)
        Of either, over these pictures.
    n_images : int
        Answered by both.
    left_out : int
        Pictures in only one of the results.
    difference : float
        First less second, in [-1, 1]; above 0 the first follows the stereotype more strongly.
    interval : Interval
        Of the difference, had other images of the same terms been shown. It is narrower than two
        intervals side by side suggest, as both models saw the same pictures.
    notes : tuple of str
        Other differences between the two.
    """

    names: tuple[str, str]
    scores: tuple[float, float]
    n_images: int
    left_out: int
    difference: float
    interval: Interval
    notes: tuple[str, ...] = ()

    @property
    def lean(self) -> int:
        """1 if the first follows the stereotype more strongly, -1 the second, 0 if untold."""
        return lean(self.interval, 0.0)


def image_score_difference(
    first: Scored,
    second: Scored,
    *,
    resamples: int = 2000,
    rng: int | np.random.Generator = 0,
) -> ImageScoreDifference:
    """Compare two results picture by picture.

    Parameters
    ----------
    first, second : ImageAssociation
        Of the same pictures, which are matched by term and content.
    resamples : int
    rng : int or numpy.random.Generator
        Of the bootstrap.

    Raises
    ------
    QueryError
        If the two share no pictures of both groups.
    """
    for result in (first, second):
        if not hasattr(result, "group_of"):
            raise ArgumentError(
                f"This is {described(result)}. Pass two results of bl.image_association."
            )
    other_scores = {
        (side, image.term, image.hash): score
        for side, image, score in zip(
            second.group_of.tolist(), second.images, second.scores, strict=True
        )
    }
    keys = [
        (side, image.term, image.hash)
        for side, image in zip(first.group_of.tolist(), first.images, strict=True)
    ]
    both = [i for i, key in enumerate(keys) if key in other_scores]
    if len({keys[i][0] for i in both}) < 2:
        raise QueryError(
            "The two results have no pictures of both groups in common. Test both models on the"
            " same pictures."
        )
    scores = np.array([[first.scores[i], other_scores[keys[i]]] for i in both])
    differences = scores[:, 0] - scores[:, 1]
    design = ImageDesign.of([first.images[i] for i in both], first.group_of[both], first.groups)
    drawn = StratifiedBootstrap(
        differences[design.order, None],
        design.strata[design.order],
        design.labels,
        resamples=resamples,
        seed=seed_number(rng),
    )
    kind = WITHIN_TERMS if design.strata_are_terms else WITHIN_GROUPS
    limits = drawn.combined(drawn.sizes / drawn.sizes.sum()).limits(first.level)
    # With few pictures the limits exceed the range of a difference of scores.
    low, high = (min(max(end, -1.0), 1.0) for end in limits)
    first_mean, second_mean = scores.mean(axis=0).tolist()
    return ImageScoreDifference(
        names=(first.provenance.subject, second.provenance.subject),
        scores=(first_mean, second_mean),
        n_images=len(both),
        left_out=len(set(keys) | set(other_scores)) - len(both),
        difference=float(differences.mean()),
        interval=Interval(low, high, first.level, kind),
        notes=tuple(_unlike(first, second)),
    )


def _unlike(first: Scored, second: Scored) -> list[str]:
    differences = []
    if set(first.concepts) != set(second.concepts):
        differences.append("The two models were tested with different concepts.")
    if first.templates != second.templates:
        differences.append("The two models were tested with different templates.")
    if first.aggregate != second.aggregate:
        differences.append("The two results combine concepts by different rules.")
    return differences
