"""Words in contexts: shared by SEAT and CEAT."""

from __future__ import annotations

from collections.abc import Sequence

from biaslab.errors import QueryError
from biaslab.probes.association.cosines import Floats
from biaslab.probes.association.lists import AssociationLists, SpecSource, Words
from biaslab.stats.reproducibility import snapped
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.encoder.contextual import ContextualEncoder
from biaslab.subjects.opening.needs import ENCODER, Named, opened

_ROUNDING = 1e-5
"""In cosines of vectors that came through many layers in single precision."""

BLEACHED = (
    "This is {}.", "That is {}.", "There is {}.", "Here is {}.", "{} is here.", "{} is there.",
    "This will be {}.", "They are {}.", "Those are {}.", "These are {}.",
)  # fmt: skip
"""Sentences with little information about their word, in the manner of May et al. (2019)."""


def encoder_of(subject: EmbeddingSubject | Named, probe: str) -> ContextualEncoder:
    """Return the subject, opened by name if needed, if it reads sentences.

    Raises
    ------
    QueryError
        When it is not an encoder.
    """
    if isinstance(subject, EmbeddingSubject) and not isinstance(subject, ContextualEncoder):
        raise QueryError(
            f"{probe} measures words in sentences, but {subject.name!r} has one vector per word. "
            "Use bl.weat, or an encoder: bl.load(..., kind='encoder')."
        )
    encoder: EmbeddingSubject = opened(subject, ENCODER, probe)
    assert isinstance(encoder, ContextualEncoder)  # noqa: S101
    return encoder


def two_by_two(
    spec: SpecSource | None,
    targets: Words | None,
    attributes: Words | Sequence[str] | None,
    groups: Sequence[str] | None,
    probe: str,
) -> AssociationLists:
    """Return two target lists and two attribute lists.

    Raises
    ------
    QueryError
        When there are more or fewer.
    """
    requested = AssociationLists.of(spec, targets=targets, attributes=attributes, groups=groups)
    for what, lists, hint in (
        ("groups", requested.groups, "groups"),
        ("attribute lists", requested.attributes, "attributes"),
    ):
        if len(lists) != 2:
            raise QueryError(
                f"{probe} compares two {what}; got {len(lists)} "
                f"({', '.join(map(repr, lists))}). Choose two with {hint}=(...)."
            )
    return requested


def association(cosines: Floats, m_a: int) -> Floats:
    """Subtract the mean of the others from that of the first `m_a`; 0 within rounding."""
    between = cosines[..., :m_a].mean(axis=-1) - cosines[..., m_a:].mean(axis=-1)
    return snapped(between, within=_ROUNDING)
