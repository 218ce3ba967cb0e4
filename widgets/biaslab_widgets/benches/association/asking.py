"""What the association bench asks, how long that takes, and how much of it can be shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import biaslab as bl
from biaslab.jobs import JobContext
from biaslab.probes.association import AssociationLists, AssociationResult
from biaslab.subjects.embedding.base import EmbeddingSubject

MOST_DISTANCES = 500_000
"""An answer with more is too large for a page: about 14 bytes each."""


def seconds_for(words: int, terms: int, replicates: int) -> float:
    """Estimate the seconds of an answer on two cores, from measurements of 10 to 1,000 words.

    Parameters
    ----------
    words, terms : int
        Protected words, and attribute words.
    replicates : int
    """
    return 0.2 + 4e-6 * words**2 + 8e-6 * words * terms + 0.02 * replicates


def associate(
    subject: EmbeddingSubject,
    replicate: int,
    lists: AssociationLists,
    options: Mapping[str, Any],
    context: JobContext | None = None,
) -> AssociationResult:
    """Ask about a replicate of a subject, or about all of them where it is negative."""
    context = context or JobContext()
    context.report(0, None, "comparing words")
    asked = subject if replicate < 0 else subject.replicate(replicate)
    return bl.association.overview(asked, lists, **options)
