"""A small embedding in which flowers lie toward pleasant words and insects toward unpleasant."""

from __future__ import annotations

from typing import Any

import numpy as np

import biaslab as bl
from biaslab_widgets.benches.association.bench import AssociationController
from biaslab_widgets.core.subjects.sources import sources
from harness.driven import Driven

GROUPS = {"flowers": ["rose", "tulip", "lily", "daisy"], "insects": ["ant", "bee", "wasp", "fly"]}
ATTRIBUTES = {"pleasant": ["joy", "love", "peace", "gift"], "unpleasant": ["war", "pain", "sin"]}
OF = {"pleasant": ["flowers"], "unpleasant": ["insects"]}
CONTROLS = {"human": ["walk", "talk", "hand"], "neutral": ["box", "line", "pipe", "road", "wall"]}
WORDS = [w for lists in (GROUPS, ATTRIBUTES, CONTROLS) for words in lists.values() for w in words]


def subject(replicates: int = 1, seed: int = 1) -> Any:
    """Vectors in which each group lies toward its own attributes."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(2, 30))
    vectors = rng.normal(size=(replicates, len(WORDS), 30))
    for g, (group, attributes) in enumerate(zip(GROUPS, ATTRIBUTES, strict=True)):
        for word in GROUPS[group] + ATTRIBUTES[attributes]:
            vectors[:, WORDS.index(word)] += directions[g]
    if replicates > 1:
        return bl.EmbeddingEnsemble(WORDS, vectors.astype(np.float32), name="garden")
    return bl.WordEmbedding(WORDS, vectors[0].astype(np.float32), name="garden")


def lists() -> list[dict[str, Any]]:
    """Its word lists as the bench takes them."""
    found = [{"name": n, "terms": list(t), "kind": "groups"} for n, t in GROUPS.items()]
    found += [
        {"name": n, "terms": list(t), "kind": "attributes", "of": OF[n]}
        for n, t in ATTRIBUTES.items()
    ]
    return found + [{"name": n, "terms": list(t), "kind": "controls"} for n, t in CONTROLS.items()]


def driven(replicates: int = 1) -> Driven:
    """An association bench over it."""
    known = sources(subject(replicates))
    return Driven(lambda emit: AssociationController(known, emit, lists()))
