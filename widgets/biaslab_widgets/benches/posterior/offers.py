"""The priors that the posterior bench offers for a classifier."""

from __future__ import annotations

from typing import Any

from biaslab.probes.posterior import Prior
from biaslab.subjects.classifier.base import Classifier
from biaslab_widgets.benches.posterior.fields import PriorOption

OWN = "own"


def priors_of(subject: Classifier, own: Any = None) -> list[PriorOption]:
    """A person's own prior, those fitted to what the classifier knows, and N(0, I)."""
    found: list[PriorOption] = []
    if own is not None:
        prior = own if isinstance(own, Prior) else Prior.pyro(own)
        found.append({"key": OWN, "name": prior.name, "text": prior.text})
    if subject.stimuli is not None:
        text = f"normal, fitted to its {subject.stimuli.n:,} training stimuli"
        found.append({"key": "stimuli", "name": "Fitted to its stimuli", "text": text})
    if subject.words is not None:
        text = "normal, fitted to the vectors of all its words"
        found.append({"key": "words", "name": "Fitted to word vectors", "text": text})
    text = "standard normal, most likely the prior of Liang and Acuna (2020)"
    return [*found, {"key": "standard", "name": "N(0, I)", "text": text}]
