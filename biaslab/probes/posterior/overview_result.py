"""Result of the whole posterior probe: both labels' draws, readings, and located words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.posterior.diagnostics import Agreement
from biaslab.probes.posterior.group_distances import GroupDistances
from biaslab.probes.posterior.lexicon_agreement import LexiconAgreement
from biaslab.probes.posterior.plane_of_draws import PosteriorPlane
from biaslab.probes.posterior.reading import Centre, Distance, Floats
from biaslab.probes.posterior.result import PosteriorResult
from biaslab.probes.posterior.word_distances import distances as posterior_distances
from biaslab.records.kinds import words_of
from biaslab.records.record import Record
from biaslab.records.result import Interval, Result
from biaslab.records.wording import Span
from biaslab.subjects.classifier.base import Classifier

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Outline(Record):
    """Mean and covariance in the plane of a label's distribution.

    Attributes
    ----------
    mean : ndarray, shape (2,)
    covariance : ndarray, shape (2, 2)
    """

    mean: Floats
    covariance: Floats

    @property
    def half_axes(self) -> Floats:
        """Return half-axes of its one-SD ellipse, as rows of a (2, 2) array."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0))).T[::-1])


@dataclass(frozen=True)
class Reading(Record):
    """Readings of the draws of one label or two, with reasons for missing ones.

    Attributes
    ----------
    distance : str
        Kind of the words' distance to the draws.
    centre : str
        Centre of its angles.
    plane : PosteriorPlane or None
        With the words of lexicon and groups.
    outlines : mapping of str to Outline
        Of the exact sampler's draws, by label.
    lexicon : mapping of str to LexiconAgreement
        By label.
    groups : mapping of str to GroupDistances
        By label.
    plane_reason, lexicon_reason, groups_reason : str
    """

    distance: Distance
    centre: Centre
    plane: PosteriorPlane | None
    outlines: Mapping[str, Outline]
    lexicon: Mapping[str, LexiconAgreement]
    groups: Mapping[str, GroupDistances]
    plane_reason: str = ""
    lexicon_reason: str = ""
    groups_reason: str = ""


@dataclass(frozen=True, kw_only=True)
class PosteriorOverview(Result):
    """Posteriors of two labels of a classifier.

    Attributes
    ----------
    label, other : str
        The requested label, and the other one.
    posteriors : mapping of str to PosteriorResult
        By label; only one if the run was stopped, or failed, before the second.
    oracles : mapping of str to PosteriorResult
        Independent draws, if the label is frequent enough under the prior.
    oracle_reason : str
        Why there are none; empty if there are some.
    reading : Reading
    agreements : mapping of str to Agreement
        Of the draws with the exact ones, by label.
    failure : str
        Why sampling failed midway: the draws are earlier ones. Empty if it did not.
    """

    schema: ClassVar[str] = "posterior-overview/1"

    label: str
    other: str
    posteriors: Mapping[str, PosteriorResult]
    oracles: Mapping[str, PosteriorResult]
    oracle_reason: str
    reading: Reading
    agreements: Mapping[str, Agreement] = field(default_factory=dict)
    failure: str = ""

    @property
    def partial(self) -> bool:
        """Whether it ended before it had all draws of both labels."""
        return len(self.posteriors) < 2 or any(r.partial for r in self.posteriors.values())

    def of(self, label: str) -> PosteriorResult:
        """Return the posterior of a label.

        Raises
        ------
        QueryError
            When the run was stopped, or failed, before it had one.
        """
        if label not in self.posteriors:
            raise QueryError(f"There are no draws for {label!r} yet. Run the probe again.")
        return self.posteriors[label]

    def finding(self, label: str) -> tuple[Span, ...]:
        """Return whether the draws can be trusted, and which group is closer."""
        return tuple(words_of(self).finding(self, label))

    def to_frame(self) -> pd.DataFrame:
        """Return the diagnostics of every label, with a column ``label``."""
        import pandas as pd

        return pd.concat(
            [r.to_frame().assign(label=label) for label, r in self.posteriors.items()],
            ignore_index=True,
        )

    def raw_frame(self) -> pd.DataFrame:
        """The draws of every label, with a column ``label``."""
        import pandas as pd

        return pd.concat(
            [r.raw_frame().assign(label=label) for label, r in self.posteriors.items()],
            ignore_index=True,
        )

    def oracle_sentence(self, label: str) -> str:
        """Return whether exact draws agree with those of the engine."""
        return str(words_of(self).oracle_sentence(self, label))


@dataclass(frozen=True)
class Located:
    """A word relative to the draws of a label.

    Attributes
    ----------
    term : str
    distance : float
        Mean distance to the draws.
    interval : Interval
        Monte Carlo.
    rank, of : int
        From 1, the closest, among the words of the lexicon and this one.
    place : tuple of float or None
        In the plane.
    difference : float
        log p(w | label) - log p(w | other); NaN if unknown.
    """

    term: str
    distance: float
    interval: Interval
    rank: int
    of: int
    place: tuple[float, float] | None
    difference: float


def locate(overview: PosteriorOverview, classifier: Classifier, label: str, term: str) -> Located:
    """Locate a word, also one outside the lexicon.

    Raises `QueryError` when the classifier knows no words, or not this one; names the nearest known
    ones.
    """
    if classifier.words is None:
        raise QueryError(f"{classifier.name} has no words in its space.")
    agreement = overview.reading.lexicon.get(label)
    if agreement is not None and term in agreement.distances:
        distance = agreement.distances.word(term)
        rank, of = distance.rank, distance.of
    else:
        distance = posterior_distances(
            overview.of(label),
            classifier,
            [term],
            distance=overview.reading.distance,
            centre=overview.reading.centre,
        ).word(term)
        others = np.empty(0) if agreement is None else agreement.distances.mean
        rank, of = 1 + int((others < distance.distance).sum()), 1 + len(others)
    position, difference = None, math.nan
    if (plane := overview.reading.plane) is not None:
        if term in plane.terms:
            point, difference = plane.word(term)
        else:
            vector = classifier.words.vectors([term])[0]
            point = plane.project(vector)[0]
            if plane.evidence is not None and not overview.failure:
                odds = _log_odds(classifier, vector, *plane.labels)
                difference = odds - plane.evidence.log_ratio
        position = (float(point[0]), float(point[1]))
        difference = difference if label == plane.labels[0] else -difference
    return Located(term, distance.distance, distance.interval, rank, of, position, difference)


def _log_odds(classifier: Classifier, points: object, first: str, second: str) -> float:
    import torch

    with torch.no_grad():
        stimuli = torch.as_tensor(np.array(points, dtype=np.float32)).to(classifier.device)
        log_p_1, log_p_2 = (classifier.log_probability(stimuli, label) for label in (first, second))
    return float((log_p_1 - log_p_2)[0])
