"""The pairs that a probe is asked about: given, read from a file, or made for a spec."""

from __future__ import annotations

import os
from collections.abc import Sequence

from biaslab.errors import QueryError
from biaslab.probes.sentences.pairs import PAIRINGS, PairSet, SentencePair
from biaslab.specs import Spec


def asked_pairs(
    spec: Spec | None,
    sentences: PairSet | Sequence[SentencePair] | str | os.PathLike[str] | None,
    pairing: str | None,
    groups: tuple[str, str] | None,
) -> PairSet:
    """The pairs to score.

    Raises
    ------
    QueryError
        If neither a spec nor sentences are given, or pairs are not of the asked pairing.
    SentenceError
        If a file cannot be read.
    ValueError
        If there is no such pairing.
    """
    if pairing is not None and pairing not in PAIRINGS:
        raise ValueError(f"pairing is {pairing!r}: choose one of {', '.join(PAIRINGS)}.")
    if isinstance(sentences, PairSet):
        found = sentences
    elif isinstance(sentences, str | os.PathLike):
        raise QueryError(f"Sentences of a file cannot be read yet: {os.fspath(sentences)!r}.")
    elif sentences is not None:
        found = PairSet(tuple(sentences), source="given")
    elif spec is None:
        raise QueryError(
            "There is nothing to score: give a spec, such as 'biastest-math-arts', or sentences."
        )
    else:
        raise QueryError(f"No sentences are made for {spec.name!r} yet: give sentences.")
    kinds = sorted({pair.pairing for pair in found})
    if len(kinds) > 1:
        raise QueryError(
            "Some pairs swap the group and some the attribute: score them in two runs."
        )
    if pairing is not None and kinds and kinds != [pairing]:
        raise QueryError(
            f"These pairs swap the {kinds[0]}, and pairing is {pairing!r}: leave pairing out, or "
            "give pairs that swap the other."
        )
    return found
