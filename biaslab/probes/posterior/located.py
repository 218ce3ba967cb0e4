"""Location of any word of a classifier: distance to the draws, rank, position."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.posterior.overview_result import PosteriorOverview
from biaslab.probes.posterior.word_distances import distances as posterior_distances
from biaslab.results import Interval
from biaslab.subjects.classifier.base import Classifier


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

    Raises
    ------
    QueryError
        When the classifier knows no words, or not this one; names the nearest known ones.
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
    place, difference = None, math.nan
    if (plane := overview.reading.plane) is not None:
        if term in plane.terms:
            point, difference = plane.word(term)
        else:
            vector = classifier.words.vectors([term])[0]
            point = plane.project(vector)[0]
            if plane.evidence is not None and not overview.failure:
                odds = _log_odds(classifier, vector, *plane.labels)
                difference = odds - plane.evidence.log_ratio
        place = (float(point[0]), float(point[1]))
        difference = difference if label == plane.labels[0] else -difference
    return Located(term, distance.distance, distance.interval, rank, of, place, difference)


def _log_odds(classifier: Classifier, points: object, first: str, second: str) -> float:
    import torch

    with torch.no_grad():
        stimuli = torch.as_tensor(np.array(points, dtype=np.float32)).to(classifier.device)
        log_p_1, log_p_2 = (classifier.log_probability(stimuli, label) for label in (first, second))
    return float((log_p_1 - log_p_2)[0])
