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
from biaslab.stats.seeds import seed_number
from biaslab.stats.sigmoids import Floats
from biaslab.stats.stratified_bootstrap import StratifiedBootstrap


class Scored(Protocol):
    """A model's image association, such as an `ImageAssociation`, as far as it is compared."""

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
        """What was asked."""

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
    """Difference of two models' scores over the pictures that both were asked about.

    Attributes
    ----------
    names : (str, str)
        The models.
    scores : (float, float)
        Of either, over these pictures.
    n_images : int
        Answered by both.
    left_out : int
        Pictures that only one was asked about.
    difference : float
        First less second, in [-1, 1]; above 0 the first follows the stereotype more strongly.
    interval : Interval
        Of the difference, had other images of the same terms been shown. It is narrower than two
        intervals side by side suggest, as both models saw the same pictures.
    notes : tuple of str
        What else differs between the two.
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
    one: Scored,
    two: Scored,
    *,
    resamples: int = 2000,
    rng: int | np.random.Generator = 0,
) -> ImageScoreDifference:
    """Compare two results picture by picture.

    Parameters
    ----------
    one, two : ImageAssociation
        Of the same pictures, which are matched by term and content.
    resamples : int
    rng : int or numpy.random.Generator
        Of the bootstrap.

    Raises
    ------
    QueryError
        If the two share no pictures of both groups.
    """
    for result in (one, two):
        if not hasattr(result, "group_of"):
            raise ArgumentError(
                f"This is {described(result)}. Pass two results of bl.image_association."
            )
    second = {
        (side, image.term, image.hash): score
        for side, image, score in zip(two.group_of.tolist(), two.images, two.scores, strict=True)
    }
    keys = [
        (side, image.term, image.hash)
        for side, image in zip(one.group_of.tolist(), one.images, strict=True)
    ]
    both = [i for i, key in enumerate(keys) if key in second]
    if len({keys[i][0] for i in both}) < 2:
        raise QueryError(
            "The two results have no pictures of both groups in common. Test both models on the"
            " same pictures."
        )
    scores = np.array([[one.scores[i], second[keys[i]]] for i in both])
    apart = scores[:, 0] - scores[:, 1]
    design = ImageDesign.of([one.images[i] for i in both], one.group_of[both], one.groups)
    drawn = StratifiedBootstrap(
        apart[design.order, None],
        design.strata[design.order],
        design.labels,
        resamples=resamples,
        seed=seed_number(rng),
    )
    kind = WITHIN_TERMS if design.strata_are_terms else WITHIN_GROUPS
    limits = drawn.combined(drawn.sizes / drawn.sizes.sum()).limits(one.level)
    # With few pictures the limits reach beyond what scores can differ by.
    low, high = (min(max(end, -1.0), 1.0) for end in limits)
    first_mean, second_mean = scores.mean(axis=0).tolist()
    return ImageScoreDifference(
        names=(one.provenance.subject, two.provenance.subject),
        scores=(first_mean, second_mean),
        n_images=len(both),
        left_out=len(set(keys) | set(second)) - len(both),
        difference=float(apart.mean()),
        interval=Interval(low, high, one.level, kind),
        notes=tuple(_unlike(one, two)),
    )


def _unlike(one: Scored, two: Scored) -> list[str]:
    found = []
    if set(one.concepts) != set(two.concepts):
        found.append("The two models were tested with different concepts.")
    if one.templates != two.templates:
        found.append("The two models were tested with different templates.")
    if one.aggregate != two.aggregate:
        found.append("The two results combine concepts by different rules.")
    return found
