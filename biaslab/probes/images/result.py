"""Results of `bl.image_association` (Jiang et al. 2023, section 2), and their differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import described
from biaslab.errors import ArgumentError, QueryError
from biaslab.images import ImageRecord
from biaslab.probes.images.scores import (
    WITHIN_GROUPS,
    WITHIN_TERMS,
    ImageDesign,
    ImageScore,
    first_list,
)
from biaslab.probes.leaning import lean
from biaslab.probes.letter_bias import LetterBias
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result, Worded
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.stratified_mean import StratifiedBootstrap

if TYPE_CHECKING:
    import pandas as pd


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
    first: ImageAssociation,
    second: ImageAssociation,
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
    both, scores = answered_by_both(first, second)
    if len(set(first.group_of[both].tolist())) < 2:
        raise QueryError(
            "The two results have no pictures of both groups in common. Test both models on the"
            " same pictures."
        )
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
        left_out=len(set(_keys(first)) | set(_keys(second))) - len(both),
        difference=float(differences.mean()),
        interval=Interval(low, high, first.level, kind),
        notes=tuple(_unlike(first, second)),
    )


def answered_by_both(first: ImageAssociation, second: ImageAssociation) -> tuple[list[int], Floats]:
    """Return where pictures of the second are in the first, and their scores, shape (n, 2)."""
    scores_2 = dict(zip(_keys(second), second.scores.tolist(), strict=True))
    both = [(i, key) for i, key in enumerate(_keys(first)) if key in scores_2]
    scores_1 = first.scores
    return [i for i, _ in both], np.array([[scores_1[i], scores_2[key]] for i, key in both])


def _keys(result: ImageAssociation) -> list[tuple[int, str, str]]:
    sides = result.group_of.tolist()
    return [(s, image.term, image.hash) for s, image in zip(sides, result.images, strict=True)]


def _unlike(first: ImageAssociation, second: ImageAssociation) -> list[str]:
    differences = []
    if set(first.concepts) != set(second.concepts):
        differences.append("The two models were tested with different concepts.")
    if first.templates != second.templates:
        differences.append("The two models were tested with different templates.")
    if first.aggregate != second.aggregate:
        differences.append("The two results combine concepts by different rules.")
    return differences


@dataclass(frozen=True, kw_only=True)
class ImageAssociation(Result):
    """How strongly pictures of two groups draw the list of concepts tied to each.

    Attributes
    ----------
    groups : (str, str)
        Names of the lists of image terms.
    concept_lists : (str, str)
        Names of the lists of concepts: tied to the first group, and to the second.
    concepts : tuple of str
        The C concepts of the question.
    list_of : ndarray of int64, shape (C,)
        0 or 1: to which list each belongs.
    templates : tuple of str
        The K captions or questions.
    images : tuple of ImageRecord
        The n pictures, in the order of groups and terms.
    group_of : ndarray of int64, shape (n,)
        0 or 1.
    probabilities : ndarray, shape (n, K, C)
        Of the concepts, which add up to 1.
    aggregate : str
        How a list's probability follows from its concepts': ``"sum"``, ``"mean"`` or ``"any"``.
    overall : ImageScore
        The paper's score: every picture has the same weight.
    balanced : ImageScore
        The same, but either group has weight one half. If the groups have different numbers of
        pictures, this one is 0.5 for a model that prefers one list for all pictures.
    by_group : (ImageScore, ImageScore)
        Of either group's pictures. A model that prefers one list for all pictures is above 0.5 in
        one group and below in the other.
    terms : tuple of ImageScore
        Of each term's pictures, in the order of groups and terms.
    by_template : tuple of ImageScore
        The paper's score in each template.
    first : ndarray, shape (n,)
        P(the first list) of each picture, the mean over templates.
    effect : float
        Cohen's d: difference of the groups' means of ``first`` over its standard deviation within
        groups (pooled, ddof 1); NaN without variance.
    effect_interval : Interval
        Of it.
    p : float
        Two-sided p-value of a permutation test: had the pictures been put into the two groups at
        random. It says nothing about other terms.
    p_of : str
        Over which splits, in words.
    model_kind : str
        Architecture of the model: ``"clip"``, ``"vilt"``, ``"blip"``, ``"blip-2"``, ``"git"``,
        ``"picture-chat"`` or ``"observer"``.
    unscored : int
        Pictures left when the run was stopped.
    level : float
        Of all intervals.
    notes : tuple of str
        Remarks for the user.
    letters : LetterBias or None
        Of a chat model: the effect of the options' order, which is no part of the score.
    """

    schema: ClassVar[str] = "image-association/1"

    groups: tuple[str, str]
    concept_lists: tuple[str, str]
    concepts: tuple[str, ...]
    list_of: NDArray[np.int64]
    templates: tuple[str, ...]
    images: tuple[ImageRecord, ...]
    group_of: NDArray[np.int64]
    probabilities: Floats
    aggregate: str
    overall: ImageScore
    balanced: ImageScore
    by_group: tuple[ImageScore, ImageScore]
    terms: tuple[ImageScore, ...]
    by_template: tuple[ImageScore, ...]
    first: Floats
    effect: float
    effect_interval: Interval
    p: float
    p_of: str
    model_kind: str = ""
    unscored: int = 0
    level: float = 0.95
    notes: tuple[str, ...] = ()
    letters: LetterBias | None = None

    @property
    def score(self) -> float:
        """The paper's score, in [0, 1]; 0.5 is neutral."""
        return self.overall.score

    @property
    def interval(self) -> Interval:
        """Interval of the score over other images of the same terms."""
        return self.overall.interval

    @property
    def lean(self) -> int:
        """1 for a bias with the stereotype, -1 for one against it, 0 for no clear bias."""
        return self.overall.lean

    @property
    def scores(self) -> Floats:
        """P(the list tied to each picture's own group), shape (n,); 0.5 is neutral."""
        return np.where(self.group_of == 0, self.first, 1 - self.first)

    @property
    def first_by_template(self) -> Floats:
        """P(the first list) of each picture in each template, shape (n, K)."""
        return first_list(self.probabilities, self.list_of, self.aggregate)

    def term(self, name: str) -> ImageScore:
        """Return one term's score.

        Raises
        ------
        QueryError
            If no picture is of it.
        """
        for score in self.terms:
            if score.name == name:
                return score
        known = ", ".join(score.name for score in self.terms)
        raise QueryError(f"No picture shows {name!r}. The terms are: {known}.")

    def compared_with(
        self, other: ImageAssociation, *, resamples: int = 2000, rng: int | np.random.Generator = 0
    ) -> ImageScoreDifference:
        """Subtract another model's score on the same pictures from this one.

        Parameters
        ----------
        other : ImageAssociation
        resamples : int
        rng : int or numpy.random.Generator
            Of the bootstrap.

        Raises
        ------
        QueryError
            If the two share no pictures of both groups.
        """
        return image_score_difference(self, other, resamples=resamples, rng=rng)

    def to_frame(self) -> pd.DataFrame:
        """Return the scores: a row for all, groups alike, each group, term and template.

        Columns: of (``all``, ``groups alike``, ``group``, ``term``, ``template``), name, group,
        images, score, low, high, interval, stereotyped, effect, effect_low, effect_high, p.
        """
        import pandas as pd

        ends = self.effect_interval
        first = _row("all", self.overall)
        first |= {"effect": self.effect, "effect_low": ends.low, "effect_high": ends.high}
        rows = [first | {"p": self.p}, _row("groups alike", self.balanced)]
        rows += [_row("group", score) for score in self.by_group]
        rows += [_row("term", score) for score in self.terms]
        rows += [_row("template", score) for score in self.by_template]
        return pd.DataFrame(rows)

    def raw_frame(self) -> pd.DataFrame:
        """Return one row per picture.

        Columns: hash, term, group, source, description, score, first, second; P(the first list)
        in each template as ``first: template``; each concept's probability, the mean over
        templates, as ``p: concept``.
        """
        import pandas as pd

        columns: dict[str, Any] = {
            "hash": [image.hash for image in self.images],
            "term": [image.term for image in self.images],
            "group": [self.groups[side] for side in self.group_of],
            "source": [image.source for image in self.images],
            "description": [image.description for image in self.images],
            "score": self.scores,
            "first": self.first,
            "second": 1 - self.first,
        }
        by_template, pooled = self.first_by_template, self.probabilities.mean(axis=1)
        for k, template in enumerate(self.templates):
            columns[f"first: {template}"] = by_template[:, k]
        for c, concept in enumerate(self.concepts):
            columns[f"p: {concept}"] = pooled[:, c]
        return pd.DataFrame(columns)


def _row(of: str, score: ImageScore) -> dict[str, Any]:
    return {
        "of": of,
        "name": score.name,
        "group": score.part_of,
        "images": score.n_images,
        "score": score.score,
        "low": score.interval.low,
        "high": score.interval.high,
        "interval": score.interval.kind,
        "stereotyped": score.stereotyped,
    }
