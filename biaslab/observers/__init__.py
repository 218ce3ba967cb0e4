"""Simulated observers: subjects whose true values are known.

A probe that is right recovers the point of subjective equality (PSE), the just noticeable
difference (JND) and the response probabilities that were put in here. `embedding` makes word
embeddings, for probes that compute with vectors; `binomial` makes a responder, for the general
two-alternative protocol, and its ``choosing()`` one that answers trial by trial; `classifier` a
logistic classifier, whose posterior is known; `scorer` a scorer of sentences that prefers the
stereotyped version at a known rate; `service` a service whose rating is known; `decider` somebody
who decides cases with a known gap between groups; `detector` one with a known sensitivity and
criterion for each group; `rankings` a file of recorded rankings with known preferences.
"""

from __future__ import annotations

from biaslab.answers.simulated import EIGHT_GROUPS
from biaslab.asking.simulated.decider import SimulatedDecider, decider
from biaslab.asking.simulated.truth import DeciderTruth
from biaslab.observers.choosing import ChoosingObservers
from biaslab.observers.detecting import DetectedAnswers, detector
from biaslab.observers.psychometric import (
    JND_OF_UNIT_SCALE,
    BinomialObservers,
    EmbeddingTruth,
    ObserverEnsemble,
    binomial,
    embedding,
)
from biaslab.observers.ranker import rankings
from biaslab.probes.images.simulated_vision import SimulatedVision, vision
from biaslab.probes.posterior.simulated_classifier import LogisticObserver, classifier
from biaslab.probes.rating.named_services import SimulatedService, service
from biaslab.probes.sentences.simulated_scorer import SimulatedScorer, scorer

__all__ = [
    "EIGHT_GROUPS",
    "JND_OF_UNIT_SCALE",
    "BinomialObservers",
    "ChoosingObservers",
    "DeciderTruth",
    "DetectedAnswers",
    "EmbeddingTruth",
    "LogisticObserver",
    "ObserverEnsemble",
    "SimulatedDecider",
    "SimulatedScorer",
    "SimulatedService",
    "SimulatedVision",
    "binomial",
    "classifier",
    "decider",
    "detector",
    "embedding",
    "rankings",
    "scorer",
    "service",
    "vision",
]
